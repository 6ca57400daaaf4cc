/*
 * sim_loop.c - the timed loops of NPsim, on its virtual clock.
 *
 * A sample's time is the sum of the times of its messages, which depend on the buffers
 * that they use, with noise applied to the sum.
 */
#include <errno.h>
#include <math.h>

#include "contract/np_loop.h"
#include "sim_private.h"

/* Memory costs of the two buffers of a message. */
struct extras {
	struct np_sim_cost send, recv;
};

static uint64_t next_queue_pair(const struct np_endpoint *ep, uint64_t at)
{
	return at + 1 < ep->queue_pairs ? at + 1 : 0;
}

/* Accesses the buffers of a message from rank 0.  `receiver` is the index of the receiver's
 * memory: 0 where both ranks' caches are equal, else 1. */
static struct extras use_slot(struct np_sim *sim, size_t slot, size_t receiver)
{
	const struct np_slot *buffers = &sim->endpoint.transfer->slots[slot];
	const struct np_sim_place send = np_sim_place_of(&sim->space, buffers->send);
	const struct np_sim_place recv = np_sim_place_of(&sim->space, buffers->recv);
	struct extras extras = { .send = np_sim_memory_use(&sim->memory[0], &send) };

	extras.recv = np_sim_memory_use(&sim->memory[receiver], &recv);
	sim->space.queue_pair = next_queue_pair(&sim->endpoint, sim->space.queue_pair);
	return extras;
}

static double sum_of(const struct extras *extras)
{
	return extras->send.cpu_ns + extras->send.adapter_ns + extras->recv.cpu_ns +
	       extras->recv.adapter_ns;
}

/* Latency of a message: sender, wire and receiver in sequence. */
static double one_way(struct np_sim *sim, size_t slot, size_t receiver)
{
	const struct extras extras = use_slot(sim, slot, receiver);

	return np_sim_parts_time(&sim->parts) + sum_of(&extras);
}

/* Time in ns that a further message adds to a stream: of the busiest resource. */
static double interval(struct np_sim *sim, size_t slot)
{
	const struct np_sim_parts *parts = &sim->parts;
	const struct extras extras = use_slot(sim, slot, 1);
	double ns = sim->profile.gap_ns;

	ns = fmax(ns, parts->send_ns + extras.send.cpu_ns);
	ns = fmax(ns, parts->wire_ns + extras.send.adapter_ns + extras.recv.adapter_ns);
	ns = fmax(ns, parts->recv_ns + extras.recv.cpu_ns);
	ns = (ns + parts->before_ns) * parts->effect.factor + parts->effect.ns;
	return ns > 1 ? ns : 1;
}

/* Applies the noise to a sample of `ns` and advances the virtual clock by the result. */
static void advance_clock(struct np_sim *sim, double ns, uint64_t messages)
{
	const double now_ns = (double)sim->clock_ps / 1000;
	const double noisy = np_sim_noise_sample(&sim->noise, ns, messages,
						 sim->endpoint.transfer->length, now_ns);

	sim->clock_ps += (uint64_t)llround(noisy * 1000);
}

/* Returns the time of a sample in ns and advances the slot. */
typedef double sample_time(struct np_sim *sim, size_t *slot, uint64_t messages);

static size_t next_slot(const struct np_sim *sim, size_t slot)
{
	return np_next_slot(slot, sim->endpoint.ring_begin, sim->endpoint.ring_end);
}

/* A round trip: both messages use the same slot. */
static double ping(struct np_sim *sim, size_t *slot, uint64_t messages)
{
	double ns = 0;

	for (; messages != 0; messages--, *slot = next_slot(sim, *slot))
		ns += one_way(sim, *slot, 0);
	return 2 * ns;
}

/* Bidirectional: both directions at once. */
static double exchange(struct np_sim *sim, size_t *slot, uint64_t messages)
{
	double ns = 0;

	for (; messages != 0; messages--, *slot = next_slot(sim, *slot))
		ns += one_way(sim, *slot, 0);
	return ns;
}

static double pipeline(struct np_sim *sim, size_t *slot, uint64_t messages)
{
	double ns = one_way(sim, *slot, 1);

	*slot = next_slot(sim, *slot);
	for (; messages > 1; messages--, *slot = next_slot(sim, *slot))
		ns += interval(sim, *slot);
	return ns;
}

static double stream(struct np_sim *sim, size_t *slot, uint64_t messages)
{
	return pipeline(sim, slot, messages) + np_sim_ack(&sim->profile);
}

static double acknowledged(struct np_sim *sim, size_t *slot, uint64_t messages)
{
	const double ack = np_sim_ack(&sim->profile);
	double ns = 0;

	for (; messages != 0; messages--, *slot = next_slot(sim, *slot))
		ns += one_way(sim, *slot, 1) + ack;
	return ns;
}

/* RDMA put: the peer's adapter acknowledges; the peer's CPU, and with it o, is not
 * involved. */
static double put(struct np_sim *sim, size_t *slot, uint64_t messages)
{
	return pipeline(sim, slot, messages) + sim->profile.latency_ns;
}

static inline __attribute__((always_inline)) int run(struct np_endpoint *ep,
						     sample_time *time, size_t slot,
						     uint64_t messages, uint64_t batches)
{
	struct np_sim *sim = np_sim_of(ep);

	for (; batches != 0; batches--) {
		if (np_should_stop(ep))
			return -ECANCELED;
		advance_clock(sim, time(sim, &slot, messages), messages);
	}
	return 0;
}

#define SIM_LOOP(function, time)                                                           \
	static int function(struct np_endpoint *ep, size_t slot, uint64_t messages,        \
			    uint64_t batches)                                              \
	{                                                                                  \
		return run(ep, time, slot, messages, batches);                             \
	}

SIM_LOOP(loop_ping, ping)
SIM_LOOP(loop_stream, stream)
SIM_LOOP(loop_acked, acknowledged)
SIM_LOOP(loop_exchange, exchange)
SIM_LOOP(loop_put, put)

/* Rank 1: its side is modelled by rank 0. */
static int loop_nothing(struct np_endpoint *ep, size_t slot, uint64_t messages,
			uint64_t batches)
{
	(void)ep;
	(void)slot;
	(void)messages;
	(void)batches;
	return 0;
}

/* A single message, for callers outside the timed loops (generic code): one way. */
static int one_message(struct np_endpoint *ep, size_t slot)
{
	struct np_sim *sim = np_sim_of(ep);

	if (ep->rank == 0)
		advance_clock(sim, one_way(sim, slot, 0), 1);
	return 0;
}

static const struct np_hot hot = {
	.post_recv = np_no_hook_slot,
	.send = one_message,
	.recv = np_no_hook_slot,
	.flush = np_no_hook,
	.send_ack = np_no_hook,
	.recv_ack = np_no_hook,
	.step = one_message,
};

const struct np_code_path np_sim_path = {
	.name = "model",
	.hot = &hot,
	.loops = {
		[NP_PINGPONG] = { loop_ping, loop_nothing },
		[NP_STREAM] = { loop_stream, loop_nothing },
		[NP_STREAM_ACKED] = { loop_acked, loop_nothing },
		[NP_BIDIRECTIONAL] = { loop_exchange, loop_nothing },
		[NP_ONE_SIDED] = { loop_put, loop_nothing },
	},
};
