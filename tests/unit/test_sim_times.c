/*
 * test_sim_times.c - the virtual clock against LogGP, to the nanosecond, and its noise
 * against the profile.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lab/drawn_profile.h"
#include "modules/sim/sim_private.h"
#include "stats/stats.h"

extern const struct np_module np_module_sim;

enum { SLOTS = 64, POOL = 8 << 20 };

/* Rank 0 without a peer, as rank 1 does nothing. */
struct scene {
	struct np_sim sim;
	struct np_sim_options options;
	struct np_region region;
	struct np_transfer transfer;
	struct np_slot slots[SLOTS];
	atomic_bool stop;
};

static struct scene *begin(const char *set, enum np_operation operation, size_t length,
			   uint64_t key)
{
	struct scene *scene = calloc(1, sizeof(*scene));
	struct np_endpoint *ep;

	assert_non_null(scene);
	ep = &scene->sim.endpoint;
	scene->options.set = set;
	ep->module = &np_module_sim;
	ep->options = &scene->options;
	ep->stop = &scene->stop;
	scene->region = (struct np_region){ .page_size = 4096,
					    .registrations = 1,
					    .part_size = POOL };
	if (np_module_sim.open(ep) != 0)
		fail_msg("%s", ep->error.text);
	assert_int_equal(np_module_sim.memory->allocate(ep, &scene->region, POOL, key), 0);
	assert_int_equal(np_module_sim.reg(ep, &scene->region), 0);
	for (size_t i = 0; i < SLOTS; i++) {
		scene->slots[i].send = scene->region.base + i * (POOL / 2 / SLOTS);
		scene->slots[i].recv = scene->slots[i].send + POOL / 2;
	}
	scene->transfer = (struct np_transfer){ .operation = operation,
						.length = length,
						.window = 1,
						.region = &scene->region,
						.slots = scene->slots };
	ep->transfer = &scene->transfer;
	ep->ring_end = 1;
	assert_int_equal(np_module_sim.arm(ep, &scene->transfer), 0);
	assert_int_equal(np_module_sim.begin(ep, 1, 1), 0);
	return scene;
}

static void end(struct scene *scene)
{
	np_module_sim.memory->free(&scene->sim.endpoint, &scene->region);
	np_module_sim.close(&scene->sim.endpoint);
	free(scene);
}

/* Nanoseconds of a sample, on the clock that the driver reads. */
static uint64_t sample(struct scene *scene, size_t slot, uint64_t messages)
{
	struct np_endpoint *ep = &scene->sim.endpoint;
	const uint64_t before = np_module_sim.model->now(ep);

	assert_int_equal(
		ep->code_path->loops[scene->transfer.operation][0](ep, slot, messages, 1),
		0);
	return np_module_sim.model->now(ep) - before;
}

static uint64_t time_of(const char *set, enum np_operation operation, size_t length,
			uint64_t messages)
{
	struct scene *scene = begin(set, operation, length, 1);
	const uint64_t ns = sample(scene, 0, messages);

	end(scene);
	return ns;
}

#define LOGGP "latency = 1000 ns; overhead = 200 ns, 300 ns; gap = 400 ns; per_byte = 2 ns;"

/* o + L + (k - 1) G + o each way. */
static void check_pingpong(void **state)
{
	(void)state;
	assert_int_equal(time_of(LOGGP, NP_PINGPONG, 1, 1), 2 * 1500);
	assert_int_equal(time_of(LOGGP, NP_PINGPONG, 0, 1), 2 * 1500);
	assert_int_equal(time_of(LOGGP, NP_PINGPONG, 101, 1), 2 * 1700);
	assert_int_equal(time_of(LOGGP, NP_PINGPONG, 101, 1000), 2 * 1700 * 1000);
	assert_int_equal(time_of(LOGGP, NP_BIDIRECTIONAL, 101, 10), 1700 * 10);
}

/* An acknowledgement is the shortest message. */
static void check_stream(void **state)
{
	(void)state;
	assert_int_equal(time_of(LOGGP, NP_STREAM_ACKED, 101, 10), (1700 + 1500) * 10);
	/* The gap limits short messages, the bytes limit long ones. */
	assert_int_equal(time_of(LOGGP, NP_STREAM, 1, 10), 1500 + 9 * 400 + 1500);
	assert_int_equal(time_of(LOGGP, NP_STREAM, 1001, 10),
			 1500 + 2000 + 9 * 2000 + 1500);
	assert_int_equal(time_of(LOGGP "gap = 1 ns;", NP_STREAM, 1, 10),
			 1500 + 9 * 300 + 1500);
	assert_int_equal(time_of(LOGGP, NP_ONE_SIDED, 1, 10), 1500 + 9 * 400 + 1000);
}

static void check_curve(void **state)
{
	(void)state;
	assert_int_equal(time_of(LOGGP "eager = 100;", NP_PINGPONG, 100, 1), 2 * 1698);
	assert_int_equal(time_of(LOGGP "eager = 100;", NP_PINGPONG, 101, 1),
			 2 * (1700 + 2 * 1500));
	assert_int_equal(
		time_of(LOGGP "eager = 100; handshake = 7 ns;", NP_PINGPONG, 101, 1),
		2 * (1700 + 7));
	assert_int_equal(time_of(LOGGP "step = 101, 10 %;", NP_PINGPONG, 100, 1), 2 * 1698);
	assert_int_equal(time_of(LOGGP "step = 101, 10 %;", NP_PINGPONG, 101, 1), 2 * 1870);
	assert_int_equal(time_of(LOGGP "step = 101, 33 ns;", NP_PINGPONG, 5000, 1),
			 2 * (1500 + 4999 * 2 + 33));
	assert_int_equal(time_of(LOGGP "dip = 101, 50 %;", NP_PINGPONG, 101, 1), 2 * 2550);
	assert_int_equal(time_of(LOGGP "dip = 101, 50 %;", NP_PINGPONG, 102, 1), 2 * 1702);
	/* Bytes 2 to 100 take 2 ns each, 101 and 102 take 5, 103 takes 1. */
	assert_int_equal(
		time_of(LOGGP "slope = 101, 5 ns; slope = 103, 1 ns;", NP_PINGPONG, 103, 1),
		2 * (1500 + 99 * 2 + 2 * 5 + 1));
	assert_int_equal(time_of(LOGGP "slope = 1, 5 ns;", NP_PINGPONG, 3, 1),
			 2 * (1500 + 2 * 5));
}

/* Rotation over four buffers with two translation entries: in a ping-pong both ranks miss
 * both buffers, each way. */
static void check_rotation(void **state)
{
	static const char set[] = LOGGP "translation = pages, 2, 4K, 50 ns, lru;";
	struct scene *scene = begin(set, NP_PINGPONG, 101, 1);

	(void)state;
	assert_int_equal(sample(scene, 0, 1), 2 * (1700 + 2 * 50));
	assert_int_equal(sample(scene, 0, 5), 5 * 2 * 1700);
	scene->sim.endpoint.ring_end = 4;
	assert_int_equal(sample(scene, 0, 8), 8 * 2 * 1700 + 7 * 2 * 2 * 50);
	struct np_counter counters[NP_COUNTERS_MAX];

	assert_int_equal(np_module_sim.count(&scene->sim.endpoint, counters), 3);
	assert_string_equal(counters[1].name, "model_translation_misses");
	assert_int_equal(counters[1].value, 2 * 8);
	end(scene);
}

/* Touching a buffer saves the CPU cache misses only; evicting it costs them again. */
static void check_touch(void **state)
{
	static const char set[] =
		LOGGP "copy = always; cache = 64K, 0, 0; memory = 500 ns, 0;"
		      "translation = pages, 2, 4K, 50 ns, lru;";
	struct scene *scene = begin(set, NP_PINGPONG, 101, 1);
	struct np_endpoint *ep = &scene->sim.endpoint;

	(void)state;
	assert_int_equal(sample(scene, 0, 1), 2 * (1700 + 2 * 50 + 2 * 500));
	assert_int_equal(sample(scene, 0, 1), 2 * 1700);
	np_module_sim.memory->evict(ep, &scene->slots[0], 101);
	assert_int_equal(sample(scene, 0, 1), 2 * (1700 + 2 * 500));
	np_module_sim.memory->touch(ep, &scene->slots[1], 101);
	assert_int_equal(sample(scene, 1, 1), 2 * (1700 + 2 * 50));
	end(scene);
}

static double deviation_of_logarithm(const double *values, size_t count, double *median)
{
	double sum = 0, squares = 0;

	for (size_t i = 0; i < count; i++) {
		sum += log(values[i]);
		squares += log(values[i]) * log(values[i]);
	}
	sum /= (double)count;
	*median = np_median(values, count);
	return sqrt(squares / (double)count - sum * sum);
}

enum { DRAWS = 4000 };

/* Each scope has the deviation of the profile, and the median without noise. */
static void check_noise(void **state)
{
	static const char *const sets[NP_SIM_SCOPES] = {
		LOGGP "noise = message, 3 %;", LOGGP "noise = sample, 3 %;",
		LOGGP "noise = block, 3 %;",   LOGGP "noise = visit, 3 %;",
		LOGGP "noise = pass, 3 %;",    LOGGP "noise = run, 3 %;",
	};
	double times[DRAWS], median;

	(void)state;
	for (size_t scope = 0; scope < NP_SIM_SCOPES; scope++) {
		for (size_t i = 0; i < DRAWS; i++) {
			struct scene *scene = begin(sets[scope], NP_PINGPONG, 50001,
						    i * UINT64_C(0x9e3779b97f4a7c15));

			times[i] = (double)sample(scene, 0, 1);
			end(scene);
		}
		const double deviation = deviation_of_logarithm(times, DRAWS, &median);

		assert_true(fabs(deviation - 0.03) < 0.002);
		assert_true(fabs(median / (2 * 101500.) - 1) < 0.003);
	}
}

/* The deviation of a mean falls with the root of the number of messages; a scope's factor
 * holds until its next draw. */
static void check_scopes(void **state)
{
	struct scene *scene = begin(LOGGP "noise = message, 10 %;", NP_PINGPONG, 50001, 3);
	double times[DRAWS], median;

	(void)state;
	for (size_t i = 0; i < DRAWS; i++)
		times[i] = (double)sample(scene, 0, 100);
	assert_true(fabs(deviation_of_logarithm(times, DRAWS, &median) - 0.01) < 0.001);
	end(scene);
	scene = begin(LOGGP "noise = block, 10 %; noise = visit, 10 %;", NP_PINGPONG, 50001,
		      3);
	const uint64_t first = sample(scene, 0, 1);

	/* now() truncates to nanoseconds. */
	assert_in_range(sample(scene, 0, 1), first - 1, first + 1);
	np_module_sim.begin(&scene->sim.endpoint, 1, 1);
	const uint64_t second = sample(scene, 0, 1);

	assert_int_not_equal(second, first);
	assert_int_equal(np_module_sim.arm(&scene->sim.endpoint, &scene->transfer), 0);
	assert_int_not_equal(sample(scene, 0, 1), second);
	end(scene);
}

static void check_bimodal(void **state)
{
	struct scene *scene =
		begin(LOGGP "bimodal = 30 %, 40 %, 1K-1M;", NP_PINGPONG, 50001, 4);
	unsigned slow = 0;

	(void)state;
	for (size_t i = 0; i < DRAWS; i++) {
		const uint64_t ns = sample(scene, 0, 1);

		assert_true(ns == 203000 || ns == 284200);
		slow += ns == 284200;
	}
	/* Six standard deviations of a binomial. */
	assert_true(fabs(slow - 0.3 * DRAWS) < 6 * sqrt(0.21 * DRAWS));
	end(scene);
}

/* Bursts of 1 ms every 10 ms add 10 %. */
static void check_bursts(void **state)
{
	struct scene *scene = begin(LOGGP "burst = 10 ms, 1 ms;", NP_PINGPONG, 50001, 5);
	double sum = 0;

	(void)state;
	for (size_t i = 0; i < 100 * DRAWS; i++)
		sum += (double)sample(scene, 0, 1);
	assert_true(fabs(sum / (100. * DRAWS * 203000) - 1.1) < 0.02);
	end(scene);
}

static void check_drift(void **state)
{
	struct scene *scene = begin(LOGGP "drift = 50 %;", NP_PINGPONG, 50001, 6);
	const uint64_t first = sample(scene, 0, 1);

	(void)state;
	while (np_module_sim.model->now(&scene->sim.endpoint) < UINT64_C(60000000000))
		sample(scene, 0, 5000);
	const double ratio = (double)sample(scene, 0, 1) / (double)first;

	assert_true(ratio > 1.49 && ratio < 1.52);
	end(scene);
}

/* The same key gives the same times, another does not. */
static void check_determinism(void **state)
{
	static const char set[] =
		LOGGP "noise = sample, 2 %; noise = pass, 1 %; burst = 1 ms, 20 us;"
		      "translation = pages, 20, 4K, 500 ns, random;";
	struct scene *scenes[3];
	unsigned different = 0;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		scenes[i] = begin(set, NP_PINGPONG, 1000, i < 2 ? 7 : 8);
		scenes[i]->sim.endpoint.ring_end = 40;
	}
	for (unsigned i = 0; i < 200; i++) {
		const uint64_t ns = sample(scenes[0], i % 40, 100);

		assert_int_equal(sample(scenes[1], i % 40, 100), ns);
		different += sample(scenes[2], i % 40, 100) != ns;
	}
	assert_true(different > 150);
	for (size_t i = 0; i < 3; i++)
		end(scenes[i]);
}

static bool has_line(const char *text, const char *line)
{
	const char *at = strstr(text, line);

	return at != NULL && (at == text || at[-1] == '\n');
}

/* Truth agrees with the clock. */
static void check_truth(void **state)
{
	static const char set[] =
		LOGGP "step = 5000, 8 %; dip = 101, 30 %; eager = 100; handshake = 340 ns;"
		      "translation = pages, 64, 4K, 50 ns, lru; noise = pass, 1.5 %;"
		      "registration_cache = 9, 1 us, 2 ns;";
	const struct np_sim_options options = { .set = set };
	struct np_sim_profile profile;
	struct np_error error = { .code = 0 };

	(void)state;
	assert_int_equal(np_sim_load(&options, &profile, &error), 0);
	char *text = profile_text(&profile, write_truth);

	assert_non_null(text);
	assert_true(has_line(text, "latency bytes=1 ns=1500.000\n"));
	assert_true(has_line(text, "step bytes=5000 effect=1.08000 cause=planted\n"));
	assert_true(has_line(text, "step bytes=101 effect=1.20000 cause=eager\n"));
	assert_true(has_line(text, "dip bytes=101 last=101 effect=1.30000\n"));
	assert_true(has_line(text, "capacity axis=pages count=64 slots=32 cache=adapter "
				   "page=4096 miss_ns=50.000 replacement=lru\n"));
	assert_true(has_line(text, "step bytes=126978 last=131073 effect="));
	assert_true(has_line(text, "noise scope=pass deviation=0.01500\n"));
	assert_true(has_line(text, "registration_cache count=9 ns=1000.000 page_ns=2.000 "
				   "bytes=101\n"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_pingpong),    cmocka_unit_test(check_stream),
		cmocka_unit_test(check_curve),	     cmocka_unit_test(check_rotation),
		cmocka_unit_test(check_touch),	     cmocka_unit_test(check_noise),
		cmocka_unit_test(check_scopes),	     cmocka_unit_test(check_bimodal),
		cmocka_unit_test(check_bursts),	     cmocka_unit_test(check_drift),
		cmocka_unit_test(check_determinism), cmocka_unit_test(check_truth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
