/*
 * test_fit.c - parameters of lines that are known.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "curves.h"
#include "curve/analysis.h"

static bool near(double value, double expected, double share)
{
	return fabs(value / expected - 1.0) <= share;
}

static size_t make_sizes(size_t upper, size_t *sizes)
{
	size_t *made = NULL, count = 0;

	assert_int_equal(np_sizes_schedule(1, upper, 0, &made, &count), 0);
	memcpy(sizes, made, count * sizeof(*sizes));
	free(made);
	return count;
}

static void fill(const size_t *sizes, size_t count, double start, double per_byte,
		 struct np_point *points)
{
	for (size_t i = 0; i < count; i++)
		points[i] =
			(struct np_point){ sizes[i], start + per_byte * (double)sizes[i],
					   (double)NAN, (double)NAN };
}

static struct np_line_fit fit(const struct np_point *points, size_t count)
{
	struct np_line_fit made;

	assert_int_equal(np_fit_line(points, 0, count - 1, NULL, &made), 0);
	return made;
}

static void check_exact(void **state)
{
	struct np_point points[CURVE_MOST];
	size_t sizes[CURVE_MOST];
	const size_t count = make_sizes(8 << 20, sizes);

	(void)state;
	fill(sizes, count, 5e-6, 1e-9, points);
	struct np_line_fit made = fit(points, count);
	assert_int_equal(made.support, NP_FIT_GOOD);
	assert_int_equal(made.points, count);
	assert_true(near(made.t0.value, 5e-6, 1e-9) && near(made.r_inf.value, 1e9, 1e-9));
	assert_true(near(made.n_half.value, 5000.0, 1e-9));
	/* A tenth of the points far off moves it by little. */
	for (size_t i = 3; i < count; i += 10)
		points[i].seconds *= 2.0;
	made = fit(points, count);
	assert_true(near(made.t0.value, 5e-6, 0.02) && near(made.r_inf.value, 1e9, 0.02));
}

static void check_support(void **state)
{
	struct np_random random = { 41 };
	struct np_point points[CURVE_MOST];
	size_t sizes[CURVE_MOST];
	size_t count = make_sizes(8 << 20, sizes);

	(void)state;
	fill(sizes, count, 5e-6, 1e-9, points);
	struct np_line_fit made = fit(points, 4);
	assert_int_equal(made.support, NP_FIT_FEW_POINTS);
	assert_true(isnan(made.t0.value) && isnan(made.r_inf.value) && isnan(made.scatter));
	assert_int_equal(np_fit_line(points, count - 4, count - 1, NULL, &made), 0);
	assert_int_equal(made.support, NP_FIT_FEW_POINTS);
	/* Five points within a factor of 4. */
	for (size_t i = 0; i < 5; i++)
		sizes[i] = 1000 + 100 * i;
	fill(sizes, 5, 5e-6, 1e-9, points);
	assert_int_equal(fit(points, 5).support, NP_FIT_NARROW);
	/* Short messages only: no bandwidth to be seen. */
	count = make_sizes(64, sizes);
	fill(sizes, count, 5e-6, 1e-12, points);
	add_noise(&random, 0.01, 0, points, count);
	made = fit(points, count);
	assert_int_equal(made.support, NP_FIT_NO_SLOPE);
	assert_true(near(made.t0.value, 5e-6, 0.02) && isnan(made.r_inf.value));
	assert_true(isnan(made.n_half.value));
	/* No start-up to be seen. */
	count = make_sizes(8 << 20, sizes);
	fill(sizes, count, 0.0, 1e-9, points);
	add_noise(&random, 0.01, 0, points, count);
	made = fit(points, count);
	assert_int_equal(made.support, NP_FIT_NO_START);
	assert_true(near(made.r_inf.value, 1e9, 0.02) && isnan(made.n_half.value));
	/* No line. */
	for (size_t i = 0; i < count; i++)
		points[i].seconds = 1e-6 * sqrt((double)sizes[i]);
	made = fit(points, count);
	assert_int_equal(made.support, NP_FIT_NOT_A_LINE);
	assert_true(isnan(made.r_inf.value) && made.scatter > 0.1);
	assert_string_equal(np_fit_support_text(NP_FIT_FEW_POINTS), "fewer than 5 points");
}

static size_t inside(const struct np_estimate *estimate, double truth)
{
	return estimate->low <= truth && truth <= estimate->high ? 1 : 0;
}

/* How often the intervals cover the truth, of 1000 lines of 46 and of 12 points. */
static void check_coverage(void **state)
{
	enum { TRIALS = 1000 };
	static const size_t uppers[] = { 8 << 20, 64 << 10 };
	struct np_random random = { 42 };
	struct np_point points[CURVE_MOST];
	size_t sizes[CURVE_MOST];

	(void)state;
	for (size_t k = 0; k < 2; k++) {
		const size_t all = make_sizes(uppers[k], sizes);
		const size_t count = k == 0 ? all : 12;
		const size_t *from = sizes + all - count;
		size_t start = 0, rate = 0, half = 0;

		for (size_t trial = 0; trial < TRIALS; trial++) {
			fill(from, count, 5e-6, 1e-9, points);
			add_noise(&random, 0.02, 0, points, count);
			const struct np_line_fit made = fit(points, count);
			start += inside(&made.t0, 5e-6);
			rate += inside(&made.r_inf, 1e9);
			half += inside(&made.n_half, 5000.0);
		}
		print_message(
			"# %zu points: covered t0 %zu, r_inf %zu, n_half %zu of 1000\n",
			count, start, rate, half);
		assert_true(start >= 915 && start <= 980);
		assert_true(rate >= 915 && rate <= 980);
		assert_true(half >= 915 && half <= 980);
	}
}

/* Half of the peak of a curve, with intervals of noise * 1.96 on each side. */
static struct np_estimate half_peak(const struct np_point *points, size_t count,
				    double noise)
{
	struct np_analysis analysis;

	assert_int_equal(np_analysis_init(&analysis, count), 0);
	for (size_t i = 0; i < count; i++)
		np_analysis_add(&analysis, points[i].bytes, points[i].seconds,
				points[i].seconds * exp(-1.96 * noise),
				points[i].seconds * exp(1.96 * noise));
	assert_int_equal(np_analysis_derive(&analysis), 0);
	const struct np_estimate half = analysis.half_peak;
	np_analysis_free(&analysis);
	return half;
}

/* Half of the peak is found where no line fits: t0 rises with the size, so that none of the
 * four protocols is on one line with the next. */
static void check_half_peak(void **state)
{
	enum { TRIALS = 300 };
	const double noise = 0.02;
	struct np_random random = { 46 };
	struct np_point exact[CURVE_MOST], points[CURVE_MOST];
	size_t sizes[CURVE_MOST], covered = 0;
	const size_t count = make_sizes(8 << 20, sizes);

	(void)state;
	/* 1 GB/s and 5 us: the peak is that of 8 MiB, and 4994 B have half of it. */
	fill(sizes, count, 5e-6, 1e-9, exact);
	const struct np_estimate line = half_peak(exact, count, 1e-6);
	assert_true(near(line.value, 4994.0, 0.02));
	assert_true(near(line.low, line.value, 1e-3) && near(line.high, line.value, 1e-3));
	for (size_t i = 0; i < count; i++)
		exact[i].seconds += 2e-9 * pow((double)sizes[i], 0.8);
	const double truth = half_peak(exact, count, 1e-6).value;
	assert_true(truth > 0);
	for (size_t trial = 0; trial < TRIALS; trial++) {
		memcpy(points, exact, sizeof(points));
		add_noise(&random, noise, 0, points, count);
		const struct np_estimate half = half_peak(points, count, noise);
		covered += inside(&half, truth);
	}
	print_message("# half of the peak: covered %zu of %d\n", covered, TRIALS);
	assert_true((double)covered >= 0.95 * TRIALS);
	/* The first size has half already; the rate never rises. */
	fill(sizes, count, 1e-12, 1e-9, exact);
	assert_true(isnan(half_peak(exact, count, noise).value));
	fill(sizes, 1, 5e-6, 1e-9, exact);
	assert_true(isnan(half_peak(exact, 1, noise).value));
}

static void analyse(const struct np_point *points, size_t count,
		    struct np_analysis *analysis)
{
	assert_int_equal(np_analysis_init(analysis, count), 0);
	for (size_t i = 0; i < count; i++)
		np_analysis_add(analysis, points[i].bytes, points[i].seconds, points[i].low,
				points[i].high);
	assert_int_equal(np_analysis_derive(analysis), 0);
}

/* Half round trips of L + 2 o + n G and a stream at g + n G, whose bytes take as long or
 * longer; or whose eager messages have copies. */
static void check_loggp(void **state)
{
	struct np_point there[CURVE_MOST], flow[CURVE_MOST];
	struct np_analysis half, stream, none;
	struct np_random random = { 43 };
	size_t sizes[CURVE_MOST];
	const size_t count = make_sizes(8 << 20, sizes);

	(void)state;
	fill(sizes, count, 5e-6, 1e-9, there);
	fill(sizes, count, 1e-6, 0.8e-9, flow);
	for (size_t i = 0; i < count && sizes[i] <= 4096; i++)
		there[i].seconds -= 2e-6;
	add_noise(&random, 0.01, 0, there, count);
	add_noise(&random, 0.01, 0, flow, count);
	analyse(there, count, &half);
	analyse(flow, count, &stream);
	assert_int_equal(np_analysis_init(&none, 0), 0);
	assert_int_equal(np_analysis_derive(&none), 0);
	struct np_loggp loggp = np_analysis_loggp(&half, &stream);
	assert_true(near(loggp.latency_and_overheads.value, 3e-6, 0.02));
	assert_true(near(loggp.gap.value, 1e-6, 0.02));
	assert_true(near(loggp.gap_per_byte.value, 0.8e-9, 0.02));
	/* The smaller, and of long messages: those of a segment of short ones had come
	 * first.
	 */
	loggp = np_analysis_loggp(&stream, &half);
	assert_true(near(loggp.gap_per_byte.value, 0.8e-9, 0.02));
	loggp = np_analysis_loggp(&half, &none);
	assert_true(near(loggp.gap_per_byte.value, 1e-9, 0.02));
	assert_true(isnan(loggp.gap.value));
	loggp = np_analysis_loggp(&none, &none);
	assert_true(isnan(loggp.latency_and_overheads.value) &&
		    isnan(loggp.gap_per_byte.value));
	np_analysis_free(&half);
	np_analysis_free(&stream);
	np_analysis_free(&none);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_exact),	  cmocka_unit_test(check_support),
		cmocka_unit_test(check_coverage), cmocka_unit_test(check_half_peak),
		cmocka_unit_test(check_loggp),
	};

	return cmocka_run_group_tests_name("fit", tests, NULL, NULL);
}
