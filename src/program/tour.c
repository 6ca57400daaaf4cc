/*
 * tour.c - round-robin measurement of all pairs, from the list of hosts to the report.
 */
#include "program/tour.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/files.h"
#include "base/plural.h"
#include "base/tournament.h"

enum { GROUPS_MOST = 1 << 24 };

struct tour {
	const struct np_program *program;
	struct np_fleet_run run;
	np_measure_round *measure_round;
	void *context;
	struct np_error *error;
	FILE *json; /* NULL: not requested */
	bool progress;
	size_t done; /* rounds measured */
	uint64_t since_ns;
};

int np_fleet_groups(const struct np_program *program, struct np_host_list *hosts,
		    struct np_error *error)
{
	const char *path = program->options.groups;
	char *text = NULL;
	int rc;

	if (path == NULL) {
		rc = np_host_list_prefixes(hosts);
		return rc == 0 ? 0 : np_fail_errno(error, -rc, "no memory for the groups");
	}
	rc = np_file_text(path, GROUPS_MOST, &text, error);
	if (rc == 0)
		rc = np_host_list_groups(path, text, hosts, error);
	free(text);
	return rc;
}

static void show_progress(const struct tour *tour)
{
	const size_t rounds = np_tournament_rounds(tour->run.hosts->count);
	const double spent = (double)(np_clock_ns() - tour->since_ns) * 1e-9;

	if (!tour->progress)
		return;
	if (tour->done < rounds)
		fprintf(stderr, "\r\033[Kround %zu of %zu, %.0f s left", tour->done, rounds,
			spent / (double)tour->done * (double)(rounds - tour->done));
	else
		fprintf(stderr, "\r\033[Klooking again at what stands out: round %zu",
			tour->done - rounds);
}

static int measure_and_write(void *context, struct np_pair_sample *samples, size_t count)
{
	struct tour *tour = context;
	const bool look = tour->done >= np_tournament_rounds(tour->run.hosts->count);
	int rc = tour->measure_round(tour->context, samples, count);

	if (tour->json != NULL) {
		struct np_error ignored = { .code = 0 };
		const int written = np_json_round(tour->json, &tour->run, samples, count,
						  look, rc == 0 ? tour->error : &ignored);

		rc = rc != 0 ? rc : written;
	}
	tour->done++;
	show_progress(tour);
	return rc;
}

/* Fails with the number of missing pairs and the reason of the first. */
static int refuse_missing(const struct np_fleet_run *run, size_t pairs,
			  struct np_error *error)
{
	const struct np_fleet_failure *first = &run->failures[0];
	const struct np_host_entry *hosts = run->hosts->hosts;
	const bool alone = first->one == first->other;

	return np_fail(error, NP_ERROR_PEER, ECHILD,
		       "%zu of %zu pair%s could not be measured; %.60s%s%.60s: %.200s",
		       pairs - run->pairs, pairs, np_plural(pairs), hosts[first->one].name,
		       alone ? "" : " - ", alone ? "" : hosts[first->other].name,
		       first->reason);
}

static int report(struct tour *tour, const char *kept, struct np_error *error)
{
	const struct np_fleet_run *run = &tour->run;
	const size_t pairs = run->hosts->count * (run->hosts->count - 1) / 2;
	const struct np_fleet_counts slow = np_fleet_run_slow(run);
	char answer[NP_FLEET_ANSWER];

	if (tour->progress)
		fputs("\r\033[K", stderr);
	np_text_fleet(stdout, run);
	np_text_kept(stdout, kept, tour->program->options.json);
	if (tour->json != NULL && np_json_fleet(tour->json, run, error) != 0)
		return error->code;
	if (run->failure_count != 0)
		return refuse_missing(run, pairs, error);
	if (tour->program->options.fail_on == NP_FAIL_ON_SLOWER &&
	    slow.hosts + slow.pairs + slow.groups != 0) {
		np_text_fleet_answer(run, answer, sizeof(answer));
		return np_fail(error, NP_ERROR_VERDICT, EDOM, "%s", answer);
	}
	return 0;
}

static int measure(struct tour *tour, struct np_error *error)
{
	const struct np_options *options = &tour->program->options;
	char *kept = NULL;
	int rc = 0;

	if (options->json != NULL)
		rc = np_file_create_kept(options->json, options->force, &kept, &tour->json,
					 error);
	if (rc == 0 && tour->json != NULL)
		rc = np_json_hosts(tour->json, &tour->run, &tour->program->identity,
				   tour->program->module->name,
				   tour->program->request.operation_name, error);
	if (rc == 0) {
		rc = np_fleet_run_measure(&tour->run, measure_and_write, tour,
					  options->seed);
		if (rc != 0 && error->code == 0)
			np_fail_errno(error, -rc, "cannot compare the pairs");
		const int reported = report(tour, kept, error);
		rc = rc != 0 ? rc : reported;
	}
	if (tour->json != NULL) {
		const int closed = np_file_close(tour->json, options->json, error);
		rc = rc != 0 ? rc : closed;
	}
	free(kept);
	return rc;
}

int np_fleet_tour(const struct np_program *program, const struct np_host_list *hosts,
		  np_measure_round *measure_round, void *context, struct np_error *error)
{
	struct tour tour = { .program = program,
			     .measure_round = measure_round,
			     .context = context,
			     .error = error,
			     .progress = isatty(STDERR_FILENO) && !program->options.quiet,
			     .since_ns = np_clock_ns() };
	int rc = np_fleet_run_init(&tour.run, hosts, program->options.slow / 100);

	if (program->request.operation == NP_BIDIRECTIONAL)
		tour.run.directions = 2;
	rc = rc == 0 ? measure(&tour, error) :
		       np_fail_errno(error, -rc, "no memory for %zu hosts", hosts->count);
	np_fleet_run_free(&tour.run);
	return rc;
}
