/*
 * test_capacity.c - capacity sweeps of a machine whose caches and TLBs are known.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "questions/capacity.h"
#include "curves.h"
#include "questions/capacity_model.h"
#include "questions/capacity_explain.h"

enum { PASSES = 6, SAMPLES_MOST = 2000 };

/* A machine, and what a message takes longer for each thing that it outgrows. */
struct machine {
	struct np_capacity_host host;
	double line_capacity, page_capacity, registration_capacity,
		queue_pair_capacity; /* in buffers; 0: none */
	/* Takes the place of all capacities: what more buffers cost. */
	double (*cost_of)(enum np_axis axis, uint64_t buffers);
	double noise;
	uint64_t most; /* buffers */
};

static const struct machine plain = {
	.host = { .length = 64,
		  .sides = 2,
		  .share_cache = true,
		  .line = 64,
		  .page = 4096,
		  .caches = { 32 << 10, 1 << 20, 32 << 20 },
		  .tlb = { 72, 3072, 72, 3072 } },
	.noise = 0.02,
	.most = 1 << 19,
};

struct swept {
	struct np_capacity_sample samples[SAMPLES_MOST];
	size_t count;
};

static uint64_t next_count(uint64_t count)
{
	const bool power = (count & (count - 1)) == 0;

	return count == 1 ? 2 : power ? count / 2 * 3 : count / 3 * 4;
}

static void sweep_axis(const struct machine *machine, enum np_axis axis,
		       struct np_random *random, struct swept *swept)
{
	for (unsigned pass = 0; pass < PASSES; pass++) {
		for (uint64_t count = 1; count <= machine->most;
		     count = count == 2 ? 3 : next_count(count)) {
			const double buffers = (double)count;
			double cost = 0;

			/* Packed buffers in random order miss pages as well. */
			if (machine->page_capacity > 0)
				cost += 0.4 * np_capacity_unit_misses(
						      &machine->host, NP_HOLDS_PAGES, axis,
						      count, NP_REPLACES_OLDEST,
						      2 * machine->page_capacity);
			if (axis != NP_AXIS_QUEUE_PAIRS && machine->line_capacity > 0 &&
			    buffers > machine->line_capacity)
				cost += 0.3;
			if (axis == NP_AXIS_REGISTRATIONS &&
			    machine->registration_capacity > 0 &&
			    buffers > machine->registration_capacity)
				cost += 1;
			if (axis == NP_AXIS_QUEUE_PAIRS &&
			    machine->queue_pair_capacity > 0 &&
			    buffers > machine->queue_pair_capacity)
				cost += 0.3;
			if (machine->cost_of != NULL)
				cost = machine->cost_of(axis, count);
			const double ratio =
				(1 + cost) * exp(machine->noise * normal(random));
			assert_true(swept->count < SAMPLES_MOST);
			swept->samples[swept->count++] =
				(struct np_capacity_sample){ .axis = axis,
							     .buffers = count,
							     .unit = pass,
							     .ratio = ratio,
							     .seconds = 1e-6 * ratio };
		}
	}
}

static struct np_capacity sweep(const struct machine *machine, const enum np_axis *axes,
				size_t count)
{
	struct np_random random = { 5 };
	struct swept swept = { .count = 0 };
	struct np_capacity capacity;

	for (size_t i = 0; i < count; i++)
		sweep_axis(machine, axes[i], &random, &swept);
	assert_int_equal(
		np_capacity_derive(&machine->host, swept.samples, swept.count, &capacity),
		0);
	return capacity;
}

static const enum np_axis three[] = { NP_AXIS_LINES, NP_AXIS_PAGES, NP_AXIS_REGISTRATIONS };

/* Of no buffers if there is none. */
static struct np_knee knee_of(const struct np_capacity *capacity, enum np_axis axis,
			      size_t which)
{
	for (size_t i = 0; i < capacity->knee_count; i++) {
		if (capacity->knees[i].axis == axis && which-- == 0)
			return capacity->knees[i];
	}
	return (struct np_knee){ .buffers = 0 };
}

/* The knee that has this name; of no buffers unless there is just one. */
static struct np_knee named(const struct np_capacity *capacity, enum np_knee_cause cause)
{
	struct np_knee found = { .buffers = 0 };
	size_t count = 0;

	for (size_t i = 0; i < capacity->knee_count; i++) {
		if (capacity->knees[i].cause == cause && !capacity->knees[i].repeats) {
			found = capacity->knees[i];
			count++;
		}
	}
	return count == 1 ? found : (struct np_knee){ .buffers = 0 };
}

static size_t count_named(const struct np_capacity *capacity)
{
	size_t count = 0;

	for (size_t i = 0; i < capacity->knee_count; i++)
		count += !capacity->knees[i].repeats;
	return count;
}

static void nothing(void **state)
{
	struct np_capacity capacity = sweep(&plain, three, 3);

	(void)state;
	assert_int_equal(capacity.knee_count, 0);
	assert_true(capacity.axes[NP_AXIS_LINES].resolution < 1.1);
	assert_int_equal(capacity.axes[NP_AXIS_LARGE_PAGES].counts, 0);
	assert_int_equal(capacity.point_count, 3 * capacity.axes[NP_AXIS_LINES].counts);
	/* Caches and the TLBs of 4K pages. */
	assert_int_equal(capacity.expected_count, 5);
	for (size_t i = 0; i < capacity.expected_count; i++)
		assert_int_equal(capacity.expected[i].state, NP_EXPECTED_NOT_SEEN);
	np_capacity_free(&capacity);
}

/* 8192 buffers of 64 bytes at either side are 1 MiB: the second-level cache, on all
 * axes. */
static void a_cache(void **state)
{
	struct machine machine = plain;

	(void)state;
	machine.line_capacity = 8192;
	struct np_capacity capacity = sweep(&machine, three, 3);
	assert_int_equal(capacity.knee_count, 3);
	for (size_t i = 0; i < 3; i++) {
		const struct np_knee *knee = &capacity.knees[i];

		assert_int_equal(knee->buffers, 8192);
		assert_int_equal(knee->next, 12288);
		assert_true(knee->low <= 8192 && knee->high >= 12288);
		assert_int_equal(knee->cause, NP_KNEE_CACHE);
		assert_string_equal(knee->label, "second-level cache");
		assert_true(fabs(knee->effect - 1.3) < 0.03);
		assert_int_equal(knee->touched.bytes, 1 << 20);
		/* Nothing was measured between 1 MiB and 1.5 MiB. */
		assert_true(knee->count_low <= 1 << 20 && knee->count_high >= 3 << 19);
	}
	assert_int_equal(capacity.knees[0].touched.pages, 256);
	assert_int_equal(capacity.knees[1].touched.pages, 16384);
	assert_int_equal(capacity.knees[2].touched.registrations, 8192);
	assert_int_equal(capacity.expected[1].state, NP_EXPECTED_FOUND);
	assert_int_equal(capacity.expected[2].state, NP_EXPECTED_NOT_SEEN);
	np_capacity_free(&capacity);
}

/* Both ends of a host share the last level: 131072 buffers fill 32 MiB. */
static void a_shared_cache(void **state)
{
	struct machine machine = plain;

	(void)state;
	machine.line_capacity = 131072;
	struct np_capacity capacity = sweep(&machine, three, 1);
	assert_int_equal(capacity.knee_count, 1);
	assert_string_equal(capacity.knees[0].label, "last-level cache");
	np_capacity_free(&capacity);
	/* On two hosts it takes twice as many, and these are too few to be it. */
	machine.host.share_cache = false;
	machine.line_capacity = 65536;
	capacity = sweep(&machine, three, 1);
	assert_int_equal(capacity.knee_count, 1);
	assert_string_equal(capacity.knees[0].label, "library or device");
	assert_int_equal(capacity.knees[0].cause, NP_KNEE_UNKNOWN);
	np_capacity_free(&capacity);
}

/* 1536 buffers at either side are 3072 pages, where each has a page. */
static void translation(void **state)
{
	struct machine machine = plain;

	(void)state;
	machine.page_capacity = 1536;
	struct np_capacity capacity = sweep(&machine, three, 3);
	assert_int_equal(count_named(&capacity), 1);
	/* Packed buffers miss the same pages, and registrations have pages of their own. */
	assert_true(knee_of(&capacity, NP_AXIS_LINES, 0).repeats);
	assert_true(knee_of(&capacity, NP_AXIS_REGISTRATIONS, 0).repeats);
	const struct np_knee knee = named(&capacity, NP_KNEE_PAGE_WALK);
	assert_int_equal(knee.axis, NP_AXIS_PAGES);
	assert_int_equal(knee.buffers, 1536);
	assert_true(fabs(knee.count - 3072) < 100);
	assert_string_equal(knee.label, "second-level TLB");
	np_capacity_free(&capacity);
}

/* A device's translations: more pages than any TLB of the processor has. */
static void translation_of_a_device(void **state)
{
	struct machine machine = plain;

	(void)state;
	machine.page_capacity = 24576;
	struct np_capacity capacity = sweep(&machine, three, 2);
	assert_int_equal(capacity.knee_count, 1);
	assert_int_equal(capacity.knees[0].cause, NP_KNEE_TRANSLATION);
	assert_string_equal(capacity.knees[0].label, "library or device");
	np_capacity_free(&capacity);
	/* A transport without an adapter and a library. */
	machine.host.copies = true;
	capacity = sweep(&machine, three, 2);
	assert_int_equal(capacity.knee_count, 1);
	assert_int_equal(capacity.knees[0].cause, NP_KNEE_PAGE_WALK);
	assert_string_equal(capacity.knees[0].label, "page walks of the CPU");
	assert_non_null(strstr(capacity.knees[0].verdict, "pages of 4 KiB"));
	assert_non_null(strstr(capacity.knees[0].verdict, "3072 pages"));
	np_capacity_free(&capacity);
}

/* Costs of 4087 pages, replaced at random, as NPsim measures them: pages that a visit uses
 * for the first time miss as well, and 8 MiB of lines lie in half of them. */
static double random_table(enum np_axis axis, uint64_t buffers)
{
	static const struct {
		enum np_axis axis;
		uint64_t buffers;
		double cost;
	} measured[] = { { NP_AXIS_LINES, 98304, 0.004 },  { NP_AXIS_LINES, 131072, 0.05 },
			 { NP_AXIS_LINES, 196608, 0.224 }, { NP_AXIS_LINES, 262144, 0.325 },
			 { NP_AXIS_PAGES, 2048, 0.004 },   { NP_AXIS_PAGES, 3072, 0.393 },
			 { NP_AXIS_PAGES, 4096, 0.509 } };

	for (size_t i = 0; i < sizeof(measured) / sizeof(*measured); i++) {
		if (measured[i].axis == axis && measured[i].buffers == buffers)
			return measured[i].cost;
	}
	return 0;
}

static void large_table(void **state)
{
	struct machine machine = plain;
	struct swept swept = { .count = 0 };
	struct np_random random = { 5 };
	struct np_capacity capacity;

	(void)state;
	machine.cost_of = random_table;
	machine.noise = 0.005;
	machine.most = 1 << 18;
	machine.host.caches[2] = 8 << 20;
	machine.host.tlb.level2_4k = 0;
	machine.host.share_cache = false;
	sweep_axis(&machine, NP_AXIS_LINES, &random, &swept);
	machine.most = 1 << 12;
	sweep_axis(&machine, NP_AXIS_PAGES, &random, &swept);
	assert_int_equal(
		np_capacity_derive(&machine.host, swept.samples, swept.count, &capacity),
		0);
	assert_int_equal(count_named(&capacity), 1);
	assert_true(fabs(named(&capacity, NP_KNEE_TRANSLATION).count - 4087) < 200);
	np_capacity_free(&capacity);
}

static void queue_pairs(void **state)
{
	static const enum np_axis axes[] = { NP_AXIS_LINES, NP_AXIS_PAGES,
					     NP_AXIS_QUEUE_PAIRS };
	struct machine machine = plain;

	(void)state;
	machine.most = 1 << 14;
	machine.queue_pair_capacity = 256;
	machine.line_capacity = 8192;
	struct np_capacity capacity = sweep(&machine, axes, 3);
	const struct np_knee knee = named(&capacity, NP_KNEE_QUEUE_PAIR);

	assert_int_equal(knee.buffers, 256);
	assert_int_equal(knee.next, 384);
	assert_int_equal(knee.axis, NP_AXIS_QUEUE_PAIRS);
	assert_int_equal(knee.unit, NP_HOLDS_QUEUE_PAIRS);
	assert_int_equal(knee.agrees, 0);
	assert_string_equal(knee.label, "queue pairs");
	assert_int_equal(knee.touched.lines, 2);
	assert_int_equal(knee.touched.queue_pairs, 256);
	assert_int_equal(named(&capacity, NP_KNEE_CACHE).buffers, 8192);
	assert_int_equal(count_named(&capacity), 2);
	np_capacity_free(&capacity);
}

static void registrations(void **state)
{
	struct machine machine = plain;

	(void)state;
	machine.registration_capacity = 1024;
	struct np_capacity capacity = sweep(&machine, three, 3);
	assert_int_equal(capacity.knee_count, 1);
	assert_int_equal(capacity.knees[0].axis, NP_AXIS_REGISTRATIONS);
	assert_int_equal(capacity.knees[0].cause, NP_KNEE_REGISTRATION);
	assert_string_equal(capacity.knees[0].label, "library or device");
	np_capacity_free(&capacity);
}

/* Both: the axes tell them apart. */
static void cache_and_translation(void **state)
{
	struct machine machine = plain;

	(void)state;
	machine.line_capacity = 131072;
	machine.page_capacity = 1536;
	struct np_capacity capacity = sweep(&machine, three, 2);
	assert_int_equal(count_named(&capacity), 2);
	assert_int_equal(named(&capacity, NP_KNEE_CACHE).buffers, 131072);
	assert_int_equal(named(&capacity, NP_KNEE_CACHE).axis, NP_AXIS_LINES);
	assert_int_equal(named(&capacity, NP_KNEE_PAGE_WALK).buffers, 1536);
	assert_int_equal(named(&capacity, NP_KNEE_PAGE_WALK).axis, NP_AXIS_PAGES);
	np_capacity_free(&capacity);
}

/* Of buffers of whole pages there is one axis: 36 at either side are 72 pages, 128 are
 * 1 MiB; but so many pages or registrations of an adapter would look the same. */
static void whole_pages(void **state)
{
	struct machine machine = plain;

	(void)state;
	machine.host.length = 4096;
	machine.most = 8192;
	machine.line_capacity = 32;
	struct np_capacity capacity = sweep(&machine, three, 1);
	assert_int_equal(capacity.expected_count, 5);
	assert_int_equal(capacity.knee_count, 1);
	assert_int_equal(capacity.knees[0].cause, NP_KNEE_UNKNOWN);
	assert_string_equal(capacity.knees[0].label,
			    "first-level TLB, or library or device");
	np_capacity_free(&capacity);
	machine.line_capacity = 128;
	capacity = sweep(&machine, three, 1);
	assert_int_equal(capacity.knee_count, 1);
	assert_int_equal(capacity.knees[0].cause, NP_KNEE_UNKNOWN);
	assert_string_equal(capacity.knees[0].label,
			    "second-level cache, or library or device");
	np_capacity_free(&capacity);
}

/* Two that come at the same place by chance do not hide each other: places are near,
 * and yet outside of what the other may be. */
static void close_by(void **state)
{
	struct machine machine = plain;

	(void)state;
	machine.line_capacity = 8192;
	machine.page_capacity = 3072;
	struct np_capacity capacity = sweep(&machine, three, 2);
	assert_int_equal(count_named(&capacity), 2);
	assert_int_equal(named(&capacity, NP_KNEE_TRANSLATION).buffers, 3072);
	assert_int_equal(named(&capacity, NP_KNEE_CACHE).buffers, 8192);
	np_capacity_free(&capacity);
}

static void pool_too_small(void **state)
{
	struct machine machine = plain;

	(void)state;
	machine.most = 65536;
	struct np_capacity capacity = sweep(&machine, three, 1);
	assert_int_equal(capacity.expected_count, 3);
	assert_int_equal(capacity.expected[1].state, NP_EXPECTED_NOT_SEEN);
	assert_int_equal(capacity.expected[2].state, NP_EXPECTED_NOT_REACHED);
	assert_int_equal(capacity.expected[2].from, 131072);
	np_capacity_free(&capacity);
}

/* Nothing is known of the machine: knees are there, names are not. */
static void unknown_machine(void **state)
{
	struct machine machine = plain;

	(void)state;
	machine.host = (struct np_capacity_host){ .length = 64, .sides = 2 };
	machine.line_capacity = 8192;
	struct np_capacity capacity = sweep(&machine, three, 1);
	assert_int_equal(capacity.knee_count, 1);
	assert_int_equal(capacity.expected_count, 0);
	assert_string_equal(capacity.knees[0].label, "library or device");
	np_capacity_free(&capacity);
}

/* The curve may go on rising behind a cache, and its second capacity be placed so badly
 * that its interval reaches the cache: it is not its second one. */
static void one_step_a_size(void **state)
{
	const struct np_chosen lines = { .unit = NP_HOLDS_LINES, .axis = NP_AXIS_LINES };
	struct np_knee knees[] = {
		{ .axis = NP_AXIS_LINES,
		  .unit = NP_HOLDS_LINES,
		  .buffers = 8192,
		  .next = 12288,
		  .low = 3072,
		  .high = 16384,
		  .count = 1 << 20,
		  .effect = 1.2 },
		{ .axis = NP_AXIS_LINES,
		  .unit = NP_HOLDS_LINES,
		  .buffers = 32768,
		  .next = 49152,
		  .low = 6144,
		  .high = 98304,
		  .count = 4 << 20,
		  .effect = 1.2 },
	};
	struct np_capacity capacity = {
		.host = { .length = 64, .sides = 2, .line = 64, .page = 4096 },
		.axes[NP_AXIS_LINES] = { .counts = 30, .most = 1 << 18 },
		.knees = knees,
		.knee_count = 2,
		.expected_count = 1,
		.expected = { { .name = "second-level cache",
				.axis = NP_AXIS_LINES,
				.size = 1 << 20,
				.processes = 1,
				.from = 8192,
				.to = 16384 } },
	};

	(void)state;
	np_knee_name(&capacity, &lines, &knees[0]);
	np_knee_name(&capacity, &lines, &knees[1]);
	assert_string_equal(knees[0].label, "second-level cache");
	assert_string_equal(knees[1].label, "library or device");
	assert_int_equal(knees[1].cause, NP_KNEE_UNKNOWN);
	/* Alone, it may be by its interval, and not by its size. */
	capacity.knees++;
	capacity.knee_count = 1;
	np_knee_name(&capacity, &lines, &knees[1]);
	assert_string_equal(knees[1].label, "cause unknown");
	assert_int_equal(knees[1].cause, NP_KNEE_UNKNOWN);
	assert_int_equal(knees[1].agrees, 0);
	knees[1].count = 1.4 * (1 << 20);
	np_knee_name(&capacity, &lines, &knees[1]);
	assert_string_equal(knees[1].label, "second-level cache");
	/* From 1.5 MiB on it excludes 1 MiB. */
	knees[1].low = 12288;
	np_knee_name(&capacity, &lines, &knees[1]);
	assert_string_equal(knees[1].label, "library or device");
}

/* Each buffer of an axis has as many bytes, so without another axis a knee of whole pages
 * is of bytes or of pages. */
static void not_told_apart(void **state)
{
	struct machine machine = plain;

	(void)state;
	machine.host.length = 4096;
	machine.most = 8192;
	machine.line_capacity = 512;
	struct np_capacity capacity = sweep(&machine, three, 1);
	assert_int_equal(capacity.knee_count, 1);
	assert_int_equal(capacity.knees[0].cause, NP_KNEE_UNKNOWN);
	np_capacity_free(&capacity);
}

/* What nothing explains is given no cause: no library and no device either. */
static void unexplained(void **state)
{
	static const double effects[] = { 0.9, 1.002 };

	(void)state;
	for (size_t i = 0; i < sizeof(effects) / sizeof(*effects); i++) {
		struct np_knee knee = { .buffers = 64, .next = 96, .effect = effects[i] };

		np_knee_set_unexplained(&knee);
		assert_int_equal(knee.cause, NP_KNEE_UNKNOWN);
		assert_string_equal(knee.label, "cause unknown");
	}
}

/* Registrations and pages that are full at the same number of buffers are two. */
static void same_place(void **state)
{
	struct machine machine = plain;

	(void)state;
	machine.page_capacity = 512;
	machine.registration_capacity = 512;
	struct np_capacity capacity = sweep(&machine, three, 3);
	assert_int_equal(count_named(&capacity), 2);
	assert_int_equal(named(&capacity, NP_KNEE_TRANSLATION).buffers, 512);
	assert_int_equal(named(&capacity, NP_KNEE_REGISTRATION).buffers, 512);
	np_capacity_free(&capacity);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing),
		cmocka_unit_test(a_cache),
		cmocka_unit_test(a_shared_cache),
		cmocka_unit_test(translation),
		cmocka_unit_test(translation_of_a_device),
		cmocka_unit_test(large_table),
		cmocka_unit_test(queue_pairs),
		cmocka_unit_test(registrations),
		cmocka_unit_test(cache_and_translation),
		cmocka_unit_test(whole_pages),
		cmocka_unit_test(close_by),
		cmocka_unit_test(pool_too_small),
		cmocka_unit_test(unknown_machine),
		cmocka_unit_test(one_step_a_size),
		cmocka_unit_test(not_told_apart),
		cmocka_unit_test(same_place),
		cmocka_unit_test(unexplained),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
