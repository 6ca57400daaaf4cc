/*
 * sim_space.h - reproducible buffer offsets: addresses differ between runs, offsets do not.
 *
 * The region of a pass begins at offset 0.  The fresh buffers of a block follow it, at
 * the same offset each time; unmapping them evicts them from all caches.
 */
#pragma once

#include <stdint.h>

#include "contract/np_module.h"

struct np_sim_range {
	const unsigned char *base; /* NULL: nothing is mapped */
	size_t length;
};

struct np_sim_space {
	struct np_sim_range region, fresh;
	uint64_t fresh_begin; /* offset after the region, aligned to the largest page */
	size_t page_size;     /* of the region's mapping, bytes */
	size_t part_size;     /* bytes of a registration; 0: the whole region is one */
	uint64_t parts;	      /* registrations of the region */
	uint64_t queue_pairs; /* number of queue pairs */
	uint64_t queue_pair;  /* of the next message */
};

/* Offset of a buffer in bytes, index of the registration that contains it, and index of
 * the queue pair that transfers it. */
struct np_sim_place {
	uint64_t offset, part, queue_pair;
};

static inline struct np_sim_place np_sim_place_of(const struct np_sim_space *space,
						  const unsigned char *address)
{
	const uint64_t within =
		(uint64_t)((uintptr_t)address - (uintptr_t)space->region.base);

	if (within >= space->region.length)
		return (struct np_sim_place){
			.offset = space->fresh_begin +
				  (uint64_t)((uintptr_t)address -
					     (uintptr_t)space->fresh.base),
			.part = space->parts,
			.queue_pair = space->queue_pair,
		};
	return (struct np_sim_place){
		.offset = within,
		.part = space->parts > 1 ? within / space->part_size : 0,
		.queue_pair = space->queue_pair,
	};
}
