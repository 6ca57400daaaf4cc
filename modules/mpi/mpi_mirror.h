/*
 * mpi_mirror.h - copy of rank 0's buffer layout, in another rank or in a thread.
 *
 * Rank 0 announces a block by a command and by the offsets of its buffers.  A mirror has a
 * region of the same length, and its own requests and datatype.
 */
#pragma once

#include "mpi_private.h"

/* Sent as bytes: all processes of a job run the same program. */
struct np_mpi_command {
	uint64_t kind, length, messages, batches;
	uint64_t slots, region_length, generation, fresh;
	uint64_t operation, window, variant;
	uint64_t pages, page_size; /* of the region */
};

/* Offsets of a slot's buffers in the region. */
struct np_mpi_place {
	uint64_t send, recv;
};

struct np_mpi_mirror {
	struct np_mpi mpi; /* set by the caller: options, ranks, comm, stop */
	struct np_transfer transfer;
	struct np_region region, fresh;
	struct np_slot *slots;
	uint64_t capacity; /* entries of slots */
};

/* Sets up buffers and message size of the next block.  Returns 0, or -errno with the
 * error of the endpoint. */
int np_mpi_mirror_adopt(struct np_mpi_mirror *mirror, const struct np_mpi_command *command,
			const struct np_mpi_place *places);

void np_mpi_mirror_free(struct np_mpi_mirror *mirror);
