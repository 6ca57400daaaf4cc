/*
 * sim.c - NPsim, a simulated transport on a virtual clock: one-way time (LogGP or a
 * table, then steps and dropouts), setup and module table.
 *
 * Effects are planted, hence known; equal seeds give equal times.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "contract/np_loop.h"
#include "sim_private.h"
#include "sim_profile.h"

/* LogGP: G for every byte but the first. */
static double wire_time(const struct np_sim_profile *profile, size_t bytes)
{
	double byte_ns = profile->byte_ns, time = 0;
	size_t next = 2;

	for (size_t i = 0; i < profile->slope_count; i++) {
		const struct np_sim_slope *slope = &profile->slopes[i];

		if (bytes < slope->from)
			break;
		if (slope->from > next) {
			time += (double)(slope->from - next) * byte_ns;
			next = slope->from;
		}
		byte_ns = slope->byte_ns;
	}
	return bytes >= next ? time + (double)(bytes - next + 1) * byte_ns : time;
}

/* Factor by which the smooth bends multiply the per-byte time: 1 far below them, the
 * product of their factors far above. */
static double curving_of(const struct np_sim_profile *profile, size_t bytes)
{
	double factor = 1;

	for (size_t i = 0; i < profile->curving_count; i++) {
		const struct np_sim_curving *curving = &profile->curvings[i];
		const double away = log2(fmax(1, (double)bytes) / (double)curving->around);

		/* Logistic: from 10 % to 90 % of the change within `octaves`. */
		factor *= 1 + (curving->factor - 1) /
				      (1 + exp(-2 * log(9) * away / curving->octaves));
	}
	return factor;
}

static double table_time(const struct np_sim_profile *profile, size_t bytes)
{
	const struct np_sim_point *points = profile->points;
	size_t right = 1;

	if (bytes <= points[0].bytes)
		return points[0].ns;
	while (right + 1 < profile->point_count && points[right].bytes < bytes)
		right++;
	const struct np_sim_point *a = &points[right - 1], *b = &points[right];
	const double time = a->ns + (b->ns - a->ns) * (double)(bytes - a->bytes) /
					    (double)(b->bytes - a->bytes);

	/* Extrapolation of a last segment with a negative slope may fall below 0. */
	return time > 1 ? time : 1;
}

static void add_effect(struct np_sim_effect *all, const struct np_sim_effect *effect)
{
	all->factor *= effect->factor;
	all->ns = all->ns * effect->factor + effect->ns;
}

static struct np_sim_effect effect_of(const struct np_sim_profile *profile, size_t bytes,
				      const struct np_sim_without *without)
{
	struct np_sim_effect all = { .factor = 1 };

	for (size_t i = 0; i < profile->step_count; i++) {
		const struct np_sim_step *step = &profile->steps[i];

		if (bytes >= step->from &&
		    !(without->steps_from && step->from == without->from))
			add_effect(&all, &step->effect);
	}
	for (size_t i = 0; i < profile->dropout_count; i++) {
		const struct np_sim_dropout *dropout = &profile->dropouts[i];

		if (bytes >= dropout->first && bytes <= dropout->last &&
		    !(without->dropouts_at && without->from >= dropout->first &&
		      without->from <= dropout->last))
			add_effect(&all, &dropout->effect);
	}
	return all;
}

/* Time of an acknowledgement: L + o + o. */
static double sim_ack(const struct np_sim_profile *profile)
{
	return profile->latency_ns + profile->overhead_ns[0] + profile->overhead_ns[1];
}

static double handshake_of(const struct np_sim_profile *profile, size_t bytes)
{
	if (bytes <= profile->eager)
		return 0;
	return profile->handshake_ns >= 0 ? profile->handshake_ns : 2 * sim_ack(profile);
}

static struct np_sim_parts parts_without(const struct np_sim_profile *profile, size_t bytes,
					 const struct np_sim_without *without)
{
	struct np_sim_parts parts = { .effect = effect_of(profile, bytes, without) };

	if (profile->point_count != 0) {
		parts.wire_ns = table_time(profile, bytes);
	} else {
		parts.send_ns = profile->overhead_ns[0];
		parts.wire_ns = wire_time(profile, bytes) * curving_of(profile, bytes);
		parts.recv_ns = profile->overhead_ns[1];
		parts.latency_ns = profile->latency_ns;
	}
	if (!without->handshake)
		parts.before_ns = handshake_of(profile, bytes);
	return parts;
}

static struct np_sim_parts sim_parts_of(const struct np_sim_profile *profile, size_t bytes)
{
	const struct np_sim_without nothing = { .from = 0 };

	return parts_without(profile, bytes, &nothing);
}

/* The sum of the parts with the effect applied, at least 1 ns. */
static double sim_parts_time(const struct np_sim_parts *parts)
{
	const double time = parts->before_ns + parts->send_ns + parts->latency_ns +
			    parts->wire_ns + parts->recv_ns;
	const double all = time * parts->effect.factor + parts->effect.ns;

	/* A negative effect must not turn the clock back. */
	return all > 1 ? all : 1;
}

double np_sim_one_way_without(const struct np_sim_profile *profile, size_t bytes,
			      const struct np_sim_without *without)
{
	const struct np_sim_parts parts = parts_without(profile, bytes, without);

	return sim_parts_time(&parts);
}

double np_sim_one_way(const struct np_sim_profile *profile, size_t bytes)
{
	const struct np_sim_parts parts = sim_parts_of(profile, bytes);

	return sim_parts_time(&parts);
}

bool np_sim_copies(const struct np_sim_profile *profile, size_t bytes)
{
	return profile->copy == NP_SIM_COPY_ALWAYS ||
	       (profile->copy == NP_SIM_COPY_EAGER && bytes <= profile->eager);
}

static int check_options(const void *values, struct np_request *request,
			 struct np_error *error)
{
	const struct np_sim_options *options = values;
	struct np_sim_profile profile;
	const int rc = np_sim_load(options, &profile, error);

	if (rc != 0)
		return rc;
	if (request->integrity)
		return np_refuse(
			error,
			"-i: module sim: a model moves no bytes that could be checked");
	request->queue_pairs = (size_t)options->qps;
	if (options->transfer == 0)
		return 0;
	if (request->operation != NP_PINGPONG)
		return np_refuse(error, "-t put excludes -s and -2");
	np_request_one_sided(request, NP_ONE_SIDED_PUT, "put");
	return 0;
}

static int open_endpoint(struct np_endpoint *ep)
{
	struct np_sim *sim = np_sim_of(ep);
	int rc = np_sim_load(ep->options, &sim->profile, &ep->error);

	for (size_t i = 0; i < 2 && rc == 0; i++) {
		rc = np_sim_memory_make(&sim->memory[i], &sim->profile);
		if (rc != 0)
			np_fail_errno(&ep->error, rc, "no memory for a model");
	}
	return rc;
}

/* Exchanges nothing with the peer, to detect a dead one: a model has no connection. */
static int connect_endpoint(struct np_endpoint *ep)
{
	return np_boot_exchange(ep->boot, NULL, NULL, 0, &ep->error);
}

static void close_endpoint(struct np_endpoint *ep)
{
	struct np_sim *sim = np_sim_of(ep);

	for (size_t i = 0; i < 2; i++)
		np_sim_memory_free(&sim->memory[i]);
}

/* Reserves addresses only: the memory is never written, so it takes no pages. */
static int map_addresses(struct np_endpoint *ep, struct np_region *region, size_t length)
{
	const size_t page = region->page_size;

	if (length > SIZE_MAX - page)
		return np_fail_errno(&ep->error, ENOMEM, "no memory for %zu bytes", length);
	length = (length + page - 1) / page * page;
	void *base = mmap(NULL, length, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (base == MAP_FAILED)
		return np_fail_errno(&ep->error, errno, "cannot map %zu bytes", length);
	region->base = base;
	region->length = length;
	return 0;
}

/* Offset of a block's fresh buffers: after the region, aligned to the largest page. */
static uint64_t begin_of_fresh(const struct np_sim_profile *profile, size_t length)
{
	uint64_t page = profile->large_page > 1 << 21 ? profile->large_page : 1 << 21;

	for (size_t i = 0; i < profile->translation_count; i++) {
		if (profile->translations[i].page > page)
			page = profile->translations[i].page;
	}
	return (length + page - 1) / page * page;
}

/* Hashes --vary into the seed: variants of one run share the noise of the run, and no
 * other.
 */
static uint64_t own_key(const struct np_sim *sim, uint64_t key)
{
	const struct np_sim_options *options = sim->endpoint.options;

	for (const char *at = options->vary; at != NULL && *at != '\0'; at++)
		key = key * 1099511628211u + (unsigned char)*at;
	return key;
}

/* Begins a pass, for which the driver maps the region anew: draws its noise and empties all
 * caches.  The first pass also begins the run. */
static int renew(struct np_sim *sim, uint64_t run_key)
{
	const uint64_t key = own_key(sim, run_key);
	int rc = 0;

	if (!sim->begun) {
		np_sim_noise_begin(&sim->noise, &sim->profile, run_key);
		if (key != run_key)
			sim->noise.random.state = key;
	}
	sim->begun = true;
	np_sim_noise_draw(&sim->noise, NP_SIM_PASS);
	for (size_t i = 0; i < 2 && rc == 0; i++)
		rc = np_sim_memory_renew(&sim->memory[i], &sim->space, key + i);
	return rc;
}

static int take_region(struct np_sim *sim, const struct np_sim_options *options,
		       const struct np_region *region, uint64_t key)
{
	sim->space = (struct np_sim_space){ .region = { .base = region->base,
							.length = region->length },
					    .page_size = region->page_size,
					    .parts = 1,
					    .queue_pairs = options->qps };
	sim->space.fresh_begin = begin_of_fresh(&sim->profile, region->length);
	return renew(sim, key);
}

static int map_memory(struct np_endpoint *ep, struct np_region *region, size_t length,
		      uint64_t key)
{
	const struct np_sim_options *options = ep->options;
	struct np_sim *sim = np_sim_of(ep);
	int rc = map_addresses(ep, region, length);

	if (rc != 0 || ep->rank != 0)
		return rc;
	if (sim->space.region.base == NULL) {
		rc = take_region(sim, options, region, key);
	} else {
		sim->space.fresh = (struct np_sim_range){ .base = region->base,
							  .length = region->length };
		for (size_t i = 0; i < 2 && rc == 0; i++)
			rc = np_sim_memory_add_fresh(&sim->memory[i], &sim->space);
	}
	return rc == 0 ? 0 : np_fail_errno(&ep->error, rc, "no memory for a model");
}

static void unmap_memory(struct np_endpoint *ep, struct np_region *region)
{
	struct np_sim *sim = np_sim_of(ep);

	if (region->base == NULL)
		return;
	if (region->base == sim->space.fresh.base) {
		for (size_t i = 0; i < 2; i++)
			np_sim_memory_drop_fresh(&sim->memory[i], &sim->space);
		sim->space.fresh.base = NULL;
	} else if (region->base == sim->space.region.base) {
		sim->space.region.base = NULL;
	}
	munmap(region->base, region->length);
	region->base = NULL;
}

static int register_region(struct np_endpoint *ep, struct np_region *region)
{
	struct np_sim *sim = np_sim_of(ep);
	int rc = 0;

	if (ep->rank != 0)
		return 0;
	/* Another endpoint has mapped the region. */
	if (sim->space.region.base == NULL)
		rc = take_region(sim, ep->options, region, region->key);
	sim->space.parts = region->registrations;
	sim->space.part_size = region->part_size;
	for (size_t i = 0; i < 2 && rc == 0; i++)
		rc = np_sim_memory_add_fresh(&sim->memory[i], &sim->space);
	return rc == 0 ? 0 : np_fail_errno(&ep->error, rc, "no memory for a model");
}

static void forget_region(struct np_endpoint *ep, struct np_region *region)
{
	(void)region;
	np_sim_of(ep)->space.region.base = NULL;
}

/*
 * The timed loops of NPsim, on its virtual clock.
 *
 * A sample's time is the sum of the times of its messages, which depend on the buffers
 * that they use, with noise applied to the sum.
 */

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

	return sim_parts_time(&sim->parts) + sum_of(&extras);
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
	return pipeline(sim, slot, messages) + sim_ack(&sim->profile);
}

static double acknowledged(struct np_sim *sim, size_t *slot, uint64_t messages)
{
	const double ack = sim_ack(&sim->profile);
	double ns = 0;

	for (; messages != 0; messages--, *slot = next_slot(sim, *slot))
		ns += one_way(sim, *slot, 1) + ack;
	return ns;
}

/* RDMA put: the peer's adapter acknowledges after L; the peer's CPU, and with it the
 * overhead o of LogGP, is not involved. */
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

/* Rank 1 moves nothing: rank 0 models both ranks. */
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

static const struct np_code_path model_path = {
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

/* ---- the module --------------------------------------------------------------------- */

static int arm_endpoint(struct np_endpoint *ep, const struct np_transfer *transfer)
{
	struct np_sim *sim = np_sim_of(ep);
	int rc = 0;

	ep->code_path = &model_path;
	if (ep->rank != 0)
		return 0;
	sim->parts = sim_parts_of(&sim->profile, transfer->length);
	np_sim_noise_draw(&sim->noise, NP_SIM_VISIT);
	for (size_t i = 0; i < 2 && rc == 0; i++)
		rc = np_sim_memory_arm(&sim->memory[i], &sim->space, transfer->length);
	return rc == 0 ? 0 : np_fail_errno(&ep->error, rc, "no memory for a model");
}

static int begin_block(struct np_endpoint *ep, uint64_t messages, uint64_t batches)
{
	struct np_sim *sim = np_sim_of(ep);

	(void)messages;
	(void)batches;
	sim->space.queue_pair = ep->queue_pair;
	if (ep->rank == 0)
		np_sim_noise_draw(&sim->noise, NP_SIM_BLOCK);
	return 0;
}

static void describe_endpoint(struct np_endpoint *ep, struct np_facts *facts)
{
	const struct np_sim_profile *profile = &np_sim_of(ep)->profile;

	np_facts_add(facts, "model", "%s", profile->name);
	if (profile->eager != SIZE_MAX)
		np_facts_add_number(facts, "eager_limit_bytes",
				    profile->eager + profile->header, NP_UNIT_BYTES, NULL);
}

static size_t count_misses(struct np_endpoint *ep, struct np_counter *counters)
{
	const struct np_sim_memory *memory = np_sim_of(ep)->memory;

	/* Rank 0 models both ranks and counts for both. */
	if (ep->rank != 0)
		return 0;
	counters[0] = (struct np_counter){
		"model_memory_lines",
		memory[0].counts.memory_lines + memory[1].counts.memory_lines,
	};
	counters[1] = (struct np_counter){
		"model_translation_misses",
		memory[0].counts.translation_misses + memory[1].counts.translation_misses,
	};
	counters[2] = (struct np_counter){
		"model_registrations",
		memory[0].counts.registrations + memory[1].counts.registrations,
	};
	return 3;
}

static uint64_t read_clock(struct np_endpoint *ep)
{
	return np_sim_of(ep)->clock_ps / 1000;
}

/* Applies `act` to both buffers of a slot.  In a stream rank 0 has only the send buffer,
 * and rank 1 only the receive buffer. */
static void for_both_buffers(struct np_endpoint *ep, const struct np_slot *slot,
			     void (*act)(struct np_sim_memory *,
					 const struct np_sim_place *))
{
	struct np_sim *sim = np_sim_of(ep);
	const enum np_operation operation = ep->transfer->operation;
	const bool alike = operation == NP_PINGPONG || operation == NP_BIDIRECTIONAL;

	if (ep->rank != 0)
		return;
	const struct np_sim_place send = np_sim_place_of(&sim->space, slot->send);
	const struct np_sim_place recv = np_sim_place_of(&sim->space, slot->recv);

	act(&sim->memory[0], &send);
	act(&sim->memory[alike ? 0 : 1], &recv);
}

static void touch_slot(struct np_endpoint *ep, const struct np_slot *slot, size_t length)
{
	(void)length;
	for_both_buffers(ep, slot, np_sim_memory_touch);
}

static void evict_slot(struct np_endpoint *ep, const struct np_slot *slot, size_t length)
{
	(void)length;
	for_both_buffers(ep, slot, np_sim_memory_evict);
}

/* Computes the times: with LRU, a cyclic load of all lines always hits in a cache that
 * holds them all, and never in a smaller one. */
static void probe_loads(struct np_endpoint *ep, size_t length, uint64_t lines,
			struct np_load_times *times)
{
	const struct np_sim *sim = np_sim_of(ep);
	const struct np_sim_profile *profile = &sim->profile;
	const uint64_t bytes = lines * profile->line;
	const uint64_t pair = 2 * ((uint64_t)length + profile->line);

	times->reuse_ns = np_sim_load_time(profile, np_sim_level_of(profile, pair));
	times->rotate_ns = np_sim_load_time(profile, np_sim_level_of(profile, bytes));
	times->translation_ns = 0;
	for (size_t i = 0; i < profile->translation_count; i++) {
		const struct np_sim_translation *tlb = &profile->translations[i];
		const size_t page = np_sim_page_of(profile, tlb, sim->space.page_size);
		const uint64_t page_lines = page / profile->line;

		/* A page of a buffer has one TLB miss, which its cache lines share. */
		if (tlb->unit == NP_SIM_TLB && bytes / page > tlb->entries) {
			const uint64_t met = (length + profile->line) / profile->line;

			times->translation_ns +=
				tlb->miss_ns /
				(double)(met < page_lines ? met : page_lines);
		}
	}
	times->rotate_ns += times->translation_ns;
}

static void model_caches(const void *options, struct np_caches *caches)
{
	struct np_error ignored = { .code = 0 };
	struct np_sim_profile profile;
	size_t sizes[3] = { 0 };

	if (np_sim_load(options, &profile, &ignored) != 0)
		return;
	/* last_level is the largest cache, whatever the number of levels. */
	for (size_t i = 0; i + 1 < profile.level_count && i < 2; i++)
		sizes[i] = profile.levels[i].bytes;
	if (profile.level_count != 0)
		sizes[2] = profile.levels[profile.level_count - 1].bytes;
	*caches = (struct np_caches){ .line = profile.line,
				      .level1 = sizes[0],
				      .level2 = sizes[1],
				      .last_level = sizes[2] };
	for (size_t i = 0; i < profile.translation_count; i++) {
		if (profile.translations[i].unit == NP_SIM_TLB)
			caches->tlb_entries = (size_t)profile.translations[i].entries;
	}
}

static double model_core_latency(struct np_endpoint *ep)
{
	const struct np_sim *sim = np_sim_of(ep);

	return np_sim_slow_core_latency(&sim->noise.slow, &sim->profile,
					(double)sim->clock_ps / 1000);
}

static const struct np_memory_hooks memory_hooks = {
	.allocate = map_memory,
	.free = unmap_memory,
	.touch = touch_slot,
	.evict = evict_slot,
};

static const struct np_model_hooks model_hooks = {
	.now = read_clock,
	.probe = probe_loads,
	.caches = model_caches,
	.core_latency = model_core_latency,
};

extern const struct np_module np_module_sim;
const struct np_module np_module_sim = {
	NP_MODULE_NAMED("sim"),
	.summary = "a model on a clock of its own",
	.capabilities = NP_CAN_STREAM | NP_CAN_BIDIRECTIONAL | NP_CAN_ZERO_BYTES |
			NP_CAN_REGISTER | NP_CAN_FRESH,
	.endpoint_size = sizeof(struct np_sim),
	.options_size = sizeof(struct np_sim_options),
	.options = np_sim_options_table,
	.memory = &memory_hooks,
	.model = &model_hooks,
	.check = check_options,
	.open = open_endpoint,
	.connect = connect_endpoint,
	.reg = register_region,
	.unreg = forget_region,
	.arm = arm_endpoint,
	.begin = begin_block,
	.close = close_endpoint,
	.describe = describe_endpoint,
	.count = count_misses,
};
