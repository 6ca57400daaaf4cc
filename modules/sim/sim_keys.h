/*
 * sim_keys.h - parser of profiles: the interface between sim_read.c, which splits the
 * text into keys and items, and the tables of keys, which interpret the items.
 */
#ifndef NP_SIM_KEYS_H
#define NP_SIM_KEYS_H

#include <string.h>

#include "sim_profile.h"
#include "sim_units.h"

enum { NP_SIM_ITEMS = 5, NP_SIM_LINE = 512 };

/* State of the parser. */
struct np_sim_reading {
	struct np_sim_profile *profile;
	const char *folder; /* base of a table's file name; NULL: working directory */
	bool own_caches;    /* this text has replaced the caches of an earlier one */
	bool own_points;    /* likewise the points */
	char why[200];	    /* error message; empty: the key's form is printed */
};

/* The value of a line, split at commas. */
struct np_sim_items {
	char *list[NP_SIM_ITEMS];
	size_t count;
};

enum np_sim_parsed { NP_SIM_PARSED, NP_SIM_MALFORMED, NP_SIM_TOO_MANY };

struct np_sim_key {
	const char *name, *form; /* syntax of the value, for messages */
	size_t least, most;	 /* number of items */
	enum np_sim_parsed (*parse)(struct np_sim_reading *, const struct np_sim_key *,
				    const struct np_sim_items *);
	size_t offset; /* of the member of the profile that a plain number sets */
};

/* A NULL name ends each table. */
extern const struct np_sim_key np_sim_curve_keys[];
extern const struct np_sim_key np_sim_memory_keys[];
extern const struct np_sim_key np_sim_noise_keys[];

/* Parser of a plain size, stored at the key's offset. */
enum np_sim_parsed np_sim_parse_size(struct np_sim_reading *reading,
				     const struct np_sim_key *key,
				     const struct np_sim_items *items);

/* Adds the points of a file of bytes and MB/s, separated by commas or blanks; lines
 * that begin with # and a heading are skipped.  False with reading->why. */
bool np_sim_read_table(struct np_sim_reading *reading, const char *name);

static inline enum np_sim_parsed np_sim_parsed_if(bool parsed)
{
	return parsed ? NP_SIM_PARSED : NP_SIM_MALFORMED;
}

static inline bool np_sim_is_word(const char *text, const char *word)
{
	return strcmp(text, word) == 0;
}

/* "none" empties a list. */
static inline bool np_sim_is_none(const struct np_sim_items *items)
{
	return items->count == 1 && np_sim_is_word(items->list[0], "none");
}

static inline void *np_sim_place(const struct np_sim_reading *reading,
				 const struct np_sim_key *key)
{
	return (char *)reading->profile + key->offset;
}

#endif
