/*
 * sim_keys.h - parser of profiles: the interface between sim_read.c, which splits the
 * text into keys and items, and the tables of keys, which interpret the items.
 */
#pragma once

#include <stdio.h>
#include <string.h>

#include "sim_profile.h"
#include "sim_units.h"

enum { NP_SIM_ITEMS = 5, NP_SIM_LINE = 512 };

/* Lists that each text replaces; a text appends to the others. */
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

/* A NULL name ends each table. */
extern const struct np_sim_key np_sim_curve_keys[];
extern const struct np_sim_key np_sim_memory_keys[];
extern const struct np_sim_key np_sim_noise_keys[];

/* Parser of a plain size. */
bool np_sim_parse_size(struct np_sim_reading *reading, void *member);

/* Opens a file named by a profile, relative to the profile's folder; writes the path to
 * `path` of `size` bytes.  Returns NULL with errno. */
FILE *np_sim_open(const struct np_sim_reading *reading, const char *name, char *path,
		  size_t size);

/* Reads a file of recorded noise.  Returns false with reading->why. */
bool np_sim_read_replay(struct np_sim_reading *reading, const char *name);

/* Adds the points of a file of bytes and MB/s, separated by commas or blanks; lines
 * that begin with # and a heading are skipped.  Returns false with reading->why. */
bool np_sim_read_table(struct np_sim_reading *reading, const char *name);

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
