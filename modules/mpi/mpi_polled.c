/*
 * mpi_polled.c - a ping-pong of puts that nothing announces: the receiver looks at
 * the last byte.
 *
 * It puts a mark there before the message may come, and waits until it is another
 * value.  A message that happens to end in the mark is followed by a word that says
 * so.  That the last byte of a put becomes visible last is what programs of this
 * kind rely on, and MPI does not promise it: -i finds out.  A library may move puts
 * on only while it is called, so the receiver calls it while it waits.
 */
#include <errno.h>

#include "mpi_private.h"

enum { MARK = 0x9d, LOOKS = 8 };

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

static int __attribute__((noinline)) tell_unseen(struct np_mpi *mpi)
{
	/* It must not overtake the message. */
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
		return tell_unseen(mpi);
	return 0;
}

/* Moves the library on.  Returns 1 if the peer has said that the message is there
 * all the same, 0 if not, or -errno. */
static int look(struct np_mpi *mpi)
{
	int said = 0;
	int code = MPI_Iprobe(mpi->peer, NP_MPI_TAG, mpi->comm, &said, MPI_STATUS_IGNORE);

	if (code == MPI_SUCCESS && said)
		code = MPI_Recv(NULL, 0, MPI_BYTE, mpi->peer, NP_MPI_TAG, mpi->comm,
				MPI_STATUS_IGNORE);
	if (NP_UNLIKELY(code != MPI_SUCCESS))
		return np_mpi_failed(mpi, code, "MPI_Iprobe");
	return said;
}

static int await(struct np_endpoint *ep, size_t slot)
{
	const volatile unsigned char *last = last_byte(ep, slot);
	struct np_mpi *mpi = np_mpi_of(ep);

	for (unsigned polls = 1; *last == MARK; polls++) {
		if (polls % LOOKS != 0)
			continue;
		const int rc = look(mpi);

		if (NP_UNLIKELY(rc < 0))
			return rc;
		if (rc > 0)
			break;
		if (polls % 65536 == 0 && np_give_way(ep))
			return -ECANCELED;
	}
	return np_mpi_check_call(mpi, MPI_Win_sync(mpi->win), "MPI_Win_sync");
}

/* An end that has seen the last byte of a block must not leave while the library of
 * the other still needs it: they leave together. */
static int leave(struct np_endpoint *ep)
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

/* In the loops each reply proves that the message before it has gone. */
static const struct np_hot hot = HOOKS(leave);
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
