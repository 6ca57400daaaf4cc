/*
 * sim_keys.h - parser of profiles: the interface between sim_read.c, which splits the
 * text into keys and items, and the tables of keys, which interpret the items.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "sim_profile.h"

enum { NP_SIM_ITEMS = 5, NP_SIM_LINE = 512 };

/* Lists that a text (profile, --set, --vary) replaces with its first line of that key; it
 * appends to all other lists. */
enum { NP_SIM_OWN_CACHES = 1u << 0, NP_SIM_OWN_POINTS = 1u << 1 };

/* State of the parser. */
struct np_sim_reading {
	struct np_sim_profile *profile;
	const char *folder; /* base of a table's file name; NULL: working directory */
	unsigned replaced;  /* NP_SIM_OWN_...: lists replaced by this text so far */
	char why[200];	    /* error message; empty: the key's form is printed */
	char *items[NP_SIM_ITEMS]; /* value of the line, split at commas */
	size_t count;
};

/* A list of the profile, whose length is a member of the profile. */
struct np_sim_list {
	size_t length_offset, entry_size, capacity; /* capacity 0: not a list */
	unsigned own;				    /* NP_SIM_OWN_...; 0: none */
};

struct np_sim_key {
	const char *name, *form; /* syntax of the value, for messages */
	size_t least, most;	 /* number of items */
	/* Reads the items into a member of the profile, or into a new entry of a list.
	 * Returns false if they are malformed. */
	bool (*parse)(struct np_sim_reading *, void *member);
	size_t offset; /* of the member */
	struct np_sim_list list;
};

/* All keys; a NULL name ends the table. */
extern const struct np_sim_key np_sim_keys[];

static inline bool np_sim_is_word(const char *text, const char *word)
{
	return strcmp(text, word) == 0;
}

/* True for "none", which empties a list. */
static inline bool np_sim_is_none(const struct np_sim_reading *reading)
{
	return reading->count == 1 && np_sim_is_word(reading->items[0], "none");
}

/* Offset of a member of the profile, and description of a list, for the tables. */
#define NP_SIM_AT(member) offsetof(struct np_sim_profile, member)
#define NP_SIM_LIST(member, length, capacity, own)                                         \
	NP_SIM_AT(member),                                                                 \
	{                                                                                  \
		NP_SIM_AT(length), sizeof(((struct np_sim_profile *)NULL)->member[0]),     \
			(capacity), (own)                                                  \
	}

/*
 * Parses numbers with a unit.
 *
 * Each function parses the whole text; blanks around the number and the unit are
 * allowed.  On a mismatch it returns false and does not set the value.
 */

/* "900 ns", "1.5us", "3 ms", "2 s": nanoseconds, any sign, at
 * most a thousand seconds; 0 needs no unit. */
bool np_sim_read_time(const char *text, double *ns);

/* "870 MB/s", "3.2 GB/s", "10 Gbit/s", decimal, at least 1 B/s: nanoseconds per byte. */
bool np_sim_read_rate(const char *text, double *byte_ns);

/* "4096", "4K", "1M", "64 B", binary: bytes. */
bool np_sim_read_size(const char *text, size_t *bytes);

/* "8 %": 0.08; above -100 %, at most 1e6 %. */
bool np_sim_read_percent(const char *text, double *share);

/* "4K" (first = last) or "4000-5000". */
bool np_sim_read_range(char *text, size_t *first, size_t *last);

/* "64", "4K", binary: a count. */
bool np_sim_read_count(const char *text, uint64_t *count);
