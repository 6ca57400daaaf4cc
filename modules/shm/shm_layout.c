/*
 * shm_layout.c - divides a ring into cells for one message size: a pure function of
 * the options and the transfer, hence equal in both processes.
 *
 * Messages in flight: the window of a stream; 2 in a bidirectional exchange; else 1,
 * since the reply acknowledges the message.
 *
 * A mailbox has as many cells as messages in flight, so that a ping-pong reuses the
 * same cache lines.  A chunked ring cycles through all its cells: a line used recently
 * is still in the other core's private cache, which is slower to reach than the shared
 * cache.  At 64 KiB a ring of 2 MiB was three times as fast as one of 256 KiB.
 */
#include "shm_private.h"

enum {
	CHUNKS_LEAST = 4,  /* per message, */
	SMALL_CHUNK = 2048 /* unless they would be shorter than this; bytes */
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

/* At most 2^30: sequence numbers are compared modulo 2^32. */
static size_t cells_in(size_t ring_length, size_t stride)
{
	const size_t cells = ring_length / stride;

	return cells < (1u << 30) ? cells : 1u << 30;
}

struct shm_layout np_shm_layout_mailbox(size_t length, size_t ring_length,
					const struct np_transfer *transfer)
{
	const size_t stride = round_up(SHM_HEADER + length, SHM_LINE);
	const size_t wanted = messages_in_flight(transfer);
	const size_t held = cells_in(ring_length, stride);
	const uint32_t cells = (uint32_t)(wanted < held ? wanted : held);

	return (struct shm_layout){
		.geometry = { .stride = stride, .cells = cells, .limit = cells },
		.chunk = length,
		.mailbox = true
	};
}

struct shm_layout np_shm_layout_chunks(size_t most, size_t ring_length,
				       const struct np_transfer *transfer)
{
	const size_t quarter = round_up(transfer->length / CHUNKS_LEAST + 1, SHM_LINE);
	const size_t part = quarter > SMALL_CHUNK ? quarter : SMALL_CHUNK;
	const size_t chunk = part < most ? part : most;
	const size_t stride = SHM_LINE + round_up(chunk, SHM_LINE);
	const size_t held = cells_in(ring_length, stride);
	const size_t chunks =
		transfer->length == 0 ? 1 : (transfer->length - 1) / chunk + 1;
	const size_t messages = messages_in_flight(transfer);
	/* A division, since messages * chunks may overflow. */
	const size_t limit = messages > held / chunks ? held : messages * chunks;

	return (struct shm_layout){ .geometry = { .stride = stride,
						  .cells = (uint32_t)held,
						  .limit = (uint32_t)limit },
				    .chunk = chunk };
}
