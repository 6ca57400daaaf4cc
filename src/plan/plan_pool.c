/*
 * plan_pool.c - how much memory each end rotates through: as much as keeps every
 * lap out of the caches, within what there is and what can be registered.
 */
#include "plan/plan.h"

#include <errno.h>
#include <inttypes.h>

#include "contract/np_module.h"
#include "machine/pool.h"

enum {
	SMALL_POOL = 4 << 20, /* without -I: a variant of places for the one buffer */
	UNKNOWN_CACHE = 64 << 20
};

/* What the pool of one end may take. */
struct bounds {
	size_t memory;	   /* bytes */
	size_t registered; /* bytes, whole pages */
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
	/* What is mapped is rounded up to pages. */
	if (resources->pool_most != 0)
		bounds.registered =
			resources->pool_most - resources->pool_most % layout->part_unit;
	return bounds;
}

static int refuse_memory(size_t bytes, const struct bounds *bounds, const char *what,
			 struct np_error *error)
{
	return np_fail(error, NP_ERROR_USAGE, ENOMEM,
		       "%s needs %zu MiB of memory at each end, %zu MiB are available",
		       what, bytes >> 20, bounds->memory >> 20);
}

static bool exceeds_memory(size_t bytes, const struct bounds *bounds)
{
	return bytes > bounds->memory - bounds->memory / 20;
}

/* The one thing that no cut can help: two buffers of the largest size. */
static int check_least(size_t least, const struct bounds *bounds, struct np_error *error)
{
	if (least == SIZE_MAX || exceeds_memory(least, bounds))
		return refuse_memory(least, bounds, "the largest size", error);
	if (least > bounds->registered)
		return np_fail(
			error, NP_ERROR_USAGE, ENOMEM,
			"the largest size needs %zu bytes of memory at each end, more "
			"than %s can register at an end, %zu MiB; -u sets a smaller one",
			least, bounds->program, bounds->registered >> 20);
	return 0;
}

/* The pool that keeps every lap out of the caches: four times the last level
 * in distinct lines, whatever is lost to the end that no buffer fits in. */
static size_t wanted_pool(const struct np_request *request,
			  const struct np_resources *resources,
			  const struct np_layout *layout, size_t largest)
{
	const struct np_layout touched = np_layout_touched(layout, request, 0);
	const size_t cache =
		resources->cache_bytes != 0 ? resources->cache_bytes : UNKNOWN_CACHE;
	/* Where an end touches one side only, it takes twice the pool. */
	const size_t sides = touched.rotate == NP_ROTATE_BOTH ? 1 : 2;
	const size_t pair = np_layout_bytes(layout, largest, 1);

	return 4 * cache * sides + (pair < SIZE_MAX / 2 ? sides * pair : pair);
}

static size_t whole_pages(size_t pool, size_t page)
{
	return pool > SIZE_MAX / 2 ? pool : (pool + page - 1) / page * page;
}

/* Parts are whole pages; rounded up, so that cutting loses none. */
static size_t whole_parts(const struct np_layout *layout, size_t pool)
{
	const size_t unit = layout->part_unit;
	const uint64_t parts = layout->parts;

	if (parts == 1 || parts > pool / unit || pool > SIZE_MAX / 2)
		return pool;
	return (pool + unit * (size_t)parts - 1) / (unit * (size_t)parts) * unit *
	       (size_t)parts;
}

/* Leaves out the sizes that no part of the pool can hold. */
static int plan_parts(const struct np_layout *layout, struct np_plan *plan,
		      struct np_error *error)
{
	const size_t unit = layout->part_unit;
	/* As it will be mapped. */
	const size_t pages = plan->pool_bytes / unit + (plan->pool_bytes % unit != 0);
	const size_t all = plan->size_count;
	struct np_cut cut;

	plan->parts = layout->parts;
	if (layout->parts == 1)
		return 0;
	if (layout->parts > pages)
		return np_fail(error, NP_ERROR_USAGE, EINVAL,
			       "--regions %" PRIu64
			       ": the pool has no more than %zu pages of %zu KiB",
			       layout->parts, pages, unit >> 10);
	while (plan->size_count > 0 &&
	       np_layout_cut(layout, pages * unit, plan->sizes[plan->size_count - 1],
			     &cut) != 0)
		plan->size_count--;
	plan->too_large_for_parts = all - plan->size_count;
	if (plan->size_count == 0)
		return np_fail(error, NP_ERROR_USAGE, EINVAL,
			       "--regions %" PRIu64
			       ": a part has %zu bytes and holds no two buffers of %zu",
			       layout->parts, np_layout_part_size(layout, pages * unit),
			       plan->sizes[0]);
	return 0;
}

/* Half of what is there is taken without asking; beyond it only what the
 * largest size cannot do without. */
static void take_pool(size_t wanted, size_t least, const struct bounds *bounds,
		      struct np_plan *plan)
{
	const size_t half = bounds->memory / 2 > least ? bounds->memory / 2 : least;

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

/* The pool that the user has fixed. */
static int take_pool_of_user(size_t pool, size_t least, const struct bounds *bounds,
			     struct np_plan *plan, struct np_error *error)
{
	if (pool < least)
		return np_fail(error, NP_ERROR_USAGE, EINVAL,
			       "--pool %zu is smaller than the two buffers of the "
			       "largest size, %zu bytes",
			       pool, least);
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
	const struct np_layout parted = np_layout_of(options, np_layout_room(request));
	const struct bounds bounds = bounds_of(resources, &parted);
	const size_t largest = plan->sizes[plan->size_count - 1];
	struct np_layout layout = parted;

	/* As if it were registered as a whole: what no part can hold is left out. */
	layout.parts = 1;
	const size_t least = np_layout_bytes(&layout, largest, 1);
	int rc = check_least(least, &bounds, error);
	if (rc != 0)
		return rc;
	size_t wanted = np_layout_bytes(&layout, largest, 2);
	if (wanted < SMALL_POOL)
		wanted = SMALL_POOL;
	if (np_options_rotate(options))
		wanted = wanted_pool(request, resources, &layout, largest);
	/* Large pages, which --why compares with, are to hold no more buffers. */
	if (options->why != 0)
		wanted = whole_pages(wanted, np_pool_page_size(NP_PAGES_2M));
	if (options->pool != 0)
		rc = take_pool_of_user(options->pool, least, &bounds, plan, error);
	else
		take_pool(whole_parts(&parted, wanted), least, &bounds, plan);
	/* One warm buffer wants no more than it gets. */
	if (!np_options_rotate(options))
		plan->pool_cut = NP_POOL_WHOLE;
	return rc == 0 ? plan_parts(&parted, plan, error) : rc;
}
