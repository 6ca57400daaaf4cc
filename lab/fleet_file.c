/*
 * fleet_file.c - size of the file of a tournament, its rounds and its memory: the program's
 * own writer, on a simulated fleet without slow hosts.
 *
 * fleet_file HOSTS...
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "tests/unit/fleet_model.h"

enum { ROUND_MS = 50, RACK = 8, LARGE_RACK = 32, LARGE = 512 };

struct tour {
	struct np_fleet_run run;
	struct fleet_model model;
	FILE *file;
	struct np_error error;
};

/* Counts bytes in place of writing them. */
static ssize_t count_bytes(void *context, const char *bytes, size_t size)
{
	(void)bytes;
	*(size_t *)context += size;
	return (ssize_t)size;
}

static int measure_round(void *context, struct np_pair_sample *samples, size_t count)
{
	static const size_t bytes[NP_FLEET_SIZES] = { 64, 1 << 20 };
	static const double base[NP_FLEET_SIZES] = { 2e-6, 1e-4 };
	struct tour *tour = context;

	for (size_t k = 0; k < NP_FLEET_SIZES; k++) {
		for (size_t i = 0; i < count; i++) {
			struct np_pair_sample *sample = &samples[i];

			sample->bytes[k] = bytes[k];
			sample->seconds[k] =
				base[k] * exp(draw_time(&tour->model, sample->one,
							sample->other, count > 1));
			sample->error[k] = tour->model.noise;
			sample->degrees = 5;
			sample->size_count = k + 1;
		}
	}
	return np_json_round(tour->file, &tour->run, samples, count,
			     tour->run.rounds >= tour->model.hosts - 1, &tour->error);
}

static int measure(struct tour *tour)
{
	static const struct np_fleet_names names = { "NPmpi", "0", "mpi", "tournament" };
	int rc = np_json_hosts(tour->file, &tour->run, &names, &tour->error);

	if (rc == 0)
		rc = np_fleet_run_measure(&tour->run, measure_round, tour,
					  tour->model.seed);
	return rc == 0 ? np_json_fleet(tour->file, &tour->run, &tour->error) : rc;
}

static int try_hosts(size_t count)
{
	const cookie_io_functions_t counting = { .write = count_bytes };
	const size_t rack = count < LARGE ? RACK : LARGE_RACK;
	struct tour tour = {
		.model = { .hosts = count, .rack = rack, .noise = 0.01, .seed = 1 }
	};
	struct np_host_list hosts = { .hosts = NULL };
	double *effects = calloc(count, sizeof(*effects));
	size_t bytes = 0;
	struct rusage usage;

	if (effects != NULL)
		draw_model(&tour.model, effects);
	int rc = name_hosts(&hosts, count, rack);
	tour.file = fopencookie(&bytes, "w", counting);
	if (effects == NULL || tour.file == NULL)
		rc = -1;
	if (rc == 0)
		rc = np_fleet_run_init(&tour.run, &hosts, 0.07);
	if (rc == 0)
		rc = measure(&tour);
	if (tour.file != NULL)
		fclose(tour.file);
	getrusage(RUSAGE_SELF, &usage);
	printf("| %zu | %zu | %.0f s | %.1f MB | %ld MB |\n", count, tour.run.rounds,
	       (double)tour.run.rounds * ROUND_MS / 1000, (double)bytes / 1e6,
	       usage.ru_maxrss * 1024 / 1000000);
	fflush(stdout);
	np_fleet_run_free(&tour.run);
	np_host_list_free(&hosts);
	free(effects);
	return rc;
}

int main(int argc, char **argv)
{
	int rc = 0;

	puts("| hosts | rounds | at 50 ms | file | memory |\n|---|---|---|---|---|");
	for (int i = 1; i < argc && rc == 0; i++) {
		const size_t count = strtoul(argv[i], NULL, 10);

		rc = count < NP_FLEET_LEAST ? -1 : try_hosts(count);
	}
	return rc == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
