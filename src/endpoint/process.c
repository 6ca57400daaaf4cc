/*
 * process.c - state of one process of a run: memory; open, map, register, arm, and back.
 */
#include "endpoint/process.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "machine/gpu.h"
#include "plan/layout.h"

/* ---- Memory ---------------------------------------------------------------- */

/* Checks that the table of slots, the pool, fresh buffers and `length` further bytes stay
 * within process->memory_most: a server limits its memory whatever the client's plan.
 * Returns 0 or -ENOMEM. */
static int check_memory(const struct np_process *process, size_t length,
			struct np_error *error)
{
	const size_t most = process->memory_most;
	const size_t mapped = process->capacity * sizeof(*process->table) +
			      process->region.length + process->fresh.length;

	if (most == 0 || (mapped <= most && length <= most - mapped))
		return 0;
	return np_fail(error, NP_ERROR_USAGE, ENOMEM,
		       "the plan takes %zu bytes of memory, and --max-memory allows %zu",
		       length > SIZE_MAX - mapped ? SIZE_MAX : mapped + length, most);
}

const struct np_memory_hooks *np_process_memory(const struct np_process *process)
{
	if (process->request.memory != NP_MEMORY_HOST)
		return &np_gpu_memory;
	return process->module->memory != NULL ? process->module->memory : &np_host_memory;
}

int np_process_map_memory(struct np_process *process, struct np_region *region,
			  size_t length, uint64_t key, struct np_error *error)
{
	const enum np_page_kind pages = process->memory.pages;
	int rc = check_memory(process, length, error);

	if (rc != 0)
		return rc;
	*region = (struct np_region){ .pages = pages,
				      .page_size = np_page_size(pages),
				      .registrations = 1,
				      .key = key };
	rc = np_process_memory(process)->allocate(process->endpoint, region, length, key);
	return rc == 0 ? 0 : np_process_failed(process, rc, "map memory", error);
}

void np_process_unmap_memory(struct np_process *process, struct np_region *region)
{
	/* Nothing is mapped: free() must not be called, as there may be no endpoint. */
	if (region->base == NULL)
		return;
	np_process_memory(process)->free(process->endpoint, region);
	*region = (struct np_region){ .base = NULL };
}

void np_process_use_memory(struct np_process *process, const struct np_memory *memory)
{
	process->memory = *memory;
	process->layout =
		np_layout_of_memory(process->options, memory, process->request.head_room);
}

/* ---- States ---------------------------------------------------------------- */

int np_process_prepare(struct np_process *process, size_t capacity, struct np_error *error)
{
	const struct np_memory memory = np_memory_of(process->options);

	if (capacity > SIZE_MAX / sizeof(*process->table))
		return np_fail_errno(error, ENOMEM, "cannot allocate an endpoint");
	const int rc = check_memory(process, capacity * sizeof(*process->table), error);
	if (rc != 0)
		return rc;
	np_process_use_memory(process, &memory);
	process->table = calloc(capacity, sizeof(*process->table));
	process->capacity = capacity;
	for (size_t i = 0; i < np_process_endpoints(process); i++) {
		process->endpoints[i] = calloc(1, process->module->endpoint_size);
		if (process->endpoints[i] == NULL || process->table == NULL)
			return np_fail_errno(error, ENOMEM, "cannot allocate an endpoint");
	}
	process->endpoint = process->endpoints[0];
	if (process->module->model == NULL)
		np_counters_open(&process->counters);
	return 0;
}

int np_process_failed(struct np_process *process, int code, const char *doing,
		      struct np_error *error)
{
	const struct np_error *cause = &process->endpoint->error;

	if (cause->code != 0)
		return np_fail(error, cause->kind, cause->code, "%s", cause->text);
	return np_fail_errno(error, code, "%s cannot %s", process->module->name, doing);
}

size_t np_process_endpoints(const struct np_process *process)
{
	return process->variant_options != NULL ? process->request.variant_count : 1;
}

int np_process_settle(struct np_process *process, struct np_error *error)
{
	bool arrived = false;
	int rc = 0;

	if (process->module->progress == NULL)
		return 0;
	rc = np_boot_arrive(process->boot, error);
	while (rc == 0 && !arrived) {
		rc = process->module->progress(process->endpoint);
		if (rc != 0)
			return np_process_failed(process, rc, "wait for the peer", error);
		rc = np_boot_peer_arrived(process->boot, &arrived, error);
	}
	return rc;
}

/* Makes a connected endpoint the current one, also of the watcher. */
static void select_endpoint(struct np_process *process, size_t index)
{
	const struct np_device_hooks *device = process->module->device;

	process->endpoint = process->endpoints[index];
	np_watch_endpoint(process->watch, process->endpoint);
	if (device != NULL && device->event_fd != NULL)
		np_watch_events(process->watch, device->event_fd(process->endpoint));
}

/* Closes an endpoint.  One without an eventfd was never opened by its module: its
 * descriptors are 0. */
static void close_endpoint(struct np_process *process, size_t index)
{
	struct np_endpoint *ep = process->endpoints[index];

	if (ep->wake < 0)
		return;
	process->module->close(ep);
	close(ep->wake);
}

/* Exchanges the outcome of opening or registering one endpoint; an endpoint that failed in
 * either process is closed in both and its variant left out.  Failure of the first is an
 * error. */
static int settle_endpoint(struct np_process *process, size_t index,
			   struct np_error *outcome, struct np_error *error)
{
	struct np_endpoint *ep = process->endpoints[index];
	const int rc = np_boot_agree(process->boot, outcome, error);

	if (rc != 0 || outcome->code == 0)
		return rc;
	if (index == 0)
		return np_fail(error, outcome->kind, outcome->code, "%.360s (variant %s)",
			       outcome->text, process->request.variants[0]);
	np_watch_endpoint(process->watch, NULL);
	if (process->registered && process->module->unreg != NULL)
		process->module->unreg(ep, &process->region);
	close_endpoint(process, index);
	process->left_out[index] = *outcome;
	return 0;
}

static int open_endpoint(struct np_process *process, size_t index, struct np_error *error)
{
	struct np_endpoint *ep = process->endpoints[index];

	memset(ep, 0, process->module->endpoint_size);
	process->endpoint = ep;
	ep->module = process->module;
	ep->options = process->variant_options != NULL ? process->variant_options[index] :
							 process->module_options;
	ep->boot = process->boot;
	ep->rank = process->boot->rank;
	ep->share_core = process->share_core;
	ep->burst = process->options->burst;
	ep->operation = process->request.operation;
	ep->memory = process->request.memory;
	ep->gpu = process->gpu;
	ep->stop = &process->watch->stop;
	atomic_init(&ep->socket, -1);
	ep->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

	process->opened = index + 1;
	int rc = ep->wake < 0 ? np_fail_errno(&ep->error, errno, "cannot make an eventfd") :
		 process->module->open != NULL ? process->module->open(ep) :
						 0;
	if (rc != 0)
		return np_process_failed(process, rc, "open", error);
	np_watch_endpoint(process->watch, ep);
	rc = process->module->connect(ep);
	return rc == 0 ? np_process_settle(process, error) :
			 np_process_failed(process, rc, "connect", error);
}

int np_process_open(struct np_process *process, struct np_error *error)
{
	const size_t count = np_process_endpoints(process);
	int rc = 0;

	if (process->request.memory != NP_MEMORY_HOST && process->gpu == NULL)
		rc = np_gpu_open(&process->request, &process->gpu, error);
	if (rc == 0 && count == 1)
		rc = open_endpoint(process, 0, error);
	for (size_t i = 0; i < count && count > 1 && rc == 0; i++) {
		struct np_error outcome = { .code = 0 };

		if (!np_process_holds(process, i))
			continue;
		open_endpoint(process, i, &outcome);
		rc = settle_endpoint(process, i, &outcome, error);
	}
	if (rc == 0)
		select_endpoint(process, 0);
	return rc;
}

void np_process_close(struct np_process *process)
{
	if (process->opened == 0)
		return;
	np_watch_endpoint(process->watch, NULL);
	while (process->opened > 0) {
		if (np_process_holds(process, --process->opened))
			close_endpoint(process, process->opened);
	}
}

size_t np_process_longest(const struct np_process *process)
{
	size_t longest = 0;

	for (size_t i = 0; i < process->opened; i++) {
		const size_t one = process->endpoints[i]->longest;

		if (np_process_holds(process, i) && one != 0 &&
		    (longest == 0 || one < longest))
			longest = one;
	}
	return longest;
}

/* Variants report texts only: numbers would be read as limits of the first endpoint. */
static void describe_variant(struct np_process *process, size_t index,
			     struct np_facts *facts)
{
	struct np_facts own = { .list = NULL };
	char name[128];

	if (!np_process_holds(process, index))
		np_facts_add(&own, "left_out", "%s", process->left_out[index].text);
	else
		process->module->describe(process->endpoints[index], &own);
	for (size_t i = 0; i < own.count; i++) {
		const char *first = np_facts_find(facts, own.list[i].name);

		if (first != NULL && strcmp(first, own.list[i].text) == 0)
			continue;
		snprintf(name, sizeof(name), "%s.%s", process->request.variants[index],
			 own.list[i].name);
		np_facts_add(facts, name, "%s", own.list[i].text);
	}
	np_facts_free(&own);
}

void np_process_describe(struct np_process *process, struct np_facts *facts)
{
	if (process->gpu != NULL)
		np_gpu_describe(process->gpu, facts);
	if (process->module->describe == NULL)
		return;
	process->module->describe(process->endpoints[0], facts);
	for (size_t i = 1; i < process->opened; i++)
		describe_variant(process, i, facts);
}

static int register_region(struct np_process *process, struct np_error *error)
{
	int rc = 0;

	for (size_t i = 0; i < process->opened && rc == 0; i++) {
		struct np_error outcome = { .code = 0 };

		if (!np_process_holds(process, i))
			continue;
		process->endpoint = process->endpoints[i];
		rc = process->module->reg(process->endpoint, &process->region);
		if (rc != 0)
			rc = np_process_failed(process, rc, "register memory",
					       process->opened == 1 ? error : &outcome);
		if (process->opened > 1)
			rc = settle_endpoint(process, i, &outcome, error);
	}
	process->endpoint = process->endpoints[0];
	return rc;
}

int np_process_map(struct np_process *process, size_t length, uint64_t key,
		   struct np_error *error)
{
	int rc = np_process_map_memory(process, &process->region, length, key, error);

	if (rc != 0)
		return rc;
	process->key = key;
	process->region.registrations = (size_t)process->memory.regions;
	process->region.part_size =
		process->memory.regions == 1 ?
			process->region.length :
			np_layout_part_size(&process->layout, process->region.length);
	process->registered = true;
	return process->module->reg == NULL ? 0 : register_region(process, error);
}

void np_process_unmap(struct np_process *process)
{
	for (size_t i = 0; process->registered && i < process->opened; i++) {
		if (process->module->unreg != NULL && np_process_holds(process, i))
			process->module->unreg(process->endpoints[i], &process->region);
	}
	process->registered = false;
	np_process_unmap_memory(process, &process->region);
}

uint64_t np_process_now(const struct np_process *process)
{
	const struct np_model_hooks *model = process->module->model;
	uint64_t ns = 0;

	if (model == NULL)
		return np_clock_ns();
	/* Only one endpoint at a time advances its simulated clock: the run's time is their
	 * sum. */
	for (size_t i = 0; i < process->opened; i++)
		ns += np_process_holds(process, i) ? model->now(process->endpoints[i]) : 0;
	return ns;
}

bool np_process_probes(const struct np_process *process)
{
	const struct np_model_hooks *model = process->module->model;

	return model != NULL ? model->core_latency != NULL : process->core_latency != NULL;
}

/* Returns the most receives of a burst: every connection accepts as many, and each has a
 * buffer of its own. */
static uint64_t count_burst(const struct np_process *process)
{
	const uint64_t slots = process->cut.slots;
	uint64_t burst = slots < process->capacity ? slots : process->capacity;

	for (size_t i = 0; i < process->opened; i++) {
		const size_t most = process->endpoints[i]->receives_most;

		burst = np_process_holds(process, i) && most != 0 && most < burst ? most :
										    burst;
	}
	return burst;
}

/* One of the receives is for the exchange that completes a bidirectional block. */
uint64_t np_process_block_most(const struct np_process *process)
{
	if (!process->options->burst)
		return UINT64_MAX;
	if (process->request.operation == NP_BIDIRECTIONAL && process->burst > 1)
		return process->burst - 1;
	return process->burst;
}

/* Limits the window under -i.  A message is verified before its buffer is reused: receives
 * posted at the same time have different buffers, and an exchange posts one more than its
 * window. */
static void limit_window(struct np_process *process)
{
	const uint64_t one_more = process->request.operation == NP_BIDIRECTIONAL ? 1 : 0;
	const uint64_t slots = process->cut.slots;
	const uint64_t most = slots > one_more ? slots - one_more : 1;

	if (process->transfer.window > most)
		process->transfer.window = (size_t)most;
}

int np_process_arm(struct np_process *process, size_t length, size_t variant,
		   bool other_wait, struct np_error *error)
{
	if (np_layout_cut(&process->layout, process->region.length,
			  np_layout_buffer(&process->request, length), &process->cut) != 0)
		return np_fail(error, NP_ERROR_USAGE, ENOMEM,
			       "a part of %zu bytes of the pool cannot hold two buffers of "
			       "%zu bytes",
			       process->region.part_size, length);
	if (process->opened > 1)
		select_endpoint(process, variant);
	process->order = np_order_make(process->cut.slots, process->key ^ length,
				       process->layout.random);
	process->transfer = (struct np_transfer){
		.operation = process->request.operation,
		.length = length,
		.window = process->request.window != 0 ? process->request.window : 1,
		.region = &process->region,
		.slots = process->table,
		.variant = process->opened > 1 ? 0 : variant,
		.other_wait = other_wait,
	};
	if (process->options->integrity)
		limit_window(process);
	process->burst = count_burst(process);
	process->endpoint->transfer = &process->transfer;
	process->armed = true;
	if (process->module->arm == NULL)
		return 0;
	const int rc = process->module->arm(process->endpoint, &process->transfer);
	return rc == 0 ? 0 : np_process_failed(process, rc, "arm", error);
}

void np_process_disarm(struct np_process *process)
{
	if (process->armed && process->module->disarm != NULL)
		process->module->disarm(process->endpoint);
	process->armed = false;
	np_process_unmap_memory(process, &process->fresh);
}

void np_process_finish(struct np_process *process)
{
	np_process_disarm(process);
	np_process_unmap(process);
	np_process_close(process);
	np_gpu_close(process->gpu);
	process->gpu = NULL;
	np_core_latency_close(process->core_latency);
	np_counters_close(&process->counters);
	process->core_latency = NULL;
	for (size_t i = 0; i < NP_VARIANTS_MAX; i++) {
		free(process->endpoints[i]);
		process->endpoints[i] = NULL;
	}
	free(process->table);
	process->endpoint = NULL;
	process->table = NULL;
}
