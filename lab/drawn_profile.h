/*
 * drawn_profile.h - profiles of NPsim drawn at random, their text, and their truth.
 */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "modules/sim/sim_private.h"

/* Effects of a drawn profile beside its noise. */
enum plant {
	PLANT_NOTHING,
	PLANT_STEPS,
	PLANT_DROPOUTS,
	PLANT_CAPACITY,
	PLANT_CAPACITIES,
	PLANT_TABLES,
	PLANT_ALL,
	PLANT_ROUGH,
	PLANT_ROUGH_BREAKS
};

/* Makes a random profile; equal seeds give equal profiles. */
void draw_profile(struct np_sim_profile *profile, uint64_t seed, enum plant plant);

/* Writes the text that NPsim --profile reads, and the planted effects. */
void write_profile(FILE *out, const struct np_sim_profile *profile);
void write_truth(FILE *out, const struct np_sim_profile *profile);

/* Output of one of the two functions above.  The caller frees it; NULL if out of memory. */
char *profile_text(const struct np_sim_profile *profile,
		   void (*print)(FILE *, const struct np_sim_profile *));
