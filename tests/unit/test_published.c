/*
 * test_published.c - breaks and parameters of curves that others measured: the
 * IA-32 tables of the "Home page for VMI21", Virtual Machine Interface 2.1, NCSA,
 * which says itself where its curves have a knee and why: "MPICH-VMI, by default,
 * switches from eager protocol to rendezvous protocol [...] at 16k".
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "curve/fit.h"

enum { TABLE_SIZES = 23 };

struct table {
	struct np_point points[TABLE_SIZES];
	struct np_shape shape;
};

/* Two columns, bytes and MB/s (10^6 bytes), behind comments and a header. */
static void read_table(const char *name, struct table *table)
{
	const struct np_shape_options options = np_shape_defaults();
	const char *source = getenv("NP_SRCDIR");
	char path[4096], line[256];
	size_t count = 0;

	assert_non_null(source);
	snprintf(path, sizeof(path), "%s/tests/data/vmi21-%s.csv", source, name);
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	while (fgets(line, sizeof(line), file) != NULL) {
		char *end = line;
		const unsigned long long bytes = strtoull(line, &end, 10);

		if (end == line || *end != ',')
			continue;
		assert_true(count < TABLE_SIZES);
		table->points[count++] =
			(struct np_point){ (size_t)bytes,
					   (double)bytes / (strtod(end + 1, NULL) * 1e6),
					   (double)NAN, (double)NAN };
	}
	fclose(file);
	assert_int_equal(count, TABLE_SIZES);
	table->shape = (struct np_shape){ 0 };
	assert_int_equal(np_shape_find(table->points, count, &options, &table->shape), 0);
}

/* The sure break of a kind that ends at a size; fails if there is none. */
static struct np_break find_break(const struct table *table, enum np_break_kind kind,
				  size_t bytes)
{
	struct np_break found = { .bytes_high = 0 };

	for (size_t i = 0; i < table->shape.break_count; i++) {
		const struct np_break *seen = &table->shape.breaks[i];

		if (seen->kind == kind && seen->bytes_high == bytes && seen->sure)
			found = *seen;
	}
	assert_int_equal(found.bytes_high, bytes);
	return found;
}

/* Sure or not, steps, knees and dropouts that touch a size. */
static size_t count_at(const struct table *table, size_t bytes)
{
	size_t count = 0;

	for (size_t i = 0; i < table->shape.break_count; i++)
		count += table->shape.breaks[i].bytes_low <= bytes &&
			 bytes <= table->shape.breaks[i].bytes_high;
	return count;
}

/* Eager up to 8 KiB, rendezvous from 16 KiB; slower, by how much at least and at
 * most. */
static void check_rendezvous(const char *name, double least, double most)
{
	struct table table;

	read_table(name, &table);
	const struct np_break step = find_break(&table, NP_BREAK_STEP, 16384);
	assert_int_equal(step.bytes_low, 8192);
	assert_true(step.effect > least && step.effect < most);
	/* Nothing else stands there, and no other sure step slows it down. */
	assert_int_equal(count_at(&table, 16384), 1);
	for (size_t i = 0; i < table.shape.break_count; i++)
		assert_true(table.shape.breaks[i].kind != NP_BREAK_STEP ||
			    table.shape.breaks[i].effect < 1.0 ||
			    table.shape.breaks[i].bytes_high == step.bytes_high);
	np_shape_free(&table.shape);
}

static void check_knees_at_16k(void **state)
{
	(void)state;
	check_rendezvous("myrinet-mpi-blocking", 1.4, 1.7);
	check_rendezvous("myrinet-mpi-nonblocking", 1.1, 1.2);
	check_rendezvous("infiniband-mpi-blocking", 1.6, 2.1);
	check_rendezvous("ethernet-mpi-blocking", 2.5, 3.2);
}

/* VMI's own columns have no rendezvous: no step, knee or dropout there, and no step that
 * makes them slower anywhere.  (Where bandwidth is reached at 2 KiB they have a knee.) */
static void check_none_in_vmi(void **state)
{
	static const char *const names[] = { "myrinet-vmi", "infiniband-vmi",
					     "ethernet-vmi" };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct table table;

		read_table(names[i], &table);
		assert_int_equal(count_at(&table, 16384), 0);
		for (size_t k = 0; k < table.shape.break_count; k++)
			assert_true(table.shape.breaks[k].kind != NP_BREAK_STEP ||
				    table.shape.breaks[k].effect < 1.0);
		np_shape_free(&table.shape);
	}
}

static void check_dropouts(void **state)
{
	struct table table;

	(void)state;
	/* 0.5306 MB/s at 512 bytes between 85.5 and 267.2, and 679.62 at the end
	 * behind 851.53. */
	read_table("infiniband-vmi", &table);
	struct np_break drop = find_break(&table, NP_BREAK_DROPOUT, 512);
	assert_true(drop.bytes_low == 512 && drop.effect > 200.0 && !drop.open);
	drop = find_break(&table, NP_BREAK_DROPOUT, 4194304);
	assert_true(drop.bytes_low == 4194304 && drop.open);
	assert_true(drop.effect > 1.2 && drop.effect < 1.3);
	assert_int_equal(table.shape.break_count, 2);
	np_shape_free(&table.shape);
	/* 0.593 MB/s at 128 bytes, 87.899 at the end behind 110.79. */
	read_table("ethernet-mpi-nonblocking", &table);
	find_break(&table, NP_BREAK_DROPOUT, 128);
	find_break(&table, NP_BREAK_DROPOUT, 4194304);
	np_shape_free(&table.shape);
	/* 14.41 MB/s at 512 bytes where 20 would be in line. */
	read_table("ethernet-mpi-blocking", &table);
	find_break(&table, NP_BREAK_DROPOUT, 512);
	np_shape_free(&table.shape);
	/* The latency falls from 42 to 10 us between 128 and 256 bytes. */
	read_table("ethernet-vmi", &table);
	drop = find_break(&table, NP_BREAK_STEP, 256);
	assert_true(drop.effect > 0.2 && drop.effect < 0.35);
	np_shape_free(&table.shape);
}

static void print_estimate(const struct np_estimate *estimate, double unit)
{
	if (isnan(estimate->value))
		printf(" - |");
	else
		printf(" %.4g (%.4g..%.4g) |", estimate->value * unit, estimate->low * unit,
		       estimate->high * unit);
}

static void print_breaks(const struct table *table)
{
	for (size_t i = 0; i < table->shape.break_count; i++) {
		const struct np_break *seen = &table->shape.breaks[i];

		printf("%s%s %zu", i == 0 ? " " : ", ", np_break_word(seen->kind),
		       seen->bytes_high);
		if (isfinite(seen->effect))
			printf(" x %.3g", seen->effect);
		printf("%s", seen->sure ? "" : " (not sure)");
	}
	printf(" |\n");
}

static const char *const all_names[] = {
	"myrinet-vmi",		 "myrinet-mpi-blocking",    "myrinet-mpi-nonblocking",
	"infiniband-vmi",	 "infiniband-mpi-blocking", "ethernet-vmi",
	"ethernet-mpi-blocking", "ethernet-mpi-nonblocking"
};

static double bandwidth(const struct np_point *point)
{
	return (double)point->bytes / point->seconds;
}

/* n_1/2 as a measurement, which fit.h has as a parameter: the size from which on half of
 * the peak bandwidth is reached, with straight lines of time between points. */
static double half_size(const struct np_point *points, size_t count, double peak)
{
	const double wanted = 0.5 * peak;
	const struct np_point *above = points + count - 1;

	while (bandwidth(above) < peak)
		above--;
	while (above > points + 1 && bandwidth(above - 1) >= wanted)
		above--;
	/* n = wanted t(n) with t a line from one point to the other. */
	const struct np_point *below = above - 1;
	const double slope =
		(above->seconds - below->seconds) / (double)(above->bytes - below->bytes);
	const double start = below->seconds - slope * (double)below->bytes;
	return wanted * start / (1.0 - wanted * slope);
}

/* Sets the times of a table without intervals, whose sizes are powers of two. */
static void set_times(struct np_point points[TABLE_SIZES],
		      const double seconds[TABLE_SIZES])
{
	for (size_t i = 0; i < TABLE_SIZES; i++)
		points[i] = (struct np_point){ .bytes = (size_t)1 << i,
					       .seconds = seconds[i],
					       .low = (double)NAN,
					       .high = (double)NAN };
}

/* MPI over shared memory, 2003: a rendezvous from 16 KiB on, and the edge of a cache above
 * 512 KiB, where two lines meet at a size.  Sizes below 8 KiB are a line, not published. */
static void check_shared_memory(void **state)
{
	static const double published[] = { 1120.96, 869.5, 1012, 1109, 1171,
					    1211,    1191,  689,  569,	542 };
	struct np_shape_options options = np_shape_defaults();
	struct np_shape shape = { 0 };
	struct np_point points[TABLE_SIZES];
	double seconds[TABLE_SIZES];
	size_t found = 0;

	(void)state;
	for (size_t i = 0; i < TABLE_SIZES; i++) {
		const double bytes = (double)((size_t)1 << i);
		const double line = 1.2e-6 + bytes / 1350e6;

		seconds[i] = i < 13 ? line : bytes / published[i - 13] / 1e6;
	}
	set_times(points, seconds);
	assert_int_equal(np_shape_find(points, TABLE_SIZES, &options, &shape), 0);
	for (size_t i = 0; i < shape.break_count; i++) {
		const struct np_break *at = &shape.breaks[i];

		assert_true(at->sure && at->kind == NP_BREAK_STEP && at->effect > 1.3);
		found += at->bytes_high == 16384 || at->bytes_high == 1048576;
	}
	assert_int_equal(found, 2);
	assert_int_equal(shape.break_count, 2);
	np_shape_free(&shape);
}

/* Open MPI's osu_latency within a node
 * (tests/data/tables/osu-latency-metrics-operator.csv): figures scatter by 7 %, and a step
 * to 4 KiB lies between the tolerance that they are searched with first and that of their
 * noise. */
static void check_noisy(void **state)
{
	static const double us[TABLE_SIZES] = { 0.46,  0.32,  0.29,  0.24,   0.22,  0.26,
						0.26,  0.29,  0.33,  0.41,   0.51,  0.61,
						1.31,  1.85,  2.59,  2.93,   5.62,  9.28,
						16.55, 30.79, 58.15, 184.02, 584.22 };
	struct np_shape_options options = np_shape_defaults();
	struct np_shape shape = { 0 };
	struct np_point points[TABLE_SIZES];
	double seconds[TABLE_SIZES];
	size_t found = 0;

	(void)state;
	for (size_t i = 0; i < TABLE_SIZES; i++)
		seconds[i] = us[i] * 1e-6;
	set_times(points, seconds);
	assert_int_equal(np_shape_find(points, TABLE_SIZES, &options, &shape), 0);
	for (size_t i = 0; i < shape.break_count; i++)
		found += shape.breaks[i].sure && shape.breaks[i].kind == NP_BREAK_STEP &&
			 shape.breaks[i].bytes_high == 4096;
	assert_int_equal(found, 1);
	np_shape_free(&shape);
}

/* The table of doc/published-tables.md: NP_PUBLISHED_TABLE=1 in the environment
 * has it written. */
static void check_parameters(void **state)
{
	const bool wanted = getenv("NP_PUBLISHED_TABLE") != NULL;

	(void)state;
	for (size_t i = 0; i < sizeof(all_names) / sizeof(*all_names); i++) {
		struct table table = { .points = { { .bytes = 0 } } };
		double best = 0.0;

		read_table(all_names[i], &table);
		for (size_t k = 0; k < TABLE_SIZES; k++)
			best = fmax(best, bandwidth(&table.points[k]));
		const double half = half_size(table.points, TABLE_SIZES, best);
		assert_true(half > 256.0 && half < 65536.0);
		for (size_t k = 0; k < table.shape.segment_count; k++) {
			const struct np_segment *part = &table.shape.segments[k];
			struct np_line_fit made;

			assert_int_equal(np_fit_line(table.points, part->first, part->last,
						     &table.shape, &made),
					 0);
			/* The bandwidth of long messages is what the table ends in. */
			if (k + 1 == table.shape.segment_count)
				assert_true(made.r_inf.value > 0.95 * best &&
					    made.r_inf.value < 1.10 * best);
			if (!wanted)
				continue;
			printf("| %s | %zu to %zu |", all_names[i],
			       table.points[part->first].bytes,
			       table.points[part->last].bytes);
			print_estimate(&made.t0, 1e6);
			print_estimate(&made.r_inf, 1e-6);
			print_estimate(&made.n_half, 1.0);
			printf(" %s |", np_fit_support_text(made.support));
			printf(" %.4g |", half);
			print_breaks(&table);
		}
		np_shape_free(&table.shape);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_knees_at_16k), cmocka_unit_test(check_none_in_vmi),
		cmocka_unit_test(check_dropouts),     cmocka_unit_test(check_shared_memory),
		cmocka_unit_test(check_noisy),	      cmocka_unit_test(check_parameters),
	};

	return cmocka_run_group_tests_name("published", tests, NULL, NULL);
}
