/*
 * capacity_explain.h - cause of each knee: the capacity behind it, and the cache or TLB of
 * that size.
 */
#pragma once

#include "questions/capacity_choose.h"

/* Sets label, cause and verdict of each knee, and the state of each expected size.  Adds a
 * knee for a capacity that shows only on axes of other units.  Returns 0 or -ENOMEM. */
int np_capacity_explain(struct np_capacity *capacity);

/* Sets cause, sizes that agree, label and verdict of the knee of a capacity, `term`, on the
 * axis of its unit. */
void np_knee_name(const struct np_capacity *capacity, const struct np_chosen *term,
		  struct np_knee *knee);

/* Sets cause, label and verdict of a knee that no capacity explains: unknown. */
void np_knee_set_unexplained(struct np_knee *knee);

/* Returns true if a knee at a cache or TLB size may also be caused by a library or device.
 */
bool np_knee_is_ambiguous(const struct np_capacity *capacity, const struct np_knee *knee);

/* Name in result files: "bytes", "pages", "registrations", "queue_pairs"; NULL for
 * NP_HOLDS_NONE. */
const char *np_capacity_unit_name(enum np_capacity_unit unit);
