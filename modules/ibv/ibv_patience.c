/*
 * ibv_patience.c - how long an end polls before it looks around.
 *
 * Looking around, at whether the run goes on and whether somebody else wants
 * the processor, costs a system call, so it is done seldom: after some fifty
 * microseconds, long beyond the wait for a message.  Not much more seldom,
 * either: a device in software (rxe, siw) moves its messages in kernel threads
 * that may want the very processor that polls for them, and one that never gave
 * way would wait a time slice for each.
 *
 * A poll takes tens of nanoseconds with an adapter and more than a microsecond
 * in an emulator, so the number of polls is measured.
 */
#include "base/clock.h"
#include "ibv_private.h"

enum { ROUNDS = 8, POLLS = 64, LOADS = 1024, LOOK_NS = 50000, SHARED_NS = 1000 };

/* How many of them take so long, if `count` of them took `ns`. */
static uint32_t fit(uint64_t count, uint64_t ns, uint64_t into)
{
	const uint64_t fits = into * count / (ns != 0 ? ns : 1);

	return fits < 1 ? 1 : fits > UINT32_MAX ? UINT32_MAX : (uint32_t)fits;
}

static uint64_t time_polls(struct ibv_cq *cq)
{
	const uint64_t begin = np_clock_ns();
	struct ibv_wc completion;

	/* Nothing has been sent yet, so there is nothing to find. */
	for (unsigned i = 0; i < POLLS; i++) {
		if (ibv_poll_cq(cq, 1, &completion) != 0)
			break;
	}
	return np_clock_ns() - begin;
}

static uint64_t time_loads(const volatile unsigned char *byte)
{
	const uint64_t begin = np_clock_ns();

	for (unsigned i = 0; i < LOADS; i++)
		(void)*byte;
	return np_clock_ns() - begin;
}

void np_ibv_measure_patience(struct np_ibv *ibv)
{
	/* With one processor for both ends, the peer cannot answer before. */
	const uint64_t into = ibv->endpoint.share_core ? SHARED_NS : LOOK_NS;
	uint64_t polls = UINT64_MAX, loads = UINT64_MAX;

	/* The fastest round was not disturbed. */
	for (unsigned round = 0; round < ROUNDS; round++) {
		const uint64_t ns = time_polls(ibv->queues[0].recv_cq);
		const uint64_t load_ns = time_loads(ibv->control);

		polls = ns < polls ? ns : polls;
		loads = load_ns < loads ? load_ns : loads;
	}
	ibv->patience = fit(POLLS, polls, into);
	ibv->byte_patience = fit(LOADS, loads, into);
}
