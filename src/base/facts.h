/*
 * facts.h - names and values that describe a run: host, device, limits; named counts of
 * blocks and visits: page faults, retransmissions, cache misses.
 *
 * A value is a text, or a number with its unit and its source: the setting of a library or
 * kernel that it was read from.  Facts stand in the header of the results in the order in
 * which they were added; the server sends its own to the client.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Program and version of a process; processes with different ones refuse each other. */
struct np_identity {
	const char *program; /* "NPtcp" */
	const char *version; /* "0.1.0" */
};

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
	uint64_t number; /* 0 if the value is a text */
	char *source;	 /* setting that the number was read from; or NULL */
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

/* Counter of a module that only grows: read before and after each block.  A ConnectX has 52
 * (Linux 6.12), a port of bnxt_re about 90. */
enum { NP_COUNTERS_MAX = 128, NP_COUNTER_NAME = 40 };
struct np_counter {
	char name[NP_COUNTER_NAME]; /* lower case, words joined by "_" */
	uint64_t value;
};

/* The six counts of machine/counters.h, each summed over both processes, and the counters
 * of the module in each process: their names differ where devices do. */
enum { NP_BLOCK_COUNTS = 2 * NP_COUNTERS_MAX + 6 };

struct np_counts {
	struct np_counter list[NP_BLOCK_COUNTS];
	size_t count;
};

/* Adds value to the count of that name, or appends a new one.  A sum ends at INT64_MAX,
 * the largest number of a result file; a value above it is a negative number. */
void np_counts_add(struct np_counts *sum, const char *name, uint64_t value);

/* Returns whether text from a file is a valid name of a count. */
bool np_counts_is_name(const char *name);
