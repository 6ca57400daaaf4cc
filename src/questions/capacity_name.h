/*
 * capacity_name.h - the cause, the label and the sentence of a knee.
 */
#pragma once

#include "questions/capacity_choose.h"

/* Of the knee that stands where the capacity is full, on the axis of its unit. */
void np_knee_name(const struct np_capacity *capacity, const struct np_chosen *term,
		  struct np_knee *knee);

/* Of one that is the capacity of another knee. */
void np_knee_say_repeats(struct np_knee *knee, const struct np_knee *own);

/* Of one that no capacity explains. */
void np_knee_say_unexplained(struct np_knee *knee);

/* "cache", "page_walk", "translation", "registration", "queue_pair", "unknown". */
const char *np_knee_cause_name(enum np_knee_cause cause);

/* Whether a knee at the size of a cache or TLB may be a library's or device's as well. */
bool np_knee_is_ambiguous(const struct np_capacity *capacity, const struct np_knee *knee);

/* "bytes", "pages", "registrations", "queue_pairs"; NULL for none. */
const char *np_capacity_unit_name(enum np_capacity_unit unit);
