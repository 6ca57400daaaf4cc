/*
 * mpi_crowd.c - the ranks of a pattern beyond the two ends, and how they hear what
 * to do.
 *
 * Rank 0 tells all of them of a block: the region that it has, the buffers that it
 * uses, how many operations there are.  They have a region of their own, cut alike,
 * so an offset says everything.  A barrier ends the telling: nobody is late in the
 * first sample.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "mpi_pattern.h"
#include "machine/pool.h"

enum { DISMISSED, BLOCK };

/* Sent as bytes: all processes of a job run the same program. */
struct order {
	uint64_t kind, length, messages, batches;
	uint64_t slots, region_length, generation, fresh;
};

/* Two offsets a slot. */
struct place {
	uint64_t send, recv;
};

int np_mpi_join_crowd(struct np_mpi *mpi)
{
	struct np_mpi_crowd *crowd = &mpi->crowd;
	int code = MPI_Comm_dup(MPI_COMM_WORLD, &mpi->comm);

	if (code == MPI_SUCCESS)
		code = MPI_Comm_set_errhandler(mpi->comm, MPI_ERRORS_RETURN);
	if (code == MPI_SUCCESS)
		code = MPI_Comm_rank(mpi->comm, &crowd->rank);
	if (code == MPI_SUCCESS)
		code = MPI_Comm_size(mpi->comm, &crowd->size);
	if (code != MPI_SUCCESS)
		return np_mpi_failed(mpi, code, "MPI_Comm_dup");
	crowd->above = (crowd->rank + 1) % crowd->size;
	crowd->below = (crowd->rank + crowd->size - 1) % crowd->size;
	crowd->partner =
		np_mpi_partner((enum np_mpi_partners)np_mpi_options_of(mpi)->partners,
			       crowd->rank, crowd->size);
	return np_mpi_find_node(mpi);
}

static int tell(struct np_mpi *mpi, void *what, size_t length)
{
	return np_mpi_check_call(mpi, MPI_Bcast(what, (int)length, MPI_BYTE, 0, mpi->comm),
				 "MPI_Bcast");
}

static bool is_outside(const struct np_mpi *mpi, const unsigned char *at)
{
	const struct np_region *region = mpi->endpoint.transfer->region;

	return at < region->base || at >= region->base + region->length;
}

/* Ranks 0 and 1 take part alike; rank 1 has its own table and needs no order. */
static int tell_places(struct np_mpi *mpi, const struct order *order)
{
	const struct np_slot *slots = mpi->endpoint.transfer->slots;
	struct place *places = calloc(order->slots, sizeof(*places));

	if (places == NULL)
		return np_fail_errno(&mpi->endpoint.error, ENOMEM,
				     "no memory for the places of buffers");
	for (size_t i = 0; !order->fresh && i < order->slots; i++) {
		places[i].send = (uint64_t)(slots[i].send - mpi->crowd.base);
		places[i].recv = (uint64_t)(slots[i].recv - mpi->crowd.base);
	}
	const int rc = tell(mpi, places, order->slots * sizeof(*places));
	free(places);
	return rc;
}

int np_mpi_crowd_begin(struct np_mpi *mpi, uint64_t messages, uint64_t batches)
{
	const struct np_endpoint *ep = &mpi->endpoint;
	const struct np_slot *slots = ep->transfer->slots;
	struct np_mpi_crowd *crowd = &mpi->crowd;

	crowd->fresh = is_outside(mpi, slots[0].send);
	if (!crowd->fresh) {
		np_mpi_pattern_restore(mpi, ep->transfer->region->length);
		np_mpi_pattern_renew(mpi);
	}
	crowd->messages = messages * batches;
	struct order order = {
		.kind = BLOCK,
		.length = ep->transfer->length,
		.messages = messages,
		.batches = batches,
		.slots = ep->ring_end,
		.region_length = ep->transfer->region->length,
		.generation = crowd->generation,
		.fresh = crowd->fresh,
	};
	for (size_t i = 0; crowd->fresh && i < ep->ring_end; i++)
		np_mpi_pattern_fill(slots[i].send, ep->transfer->length, 0, crowd->rank);
	int rc = tell(mpi, &order, sizeof(order));
	if (rc == 0)
		rc = tell_places(mpi, &order);
	return rc != 0 ? rc : np_mpi_check_call(mpi, MPI_Barrier(mpi->comm), "MPI_Barrier");
}

void np_mpi_crowd_dismiss(struct np_mpi *mpi)
{
	struct order order = { .kind = DISMISSED };

	/* After a failure the job is ended by force, and they with it. */
	if (mpi->comm != MPI_COMM_NULL && mpi->endpoint.error.code == 0 &&
	    !np_should_stop(&mpi->endpoint))
		tell(mpi, &order, sizeof(order));
}

/* ---- the other ranks ----------------------------------------------------------- */

struct attendant {
	struct np_mpi mpi;
	struct np_transfer transfer;
	struct np_region region;
	struct np_slot *slots;
	struct place *places;
	uint64_t room; /* entries of both */
	unsigned char *fresh;
	size_t fresh_length;
	atomic_bool stop; /* never set: rank 0 ends a run, or the launcher */
};

static int take_region(struct attendant *self, const struct order *order)
{
	struct np_mpi_crowd *crowd = &self->mpi.crowd;
	struct np_error *error = &self->mpi.endpoint.error;

	if (crowd->base != NULL && crowd->generation == order->generation)
		return 0;
	np_pool_unmap(&self->region);
	const int rc = np_pool_map(&self->region, order->region_length, NP_PAGES_4K,
				   order->generation, error);
	if (rc != 0)
		return rc;
	crowd->generation = order->generation;
	np_mpi_pattern_take(crowd, self->region.base, self->region.length);
	return 0;
}

static int take_places(struct attendant *self, const struct order *order)
{
	if (self->room < order->slots) {
		free(self->slots);
		free(self->places);
		self->room = order->slots;
		self->slots = calloc(self->room, sizeof(*self->slots));
		self->places = calloc(self->room, sizeof(*self->places));
	}
	if (self->slots == NULL || self->places == NULL)
		return np_fail_errno(&self->mpi.endpoint.error, ENOMEM,
				     "no memory for the places of buffers");
	const int rc = tell(&self->mpi, self->places, order->slots * sizeof(*self->places));
	for (uint64_t i = 0; rc == 0 && i < order->slots; i++) {
		self->slots[i].send = self->region.base + self->places[i].send;
		self->slots[i].recv = self->region.base + self->places[i].recv;
	}
	return rc;
}

/* Buffers that this process has never seen, faulted in before the clock starts. */
static int take_fresh(struct attendant *self, const struct order *order)
{
	const size_t each = (order->length + 63) / 64 * 64;

	self->fresh_length = 2 * each * order->slots + 1;
	self->fresh = mmap(NULL, self->fresh_length, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (self->fresh == MAP_FAILED) {
		self->fresh = NULL;
		return np_fail_errno(&self->mpi.endpoint.error, errno,
				     "cannot map fresh buffers");
	}
	for (uint64_t i = 0; i < order->slots; i++) {
		self->slots[i].send = self->fresh + 2 * each * i;
		self->slots[i].recv = self->slots[i].send + each;
		np_mpi_pattern_fill(self->slots[i].send, order->length, 0,
				    self->mpi.crowd.rank);
	}
	return 0;
}

static int take_length(struct attendant *self, const struct order *order)
{
	struct np_mpi *mpi = &self->mpi;

	self->transfer.slots = self->slots;
	mpi->endpoint.ring_end = order->slots;
	if (mpi->endpoint.transfer != NULL && self->transfer.length == order->length)
		return 0;
	if (mpi->made_type)
		MPI_Type_free(&mpi->type);
	self->transfer.length = order->length;
	mpi->endpoint.transfer = &self->transfer;
	return np_mpi_pattern_arm(mpi, order->length);
}

static int follow_block(struct attendant *self, const struct order *order)
{
	struct np_mpi *mpi = &self->mpi;
	int rc = take_region(self, order);

	if (rc == 0)
		rc = take_places(self, order);
	mpi->crowd.fresh = order->fresh != 0;
	mpi->crowd.messages = order->messages * order->batches;
	if (rc == 0 && order->fresh)
		rc = take_fresh(self, order);
	if (rc == 0)
		rc = take_length(self, order);
	if (rc == 0 && !order->fresh)
		np_mpi_pattern_renew(mpi);
	if (rc == 0)
		rc = np_mpi_check_call(mpi, MPI_Barrier(mpi->comm), "MPI_Barrier");
	if (rc == 0)
		rc = np_mpi_pattern_run(mpi, order->messages, order->batches);
	if (self->fresh != NULL)
		munmap(self->fresh, self->fresh_length);
	self->fresh = NULL;
	return rc;
}

static int attend(struct attendant *self)
{
	struct order order;
	int rc = np_mpi_join_crowd(&self->mpi);

	while (rc == 0) {
		rc = tell(&self->mpi, &order, sizeof(order));
		if (rc == 0 && order.kind == DISMISSED)
			break;
		if (rc == 0)
			rc = follow_block(self, &order);
	}
	return rc;
}

int np_mpi_crowd_attend(const struct np_job *job, const void *options,
			struct np_error *error)
{
	struct attendant *self = calloc(1, sizeof(*self));

	if (self == NULL)
		return np_fail_errno(error, ENOMEM, "cannot take part");
	self->mpi.endpoint.options = options;
	self->mpi.endpoint.rank = job->rank;
	self->mpi.endpoint.stop = &self->stop;
	self->mpi.mode = np_mpi_mode_of(options);
	int rc = attend(self);
	if (rc != 0)
		*error = self->mpi.endpoint.error;
	else if (self->mpi.comm != MPI_COMM_NULL)
		MPI_Comm_free(&self->mpi.comm);
	np_pool_unmap(&self->region);
	free(self->slots);
	free(self->places);
	free(self);
	return rc;
}
