/*
 * process_memory.c - memory of one process of a run: kind, limit, mapping, copies.
 */
#include "endpoint/process_memory.h"

#include <errno.h>
#include <stdint.h>

#include "machine/gpu_memory.h"
#include "plan/pages.h"

int np_process_check_memory(const struct np_process *process, size_t length,
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
	int rc = np_process_check_memory(process, length, error);

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
