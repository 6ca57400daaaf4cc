/*
 * made_launches.c - a result file of runs that never were, whose truth is known.
 *
 *     made_launches FILE SEED LAUNCHES FACTOR BYTES
 *
 * Writes what a run with --runs writes.  The time of a message is
 *
 *     (1 us + 0.1 ns a byte) e^(a + b + c + d)
 *
 * with normal a for each run, b for each run and size, c for each visit and d
 * for each sample; one sample in twenty takes half as long again, and in one pass
 * of nine a message takes 40 % longer below 4 KiB, as where the machine has two
 * states.  FACTOR multiplies all times, or, if BYTES is not 0, those of that size.
 *
 * What a program needs to know of two such files, it can only learn from runs:
 * passes of one share a and b.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "output/output.h"
#include "base/random.h"

enum { SIZES = 21, PASSES = 3, BLOCKS = 2, SAMPLES = 5, BATCH = 10 };

/* Standard deviations; the two of a run make 4.2 % together. */
static const double run_sd = 0.03, size_sd = 0.03, visit_sd = 0.01, sample_sd = 0.02;
static const double slow_pass = 1.0 / 9, slow_by = 1.4;
static const size_t slow_below = 4096;

struct making {
	FILE *file;
	struct np_random random;
	struct np_results results;
	double factor;
	size_t bytes; /* 0: all */
	uint64_t serial;
	double shared, own[SIZES]; /* of the run */
};

/* In (0, 1). */
static double uniform(struct np_random *random)
{
	return ((double)(np_random_next(random) >> 11) + 0.5) * 0x1p-53;
}

/* G. E. P. Box and M. E. Muller, "A Note on the Generation of Random Normal
 * Deviates", 1958. */
static double normal(struct np_random *random)
{
	const double radius = sqrt(-2 * log(uniform(random)));

	return radius * cos(2 * M_PI * uniform(random));
}

static int write_header(const struct making *making, struct np_error *error)
{
	static const struct np_module module = { .name = "made", .program = "NPmade" };
	const struct np_request request = { .operation_name = "pingpong" };
	size_t sizes[SIZES];

	for (size_t i = 0; i < SIZES; i++)
		sizes[i] = (size_t)1 << i;
	const struct np_plan plan = { .sizes = sizes,
				      .size_count = SIZES,
				      .pool_bytes = 1 << 20,
				      .sample_ns = 1000 };
	struct np_run_header header = {
		.module = &module,
		.version = "0",
		.plan = &plan,
		.request = &request,
		.clock = { .name = "none" },
	};

	for (size_t i = 0; i < 2; i++) {
		np_facts_add(&header.hosts[i], "host", "nowhere");
		np_facts_add(&header.hosts[i], "cpu", "made up");
		np_facts_add(&header.hosts[i], "kernel", "none");
	}
	const int rc = np_json_header(making->file, &header, error);
	for (size_t i = 0; i < 2; i++)
		np_facts_free(&header.hosts[i]);
	return rc;
}

/* One size in one pass; slow: the machine is in its other state. */
static int make_visit(struct making *making, unsigned run_index, unsigned pass, size_t at,
		      bool slow, struct np_error *error)
{
	struct np_measured *measured = np_measured_new(BLOCKS, 0, SAMPLES);
	const size_t length = (size_t)1 << at;

	if (measured == NULL)
		return np_fail_errno(error, ENOMEM, "no memory for a visit");
	measured->visit = (struct np_visit){ .run_index = run_index,
					     .pass = pass,
					     .serial = making->serial++,
					     .length = length,
					     .messages = BATCH };
	double ns = (1000 + 0.1 * (double)length) * exp(making->shared + making->own[at] +
							visit_sd * normal(&making->random));
	if (slow && length < slow_below)
		ns *= slow_by;
	if (making->bytes == 0 || making->bytes == length)
		ns *= making->factor;
	for (size_t i = 0; i < (size_t)BLOCKS * SAMPLES; i++) {
		const double tail = uniform(&making->random) < 0.05 ? 1.5 : 1;

		/* A sample of a ping-pong: there and back, for each of the batch. */
		measured->samples_ns[i] = (uint64_t)llround(
			2 * BATCH * ns * tail * exp(sample_sd * normal(&making->random)));
	}
	int rc = np_json_visit(making->file, &making->results, measured, error);
	if (rc == 0 && np_results_add(&making->results, measured) == NULL)
		rc = np_fail_errno(error, ENOMEM, "no memory for a visit");
	np_measured_free(measured);
	return rc;
}

static int make_run(struct making *making, unsigned run_index, struct np_error *error)
{
	int rc = write_header(making, error);

	making->shared = run_sd * normal(&making->random);
	making->serial = 0;
	for (size_t at = 0; at < SIZES; at++)
		making->own[at] = size_sd * normal(&making->random);
	for (unsigned pass = 0; pass < PASSES; pass++) {
		const bool slow = uniform(&making->random) < slow_pass;

		for (size_t at = 0; at < SIZES && rc == 0; at++)
			rc = make_visit(making, run_index, pass, at, slow, error);
	}
	return rc;
}

/* The end of a run: what follows from the visits. */
static int write_table(const struct making *making, struct np_error *error)
{
	struct np_table table;
	int rc = np_table_derive(&making->results, &table);

	if (rc == 0) {
		const struct np_findings findings =
			np_findings_derive(&making->results, &table);

		rc = np_json_table(making->file, &making->results, &table, &findings, NULL,
				   error);
	}
	np_table_free(&table);
	return rc;
}

int main(int argc, char **argv)
{
	struct making making = { .file = argc == 6 ? fopen(argv[1], "we") : NULL };
	struct np_error error = { .code = 0 };
	int rc = 0;

	if (making.file == NULL) {
		fputs("usage: made_launches FILE SEED LAUNCHES FACTOR BYTES\n", stderr);
		return EXIT_FAILURE;
	}
	np_results_init(&making.results);
	making.results.operation_name = "pingpong";
	making.random.state = strtoull(argv[2], NULL, 10);
	making.results.runs = (unsigned)strtoul(argv[3], NULL, 10);
	making.factor = strtod(argv[4], NULL);
	making.bytes = strtoull(argv[5], NULL, 10);
	for (unsigned i = 0; i < making.results.runs && rc == 0; i++)
		rc = make_run(&making, i, &error);
	if (rc == 0)
		rc = write_table(&making, &error);
	np_results_free(&making.results);
	if (fclose(making.file) != 0)
		rc = -1;
	if (rc != 0)
		fprintf(stderr, "made_launches: %s\n", error.text);
	return rc == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
