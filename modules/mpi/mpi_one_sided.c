/*
 * mpi_one_sided.c - hooks and loops of MPI_Put(), MPI_Get(), MPI_Accumulate() and the
 * fetching operations, in each kind of epoch.
 *
 * Fetched values go to the receive buffer of the same slot.  A single transfer is one
 * epoch, complete at the target when its step returns; in a stream a whole sample is one
 * epoch.  Fence and post-start-complete-wait are active target synchronization, so rank 1
 * has loops for them.  Operation and epoch are compile-time constants of each loop.
 */
#include <errno.h>

#include "mpi_private.h"

#define FROM(mpi, buffer) (buffer), (mpi)->count, (mpi)->type
#define AT_PEER(mpi, buffer)                                                               \
	(mpi)->peer, np_mpi_at_peer(mpi, buffer), (mpi)->count, (mpi)->type

NP_ALWAYS_INLINE int transfer(struct np_mpi *mpi, size_t slot, enum np_mpi_transfer how)
{
	const struct np_slot *at = &mpi->endpoint.transfer->slots[slot];
	const MPI_Win win = mpi->win;

	switch (how) {
	case NP_MPI_GET:
		return np_mpi_check_call(
			mpi, MPI_Get(FROM(mpi, at->recv), AT_PEER(mpi, at->send), win),
			"MPI_Get");
	case NP_MPI_PUT:
		return np_mpi_check_call(
			mpi, MPI_Put(FROM(mpi, at->send), AT_PEER(mpi, at->recv), win),
			"MPI_Put");
	case NP_MPI_ACCUMULATE:
		return np_mpi_check_call(mpi,
					 MPI_Accumulate(FROM(mpi, at->send),
							AT_PEER(mpi, at->recv),
							mpi->reduction, win),
					 "MPI_Accumulate");
	case NP_MPI_GET_ACCUMULATE:
		return np_mpi_check_call(
			mpi,
			MPI_Get_accumulate(FROM(mpi, at->send), FROM(mpi, at->recv),
					   AT_PEER(mpi, at->recv), mpi->reduction, win),
			"MPI_Get_accumulate");
	case NP_MPI_FETCH_AND_OP:
		return np_mpi_check_call(mpi,
					 MPI_Fetch_and_op(at->send, at->recv, MPI_UINT64_T,
							  mpi->peer,
							  np_mpi_at_peer(mpi, at->recv),
							  mpi->reduction, win),
					 "MPI_Fetch_and_op");
	default:
		return np_mpi_check_call(
			mpi,
			MPI_Compare_and_swap(at->send, at->send, at->recv, MPI_UINT64_T,
					     mpi->peer, np_mpi_at_peer(mpi, at->recv), win),
			"MPI_Compare_and_swap");
	}
}

/* Begins the first epoch; each later fence ends an epoch and begins the next one. */
NP_ALWAYS_INLINE int first_fence(struct np_mpi *mpi, enum np_mpi_epoch epoch)
{
	if (epoch != NP_MPI_FENCE)
		return 0;
	return np_mpi_check_call(mpi, MPI_Win_fence(MPI_MODE_NOPRECEDE, mpi->win),
				 "MPI_Win_fence");
}

NP_ALWAYS_INLINE int begin_epoch(struct np_mpi *mpi, enum np_mpi_epoch epoch)
{
	if (epoch == NP_MPI_PSCW)
		return np_mpi_check_call(mpi, MPI_Win_start(mpi->group, 0, mpi->win),
					 "MPI_Win_start");
	if (epoch == NP_MPI_LOCK)
		return np_mpi_check_call(
			mpi, MPI_Win_lock(MPI_LOCK_SHARED, mpi->peer, 0, mpi->win),
			"MPI_Win_lock");
	return 0;
}

NP_ALWAYS_INLINE int end_epoch(struct np_mpi *mpi, enum np_mpi_epoch epoch)
{
	if (epoch == NP_MPI_FENCE)
		return np_mpi_check_call(mpi, MPI_Win_fence(0, mpi->win), "MPI_Win_fence");
	if (epoch == NP_MPI_PSCW)
		return np_mpi_check_call(mpi, MPI_Win_complete(mpi->win),
					 "MPI_Win_complete");
	if (epoch == NP_MPI_LOCK)
		return np_mpi_check_call(mpi, MPI_Win_unlock(mpi->peer, mpi->win),
					 "MPI_Win_unlock");
	return np_mpi_check_call(mpi, MPI_Win_flush(mpi->peer, mpi->win), "MPI_Win_flush");
}

NP_ALWAYS_INLINE int transfer_alone(struct np_mpi *mpi, size_t slot,
				    enum np_mpi_transfer how, enum np_mpi_epoch epoch)
{
	int rc = begin_epoch(mpi, epoch);

	if (NP_UNLIKELY(rc != 0))
		return rc;
	rc = transfer(mpi, slot, how);
	return NP_UNLIKELY(rc != 0) ? rc : end_epoch(mpi, epoch);
}

/* One epoch per transfer if `alone`, a constant; else one per sample. */
NP_ALWAYS_INLINE int transfer_all(struct np_endpoint *ep, size_t slot, uint64_t messages,
				  uint64_t batches, enum np_mpi_transfer how,
				  enum np_mpi_epoch epoch, bool alone)
{
	const size_t begin = ep->ring_begin, end = ep->ring_end;
	struct np_mpi *mpi = np_mpi_of(ep);

	for (; batches != 0; batches--) {
		int rc = first_fence(mpi, epoch);

		if (rc == 0 && !alone)
			rc = begin_epoch(mpi, epoch);
		for (uint64_t left = messages; rc == 0 && left != 0; left--) {
			rc = alone ? transfer_alone(mpi, slot, how, epoch) :
				     transfer(mpi, slot, how);
			slot = np_next_slot(slot, begin, end);
		}
		if (rc == 0 && !alone)
			rc = end_epoch(mpi, epoch);
		if (NP_UNLIKELY(rc != 0))
			return rc;
	}
	return 0;
}

/* Exposure epoch of the target. */
NP_ALWAYS_INLINE int expose(struct np_mpi *mpi, enum np_mpi_epoch epoch)
{
	if (epoch == NP_MPI_FENCE)
		return np_mpi_check_call(mpi, MPI_Win_fence(0, mpi->win), "MPI_Win_fence");
	const int rc = np_mpi_check_call(mpi, MPI_Win_post(mpi->group, 0, mpi->win),
					 "MPI_Win_post");

	if (NP_UNLIKELY(rc != 0))
		return rc;
	return np_mpi_check_call(mpi, MPI_Win_wait(mpi->win), "MPI_Win_wait");
}

NP_ALWAYS_INLINE int expose_all(struct np_endpoint *ep, uint64_t epochs, uint64_t batches,
				enum np_mpi_epoch epoch)
{
	struct np_mpi *mpi = np_mpi_of(ep);

	for (; batches != 0; batches--) {
		int rc = first_fence(mpi, epoch);

		for (uint64_t left = epochs; rc == 0 && left != 0; left--)
			rc = expose(mpi, epoch);
		if (NP_UNLIKELY(rc != 0))
			return rc;
	}
	return np_mpi_recv_ack(ep);
}

/* Target in passive synchronization: waits for the end of the block, then makes it
 * visible. */
static int receive_done(struct np_endpoint *ep)
{
	const int rc = np_mpi_recv_ack(ep);

	return rc != 0 ? rc : np_mpi_window_sync(np_mpi_of(ep));
}

#define LOOP(name)                                                                         \
	static int name(struct np_endpoint *ep, size_t slot, uint64_t messages,            \
			uint64_t batches)

/* Target: recv_ack() of one step, and the loops of a block. */
#define TARGET(label, epoch)                                                               \
	static int label##_target_step(struct np_endpoint *ep)                             \
	{                                                                                  \
		return expose_all(ep, 1, 1, epoch);                                        \
	}                                                                                  \
	LOOP(label##_target_each)                                                          \
	{                                                                                  \
		(void)slot;                                                                \
		return expose_all(ep, messages, batches, epoch);                           \
	}                                                                                  \
	LOOP(label##_target_all)                                                           \
	{                                                                                  \
		(void)slot;                                                                \
		(void)messages;                                                            \
		return expose_all(ep, 1, batches, epoch);                                  \
	}

TARGET(fence, NP_MPI_FENCE)
TARGET(pscw, NP_MPI_PSCW)

/* Origin: one operation in one kind of epoch. */
#define ORIGIN(id, how, epoch, target_step, target_each, target_all)                       \
	static int id##_step(struct np_endpoint *ep, size_t slot)                          \
	{                                                                                  \
		const int rc = first_fence(np_mpi_of(ep), epoch);                          \
                                                                                           \
		return rc != 0 ? rc : transfer_alone(np_mpi_of(ep), slot, how, epoch);     \
	}                                                                                  \
	LOOP(id##_each)                                                                    \
	{                                                                                  \
		return transfer_all(ep, slot, messages, batches, how, epoch, true);        \
	}                                                                                  \
	LOOP(id##_all)                                                                     \
	{                                                                                  \
		return transfer_all(ep, slot, messages, batches, how, epoch, false);       \
	}                                                                                  \
	static const struct np_hot id##_hot = {                                            \
		.post_recv = np_no_hook_slot,                                              \
		.send = np_no_hook_slot,                                                   \
		.recv = np_no_hook_slot,                                                   \
		.flush = np_no_hook,                                                       \
		.send_ack = np_mpi_send_ack,                                               \
		.recv_ack = (target_step),                                                 \
		.step = id##_step,                                                         \
	};                                                                                 \
	static const struct np_code_path id[2] = {                                         \
		{ .name = #id,                                                             \
		  .hot = &id##_hot,                                                        \
		  .loops = { [NP_ONE_SIDED] = { id##_each, target_each } } },              \
		{ .name = #id ", pipelined",                                               \
		  .hot = &id##_hot,                                                        \
		  .loops = { [NP_ONE_SIDED] = { id##_all, target_all } } },                \
	}

#define ORIGINS(how, HOW)                                                                  \
	ORIGIN(how##_fence, HOW, NP_MPI_FENCE, fence_target_step, fence_target_each,       \
	       fence_target_all);                                                          \
	ORIGIN(how##_pscw, HOW, NP_MPI_PSCW, pscw_target_step, pscw_target_each,           \
	       pscw_target_all);                                                           \
	ORIGIN(how##_lock, HOW, NP_MPI_LOCK, receive_done, np_loop_idle, np_loop_idle);    \
	ORIGIN(how##_flush, HOW, NP_MPI_FLUSH, receive_done, np_loop_idle, np_loop_idle);  \
	static const struct np_code_path *const how##_paths[NP_MPI_EPOCHS] = {             \
		how##_fence, how##_pscw, how##_lock, how##_flush, how##_flush              \
	}

ORIGINS(put, NP_MPI_PUT);
ORIGINS(get, NP_MPI_GET);
ORIGINS(accumulate, NP_MPI_ACCUMULATE);
ORIGINS(get_accumulate, NP_MPI_GET_ACCUMULATE);
ORIGINS(fetch_and_op, NP_MPI_FETCH_AND_OP);
ORIGINS(compare_and_swap, NP_MPI_COMPARE_AND_SWAP);

const struct np_code_path *np_mpi_one_sided(const struct np_mpi *mpi)
{
	static const struct np_code_path *const *const paths[NP_MPI_TRANSFERS] = {
		[NP_MPI_PUT] = put_paths,
		[NP_MPI_GET] = get_paths,
		[NP_MPI_ACCUMULATE] = accumulate_paths,
		[NP_MPI_GET_ACCUMULATE] = get_accumulate_paths,
		[NP_MPI_FETCH_AND_OP] = fetch_and_op_paths,
		[NP_MPI_COMPARE_AND_SWAP] = compare_and_swap_paths,
	};

	return &paths[mpi->mode.transfer][mpi->mode.epoch][mpi->window > 1];
}

/*
 * ---- Ping-pong of MPI_Put() with a polled last byte -------------------------
 *
 * The receiver writes NP_MARK there before the message may arrive, and waits until the
 * byte changes; no byte of a message is NP_MARK.  The last byte must become visible last,
 * which MPI does not guarantee and -i tests.  A library may progress only during MPI calls,
 * so the receiver calls MPI_Iprobe() while it polls.
 */

enum { POLLS_PER_PROBE = 8 };

NP_ALWAYS_INLINE volatile unsigned char *last_byte(const struct np_endpoint *ep,
						   size_t slot)
{
	return ep->transfer->slots[slot].recv + ep->transfer->length - 1;
}

static int mark(struct np_endpoint *ep, size_t slot)
{
	*last_byte(ep, slot) = NP_MARK;
	return np_mpi_check_call(np_mpi_of(ep), MPI_Win_sync(np_mpi_of(ep)->win),
				 "MPI_Win_sync");
}

static int put(struct np_endpoint *ep, size_t slot)
{
	struct np_mpi *mpi = np_mpi_of(ep);
	const struct np_slot *at = &ep->transfer->slots[slot];
	int code = MPI_Put(at->send, mpi->count, mpi->type, mpi->peer,
			   np_mpi_at_peer(mpi, at->recv), mpi->count, mpi->type, mpi->win);

	if (code == MPI_SUCCESS)
		code = MPI_Win_flush_local(mpi->peer, mpi->win);
	if (NP_UNLIKELY(code != MPI_SUCCESS))
		return np_mpi_failed(mpi, code, "MPI_Put");
	return 0;
}

/* Calls MPI, as the library may progress only then. */
static int probe(struct np_mpi *mpi)
{
	int found = 0;

	return np_mpi_check_call(
		mpi,
		MPI_Iprobe(mpi->peer, NP_MPI_TAG, mpi->comm, &found, MPI_STATUS_IGNORE),
		"MPI_Iprobe");
}

static int await(struct np_endpoint *ep, size_t slot)
{
	const volatile unsigned char *last = last_byte(ep, slot);
	struct np_mpi *mpi = np_mpi_of(ep);

	for (unsigned polls = 1; *last == NP_MARK; polls++) {
		if (polls % POLLS_PER_PROBE != 0)
			continue;
		const int rc = probe(mpi);

		if (NP_UNLIKELY(rc != 0))
			return rc;
		if (polls % 65536 == 0 && np_give_way(ep))
			return -ECANCELED;
	}
	return np_mpi_check_call(mpi, MPI_Win_sync(mpi->win), "MPI_Win_sync");
}

/* The barrier keeps a rank with its last message inside MPI calls for as long as the other
 * rank needs its progress. */
static int end_block(struct np_endpoint *ep)
{
	struct np_mpi *mpi = np_mpi_of(ep);
	int code = MPI_Win_flush_local(mpi->peer, mpi->win);

	if (code == MPI_SUCCESS)
		code = MPI_Barrier(mpi->comm);
	return np_mpi_check_call(mpi, code, "MPI_Barrier");
}

#define HOOKS(flushing)                                                                    \
	{                                                                                  \
		.post_recv = mark, .send = put, .recv = await, .flush = (flushing),        \
		.send_ack = np_mpi_send_ack, .recv_ack = np_mpi_recv_ack,                  \
		.step = np_no_hook_slot,                                                   \
	}

/* Loops need no flush: each reply implies completion of the message before it. */
static const struct np_hot hot = HOOKS(end_block);
static const struct np_hot loop_hot = HOOKS(np_no_hook);
NP_LOOP(ping, np_loop_ping, loop_hot)
NP_LOOP(pong, np_loop_pong, loop_hot)

static const struct np_code_path polled = { .name = "polled",
					    .hot = &hot,
					    .loops = { [NP_PINGPONG] = { ping, pong } } };

const struct np_code_path *np_mpi_polled(const struct np_mpi *mpi)
{
	(void)mpi;
	return &polled;
}
