/*
 * capacity_model.h - the share of messages that miss a capacity of so many bytes, pages or
 * registrations, at each point of a capacity sweep.
 *
 * Buffers take turns.  So of a thing that each buffer has for itself all miss once there
 * are more of them than fit, if the least recently used one gives way; fewer if any does,
 * or where the capacity is of sets.  A page of packed buffers is used several times in one
 * rotation, at random places if buffers are taken in random order, so that the least
 * recently used page is often one that is not used again soon: of T pages of which P fit,
 * a use misses with the chance (1 - P/T)^((k-1)/k), where k buffers share a page.  That is
 * 1 for a page of its own, and 1 - P/T for many buffers.
 */
#pragma once

#include "questions/capacity.h"

/* Which entry gives way. */
enum np_replacement {
	NP_REPLACES_OLDEST,
	NP_REPLACES_ANY,
	NP_REPLACES_IN_SETS, /* of 8 */
	NP_REPLACEMENTS
};

/* The share of uses that miss, where so many take turns, each used `uses` times in a
 * rotation, at random places. */
double np_replacement_misses(enum np_replacement replacement, double capacity,
			     double touched, double uses);

/* The standard deviation of that share where sets are overfull by chance. */
double np_replacement_scatter(double capacity, double touched, double uses);

/* What so many buffers touch at one end, in a unit; and of a message its uses that can
 * miss, its misses and their scatter, as multiples of the uses of a buffer on an axis where
 * each has the unit for itself. */
double np_capacity_unit_touched(const struct np_capacity_host *host,
				enum np_capacity_unit unit, enum np_axis axis,
				uint64_t buffers);
double np_capacity_unit_uses(const struct np_capacity_host *host,
			     enum np_capacity_unit unit, enum np_axis axis,
			     uint64_t buffers);
double np_capacity_unit_misses(const struct np_capacity_host *host,
			       enum np_capacity_unit unit, enum np_axis axis,
			       uint64_t buffers, enum np_replacement replacement,
			       double capacity);
double np_capacity_unit_scatter(const struct np_capacity_host *host,
				enum np_capacity_unit unit, enum np_axis axis,
				uint64_t buffers, double capacity);

/* Bytes of a line where lines are counted, which are told in bytes; else 1. */
double np_capacity_unit_bytes(const struct np_capacity_host *host,
			      enum np_capacity_unit unit);

/* The axis on which each buffer has the unit for itself. */
enum np_axis np_capacity_unit_axis(const struct np_capacity *capacity,
				   enum np_capacity_unit unit);
