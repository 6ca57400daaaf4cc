/*
 * schema.h - what a line of a result file may hold: netpong-results(5) as a table
 * that a test can hold a file against.
 *
 * It is strict where a reader should not be: a field that the page does not have
 * is an error here, so that nothing gets into a file unnoticed.  man.sh sees to it
 * that table and page have the same fields.
 */
#pragma once

#include "output/json_line.h"

struct np_kind {
	const char *name;
	int stage; /* of a run: never less than that of the line before; -1: no line */
	const struct np_field *fields;
};

/* All of them, the header first; NULL ends the list. */
const struct np_kind *np_kind_at(size_t index);

/* The kind of that name, or NULL. */
const struct np_kind *np_kind_find(const char *name);

/*
 * Whether an object is as its kind says.  If not, what is wrong is in text, of
 * size bytes.
 */
bool np_kind_check(const struct np_kind *kind, json_t *object, char *text, size_t size);

/* A line that stands by itself: finds its kind and checks it. */
bool np_line_check(json_t *object, char *text, size_t size);

/* All kinds as a JSON Schema; the caller's to release. */
json_t *np_schema_make(void);

/* Any JSON, in lines of bearable length; depth is 0 at the top. */
void np_schema_print(FILE *file, json_t *value, int depth);
