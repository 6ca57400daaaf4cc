/*
 * topology.h - topology of the host: caches and cores (hwloc), TLBs, CPU binding.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/facts.h"
#include "contract/np_module.h"
#include "machine/tlb.h"

struct np_topology {
	void *handle;		 /* hwloc_topology_t */
	size_t last_level_cache; /* bytes; 0: not reported */
	size_t line_size;	 /* bytes; 64 if not reported */
	size_t first_level_cache, second_level_cache;
	struct np_tlb tlb;
	unsigned cores; /* available to this process */
	int unbound;	/* errno value of a denied binding; 0: none */
};

/* Reads the topology.  Returns 0 or -errno with a text; the caller calls
 * np_topology_close() in either case. */
int np_topology_open(struct np_topology *topology, struct np_error *error);
void np_topology_close(struct np_topology *topology);

/* Replaces caches and TLBs by those of a model; does nothing for NULL. */
void np_topology_model(struct np_topology *topology, const struct np_model_hooks *model,
		       const void *options);

/*
 * Binds the calling thread to a core and its memory to that core's NUMA node.  where:
 * "none"; a logical core number; "A,B" for rank 0 and rank 1; "auto": the core of
 * np_topology_choose().  *core is set to the operating system's core number, or -1 if
 * the thread is not bound; for "none", to a binding that was inherited.  Returns 0, or
 * -EINVAL with NP_ERROR_USAGE if there is no such core.
 */
int np_topology_bind(struct np_topology *topology, const char *where, int rank,
		     bool same_host, int node, int *core, struct np_error *error);

/*
 * Chooses the core of a rank: neighbouring cores if both processes are on this host,
 * else the second core, as interrupts are often on the first; on NUMA node `node` if
 * that has enough cores for this process (-1: any).  Returns the operating system's
 * number, or -1 if there is none.
 */
int np_topology_choose(const struct np_topology *topology, int rank, bool same_host,
		       int node);

/* Returns the NUMA node of a core, or -1. */
int np_topology_node_of(const struct np_topology *topology, int core);

/* Adds facts for the header: caches, TLBs, cores and NUMA nodes. */
void np_topology_describe(const struct np_topology *topology, struct np_facts *facts);
