/*
 * fleet_looks.c - the tournament of a fleet, and the looks that follow.
 */
#include "questions/fleet_looks.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/list.h"
#include "base/random.h"
#include "base/tournament.h"
#include "stats/sequential.h"
#include "stats/stats.h"

enum {
	ALONE_MOST = 16,   /* suspects that are looked at alone */
	AGAIN_MOST = 4,	   /* times that more are looked at again */
	CONTROLS_MOST = 5, /* ordinary pairs beside those alone */
	CONTROL_DRAWS = 1000,
	LOOKS_MOST = 86 /* at a suspect: a look of stats/sequential.h */
};

static int measure(struct np_fleet_looks *looks, struct np_fleet_look *pairs, size_t count)
{
	looks->rounds++;
	return looks->measure(looks->context, pairs, count);
}

static bool is_over(const struct np_fleet_looks *looks)
{
	return looks->rounds_most != 0 && looks->rounds >= looks->rounds_most;
}

size_t np_fleet_rounds_most(size_t hosts)
{
	return 12 * np_tournament_rounds(hosts);
}

static size_t fill_round(const struct np_fleet *fleet, size_t round,
			 struct np_fleet_look *pairs)
{
	size_t count = 0;

	for (size_t host = 0; host < fleet->hosts; host++) {
		const size_t partner = np_tournament_partner(fleet->hosts, round, host);

		if (partner > host && partner < fleet->hosts)
			pairs[count++] =
				(struct np_fleet_look){ .one = host, .other = partner };
	}
	return count;
}

static struct np_fleet_look *make_round(const struct np_fleet *fleet)
{
	return calloc(fleet->hosts / 2 + 1, sizeof(struct np_fleet_look));
}

int np_fleet_tournament(struct np_fleet_looks *looks, struct np_fleet *fleet)
{
	struct np_fleet_look *pairs = make_round(fleet);
	int rc = pairs != NULL ? 0 : -ENOMEM;

	for (size_t k = 0; rc == 0 && k < np_tournament_rounds(fleet->hosts); k++) {
		const size_t count = fill_round(fleet, k, pairs);

		rc = measure(looks, pairs, count);
		for (size_t i = 0; rc == 0 && i < count; i++)
			fleet->logs[np_fleet_at(pairs[i].one, pairs[i].other)] =
				(float)pairs[i].log;
	}
	free(pairs);
	return rc;
}

static double left_of(const struct np_fleet *fleet, const struct np_fleet_look *look)
{
	return np_fleet_left(fleet, look->one, look->other, look->log);
}

/* ---- Many: again, as many at once as there can be ----------------------------- */

/* Takes pairs of different hosts from those that are not done. */
static size_t pack(const struct np_fleet_pair *pairs, size_t count, bool *done, bool *busy,
		   struct np_fleet_look *round)
{
	size_t packed = 0;

	for (size_t i = 0; i < count; i++) {
		if (done[i] || busy[pairs[i].one] || busy[pairs[i].other])
			continue;
		done[i] = busy[pairs[i].one] = busy[pairs[i].other] = true;
		round[packed++] = (struct np_fleet_look){ .one = pairs[i].one,
							  .other = pairs[i].other };
	}
	for (size_t i = 0; i < packed; i++)
		busy[round[i].one] = busy[round[i].other] = false;
	return packed;
}

/* Keeps those that stand out once more. */
static int look_at_many(struct np_fleet_looks *looks, const struct np_fleet *fleet,
			struct np_fleet_pair *pairs, size_t *count)
{
	struct np_fleet_look *round = make_round(fleet);
	bool *done = calloc(*count + 1, sizeof(*done)),
	     *busy = calloc(fleet->hosts + 1, sizeof(*busy));
	size_t packed, kept = 0;
	struct np_fleet_pair *found = calloc(*count + 1, sizeof(*found));
	int rc = round != NULL && done != NULL && busy != NULL && found != NULL ? 0 :
										  -ENOMEM;

	while (rc == 0 && (packed = pack(pairs, *count, done, busy, round)) != 0) {
		rc = measure(looks, round, packed);
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

/* ---- Few: one after the other --------------------------------------------------- */

struct series {
	double values[LOOKS_MOST];
	size_t count;
};

static bool is_suspect(const struct np_fleet_looks *looks, size_t one, size_t other)
{
	for (size_t i = 0; i < looks->suspect_count; i++) {
		const struct np_fleet_pair *pair = &looks->suspects[i].pair;

		if ((pair->one == one && pair->other == other) ||
		    (pair->one == other && pair->other == one))
			return true;
	}
	return false;
}

/* Ordinary pairs, drawn: neither slow nor of a slow host. */
static size_t choose_controls(const struct np_fleet_looks *looks,
			      const struct np_fleet *fleet, struct np_fleet_look *controls)
{
	struct np_random random = { .state = looks->seed };
	size_t count = 0;

	for (unsigned k = 0; k < CONTROL_DRAWS && count < CONTROLS_MOST; k++) {
		struct np_fleet_look look = {
			.one = (size_t)np_random_below(&random, fleet->hosts),
			.other = (size_t)np_random_below(&random, fleet->hosts),
		};

		if (look.one == look.other || fleet->host_effects[look.one].slow ||
		    fleet->host_effects[look.other].slow ||
		    is_suspect(looks, look.one, look.other))
			continue;
		look.log = (double)fleet->logs[np_fleet_at(look.one, look.other)];
		if (left_of(fleet, &look) < log1p(fleet->slow) / 2)
			controls[count++] = look;
	}
	return count;
}

/* Each alone.  Sets the median of what is left of them; NAN if none could be measured. */
static int look_at_controls(struct np_fleet_looks *looks, const struct np_fleet *fleet,
			    struct np_fleet_look *controls, size_t count, double *middle)
{
	double left[CONTROLS_MOST];
	size_t known = 0;

	for (size_t i = 0; i < count; i++) {
		const int rc = measure(looks, &controls[i], 1);

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

/* The error rates are those of all suspects. */
static struct np_sequential_look decide(const struct np_fleet_looks *looks,
					const struct np_fleet *fleet,
					const struct series *series)
{
	const struct np_sequential test = {
		.bound = log1p(fleet->slow),
		.error_above = fleet->error_rate / (double)looks->suspect_count,
		.error_below = fleet->error_rate / (double)looks->suspect_count,
		.resolution = 1e-4,
	};

	return np_sequential_decide(&test, series->values, series->count);
}

/* What a look has told of a suspect: slow is the outcome if it is slow, and then the others
 * are if it is not. */
static bool conclude(struct np_fleet_suspect *suspect,
		     const struct np_sequential_look *seen, enum np_fleet_outcome slow,
		     enum np_fleet_outcome otherwise)
{
	if (seen->side != NP_SIDE_UNKNOWN)
		suspect->outcome = seen->side == NP_SIDE_ABOVE ? slow : otherwise;
	return seen->side != NP_SIDE_UNKNOWN;
}

static int look_alone(struct np_fleet_looks *looks, const struct np_fleet *fleet,
		      struct np_fleet_suspect *suspect, struct series *series,
		      double middle)
{
	struct np_fleet_look look = { .one = suspect->pair.one,
				      .other = suspect->pair.other };
	const int rc = measure(looks, &look, 1);

	if (rc != 0)
		return rc;
	add(series, left_of(fleet, &look) - middle);
	const struct np_sequential_look seen = decide(looks, fleet, series);

	suspect->looks = series->count;
	suspect->slower = seen.estimate;
	suspect->low = seen.low;
	suspect->high = seen.high;
	conclude(suspect, &seen, NP_FLEET_SLOW, NP_FLEET_BY_CHANCE);
	return 0;
}

/* One look at each that is undecided; *open: how many of them still are. */
static int look_at_each(struct np_fleet_looks *looks, const struct np_fleet *fleet,
			size_t few, struct series *series, double middle, size_t *open)
{
	int rc = 0;

	for (size_t i = 0; i < few && rc == 0; i++) {
		if (looks->suspects[i].outcome == NP_FLEET_UNDECIDED)
			rc = look_alone(looks, fleet, &looks->suspects[i], &series[i],
					middle);
		*open += looks->suspects[i].outcome == NP_FLEET_UNDECIDED;
	}
	return rc;
}

static int look_at_few(struct np_fleet_looks *looks, const struct np_fleet *fleet)
{
	const size_t few =
		looks->suspect_count < ALONE_MOST ? looks->suspect_count : ALONE_MOST;
	struct np_fleet_look controls[CONTROLS_MOST];
	const size_t control_count = choose_controls(looks, fleet, controls);
	struct series *series = calloc(ALONE_MOST, sizeof(*series));
	size_t open = few;
	int rc = series != NULL ? 0 : -ENOMEM;

	for (size_t k = 0; k < LOOKS_MOST && open != 0 && rc == 0 && !is_over(looks); k++) {
		double middle;

		rc = look_at_controls(looks, fleet, controls, control_count, &middle);
		open = 0;
		if (rc == 0)
			rc = look_at_each(looks, fleet, few, series, middle, &open);
	}
	free(series);
	return rc;
}

/* Its round once more, and again.  Others of the round are the ordinary ones. */
static int look_in_round(struct np_fleet_looks *looks, const struct np_fleet *fleet,
			 struct np_fleet_suspect *suspect)
{
	const size_t number =
		np_tournament_round(fleet->hosts, suspect->pair.one, suspect->pair.other);
	struct np_fleet_look *round = make_round(fleet);
	double *left = calloc(fleet->hosts / 2 + 1, sizeof(*left));
	struct series series = { .count = 0 };
	bool decided = false;
	int rc = round != NULL && left != NULL ? 0 : -ENOMEM;

	for (size_t k = 0; k < LOOKS_MOST && !decided && rc == 0 && !is_over(looks); k++) {
		const size_t count = fill_round(fleet, number, round);
		double mine = (double)NAN;
		size_t known = 0;

		rc = measure(looks, round, count);
		for (size_t i = 0; i < count && rc == 0; i++) {
			left[known] = left_of(fleet, &round[i]);
			if (is_suspect(looks, round[i].one, round[i].other))
				mine = round[i].one == suspect->pair.one ? left[known] :
									   mine;
			else
				known += isnan(left[known]) ? 0 : 1;
		}
		if (rc == 0)
			add(&series, mine - (known != 0 ? np_median(left, known) : 0));
		const struct np_sequential_look seen = decide(looks, fleet, &series);
		decided = conclude(suspect, &seen, NP_FLEET_CROWDED, NP_FLEET_BY_CHANCE);
	}
	if (!decided)
		suspect->outcome = NP_FLEET_UNDECIDED;
	free(round);
	free(left);
	return rc;
}

static int keep_suspects(struct np_fleet_looks *looks, const struct np_fleet_pair *pairs,
			 size_t count)
{
	looks->suspects = calloc(count + 1, sizeof(*looks->suspects));
	if (looks->suspects == NULL)
		return -ENOMEM;
	looks->suspect_count = count;
	for (size_t i = 0; i < count; i++)
		looks->suspects[i] = (struct np_fleet_suspect){
			.pair = pairs[i],
			.outcome = i < ALONE_MOST ? NP_FLEET_UNDECIDED : NP_FLEET_UNSEEN,
			.slower = (double)NAN,
			.low = (double)NAN,
			.high = (double)NAN,
		};
	return 0;
}

int np_fleet_look_again(struct np_fleet_looks *looks, const struct np_fleet *fleet)
{
	struct np_fleet_pair *pairs;
	size_t count;
	int rc = np_fleet_stand_out(fleet, &pairs, &count);

	for (unsigned k = 0; k < AGAIN_MOST && count > ALONE_MOST && rc == 0; k++)
		rc = look_at_many(looks, fleet, pairs, &count);
	if (rc == 0)
		rc = keep_suspects(looks, pairs, count);
	free(pairs);
	if (rc == 0 && count != 0)
		rc = look_at_few(looks, fleet);
	for (size_t i = 0; rc == 0 && i < looks->suspect_count; i++) {
		if (looks->suspects[i].outcome == NP_FLEET_BY_CHANCE)
			rc = look_in_round(looks, fleet, &looks->suspects[i]);
	}
	return rc;
}

int np_fleet_looks_add(struct np_fleet_looks *looks, const struct np_fleet_suspect *suspect)
{
	return np_list_add(&looks->suspects, &looks->suspect_count, suspect,
			   sizeof(*suspect));
}

void np_fleet_looks_free(struct np_fleet_looks *looks)
{
	free(looks->suspects);
	looks->suspects = NULL;
	looks->suspect_count = 0;
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
