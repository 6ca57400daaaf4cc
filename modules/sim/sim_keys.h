/*
 * sim_keys.h - between sim_read.c, which cuts a profile's text into keys and items,
 * and the tables of keys, which know what they mean.
 */
#ifndef NP_SIM_KEYS_H
#define NP_SIM_KEYS_H

#include <string.h>

#include "sim_profile.h"
#include "sim_units.h"

enum { NP_SIM_ITEMS = 5, NP_SIM_LINE = 512 };

/* What is being read. */
struct np_sim_reading {
	struct np_sim_profile *profile;
	const char *folder; /* that a table's name is relative to; NULL: this one */
	bool own_caches;    /* a line of this text has replaced those before it */
	bool own_points;
	char why[200]; /* in place of the key's form, where that says too little */
};

/* What stands behind the sign of equality, cut at commas. */
struct np_sim_items {
	char *list[NP_SIM_ITEMS];
	size_t count;
};

enum np_sim_taken { NP_SIM_TAKEN, NP_SIM_NOT_THIS, NP_SIM_NO_ROOM };

struct np_sim_key {
	const char *name, *form; /* what its value looks like */
	size_t least, most;	 /* items */
	enum np_sim_taken (*take)(struct np_sim_reading *, const struct np_sim_key *,
				  const struct np_sim_items *);
	size_t offset; /* in the profile, of what a plain number goes to */
};

/* Each ends with a key without a name. */
extern const struct np_sim_key np_sim_curve_keys[];
extern const struct np_sim_key np_sim_memory_keys[];
extern const struct np_sim_key np_sim_noise_keys[];

/* Plain numbers, to the key's place. */
enum np_sim_taken np_sim_take_time(struct np_sim_reading *reading,
				   const struct np_sim_key *key,
				   const struct np_sim_items *items);
enum np_sim_taken np_sim_take_size(struct np_sim_reading *reading,
				   const struct np_sim_key *key,
				   const struct np_sim_items *items);

/* Adds the points of a file of bytes and MB/s, with commas or blanks between; a
 * line that begins with # or a letter is none.  False with reading->why. */
bool np_sim_read_table(struct np_sim_reading *reading, const char *name);

static inline enum np_sim_taken np_sim_taken_if(bool good)
{
	return good ? NP_SIM_TAKEN : NP_SIM_NOT_THIS;
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
