/*
 * sim_space.h - where buffers lie, in numbers that come again with the same seed:
 * addresses do not.
 *
 * The region of a pass begins at 0.  What a block maps for itself lies behind it,
 * each time in the same place; the caches are told to forget what was there.
 */
#ifndef NP_SIM_SPACE_H
#define NP_SIM_SPACE_H

#include <stdint.h>

#include "contract/np_module.h"

struct np_sim_stretch {
	const unsigned char *base; /* NULL: nothing is mapped */
	size_t length;
};

struct np_sim_space {
	struct np_sim_stretch region, fresh;
	uint64_t fresh_begin; /* behind the region, at a border of the largest pages */
	size_t page_size;     /* that the region is mapped with, bytes */
	size_t part_size;     /* of the region's registrations; 0: it is one */
	uint64_t parts;
};

/* A buffer's place, and the registration that it lies in. */
struct np_sim_place {
	uint64_t offset, part;
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
		};
	return (struct np_sim_place){
		.offset = within,
		.part = space->parts > 1 ? within / space->part_size : 0,
	};
}

#endif
