/*
 * test_plan_pool.c - pools that are cold, and memory that is short.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>

#include "planned.h"

/* Each size of a plan fits its pool; with cold_bytes, is cold in it too. */
static void assert_pool(const struct np_options *options, const struct np_plan *plan,
			size_t cold_bytes)
{
	const struct np_layout layout = np_layout_of(options, 0);
	const struct np_request request = { .operation = plan->operation };
	struct np_layout touched[2];
	struct np_cut cut;

	for (int rank = 0; rank < 2; rank++)
		touched[rank] = np_layout_touched(&layout, &request, rank);
	for (size_t i = 0; i < plan->size_count; i++) {
		assert_int_equal(
			np_layout_cut(&layout, plan->pool_bytes, plan->sizes[i], &cut), 0);
		for (int rank = 0; rank < 2 && plan->sizes[i] != 0; rank++)
			assert_true(np_layout_lines(&touched[rank], &cut, 64) * 64 >=
				    4 * cold_bytes);
	}
}

static void check_pool_is_cold(void **state)
{
	static const size_t caches[] = { 1, 2, 4, 8, 19, 32, 33, 45, 64, 256, 260, 1024 };
	enum { CACHES = sizeof(caches) / sizeof(*caches) };
	struct np_options options = default_options();
	struct np_resources resources = roomy();
	struct np_plan plan;

	(void)state;
	options.invalidate = true;
	for (unsigned i = 0; i < CACHES * 3; i++) {
		options.buffers = (unsigned)NP_BUFFERS_ROTATE << i / CACHES;
		resources.cache_bytes = caches[i % CACHES] * mib;
		make_plan(&options, &resources, &plan);
		assert_int_equal(plan.size_count, 124);
		assert_false(plan.pool_cut);
		assert_pool(&options, &plan, resources.cache_bytes);
		np_plan_free(&plan);
	}
	/* Each end of a stream touches its own side alone. */
	options.buffers = NP_BUFFERS_ROTATE;
	options.stream = true;
	for (unsigned i = 0; i < CACHES; i++) {
		resources.cache_bytes = caches[i] * mib;
		make_plan(&options, &resources, &plan);
		assert_pool(&options, &plan, resources.cache_bytes);
		np_plan_free(&plan);
	}
}

static void assert_sides(enum np_one_sided_kind step, enum np_rotate_side first,
			 enum np_rotate_side second)
{
	struct np_options options = default_options();
	const struct np_layout layout = np_layout_of(&options, 0);
	const struct np_request request = { .operation = NP_ONE_SIDED, .step = step };

	assert_int_equal(np_layout_touched(&layout, &request, 0).rotate, first);
	assert_int_equal(np_layout_touched(&layout, &request, 1).rotate, second);
}

/* Each end of a put or a get touches its own side alone, too; a copy has both. */
static void check_pool_of_steps(void **state)
{
	static const enum np_one_sided_kind kinds[] = { NP_ONE_SIDED_COPY, NP_ONE_SIDED_PUT,
							NP_ONE_SIDED_GET };
	struct np_options options = default_options();
	const struct np_resources resources = roomy();
	struct np_error error = { 0 };
	size_t pools[3];

	(void)state;
	assert_sides(NP_ONE_SIDED_COPY, NP_ROTATE_BOTH, NP_ROTATE_BOTH);
	assert_sides(NP_ONE_SIDED_PUT, NP_ROTATE_SEND, NP_ROTATE_RECV);
	assert_sides(NP_ONE_SIDED_GET, NP_ROTATE_RECV, NP_ROTATE_SEND);
	options.invalidate = true;
	for (unsigned i = 0; i < 3; i++) {
		const struct np_request request = { .operation = NP_ONE_SIDED,
						    .step = kinds[i] };
		struct np_plan plan;

		assert_int_equal(
			np_plan_make(&options, &request, &resources, &plan, &error), 0);
		pools[i] = plan.pool_bytes;
		np_plan_free(&plan);
	}
	assert_int_equal(pools[1], 2 * pools[0]);
	assert_int_equal(pools[2], 2 * pools[0]);
}

/* A cache that is not reported is taken for a large one, not for none. */
static void check_unknown_cache(void **state)
{
	struct np_options options = default_options();
	struct np_resources resources = roomy();
	struct np_plan plan;

	(void)state;
	options.invalidate = true;
	resources.cache_bytes = 0;
	resources.memory_bytes = 0;
	make_plan(&options, &resources, &plan);
	assert_pool(&options, &plan, 64 * mib);
	np_plan_free(&plan);
}

/* Guards, offsets and alignment take room, and every size fits all the same. */
static void check_every_size_fits(void **state)
{
	struct np_options options = default_options();
	const struct np_resources resources = roomy();
	struct np_plan plan;

	(void)state;
	for (unsigned i = 0; i < 64; i++) {
		options.invalidate = i % 2 != 0;
		options.integrity = i / 2 % 2 != 0;
		options.align = i / 4 % 2 != 0 ? 4096 : 64;
		options.offsets[0] = i / 8 % 2 != 0 ? 100000 : 0;
		options.lower = i / 16 % 2 != 0 ? 0 : 1;
		options.upper = i / 32 % 2 != 0 ? 1 : 8 * mib;
		make_plan(&options, &resources, &plan);
		assert_pool(&options, &plan, 0);
		np_plan_free(&plan);
	}
}

/* Without -I two pairs of the largest are enough for a variant of places. */
static void check_pool_of_reuse(void **state)
{
	struct np_options options = default_options();
	const struct np_resources resources = roomy();
	struct np_plan plan;

	(void)state;
	make_plan(&options, &resources, &plan);
	assert_true(plan.pool_bytes >= 4 * (8 * mib + 3));
	assert_true(plan.pool_bytes < 33 * mib);
	assert_false(plan.pool_cut);
	np_plan_free(&plan);
	options.upper = 64;
	make_plan(&options, &resources, &plan);
	assert_int_equal(plan.pool_bytes, 4 * mib);
	np_plan_free(&plan);
}

static void check_pool_of_the_user(void **state)
{
	struct np_options options = default_options();
	struct np_resources resources = roomy();
	struct np_plan plan;

	(void)state;
	options.invalidate = true;
	options.pool = 16777344; /* twice 8388611, at 64 bytes */
	make_plan(&options, &resources, &plan);
	assert_int_equal(plan.pool_bytes, 16777344);
	assert_false(plan.pool_cut);
	np_plan_free(&plan);
	options.pool--;
	assert_refused(
		&options, &resources, -EINVAL,
		"--pool 16777343 is smaller than the two buffers of the largest size, "
		"16777344 bytes");
	/* Beyond half of the memory is the user's own wish; all of it is not. */
	resources.memory_bytes = 1000 * mib;
	options.pool = 940 * mib;
	make_plan(&options, &resources, &plan);
	assert_int_equal(plan.pool_bytes, 940 * mib);
	np_plan_free(&plan);
	options.pool = 960 * mib;
	assert_refused(
		&options, &resources, -ENOMEM,
		"--pool needs 960 MiB of memory per process, 1000 MiB are available");
	options.pool = 510 * mib;
	resources.share_memory = true;
	assert_refused(&options, &resources, -ENOMEM,
		       "--pool needs 510 MiB of memory per process, 500 MiB are available");
}

static void check_memory_short(void **state)
{
	struct np_options options = default_options();
	struct np_resources resources = roomy();
	struct np_plan plan;

	(void)state;
	/* 4 x 32 MiB and a pair would be cold; half of 200 MiB is less. */
	options.invalidate = true;
	resources.memory_bytes = 200 * mib;
	make_plan(&options, &resources, &plan);
	assert_true(plan.pool_cut);
	assert_int_equal(plan.pool_bytes, 100 * mib);
	assert_pool(&options, &plan, 0);
	np_plan_free(&plan);
	/* Two ends on this host share it. */
	resources.share_memory = true;
	make_plan(&options, &resources, &plan);
	assert_true(plan.pool_cut);
	assert_int_equal(plan.pool_bytes, 50 * mib);
	np_plan_free(&plan);
	/* Less than the largest size takes is no pool at all. */
	resources.memory_bytes = 36 * mib;
	make_plan(&options, &resources, &plan);
	assert_true(plan.pool_cut);
	assert_int_equal(plan.pool_bytes, 16777344);
	assert_pool(&options, &plan, 0);
	np_plan_free(&plan);
	resources.memory_bytes = 32 * mib;
	assert_refused(&options, &resources, -ENOMEM,
		       "the largest size needs 16 MiB of memory per process, 16 MiB are "
		       "available");
	/* Reuse is not cut down: it wants no more than it gets. */
	options.invalidate = false;
	resources.memory_bytes = 80 * mib;
	make_plan(&options, &resources, &plan);
	assert_false(plan.pool_cut);
	assert_int_equal(plan.pool_bytes, 20 * mib);
	np_plan_free(&plan);
}

/* What no part of the pool can hold is left out, and not the run refused. */
static void check_parts(void **state)
{
	struct np_options options = default_options();
	const struct np_resources resources = roomy();
	struct np_plan plan;

	(void)state;
	options.invalidate = true;
	for (options.regions = 1; options.regions < 20000; options.regions *= 3) {
		make_plan(&options, &resources, &plan);
		assert_int_equal(plan.size_count + plan.too_large_for_parts, 124);
		assert_pool(&options, &plan, 0);
		assert_int_equal(plan.too_large_for_parts == 0, options.regions <= 9);
		assert_true(plan.pool_bytes <
			    (size_t)4 * 32 * mib + 17 * mib + options.regions * 4096);
		np_plan_free(&plan);
	}
	/* Where all fit there is nothing more to say. */
	options.sizes = "1K";
	options.regions = 1000;
	make_plan(&options, &resources, &plan);
	assert_int_equal(plan.too_large_for_parts, 0);
	np_plan_free(&plan);
	/* What is asked for fits; with a pool too small for it, the pool is named. */
	options.sizes = "100K,200K";
	options.regions = 2000;
	make_plan(&options, &resources, &plan);
	assert_int_equal(plan.too_large_for_parts, 0);
	assert_int_equal(plan.size_count, 2);
	assert_true(plan.pool_bytes >= (size_t)2000 * 400 * 1024);
	np_plan_free(&plan);
	options.pool = 500 * mib;
	make_plan(&options, &resources, &plan);
	assert_int_equal(plan.too_large_for_parts, 1);
	assert_int_equal(plan.largest_asked, 200 << 10);
	const size_t needed = np_plan_mebibytes(plan.pool_for_largest);
	np_plan_free(&plan);
	options.pool = needed * mib;
	make_plan(&options, &resources, &plan);
	assert_int_equal(plan.too_large_for_parts, 0);
	np_plan_free(&plan);
	options.pool = 100 * mib;
	assert_refused(&options, &resources, -EINVAL,
		       "--regions 2000: a part has 49152 bytes and holds no two buffers of "
		       "102400; 204800 needs --pool 782M");
	options.pool = 4 * mib;
	options.sizes = "4";
	options.regions = 1025;
	assert_refused(&options, &resources, -EINVAL,
		       "--regions 1025: the pool has no more than 1024 pages of 4 KiB");
	options.regions = 1024;
	make_plan(&options, &resources, &plan);
	np_plan_free(&plan);
}

/* What may be registered bounds the pool, the user's own too. */
static void check_registration(void **state)
{
	struct np_options options = default_options();
	struct np_resources resources = roomy();
	struct np_plan plan;

	(void)state;
	resources.program = "NPtoy";
	resources.pool_most = 16777344; /* twice 8388611 at 64 bytes, and no page */
	options.invalidate = true;
	assert_refused(&options, &resources, -ENOMEM,
		       "the largest size needs 16777344 bytes of memory per process, more "
		       "than NPtoy can register, 16 MiB; -u sets a smaller one");
	resources.pool_most += 4096;
	make_plan(&options, &resources, &plan);
	assert_int_equal(plan.pool_cut, NP_POOL_REGISTRATION);
	assert_true(plan.pool_bytes <= resources.pool_most);
	assert_int_equal(plan.pool_bytes % 4096, 0);
	assert_pool(&options, &plan, 0);
	np_plan_free(&plan);
	options.pool = 100 * mib;
	make_plan(&options, &resources, &plan);
	assert_int_equal(plan.pool_cut, NP_POOL_REGISTRATION);
	assert_true(plan.pool_bytes <= resources.pool_most);
	np_plan_free(&plan);
	/* What fits is not cut, and reuse does not miss what it does not get. */
	options.pool = 0;
	resources.pool_most = 1000 * mib;
	make_plan(&options, &resources, &plan);
	assert_int_equal(plan.pool_cut, NP_POOL_WHOLE);
	np_plan_free(&plan);
	resources.pool_most = 20 * mib;
	options.invalidate = false;
	make_plan(&options, &resources, &plan);
	assert_int_equal(plan.pool_cut, NP_POOL_WHOLE);
	assert_int_equal(plan.pool_bytes, 20 * mib);
	np_plan_free(&plan);
}

static void check_huge_sizes(void **state)
{
	struct np_options options = default_options();
	struct np_resources resources = roomy();
	struct np_plan plan;
	struct np_error error;

	(void)state;
	options.sizes = "2G,4G";
	make_plan(&options, &resources, &plan);
	assert_pool(&options, &plan, 0);
	np_plan_free(&plan);
	resources.memory_bytes = (size_t)8 << 30;
	assert_refused(
		&options, &resources, -ENOMEM,
		"the largest size needs 8192 MiB of memory per process, 8192 MiB are "
		"available");
	/* More than the address space, whatever the memory. */
	options.sizes = "15000000T";
	for (unsigned i = 0; i < 2; i++) {
		resources.memory_bytes = 0;
		options.invalidate = i != 0;
		assert_int_equal(try_plan(&options, &resources, &plan, &error), -ENOMEM);
		assert_int_equal(error.kind, NP_ERROR_USAGE);
		np_plan_free(&plan);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_pool_is_cold),
		cmocka_unit_test(check_pool_of_steps),
		cmocka_unit_test(check_unknown_cache),
		cmocka_unit_test(check_every_size_fits),
		cmocka_unit_test(check_pool_of_reuse),
		cmocka_unit_test(check_pool_of_the_user),
		cmocka_unit_test(check_memory_short),
		cmocka_unit_test(check_parts),
		cmocka_unit_test(check_registration),
		cmocka_unit_test(check_huge_sizes),
	};

	return cmocka_run_group_tests_name("plan_pool", tests, NULL, NULL);
}
