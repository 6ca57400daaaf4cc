/*
 * fleet.c - measures and judges the fleets of two sizes, and measures suspects again.
 */
#include "fleet/fleet.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/random.h"
#include "stats/sequential.h"
#include "stats/stats.h"

enum {
	ALONE_MOST = 16,      /* most suspects that are measured alone */
	AGAIN_MOST = 4,	      /* repetitions of all suspects, while there are more */
	CONTROLS_MOST = 5,    /* ordinary pairs: the reference, in turn with suspects */
	CONTROL_DRAWS = 1000, /* random pairs drawn to find them */
	REPEATS_MOST = 86,    /* measurements of a suspect, up to an interim analysis of
				 stats/sequential.h */
	TOURNAMENTS_MOST = 12 /* limit of rounds for the suspects of a size, in tournaments:
				 beyond it they stay undecided */
};

/* Search for slow pairs at one size. */
struct search {
	struct np_fleet_run *run;
	np_fleet_measure *measure;
	void *context;
	uint64_t seed;
	struct np_pair_sample *round; /* pairs that are measured at once */
	const struct np_fleet *fleet;
	struct np_fleet_suspects *suspects;
	size_t size;	   /* index: 0 or 1 */
	size_t rounds_end; /* number of rounds of the run that ends the search */
};

static int measure_round(const struct search *search, size_t count)
{
	const int rc = search->measure(search->context, search->round, count);

	search->run->rounds += rc == 0;
	return rc;
}

static bool is_over(const struct search *search)
{
	return search->run->rounds >= search->rounds_end;
}

static bool is_pair(const struct np_fleet_suspect *suspect, size_t one, size_t other)
{
	return (suspect->one == one && suspect->other == other) ||
	       (suspect->one == other && suspect->other == one);
}

static bool is_suspect(const struct np_fleet_suspects *suspects, size_t one, size_t other)
{
	size_t i = 0;

	while (i < suspects->count && !is_pair(&suspects->list[i], one, other))
		i++;
	return i < suspects->count;
}

static void put_pair(const struct search *search, size_t at, size_t one, size_t other)
{
	search->round[at] = (struct np_pair_sample){ .one = one, .other = other };
}

/* Returns the number of pairs of a round of the tournament. */
static size_t fill_round(const struct search *search, size_t round)
{
	const size_t hosts = search->run->hosts->count;
	size_t count = 0;

	for (size_t host = 0; host < hosts; host++) {
		const size_t partner = np_round_robin_partner(hosts, round, host);

		if (partner > host && partner < hosts)
			put_pair(search, count++, host, partner);
	}
	return count;
}

static int measure_tournament(const struct search *search)
{
	const size_t rounds = np_round_robin_rounds(search->run->hosts->count);
	int rc = 0;

	for (size_t k = 0; rc == 0 && k < rounds; k++) {
		const size_t count = fill_round(search, k);

		rc = measure_round(search, count);
		/* Pairs that an interrupted round has measured are kept. */
		for (size_t i = 0; i < count; i++) {
			const int taken = np_fleet_run_take(search->run, &search->round[i]);

			rc = rc != 0 ? rc : taken;
		}
	}
	return rc;
}

/* Residual of a pair of the round; NAN if it was not measured. */
static double left_of(const struct search *search, size_t at)
{
	const struct np_pair_sample *sample = &search->round[at];

	return search->size >= sample->size_count ?
		       (double)NAN :
		       np_fleet_left(search->fleet, sample->one, sample->other,
				     log(sample->seconds[search->size]));
}

static int measure_alone(const struct search *search, size_t one, size_t other,
			 double *left)
{
	put_pair(search, 0, one, other);
	const int rc = measure_round(search, 1);

	*left = left_of(search, 0);
	return rc;
}

/* ---- Many suspects: repeated with as many pairs at once as possible --------------- */

/* Packs suspects that are not done, with disjoint hosts, into a round, first fit; at: their
 * indices.  Returns their number. */
static size_t pack(const struct search *search, bool *done, bool *busy, size_t *at)
{
	const struct np_fleet_suspect *list = search->suspects->list;
	size_t packed = 0;

	for (size_t i = 0; i < search->suspects->count; i++) {
		if (done[i] || busy[list[i].one] || busy[list[i].other])
			continue;
		done[i] = busy[list[i].one] = busy[list[i].other] = true;
		put_pair(search, packed, list[i].one, list[i].other);
		at[packed++] = i;
	}
	for (size_t i = 0; i < packed; i++)
		busy[list[at[i]].one] = busy[list[at[i]].other] = false;
	return packed;
}

/* Measures all suspects again and keeps those with residuals above half the margin. */
static int repeat_many(const struct search *search)
{
	struct np_fleet_suspects *suspects = search->suspects;
	const size_t hosts = search->fleet->hosts;
	bool *done = calloc(suspects->count, sizeof(*done)),
	     *busy = calloc(hosts, sizeof(*busy));
	size_t *at = calloc(hosts, sizeof(*at)), packed, kept = 0;
	int rc = done != NULL && busy != NULL && at != NULL ? 0 : -ENOMEM;

	while (rc == 0 && (packed = pack(search, done, busy, at)) != 0) {
		rc = measure_round(search, packed);
		for (size_t i = 0; i < packed; i++)
			suspects->list[at[i]].left = left_of(search, i);
	}
	for (size_t i = 0; rc == 0 && i < suspects->count; i++) {
		if (suspects->list[i].left > log1p(search->fleet->slow) / 2)
			suspects->list[kept++] = suspects->list[i];
	}
	suspects->count = rc == 0 ? kept : suspects->count;
	free(done);
	free(busy);
	free(at);
	return rc;
}

/* ---- Few suspects: repeated alone ------------------------------------------------- */

/* Repeated measurements of one suspect: residual minus the median residual of ordinary
 * pairs. */
struct series {
	double values[REPEATS_MOST];
	size_t count;
};

/* Ordinary pairs. */
struct controls {
	size_t one[CONTROLS_MOST], other[CONTROLS_MOST], count;
};

/* Draws ordinary pairs: not suspect, without a slow host, with a residual below half the
 * margin. */
static void choose_controls(const struct search *search, struct controls *controls)
{
	const struct np_fleet *fleet = search->fleet;
	struct np_random random = { .state = search->seed };

	controls->count = 0;
	for (unsigned k = 0; k < CONTROL_DRAWS && controls->count < CONTROLS_MOST; k++) {
		const size_t one = (size_t)np_random_below(&random, fleet->hosts);
		const size_t other = (size_t)np_random_below(&random, fleet->hosts);

		if (one == other || fleet->host_effects[one].slow ||
		    fleet->host_effects[other].slow ||
		    is_suspect(search->suspects, one, other) ||
		    !(np_fleet_left(fleet, one, other,
				    (double)fleet->logs[np_fleet_at(one, other)]) <
		      log1p(fleet->slow) / 2))
			continue;
		controls->one[controls->count] = one;
		controls->other[controls->count++] = other;
	}
}

/* Measures the controls, each alone.  Sets the median of their residuals; NAN if none could
 * be measured. */
static int measure_controls(const struct search *search, const struct controls *controls,
			    double *middle)
{
	double left[CONTROLS_MOST];
	size_t known = 0;
	int rc = 0;

	for (size_t i = 0; i < controls->count && rc == 0; i++) {
		rc = measure_alone(search, controls->one[i], controls->other[i],
				   &left[known]);
		known += isnan(left[known]) ? 0 : 1;
	}
	*middle = np_median(left, known);
	return rc;
}

/* Adds a measurement, unless it is NAN, to those of a suspect, and makes the sequential
 * test against the margin.  Bonferroni: suspects divide the error rate.  Sets the outcome
 * once it is decided: `slow` if it is slow, else by chance. */
static struct np_interim add_and_decide(const struct search *search,
					struct np_fleet_suspect *suspect,
					struct series *series, double value,
					enum np_fleet_outcome slow)
{
	const double rate = search->fleet->error_rate / (double)search->suspects->count;
	const struct np_sequential test = { .bound = log1p(search->fleet->slow),
					    .error_above = rate,
					    .error_below = rate,
					    .resolution = 1e-4 };

	if (!isnan(value))
		series->values[series->count++] = value;
	const struct np_interim seen =
		np_sequential_decide(&test, series->values, series->count);

	suspect->outcome = seen.side == NP_SIDE_UNKNOWN ? NP_FLEET_UNDECIDED :
			   seen.side == NP_SIDE_ABOVE	? slow :
							  NP_FLEET_BY_CHANCE;
	return seen;
}

static int repeat_alone(const struct search *search, struct np_fleet_suspect *suspect,
			struct series *series, double middle)
{
	double left;
	const int rc = measure_alone(search, suspect->one, suspect->other, &left);

	if (rc != 0)
		return rc;
	const struct np_interim seen =
		add_and_decide(search, suspect, series, left - middle, NP_FLEET_SLOW);

	suspect->repeats = series->count;
	suspect->slower = seen.estimate;
	suspect->low = seen.low;
	suspect->high = seen.high;
	return 0;
}

static int repeat_few(const struct search *search)
{
	struct np_fleet_suspects *suspects = search->suspects;
	struct series *series = calloc(ALONE_MOST, sizeof(*series));
	struct controls controls;
	size_t open = suspects->count;
	int rc = series != NULL ? 0 : -ENOMEM;

	for (size_t i = ALONE_MOST; i < suspects->count; i++)
		suspects->list[i].outcome = NP_FLEET_UNSEEN;
	choose_controls(search, &controls);
	for (size_t k = 0; k < REPEATS_MOST && open != 0 && rc == 0 && !is_over(search);
	     k++) {
		double middle;

		rc = measure_controls(search, &controls, &middle);
		open = 0;
		for (size_t i = 0; i < suspects->count && rc == 0; i++) {
			struct np_fleet_suspect *suspect = &suspects->list[i];

			if (suspect->outcome == NP_FLEET_UNDECIDED)
				rc = repeat_alone(search, suspect, &series[i], middle);
			open += suspect->outcome == NP_FLEET_UNDECIDED;
		}
	}
	free(series);
	return rc;
}

/* Tests a suspect in repetitions of its whole tournament round; the other pairs of the
 * round are the reference. */
static int repeat_round(const struct search *search, struct np_fleet_suspect *suspect)
{
	const size_t hosts = search->fleet->hosts,
		     number = np_round_robin_round(hosts, suspect->one, suspect->other);
	double *left = calloc(hosts / 2 + 1, sizeof(*left));
	struct series series = { .count = 0 };
	int rc = left != NULL ? 0 : -ENOMEM;

	suspect->outcome = NP_FLEET_UNDECIDED;
	for (size_t k = 0; k < REPEATS_MOST && suspect->outcome == NP_FLEET_UNDECIDED &&
			   rc == 0 && !is_over(search);
	     k++) {
		const size_t count = fill_round(search, number);
		double mine = (double)NAN;
		size_t known = 0;

		rc = measure_round(search, count);
		for (size_t i = 0; i < count && rc == 0; i++) {
			const struct np_pair_sample *sample = &search->round[i];

			left[known] = left_of(search, i);
			if (is_pair(suspect, sample->one, sample->other))
				mine = left[known];
			else if (!is_suspect(search->suspects, sample->one, sample->other))
				known += isnan(left[known]) ? 0 : 1;
		}
		if (rc == 0)
			add_and_decide(search, suspect, &series,
				       mine - (known != 0 ? np_median(left, known) : 0),
				       NP_FLEET_CROWDED);
	}
	free(left);
	return rc;
}

static int remeasure(const struct search *search)
{
	struct np_fleet_suspects *suspects = search->suspects;
	int rc = np_fleet_stand_out(search->fleet, &suspects->list, &suspects->count);

	for (unsigned k = 0; k < AGAIN_MOST && suspects->count > ALONE_MOST && rc == 0; k++)
		rc = repeat_many(search);
	if (rc == 0 && suspects->count != 0)
		rc = repeat_few(search);
	for (size_t i = 0; rc == 0 && i < suspects->count; i++) {
		if (suspects->list[i].outcome == NP_FLEET_BY_CHANCE)
			rc = repeat_round(search, &suspects->list[i]);
	}
	return rc;
}

int np_fleet_run_measure(struct np_fleet_run *run, np_fleet_measure *measure, void *context,
			 uint64_t seed)
{
	struct search search = {
		.run = run, .measure = measure, .context = context, .seed = seed
	};

	search.round = calloc(run->hosts->count / 2 + 1, sizeof(*search.round));
	int rc = search.round != NULL ? measure_tournament(&search) : -ENOMEM;
	const int judged = np_fleet_run_judge(run);
	rc = rc != 0 ? rc : judged;
	for (size_t k = 0; rc == 0 && k < run->size_count; k++) {
		search.size = k;
		search.fleet = &run->fleets[k];
		search.suspects = &run->suspects[k];
		search.rounds_end =
			run->rounds +
			TOURNAMENTS_MOST * np_round_robin_rounds(run->hosts->count);
		rc = remeasure(&search);
	}
	free(search.round);
	return rc;
}

/* ---- The run ---------------------------------------------------------------------- */

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
		free(run->suspects[k].list);
	}
	free(run->measured);
	free(run->failures);
	*run = (struct np_fleet_run){ .hosts = NULL };
}

int np_fleet_run_suspect(struct np_fleet_run *run, size_t size,
			 const struct np_fleet_suspect *suspect)
{
	return np_list_add(&run->suspects[size].list, &run->suspects[size].count, suspect,
			   sizeof(*suspect));
}

int np_fleet_run_take(struct np_fleet_run *run, const struct np_pair_sample *sample)
{
	if (sample->size_count == 0)
		return sample->reason[0] == '\0' ?
			       0 :
			       np_list_add(&run->failures, &run->failure_count, sample,
					   sizeof(*sample));
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

/* ---- Results ----------------------------------------------------------------------- */

bool np_fleet_run_is_of_host(const struct np_fleet_run *run,
			     const struct np_pair_sample *failure)
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
	const struct np_fleet_suspects *suspects = &run->suspects[size];
	size_t count = 0;

	for (size_t i = 0; i < fleet->hosts; i++)
		count += fleet->host_effects[i].undecided;
	for (size_t g = 0; g < fleet->groups; g++)
		count += fleet->group_effects[g].undecided;
	for (size_t i = 0; i < suspects->count; i++)
		count += suspects->list[i].outcome == NP_FLEET_UNDECIDED ||
			 suspects->list[i].outcome == NP_FLEET_UNSEEN;
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
		for (size_t i = 0; i < run->suspects[k].count; i++)
			counts.pairs += is_named(&run->suspects[k].list[i]);
		counts.undecided += count_undecided(run, k);
	}
	return counts;
}

bool np_fleet_run_is_slow(const struct np_fleet_run *run, size_t size, size_t one,
			  size_t other)
{
	const struct np_fleet *fleet = &run->fleets[size];
	const struct np_fleet_suspects *suspects = &run->suspects[size];
	const size_t groups[] = { run->hosts->hosts[one].group,
				  run->hosts->hosts[other].group };
	bool slow = fleet->host_effects[one].slow || fleet->host_effects[other].slow;

	if (groups[0] != groups[1])
		slow |= fleet->group_effects[groups[0]].slow ||
			fleet->group_effects[groups[1]].slow;
	for (size_t i = 0; i < suspects->count && !slow; i++)
		slow = is_named(&suspects->list[i]) &&
		       is_pair(&suspects->list[i], one, other);
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
