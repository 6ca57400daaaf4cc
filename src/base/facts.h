/*
 * facts.h - names and values that describe a run: host, device, limits.
 *
 * A value is a text, or a number with its unit and its source: the setting of a library or
 * kernel that it was read from.  Facts stand in the header of the results in the order in
 * which they were added; the server sends its own to the client.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum np_unit {
	NP_UNIT_NONE, /* a text */
	NP_UNIT_BYTES,
	NP_UNIT_COUNT,
	NP_UNIT_PERCENT,
	NP_UNITS
};

struct np_fact {
	char *name; /* lower case, words joined by "_" */
	char *text; /* one line; of a number "4096 (source)"; "not reported" if unknown */
	enum np_unit unit;
	uint64_t number; /* 0 of a text */
	char *source;	 /* of a number; or NULL */
};

/* Limit against a hostile peer or file: further facts are dropped. */
enum { NP_FACTS_MAX = 1024 };

struct np_facts {
	struct np_fact *list;
	size_t count;
};

/* Adds a fact, or replaces that of the same name.  Without memory it is dropped. */
void np_facts_add(struct np_facts *facts, const char *name, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Adds a number; source may be NULL. */
void np_facts_add_number(struct np_facts *facts, const char *name, uint64_t number,
			 enum np_unit unit, const char *source);

/* Returns the fact of that name, or NULL.  Valid until the next np_facts_add(). */
const struct np_fact *np_facts_at(const struct np_facts *facts, const char *name);

/* Returns the text of a fact, or NULL. */
const char *np_facts_find(const struct np_facts *facts, const char *name);

/* Returns the number of a fact; 0 of a text, or if there is none. */
uint64_t np_facts_number(const struct np_facts *facts, const char *name);

/* Name of a unit: "bytes", "count", "percent"; and its inverse, NP_UNIT_NONE for any
 * other word. */
const char *np_unit_word(enum np_unit unit);
enum np_unit np_unit_named(const char *word);

/* Facts as lines of one string that the caller frees, and back: "name=text", or
 * "name=number<tab>unit<tab>source". */
char *np_facts_to_text(const struct np_facts *facts);
void np_facts_from_text(struct np_facts *facts, const char *text);

void np_facts_free(struct np_facts *facts);
