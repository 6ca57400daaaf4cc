/*
 * json_kinds.h - fields of each kind of line, from which it is written, read, exported and
 * described.
 */
#pragma once

#include <stddef.h>

/* Type of a value in JSON. */
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

/* Absence of a value. */
enum {
	NP_FIELD_NULL = 1,     /* NAN, or an enum behind the last word */
	NP_FIELD_OPTIONAL = 2, /* 0 or false has no field */
	NP_FIELD_EITHER = 4,   /* exactly one of the kind's fields with this bit is there */
	NP_FIELD_ZERO = 8      /* 0 is no value: the first word is 1, null is 0, not NAN */
};

/* Source of a value. */
enum np_field_source {
	NP_FIELD_HAND,	  /* set and read by code of its kind */
	NP_FIELD_MEMBER,  /* a member of the record; a text is an array, a word an enum */
	NP_FIELD_POINTER, /* a text that a member points to; not read */
	NP_FIELD_KIND,	  /* `words`: the kind itself */
	NP_FIELD_OP,	  /* the operation of the results */
	NP_FIELD_VARIANT, /* a member: index of a variant; not read */
	NP_FIELD_UNITS	  /* a member, named "passes" or "runs" by its unit; not read */
};

struct np_field {
	const char *name; /* NULL ends a kind */
	enum np_field_type type;
	unsigned how;
	const char *words; /* with blanks between, in the order of the enum; or NULL */
	enum np_field_source source;
	size_t offset, size; /* of the member */
};

/* Words of enum np_mode, and of enum np_factor without its first. */
#define NP_MODE_WORDS	"reuse rotate control fresh evicted touched rotate_send rotate_recv"
#define NP_FACTOR_WORDS "registrations pages alignment wait"

/* Kinds of records, by the names in their lines: netpong-results(5). */
extern const struct np_field np_visit_fields[], np_connection_fields[], np_row_fields[],
	np_pair_fields[], np_change_fields[], np_probe_fields[], np_break_fields[],
	np_limit_fields[], np_refinement_fields[], np_capacity_fields[], np_knee_fields[],
	np_causes_fields[], np_effect_fields[], np_factor_fields[], np_findings_fields[],
	np_new_connection_fields[], np_cost_fields[], np_range_fields[],
	np_slow_range_fields[], np_comparison_fields[];

/* Fields of rows and pairs that NPreport reads, and exports as JSON and CSV. */
extern const struct np_field np_point_fields[], np_ratio_fields[];
