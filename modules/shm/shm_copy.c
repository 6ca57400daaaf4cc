/*
 * shm_copy.c - copies within one process: memcpy(), the reference for transfers through
 * memory, and the copies of a GPU's library.
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

/* Copies by the GPU's library.  Only copies within the GPU are asynchronous. */
NP_ALWAYS_INLINE int copy_slot_by(struct np_endpoint *ep, size_t slot, enum np_gpu_way way)
{
	const struct shm_endpoint *shm = shm_of(ep);
	const int rc = np_gpu_copy(ep, way, shm->slots[slot].recv, shm->slots[slot].send,
				   shm->length);

	return rc == 0 && way == NP_GPU_WITHIN ? np_gpu_wait(ep) : rc;
}

static inline int copy_to(struct np_endpoint *ep, size_t slot)
{
	return copy_slot_by(ep, slot, NP_GPU_TO);
}

static inline int copy_from(struct np_endpoint *ep, size_t slot)
{
	return copy_slot_by(ep, slot, NP_GPU_FROM);
}

static inline int copy_within(struct np_endpoint *ep, size_t slot)
{
	return copy_slot_by(ep, slot, NP_GPU_WITHIN);
}

/* Copies in portions of a few milliseconds and checks the stop flag after each: the
 * copy itself never waits, and would not notice an interrupt. */
NP_ALWAYS_INLINE int copy_slots(struct np_endpoint *ep, const struct np_hot *hooks,
				size_t slot, uint64_t messages, uint64_t batches)
{
	const uint64_t portion = PORTION_BYTES / (shm_of(ep)->length + 64) + 1;
	const size_t ring = ep->ring_end - ep->ring_begin;

	for (uint64_t left = messages * batches; left != 0;) {
		const uint64_t now = left < portion ? left : portion;
		const int rc = np_loop_one_sided(ep, hooks, slot, now, 1);

		if (rc != 0)
			return rc;
		if (np_should_stop(ep))
			return -ECANCELED;
		slot = ep->ring_begin + (slot - ep->ring_begin + now) % ring;
		left -= now;
	}
	return 0;
}

/* Defines the code path NAME of copies by STEP. */
#define COPY_PATH(NAME, label, STEP)                                                       \
	static const struct np_hot NAME##_hooks = {                                        \
		.post_recv = np_no_hook_slot,                                              \
		.send = np_no_hook_slot,                                                   \
		.recv = np_no_hook_slot,                                                   \
		.flush = np_no_hook,                                                       \
		.send_ack = np_no_hook,                                                    \
		.recv_ack = np_no_hook,                                                    \
		.step = (STEP),                                                            \
	};                                                                                 \
	static int NAME##_slots(struct np_endpoint *ep, size_t slot, uint64_t messages,    \
				uint64_t batches)                                          \
	{                                                                                  \
		return copy_slots(ep, &NAME##_hooks, slot, messages, batches);             \
	}                                                                                  \
	static const struct np_code_path NAME = {                                          \
		.name = (label),                                                           \
		.hot = &NAME##_hooks,                                                      \
		.loops = { [NP_ONE_SIDED] = { NAME##_slots, np_loop_idle } },              \
	}

COPY_PATH(host, "memory copy", copy_slot);
COPY_PATH(to_gpu, "copy to the GPU", copy_to);
COPY_PATH(from_gpu, "copy from the GPU", copy_from);
COPY_PATH(within_gpu, "copy within the GPU", copy_within);

const struct np_code_path *np_shm_copy_path(const struct np_endpoint *ep)
{
	static const struct np_code_path *const paths[NP_GPU_WAYS] = {
		[NP_GPU_TO] = &to_gpu,
		[NP_GPU_FROM] = &from_gpu,
		[NP_GPU_WITHIN] = &within_gpu,
	};

	return ep->gpu != NULL ? paths[np_gpu_way_of(ep)] : &host;
}
