/*
 * plan.c - plan of a run: operation, sizes, pool, sweep, modes, conditions; arithmetic
 * only.
 */
#include "plan/plan.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contract/np_module.h"
#include "plan/budget.h"
#include "plan/clauses.h"
#include "plan/layout.h"
#include "plan/order.h"
#include "plan/points.h"
#include "plan/sizes.h"
#include "plan/options_check.h"

/* Defaults of -l and -u, bytes.  With these, the clauses of --expect alone determine the
 * sizes. */
enum { LOWER_UNASKED = 1, UPPER_UNASKED = 8 << 20 };

bool np_plan_asks_sizes(const struct np_options *options)
{
	return options->sizes != NULL || options->lower != LOWER_UNASKED ||
	       options->upper != UPPER_UNASKED;
}

int np_plan_sizes(const struct np_options *options, size_t **sizes, size_t *count,
		  struct np_error *error)
{
	const size_t only = options->capacity != 0 ? options->capacity : options->why;

	if (options->points != NULL)
		return np_points_sizes(options->points, sizes, count, error);
	if (only != 0) {
		*sizes = malloc(sizeof(**sizes));
		if (*sizes == NULL)
			return np_fail_errno(error, ENOMEM, "cannot list the sizes");
		**sizes = only;
		*count = 1;
		return 0;
	}
	const bool asked = np_plan_asks_sizes(options);
	int rc = 0;

	if (options->sizes != NULL) {
		rc = np_sizes_parse(options->sizes, sizes, count, error);
	} else if (options->expect == NULL || asked) {
		rc = np_sizes_schedule(options->lower, options->upper,
				       options->quick ? 0 : options->perturbation, sizes,
				       count);
		if (rc != 0)
			np_fail_errno(error, rc, "cannot list the sizes");
	}
	if (rc == 0 && options->expect != NULL)
		rc = np_clauses_sizes(options->expect, sizes, count, error);
	return rc;
}

/* Omits sizes that are no multiple of the operation's unit, or keeps the only one that it
 * has.  Refuses if none remains. */
static int choose_sizes(const struct np_request *request, struct np_plan *plan,
			struct np_error *error)
{
	const size_t unit = request->multiple_of != 0 ? request->multiple_of : 1;
	const size_t all = plan->size_count;

	if (request->one_size) {
		plan->sizes[0] = request->smallest;
		plan->size_count = 1;
		return 0;
	}
	plan->size_count = 0;
	for (size_t i = 0; i < all; i++) {
		if (plan->sizes[i] % unit == 0)
			plan->sizes[plan->size_count++] = plan->sizes[i];
	}
	plan->multiple_of = unit;
	plan->of_no_multiple = all - plan->size_count;
	return plan->size_count != 0 ?
		       0 :
		       np_refuse(error,
				 "no size is left: a message of %s has a multiple of %zu "
				 "bytes: --sizes %zu",
				 request->operation_name, unit, unit);
}

int np_plan_limit(struct np_plan *plan, size_t longest, struct np_error *error)
{
	const size_t all = plan->size_count;

	plan->longest = longest;
	if (longest == 0)
		return 0;
	if (plan->sizes[0] > longest)
		return np_refuse(error,
				 "no size is left: the connection carries no message "
				 "longer than %zu bytes, and the smallest has %zu",
				 longest, plan->sizes[0]);
	while (plan->sizes[plan->size_count - 1] > longest)
		plan->size_count--;
	plan->too_long_for_connection = all - plan->size_count;
	size_t kept = 0;
	for (size_t i = 0; i < plan->sweep_count; i++) {
		if (plan->sweep[i].length <= longest)
			plan->sweep[kept++] = plan->sweep[i];
	}
	plan->points_left_out += plan->sweep_count - kept;
	plan->sweep_count = kept;
	return 0;
}

enum {
	SMALL_POOL = 4 << 20,	 /* bytes, without -I: room for random slots */
	UNKNOWN_CACHE = 64 << 20 /* bytes, for a last-level cache that is not reported */
};

/* Limits of the pool of one process. */
struct bounds {
	size_t memory;	   /* bytes */
	size_t registered; /* bytes, a multiple of the page size */
	const char *program;
};

static struct bounds bounds_of(const struct np_resources *resources,
			       const struct np_layout *layout)
{
	struct bounds bounds = { .memory = SIZE_MAX,
				 .registered = SIZE_MAX,
				 .program = resources->program };

	if (resources->memory_bytes != 0)
		bounds.memory = resources->share_memory ? resources->memory_bytes / 2 :
							  resources->memory_bytes;
	/* The pool is rounded up to pages when mapped. */
	if (resources->pool_most != 0)
		bounds.registered =
			resources->pool_most - resources->pool_most % layout->part_unit;
	return bounds;
}

static int refuse_memory(size_t bytes, const struct bounds *bounds, const char *what,
			 struct np_error *error)
{
	return np_fail(error, NP_ERROR_USAGE, ENOMEM,
		       "%s needs %zu MiB of memory per process, %zu MiB are available",
		       what, bytes >> 20, bounds->memory >> 20);
}

static bool exceeds_memory(size_t bytes, const struct bounds *bounds)
{
	return bytes > bounds->memory - bounds->memory / 20;
}

/* Refuses a minimum pool (one pair of buffers of the largest size) beyond the bounds. */
static int check_minimum(size_t minimum, const struct bounds *bounds,
			 struct np_error *error)
{
	if (minimum == SIZE_MAX || exceeds_memory(minimum, bounds))
		return refuse_memory(minimum, bounds, "the largest size", error);
	if (minimum > bounds->registered)
		return np_fail(
			error, NP_ERROR_USAGE, ENOMEM,
			"the largest size needs %zu bytes of memory per process, more "
			"than %s can register, %zu MiB; -u sets a smaller one",
			minimum, bounds->program, bounds->registered >> 20);
	return 0;
}

/* Returns the default pool, bytes: four times the last-level cache in distinct lines, so
 * that no line stays cached over a full rotation; plus a pair of buffers, as the last slot
 * may not fit. */
static size_t default_pool(const struct np_request *request,
			   const struct np_resources *resources,
			   const struct np_layout *layout, size_t largest)
{
	const struct np_layout touched = np_layout_touched(layout, request, 0);
	const size_t cache =
		resources->cache_bytes != 0 ? resources->cache_bytes : UNKNOWN_CACHE;
	/* If messages touch only send or only receive buffers, twice the pool has as many
	 * lines. */
	const size_t sides = touched.rotate == NP_ROTATE_BOTH ? 1 : 2;
	const size_t pair = np_layout_bytes(layout, largest, 1);

	return 4 * cache * sides + (pair < SIZE_MAX / 2 ? sides * pair : pair);
}

static size_t round_to_pages(size_t pool, size_t page)
{
	return pool > SIZE_MAX / 2 ? pool : (pool + page - 1) / page * page;
}

/* Rounds a pool up so that all its registered parts have the same number of whole pages. */
static size_t round_to_parts(const struct np_layout *layout, size_t pool)
{
	const size_t unit = layout->part_unit;
	const uint64_t parts = layout->parts;

	if (parts <= 1 || parts > pool / unit || pool > SIZE_MAX / 2)
		return pool;
	return (pool + unit * (size_t)parts - 1) / (unit * (size_t)parts) * unit *
	       (size_t)parts;
}

/* Returns the pool, bytes, in which each part holds a pair of buffers of `largest` bytes; 0
 * for the default sizes, up to 8 MiB, which would need gigabytes. */
static size_t pool_for_parts(const struct np_options *options,
			     const struct np_layout *layout, size_t largest)
{
	const bool asked = np_plan_asks_sizes(options) || options->expect != NULL ||
			   options->capacity != 0 || options->why != 0;

	return layout->parts > 1 && asked ?
		       np_layout_bytes(layout, largest, layout->parts) :
		       0;
}

/* Omits sizes that no part of the pool can hold. */
static int plan_parts(const struct np_layout *layout, const struct np_request *request,
		      struct np_plan *plan, struct np_error *error)
{
	const size_t unit = layout->part_unit;
	/* Pages of the pool when mapped. */
	const size_t pages = plan->pool_bytes / unit + (plan->pool_bytes % unit != 0);
	const size_t all = plan->size_count;
	struct np_cut cut;

	plan->parts = layout->parts;
	if (layout->parts == 1)
		return 0;
	if (layout->parts > pages)
		return np_refuse(error,
				 "--regions %" PRIu64
				 ": the pool has no more than %zu pages of %zu KiB",
				 layout->parts, pages, unit >> 10);
	while (plan->size_count > 0 &&
	       np_layout_cut(layout, pages * unit,
			     np_layout_buffer(request, plan->sizes[plan->size_count - 1]),
			     &cut) != 0)
		plan->size_count--;
	plan->too_large_for_parts = all - plan->size_count;
	plan->largest_asked = plan->sizes[all - 1];
	plan->pool_for_largest = np_layout_bytes(
		layout, np_layout_buffer(request, plan->largest_asked), layout->parts);
	if (plan->size_count == 0)
		return np_refuse(error,
				 "--regions %" PRIu64
				 ": a part has %zu bytes and holds no two buffers of "
				 "%zu; %zu needs --pool %zuM",
				 layout->parts, np_layout_part_size(layout, pages * unit),
				 plan->sizes[0], plan->largest_asked,
				 np_plan_mebibytes(plan->pool_for_largest));
	return 0;
}

/* Without --pool: at most half of the available memory, at least the largest size. */
static void limit_pool(size_t wanted, size_t minimum, const struct bounds *bounds,
		       struct np_plan *plan)
{
	const size_t half = bounds->memory / 2 > minimum ? bounds->memory / 2 : minimum;

	plan->pool_bytes = wanted;
	plan->pool_cut = NP_POOL_WHOLE;
	if (plan->pool_bytes > half) {
		plan->pool_bytes = half;
		plan->pool_cut = NP_POOL_MEMORY;
	}
	if (plan->pool_bytes > bounds->registered) {
		plan->pool_bytes = bounds->registered;
		plan->pool_cut = NP_POOL_REGISTRATION;
	}
}

/* Sets the pool to --pool bytes, within the bounds. */
static int take_given_pool(size_t pool, size_t minimum, const struct bounds *bounds,
			   struct np_plan *plan, struct np_error *error)
{
	if (pool < minimum)
		return np_refuse(error,
				 "--pool %zu is smaller than the two buffers of the "
				 "largest size, %zu bytes",
				 pool, minimum);
	if (exceeds_memory(pool, bounds))
		return refuse_memory(pool, bounds, "--pool", error);
	plan->pool_bytes = pool < bounds->registered ? pool : bounds->registered;
	plan->pool_cut = pool > bounds->registered ? NP_POOL_REGISTRATION : NP_POOL_WHOLE;
	return 0;
}

/* Sets pool_bytes, pool_cut and parts, and omits sizes that no part holds. */
static int plan_pool(const struct np_options *options, const struct np_request *request,
		     const struct np_resources *resources, struct np_plan *plan,
		     struct np_error *error)
{
	const struct np_layout parted = np_layout_of(options, request->head_room);
	const struct bounds bounds = bounds_of(resources, &parted);
	const size_t largest = np_layout_buffer(request, plan->sizes[plan->size_count - 1]);
	struct np_layout layout = parted;

	/* Computed for one part: sizes that no part holds are omitted later. */
	layout.parts = 1;
	const size_t minimum = np_layout_bytes(&layout, largest, 1);
	int rc = check_minimum(minimum, &bounds, error);
	if (rc != 0)
		return rc;
	size_t wanted = np_layout_bytes(&layout, largest, 2);
	if (wanted < SMALL_POOL)
		wanted = SMALL_POOL;
	if (np_options_rotate(options))
		wanted = default_pool(request, resources, &layout, largest);
	if (options->points != NULL) {
		const size_t needed = np_points_pool(options->points, &layout, request);

		/* One side rotates: twice the pool has as many lines. */
		wanted = needed / 2 < wanted ? needed : 2 * wanted;
	}
	/* --why also maps the pool in huge pages, rounded up: both must hold as many
	 * buffers. */
	if (options->why != 0)
		wanted = round_to_pages(wanted, np_page_size(NP_PAGES_2M));
	const size_t for_parts = pool_for_parts(options, &parted, largest);
	if (wanted < for_parts)
		wanted = for_parts;
	if (options->pool != 0)
		rc = take_given_pool(options->pool, minimum, &bounds, plan, error);
	else
		limit_pool(round_to_parts(&parted, wanted), minimum, &bounds, plan);
	/* Without rotation a smaller pool changes nothing: it is not reported as cut. */
	if (!np_options_rotate(options))
		plan->pool_cut = NP_POOL_WHOLE;
	return rc == 0 ? plan_parts(&parted, request, plan, error) : rc;
}

/* Returns the largest number of buffers (or queue pairs) on an axis of the capacity sweep;
 * the axis is omitted if it is below 2. */
static uint64_t count_along(const struct np_options *options,
			    const struct np_request *request,
			    const struct np_layout *layout, const struct np_cut *cut,
			    enum np_axis axis)
{
	const uint64_t all = np_layout_buffers(layout, cut, axis);

	switch (axis) {
	case NP_AXIS_QUEUE_PAIRS:
		return request->queue_pairs;
	case NP_AXIS_PAGES:
		/* If every slot fills whole pages, both axes have the same points. */
		return all == np_layout_buffers(layout, cut, NP_AXIS_LINES) ? 0 : all;
	case NP_AXIS_LARGE_PAGES:
		return options->pages != NP_PAGES_4K ? all : 0;
	case NP_AXIS_REGISTRATIONS:
		return layout->parts > 1 ? all : 0;
	default:
		return all;
	}
}

/* Adds points of an axis: 1, 2, 3, 4, 6, 8, 12 ..., and all. */
static void plan_axis(struct np_plan *plan, enum np_axis axis, uint64_t all)
{
	/* The last point is `all`: points less than 1/16 below it are omitted. */
	for (uint64_t power = 1; power < all - all / 16; power *= 2) {
		plan->sweep[plan->sweep_count++] =
			(struct np_sweep){ .axis = axis, .buffers = power };
		if (power > 1 && power + power / 2 < all - all / 16)
			plan->sweep[plan->sweep_count++] =
				(struct np_sweep){ .axis = axis,
						   .buffers = power + power / 2 };
	}
	plan->sweep[plan->sweep_count++] =
		(struct np_sweep){ .axis = axis, .buffers = all };
}

/* Sets the points of --capacity. */
static int plan_sweep(const struct np_options *options, const struct np_request *request,
		      struct np_plan *plan, struct np_error *error)
{
	const struct np_layout layout = np_layout_of(options, request->head_room);
	struct np_cut cut;

	if (options->capacity == 0 && options->points == NULL)
		return 0;
	plan->sweep = calloc((size_t)NP_AXES * 2 * 64, sizeof(*plan->sweep));
	if (plan->sweep == NULL)
		return np_fail_errno(error, ENOMEM, "cannot plan a sweep");
	if (options->points != NULL)
		return np_points_plan(options->points, &layout, request, plan, error);
	if (np_layout_cut(&layout, plan->pool_bytes,
			  np_layout_buffer(request, plan->sizes[0]), &cut) != 0)
		return np_refuse(error,
				 "--capacity: the pool of %zu bytes has no room for two "
				 "buffers of %zu",
				 plan->pool_bytes, plan->sizes[0]);
	for (enum np_axis axis = NP_AXIS_LINES; axis <= NP_AXIS_QUEUE_PAIRS; axis++) {
		const uint64_t all = count_along(options, request, &layout, &cut, axis);

		if (all >= 2)
			plan_axis(plan, axis, all);
	}
	if (plan->sweep_count == 0)
		return np_refuse(error,
				 "--capacity: the pool of %zu bytes has one pair of "
				 "buffers of %zu; --pool sets a larger one",
				 plan->pool_bytes, plan->sizes[0]);
	return 0;
}

enum {
	TABLE_ENTRIES = 1 << 17, /* slots that a block uses before it repeats them */
	TABLE_MAX = 1 << 25,	 /* 512 MiB of table */
	CHECK_VOLUME = 16 << 20	 /* bytes of each size under -i */
};

enum np_operation np_plan_operation(const struct np_options *options)
{
	if (options->stream)
		return options->window == 1 ? NP_STREAM_ACKED : NP_STREAM;
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
		{ options->window > 1, NP_CAN_WINDOW, "--window above 1" },
		{ options->window != 0 && options->bidirectional, NP_CAN_WINDOW_BOTH,
		  "--window with -2" },
		{ (options->buffers & NP_BUFFERS_SAME) != 0, NP_CAN_SAME_BUFFER,
		  "--buffers same" },
		{ (options->buffers & NP_BUFFERS_FRESH) != 0, NP_CAN_FRESH,
		  "--buffers fresh" },
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
	if (np_options_reuse(options))
		plan->modes[plan->mode_count++] = NP_MODE_REUSE;
	if (np_options_rotate(options))
		plan->modes[plan->mode_count++] = NP_MODE_ROTATE;
	/* The control, a ratio of equal modes, accompanies comparisons only. */
	const bool compares = options->invalidate ||
			      (plan->variant_count > 1 && !np_options_rotate(options));
	if (compares && np_options_reuse(options) && !options->integrity)
		plan->modes[plan->mode_count++] = NP_MODE_CONTROL;
	if ((options->buffers & NP_BUFFERS_FRESH) != 0)
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

bool np_plan_has_mode(const struct np_plan *plan, enum np_mode mode)
{
	for (size_t i = 0; i < plan->mode_count; i++) {
		if (plan->modes[i] == mode)
			return true;
	}
	return false;
}

bool np_plan_measures(const struct np_plan *plan, enum np_mode mode, size_t variant)
{
	return mode != NP_MODE_CONTROL || variant == 0 ||
	       np_plan_has_mode(plan, NP_MODE_ROTATE);
}

size_t np_plan_measured(const struct np_plan *plan)
{
	size_t count = 0;

	for (size_t variant = 0; variant < plan->variant_count; variant++) {
		for (size_t mode = 0; mode < plan->mode_count; mode++)
			count += np_plan_measures(plan, plan->modes[mode], variant);
	}
	return count * (1 + np_conditions_asked(plan->conditions));
}

double np_plan_estimate(const struct np_options *options, const struct np_request *request)
{
	struct np_plan plan = { .sweep_count = options->capacity != 0 };

	plan_modes(options, request, &plan);
	for (enum np_factor factor = 0; factor < NP_FACTORS; factor++)
		plan.conditions[factor].asked = options->why != 0;
	return np_budget_estimate(options, &plan);
}

double np_plan_run_time(const struct np_options *options, const struct np_request *request)
{
	const double hour = 3600, tolerance = 10;

	return options->max_run_time != 0 ?
		       options->max_run_time :
		       fmax(hour, tolerance * np_plan_estimate(options, request));
}

uint64_t np_plan_runs(const struct np_options *options)
{
	const struct np_request nothing = { .variant_count = 0 };
	struct np_plan plan = { .mode_count = 0 };

	plan_modes(options, &nothing, &plan);
	if (options->separate_runs != 0)
		return options->runs * options->separate_runs;
	return options->runs * (np_options_apart(options) ? plan.mode_count : 1);
}

size_t np_plan_turn(size_t count, unsigned index, unsigned *round)
{
	*round = index / (unsigned)count;
	return np_balanced_at(count, *round, index % count);
}

unsigned np_plan_run(const struct np_options *options, unsigned index, struct np_plan *plan)
{
	const size_t modes = plan->mode_count;
	unsigned round = index;

	if (options->separate_runs != 0)
		np_plan_turn(options->separate_runs, index, &round);
	if (!np_options_apart(options))
		return round;
	plan->modes[0] = plan->modes[np_plan_turn(modes, index, &round)];
	plan->mode_count = 1;
	plan->budget_ns /= modes;
	return round;
}

size_t np_plan_capacity(const struct np_options *options)
{
	uint64_t entries = TABLE_ENTRIES;
	const uint64_t asked = options->messages;

	/* Room for the slots of four samples: a block has at least a warm-up sample and two
	 * more. */
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
		rc = choose_sizes(request, plan, error);
	if (rc != 0)
		return rc;
	plan_modes(options, request, plan);
	rc = plan_pool(options, request, resources, plan, error);
	if (rc == 0)
		rc = np_budget_refuse(options, resources, plan, error);
	if (rc != 0)
		return rc;
	plan_conditions(options, request, resources, plan);
	rc = plan_sweep(options, request, plan, error);
	if (rc != 0)
		return rc;
	plan->capacity = np_plan_capacity(options);
	np_budget_plan(options, resources, plan);
	if ((options->buffers & NP_BUFFERS_FRESH) != 0)
		plan->block_bytes = NP_FRESH_BYTES;
	/* Each receive of a burst has its own buffer: in the reuse mode, too, all buffers
	 * of a block have to stay in the cache. */
	if (options->burst) {
		const size_t cache = resources->cache_bytes != 0 ? resources->cache_bytes :
								   NP_FRESH_BYTES;

		if (plan->block_bytes == 0 || cache / 4 < plan->block_bytes)
			plan->block_bytes = cache / 4;
	}
	/* Touched buffers of a block have to fit in half of the second-level cache. */
	if ((options->buffers & NP_BUFFERS_TOUCHED) != 0 || plan->alternate)
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
