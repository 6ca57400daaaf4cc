/* fleet_run.c - measures and judges the fleets of two sizes. */
#include "questions/fleet_run.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"

int np_fleet_run_init(struct np_fleet_run *run, const struct np_host_list *hosts,
		      double slow)
{
	size_t *group = calloc(hosts->count + 1, sizeof(*group));
	int rc = group != NULL ? 0 : -ENOMEM;

	*run = (struct np_fleet_run){ .hosts = hosts, .directions = 1 };
	run->measured = calloc(hosts->count + 1, sizeof(*run->measured));
	if (run->measured == NULL)
		rc = -ENOMEM;
	for (size_t i = 0; rc == 0 && i < hosts->count; i++)
		group[i] = hosts->hosts[i].group;
	for (size_t k = 0; rc == 0 && k < NP_FLEET_SIZES; k++) {
		rc = np_fleet_init(&run->fleets[k], hosts->count, group,
				   hosts->group_count);
		run->fleets[k].slow = slow;
	}
	free(group);
	return rc;
}

void np_fleet_run_free(struct np_fleet_run *run)
{
	for (size_t k = 0; k < NP_FLEET_SIZES; k++) {
		np_fleet_free(&run->fleets[k]);
		np_fleet_search_free(&run->searches[k]);
	}
	free(run->measured);
	free(run->failures);
	*run = (struct np_fleet_run){ .hosts = NULL };
}

static int add_failure(struct np_fleet_run *run, const struct np_pair_sample *sample)
{
	struct np_fleet_failure failure = {
		.one = sample->one,
		.other = sample->absent ? sample->one : sample->other,
	};

	memcpy(failure.reason, sample->reason, sizeof(failure.reason));
	return np_list_add(&run->failures, &run->failure_count, &failure, sizeof(failure));
}

int np_fleet_run_take(struct np_fleet_run *run, const struct np_pair_sample *sample)
{
	if (sample->size_count == 0)
		return sample->reason[0] != '\0' ? add_failure(run, sample) : 0;
	for (size_t k = 0; k < sample->size_count; k++) {
		run->fleets[k].logs[np_fleet_at(sample->one, sample->other)] =
			(float)log(sample->seconds[k]);
		run->bytes[k] = sample->bytes[k];
		if (!isnan(sample->error[k])) {
			run->errors[k] += sample->error[k];
			run->error_count[k]++;
		}
	}
	run->size_count = sample->size_count;
	run->degrees += sample->degrees;
	run->measured[sample->one]++;
	run->measured[sample->other]++;
	run->pairs++;
	return 0;
}

int np_fleet_run_judge(struct np_fleet_run *run)
{
	int rc = 0;

	for (size_t k = 0; rc == 0 && k < run->size_count; k++) {
		if (run->error_count[k] != 0) {
			run->fleets[k].error = run->errors[k] / (double)run->error_count[k];
			run->fleets[k].error_degrees =
				(unsigned)(run->degrees / run->pairs);
		}
		rc = np_fleet_fit(&run->fleets[k]);
		for (size_t i = 0;
		     run->hosts->count < NP_FLEET_LEAST && i < run->hosts->count; i++)
			run->fleets[k].host_effects[i] = (struct np_fleet_effect){
				.effect = (double)NAN,
				.low = (double)NAN,
				.high = (double)NAN,
				.q = (double)NAN,
			};
	}
	return rc;
}

/* ---- Measuring ---------------------------------------------------------------- */

/* Context of measure(): every size is measured, `size` is the one searched. */
struct round {
	struct np_fleet_run *run;
	np_measure_round *measure_round;
	void *context;
	struct np_pair_sample *samples;
	size_t size;
	bool tournament;
};

static int measure(void *context, struct np_fleet_timing *timings, size_t count)
{
	struct round *round = context;
	struct np_pair_sample *samples = round->samples;

	for (size_t i = 0; i < count; i++)
		samples[i] = (struct np_pair_sample){ .one = timings[i].one,
						      .other = timings[i].other };
	int rc = round->measure_round(round->context, samples, count);
	round->run->rounds += rc == 0;
	/* Pairs that an interrupted round has measured are kept. */
	for (size_t i = 0; i < count; i++) {
		timings[i].log = round->size < samples[i].size_count ?
					 log(samples[i].seconds[round->size]) :
					 (double)NAN;
		if (round->tournament && np_fleet_run_take(round->run, &samples[i]) != 0 &&
		    rc == 0)
			rc = -ENOMEM;
	}
	return rc;
}

int np_fleet_run_measure(struct np_fleet_run *run, np_measure_round *measure_round,
			 void *context, uint64_t seed)
{
	struct round round = { .run = run,
			       .measure_round = measure_round,
			       .context = context,
			       .tournament = true };
	const struct np_fleet_search search = { .measure = measure,
						.context = &round,
						.seed = seed };

	round.samples = calloc(run->hosts->count / 2 + 1, sizeof(*round.samples));
	run->searches[0] = search;
	int rc = round.samples != NULL ?
			 np_fleet_tournament(&run->searches[0], &run->fleets[0]) :
			 -ENOMEM;
	const int judged = np_fleet_run_judge(run);
	rc = rc != 0 ? rc : judged;
	round.tournament = false;
	for (size_t k = 0; rc == 0 && k < run->size_count; k++) {
		round.size = k;
		run->searches[k] = search;
		run->searches[k].rounds_most = np_fleet_rounds_most(run->hosts->count);
		rc = np_fleet_remeasure(&run->searches[k], &run->fleets[k]);
	}
	free(round.samples);
	return rc;
}

/* ---- Results ----------------------------------------------------------------------- */

bool np_fleet_run_is_of_host(const struct np_fleet_run *run,
			     const struct np_fleet_failure *failure)
{
	return failure->one == failure->other ||
	       (run->measured[failure->one] == 0) != (run->measured[failure->other] == 0);
}

static bool is_named(const struct np_fleet_suspect *suspect)
{
	return suspect->outcome == NP_FLEET_SLOW || suspect->outcome == NP_FLEET_CROWDED;
}

static size_t count_undecided(const struct np_fleet_run *run, size_t size)
{
	const struct np_fleet *fleet = &run->fleets[size];
	const struct np_fleet_search *search = &run->searches[size];
	size_t count = 0;

	for (size_t i = 0; i < fleet->hosts; i++)
		count += fleet->host_effects[i].undecided;
	for (size_t g = 0; g < fleet->groups; g++)
		count += fleet->group_effects[g].undecided;
	for (size_t i = 0; i < search->suspect_count; i++)
		count += search->suspects[i].outcome == NP_FLEET_UNDECIDED ||
			 search->suspects[i].outcome == NP_FLEET_UNSEEN;
	return count;
}

struct np_fleet_counts np_fleet_run_slow(const struct np_fleet_run *run)
{
	struct np_fleet_counts counts = { .hosts = 0 };

	for (size_t i = 0; i < run->hosts->count; i++)
		counts.hosts += run->fleets[0].host_effects[i].slow ||
				run->fleets[1].host_effects[i].slow;
	for (size_t g = 0; g < run->hosts->group_count; g++)
		counts.groups += run->fleets[0].group_effects[g].slow ||
				 run->fleets[1].group_effects[g].slow;
	for (size_t k = 0; k < run->size_count; k++) {
		const struct np_fleet_search *search = &run->searches[k];

		for (size_t i = 0; i < search->suspect_count; i++)
			counts.pairs += is_named(&search->suspects[i]);
		counts.undecided += count_undecided(run, k);
	}
	return counts;
}

bool np_fleet_run_is_slow(const struct np_fleet_run *run, size_t size, size_t one,
			  size_t other)
{
	const struct np_fleet *fleet = &run->fleets[size];
	const struct np_fleet_search *search = &run->searches[size];
	const size_t groups[] = { run->hosts->hosts[one].group,
				  run->hosts->hosts[other].group };
	bool slow = fleet->host_effects[one].slow || fleet->host_effects[other].slow;

	if (groups[0] != groups[1])
		slow |= fleet->group_effects[groups[0]].slow ||
			fleet->group_effects[groups[1]].slow;
	for (size_t i = 0; i < search->suspect_count && !slow; i++) {
		const struct np_fleet_pair *pair = &search->suspects[i].pair;

		slow = is_named(&search->suspects[i]) &&
		       ((pair->one == one && pair->other == other) ||
			(pair->one == other && pair->other == one));
	}
	return slow;
}

double np_fleet_run_typical(const struct np_fleet_run *run, size_t size, size_t host)
{
	const struct np_fleet *fleet = &run->fleets[size];
	double sum = 0;

	if (run->hosts->count >= NP_FLEET_LEAST)
		return exp(fleet->level + fleet->host_effects[host].effect);
	for (size_t other = 0; other < run->hosts->count; other++) {
		const double seconds = np_fleet_run_seconds(run, size, host, other);

		sum += isnan(seconds) ? 0 : log(seconds);
	}
	return run->measured[host] == 0 ? (double)NAN :
					  exp(sum / (double)run->measured[host]);
}

double np_fleet_run_seconds(const struct np_fleet_run *run, size_t size, size_t one,
			    size_t other)
{
	return one == other || size >= run->size_count ?
		       (double)NAN :
		       exp((double)run->fleets[size].logs[np_fleet_at(one, other)]);
}
