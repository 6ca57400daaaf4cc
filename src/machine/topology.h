/*
 * topology.h - topology of the host: caches and cores (hwloc), TLBs, CPU binding.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/facts.h"
#include "contract/np_module.h"

/* Number of entries of the data TLBs; 0: not reported, as by processors other than x86.
 * Entries shared by both page sizes count for both. */
struct np_tlb {
	size_t level1_4k, level2_4k;
	size_t level1_2m, level2_2m;
};

struct np_topology {
	void *handle;		 /* hwloc_topology_t */
	size_t last_level_cache; /* bytes; 0: not reported */
	size_t line_size;	 /* bytes; 64 if not reported */
	size_t first_level_cache, second_level_cache;
	struct np_tlb tlb;
	void *allowed;	/* hwloc_bitmap_t: affinity mask at np_topology_open() */
	unsigned cores; /* processing units in that mask */
	bool bound;	/* np_topology_close() restores the mask */
	int unbound;	/* errno value of a binding that the kernel denied; 0: none */
};

/* Reads the topology and the affinity mask.  Returns 0 or -errno with a text; the caller
 * calls np_topology_close() in either case, which restores the mask of the calling thread
 * for a program that it executes. */
int np_topology_open(struct np_topology *topology, struct np_error *error);
void np_topology_close(struct np_topology *topology);

/* Replaces caches and TLBs by those of a model; does nothing for NULL. */
void np_topology_model(struct np_topology *topology, const struct np_model_hooks *model,
		       const void *options);

/* Arguments of the choice of a core. */
struct np_core_choice {
	int rank;
	bool same_host;
	int node;  /* NUMA node of the device; -1: any */
	int taken; /* core of the peer on this host; -1: not known */
};

/*
 * Binds the calling thread to a core and its memory to that core's NUMA node.  where:
 * "none"; a logical core number; "A,B" for rank 0 and rank 1; "auto": the core of
 * np_topology_choose().  *core is set to the operating system's core number, or -1 if
 * the thread is not bound; for "none" and a denied binding, to one that was inherited.
 * Returns 0, or -EINVAL with NP_ERROR_USAGE if there is no such core.
 */
int np_topology_bind(struct np_topology *topology, const char *where,
		     const struct np_core_choice *choice, int *core,
		     struct np_error *error);

/*
 * Chooses a core within the affinity mask: neighbouring cores if both processes are on this
 * host, else the second core, as interrupts are often on the first; on the NUMA node of the
 * choice if that has enough cores of the mask; never the core of the peer if the mask has
 * another.  Returns the operating system's number, or -1 if there is none.
 */
int np_topology_choose(const struct np_topology *topology,
		       const struct np_core_choice *choice);

/* Returns the NUMA node of a core, or -1. */
int np_topology_node_of(const struct np_topology *topology, int core);

/* Adds facts for the header: caches, TLBs, cores and NUMA nodes. */
void np_topology_describe(const struct np_topology *topology, struct np_facts *facts);

/*
 * Core, cache or package that two cores share, and an upper bound of their core-to-core
 * latency.
 *
 * Medians of many processors, one transfer, at
 * https://github.com/nviennot/core-to-core-latency (commit 0dddf50): threads of one core 4
 * to 10 ns; cores that share a last-level cache 16 to 72 ns; cores of one package without a
 * common cache 84 to 173 ns; of two packages 108 to 443 ns.  The bounds leave room above
 * these.  A virtual machine reports its configuration, but its host may run two virtual
 * cores that share a cache on two that do not: then the latency exceeds the bound, and all
 * figures are of that host state.
 */
struct np_shared {
	unsigned most_ns; /* upper bound of the core-to-core latency; 0: not known */
	char what[80];	  /* "cores 0 and 1 share an L3 cache" */
};

/* Finds the part that two cores share; cores by the operating system's numbers. */
struct np_shared np_shared_of(const struct np_topology *topology, int core, int other);

/* The registers that cpuid returns for a leaf and subleaf. */
struct np_cpuid {
	uint32_t eax, ebx, ecx, edx;
};
typedef bool np_cpuid_reader(void *context, uint32_t leaf, uint32_t subleaf,
			     struct np_cpuid *answer);

/*
 * Decodes cpuid; `read` returns false for an unsupported leaf.  References: AMD64
 * Architecture Programmer's Manual, volume 3, appendix E.4.4 (leaves 0x80000005 and
 * 0x80000006); Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2A,
 * CPUID (leaves 0x18, and 2 with its table of descriptors).
 */
struct np_tlb np_tlb_decode(np_cpuid_reader *read, void *context);
