/*
 * plan.h - plan of a run: sizes, modes, pool, times, from options and resources.
 */
#pragma once

#include "plan/condition.h"
#include "plan/names.h"
#include "plan/options.h"

/* Resources of both hosts: the smaller or the larger value. */
struct np_resources {
	size_t cache_bytes;  /* largest last-level cache; 0: not reported */
	size_t inner_cache;  /* smallest second-level cache; 0: not reported */
	size_t line_size;    /* bytes */
	size_t memory_bytes; /* smaller available memory; 0: unknown */
	bool share_memory;   /* both processes are on one host */
	size_t pool_most;    /* smaller limit of registered memory, bytes; 0: none */
	const char *program; /* the program with that limit */
	bool models;	     /* the module's memory is modelled */
	bool transparent;    /* both hosts have transparent huge pages by madvise */
	size_t huge_bytes;   /* smaller free memory in pages of 2 MiB */
};

/* Reasons for a pool smaller than requested, or than needed to be cold. */
enum np_pool_cut { NP_POOL_WHOLE, NP_POOL_MEMORY, NP_POOL_REGISTRATION };

/* One point of a capacity sweep, or of --replay. */
struct np_sweep {
	enum np_axis axis;
	uint64_t buffers; /* on an axis of --replay 1: never used before */
	size_t length;	  /* bytes; 0: the only size of the plan */
};

enum { NP_FRESH_BYTES = 16 << 20 }; /* bytes mapped for a block of the fresh mode */

struct np_plan {
	size_t *sizes; /* ascending */
	size_t size_count;
	struct np_sweep *sweep; /* points of --capacity or --replay; or NULL */
	size_t sweep_count;
	size_t points_left_out; /* points of --replay that cannot be measured */
	struct np_condition conditions[NP_FACTORS];
	bool alternate; /* --why: timed samples alternate with samples of one reused slot */
	uint64_t parts; /* registered parts of the pool */
	size_t too_large_for_parts;	/* sizes omitted: larger than a part */
	size_t largest_asked;		/* largest requested size, bytes */
	size_t pool_for_largest;	/* bytes: pool whose parts hold largest_asked */
	size_t multiple_of;		/* sizes are multiples of it */
	size_t of_no_multiple;		/* sizes omitted: no multiple of it */
	size_t too_many_for_budget;	/* sizes omitted: no time */
	size_t longest;			/* limit of the connection, bytes; 0: none */
	size_t too_long_for_connection; /* sizes omitted for that */
	enum np_mode modes[NP_MODES];
	size_t mode_count;
	size_t variant_count; /* variants compared, >= 1 */
	enum np_operation operation;
	uint64_t seed;

	size_t pool_bytes; /* region of one process */
	enum np_pool_cut pool_cut;
	size_t capacity;    /* entries of the slot table */
	size_t touch_bytes; /* most bytes touched by a block, to stay cached; 0: no limit */
	size_t block_bytes; /* most bytes of buffers of a block; 0: no limit */

	uint64_t sample_ns; /* target duration of a sample */
	uint64_t visit_ns;  /* duration of a mode and variant in a visit */
	uint64_t budget_ns; /* from the start of a run to the end of its passes */
	double command_s;   /* time limit of the command: all runs, and --refine, seconds;
			       0: none, --passes alone ends it */
	unsigned pairs;	    /* blocks of each mode in a visit */
	unsigned passes;    /* minimum number */
	double precision;   /* half width of a confidence interval, as a share, at which a
			       size gets no more visits; 0: none */
	size_t open_most;   /* sizes without that precision that do not prolong a run */
	uint64_t check_volume; /* bytes of each size under -i */
};

/*
 * Makes the plan.  Returns 0, or -errno with NP_ERROR_USAGE if the hosts cannot serve the
 * options: sizes or a pool larger than the memory.  The caller calls np_plan_free() in
 * either case.
 */
int np_plan_make(const struct np_options *options, const struct np_request *request,
		 const struct np_resources *resources, struct np_plan *plan,
		 struct np_error *error);

/* Returns whether the options name other sizes than the defaults. */
bool np_plan_asks_sizes(const struct np_options *options);

/* Converts bytes to MiB for --pool, rounded up. */
static inline size_t np_plan_mebibytes(size_t bytes)
{
	return (bytes >> 20) + (bytes % (1 << 20) != 0);
}

/*
 * Omits sizes longer than the connection supports; longest 0: no limit.  Returns 0, or
 * -EINVAL with NP_ERROR_USAGE if none remains.
 */
int np_plan_limit(struct np_plan *plan, size_t longest, struct np_error *error);

void np_plan_free(struct np_plan *plan);

/* Returns the estimated time of a run, seconds, without the mapping of memory. */
double np_plan_estimate(const struct np_options *options, const struct np_request *request);

/* Returns the time limit of a run, seconds: --max-run-time, or ten times the estimate,
 * an hour at least. */
double np_plan_run_time(const struct np_options *options, const struct np_request *request);

/* Returns whether the plan has a mode. */
bool np_plan_has_mode(const struct np_plan *plan, enum np_mode mode);

/* Returns whether the plan measures this variant in this mode.  Only the control may be
 * left out: in a plan without rotate the first variant alone has one. */
bool np_plan_measures(const struct np_plan *plan, enum np_mode mode, size_t variant);

/* Returns the number of measurements of a size in a pass: modes of all variants, and two
 * more (reuse and rotate) for each condition. */
size_t np_plan_measured(const struct np_plan *plan);

/* Returns the number of runs: N of --runs, for each variant or mode that has its own. */
uint64_t np_plan_runs(const struct np_options *options);

/* Returns the mode or variant, of `count`, that run `index` measures, and sets the number
 * of its round.  Each mode or variant has one run in a round, in balanced order. */
size_t np_plan_turn(size_t count, unsigned index, unsigned *round);

/*
 * Restricts the plan to run `index`: with --buffers apart, to one mode and its share of the
 * time.  Returns the run's number among those of its mode or variant.
 */
unsigned np_plan_run(const struct np_options *options, unsigned index,
		     struct np_plan *plan);

/* Returns the number of entries of the slot table, equal in both processes. */
size_t np_plan_capacity(const struct np_options *options);

/* Returns the operation that the options request. */
enum np_operation np_plan_operation(const struct np_options *options);

/* Makes the list of sizes that the options request, which the caller frees.  Returns 0
 * or -errno. */
int np_plan_sizes(const struct np_options *options, size_t **sizes, size_t *count,
		  struct np_error *error);

/* Refuses options that need a capability that the request lacks.  Returns 0, or -EINVAL
 * with option, module and reason. */
int np_plan_refuse(const struct np_options *options, const struct np_module *module,
		   const struct np_request *request, struct np_error *error);
