/*
 * schema.h - what a line of a result file may hold: netpong-results(5) as a table
 * that a test can hold a file against.
 *
 * It is strict where a reader should not be: a field that the page does not have
 * is an error here, so that nothing gets into a file unnoticed.  man.sh sees to it
 * that table and page have the same fields.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum np_field_type {
	NP_FIELD_TEXT,	  /* a string; one of `words`, if there are any */
	NP_FIELD_FLAGS,	  /* a string: some of `words`, with commas between */
	NP_FIELD_BOOL,	  /* true or false */
	NP_FIELD_WHOLE,	  /* an integer, 0 or more */
	NP_FIELD_NUMBER,  /* any number, 0 or more */
	NP_FIELD_SIGNED,  /* any number */
	NP_FIELD_TEXTS,	  /* an array of strings */
	NP_FIELD_WHOLES,  /* an array of integers, 0 or more */
	NP_FIELD_NUMBERS, /* an array of any numbers, 0 or more */
	NP_FIELD_STRINGS, /* an object of strings */
	NP_FIELD_FACTS,	  /* an object of strings and objects of the kind "fact" */
	NP_FIELD_COUNTS,  /* an object of integers, 0 or more */
	NP_FIELD_OBJECTS, /* an array of objects of the kind that `words` names */
};

/* How a field may be missing; of those of one kind that have EITHER, exactly one
 * is there. */
enum { NP_FIELD_NULL = 1, NP_FIELD_OPTIONAL = 2, NP_FIELD_EITHER = 4 };

struct np_field {
	const char *name; /* NULL ends a kind */
	enum np_field_type type;
	unsigned how;
	const char *words; /* with blanks between; or NULL */
};

enum { NP_FIELDS_MAX = 32 };

struct np_kind {
	const char *name;
	int stage; /* of a run: never less than that of the line before; -1: no line */
	struct np_field fields[NP_FIELDS_MAX];
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
