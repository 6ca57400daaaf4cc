/*
 * calibrate.h - calibration: messages a sample, samples a block, blocks a visit.
 */
#pragma once

#include "run/campaign.h"

/* Composition of a block. */
struct np_block_plan {
	uint64_t messages; /* of a sample */
	size_t warmup, samples;
};

/* Runs a block in both processes and advances the cursor.  Returns 0 or -errno. */
int np_campaign_block(struct np_campaign *campaign, struct np_size_state *state,
		      const struct np_block *block, struct np_outcome *outcome,
		      struct np_error *error);

/* Refuses a fixed number of messages of a sample that exceeds a block's.  The processes are
 * armed.  Returns 0 or -EINVAL. */
int np_calibration_fixed(const struct np_campaign *campaign, size_t length,
			 uint64_t messages, struct np_error *error);

/*
 * Finds how many messages fill a sample: the number grows from 1 until a sample is long
 * enough.  The first batch is measured alone; unless it is longer than a visit, the
 * fastest of several batches counts.  `template` gives mode and slot.  Returns 0 or
 * -errno.
 */
int np_calibrate(struct np_campaign *campaign, struct np_size_state *state,
		 const struct np_block *template, struct np_error *error);

/* Composition of a block of the size, whose state is calibrated. */
struct np_block_plan np_block_plan_make(const struct np_campaign *campaign,
					const struct np_size_state *state);

/* Number of blocks of each mode and variant in a visit, at least 1: fewer than planned if a
 * block is longer than its share of a visit. */
size_t np_count_rounds(const struct np_campaign *campaign,
		       const struct np_size_state *state,
		       const struct np_block_plan *block_plan);

/* Updates the duration of a sample with a measured one.  A sample much shorter than its
 * target is calibrated again: the calibration was disturbed. */
void np_calibration_update(const struct np_campaign *campaign, struct np_size_state *state,
			   double batch_ns);
