/*
 * mpi_ranks.c - ranks of a pattern other than 0 and 1, and commands to them.
 *
 * Before each block rank 0 broadcasts the size of its region, the offsets of the buffers,
 * and the number of operations.  Other ranks map a region of the same size.  A barrier
 * follows, so that all ranks begin the first sample together.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mpi_pattern.h"

enum { END_RUN, RUN_BLOCK };

int np_mpi_join_ranks(struct np_mpi *mpi)
{
	struct np_mpi_ranks *ranks = &mpi->ranks;
	int code = MPI_Comm_dup(MPI_COMM_WORLD, &mpi->comm);

	if (code == MPI_SUCCESS)
		code = MPI_Comm_set_errhandler(mpi->comm, MPI_ERRORS_RETURN);
	if (code == MPI_SUCCESS)
		code = MPI_Comm_rank(mpi->comm, &ranks->rank);
	if (code == MPI_SUCCESS)
		code = MPI_Comm_size(mpi->comm, &ranks->size);
	if (code != MPI_SUCCESS)
		return np_mpi_failed(mpi, code, "MPI_Comm_dup");
	ranks->next = (ranks->rank + 1) % ranks->size;
	ranks->previous = (ranks->rank + ranks->size - 1) % ranks->size;
	const struct np_mpi_options *options = np_mpi_options_of(mpi);

	ranks->parts = np_mpi_pattern_parts(np_mpi_pattern_of(&mpi->mode), ranks->size);
	ranks->active = ranks->size;
	ranks->takes_part = true;
	if (np_mpi_pattern_of(&mpi->mode)->paired)
		np_mpi_take_part(ranks, (enum np_mpi_partners)options->partners,
				 (size_t)options->pairs);
	int rc = np_mpi_liveness_begin(mpi);
	if (rc == 0)
		rc = np_mpi_find_node(mpi);
	if (rc == 0)
		rc = np_mpi_slowest_begin(mpi);
	return rc == 0 ? np_mpi_threads_begin(mpi) : rc;
}

static int broadcast(struct np_mpi *mpi, void *what, size_t length)
{
	return np_mpi_check_call(mpi, MPI_Bcast(what, (int)length, MPI_BYTE, 0, mpi->comm),
				 "MPI_Bcast");
}

static bool is_outside(const struct np_mpi *mpi, const unsigned char *at)
{
	const struct np_region *region = mpi->endpoint.transfer->region;

	return at < region->base || at >= region->base + region->length;
}

/* Broadcasts the buffer offsets of rank 0; collective.  Rank 1 has equal ones already. */
static int share_places(struct np_mpi *mpi, const struct np_mpi_command *command,
			struct np_mpi_place *places)
{
	if (places == NULL)
		return np_fail_errno(&mpi->endpoint.error, ENOMEM,
				     "no memory for the places of buffers");
	return broadcast(mpi, places, command->slots * sizeof(*places));
}

static int announce(struct np_mpi *mpi, struct np_mpi_command *command)
{
	const struct np_slot *slots = mpi->endpoint.transfer->slots;
	struct np_mpi_place *places = calloc(command->slots + 1, sizeof(*places));

	for (size_t i = 0; places != NULL && !command->fresh && i < command->slots; i++) {
		places[i].send = (uint64_t)(slots[i].send - mpi->ranks.base);
		places[i].recv = (uint64_t)(slots[i].recv - mpi->ranks.base);
	}
	int rc = broadcast(mpi, command, sizeof(*command));
	if (rc == 0)
		rc = share_places(mpi, command, places);
	if (rc == 0)
		rc = np_mpi_threads_adopt(mpi, command, places);
	free(places);
	return rc != 0 ? rc : np_mpi_check_call(mpi, MPI_Barrier(mpi->comm), "MPI_Barrier");
}

int np_mpi_announce_block(struct np_mpi *mpi, uint64_t messages, uint64_t batches)
{
	const struct np_endpoint *ep = &mpi->endpoint;
	const struct np_transfer *transfer = ep->transfer;
	const struct np_slot *slots = transfer->slots;
	struct np_mpi_ranks *ranks = &mpi->ranks;

	ranks->fresh = is_outside(mpi, slots[0].send);
	if (!ranks->fresh) {
		np_mpi_pattern_restore(mpi, transfer->region->length);
		np_mpi_pattern_renew(mpi);
	}
	ranks->messages = messages * batches;
	struct np_mpi_command command = {
		.kind = RUN_BLOCK,
		.length = transfer->length,
		.messages = messages,
		.batches = batches,
		.slots = ep->ring_end,
		.region_length = transfer->region->length,
		.generation = ranks->generation,
		.fresh = ranks->fresh,
		.operation = transfer->operation,
		.window = transfer->window,
		.variant = transfer->variant,
		.pages = transfer->region->pages,
		.page_size = transfer->region->page_size,
	};
	for (size_t i = 0; ranks->fresh && i < ep->ring_end; i++)
		np_mpi_pattern_fill(slots[i].send, transfer->length * ranks->parts, 0,
				    ranks->rank);
	return announce(mpi, &command);
}

void np_mpi_announce_end(struct np_mpi *mpi)
{
	struct np_mpi_command command = { .kind = END_RUN };

	/* After a failure MPI_Abort() ends all ranks. */
	if (mpi->comm != MPI_COMM_NULL && mpi->endpoint.error.code == 0 &&
	    !np_should_stop(&mpi->endpoint))
		broadcast(mpi, &command, sizeof(command));
}

/* ---- Mirror of the buffers of rank 0 -------------------------------------------- */

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

/* ---- Other ranks --------------------------------------------------------- */

static int follow_block(struct np_mpi_mirror *self, const struct np_mpi_command *command)
{
	struct np_mpi *mpi = &self->mpi;
	struct np_mpi_place *places = calloc(command->slots, sizeof(*places));
	int rc = share_places(mpi, command, places);

	if (rc == 0)
		rc = np_mpi_mirror_adopt(self, command, places);
	if (rc == 0)
		rc = np_mpi_threads_adopt(mpi, command, places);
	free(places);
	if (rc == 0)
		rc = np_mpi_check_call(mpi, MPI_Barrier(mpi->comm), "MPI_Barrier");
	return rc != 0 ? rc : np_mpi_pattern_run(mpi, command->messages, command->batches);
}

static int follow(struct np_mpi_mirror *self)
{
	struct np_mpi_command command;
	int rc = np_mpi_join_ranks(&self->mpi);

	while (rc == 0) {
		rc = broadcast(&self->mpi, &command, sizeof(command));
		if (rc == 0 && command.kind == END_RUN)
			break;
		if (rc == 0)
			rc = follow_block(self, &command);
	}
	return rc;
}

int np_mpi_follow(const struct np_job *job, const void *options, struct np_error *error)
{
	struct np_mpi_mirror *self = calloc(1, sizeof(*self));
	atomic_bool stop = false; /* rank 0 or the MPI launcher ends the run */

	if (self == NULL)
		return np_fail_errno(error, ENOMEM, "cannot take part");
	self->mpi.endpoint.options = options;
	self->mpi.endpoint.rank = job->rank;
	self->mpi.endpoint.stop = &stop;
	self->mpi.mode = np_mpi_mode_of(options);
	const int rc = follow(self);

	np_mpi_liveness_end(&self->mpi);
	np_mpi_threads_end(&self->mpi, rc == 0);
	if (rc != 0)
		*error = self->mpi.endpoint.error;
	else if (self->mpi.comm != MPI_COMM_NULL)
		MPI_Comm_free(&self->mpi.comm);
	np_mpi_mirror_free(self);
	free(self);
	return rc;
}
