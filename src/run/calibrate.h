/*
 * calibrate.h - how many messages make a sample, how many samples a block and
 * how many blocks a visit, for visit.c alone.
 */
#ifndef NP_CALIBRATE_H
#define NP_CALIBRATE_H

#include "run/campaign.h"

/* How a block is made up. */
struct np_block_plan {
	uint64_t messages; /* of a sample */
	size_t warmup, samples;
};

/* Runs a block at both ends and moves the cursor on. */
int np_campaign_block(struct np_campaign *campaign, struct np_size_state *state,
		      const struct np_block *block, struct np_outcome *outcome,
		      struct np_error *error);

/*
 * Finds how many messages fill a sample: from one upwards, until a sample is
 * long enough.  A batch that alone takes longer than a visit should is believed
 * at once; all others have to be long several times.  Returns 0 or -errno.
 */
int np_calibrate(struct np_campaign *campaign, struct np_size_state *state,
		 const struct np_block *like, struct np_error *error);

/* What a block of that size consists of. */
struct np_block_plan np_block_plan_make(const struct np_campaign *campaign,
					const struct np_size_state *state);

/* Blocks of each way: fewer where a block is longer than its share of a visit. */
size_t np_count_rounds(const struct np_campaign *campaign,
		       const struct np_size_state *state,
		       const struct np_block_plan *block_plan);

/* Takes in how long a sample really took.  Samples that turn out far shorter
 * than they should be were calibrated in a bad moment. */
void np_calibration_learn(const struct np_campaign *campaign, struct np_size_state *state,
			  double batch_ns);

#endif
