/*
 * plan_pool.c - size of the buffer pool: larger than the caches, within the available
 * memory and the limit of registration.
 */
#include "plan/plan.h"

#include <errno.h>
#include <inttypes.h>

#include "contract/np_module.h"
#include "plan/pages.h"

enum {
	SMALL_POOL = 4 << 20, /* without -I: room for random slots */
	UNKNOWN_CACHE = 64 << 20
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

/* The pool must hold at least one buffer pair of the largest size. */
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

/* Default pool, bytes: four times the last-level cache in distinct lines, so that no
 * line survives a full rotation, plus a pair for the remainder at the end. */
static size_t default_pool(const struct np_request *request,
			   const struct np_resources *resources,
			   const struct np_layout *layout, size_t largest)
{
	const struct np_layout touched = np_layout_touched(layout, request, 0);
	const size_t cache =
		resources->cache_bytes != 0 ? resources->cache_bytes : UNKNOWN_CACHE;
	/* With one side touched, twice the pool has as many lines. */
	const size_t sides = touched.rotate == NP_ROTATE_BOTH ? 1 : 2;
	const size_t pair = np_layout_bytes(layout, largest, 1);

	return 4 * cache * sides + (pair < SIZE_MAX / 2 ? sides * pair : pair);
}

static size_t round_to_pages(size_t pool, size_t page)
{
	return pool > SIZE_MAX / 2 ? pool : (pool + page - 1) / page * page;
}

/* Parts are whole pages: rounded up, so that none is lost. */
static size_t round_to_parts(const struct np_layout *layout, size_t pool)
{
	const size_t unit = layout->part_unit;
	const uint64_t parts = layout->parts;

	if (parts <= 1 || parts > pool / unit || pool > SIZE_MAX / 2)
		return pool;
	return (pool + unit * (size_t)parts - 1) / (unit * (size_t)parts) * unit *
	       (size_t)parts;
}

/* Pool in which each part holds a pair of `largest` bytes, if the options name sizes;
 * else 0.  For the default sizes, up to 8 MiB, it would be gigabytes. */
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
	/* The mapped pool, rounded up. */
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

/* Takes the pool of --pool. */
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

int np_plan_pool(const struct np_options *options, const struct np_request *request,
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
	/* --why compares with huge pages, which must hold no more buffers. */
	if (options->why != 0)
		wanted = round_to_pages(wanted, np_page_size(NP_PAGES_2M));
	const size_t for_parts = pool_for_parts(options, &parted, largest);
	if (wanted < for_parts)
		wanted = for_parts;
	if (options->pool != 0)
		rc = take_given_pool(options->pool, minimum, &bounds, plan, error);
	else
		limit_pool(round_to_parts(&parted, wanted), minimum, &bounds, plan);
	/* A reused buffer needs no larger pool. */
	if (!np_options_rotate(options))
		plan->pool_cut = NP_POOL_WHOLE;
	return rc == 0 ? plan_parts(&parted, request, plan, error) : rc;
}
