/*
 * drawn_launches.c - draws runs of a result file into another file, slower by a factor.
 *
 *     drawn_launches FROM TO SEED SIDE COUNT FACTOR BYTES
 *
 * SEED shuffles the runs of FROM; TO gets the first COUNT of them, or, if SIDE is 1, the
 * next COUNT, so that two sides of a seed share no run.  FACTOR multiplies all times, or,
 * if BYTES is not 0, the times of that size.  TO has no rows: it is read as the file of a
 * killed run.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/output.h"
#include "base/random.h"

enum { LAUNCHES_MAX = 1000 };

struct drawing {
	FILE *from, *to;
	char *header;		   /* of the first run */
	struct np_results results; /* which of the visits count */
	struct np_measured **visits;
	unsigned place[LAUNCHES_MAX]; /* of each run in TO, from 1; 0: not there */
	double factor;
	size_t bytes; /* 0: all */
};

/* Adds a visit, which `drawing` frees. */
static int keep(struct drawing *drawing, struct np_measured *measured,
		struct np_error *error)
{
	const size_t count = drawing->results.count;
	struct np_measured **visits =
		reallocarray(drawing->visits, count + 1, sizeof(struct np_measured *));

	if (visits != NULL)
		drawing->visits = visits;
	if (visits == NULL || np_results_add(&drawing->results, measured) == NULL) {
		np_measured_free(measured);
		return np_fail_errno(error, ENOMEM, "no memory for visits");
	}
	visits[count] = measured;
	return 0;
}

/* Comparisons are named before visits are read; there is none here. */
static int read_all(struct drawing *drawing, struct np_error *error)
{
	struct np_measured *measured = NULL;
	char *line = NULL;
	size_t size = 0;
	int rc = 0;

	while (rc >= 0 && getline(&line, &size, drawing->from) > 0) {
		if (drawing->header == NULL)
			drawing->header = strdup(line);
		rc = np_json_read_visit(line, &drawing->results, &measured, error);
		if (rc == 1)
			rc = keep(drawing, measured, error);
	}
	free(line);
	return rc < 0 ? rc : 0;
}

static unsigned count_runs(const struct drawing *drawing)
{
	unsigned runs = 0;

	for (size_t i = 0; i < drawing->results.count; i++) {
		const unsigned run_index = drawing->results.visits[i]->run_index;

		if (run_index >= runs)
			runs = run_index + 1;
	}
	return runs;
}

static bool draw(struct drawing *drawing, uint64_t seed, size_t side, size_t count)
{
	const unsigned runs = count_runs(drawing);
	struct np_random random = { seed };
	size_t order[LAUNCHES_MAX];

	if (runs > LAUNCHES_MAX || runs < 2 * count || side > 1)
		return false;
	for (size_t i = 0; i < runs; i++)
		order[i] = i;
	np_shuffle(&random, order, runs);
	for (size_t i = 0; i < count; i++)
		drawing->place[order[side * count + i]] = (unsigned)i + 1;
	return true;
}

static int write_visit(const struct drawing *drawing, struct np_measured *measured,
		       struct np_error *error)
{
	struct np_visit *visit = &measured->visit;

	if (visit->run_index >= LAUNCHES_MAX || drawing->place[visit->run_index] == 0)
		return 0;
	for (size_t i = 0; i < measured->blocks * measured->samples_per_block; i++) {
		if (drawing->bytes == 0 || drawing->bytes == visit->length)
			measured->samples_ns[i] = (uint64_t)llround(
				(double)measured->samples_ns[i] * drawing->factor);
	}
	visit->run_index = drawing->place[visit->run_index] - 1;
	return np_json_visit(drawing->to, &drawing->results, measured, error);
}

/* Each run has a header, and all headers are the same. */
static int write_all(struct drawing *drawing, size_t count, struct np_error *error)
{
	int rc = 0;

	for (size_t i = 0; i < count; i++)
		fputs(drawing->header, drawing->to);
	for (size_t i = 0; i < drawing->results.count && rc == 0; i++) {
		if (!drawing->results.visits[i]->superseded)
			rc = write_visit(drawing, drawing->visits[i], error);
	}
	return rc;
}

int main(int argc, char **argv)
{
	struct drawing drawing = { .from = argc == 8 ? fopen(argv[1], "re") : NULL };
	struct np_error error = { .code = 0 };

	if (drawing.from == NULL) {
		fputs("usage: drawn_launches FROM TO SEED SIDE COUNT FACTOR BYTES\n",
		      stderr);
		return EXIT_FAILURE;
	}
	np_results_init(&drawing.results);
	drawing.results.operation_name = "pingpong";
	drawing.factor = strtod(argv[6], NULL);
	drawing.bytes = strtoull(argv[7], NULL, 10);
	const size_t count = strtoull(argv[5], NULL, 10);
	int rc = read_all(&drawing, &error);
	if (rc == 0 && !draw(&drawing, strtoull(argv[3], NULL, 10),
			     strtoull(argv[4], NULL, 10), count))
		rc = np_refuse(&error, "not enough runs");
	drawing.to = rc == 0 ? fopen(argv[2], "we") : NULL;
	if (rc == 0 && drawing.to == NULL)
		rc = np_fail_errno(&error, errno, "cannot write '%s'", argv[2]);
	if (rc == 0)
		rc = write_all(&drawing, count, &error);
	if (drawing.to != NULL && fclose(drawing.to) != 0 && rc == 0)
		rc = np_fail_errno(&error, errno, "cannot write '%s'", argv[2]);
	if (rc != 0)
		fprintf(stderr, "drawn_launches: %s\n", error.text);
	fclose(drawing.from);
	free(drawing.header);
	for (size_t i = 0; i < drawing.results.count; i++)
		np_measured_free(drawing.visits[i]);
	free(drawing.visits);
	np_results_free(&drawing.results);
	return rc == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
