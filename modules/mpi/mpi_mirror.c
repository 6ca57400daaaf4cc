/*
 * mpi_mirror.c - copy of rank 0's buffer layout: memory, and size of a block.
 */
#include "mpi_mirror.h"

#include <errno.h>
#include <stdlib.h>

#include "mpi_pattern.h"

static int allocate(struct np_mpi_mirror *mirror, struct np_region *region,
		    const struct np_mpi_command *command, size_t length)
{
	*region = (struct np_region){ .pages = (enum np_page_kind)command->pages,
				      .page_size = command->page_size };
	return np_host_memory.allocate(&mirror->mpi.endpoint, region, length,
				       command->generation);
}

static int adopt_region(struct np_mpi_mirror *mirror, const struct np_mpi_command *command)
{
	struct np_mpi_ranks *ranks = &mirror->mpi.ranks;

	if (ranks->base != NULL && ranks->generation == command->generation)
		return 0;
	np_host_memory.free(&mirror->mpi.endpoint, &mirror->region);
	const int rc = allocate(mirror, &mirror->region, command, command->region_length);
	if (rc != 0)
		return rc;
	ranks->generation = command->generation;
	np_mpi_pattern_fill_region(ranks, mirror->region.base, mirror->region.length);
	return 0;
}

static int adopt_places(struct np_mpi_mirror *mirror, const struct np_mpi_command *command,
			const struct np_mpi_place *places)
{
	if (mirror->capacity < command->slots) {
		free(mirror->slots);
		mirror->slots = calloc(command->slots, sizeof(*mirror->slots));
		mirror->capacity = mirror->slots != NULL ? command->slots : 0;
	}
	if (mirror->slots == NULL)
		return np_fail_errno(&mirror->mpi.endpoint.error, ENOMEM,
				     "no memory for the places of buffers");
	for (uint64_t i = 0; i < command->slots; i++) {
		mirror->slots[i].send = mirror->region.base + places[i].send;
		mirror->slots[i].recv = mirror->region.base + places[i].recv;
	}
	return 0;
}

/* Maps fresh buffers, and takes their page faults before the timed block. */
static int adopt_fresh(struct np_mpi_mirror *mirror, const struct np_mpi_command *command)
{
	const struct np_mpi_ranks *ranks = &mirror->mpi.ranks;
	const size_t length = command->length * ranks->parts;
	const size_t each = (length + 63) / 64 * 64;
	const int rc =
		allocate(mirror, &mirror->fresh, command, 2 * each * command->slots + 1);

	if (rc != 0)
		return rc;
	for (uint64_t i = 0; i < command->slots; i++) {
		mirror->slots[i].send = mirror->fresh.base + 2 * each * i;
		mirror->slots[i].recv = mirror->slots[i].send + each;
		np_mpi_pattern_fill(mirror->slots[i].send, length, 0,
				    ranks->rank + ranks->contents);
	}
	return 0;
}

static int adopt_length(struct np_mpi_mirror *mirror, const struct np_mpi_command *command)
{
	struct np_mpi *mpi = &mirror->mpi;

	mirror->transfer.slots = mirror->slots;
	mirror->transfer.variant = command->variant;
	mpi->endpoint.ring_end = command->slots;
	if (mpi->endpoint.transfer != NULL && mirror->transfer.length == command->length)
		return 0;
	np_mpi_pattern_disarm(mpi);
	mirror->transfer.length = command->length;
	mirror->transfer.operation = (enum np_operation)command->operation;
	mpi->endpoint.transfer = &mirror->transfer;
	return np_mpi_pattern_arm(mpi, command->length, command->window);
}

int np_mpi_mirror_adopt(struct np_mpi_mirror *mirror, const struct np_mpi_command *command,
			const struct np_mpi_place *places)
{
	struct np_mpi *mpi = &mirror->mpi;

	np_host_memory.free(&mpi->endpoint, &mirror->fresh);
	int rc = adopt_region(mirror, command);

	if (rc == 0)
		rc = adopt_places(mirror, command, places);
	mpi->ranks.fresh = command->fresh != 0;
	mpi->ranks.messages = command->messages * command->batches;
	if (rc == 0 && command->fresh)
		rc = adopt_fresh(mirror, command);
	if (rc == 0)
		rc = adopt_length(mirror, command);
	if (rc == 0 && !command->fresh)
		np_mpi_pattern_renew(mpi);
	return rc;
}

void np_mpi_mirror_free(struct np_mpi_mirror *mirror)
{
	np_mpi_pattern_disarm(&mirror->mpi);
	np_host_memory.free(&mirror->mpi.endpoint, &mirror->region);
	np_host_memory.free(&mirror->mpi.endpoint, &mirror->fresh);
	free(mirror->slots);
}
