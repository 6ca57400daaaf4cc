/*
 * capacity_explain.h - the sizes that a knee agrees with, its cause, and its label.
 */
#pragma once

#include "questions/capacity_choose.h"

/* Sets label, cause and verdict of each knee, and the state of each expected size.  Adds
 * the knee of a capacity that only other axes show.  Returns 0 or -ENOMEM. */
int np_capacity_explain(struct np_capacity *capacity);

/* Names a knee at its capacity, on the axis of the unit. */
void np_knee_name(const struct np_capacity *capacity, const struct np_chosen *term,
		  struct np_knee *knee);

/* Names a knee that no capacity explains. */
void np_knee_say_unexplained(struct np_knee *knee);

/* "cache", "page_walk", "translation", "registration", "queue_pair", "unknown". */
const char *np_knee_cause_name(enum np_knee_cause cause);

/* Returns true if a knee at a cache or TLB size may also be caused by a library or device.
 */
bool np_knee_is_ambiguous(const struct np_capacity *capacity, const struct np_knee *knee);

/* "bytes", "pages", "registrations", "queue_pairs"; NULL for none. */
const char *np_capacity_unit_name(enum np_capacity_unit unit);
