/*
 * capacity_model.h - footprints of buffers, and the miss rate of a capacity at each point
 * of a sweep.
 *
 * Buffers are used in rotation.  Under LRU, a unit that each buffer has for itself misses
 * always once more units are in use than fit; less under random replacement or in sets.  A
 * page of packed buffers is used several times in a rotation, at random places if the order
 * is random. Then the least recently used page is often not the next one used: with T pages
 * of which P fit, a use misses with probability (1 - P/T)^((k-1)/k), k being the buffers of
 * a page.  For k = 1 that is 1, for many buffers 1 - P/T.
 */
#pragma once

#include "base/facts.h"
#include "questions/capacity.h"

/* Sets caches, TLBs and page size, from the facts of a host and from --pages (NULL:
 * default). */
void np_capacity_host_read(const struct np_facts *facts, const char *pages,
			   struct np_capacity_host *host);

/* Buffers of a process that a message touches, 1 or 2; name: of the operation. */
unsigned np_capacity_sides(enum np_operation operation, const char *name);

struct np_footprint np_footprint_of(const struct np_capacity_host *host, enum np_axis axis,
				    uint64_t buffers);

/* Lists the sizes of the machine that could show a knee, with axis and number of buffers.
 */
void np_capacity_expect(struct np_capacity *capacity);

/* Replacement policy: least recently used, random, or random sets of 8 ways. */
enum np_replacement {
	NP_REPLACES_OLDEST,
	NP_REPLACES_ANY,
	NP_REPLACES_IN_SETS,
	NP_REPLACEMENTS
};

/* Miss rate: `touched` units in rotation, each used `uses` times in it at random places. */
double np_replacement_misses(enum np_replacement replacement, double capacity,
			     double touched, double uses);

/* Standard deviation of the miss rate where sets are overfull by chance. */
double np_replacement_scatter(double capacity, double touched, double uses);

/* Units that the buffers occupy in one process; then, of one message, its uses, its misses
 * and the scatter of its misses, relative to a buffer that has the unit for itself. */
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

/* Bytes of a line for units of lines, whose capacity is reported in bytes; else 1. */
double np_capacity_unit_bytes(const struct np_capacity_host *host,
			      enum np_capacity_unit unit);

/* The axis on which each buffer has the unit for itself. */
enum np_axis np_capacity_unit_axis(const struct np_capacity *capacity,
				   enum np_capacity_unit unit);
