/*
 * mpi_polled.c - hooks of a ping-pong of MPI_Put() in which the receiver polls the last
 * byte of its buffer.
 *
 * The receiver writes NP_MARK there before the message may arrive, and waits until the
 * byte changes; no byte of a message is NP_MARK.  The last byte must become visible last,
 * which MPI does not guarantee and -i tests.  A library may progress only during MPI calls,
 * so the receiver calls MPI_Iprobe() while it polls.
 */
#include <errno.h>

#include "mpi_private.h"

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

/* Progresses the library. */
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
