/*
 * plan.h - what a run will do: a pure function of the options and of what the
 * two hosts have.
 */
#ifndef NP_PLAN_H
#define NP_PLAN_H

#include "plan/condition.h"
#include "endpoint/process.h"
#include "plan/options.h"

/* What the plan needs to know of the hosts; the larger or smaller of both. */
struct np_resources {
	size_t cache_bytes;  /* largest last-level cache; 0 not reported */
	size_t inner_cache;  /* smallest second-level cache; 0 not reported */
	size_t line_size;    /* bytes */
	size_t memory_bytes; /* least memory available at an end; 0 unknown */
	bool share_memory;   /* both ends take from the same */
	size_t pool_most;    /* least that an end can register; 0: no bound */
	const char *program; /* that can register no more */
	/* Of the module: it registers as many parts as it is told to; it models memory. */
	bool registers, models;
	bool transparent;  /* both hosts give transparent huge pages to who asks */
	size_t huge_bytes; /* least that lies in free pages of 2 MiB at a host */
};

/* Why the pool is smaller than what was asked for, or would be cold. */
enum np_pool_cut { NP_POOL_WHOLE, NP_POOL_MEMORY, NP_POOL_REGISTRATION };

/* One point of a capacity sweep. */
struct np_sweep {
	enum np_axis axis;
	uint64_t buffers;
};

struct np_plan {
	size_t *sizes; /* ascending */
	size_t size_count;
	struct np_sweep *sweep; /* of the one size; NULL without --capacity */
	size_t sweep_count;
	struct np_condition conditions[NP_FACTORS];
	bool alternate; /* --why: blocks in which every other batch is one slot's */
	uint64_t parts; /* that the pool is registered in */
	size_t too_large_for_parts;	/* sizes that were left out: no part holds them */
	size_t longest;			/* message of the connection, bytes; 0: any */
	size_t too_long_for_connection; /* sizes that were left out for it */
	enum np_mode modes[NP_MODES];
	size_t mode_count;
	size_t variant_count; /* ways that are compared; 1 if nothing is */
	enum np_operation operation;
	uint64_t seed;

	size_t pool_bytes; /* of the region of one end */
	enum np_pool_cut pool_cut;
	size_t capacity;    /* entries of the slot table */
	size_t touch_bytes; /* what a block may span to stay in the CPU cache; 0: no
			       bound */
	size_t block_bytes; /* what the buffers of a block may take; 0: no bound */

	uint64_t sample_ns;    /* length that a sample aims at */
	uint64_t visit_ns;     /* time at a size, mode and variant, a visit */
	uint64_t budget_ns;    /* for all passes */
	unsigned pairs;	       /* blocks of each mode in a visit */
	unsigned passes;       /* at least */
	unsigned look_every;   /* passes between two looks at the precision */
	double precision;      /* half width over median; 0: never satisfied */
	uint64_t check_volume; /* bytes that an integrity check sends a size */
};

/*
 * Makes the plan.  Returns 0, or -errno with NP_ERROR_USAGE for what the
 * options ask and the hosts cannot: sizes or a pool larger than the memory.
 * np_plan_free() copes with a plan that failed.
 */
int np_plan_make(const struct np_options *options, const struct np_request *request,
		 const struct np_resources *resources, struct np_plan *plan,
		 struct np_error *error);

/* plan_pool.c: sets pool_bytes, pool_cut and parts, and leaves out the sizes that no
 * part holds; of np_plan_make() alone.  Returns 0 or -errno. */
int np_plan_pool(const struct np_options *options, const struct np_request *request,
		 const struct np_resources *resources, struct np_plan *plan,
		 struct np_error *error);

/*
 * Leaves out the sizes that are longer than the connection carries, once that is
 * known; 0 is no limit.  Returns 0, or -EINVAL with NP_ERROR_USAGE if none is left.
 */
int np_plan_limit(struct np_plan *plan, size_t longest, struct np_error *error);

void np_plan_free(struct np_plan *plan);

/* Launches in all: N of --launches, or with --modes-apart as many of each mode. */
uint64_t np_plan_runs(const struct np_options *options);

/*
 * Which of them one run is: sets the number among those of its kind, and with
 * --modes-apart leaves the plan with its mode alone and that mode's share of the time.
 * The order of modes is reversed every other round.
 */
unsigned np_plan_run(const struct np_options *options, unsigned index,
		     struct np_plan *plan);

/* Entries of the slot table that the options need, on both ends alike. */
size_t np_plan_capacity(const struct np_options *options);

/* The operation that the mode options ask for. */
enum np_operation np_plan_operation(const struct np_options *options);

/* The sizes that the options ask for; the caller frees the list. */
int np_plan_sizes(const struct np_options *options, size_t **sizes, size_t *count,
		  struct np_error *error);

/* Refuses what the module has no capability for.  Returns 0 or -EINVAL with
 * option, module and reason. */
int np_plan_refuse(const struct np_options *options, const struct np_module *module,
		   const struct np_request *request, struct np_error *error);

#endif
