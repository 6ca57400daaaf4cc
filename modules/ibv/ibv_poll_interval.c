/*
 * ibv_poll_interval.c - number of polls between two checks of the stop flag and calls of
 * sched_yield() while waiting.
 *
 * These cost a system call, so they come after 50 us, longer than a message takes.
 * They must not come much later: a software device (rxe, siw) moves messages in kernel
 * threads, which may need the CPU that polls and otherwise wait for the end of its time
 * slice.  A poll takes tens of nanoseconds with an adapter and more than 1 us in an
 * emulator, so its time is measured.
 */
#include "base/clock.h"
#include "ibv_private.h"

enum { ROUNDS = 8, POLLS = 64, LOADS = 1024, LOOK_NS = 50000, SHARED_NS = 1000 };

/* Number of polls that take `into` ns, if `count` take `ns`. */
static uint32_t fit(uint64_t count, uint64_t ns, uint64_t into)
{
	const uint64_t fits = into * count / (ns != 0 ? ns : 1);

	return fits < 1 ? 1 : fits > UINT32_MAX ? UINT32_MAX : (uint32_t)fits;
}

static uint64_t time_polls(struct ibv_cq *cq)
{
	const uint64_t begin = np_clock_ns();
	struct ibv_wc completion;

	/* No message has been sent yet: every poll is empty. */
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

void np_ibv_measure_poll_interval(struct np_ibv *ibv)
{
	/* On a shared core the peer cannot run before this process yields. */
	const uint64_t into = ibv->endpoint.share_core ? SHARED_NS : LOOK_NS;
	uint64_t polls = UINT64_MAX, loads = UINT64_MAX;

	/* The minimum is free of interruptions. */
	for (unsigned round = 0; round < ROUNDS; round++) {
		const uint64_t ns = time_polls(ibv->queues[0].recv_cq);
		const uint64_t load_ns = time_loads(ibv->control);

		polls = ns < polls ? ns : polls;
		loads = load_ns < loads ? load_ns : loads;
	}
	ibv->cq_poll_interval = fit(POLLS, polls, into);
	ibv->byte_poll_interval = fit(LOADS, loads, into);
}
