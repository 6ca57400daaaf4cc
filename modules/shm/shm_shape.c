/*
 * shm_shape.c - how cells are cut for messages of one length: a function of the
 * options and the transfer, which are the same on both ends.
 *
 * What is in flight is the window of a stream; in the other operations the
 * message that comes back says that the one before was taken, so there is one,
 * or two where both ends send.
 *
 * A mailbox has as many cells as may be in flight, so that a ping-pong uses
 * the same lines over and over.  The chunked ring is walked from end to end
 * whatever is in flight: a line that was used recently is still in the other
 * core's own cache, where it is dearer to reach than in the shared one, and at
 * 64 KiB a ring of 2 MiB was three times as fast as one of 256 KiB.
 */
#include "shm_private.h"

enum {
	CUTS = 4,	   /* into how many chunks a message is cut, at least, */
	SMALL_CHUNK = 2048 /* unless they would become shorter than this; bytes */
};

static size_t round_up(size_t length, size_t unit)
{
	return (length + unit - 1) / unit * unit;
}

static size_t messages_in_flight(const struct np_transfer *transfer)
{
	switch (transfer->operation) {
	case NP_STREAM:
		return transfer->window;
	case NP_BIDIRECTIONAL:
		return 2;
	default:
		return 1;
	}
}

/* Half of what a sequence number can tell apart is more than enough. */
static size_t cells_in(size_t ring_length, size_t stride)
{
	const size_t cells = ring_length / stride;

	return cells < (1u << 30) ? cells : 1u << 30;
}

struct shm_cut np_shm_cut_mailbox(size_t length, size_t ring_length,
				  const struct np_transfer *transfer)
{
	const size_t stride = round_up(SHM_HEADER + length, SHM_LINE);
	const size_t wanted = messages_in_flight(transfer);
	const size_t held = cells_in(ring_length, stride);
	const uint32_t cells = (uint32_t)(wanted < held ? wanted : held);

	return (struct shm_cut){
		.shape = { .stride = stride, .cells = cells, .limit = cells },
		.chunk = length,
		.mailbox = true
	};
}

struct shm_cut np_shm_cut_chunks(size_t most, size_t ring_length,
				 const struct np_transfer *transfer)
{
	const size_t quarter = round_up(transfer->length / CUTS + 1, SHM_LINE);
	const size_t part = quarter > SMALL_CHUNK ? quarter : SMALL_CHUNK;
	const size_t chunk = part < most ? part : most;
	const size_t stride = SHM_LINE + round_up(chunk, SHM_LINE);
	const size_t held = cells_in(ring_length, stride);
	const size_t chunks =
		transfer->length == 0 ? 1 : (transfer->length - 1) / chunk + 1;
	const size_t messages = messages_in_flight(transfer);
	/* Divided, not multiplied: a window of 4 GiB messages may be wide. */
	const size_t limit = messages > held / chunks ? held : messages * chunks;

	return (struct shm_cut){ .shape = { .stride = stride,
					    .cells = (uint32_t)held,
					    .limit = (uint32_t)limit },
				 .chunk = chunk };
}
