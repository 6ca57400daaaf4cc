/*
 * topology.h - caches and cores of this host, from hwloc, and its TLBs.
 */
#ifndef NP_TOPOLOGY_H
#define NP_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/facts.h"
#include "contract/np_module.h"
#include "machine/tlb.h"

struct np_topology {
	void *handle;		 /* hwloc's */
	size_t last_level_cache; /* bytes; 0 not reported */
	size_t line_size;	 /* bytes; 64 where not reported */
	size_t first_level_cache, second_level_cache;
	struct np_tlb tlb;
	unsigned cores; /* that this process may run on */
};

/* Returns 0, or -errno with a text.  np_topology_close() copes with either. */
int np_topology_open(struct np_topology *topology, struct np_error *error);
void np_topology_close(struct np_topology *topology);

/* Has the caches that a module models in place of this host's; does nothing if it
 * models none. */
void np_topology_model(struct np_topology *topology, const struct np_module *module,
		       const void *options);

/*
 * Binds the calling thread to the core that `where` names for this rank, and
 * its memory to that core's NUMA node.  where: "none"; a logical core number;
 * "A,B" for rank 0 and rank 1; "auto": as np_topology_choose() says.  *core
 * becomes the operating system's number, or -1 for none; of "none", the core that
 * somebody else has bound the thread to.  Returns 0, or -EINVAL
 * with NP_ERROR_USAGE for what cannot be.
 */
int np_topology_bind(struct np_topology *topology, const char *where, int rank,
		     bool same_host, int node, int *core, struct np_error *error);

/*
 * The core of a rank: neighbouring cores if both ends are on this host, else one
 * that does not take the interrupts first; of the NUMA node `node`, if it has
 * enough cores that this process may use; -1: of any.  Returns the operating
 * system's number, or -1 if there is none.  Binds nothing.
 */
int np_topology_choose(const struct np_topology *topology, int rank, bool same_host,
		       int node);

/* The NUMA node of a core, or -1. */
int np_topology_node_of(const struct np_topology *topology, int core);

/* Caches, TLBs, cores, numa_nodes ... for the header. */
void np_topology_describe(const struct np_topology *topology, struct np_facts *facts);

#endif
