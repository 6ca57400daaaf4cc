/*
 * mpi_ranks.c - the ranks of a pattern other than 0 and 1, and the commands to them.
 *
 * Before each block rank 0 broadcasts to all ranks: the region, the offsets of the
 * buffers, and the number of operations.  The other ranks have regions of the same size,
 * so that offsets are enough.  A barrier follows, so that all ranks begin the first
 * sample together.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mpi_liveness.h"
#include "mpi_pattern.h"

enum { END_RUN, RUN_BLOCK };

/* Sent as bytes: all processes of a job run the same program. */
struct command {
	uint64_t kind, length, messages, batches;
	uint64_t slots, region_length, generation, fresh;
	uint64_t operation, window, variant;
};

/* Offsets of a slot's buffers. */
struct place {
	uint64_t send, recv;
};

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

	ranks->parts = np_mpi_pattern_parts(mpi->mode.pattern, ranks->size);
	ranks->active = ranks->size;
	ranks->takes_part = true;
	if (np_mpi_pattern_is_paired(mpi->mode.pattern))
		np_mpi_take_part(ranks, (enum np_mpi_partners)options->partners,
				 (size_t)options->pairs);
	int rc = np_mpi_liveness_begin(mpi);
	if (rc == 0)
		rc = np_mpi_find_node(mpi);
	return rc == 0 ? np_mpi_slowest_begin(mpi) : rc;
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

/* Called by ranks 0 and 1; the broadcast overwrites rank 1's places, which it does not
 * use, as it has slots of its own. */
static int broadcast_places(struct np_mpi *mpi, const struct command *command)
{
	const struct np_slot *slots = mpi->endpoint.transfer->slots;
	struct place *places = calloc(command->slots, sizeof(*places));

	if (places == NULL)
		return np_fail_errno(&mpi->endpoint.error, ENOMEM,
				     "no memory for the places of buffers");
	for (size_t i = 0; !command->fresh && i < command->slots; i++) {
		places[i].send = (uint64_t)(slots[i].send - mpi->ranks.base);
		places[i].recv = (uint64_t)(slots[i].recv - mpi->ranks.base);
	}
	const int rc = broadcast(mpi, places, command->slots * sizeof(*places));
	free(places);
	return rc;
}

int np_mpi_announce_block(struct np_mpi *mpi, uint64_t messages, uint64_t batches)
{
	const struct np_endpoint *ep = &mpi->endpoint;
	const struct np_slot *slots = ep->transfer->slots;
	struct np_mpi_ranks *ranks = &mpi->ranks;

	ranks->fresh = is_outside(mpi, slots[0].send);
	if (!ranks->fresh) {
		np_mpi_pattern_restore(mpi, ep->transfer->region->length);
		np_mpi_pattern_renew(mpi);
	}
	ranks->messages = messages * batches;
	struct command command = {
		.kind = RUN_BLOCK,
		.length = ep->transfer->length,
		.messages = messages,
		.batches = batches,
		.slots = ep->ring_end,
		.region_length = ep->transfer->region->length,
		.generation = ranks->generation,
		.fresh = ranks->fresh,
		.operation = ep->transfer->operation,
		.window = ep->transfer->window,
		.variant = ep->transfer->variant,
	};
	for (size_t i = 0; ranks->fresh && i < ep->ring_end; i++)
		np_mpi_pattern_fill(slots[i].send, ep->transfer->length * ranks->parts, 0,
				    ranks->rank);
	int rc = broadcast(mpi, &command, sizeof(command));
	if (rc == 0)
		rc = broadcast_places(mpi, &command);
	return rc != 0 ? rc : np_mpi_check_call(mpi, MPI_Barrier(mpi->comm), "MPI_Barrier");
}

void np_mpi_announce_end(struct np_mpi *mpi)
{
	struct command command = { .kind = END_RUN };

	/* After a failure MPI_Abort() ends all ranks. */
	if (mpi->comm != MPI_COMM_NULL && mpi->endpoint.error.code == 0 &&
	    !np_should_stop(&mpi->endpoint))
		broadcast(mpi, &command, sizeof(command));
}

/* ---- the other ranks ----------------------------------------------------------- */

struct follower {
	struct np_mpi mpi;
	struct np_transfer transfer;
	struct np_region region;
	struct np_slot *slots;
	struct place *places;
	uint64_t capacity; /* entries of both */
	struct np_region fresh;
	atomic_bool stop; /* never set: rank 0 or the MPI launcher ends the run */
};

static int allocate(struct follower *self, struct np_region *region, size_t length)
{
	*region = (struct np_region){ .pages = NP_PAGES_4K,
				      .page_size = (size_t)sysconf(_SC_PAGESIZE) };
	return np_host_memory.allocate(&self->mpi.endpoint, region, length,
				       self->mpi.ranks.generation);
}

static int adopt_region(struct follower *self, const struct command *command)
{
	struct np_mpi_ranks *ranks = &self->mpi.ranks;

	if (ranks->base != NULL && ranks->generation == command->generation)
		return 0;
	np_host_memory.free(&self->mpi.endpoint, &self->region);
	const int rc = allocate(self, &self->region, command->region_length);
	if (rc != 0)
		return rc;
	ranks->generation = command->generation;
	np_mpi_pattern_fill_region(ranks, self->region.base, self->region.length);
	return 0;
}

static int adopt_places(struct follower *self, const struct command *command)
{
	if (self->capacity < command->slots) {
		free(self->slots);
		free(self->places);
		self->capacity = command->slots;
		self->slots = calloc(self->capacity, sizeof(*self->slots));
		self->places = calloc(self->capacity, sizeof(*self->places));
	}
	if (self->slots == NULL || self->places == NULL)
		return np_fail_errno(&self->mpi.endpoint.error, ENOMEM,
				     "no memory for the places of buffers");
	const int rc =
		broadcast(&self->mpi, self->places, command->slots * sizeof(*self->places));
	for (uint64_t i = 0; rc == 0 && i < command->slots; i++) {
		self->slots[i].send = self->region.base + self->places[i].send;
		self->slots[i].recv = self->region.base + self->places[i].recv;
	}
	return rc;
}

/* Maps buffers never used before, with page faults taken before the timed block. */
static int adopt_fresh(struct follower *self, const struct command *command)
{
	const size_t length = command->length * self->mpi.ranks.parts;
	const size_t each = (length + 63) / 64 * 64;
	const int rc = allocate(self, &self->fresh, 2 * each * command->slots + 1);

	if (rc != 0)
		return rc;
	for (uint64_t i = 0; i < command->slots; i++) {
		self->slots[i].send = self->fresh.base + 2 * each * i;
		self->slots[i].recv = self->slots[i].send + each;
		np_mpi_pattern_fill(self->slots[i].send, length, 0, self->mpi.ranks.rank);
	}
	return 0;
}

static int adopt_length(struct follower *self, const struct command *command)
{
	struct np_mpi *mpi = &self->mpi;

	self->transfer.slots = self->slots;
	self->transfer.variant = command->variant;
	mpi->endpoint.ring_end = command->slots;
	if (mpi->endpoint.transfer != NULL && self->transfer.length == command->length)
		return 0;
	np_mpi_pattern_disarm(mpi);
	self->transfer.length = command->length;
	self->transfer.operation = (enum np_operation)command->operation;
	mpi->endpoint.transfer = &self->transfer;
	return np_mpi_pattern_arm(mpi, command->length, command->window);
}

static int follow_block(struct follower *self, const struct command *command)
{
	struct np_mpi *mpi = &self->mpi;
	int rc = adopt_region(self, command);

	if (rc == 0)
		rc = adopt_places(self, command);
	mpi->ranks.fresh = command->fresh != 0;
	mpi->ranks.messages = command->messages * command->batches;
	if (rc == 0 && command->fresh)
		rc = adopt_fresh(self, command);
	if (rc == 0)
		rc = adopt_length(self, command);
	if (rc == 0 && !command->fresh)
		np_mpi_pattern_renew(mpi);
	if (rc == 0)
		rc = np_mpi_check_call(mpi, MPI_Barrier(mpi->comm), "MPI_Barrier");
	if (rc == 0)
		rc = np_mpi_pattern_run(mpi, command->messages, command->batches);
	np_host_memory.free(&mpi->endpoint, &self->fresh);
	return rc;
}

static int follow(struct follower *self)
{
	struct command command;
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
	struct follower *self = calloc(1, sizeof(*self));

	if (self == NULL)
		return np_fail_errno(error, ENOMEM, "cannot take part");
	self->mpi.endpoint.options = options;
	self->mpi.endpoint.rank = job->rank;
	self->mpi.endpoint.stop = &self->stop;
	self->mpi.mode = np_mpi_mode_of(options);
	int rc = follow(self);

	np_mpi_liveness_end(&self->mpi);
	if (rc != 0)
		*error = self->mpi.endpoint.error;
	else if (self->mpi.comm != MPI_COMM_NULL)
		MPI_Comm_free(&self->mpi.comm);
	np_mpi_pattern_disarm(&self->mpi);
	np_host_memory.free(&self->mpi.endpoint, &self->region);
	free(self->slots);
	free(self->places);
	free(self);
	return rc;
}
