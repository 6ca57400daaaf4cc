/*
 * mpi_polled.c - hooks of a ping-pong of MPI_Put() in which the receiver polls the last
 * byte of its buffer.
 *
 * The receiver writes a mark there before the message may arrive, and waits until the
 * byte changes.  A message that ends in the mark is followed by an empty MPI_Send().
 * The method relies on the last byte becoming visible last, which MPI does not
 * guarantee: -i tests it.  A library may make progress only during MPI calls, so the
 * receiver calls MPI_Iprobe() while it polls.
 */
#include <errno.h>

#include "mpi_private.h"

enum { MARK = 0x9d, POLLS_PER_PROBE = 8 };

NP_ALWAYS_INLINE volatile unsigned char *last_byte(const struct np_endpoint *ep,
						   size_t slot)
{
	return ep->transfer->slots[slot].recv + ep->transfer->length - 1;
}

static int mark(struct np_endpoint *ep, size_t slot)
{
	*last_byte(ep, slot) = MARK;
	return np_mpi_check_call(np_mpi_of(ep), MPI_Win_sync(np_mpi_of(ep)->win),
				 "MPI_Win_sync");
}

static int __attribute__((noinline)) announce_mark(struct np_mpi *mpi)
{
	/* The message must not overtake the put. */
	int code = MPI_Win_flush(mpi->peer, mpi->win);

	if (code == MPI_SUCCESS)
		code = MPI_Send(NULL, 0, MPI_BYTE, mpi->peer, NP_MPI_TAG, mpi->comm);
	return np_mpi_check_call(mpi, code, "MPI_Send");
}

static int put(struct np_endpoint *ep, size_t slot)
{
	struct np_mpi *mpi = np_mpi_of(ep);
	const struct np_slot *at = &ep->transfer->slots[slot];
	int code = MPI_Put(at->send, mpi->count, mpi->type, mpi->peer, at->recv - mpi->base,
			   mpi->count, mpi->type, mpi->win);

	if (code == MPI_SUCCESS)
		code = MPI_Win_flush_local(mpi->peer, mpi->win);
	if (NP_UNLIKELY(code != MPI_SUCCESS))
		return np_mpi_failed(mpi, code, "MPI_Put");
	if (NP_UNLIKELY(at->send[ep->transfer->length - 1] == MARK))
		return announce_mark(mpi);
	return 0;
}

/* Lets the library make progress.  Returns 1 if the peer has announced a message that
 * ends in the mark, 0 if not, or -errno. */
static int probe_announcement(struct np_mpi *mpi)
{
	int found = 0;
	int code = MPI_Iprobe(mpi->peer, NP_MPI_TAG, mpi->comm, &found, MPI_STATUS_IGNORE);

	if (code == MPI_SUCCESS && found)
		code = MPI_Recv(NULL, 0, MPI_BYTE, mpi->peer, NP_MPI_TAG, mpi->comm,
				MPI_STATUS_IGNORE);
	if (NP_UNLIKELY(code != MPI_SUCCESS))
		return np_mpi_failed(mpi, code, "MPI_Iprobe");
	return found;
}

static int await(struct np_endpoint *ep, size_t slot)
{
	const volatile unsigned char *last = last_byte(ep, slot);
	struct np_mpi *mpi = np_mpi_of(ep);

	for (unsigned polls = 1; *last == MARK; polls++) {
		if (polls % POLLS_PER_PROBE != 0)
			continue;
		const int rc = probe_announcement(mpi);

		if (NP_UNLIKELY(rc < 0))
			return rc;
		if (rc > 0)
			break;
		if (polls % 65536 == 0 && np_give_way(ep))
			return -ECANCELED;
	}
	return np_mpi_check_call(mpi, MPI_Win_sync(mpi->win), "MPI_Win_sync");
}

/* The barrier keeps a rank that has its last message in MPI calls as long as the
 * library of the other rank needs its progress. */
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

/* The loops need no flush: each reply proves that the message before it was sent. */
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
