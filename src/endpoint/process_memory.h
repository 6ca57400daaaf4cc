/*
 * process_memory.h - the memory of one process of a run.
 */
#pragma once

#include "endpoint/process.h"

/* Checks that the table of slots, the pool, fresh buffers and `length` further bytes stay
 * within process->memory_most: a server limits its memory whatever the client's plan.
 * Returns 0 or -ENOMEM. */
int np_process_check_memory(const struct np_process *process, size_t length,
			    struct np_error *error);

/* Hooks of the memory that has the buffers: a GPU's, the module's, or the host's. */
const struct np_memory_hooks *np_process_memory(const struct np_process *process);

/* Copies between a buffer and memory of the driver.  Returns 0 or -errno. */
int np_process_copy(struct np_process *process, void *to, const void *from, size_t length,
		    struct np_error *error);

/* Maps and fills memory, without registration.  Returns 0 or -errno;
 * np_process_unmap_memory() accepts a region that was not mapped. */
int np_process_map_memory(struct np_process *process, struct np_region *region,
			  size_t length, uint64_t key, struct np_error *error);
void np_process_unmap_memory(struct np_process *process, struct np_region *region);

/* Sets the memory and layout of the next mapping; np_process_prepare() sets those of
 * the options.  Nothing may be mapped. */
void np_process_use_memory(struct np_process *process, const struct np_memory *memory);
