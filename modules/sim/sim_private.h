/*
 * sim_private.h - endpoint of NPsim, and functions its files share.
 *
 * Rank 0 models both processes; the hooks of rank 1 do nothing.  Buffers have the
 * same offset in both regions, so rank 0 can compute the offsets of rank 1.
 */
#pragma once

#include <stdio.h>

#include "contract/np_module.h"
#include "sim_curve.h"
#include "sim_memory.h"
#include "sim_noise.h"

/* Effects that --draw plants in a profile. */
enum np_sim_plant {
	NP_SIM_PLANT_NOTHING,
	NP_SIM_PLANT_STEPS,
	NP_SIM_PLANT_DROPOUTS,
	NP_SIM_PLANT_CAPACITY,
	NP_SIM_PLANT_CAPACITIES,
	NP_SIM_PLANT_ALL,
	NP_SIM_PLANT_ROUGH,
	NP_SIM_PLANT_ROUGH_BREAKS
};

struct np_sim_options {
	const char *profile; /* a name or a file */
	uint64_t draw;	     /* seed of a random profile; 0: use `profile` */
	int plant;	     /* enum np_sim_plant */
	const char *set;     /* lines read after the profile */
	const char *vary;    /* lines read after `set`, in which endpoints may differ */
	uint64_t qps;
	bool put, truth, print_profile;
};

extern const struct np_option np_sim_options_table[];

struct np_sim {
	struct np_endpoint endpoint;
	struct np_sim_profile profile;
	struct np_sim_space space;
	/* By rank.  In a ping-pong both ranks use the same slots in the same order,
	 * so their caches are equal and the first memory stands for both. */
	struct np_sim_memory memory[2];
	struct np_sim_noise noise;
	struct np_sim_parts parts; /* of the armed message size */
	uint64_t clock_ps;
	bool begun; /* the noise generator is seeded */
};

static inline struct np_sim *np_sim_of(struct np_endpoint *endpoint)
{
	return (struct np_sim *)endpoint;
}

/* Loads the profile that the options name and applies --set.  Returns 0, or -EINVAL
 * or -ENOENT with NP_ERROR_USAGE. */
int np_sim_load(const struct np_sim_options *options, struct np_sim_profile *profile,
		struct np_error *error);

/* The operations on the virtual clock. */
extern const struct np_code_path np_sim_path;

/* Makes a random profile; equal seeds give equal profiles. */
void np_sim_draw(struct np_sim_profile *profile, uint64_t seed, enum np_sim_plant plant);

/* Draws a log-uniform number in [low, high); draws the effects of --plant capacities. */
double np_sim_draw_scale(struct np_random *random, double low, double high);
void np_sim_draw_capacities(struct np_random *random, struct np_sim_profile *profile);

/* Draws the effects of --plant rough, or with `breaks` of rough-breaks. */
void np_sim_draw_rough(struct np_random *random, struct np_sim_profile *profile,
		       bool breaks);

/* Print --truth (planted effects, one a line) and --print-profile. */
void np_sim_truth(FILE *out, const struct np_sim_profile *profile);
void np_sim_write(FILE *out, const struct np_sim_profile *profile);

/* Output of one of the two functions above.  The caller frees it; NULL if out of memory. */
char *np_sim_text(const struct np_sim_profile *profile,
		  void (*print)(FILE *, const struct np_sim_profile *));

/* The profiles compiled into the program; a NULL name ends the list. */
struct np_sim_shipped {
	const char *name, *text;
};
extern const struct np_sim_shipped np_sim_shipped[];
