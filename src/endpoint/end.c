/*
 * end.c - taking one end through its states, forth and back.
 */
#include "endpoint/end.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "machine/pool.h"

/* What a plan may take of this host is not the transmitter's to decide. */
static int check_memory(const struct np_end *end, size_t length, struct np_error *error)
{
	if (end->memory_most == 0 || length <= end->memory_most)
		return 0;
	return np_fail(error, NP_ERROR_USAGE, ENOMEM,
		       "the plan takes %zu bytes of memory, and --max-memory allows %zu",
		       length, end->memory_most);
}

int np_end_prepare(struct np_end *end, size_t capacity, struct np_error *error)
{
	const struct np_memory memory = np_memory_of(end->options);

	if (capacity > SIZE_MAX / sizeof(*end->table))
		return np_fail_errno(error, ENOMEM, "cannot allocate an endpoint");
	const int rc = check_memory(end, capacity * sizeof(*end->table), error);
	if (rc != 0)
		return rc;
	np_end_use_memory(end, &memory);
	end->endpoint = calloc(1, end->module->endpoint_size);
	end->table = calloc(capacity, sizeof(*end->table));
	end->capacity = capacity;
	if (end->endpoint == NULL || end->table == NULL)
		return np_fail_errno(error, ENOMEM, "cannot allocate an endpoint");
	if (end->module->now == NULL)
		np_counters_open(&end->counters);
	return 0;
}

int np_end_failed(struct np_end *end, int code, const char *doing, struct np_error *error)
{
	const struct np_error *said = &end->endpoint->error;

	if (said->code != 0)
		return np_fail(error, said->kind, said->code, "%s", said->text);
	return np_fail_errno(error, code, "%s cannot %s", end->module->name, doing);
}

int np_end_open(struct np_end *end, struct np_error *error)
{
	struct np_endpoint *ep = end->endpoint;

	memset(ep, 0, end->module->endpoint_size);
	ep->module = end->module;
	ep->options = end->module_options;
	ep->boot = end->boot;
	ep->rank = end->boot->rank;
	ep->same_host = end->boot->same_host;
	ep->share_core = end->share_core;
	ep->stop = &end->watch->stop;

	end->opened = true;
	int rc = end->module->open(ep);
	if (rc != 0)
		return np_end_failed(end, rc, "open", error);
	np_watch_endpoint(end->watch, ep);
	rc = end->module->connect(ep);
	if (rc != 0)
		return np_end_failed(end, rc, "connect", error);
	if (end->module->event_fd != NULL)
		np_watch_events(end->watch, end->module->event_fd(ep));
	return 0;
}

void np_end_close(struct np_end *end)
{
	if (!end->opened)
		return;
	np_watch_endpoint(end->watch, NULL);
	end->module->close(end->endpoint);
	end->opened = false;
}

int np_end_map_memory(struct np_end *end, struct np_region *region, size_t length,
		      uint64_t key, struct np_error *error)
{
	const enum np_page_kind pages = end->memory.pages;
	int rc = check_memory(end, length, error);

	if (rc != 0)
		return rc;
	if (end->module->map == NULL)
		return np_pool_map(region, length, pages, key, error);
	*region = (struct np_region){ .page_size = np_pool_page_size(pages),
				      .registrations = 1 };
	rc = end->module->map(end->endpoint, region, length, key);
	return rc == 0 ? 0 : np_end_failed(end, rc, "map memory", error);
}

void np_end_unmap_memory(struct np_end *end, struct np_region *region)
{
	/* An end that was never set up has mapped nothing. */
	if (region->base == NULL)
		return;
	if (end->module->unmap == NULL)
		np_pool_unmap(region);
	else
		end->module->unmap(end->endpoint, region);
	*region = (struct np_region){ .base = NULL };
}

void np_end_use_memory(struct np_end *end, const struct np_memory *memory)
{
	end->memory = *memory;
	end->layout =
		np_layout_of_memory(end->options, memory, np_layout_room(&end->request));
}

int np_end_map(struct np_end *end, size_t length, uint64_t key, struct np_error *error)
{
	int rc = np_end_map_memory(end, &end->region, length, key, error);

	if (rc != 0)
		return rc;
	end->key = key;
	end->region.registrations = (size_t)end->layout.parts;
	end->region.part_size = np_layout_part_size(&end->layout, end->region.length);
	end->registered = true;
	if (end->module->reg == NULL)
		return 0;
	rc = end->module->reg(end->endpoint, &end->region);
	return rc == 0 ? 0 : np_end_failed(end, rc, "register memory", error);
}

void np_end_unmap(struct np_end *end)
{
	if (end->registered && end->module->unreg != NULL)
		end->module->unreg(end->endpoint, &end->region);
	end->registered = false;
	np_end_unmap_memory(end, &end->region);
}

uint64_t np_end_now(const struct np_end *end)
{
	return end->module->now != NULL ? end->module->now(end->endpoint) : np_clock_ns();
}

uint64_t np_end_receives(const struct np_end *end)
{
	if ((end->module->capabilities & NP_POSTS_RECEIVES) == 0)
		return 1;
	if (end->request.operation == NP_STREAM)
		return end->transfer.window;
	return end->request.operation == NP_BIDIRECTIONAL ? 2 : 1;
}

int np_end_arm(struct np_end *end, size_t length, size_t choice, struct np_error *error)
{
	if (np_layout_cut(&end->layout, end->region.length, length, &end->cut) != 0)
		return np_fail(error, NP_ERROR_USAGE, ENOMEM,
			       "a part of %zu bytes of the pool cannot hold two buffers of "
			       "%zu bytes",
			       end->region.part_size, length);
	end->order = np_order_make(end->cut.slots, end->key ^ length, end->layout.random);
	end->transfer = (struct np_transfer){
		.operation = end->request.operation,
		.length = length,
		.window = end->request.window != 0 ? end->request.window : 1,
		.region = &end->region,
		.slots = end->table,
		.capacity = end->capacity,
		.choice = choice,
	};
	/* What is checked must not be overwritten before, so no two receives that
	 * are offered at the same time share a buffer. */
	if (end->options->integrity && end->transfer.window > end->cut.slots)
		end->transfer.window = (size_t)end->cut.slots;
	end->endpoint->transfer = &end->transfer;
	end->armed = true;
	const int rc = end->module->arm(end->endpoint, &end->transfer);
	return rc == 0 ? 0 : np_end_failed(end, rc, "arm", error);
}

void np_end_disarm(struct np_end *end)
{
	if (end->armed && end->module->disarm != NULL)
		end->module->disarm(end->endpoint);
	end->armed = false;
	np_end_unmap_memory(end, &end->fresh);
}

void np_end_finish(struct np_end *end)
{
	np_end_disarm(end);
	np_end_unmap(end);
	np_end_close(end);
	np_handover_close(end->handover);
	np_counters_close(&end->counters);
	end->handover = NULL;
	free(end->endpoint);
	free(end->table);
	end->endpoint = NULL;
	end->table = NULL;
}
