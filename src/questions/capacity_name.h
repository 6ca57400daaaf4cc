/*
 * capacity_name.h - the cause, the label and the sentence of a knee.
 */
#pragma once

#include "questions/capacity_choose.h"

/* Names a knee at its capacity, on the axis of the unit. */
void np_knee_name(const struct np_capacity *capacity, const struct np_chosen *term,
		  struct np_knee *knee);

/* Names a knee that repeats the capacity of `own`. */
void np_knee_say_repeats(struct np_knee *knee, const struct np_knee *own);

/* Names a knee that no capacity explains. */
void np_knee_say_unexplained(struct np_knee *knee);

/* "cache", "page_walk", "translation", "registration", "queue_pair", "unknown". */
const char *np_knee_cause_name(enum np_knee_cause cause);

/* Returns true if a knee at a cache or TLB size may also be caused by a library or device.
 */
bool np_knee_is_ambiguous(const struct np_capacity *capacity, const struct np_knee *knee);

/* "bytes", "pages", "registrations", "queue_pairs"; NULL for none. */
const char *np_capacity_unit_name(enum np_capacity_unit unit);
