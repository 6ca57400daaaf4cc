/*
 * test_jagged.c - curves that break at every few sizes, whose intervals tell that they do:
 * one that was recorded, and smooth ones as noisy in which nothing is to be found.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "shapes.h"

/* NPshm -I --quick on a virtual machine of two cores, reuse.  By eye, from the rates: 2 KiB
 * is a dropout, messages from 4 KiB on take 2.5 times as long as from 3 KiB, and at 8 KiB
 * they are faster than at 6 KiB and at 12 KiB. */
static const struct np_point recorded[] = {
	{ 1, 52.37e-9, 51.36e-9, 53.62e-9 },
	{ 2, 54.36e-9, 52.66e-9, 57.02e-9 },
	{ 3, 54e-9, 52.79e-9, 55.77e-9 },
	{ 4, 53.27e-9, 52.96e-9, 54.6e-9 },
	{ 6, 52.91e-9, 52.34e-9, 55.97e-9 },
	{ 8, 52.79e-9, 52.06e-9, 54.28e-9 },
	{ 12, 52.75e-9, 51.71e-9, 53.6e-9 },
	{ 16, 52.26e-9, 52.07e-9, 52.91e-9 },
	{ 24, 52.12e-9, 51.64e-9, 53.16e-9 },
	{ 32, 52.21e-9, 50.28e-9, 54.22e-9 },
	{ 48, 52.66e-9, 51.89e-9, 54.66e-9 },
	{ 64, 54.66e-9, 53.55e-9, 55.37e-9 },
	{ 96, 53.55e-9, 53.05e-9, 55.2e-9 },
	{ 128, 56.05e-9, 55.21e-9, 68.61e-9 },
	{ 192, 82.78e-9, 77.88e-9, 87.43e-9 },
	{ 256, 82.12e-9, 72.17e-9, 83.88e-9 },
	{ 384, 125.5e-9, 122.7e-9, 127.1e-9 },
	{ 512, 126.2e-9, 123.7e-9, 131e-9 },
	{ 768, 159.2e-9, 146e-9, 162e-9 },
	{ 1024, 154.5e-9, 138.9e-9, 169.4e-9 },
	{ 1536, 188.5e-9, 174.3e-9, 192.2e-9 },
	{ 2048, 311.5e-9, 307e-9, 314.5e-9 },
	{ 3072, 197e-9, 194.4e-9, 202.6e-9 },
	{ 4096, 556.1e-9, 549.4e-9, 559.8e-9 },
	{ 6144, 641.7e-9, 622.6e-9, 654.8e-9 },
	{ 8192, 400.7e-9, 396.2e-9, 417.2e-9 },
	{ 12288, 858.2e-9, 850.7e-9, 870.5e-9 },
	{ 16384, 877.3e-9, 874.8e-9, 884.6e-9 },
	{ 24576, 1133e-9, 1132e-9, 1144e-9 },
	{ 32768, 1453e-9, 1437e-9, 1490e-9 },
	{ 49152, 1972e-9, 1952e-9, 2004e-9 },
	{ 65536, 2390e-9, 2368e-9, 2404e-9 },
	{ 98304, 3330e-9, 3291e-9, 3405e-9 },
	{ 131072, 4359e-9, 4340e-9, 4562e-9 },
	{ 196608, 6153e-9, 6096e-9, 6302e-9 },
	{ 262144, 8242e-9, 8103e-9, 8453e-9 },
	{ 393216, 1.299e-5, 1.283e-5, 1.31e-5 },
	{ 524288, 1.746e-5, 1.72e-5, 1.768e-5 },
	{ 786432, 2.576e-5, 2.54e-5, 2.592e-5 },
	{ 1048576, 3.372e-5, 3.32e-5, 3.398e-5 },
	{ 1572864, 4.938e-5, 4.909e-5, 4.995e-5 },
	{ 2097152, 6.631e-5, 6.47e-5, 6.79e-5 },
	{ 3145728, 1.013e-4, 9.915e-5, 1.092e-4 },
	{ 4194304, 1.425e-4, 1.334e-4, 1.566e-4 },
	{ 6291456, 2.536e-4, 2.389e-4, 3.22e-4 },
	{ 8388608, 3.887e-4, 3.7e-4, 4.439e-4 },
};

static bool finds(const struct np_shape *shape, size_t low, size_t high, bool slower)
{
	for (size_t i = 0; i < shape->break_count; i++) {
		const struct np_break *at = &shape->breaks[i];

		if (at->sure && at->bytes_low == low && at->bytes_high == high &&
		    (at->effect > 1.0) == slower)
			return true;
	}
	return false;
}

static void check_recorded(void **state)
{
	const size_t count = sizeof(recorded) / sizeof(*recorded);
	struct np_shape shape = find(recorded, count);

	(void)state;
	assert_true(finds(&shape, 2048, 2048, true));
	assert_true(finds(&shape, 3072, 4096, true));
	assert_true(finds(&shape, 8192, 8192, false));
	for (size_t i = 0; i < shape.break_count; i++)
		assert_true(shape.breaks[i].low < shape.breaks[i].effect &&
			    shape.breaks[i].effect < shape.breaks[i].high);
	np_shape_free(&shape);
}

/* A size half an octave, with intervals of few passes and of more. */
static void check_nothing(void **state)
{
	size_t sizes[CURVE_MOST], alarms = 0;
	const size_t count = schedule(0, sizes);

	(void)state;
	alarms += false_alarms(sizes, count, 0.005, 6, 100, 11);
	alarms += false_alarms(sizes, count, 0.03, 6, 100, 12);
	alarms += false_alarms(sizes, count, 0.03, 10, 100, 13);
	alarms += false_alarms(sizes, count, 0.1, 8, 100, 14);
	print_message("# false alarms, 400 curves of 46 sizes with intervals: %zu\n",
		      alarms);
	assert_true(alarms <= 2);
}

/* Passes of two host states: a size whose passes all fell into the slower one, among others
 * whose intervals reach as far, is no dropout.  Among narrow intervals it is. */
static void check_explained(void **state)
{
	const struct smooth smooth = { .start = 2e-6, .per_byte = 1e-9 };
	struct np_point points[CURVE_MOST];
	size_t sizes[CURVE_MOST];
	const size_t count = schedule(0, sizes), at = 20;

	(void)state;
	for (int wide = 0; wide < 2; wide++) {
		struct np_random random = { 15 };

		fill_times(&smooth, sizes, count, count, 1.0, points);
		add_noise(&random, 0.004, 0, points, count);
		points[at].seconds *= 1.4;
		for (size_t i = 0; i < count; i++) {
			const double up = wide && i != at ? 1.45 : 1.01;

			points[i].low = points[i].seconds / 1.01;
			points[i].high = points[i].seconds * up;
		}
		struct np_shape shape = find(points, count);
		assert_int_equal(count_sure(&shape), wide ? 0 : 1);
		np_shape_free(&shape);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_recorded),
		cmocka_unit_test(check_nothing),
		cmocka_unit_test(check_explained),
	};

	return cmocka_run_group_tests_name("jagged", tests, NULL, NULL);
}
