/*
 * clauses_parse.h - text of --expect to clauses.
 */
#pragma once

#include "plan/clauses.h"

/*
 * Parses clauses, separated by commas, semicolons or ends of lines; what follows a '#' is a
 * comment.  Returns 0, or -EINVAL with NP_ERROR_USAGE, the column and what was expected;
 * two that repeat or contradict each other are refused.
 */
int np_clauses_parse(const char *text, struct np_clauses *clauses, struct np_error *error);

/*
 * The same of a site's file: lines of "PROGRAM: CLAUSES".  All lines are read, and those of
 * the program become clauses; NULL: of none.  Errors name file, line and column; a file
 * without clauses of the program is refused.
 */
int np_clauses_parse_file(const char *file, const char *text, const char *program,
			  struct np_clauses *clauses, struct np_error *error);
