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

#include "mpi_liveness.h"
#include "mpi_pattern.h"
#include "mpi_threads.h"

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

	ranks->parts = np_mpi_pattern_parts(mpi->mode.pattern, ranks->size);
	ranks->active = ranks->size;
	ranks->takes_part = true;
	if (np_mpi_pattern_is_paired(mpi->mode.pattern))
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

/* Broadcasts the places of rank 0; collective.  Rank 1 has the same ones already. */
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

/* ---- Other ranks ---------------------------------------------------------------- */

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
