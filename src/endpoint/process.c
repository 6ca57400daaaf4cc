/*
 * process.c - state of one process of a run: open, map, register, arm, and back.
 */
#include "endpoint/process.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "plan/pages.h"

/* A server's memory is limited by its own option, not by the client's plan: the table of
 * slots, the pool and fresh buffers together. */
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

int np_process_prepare(struct np_process *process, size_t capacity, struct np_error *error)
{
	const struct np_memory memory = np_memory_of(process->options);

	if (capacity > SIZE_MAX / sizeof(*process->table))
		return np_fail_errno(error, ENOMEM, "cannot allocate an endpoint");
	const int rc = check_memory(process, capacity * sizeof(*process->table), error);
	if (rc != 0)
		return rc;
	np_process_use_memory(process, &memory);
	process->endpoint = calloc(1, process->module->endpoint_size);
	process->table = calloc(capacity, sizeof(*process->table));
	process->capacity = capacity;
	if (process->endpoint == NULL || process->table == NULL)
		return np_fail_errno(error, ENOMEM, "cannot allocate an endpoint");
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

int np_process_open(struct np_process *process, struct np_error *error)
{
	struct np_endpoint *ep = process->endpoint;

	memset(ep, 0, process->module->endpoint_size);
	ep->module = process->module;
	ep->options = process->module_options;
	ep->boot = process->boot;
	ep->rank = process->boot->rank;
	ep->share_core = process->share_core;
	ep->burst = process->options->burst;
	ep->stop = &process->watch->stop;
	atomic_init(&ep->socket, -1);

	process->opened = true;
	int rc = process->module->open != NULL ? process->module->open(ep) : 0;
	if (rc != 0)
		return np_process_failed(process, rc, "open", error);
	np_watch_endpoint(process->watch, ep);
	rc = process->module->connect(ep);
	if (rc != 0)
		return np_process_failed(process, rc, "connect", error);
	const struct np_device_hooks *device = process->module->device;

	if (device != NULL && device->event_fd != NULL)
		np_watch_events(process->watch, device->event_fd(ep));
	return 0;
}

void np_process_close(struct np_process *process)
{
	if (!process->opened)
		return;
	np_watch_endpoint(process->watch, NULL);
	process->module->close(process->endpoint);
	process->opened = false;
}

const struct np_memory_hooks *np_process_memory(const struct np_process *process)
{
	return process->module->memory != NULL ? process->module->memory : &np_host_memory;
}

int np_process_copy(struct np_process *process, void *to, const void *from, size_t length,
		    struct np_error *error)
{
	const int rc =
		np_process_memory(process)->copy(process->endpoint, to, from, length);

	return rc == 0 ? 0 : np_process_failed(process, rc, "copy a buffer", error);
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
				      .registrations = 1 };
	rc = np_process_memory(process)->allocate(process->endpoint, region, length, key);
	return rc == 0 ? 0 : np_process_failed(process, rc, "map memory", error);
}

void np_process_unmap_memory(struct np_process *process, struct np_region *region)
{
	/* Nothing is mapped, and there may be no endpoint. */
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

int np_process_map(struct np_process *process, size_t length, uint64_t key,
		   struct np_error *error)
{
	int rc = np_process_map_memory(process, &process->region, length, key, error);

	if (rc != 0)
		return rc;
	process->key = key;
	process->region.registrations = (size_t)process->layout.parts;
	process->region.part_size =
		np_layout_part_size(&process->layout, process->region.length);
	process->registered = true;
	if (process->module->reg == NULL)
		return 0;
	rc = process->module->reg(process->endpoint, &process->region);
	return rc == 0 ? 0 : np_process_failed(process, rc, "register memory", error);
}

void np_process_unmap(struct np_process *process)
{
	if (process->registered && process->module->unreg != NULL)
		process->module->unreg(process->endpoint, &process->region);
	process->registered = false;
	np_process_unmap_memory(process, &process->region);
}

uint64_t np_process_now(const struct np_process *process)
{
	return process->module->model != NULL ?
		       process->module->model->now(process->endpoint) :
		       np_clock_ns();
}

/* Receives that the connection takes and that have a buffer each. */
static uint64_t count_burst(const struct np_process *process)
{
	const size_t most = process->endpoint->receives_most;
	const uint64_t slots = process->cut.slots;
	const uint64_t buffers = slots < process->capacity ? slots : process->capacity;

	return most != 0 && most < buffers ? most : buffers;
}

/* The exchange that completes a bidirectional block has a receive, too. */
uint64_t np_process_block_most(const struct np_process *process)
{
	if (!process->options->burst)
		return UINT64_MAX;
	if (process->request.operation == NP_BIDIRECTIONAL && process->burst > 1)
		return process->burst - 1;
	return process->burst;
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
	process->order = np_order_make(process->cut.slots, process->key ^ length,
				       process->layout.random);
	process->transfer = (struct np_transfer){
		.operation = process->request.operation,
		.length = length,
		.window = process->request.window != 0 ? process->request.window : 1,
		.region = &process->region,
		.slots = process->table,
		.variant = variant,
		.other_wait = other_wait,
	};
	/* A message is verified before its buffer is reused: receives posted at the
	 * same time share none. */
	if (process->options->integrity && process->transfer.window > process->cut.slots)
		process->transfer.window = (size_t)process->cut.slots;
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
	np_core_latency_close(process->core_latency);
	np_counters_close(&process->counters);
	process->core_latency = NULL;
	free(process->endpoint);
	free(process->table);
	process->endpoint = NULL;
	process->table = NULL;
}
