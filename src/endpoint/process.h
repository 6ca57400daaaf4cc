/*
 * process.h - state of one process of a run: module, memory, slots, counters.
 *
 * Both processes pass through the same states at the same time, as both execute the same
 * commands (command.h).
 */
#pragma once

#include "contract/np_module.h"
#include "endpoint/core_latency.h"
#include "endpoint/watch.h"
#include "machine/counters.h"
#include "machine/topology.h"
#include "plan/layout.h"
#include "plan/names.h"
#include "plan/options.h"

struct np_process {
	/* Set by the caller; must outlive the process. */
	const struct np_module *module;
	const void *module_options;
	const struct np_options *options;
	struct np_boot *boot;
	struct np_watch *watch;
	struct np_topology *topology;
	bool share_core;
	int cores[2]; /* core numbers of both ranks, if on one host and bound; else -1 */
	struct np_request request; /* after module->check() */
	size_t memory_most;	   /* --max-memory, bytes; 0: no limit */

	/* Module options of each variant, if the process has one endpoint for each; else
	 * NULL. */
	const void *const *variant_options;

	/* One endpoint, or one for each variant, and the current one of these, which is
	 * armed; NULL before np_process_prepare(). */
	struct np_endpoint *endpoints[NP_VARIANTS_MAX], *endpoint;
	size_t opened; /* endpoints [0, opened) are open, except those left out */
	/* Reason why a variant cannot start, in this process or the peer; code 0: the
	 * variant works. */
	struct np_error left_out[NP_VARIANTS_MAX];
	struct np_core_latency *core_latency;
	struct np_counters counters; /* of the thread that runs blocks */
	struct np_gpu *gpu; /* of --memory; opened once, at the first np_process_open() */
	struct np_memory memory;
	struct np_layout layout; /* of `memory` */
	struct np_region region;
	struct np_region fresh; /* mapped for the block in progress */
	struct np_slot *table;	/* capacity entries */
	size_t capacity;
	uint64_t key; /* of the order of slots; changes with each mapping */
	struct np_cut cut;
	struct np_order order;
	struct np_transfer transfer;
	uint64_t burst;	    /* -B: most receives of a block, set by np_process_arm() */
	uint64_t messages;  /* messages of all blocks: selects the next queue pair */
	uint64_t passed_ns; /* duration of the last timed block, by the run's clock */
	bool registered, armed;
};

/* Allocates the endpoints and a table of `capacity` slots; the caller calls
 * np_process_finish() in any case. Returns 0 or -errno. */
int np_process_prepare(struct np_process *process, size_t capacity, struct np_error *error);

/* Returns the number of endpoints that are open at once: 1, or one for each variant. */
size_t np_process_endpoints(const struct np_process *process);

/* Returns true if both processes have an endpoint of the variant. */
static inline bool np_process_holds(const struct np_process *process, size_t variant)
{
	return process->left_out[variant].code == 0;
}

/* Opens and connects the module, once for each endpoint. An endpoint of several, other than
 * the first, that cannot start is left out from then on. Returns 0 or -errno. */
int np_process_open(struct np_process *process, struct np_error *error);
void np_process_close(struct np_process *process);

/* Returns the longest message, bytes, that all connections carry; 0: no limit. */
size_t np_process_longest(const struct np_process *process);

/* Adds the module's facts: those of the first endpoint; the differing ones of other
 * variants as "VARIANT.NAME"; and the reason why a variant was left out. */
void np_process_describe(struct np_process *process, struct np_facts *facts);

/* Maps length bytes, fills and registers them.  Returns 0 or -errno. */
int np_process_map(struct np_process *process, size_t length, uint64_t key,
		   struct np_error *error);
void np_process_unmap(struct np_process *process);

/* Arms the module for messages of `length` bytes and a variant of the request (0:
 * none).  Returns 0 or -errno. */
int np_process_arm(struct np_process *process, size_t length, size_t variant,
		   bool other_wait, struct np_error *error);
void np_process_disarm(struct np_process *process);

/* Returns the time of the run's clock, ns (simulated for a model); at rank 0, while the
 * module is open. */
uint64_t np_process_now(const struct np_process *process);

/* Returns true if core-to-core latency can be measured: by a shared line, or from a model.
 */
bool np_process_probes(const struct np_process *process);

/* Releases everything, in any state. */
void np_process_finish(struct np_process *process);

/* Returns the most messages that a block may have; UINT64_MAX without -B. */
uint64_t np_process_block_most(const struct np_process *process);

/* Sets error from a failed hook: the endpoint's error, or "cannot `doing`" with the code.
 * Returns the code, -errno. */
int np_process_failed(struct np_process *process, int code, const char *doing,
		      struct np_error *error);

/* Barrier with np_module.progress, behind what moves messages; none without that hook.
 * Returns 0 or -errno. */
int np_process_settle(struct np_process *process, struct np_error *error);

/* Returns the hooks of the memory in which the buffers lie: a GPU's, the module's, or the
 * host's. */
const struct np_memory_hooks *np_process_memory(const struct np_process *process);

/* Maps and fills memory, without registration.  Returns 0 or -errno;
 * np_process_unmap_memory() accepts a region that was not mapped. */
int np_process_map_memory(struct np_process *process, struct np_region *region,
			  size_t length, uint64_t key, struct np_error *error);
void np_process_unmap_memory(struct np_process *process, struct np_region *region);

/* Sets the memory and layout of the next mapping; np_process_prepare() sets those of
 * the options.  Nothing may be mapped. */
void np_process_use_memory(struct np_process *process, const struct np_memory *memory);
