/*
 * tour.c - measures a fleet in rounds, writes its result lines, and reports it.
 */
#include "fleet/tour.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/files.h"
#include "base/units.h"
#include "endpoint/watch.h"
#include "fleet/round_robin.h"
#include "output/json_line.h"
#include "output/output.h"

struct state {
	const struct np_tour *tour;
	struct np_fleet_run run;
	struct np_error *error;
	FILE *json; /* NULL: not requested */
	bool progress;
	size_t done; /* rounds measured */
	uint64_t since_ns;
};

/* ---- Result lines ------------------------------------------------------------------- */

static json_t *json_name_of(const struct np_fleet_run *run, size_t host)
{
	return json_string(run->hosts->hosts[host].name);
}

/* Writes the first line, which lists the hosts.  Returns 0 or -errno. */
static int write_hosts(FILE *file, const struct np_fleet_run *run,
		       const struct np_fleet_names *what, struct np_error *error)
{
	json_t *names = json_array(), *addresses = json_array(), *groups = json_array();

	for (size_t i = 0; i < run->hosts->count; i++) {
		const struct np_host_entry *host = &run->hosts->hosts[i];

		json_array_append_new(names, json_string(host->name));
		json_array_append_new(addresses, json_string(host->address));
		json_array_append_new(groups, json_string(run->hosts->groups[host->group]));
	}
	return np_json_write_line(
		file,
		json_pack("{ss ss ss ss ss sb so so so so}", "kind", "hosts", "program",
			  what->program, "version", what->version, "module", what->module,
			  "op", what->op, "ranks", run->hosts->ranks, "slow",
			  np_json_number(run->fleets[0].slow), "hosts", names, "addresses",
			  addresses, "groups", groups),
		error);
}

static int write_failure(FILE *file, const struct np_fleet_run *run,
			 const struct np_pair_sample *sample, struct np_error *error)
{
	return np_json_write_line(file,
				  json_pack("{ss so so ss}", "kind", "unmeasured", "from",
					    json_name_of(run, sample->one), "to",
					    sample->one == sample->other ?
						    json_null() :
						    json_name_of(run, sample->other),
					    "reason", sample->reason),
				  error);
}

static json_t *average(double sum, size_t count)
{
	return np_json_number(count != 0 ? sum / (double)count : (double)NAN);
}

/* Writes a round and the failures in it; look: the round measures suspects again, whose
 * failures are not written.  Returns 0 or -errno. */
static int write_round(FILE *file, const struct np_fleet_run *run,
		       const struct np_pair_sample *samples, size_t count, bool look,
		       struct np_error *error)
{
	json_t *from = json_array(), *to = json_array(), *bytes = json_array();
	json_t *seconds[NP_FLEET_SIZES] = { json_array(), json_array() };
	const struct np_pair_sample *last = NULL;
	double errors[NP_FLEET_SIZES] = { 0 };
	size_t known[NP_FLEET_SIZES] = { 0 };
	json_int_t degrees = 0;
	int rc = 0;

	for (size_t i = 0; i < count && rc == 0; i++) {
		const struct np_pair_sample *sample = &samples[i];

		if (sample->size_count == 0) {
			rc = sample->reason[0] != '\0' && !look ?
				     write_failure(file, run, sample, error) :
				     0;
			continue;
		}
		last = sample;
		degrees += sample->degrees;
		json_array_append_new(from, json_integer((json_int_t)sample->one));
		json_array_append_new(to, json_integer((json_int_t)sample->other));
		for (size_t k = 0; k < sample->size_count && k < NP_FLEET_SIZES; k++) {
			json_array_append_new(seconds[k],
					      np_json_number(sample->seconds[k]));
			errors[k] += isnan(sample->error[k]) ? 0 : sample->error[k];
			known[k] += isnan(sample->error[k]) ? 0 : 1;
		}
	}
	for (size_t k = 0; last != NULL && k < last->size_count; k++)
		json_array_append_new(bytes, json_integer((json_int_t)last->bytes[k]));
	json_t *line = json_pack("{ss sb so so so so so so so sI}", "kind", "round", "look",
				 look, "bytes", bytes, "from", from, "to", to, "smallest_s",
				 seconds[0], "largest_s", seconds[1], "smallest_error",
				 average(errors[0], known[0]), "largest_error",
				 average(errors[1], known[1]), "degrees", degrees);
	if (rc == 0 && last != NULL)
		return np_json_write_short(file, line, error);
	json_decref(line);
	return rc;
}

/* Adds the effect of a host or group: ratio to the others, interval, FDR, and verdict. */
static void add_effect(json_t *line, const struct np_fleet_effect *found)
{
	json_object_set_new(line, "ratio", np_json_number(exp(found->effect)));
	json_object_set_new(line, "low", np_json_number(exp(found->low)));
	json_object_set_new(line, "high", np_json_number(exp(found->high)));
	json_object_set_new(line, "q", np_json_number(found->q));
	json_object_set_new(line, "slow", json_boolean(found->slow));
}

static int write_size(FILE *file, const struct np_fleet_run *run, size_t k,
		      struct np_error *error)
{
	const struct np_fleet *fleet = &run->fleets[k];
	const json_int_t bytes = (json_int_t)run->bytes[k];
	int rc = 0;

	for (size_t i = 0; i < fleet->hosts && rc == 0; i++) {
		const struct np_fleet_effect *found = &fleet->host_effects[i];
		json_t *line = json_pack(
			"{ss so ss sI sI so}", "kind", "host", "host", json_name_of(run, i),
			"group", run->hosts->groups[run->hosts->hosts[i].group], "bytes",
			bytes, "pairs", (json_int_t)run->measured[i], "median_s",
			np_json_number(np_fleet_run_typical(run, k, i)));

		add_effect(line, found);
		rc = np_json_write_line(file, line, error);
	}
	for (size_t g = 0; np_fleet_has_groups(fleet) && g < fleet->groups && rc == 0;
	     g++) {
		json_t *line = json_pack("{ss ss sI sb}", "kind", "group", "group",
					 run->hosts->groups[g], "bytes", bytes, "uplink",
					 fleet->group_effects[g].uplink);

		add_effect(line, &fleet->group_effects[g]);
		rc = np_json_write_line(file, line, error);
	}
	for (size_t i = 0; i < run->suspects[k].count && rc == 0; i++) {
		const struct np_fleet_suspect *suspect = &run->suspects[k].list[i];

		rc = np_json_write_line(
			file,
			json_pack("{ss so so sI ss so so so so sI}", "kind", "suspect",
				  "from", json_name_of(run, suspect->one), "to",
				  json_name_of(run, suspect->other), "bytes", bytes,
				  "outcome", np_fleet_outcomes[suspect->outcome], "first",
				  np_json_number(exp(suspect->left)), "ratio",
				  np_json_number(exp(suspect->slower)), "low",
				  np_json_number(exp(suspect->low)), "high",
				  np_json_number(exp(suspect->high)), "looks",
				  (json_int_t)suspect->repeats),
			error);
	}
	return rc;
}

/* Writes the effects of hosts and groups, the suspects, and the summary.  Returns 0 or
 * -errno. */
static int write_fleet(FILE *file, const struct np_fleet_run *run, struct np_error *error)
{
	const struct np_fleet_counts slow = np_fleet_run_slow(run);
	int rc = 0;

	for (size_t k = 0; k < run->size_count && rc == 0; k++)
		rc = write_size(file, run, k, error);
	if (rc != 0)
		return rc;
	return np_json_write_line(
		file,
		json_pack("{ss sI sI sI sI sI sI}", "kind", "fleet", "pairs",
			  (json_int_t)run->pairs, "rounds", (json_int_t)run->rounds,
			  "slow_hosts", (json_int_t)slow.hosts, "slow_pairs",
			  (json_int_t)slow.pairs, "slow_groups", (json_int_t)slow.groups,
			  "undecided", (json_int_t)slow.undecided),
		error);
}

/* ---- Rounds ------------------------------------------------------------------------- */

int np_tour_look(const struct np_program *program)
{
	struct pollfd signals = { .fd = program->signals, .events = POLLIN };

	if (poll(&signals, 1, 0) > 0)
		return -EINTR;
	return np_deadline_is_over(program->deadline) ? -ETIME : 0;
}

bool np_tour_has_to_stop(int rc)
{
	return rc == -EINTR || rc == -ETIME;
}

/* Sets error to the signal, or to the time that is over. */
static void explain_stop(const struct np_program *program, int rc, struct np_error *error)
{
	if (rc == -EINTR)
		np_watch_read_signal(program->signals, error);
	else
		np_fail(error, NP_ERROR_FAILED, ETIMEDOUT,
			"the pairs take longer than %g s: --max-run-time",
			program->options.max_run_time);
}

static void show_progress(const struct state *all)
{
	const size_t rounds = np_round_robin_rounds(all->run.hosts->count);
	const double spent = (double)(np_clock_ns() - all->since_ns) * 1e-9;

	if (!all->progress)
		return;
	if (all->done < rounds)
		fprintf(stderr, "\r\033[Kround %zu of %zu, %.0f s left", all->done, rounds,
			spent / (double)all->done * (double)(rounds - all->done));
	else
		fprintf(stderr, "\r\033[Klooking again at what stands out: round %zu",
			all->done - rounds);
}

static int measure_and_write(void *context, struct np_pair_sample *samples, size_t count)
{
	struct state *all = context;
	const struct np_tour *tour = all->tour;
	const bool look = all->done >= np_round_robin_rounds(tour->hosts->count);
	int rc = np_tour_look(tour->program);

	if (rc == 0)
		rc = tour->measure(tour->context, samples, count);
	if (np_tour_has_to_stop(rc) && all->error->code == 0)
		explain_stop(tour->program, rc, all->error);
	if (all->json != NULL) {
		struct np_error ignored = { .code = 0 };
		const int written = write_round(all->json, &all->run, samples, count, look,
						rc == 0 ? all->error : &ignored);

		rc = rc != 0 ? rc : written;
	}
	all->done++;
	show_progress(all);
	return rc;
}

/* Fails with the number of missing pairs and the reason of the first. */
static int refuse_missing(const struct np_fleet_run *run, size_t pairs,
			  struct np_error *error)
{
	const struct np_pair_sample *first = &run->failures[0];
	const struct np_host_entry *hosts = run->hosts->hosts;
	const bool alone = first->one == first->other;

	return np_fail(error, NP_ERROR_PEER, ECHILD,
		       "%zu of %zu pair%s could not be measured; %.60s%s%.60s: %.200s",
		       pairs - run->pairs, pairs, np_plural(pairs), hosts[first->one].name,
		       alone ? "" : " - ", alone ? "" : hosts[first->other].name,
		       first->reason);
}

static int report(struct state *all, const char *kept, struct np_error *error)
{
	const struct np_fleet_run *run = &all->run;
	const size_t pairs = run->hosts->count * (run->hosts->count - 1) / 2;
	const struct np_fleet_counts slow = np_fleet_run_slow(run);
	char answer[NP_FLEET_ANSWER];

	if (all->progress)
		fputs("\r\033[K", stderr);
	np_text_fleet(stdout, run);
	np_text_kept(stdout, kept, all->tour->program->options.json);
	if (all->json != NULL && write_fleet(all->json, run, error) != 0)
		return error->code;
	if (run->failure_count != 0)
		return refuse_missing(run, pairs, error);
	if (all->tour->program->options.fail_on == NP_FAIL_ON_SLOWER &&
	    slow.hosts + slow.pairs + slow.groups != 0) {
		np_text_fleet_answer(run, answer, sizeof(answer));
		return np_fail(error, NP_ERROR_VERDICT, EDOM, "%s", answer);
	}
	return 0;
}

static int measure_and_report(struct state *all, struct np_error *error)
{
	const struct np_options *options = &all->tour->program->options;
	char *kept = NULL;
	int rc = 0;

	if (options->json != NULL)
		rc = np_file_create_kept(options->json, options->force, &kept, &all->json,
					 error);
	if (rc == 0 && all->json != NULL)
		rc = write_hosts(all->json, &all->run, &all->tour->names, error);
	if (rc == 0) {
		rc = np_fleet_run_measure(&all->run, measure_and_write, all,
					  all->tour->seed);
		if (rc != 0 && error->code == 0)
			np_fail_errno(error, -rc, "cannot compare the pairs");
		const int reported = report(all, kept, error);
		rc = rc != 0 ? rc : reported;
	}
	if (all->json != NULL) {
		const int closed = np_file_close(all->json, options->json, error);
		rc = rc != 0 ? rc : closed;
	}
	free(kept);
	return rc;
}

int np_tour(const struct np_tour *tour, struct np_error *error)
{
	struct state all = { .tour = tour,
			     .error = error,
			     .progress =
				     isatty(STDERR_FILENO) && !tour->program->options.quiet,
			     .since_ns = np_clock_ns() };
	int rc = np_fleet_run_init(&all.run, tour->hosts, tour->slow / 100);

	if (strcmp(tour->names.op, "bidirectional") == 0)
		all.run.directions = 2;
	rc = rc == 0 ? measure_and_report(&all, error) :
		       np_fail_errno(error, -rc, "no memory for %zu hosts",
				     tour->hosts->count);
	np_fleet_run_free(&all.run);
	return rc;
}
