/*
 * plan.c - plan of a run: operation, modes, conditions, times; arithmetic only.
 */
#include "plan/plan.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plan/traits.h"
#include "plan/turns.h"

enum {
	TABLE_ENTRIES = 1 << 17, /* slots of a block before they repeat */
	TABLE_MAX = 1 << 25,	 /* 512 MiB of table */
	FRESH_BYTES = 16 << 20,	 /* mapped for a block of the fresh mode */
	ALTERNATE_ROUNDS = 64,
	SHORT_VISIT = 50, /* samples, warm-up included */
	CHECK_VOLUME = 16 << 20
};

/* Rate of mapping, page faults and filling in both processes, bytes/s, at least. */
static const double mapped_per_second = 5e8;

/* Upper bound of the budget, seconds: 30 years.  The estimated time of mapping grows
 * with the memory that a host reports, and nanoseconds have 64 bits. */
static const double longest_budget = 1e9;

enum np_operation np_plan_operation(const struct np_options *options)
{
	if (options->each_acked)
		return NP_STREAM_ACKED;
	if (options->stream)
		return NP_STREAM;
	return options->bidirectional ? NP_BIDIRECTIONAL : NP_PINGPONG;
}

/* Option, and the capability of the transport that it needs. */
struct need {
	bool asked;
	unsigned capability;
	const char *option;
};

int np_plan_refuse(const struct np_options *options, const struct np_module *module,
		   const struct np_request *request, struct np_error *error)
{
	const struct need needs[] = {
		{ options->stream, NP_CAN_STREAM, "-s" },
		{ options->bidirectional, NP_CAN_BIDIRECTIONAL, "-2" },
		{ request->smallest == 0, NP_CAN_ZERO_BYTES, "a size of 0 (-l, --sizes)" },
		{ options->reset, NP_CAN_RECONNECT, "-r" },
		{ options->regions > 1, NP_CAN_REGISTER, "--regions" },
		{ options->window != 0, NP_CAN_WINDOW, "--window" },
		{ options->window != 0 && options->bidirectional, NP_CAN_WINDOW_BOTH,
		  "--window with -2" },
		{ options->same_buffer, NP_CAN_SAME_BUFFER, "--same-buffer" },
		{ options->fresh, NP_CAN_FRESH, "--fresh" },
		{ options->burst, NP_CAN_BURST, "-B" },
		{ options->memory != NP_MEMORY_HOST, NP_CAN_GPU, "--memory" },
	};

	for (size_t i = 0; i < sizeof(needs) / sizeof(*needs); i++) {
		if (needs[i].asked && (request->capabilities & needs[i].capability) == 0)
			return np_refuse(error, "%s is not supported%s: %s",
					 needs[i].option,
					 (module->capabilities & needs[i].capability) != 0 ?
						 " with these options" :
						 "",
					 np_traits_reason(needs[i].capability));
	}
	if (options->pages != NP_PAGES_4K && request->own_pages)
		return np_refuse(error, "--pages is not supported with these options: the "
					"pool lies in memory of the transport, or a GPU");
	if (options->integrity && request->operation == NP_ONE_SIDED &&
	    request->step == NP_ONE_SIDED_NONE)
		return np_refuse(error,
				 "-i is not supported with these options: they move no "
				 "bytes that could be checked");
	return 0;
}

static void plan_modes(const struct np_options *options, const struct np_request *request,
		       struct np_plan *plan)
{
	static const enum np_mode why[] = { NP_MODE_EVICTED, NP_MODE_TOUCHED, NP_MODE_SEND,
					    NP_MODE_RECV };

	plan->variant_count = request->variant_count > 1 ? request->variant_count : 1;
	if (!options->rotate_only)
		plan->modes[plan->mode_count++] = NP_MODE_REUSE;
	if (np_options_rotate(options))
		plan->modes[plan->mode_count++] = NP_MODE_ROTATE;
	/* The control, a ratio of equal modes, accompanies comparisons only. */
	const bool compares = options->invalidate ||
			      (plan->variant_count > 1 && !np_options_rotate(options));
	if (compares && !options->rotate_only && !options->integrity)
		plan->modes[plan->mode_count++] = NP_MODE_CONTROL;
	if (options->fresh)
		plan->modes[plan->mode_count++] = NP_MODE_FRESH;
	plan->alternate = options->why != 0;
	for (size_t i = 0; plan->alternate && i < sizeof(why) / sizeof(*why); i++)
		plan->modes[plan->mode_count++] = why[i];
}

static void plan_conditions(const struct np_options *options,
			    const struct np_request *request,
			    const struct np_resources *resources, struct np_plan *plan)
{
	const struct np_condition_setting setting = {
		.options = options,
		.request = request,
		.length = np_layout_buffer(request, plan->sizes[0]),
		.pool_bytes = plan->pool_bytes,
		.models = resources->models,
		.transparent = resources->transparent,
		.huge_bytes = resources->share_memory ? resources->huge_bytes / 2 :
							resources->huge_bytes,
	};

	np_conditions_plan(&setting, plan->conditions);
}

static bool has_mode(const struct np_plan *plan, enum np_mode mode)
{
	for (size_t i = 0; i < plan->mode_count; i++) {
		if (plan->modes[i] == mode)
			return true;
	}
	return false;
}

bool np_plan_measures(const struct np_plan *plan, enum np_mode mode, size_t variant)
{
	return mode != NP_MODE_CONTROL || variant == 0 || has_mode(plan, NP_MODE_ROTATE);
}

size_t np_plan_measured(const struct np_plan *plan)
{
	size_t count = 2 * np_conditions_asked(plan->conditions) * plan->variant_count;

	for (size_t variant = 0; variant < plan->variant_count; variant++) {
		for (size_t mode = 0; mode < plan->mode_count; mode++)
			count += np_plan_measures(plan, plan->modes[mode], variant);
	}
	return count;
}

/* Number of measurements without controls, whose time is a part of their mode's. */
static double count_asked(const struct np_plan *plan)
{
	const size_t controls = has_mode(plan, NP_MODE_CONTROL) ? plan->variant_count : 0;

	return (double)((plan->mode_count + 2 * np_conditions_asked(plan->conditions)) *
				plan->variant_count -
			controls);
}

/* Time of mapping in a pass, seconds: of the pool, and for each condition of another
 * one, and of the pool again.  Without rotation the buffers are few: 0. */
static double mapping_time(const struct np_resources *resources, const struct np_plan *plan)
{
	size_t mappings = has_mode(plan, NP_MODE_ROTATE);

	for (enum np_factor factor = NP_FACTOR_NONE + 1; factor < NP_FACTORS; factor++)
		mappings += plan->conditions[factor].asked && factor != NP_FACTOR_WAIT;
	return resources->models ?
		       0 :
		       (double)mappings * (double)plan->pool_bytes / mapped_per_second;
}

/* Time budget of a run, seconds: --time-budget, or by the number of modes. */
static double choose_budget(const struct np_options *options, const struct np_plan *plan,
			    double mapping)
{
	/* --why measures many modes of one size together; each point of a sweep first
	 * touches all its buffers. */
	const double slow = plan->sweep_count != 0 ? 2.5 : 1;
	const double per_mode = plan->alternate ? (options->quick ? 0.7 : 4) :
						  slow * (options->quick ? 7 : 40);
	/* In a run of one variant of several. */
	const double apart = options->runs_apart != 0 && plan->variant_count == 1 ?
				     (double)options->runs_apart :
				     1;

	if (options->time_budget != 0)
		return options->time_budget / (double)options->runs / apart;
	/* A control takes its time from the variants beside it. */
	const double own = apart > 1 ? (double)options->variants.count / apart : 1;

	return fmin(own * per_mode * count_asked(plan) / (double)options->runs + mapping,
		    longest_budget);
}

/* Returns whether visits are short.  Short visits, down to 5 ms, reach --precision
 * sooner, and ratios gain from more and shorter ones (doc/results.md).  --refine,
 * percentiles, and runs as statistical units need long ones. */
static bool has_short_visits(const struct np_options *options, const struct np_plan *plan)
{
	return options->precision > 0 && options->runs <= 1 && options->expect == NULL &&
	       !options->refine && !options->per_message && plan->sweep_count == 0;
}

/* Least time of a pass that rotates, seconds.  Such a pass registers the pool anew:
 * buffers unused since then must be a small share, also of few sizes. */
static const double least_pass = 0.2;

static void plan_time(const struct np_options *options,
		      const struct np_resources *resources, struct np_plan *plan)
{
	const double points = plan->sweep_count != 0 ? (double)plan->sweep_count :
						       (double)plan->size_count;
	const double visits = points * (double)np_plan_measured(plan);
	const double least = has_mode(plan, NP_MODE_ROTATE) ? least_pass / visits : 0;
	double visit = options->quick ? 0.015 : 0.020;

	plan->sample_ns = (uint64_t)(options->sample_time * 1000);
	if (plan->sample_ns == 0)
		plan->sample_ns = plan->operation == NP_STREAM ? 2000000 : 100000;
	if (has_short_visits(options, plan))
		visit = fmin(visit,
			     fmax(SHORT_VISIT * (double)plan->sample_ns * 1e-9, least));
	plan->passes = options->passes != 0 ? (unsigned)options->passes : 6;
	/* With several runs the run is the statistical unit: few passes each. */
	if (options->runs > 1 && options->passes == 0)
		plan->passes = options->runs >= 3 ? 2 : 3;
	const double mapping = plan->passes * mapping_time(resources, plan);
	const double budget = choose_budget(options, plan, mapping);
	const double left = budget - mapping > budget / 2 ? budget - mapping : budget / 2;
	/* The least passes take half of the budget; the other half is for sizes with
	 * wide intervals. */
	const double fits = 0.5 * left / (visits * (double)plan->passes);
	if (fits < visit || plan->alternate)
		visit = fits;
	plan->visit_ns = (uint64_t)(visit * 1e9);
	plan->budget_ns = (uint64_t)(budget * 1e9);
	plan->pairs = plan->alternate ? ALTERNATE_ROUNDS : 4;
	plan->precision = options->precision / 100;
}

double np_plan_run_time(const struct np_options *options, const struct np_request *request)
{
	/* --refine takes up to three times the budget, beside the passes. */
	const double tolerance = 10 * (options->refine ? 4 : 1), hour = 3600;
	struct np_plan plan = { .sweep_count = options->capacity != 0 };

	if (options->max_run_time != 0)
		return options->max_run_time;
	plan_modes(options, request, &plan);
	for (enum np_factor factor = 0; factor < NP_FACTORS; factor++)
		plan.conditions[factor].asked = options->why != 0;
	return fmax(hour, tolerance * choose_budget(options, &plan, 0));
}

uint64_t np_plan_runs(const struct np_options *options)
{
	const struct np_request nothing = { .variant_count = 0 };
	struct np_plan plan = { .mode_count = 0 };

	plan_modes(options, &nothing, &plan);
	if (options->runs_apart != 0)
		return options->runs * options->runs_apart;
	return options->runs * (options->modes_apart ? plan.mode_count : 1);
}

size_t np_plan_turn(size_t count, unsigned index, unsigned *round)
{
	*round = index / (unsigned)count;
	return np_turn_at(count, *round, index % count);
}

unsigned np_plan_run(const struct np_options *options, unsigned index, struct np_plan *plan)
{
	const size_t modes = plan->mode_count;
	unsigned round = index;

	if (options->runs_apart != 0)
		np_plan_turn(options->runs_apart, index, &round);
	if (!options->modes_apart)
		return round;
	plan->modes[0] = plan->modes[np_plan_turn(modes, index, &round)];
	plan->mode_count = 1;
	plan->budget_ns /= modes;
	return round;
}

size_t np_plan_capacity(const struct np_options *options)
{
	uint64_t entries = TABLE_ENTRIES;
	const uint64_t asked = options->messages != 0	  ? options->messages :
			       options->stream_count != 0 ? options->stream_count :
							    options->stream_volume;

	/* A block has at least a warm-up sample and two more. */
	if (entries < 4 * asked)
		entries = 4 * asked;
	return (size_t)(entries < TABLE_MAX ? entries : TABLE_MAX);
}

int np_plan_make(const struct np_options *options, const struct np_request *request,
		 const struct np_resources *resources, struct np_plan *plan,
		 struct np_error *error)
{
	int rc;

	*plan = (struct np_plan){ .operation = request->operation,
				  .seed = options->seed,
				  .check_volume = CHECK_VOLUME };
	rc = np_plan_sizes(options, &plan->sizes, &plan->size_count, error);
	if (rc == 0)
		rc = np_plan_choose_sizes(request, plan, error);
	if (rc != 0)
		return rc;
	plan_modes(options, request, plan);
	rc = np_plan_pool(options, request, resources, plan, error);
	if (rc != 0)
		return rc;
	plan_conditions(options, request, resources, plan);
	rc = np_plan_sweep(options, request, plan, error);
	if (rc != 0)
		return rc;
	plan->capacity = np_plan_capacity(options);
	plan_time(options, resources, plan);
	if (options->fresh)
		plan->block_bytes = FRESH_BYTES;
	/* Each receive of a burst has its own buffer; those of the reuse mode have to
	 * stay cached. */
	if (options->burst) {
		const size_t cache =
			resources->cache_bytes != 0 ? resources->cache_bytes : FRESH_BYTES;

		if (plan->block_bytes == 0 || cache / 4 < plan->block_bytes)
			plan->block_bytes = cache / 4;
	}
	/* Touched buffers of a block have to fit in the cache. */
	if (options->touch || plan->alternate)
		plan->touch_bytes =
			(resources->inner_cache != 0 ? resources->inner_cache : 1 << 18) /
			2;
	return 0;
}

void np_plan_free(struct np_plan *plan)
{
	free(plan->sizes);
	free(plan->sweep);
	plan->sizes = NULL;
	plan->sweep = NULL;
	plan->sweep_count = 0;
	plan->size_count = 0;
}
