/*
 * process.h - one end of a run: the module, its memory, and what state they are in.
 *
 * Both ends own one of these and take it through the same states at the same
 * time, because both execute the same commands (command.h).
 */
#ifndef NP_PROCESS_H
#define NP_PROCESS_H

#include "machine/counters.h"
#include "endpoint/core_latency.h"
#include "plan/layout.h"
#include "contract/np_module.h"
#include "plan/names.h"
#include "plan/options.h"
#include "machine/topology.h"
#include "endpoint/watch.h"

struct np_process {
	/* Set by whoever makes the end; they outlive it. */
	const struct np_module *module;
	const void *module_options;
	const struct np_options *options;
	struct np_boot *boot;
	struct np_watch *watch;
	const struct np_topology *topology;
	bool share_core;
	struct np_request request; /* after module->check() */
	size_t memory_most;	   /* bytes that this end is willing to map; 0: no bound */

	struct np_endpoint *endpoint; /* NULL before np_end_prepare() */
	struct np_core_latency *core_latency;
	struct np_counters counters; /* of the thread that runs blocks */
	struct np_memory memory;
	struct np_layout layout; /* of that memory */
	struct np_region region;
	struct np_region fresh; /* what the block in progress has mapped for itself */
	struct np_slot *table;	/* of capacity entries */
	size_t capacity;
	uint64_t key; /* of the slots' order, drawn anew with each mapping */
	struct np_cut cut;
	struct np_order order;
	struct np_transfer transfer;
	bool opened, registered, armed;
};

/* Allocates the endpoint and a table of `capacity` slots.  np_end_finish()
 * frees them, whatever happened between.  Returns 0 or -errno. */
int np_process_prepare(struct np_process *process, size_t capacity, struct np_error *error);

/* Opens and connects the module. */
int np_process_open(struct np_process *process, struct np_error *error);
void np_process_close(struct np_process *process);

/* Maps and fills memory that no transport knows of, as the module or the driver
 * does it; np_end_unmap_memory() copes with what failed or never was. */
int np_process_map_memory(struct np_process *process, struct np_region *region,
			  size_t length, uint64_t key, struct np_error *error);
void np_process_unmap_memory(struct np_process *process, struct np_region *region);

/* Has the next mapping, and what is cut from it, as `memory` says; before that it is
 * as the options do.  Nothing is mapped meanwhile. */
void np_process_use_memory(struct np_process *process, const struct np_memory *memory);

/* Maps length bytes, fills them and registers them. */
int np_process_map(struct np_process *process, size_t length, uint64_t key,
		   struct np_error *error);
void np_process_unmap(struct np_process *process);

/* Arms the module for messages of `length` bytes, with one of the request's
 * variants (0 if it has none), to wait for messages in its way or in the other. */
int np_process_arm(struct np_process *process, size_t length, size_t variant,
		   bool other_wait, struct np_error *error);
void np_process_disarm(struct np_process *process);

/* Nanoseconds on the clock that this run goes by; at rank 0, while open. */
uint64_t np_process_now(const struct np_process *process);

/* Everything back, from whatever state. */
void np_process_finish(struct np_process *process);

/* Receives that the module may hold at the same time, each with a buffer of
 * its own. */
uint64_t np_process_receives(const struct np_process *process);

/* What a hook that failed has to say: the endpoint's error, or, where it had
 * nothing to say, its code. */
int np_process_failed(struct np_process *process, int code, const char *doing,
		      struct np_error *error);

#endif
