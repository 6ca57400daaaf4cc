/*
 * shm_copy.c - the memory copy: what any transfer through memory is measured
 * against.  One process, source and destination distinct, no peer.
 */
#include "shm_wait.h"

#include <errno.h>

enum { STRETCH_BYTES = 16 << 20 };

static inline int copy_slot(struct np_endpoint *ep, size_t slot)
{
	const struct shm_endpoint *shm = shm_of(ep);
	unsigned char *to = shm->slots[slot].recv;

	memcpy(to, shm->slots[slot].send, shm->length);
	/* The compiler must take it that somebody reads what was copied. */
	__asm__ volatile("" : : "r"(to) : "memory");
	return 0;
}

/* The receiver's end has nothing to wait for: it goes back to the driver. */
static const struct np_hot hooks = {
	.post_recv = shm_no_slot,
	.send = shm_no_slot,
	.recv = shm_no_slot,
	.flush = shm_no_flush,
	.send_ack = shm_no_flush,
	.recv_ack = shm_no_flush,
	.step = copy_slot,
};

/* A copy never waits, so nothing but this would see that the run has to end:
 * between stretches of messages that take some milliseconds at most. */
static int copy_step(struct np_endpoint *ep, size_t slot, uint64_t messages,
		     uint64_t batches)
{
	const uint64_t stretch = STRETCH_BYTES / (shm_of(ep)->length + 64) + 1;
	const size_t ring = ep->ring_end - ep->ring_begin;

	for (uint64_t left = messages * batches; left != 0;) {
		const uint64_t now = left < stretch ? left : stretch;
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
	.loops = { [NP_ONE_SIDED] = { copy_step, np_loop_idle } },
};

const struct np_code_path *np_shm_copy_path(void)
{
	return &copy;
}
