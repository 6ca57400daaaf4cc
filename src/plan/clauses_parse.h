/*
 * clauses_parse.h - parser of --expect.
 */
#pragma once

#include "plan/clauses.h"

/*
 * Parses clauses separated by commas, semicolons or newlines; '#' begins a comment.
 * Returns 0, or -EINVAL with NP_ERROR_USAGE, the column and what was expected.  Clauses
 * that repeat or contradict each other are refused.
 */
int np_clauses_parse(const char *text, struct np_clauses *clauses, struct np_error *error);

/*
 * Parses a site's file, lines of "PROGRAM: CLAUSES": all lines are checked, and those of
 * the program become clauses; NULL: none do.  Errors name file, line and column.  A file
 * without clauses of the program is refused.
 */
int np_clauses_parse_file(const char *file, const char *text, const char *program,
			  struct np_clauses *clauses, struct np_error *error);
