/*
 * fleet_run.c - measures and judges the fleets of two sizes, and measures suspects again.
 */
#include "questions/fleet_run.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/random.h"
#include "base/round_robin.h"
#include "stats/sequential.h"
#include "stats/stats.h"

enum {
	ALONE_MOST = 16,      /* most suspects that are measured alone */
	AGAIN_MOST = 4,	      /* repetitions of all suspects, while there are more */
	CONTROLS_MOST = 5,    /* ordinary pairs: the reference, in turn with suspects */
	CONTROL_DRAWS = 1000, /* random pairs drawn to find them */
	REPEATS_MOST = 86     /* measurements of a suspect, up to an interim analysis of
				 stats/sequential.h */
};

static int measure_pairs(struct np_fleet_search *search, struct np_fleet_timing *pairs,
			 size_t count)
{
	search->rounds++;
	return search->measure(search->context, pairs, count);
}

static bool is_over(const struct np_fleet_search *search)
{
	return search->rounds_most != 0 && search->rounds >= search->rounds_most;
}

size_t np_fleet_rounds_most(size_t hosts)
{
	return 12 * np_round_robin_rounds(hosts);
}

static size_t fill_round(const struct np_fleet *fleet, size_t round,
			 struct np_fleet_timing *pairs)
{
	size_t count = 0;

	for (size_t host = 0; host < fleet->hosts; host++) {
		const size_t partner = np_round_robin_partner(fleet->hosts, round, host);

		if (partner > host && partner < fleet->hosts)
			pairs[count++] =
				(struct np_fleet_timing){ .one = host, .other = partner };
	}
	return count;
}

static struct np_fleet_timing *make_round(const struct np_fleet *fleet)
{
	return calloc(fleet->hosts / 2 + 1, sizeof(struct np_fleet_timing));
}

int np_fleet_tournament(struct np_fleet_search *search, struct np_fleet *fleet)
{
	struct np_fleet_timing *pairs = make_round(fleet);
	int rc = pairs != NULL ? 0 : -ENOMEM;

	for (size_t k = 0; rc == 0 && k < np_round_robin_rounds(fleet->hosts); k++) {
		const size_t count = fill_round(fleet, k, pairs);

		rc = measure_pairs(search, pairs, count);
		for (size_t i = 0; rc == 0 && i < count; i++)
			fleet->logs[np_fleet_at(pairs[i].one, pairs[i].other)] =
				(float)pairs[i].log;
	}
	free(pairs);
	return rc;
}

static double left_of(const struct np_fleet *fleet, const struct np_fleet_timing *timing)
{
	return np_fleet_left(fleet, timing->one, timing->other, timing->log);
}

/* ---- Many suspects: repeated with as many pairs at once as possible --------------- */

/* Packs pairs that are not done, with disjoint hosts, into a round, first fit.  Returns
 * their number. */
static size_t pack(const struct np_fleet_pair *pairs, size_t count, bool *done, bool *busy,
		   struct np_fleet_timing *round)
{
	size_t packed = 0;

	for (size_t i = 0; i < count; i++) {
		if (done[i] || busy[pairs[i].one] || busy[pairs[i].other])
			continue;
		done[i] = busy[pairs[i].one] = busy[pairs[i].other] = true;
		round[packed++] = (struct np_fleet_timing){ .one = pairs[i].one,
							    .other = pairs[i].other };
	}
	for (size_t i = 0; i < packed; i++)
		busy[round[i].one] = busy[round[i].other] = false;
	return packed;
}

/* Measures all suspects again and keeps those with residuals above half the margin. */
static int repeat_many(struct np_fleet_search *search, const struct np_fleet *fleet,
		       struct np_fleet_pair *pairs, size_t *count)
{
	struct np_fleet_timing *round = make_round(fleet);
	bool *done = calloc(*count + 1, sizeof(*done)),
	     *busy = calloc(fleet->hosts + 1, sizeof(*busy));
	size_t packed, kept = 0;
	struct np_fleet_pair *found = calloc(*count + 1, sizeof(*found));
	int rc = round != NULL && done != NULL && busy != NULL && found != NULL ? 0 :
										  -ENOMEM;

	while (rc == 0 && (packed = pack(pairs, *count, done, busy, round)) != 0) {
		rc = measure_pairs(search, round, packed);
		for (size_t i = 0; rc == 0 && i < packed; i++) {
			const double left = left_of(fleet, &round[i]);

			if (left > log1p(fleet->slow) / 2)
				found[kept++] =
					(struct np_fleet_pair){ .one = round[i].one,
								.other = round[i].other,
								.left = left };
		}
	}
	for (size_t i = 0; rc == 0 && i < kept; i++)
		pairs[i] = found[i];
	*count = rc == 0 ? kept : *count;
	free(round);
	free(done);
	free(busy);
	free(found);
	return rc;
}

/* ---- Few suspects: repeated alone ------------------------------------------------- */

/* Repeated measurements of one suspect: residual minus the median residual of ordinary
 * pairs. */
struct series {
	double values[REPEATS_MOST];
	size_t count;
};

static bool is_suspect(const struct np_fleet_search *search, size_t one, size_t other)
{
	for (size_t i = 0; i < search->suspect_count; i++) {
		const struct np_fleet_pair *pair = &search->suspects[i].pair;

		if ((pair->one == one && pair->other == other) ||
		    (pair->one == other && pair->other == one))
			return true;
	}
	return false;
}

/* Draws ordinary pairs: not suspect, without a slow host, with a residual below half the
 * margin. */
static size_t choose_controls(const struct np_fleet_search *search,
			      const struct np_fleet *fleet,
			      struct np_fleet_timing *controls)
{
	struct np_random random = { .state = search->seed };
	size_t count = 0;

	for (unsigned k = 0; k < CONTROL_DRAWS && count < CONTROLS_MOST; k++) {
		struct np_fleet_timing timing = {
			.one = (size_t)np_random_below(&random, fleet->hosts),
			.other = (size_t)np_random_below(&random, fleet->hosts),
		};

		if (timing.one == timing.other || fleet->host_effects[timing.one].slow ||
		    fleet->host_effects[timing.other].slow ||
		    is_suspect(search, timing.one, timing.other))
			continue;
		timing.log = (double)fleet->logs[np_fleet_at(timing.one, timing.other)];
		if (left_of(fleet, &timing) < log1p(fleet->slow) / 2)
			controls[count++] = timing;
	}
	return count;
}

/* Measures the controls, each alone.  Sets the median of their residuals; NAN if none could
 * be measured. */
static int measure_controls(struct np_fleet_search *search, const struct np_fleet *fleet,
			    struct np_fleet_timing *controls, size_t count, double *middle)
{
	double left[CONTROLS_MOST];
	size_t known = 0;

	for (size_t i = 0; i < count; i++) {
		const int rc = measure_pairs(search, &controls[i], 1);

		if (rc != 0)
			return rc;
		left[known] = left_of(fleet, &controls[i]);
		known += isnan(left[known]) ? 0 : 1;
	}
	*middle = np_median(left, known);
	return 0;
}

static void add(struct series *series, double value)
{
	if (!isnan(value))
		series->values[series->count++] = value;
}

/* Sequential test of a suspect against the margin.  Bonferroni: suspects divide the error
 * rate. */
static struct np_interim decide(const struct np_fleet_search *search,
				const struct np_fleet *fleet, const struct series *series)
{
	const struct np_sequential test = {
		.bound = log1p(fleet->slow),
		.error_above = fleet->error_rate / (double)search->suspect_count,
		.error_below = fleet->error_rate / (double)search->suspect_count,
		.resolution = 1e-4,
	};

	return np_sequential_decide(&test, series->values, series->count);
}

/* Sets the outcome of a decided suspect: `slow` if it is slow, else `otherwise`.  Returns
 * true if decided. */
static bool conclude(struct np_fleet_suspect *suspect, const struct np_interim *seen,
		     enum np_fleet_outcome slow, enum np_fleet_outcome otherwise)
{
	if (seen->side != NP_SIDE_UNKNOWN)
		suspect->outcome = seen->side == NP_SIDE_ABOVE ? slow : otherwise;
	return seen->side != NP_SIDE_UNKNOWN;
}

static int repeat_alone(struct np_fleet_search *search, const struct np_fleet *fleet,
			struct np_fleet_suspect *suspect, struct series *series,
			double middle)
{
	struct np_fleet_timing timing = { .one = suspect->pair.one,
					  .other = suspect->pair.other };
	const int rc = measure_pairs(search, &timing, 1);

	if (rc != 0)
		return rc;
	add(series, left_of(fleet, &timing) - middle);
	const struct np_interim seen = decide(search, fleet, series);

	suspect->repeats = series->count;
	suspect->slower = seen.estimate;
	suspect->low = seen.low;
	suspect->high = seen.high;
	conclude(suspect, &seen, NP_FLEET_SLOW, NP_FLEET_BY_CHANCE);
	return 0;
}

/* Measures each undecided suspect once, alone.  Adds the number that stay undecided to
 * *open. */
static int repeat_each(struct np_fleet_search *search, const struct np_fleet *fleet,
		       size_t few, struct series *series, double middle, size_t *open)
{
	int rc = 0;

	for (size_t i = 0; i < few && rc == 0; i++) {
		if (search->suspects[i].outcome == NP_FLEET_UNDECIDED)
			rc = repeat_alone(search, fleet, &search->suspects[i], &series[i],
					  middle);
		*open += search->suspects[i].outcome == NP_FLEET_UNDECIDED;
	}
	return rc;
}

static int repeat_few(struct np_fleet_search *search, const struct np_fleet *fleet)
{
	const size_t few =
		search->suspect_count < ALONE_MOST ? search->suspect_count : ALONE_MOST;
	struct np_fleet_timing controls[CONTROLS_MOST];
	const size_t control_count = choose_controls(search, fleet, controls);
	struct series *series = calloc(ALONE_MOST, sizeof(*series));
	size_t open = few;
	int rc = series != NULL ? 0 : -ENOMEM;

	for (size_t k = 0; k < REPEATS_MOST && open != 0 && rc == 0 && !is_over(search);
	     k++) {
		double middle;

		rc = measure_controls(search, fleet, controls, control_count, &middle);
		open = 0;
		if (rc == 0)
			rc = repeat_each(search, fleet, few, series, middle, &open);
	}
	free(series);
	return rc;
}

/* Tests a suspect in repetitions of its whole tournament round; the other pairs of the
 * round are the reference. */
static int repeat_round(struct np_fleet_search *search, const struct np_fleet *fleet,
			struct np_fleet_suspect *suspect)
{
	const size_t number =
		np_round_robin_round(fleet->hosts, suspect->pair.one, suspect->pair.other);
	struct np_fleet_timing *round = make_round(fleet);
	double *left = calloc(fleet->hosts / 2 + 1, sizeof(*left));
	struct series series = { .count = 0 };
	bool decided = false;
	int rc = round != NULL && left != NULL ? 0 : -ENOMEM;

	for (size_t k = 0; k < REPEATS_MOST && !decided && rc == 0 && !is_over(search);
	     k++) {
		const size_t count = fill_round(fleet, number, round);
		double mine = (double)NAN;
		size_t known = 0;

		rc = measure_pairs(search, round, count);
		for (size_t i = 0; i < count && rc == 0; i++) {
			left[known] = left_of(fleet, &round[i]);
			if (is_suspect(search, round[i].one, round[i].other))
				mine = round[i].one == suspect->pair.one ? left[known] :
									   mine;
			else
				known += isnan(left[known]) ? 0 : 1;
		}
		if (rc == 0)
			add(&series, mine - (known != 0 ? np_median(left, known) : 0));
		const struct np_interim seen = decide(search, fleet, &series);
		decided = conclude(suspect, &seen, NP_FLEET_CROWDED, NP_FLEET_BY_CHANCE);
	}
	if (!decided)
		suspect->outcome = NP_FLEET_UNDECIDED;
	free(round);
	free(left);
	return rc;
}

static int keep_suspects(struct np_fleet_search *search, const struct np_fleet_pair *pairs,
			 size_t count)
{
	search->suspects = calloc(count + 1, sizeof(*search->suspects));
	if (search->suspects == NULL)
		return -ENOMEM;
	search->suspect_count = count;
	for (size_t i = 0; i < count; i++)
		search->suspects[i] = (struct np_fleet_suspect){
			.pair = pairs[i],
			.outcome = i < ALONE_MOST ? NP_FLEET_UNDECIDED : NP_FLEET_UNSEEN,
			.slower = (double)NAN,
			.low = (double)NAN,
			.high = (double)NAN,
		};
	return 0;
}

int np_fleet_remeasure(struct np_fleet_search *search, const struct np_fleet *fleet)
{
	struct np_fleet_pair *pairs;
	size_t count;
	int rc = np_fleet_stand_out(fleet, &pairs, &count);

	for (unsigned k = 0; k < AGAIN_MOST && count > ALONE_MOST && rc == 0; k++)
		rc = repeat_many(search, fleet, pairs, &count);
	if (rc == 0)
		rc = keep_suspects(search, pairs, count);
	free(pairs);
	if (rc == 0 && count != 0)
		rc = repeat_few(search, fleet);
	for (size_t i = 0; rc == 0 && i < search->suspect_count; i++) {
		if (search->suspects[i].outcome == NP_FLEET_BY_CHANCE)
			rc = repeat_round(search, fleet, &search->suspects[i]);
	}
	return rc;
}

int np_fleet_search_add(struct np_fleet_search *search,
			const struct np_fleet_suspect *suspect)
{
	return np_list_add(&search->suspects, &search->suspect_count, suspect,
			   sizeof(*suspect));
}

void np_fleet_search_free(struct np_fleet_search *search)
{
	free(search->suspects);
	search->suspects = NULL;
	search->suspect_count = 0;
}

const char *np_fleet_outcome_name(enum np_fleet_outcome outcome)
{
	static const char *const names[NP_FLEET_OUTCOMES] = {
		[NP_FLEET_SLOW] = "slow",	 [NP_FLEET_CROWDED] = "crowded",
		[NP_FLEET_BY_CHANCE] = "chance", [NP_FLEET_UNDECIDED] = "undecided",
		[NP_FLEET_UNSEEN] = "unseen",
	};

	return names[outcome];
}

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
