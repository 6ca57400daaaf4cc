/*
 * shm_copy.c - memcpy() within one process, the reference for transfers through memory.
 */
#include "shm_wait.h"

#include <errno.h>

enum { PORTION_BYTES = 16 << 20 };

static inline int copy_slot(struct np_endpoint *ep, size_t slot)
{
	const struct shm_endpoint *shm = shm_of(ep);
	unsigned char *to = shm->slots[slot].recv;

	memcpy(to, shm->slots[slot].send, shm->length);
	/* Keeps the compiler from dropping the copy as a dead store. */
	__asm__ volatile("" : : "r"(to) : "memory");
	return 0;
}

static const struct np_hot hooks = {
	.post_recv = shm_no_slot,
	.send = shm_no_slot,
	.recv = shm_no_slot,
	.flush = shm_no_flush,
	.send_ack = shm_no_flush,
	.recv_ack = shm_no_flush,
	.step = copy_slot,
};

/* Copies in portions of a few milliseconds and checks the stop flag after each: the
 * copy itself never waits, and would not notice an interrupt. */
static int copy_slots(struct np_endpoint *ep, size_t slot, uint64_t messages,
		      uint64_t batches)
{
	const uint64_t portion = PORTION_BYTES / (shm_of(ep)->length + 64) + 1;
	const size_t ring = ep->ring_end - ep->ring_begin;

	for (uint64_t left = messages * batches; left != 0;) {
		const uint64_t now = left < portion ? left : portion;
		const int rc = np_loop_one_sided(ep, &hooks, slot, now, 1);

		if (rc != 0)
			return rc;
		if (np_should_stop(ep))
			return -ECANCELED;
		slot = ep->ring_begin + (slot - ep->ring_begin + now) % ring;
		left -= now;
	}
	return 0;
}

static const struct np_code_path copy = {
	.name = "memory copy",
	.hot = &hooks,
	.loops = { [NP_ONE_SIDED] = { copy_slots, np_loop_idle } },
};

const struct np_code_path *np_shm_copy_path(void)
{
	return &copy;
}
