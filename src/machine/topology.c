/*
 * topology.c - topology of the host: data TLBs from three encodings of cpuid; caches and
 * cores from hwloc, CPU binding, the part that two cores share.
 */
#include "machine/topology.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif
#include <errno.h>
#include <hwloc.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- data TLBs ----------------------------------------------------------------------- */

static size_t field(uint32_t value, unsigned low, unsigned bits)
{
	return value >> low & ((1u << bits) - 1);
}

static void grow(size_t *entries, size_t more)
{
	if (more > *entries)
		*entries = more;
}

/* AMD: 8 bits for a first level, 12 for a second, which is absent if its associativity
 * is 0. */
static bool decode_amd(np_cpuid_reader *read, void *context, struct np_tlb *tlb)
{
	struct np_cpuid at;

	if (!read(context, 0x80000005, 0, &at))
		return false;
	tlb->level1_2m = field(at.eax, 16, 8);
	tlb->level1_4k = field(at.ebx, 16, 8);
	if (read(context, 0x80000006, 0, &at)) {
		tlb->level2_2m = field(at.eax, 28, 4) != 0 ? field(at.eax, 16, 12) : 0;
		tlb->level2_4k = field(at.ebx, 28, 4) != 0 ? field(at.ebx, 16, 12) : 0;
	}
	return tlb->level1_4k != 0;
}

/* Intel, deterministic address translation parameters (leaf 0x18): a subleaf for each TLB.
 * Where loads and stores have separate TLBs, the TLB for loads counts. */
static bool decode_parameters(np_cpuid_reader *read, void *context, struct np_tlb *tlb)
{
	enum { DATA = 1, UNIFIED = 3, LOADS = 4, SUBLEAVES_MAX = 64 };
	struct np_cpuid at;
	uint32_t last = 0;

	for (uint32_t i = 0; i <= last && i < SUBLEAVES_MAX; i++) {
		if (!read(context, 0x18, i, &at))
			return false;
		if (i == 0)
			last = at.eax;
		const size_t kind = field(at.edx, 0, 5), level = field(at.edx, 5, 3);
		const size_t entries = field(at.ebx, 16, 16) * at.ecx;

		if (kind != DATA && kind != UNIFIED && kind != LOADS)
			continue;
		if (field(at.ebx, 0, 1) != 0)
			grow(level == 1 ? &tlb->level1_4k : &tlb->level2_4k, entries);
		if (field(at.ebx, 1, 1) != 0)
			grow(level == 1 ? &tlb->level1_2m : &tlb->level2_2m, entries);
	}
	return tlb->level1_4k != 0;
}

/* Descriptor bytes of leaf 2 for data TLBs. */
struct descriptor {
	uint8_t byte;
	uint8_t level;
	uint16_t entries_4k, entries_2m;
};

static const struct descriptor descriptors[] = {
	{ 0x03, 1, 64, 0 },    { 0x04, 1, 0, 8 },	{ 0x05, 1, 0, 32 },
	{ 0x56, 1, 0, 16 },    { 0x57, 1, 16, 0 },	{ 0x59, 1, 16, 0 },
	{ 0x5a, 1, 0, 32 },    { 0x5b, 1, 64, 64 },	{ 0x5c, 1, 128, 128 },
	{ 0x5d, 1, 256, 256 }, { 0x63, 1, 0, 32 },	{ 0x64, 1, 512, 0 },
	{ 0xa0, 1, 32, 0 },    { 0xb3, 1, 128, 0 },	{ 0xb4, 2, 256, 0 },
	{ 0xba, 1, 64, 0 },    { 0xc0, 1, 8, 8 },	{ 0xc1, 2, 1024, 1024 },
	{ 0xc2, 1, 16, 16 },   { 0xc3, 2, 1536, 1536 }, { 0xc4, 1, 0, 32 },
	{ 0xca, 2, 512, 0 },
};

static void add_descriptor(size_t byte, struct np_tlb *tlb)
{
	for (size_t i = 0; i < sizeof(descriptors) / sizeof(*descriptors); i++) {
		const struct descriptor *it = &descriptors[i];

		if (it->byte != byte)
			continue;
		grow(it->level == 1 ? &tlb->level1_4k : &tlb->level2_4k, it->entries_4k);
		grow(it->level == 1 ? &tlb->level1_2m : &tlb->level2_2m, it->entries_2m);
	}
}

/* Intel, leaf 2.  The lowest byte of eax is always 1 and no descriptor; a register whose
 * highest bit is set has none. */
static bool decode_descriptors(np_cpuid_reader *read, void *context, struct np_tlb *tlb)
{
	struct np_cpuid at;

	if (!read(context, 2, 0, &at))
		return false;
	const uint32_t registers[] = { at.eax & ~0xffu, at.ebx, at.ecx, at.edx };
	for (size_t i = 0; i < 4; i++) {
		for (unsigned low = 0; low < 32 && registers[i] >> 31 == 0; low += 8)
			add_descriptor(field(registers[i], low, 8), tlb);
	}
	return tlb->level1_4k != 0;
}

struct np_tlb np_tlb_decode(np_cpuid_reader *read, void *context)
{
	struct np_tlb tlb = { .level1_4k = 0 };

	if (decode_amd(read, context, &tlb))
		return tlb;
	tlb = (struct np_tlb){ .level1_4k = 0 };
	if (decode_parameters(read, context, &tlb))
		return tlb;
	tlb = (struct np_tlb){ .level1_4k = 0 };
	if (!decode_descriptors(read, context, &tlb))
		tlb = (struct np_tlb){ .level1_4k = 0 };
	return tlb;
}

#if defined(__x86_64__) || defined(__i386__)
static bool read_cpuid(void *context, uint32_t leaf, uint32_t subleaf,
		       struct np_cpuid *answer)
{
	(void)context;
	return __get_cpuid_count(leaf, subleaf, &answer->eax, &answer->ebx, &answer->ecx,
				 &answer->edx) != 0;
}
#else
static bool read_cpuid(void *context, uint32_t leaf, uint32_t subleaf,
		       struct np_cpuid *answer)
{
	(void)context;
	(void)leaf;
	(void)subleaf;
	(void)answer;
	return false;
}
#endif

/* Reads the TLBs of this processor. */
static struct np_tlb find_tlb(void)
{
	return np_tlb_decode(read_cpuid, NULL);
}

static void describe_entries(struct np_facts *facts, const char *name, size_t entries)
{
	if (entries != 0)
		np_facts_add_number(facts, name, entries, NP_UNIT_COUNT, NULL);
	else
		np_facts_add(facts, name, "not reported");
}

/* Adds tlb_l1_entries, tlb_l2_entries, tlb_l1_2m_entries and tlb_l2_2m_entries. */
static void describe_tlb(const struct np_tlb *tlb, struct np_facts *facts)
{
	describe_entries(facts, "tlb_l1_entries", tlb->level1_4k);
	describe_entries(facts, "tlb_l2_entries", tlb->level2_4k);
	describe_entries(facts, "tlb_l1_2m_entries", tlb->level1_2m);
	describe_entries(facts, "tlb_l2_2m_entries", tlb->level2_2m);
}

/* ---- caches and cores ---------------------------------------------------------------- */

static void find_caches(struct np_topology *topology)
{
	static const hwloc_obj_type_t data_caches[] = {
		HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L4CACHE
	};

	for (size_t i = 0; i < sizeof(data_caches) / sizeof(*data_caches); i++) {
		const hwloc_obj_t cache =
			hwloc_get_obj_by_type(topology->handle, data_caches[i], 0);

		if (cache == NULL || cache->attr->cache.size == 0)
			continue;
		topology->last_level_cache = cache->attr->cache.size;
		if (cache->attr->cache.linesize != 0)
			topology->line_size = cache->attr->cache.linesize;
		if (data_caches[i] == HWLOC_OBJ_L1CACHE)
			topology->first_level_cache = cache->attr->cache.size;
		if (data_caches[i] == HWLOC_OBJ_L2CACHE)
			topology->second_level_cache = cache->attr->cache.size;
	}
}

/* Returns true if this process may query its cores; where it may not, hwloc would retry for
 * ever. */
static bool can_query_cores(void)
{
	cpu_set_t set;

	/* EINVAL: the machine has more cores than the set. */
	return sched_getaffinity(0, sizeof(set), &set) == 0 || errno == EINVAL;
}

/* Reads the affinity mask of the calling thread: all processing units where the kernel does
 * not report it. */
static int read_mask(struct np_topology *topology, struct np_error *error)
{
	const hwloc_const_cpuset_t all =
		hwloc_topology_get_topology_cpuset(topology->handle);
	hwloc_bitmap_t mask = hwloc_bitmap_alloc();

	if (mask == NULL)
		return np_fail_errno(error, ENOMEM, "no memory for the affinity mask");
	topology->allowed = mask;
	if (hwloc_get_cpubind(topology->handle, mask, HWLOC_CPUBIND_THREAD) != 0 ||
	    !hwloc_bitmap_intersects(mask, all))
		hwloc_bitmap_copy(mask, all);
	hwloc_bitmap_and(mask, mask, all);
	const int cores = hwloc_bitmap_weight(mask);
	topology->cores = cores > 0 ? (unsigned)cores : 1;
	return 0;
}

int np_topology_open(struct np_topology *topology, struct np_error *error)
{
	hwloc_topology_t handle;

	*topology = (struct np_topology){ .line_size = 64 };
	if (!can_query_cores())
		return np_fail_errno(error, errno,
				     "cannot read the affinity mask of this "
				     "process, sched_getaffinity(2)");
	if (hwloc_topology_init(&handle) != 0)
		return np_fail_errno(error, errno, "hwloc cannot start");
	topology->handle = handle;
	if (hwloc_topology_load(handle) != 0)
		return np_fail_errno(error, errno, "hwloc cannot read this machine");
	find_caches(topology);
	topology->tlb = find_tlb();
	return read_mask(topology, error);
}

void np_topology_close(struct np_topology *topology)
{
	if (topology->bound)
		hwloc_set_cpubind(topology->handle, topology->allowed,
				  HWLOC_CPUBIND_THREAD);
	topology->bound = false;
	hwloc_bitmap_free(topology->allowed);
	topology->allowed = NULL;
	if (topology->handle != NULL)
		hwloc_topology_destroy(topology->handle);
	topology->handle = NULL;
}

void np_topology_model(struct np_topology *topology, const struct np_model_hooks *model,
		       const void *options)
{
	struct np_caches caches = { .line = topology->line_size };

	if (model == NULL)
		return;
	model->caches(options, &caches);
	topology->line_size = caches.line;
	topology->first_level_cache = caches.level1;
	topology->second_level_cache = caches.level2;
	topology->last_level_cache = caches.last_level;
	topology->tlb = (struct np_tlb){ .level1_4k = caches.tlb_entries,
					 .level1_2m = caches.tlb_entries };
}

/* Physical core of a processing unit, or the unit itself where none is reported. */
static hwloc_obj_t core_of(const struct np_topology *topology, hwloc_obj_t unit)
{
	const hwloc_obj_t core =
		hwloc_get_ancestor_obj_by_type(topology->handle, HWLOC_OBJ_CORE, unit);

	return core != NULL ? core : unit;
}

/* Returns the first processing unit of the physical core number `index` of those that have
 * one in `units`; NULL beyond the last.  *count is set to their number.  Cores follow each
 * other in logical order: neighbours share caches but no pipeline. */
static hwloc_obj_t nth_core(const struct np_topology *topology, hwloc_const_cpuset_t units,
			    int index, int *count)
{
	hwloc_obj_t unit = NULL, found = NULL, last = NULL;

	*count = 0;
	while ((unit = hwloc_get_next_obj_by_type(topology->handle, HWLOC_OBJ_PU, unit)) !=
	       NULL) {
		if (!hwloc_bitmap_isset(units, unit->os_index) ||
		    core_of(topology, unit) == last)
			continue;
		last = core_of(topology, unit);
		if ((*count)++ == index)
			found = unit;
	}
	return found;
}

/* Removes the physical core of the peer, or its processing unit, if others are left. */
static void leave_core(const struct np_topology *topology, int taken, hwloc_bitmap_t units)
{
	const hwloc_obj_t unit =
		taken < 0 ? NULL :
			    hwloc_get_pu_obj_by_os_index(topology->handle, (unsigned)taken);

	if (unit == NULL)
		return;
	const hwloc_const_cpuset_t core = core_of(topology, unit)->cpuset;
	if (!hwloc_bitmap_isincluded(units, core))
		hwloc_bitmap_andnot(units, units, core);
	else if (hwloc_bitmap_weight(units) > 1)
		hwloc_bitmap_clr(units, unit->os_index);
}

/* Keeps the processing units of a NUMA node if enough cores are left: two processes on one
 * core would be worse than a remote node. */
static void keep_node(const struct np_topology *topology, int node, int cores_needed,
		      hwloc_bitmap_t units)
{
	const hwloc_obj_t object = node < 0 ? NULL :
					      hwloc_get_numanode_obj_by_os_index(
						      topology->handle, (unsigned)node);
	hwloc_bitmap_t near = object != NULL ? hwloc_bitmap_dup(units) : NULL;
	int cores;

	if (near == NULL)
		return;
	hwloc_bitmap_and(near, near, object->cpuset);
	nth_core(topology, near, 0, &cores);
	if (cores >= cores_needed)
		hwloc_bitmap_copy(units, near);
	hwloc_bitmap_free(near);
}

int np_topology_choose(const struct np_topology *topology,
		       const struct np_core_choice *choice)
{
	const bool others = choice->same_host && choice->taken < 0;
	const int first = choice->same_host ? choice->rank : 1;
	hwloc_bitmap_t units = hwloc_bitmap_dup(topology->allowed);
	int cores, core = -1;

	if (units == NULL)
		return -1;
	leave_core(topology, choice->taken, units);
	keep_node(topology, choice->node, others ? 2 : 1, units);
	nth_core(topology, units, 0, &cores);
	if (cores > 0)
		core = (int)nth_core(topology, units, first % cores, &cores)->os_index;
	hwloc_bitmap_free(units);
	return core;
}

int np_topology_node_of(const struct np_topology *topology, int core)
{
	const hwloc_obj_t unit =
		core < 0 ? NULL :
			   hwloc_get_pu_obj_by_os_index(topology->handle, (unsigned)core);

	return unit != NULL && unit->nodeset != NULL ? hwloc_bitmap_first(unit->nodeset) :
						       -1;
}

static int parse_core(struct np_topology *topology, const char *where, int rank,
		      hwloc_obj_t *core, struct np_error *error)
{
	const char *text = where;
	char *end;

	if (rank == 1 && strchr(where, ',') != NULL)
		text = strchr(where, ',') + 1;
	errno = 0;
	const unsigned long number = strtoul(text, &end, 10);
	if (end == text || errno != 0 || *text < '0' || *text > '9' ||
	    (*end != '\0' && !(*end == ',' && text == where)))
		return np_refuse(
			error,
			"--bind '%.60s': use auto, none, a core number, or two as 0,1%s",
			where,
			strpbrk(where, ".:") != NULL ? "; --bind-address takes addresses" :
						       "");
	*core = number < 1u << 20 ?
			hwloc_get_pu_obj_by_os_index(topology->handle, (unsigned)number) :
			NULL;
	if (*core == NULL)
		return np_refuse(error,
				 "--bind '%.60s': there is no core %lu for this process",
				 where, number);
	return 0;
}

/* Returns the core to which the calling thread is bound, or -1. */
static int bound_core(const struct np_topology *topology)
{
	hwloc_bitmap_t set = hwloc_bitmap_alloc();
	int core = -1;

	if (set == NULL)
		return -1;
	if (hwloc_get_cpubind(topology->handle, set, HWLOC_CPUBIND_THREAD) == 0 &&
	    hwloc_bitmap_weight(set) == 1)
		core = hwloc_bitmap_first(set);
	hwloc_bitmap_free(set);
	return core;
}

int np_topology_bind(struct np_topology *topology, const char *where,
		     const struct np_core_choice *choice, int *core, struct np_error *error)
{
	const bool chooses = strcmp(where, "auto") == 0;
	hwloc_obj_t unit = NULL;

	*core = bound_core(topology);
	if (strcmp(where, "none") == 0)
		return 0;
	if (chooses) {
		const int chosen = np_topology_choose(topology, choice);

		if (chosen >= 0)
			unit = hwloc_get_pu_obj_by_os_index(topology->handle,
							    (unsigned)chosen);
	} else {
		const int rc = parse_core(topology, where, choice->rank, &unit, error);

		if (rc != 0)
			return rc;
	}
	if (unit == NULL)
		return 0;
	if (hwloc_set_cpubind(topology->handle, unit->cpuset, HWLOC_CPUBIND_THREAD) != 0) {
		topology->unbound = errno;
		/* Containers may deny a binding: a run without it is better than none,
		 * unless the user named the core. */
		return chooses ? 0 :
				 np_fail_errno(error, errno, "cannot bind to core %u",
					       unit->os_index);
	}
	topology->bound = true;
	/* Failure is ignored: kernels without NUMA support do not need it. */
	hwloc_set_membind(topology->handle, unit->cpuset, HWLOC_MEMBIND_BIND,
			  HWLOC_MEMBIND_THREAD);
	*core = (int)unit->os_index;
	return 0;
}

static void add_bytes(struct np_facts *facts, const char *name, size_t bytes)
{
	np_facts_add_number(facts, name, bytes, NP_UNIT_BYTES, NULL);
}

void np_topology_describe(const struct np_topology *topology, struct np_facts *facts)
{
	const int nodes = hwloc_get_nbobjs_by_type(topology->handle, HWLOC_OBJ_NUMANODE);

	if (topology->unbound != 0)
		np_facts_add(facts, "warning_binding",
			     "cannot bind to a core (%s): the kernel may move this process",
			     strerror(topology->unbound));
	np_facts_add_number(facts, "cores", topology->cores, NP_UNIT_COUNT, NULL);
	if (nodes >= 0)
		np_facts_add_number(facts, "numa_nodes", (uint64_t)nodes, NP_UNIT_COUNT,
				    NULL);
	add_bytes(facts, "cache_line_bytes", topology->line_size);
	if (topology->first_level_cache != 0)
		add_bytes(facts, "cache_l1d_bytes", topology->first_level_cache);
	if (topology->second_level_cache != 0)
		add_bytes(facts, "cache_l2_bytes", topology->second_level_cache);
	if (topology->last_level_cache != 0)
		add_bytes(facts, "cache_last_level_bytes", topology->last_level_cache);
	else
		np_facts_add(facts, "cache_last_level_bytes", "not reported");
	describe_tlb(&topology->tlb, facts);
}

/* Upper bounds of the core-to-core latency, ns, by what two cores share (np_shared). */
enum { MOST_OF_CORE = 20, MOST_OF_CACHE = 100, MOST_OF_PACKAGE = 250, MOST_OF_HOST = 500 };

static hwloc_obj_t unit_of(const struct np_topology *topology, int core)
{
	return core < 0 ? NULL :
			  hwloc_get_pu_obj_by_os_index(topology->handle, (unsigned)core);
}

struct np_shared np_shared_of(const struct np_topology *topology, int core, int other)
{
	const hwloc_obj_t one = unit_of(topology, core), two = unit_of(topology, other);
	struct np_shared shared = { .most_ns = 0 };

	if (one == NULL || two == NULL || one == two)
		return shared;
	char how[40] = "are in two packages";
	hwloc_obj_t at = hwloc_get_common_ancestor_obj(topology->handle, one, two);

	shared.most_ns = MOST_OF_HOST;
	/* Smallest common ancestor that is a core, data cache or package. */
	for (; at != NULL && shared.most_ns == MOST_OF_HOST; at = at->parent) {
		if (at->type == HWLOC_OBJ_CORE) {
			shared.most_ns = MOST_OF_CORE;
			snprintf(how, sizeof(how), "are threads of one core");
		} else if (hwloc_obj_type_is_dcache(at->type)) {
			shared.most_ns = MOST_OF_CACHE;
			snprintf(how, sizeof(how), "share an L%u cache",
				 at->attr->cache.depth);
		} else if (at->type == HWLOC_OBJ_PACKAGE) {
			shared.most_ns = MOST_OF_PACKAGE;
			snprintf(how, sizeof(how), "are in one package");
		}
	}
	snprintf(shared.what, sizeof(shared.what), "cores %d and %d %s", core, other, how);
	return shared;
}
