/*
 * test_sim_memory.c - costs of buffer accesses against computation by hand.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "modules/sim/sim_private.h"

/* Makes a memory of 1 MiB for a profile. */
static void make_memory(struct np_sim_memory *memory, const struct np_sim_profile *profile,
			struct np_sim_space *space, size_t length)
{
	static const unsigned char base;

	*memory = (struct np_sim_memory){ .profile = NULL };
	*space = (struct np_sim_space){ .region = { .base = &base, .length = 1 << 20 },
					.fresh_begin = 1 << 21,
					.parts = 4,
					.part_size = 1 << 18 };
	assert_int_equal(np_sim_memory_make(memory, profile), 0);
	assert_int_equal(np_sim_memory_renew(memory, space, 1), 0);
	assert_int_equal(np_sim_memory_arm(memory, space, length), 0);
}

static struct np_sim_cost use_at(struct np_sim_memory *memory, uint64_t offset)
{
	const struct np_sim_place place = { .offset = offset, .part = offset >> 18 };

	return np_sim_memory_use(memory, &place);
}

static struct np_sim_profile with_caches(void)
{
	struct np_sim_profile profile;

	np_sim_profile_init(&profile, "test");
	profile.copy = NP_SIM_COPY_ALWAYS;
	profile.level_count = 2;
	profile.levels[0] = (struct np_sim_level){ 1024, 1, 0.5 };
	profile.levels[1] = (struct np_sim_level){ 4096, 10, 5 };
	profile.memory_load_ns = 100;
	profile.memory_line_ns = 50;
	return profile;
}

/* Buffers of 256 bytes, four lines: four of them fit the first level and sixteen
 * the second. */
static void check_hierarchy(void **state)
{
	const struct np_sim_profile profile = with_caches();
	static const struct {
		unsigned buffers;
		double ns;
	} cases[] = { { 1, 2.5 }, { 4, 2.5 }, { 5, 25 }, { 16, 25 }, { 17, 250 } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct np_sim_memory memory;
		struct np_sim_space space;

		make_memory(&memory, &profile, &space, 256);
		for (unsigned lap = 0; lap < 3; lap++) {
			for (unsigned k = 0; k < cases[i].buffers; k++) {
				const double ns = use_at(&memory, k * 4096ull).cpu_ns;

				assert_true(fabs(ns - (lap == 0 ? 250 : cases[i].ns)) <
					    1e-9);
			}
		}
		np_sim_memory_free(&memory);
	}
}

/* A buffer longer than the first level always misses it. */
static void check_long_buffers(void **state)
{
	const struct np_sim_profile profile = with_caches();
	struct np_sim_memory memory;
	struct np_sim_space space;

	(void)state;
	make_memory(&memory, &profile, &space, 2048);
	use_at(&memory, 0);
	assert_true(fabs(use_at(&memory, 0).cpu_ns - (10 + 31 * 5)) < 1e-9);
	np_sim_memory_free(&memory);
	make_memory(&memory, &profile, &space, 8192);
	use_at(&memory, 0);
	assert_true(fabs(use_at(&memory, 0).cpu_ns - (100 + 127 * 50)) < 1e-9);
	np_sim_memory_free(&memory);
}

static void check_touch_and_evict(void **state)
{
	const struct np_sim_place place = { .offset = 512 };
	const struct np_sim_profile profile = with_caches();
	struct np_sim_memory memory;
	struct np_sim_space space;

	(void)state;
	make_memory(&memory, &profile, &space, 64);
	np_sim_memory_touch(&memory, &place);
	assert_true(use_at(&memory, 512).cpu_ns <= 1);
	np_sim_memory_evict(&memory, &place);
	assert_true(use_at(&memory, 512).cpu_ns >= 100);
	assert_true(use_at(&memory, 512).cpu_ns <= 1);
	np_sim_memory_free(&memory);
}

/* Adapter translations: a miss per page of a message, also if the CPU touches it before. */
static void check_translation(void **state)
{
	const struct np_sim_place place = { .offset = 0 };
	struct np_sim_profile profile;
	struct np_sim_memory memory;
	struct np_sim_space space;

	(void)state;
	np_sim_profile_init(&profile, "test");
	profile.translation_count = 1;
	profile.translations[0] = (struct np_sim_translation){
		.unit = NP_SIM_PAGES, .entries = 4, .page = 4096, .miss_ns = 7
	};
	make_memory(&memory, &profile, &space, 4096);
	np_sim_memory_touch(&memory, &place);
	assert_true(use_at(&memory, 0).adapter_ns == 7);
	assert_true(use_at(&memory, 0).adapter_ns == 0);
	assert_true(use_at(&memory, 64).adapter_ns == 7);
	assert_true(use_at(&memory, 4096 - 64).adapter_ns == 0);
	/* Pages 0 and 1 are cached; 2 to 4 evict the least recently used. */
	use_at(&memory, 8192);
	assert_true(use_at(&memory, 4096).adapter_ns == 0);
	assert_int_equal(memory.counts.translation_misses, 3);
	np_sim_memory_free(&memory);
}

/* A translation maps a large page if the profile has them and memory is mapped in them. */
static void check_large_pages(void **state)
{
	static const struct {
		size_t large_page, mapped;
		double ns;
	} cases[] = { { 0, 4096, 7 },
		      { 0, 2 << 20, 7 },
		      { 2 << 20, 4096, 7 },
		      { 2 << 20, 2 << 20, 0 },
		      { 2 << 20, 1 << 30, 0 } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct np_sim_profile profile;
		struct np_sim_memory memory;
		struct np_sim_space space;

		np_sim_profile_init(&profile, "test");
		profile.large_page = cases[i].large_page;
		profile.translation_count = 1;
		profile.translations[0] = (struct np_sim_translation){
			.unit = NP_SIM_PAGES, .entries = 4, .page = 4096, .miss_ns = 7
		};
		make_memory(&memory, &profile, &space, 64);
		space.page_size = cases[i].mapped;
		assert_int_equal(np_sim_memory_renew(&memory, &space, 1), 0);
		assert_true(use_at(&memory, 0).adapter_ns == 7);
		assert_true(use_at(&memory, 100 * 4096).adapter_ns == cases[i].ns);
		np_sim_memory_free(&memory);
	}
}

/* An adapter that keeps two of the unit. */
static void keep_two(struct np_sim_profile *profile, enum np_sim_unit unit)
{
	np_sim_profile_init(profile, "test");
	profile->translation_count = 1;
	profile->translations[0] =
		(struct np_sim_translation){ .unit = unit, .entries = 2, .miss_ns = 9 };
}

static void check_registrations_translated(void **state)
{
	struct np_sim_profile profile;
	struct np_sim_memory memory;
	struct np_sim_space space;

	(void)state;
	keep_two(&profile, NP_SIM_REGISTRATIONS);
	make_memory(&memory, &profile, &space, 64);
	assert_true(use_at(&memory, 0).adapter_ns == 9);
	assert_true(use_at(&memory, 200000).adapter_ns == 0);
	assert_true(use_at(&memory, 1 << 18).adapter_ns == 9);
	assert_true(use_at(&memory, 0).adapter_ns == 0);
	assert_true(use_at(&memory, 2 << 18).adapter_ns == 9);
	assert_true(use_at(&memory, 1 << 18).adapter_ns == 9);
	np_sim_memory_free(&memory);
}

/* Wherever the buffers lie, and also where they are mapped anew for a block. */
static void check_queue_pairs(void **state)
{
	static const double costs[] = { 9, 0, 9, 0, 9, 0, 9, 0 };
	struct np_sim_profile profile;
	struct np_sim_memory memory;
	struct np_sim_space space;

	(void)state;
	keep_two(&profile, NP_SIM_QUEUE_PAIRS);
	make_memory(&memory, &profile, &space, 64);
	space.queue_pairs = 3;
	assert_int_equal(np_sim_memory_add_fresh(&memory, &space), 0);
	for (size_t i = 0; i < sizeof(costs) / sizeof(*costs); i++) {
		const struct np_sim_place place = { .offset = i * 4096,
						    .queue_pair = i / 2 % 3 };

		assert_true(np_sim_memory_use(&memory, &place).adapter_ns == costs[i]);
	}
	np_sim_memory_drop_fresh(&memory, &space);
	const struct np_sim_place last = { .queue_pair = 0 };

	assert_true(np_sim_memory_use(&memory, &last).adapter_ns == 0);
	np_sim_memory_free(&memory);
}

/* Registration cache: the first access registers, later ones hit, up to its entries; new
 * memory empties it. */
static void check_registration_cache(void **state)
{
	struct np_sim_profile profile;
	struct np_sim_memory memory;
	struct np_sim_space space;

	(void)state;
	np_sim_profile_init(&profile, "test");
	profile.eager = 1000;
	profile.registers = true;
	profile.registration_entries = 2;
	profile.registration_ns = 100;
	profile.registration_page_ns = 3;
	make_memory(&memory, &profile, &space, 8192);
	assert_true(use_at(&memory, 0).cpu_ns == 106);
	assert_true(use_at(&memory, 0).cpu_ns == 0);
	assert_true(use_at(&memory, 65536 + 64).cpu_ns == 109);
	assert_true(use_at(&memory, 0).cpu_ns == 0);
	assert_true(use_at(&memory, 131072).cpu_ns == 106);
	assert_true(use_at(&memory, 65536 + 64).cpu_ns == 109);
	/* A longer message than was registered there is registered anew. */
	assert_int_equal(np_sim_memory_arm(&memory, &space, 16384), 0);
	assert_true(use_at(&memory, 131072).cpu_ns == 112);
	assert_int_equal(np_sim_memory_arm(&memory, &space, 8192), 0);
	assert_true(use_at(&memory, 131072).cpu_ns == 0);
	/* A short one is not. */
	assert_int_equal(np_sim_memory_arm(&memory, &space, 1000), 0);
	assert_true(use_at(&memory, 4096).cpu_ns == 0);
	assert_int_equal(np_sim_memory_renew(&memory, &space, 1), 0);
	assert_int_equal(np_sim_memory_arm(&memory, &space, 8192), 0);
	assert_true(use_at(&memory, 131072).cpu_ns == 106);
	np_sim_memory_free(&memory);
}

/* Fresh buffers miss in each block, though at the same offsets. */
static void check_fresh(void **state)
{
	static const unsigned char fresh;
	struct np_sim_profile profile = with_caches();
	struct np_sim_memory memory;
	struct np_sim_space space;

	(void)state;
	profile.eager = 0;
	profile.registers = true;
	profile.registration_entries = 100;
	profile.registration_ns = 1000;
	make_memory(&memory, &profile, &space, 64);
	use_at(&memory, 0);
	for (unsigned i = 0; i < 3; i++) {
		space.fresh = (struct np_sim_range){ .base = &fresh, .length = 4096 };
		assert_int_equal(np_sim_memory_add_fresh(&memory, &space), 0);
		assert_true(use_at(&memory, space.fresh_begin).cpu_ns == 1100);
		assert_true(use_at(&memory, space.fresh_begin).cpu_ns == 1);
		np_sim_memory_drop_fresh(&memory, &space);
		space.fresh.base = NULL;
	}
	assert_true(use_at(&memory, 0).cpu_ns == 1);
	np_sim_memory_free(&memory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_hierarchy),
		cmocka_unit_test(check_long_buffers),
		cmocka_unit_test(check_touch_and_evict),
		cmocka_unit_test(check_translation),
		cmocka_unit_test(check_large_pages),
		cmocka_unit_test(check_registrations_translated),
		cmocka_unit_test(check_queue_pairs),
		cmocka_unit_test(check_registration_cache),
		cmocka_unit_test(check_fresh),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
