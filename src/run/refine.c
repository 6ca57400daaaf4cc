/*
 * refine.c - --refine: measures the sizes that the search selects (steps.h).
 */
#include "run/refine.h"

#include <errno.h>
#include <stdlib.h>

#include "endpoint/process.h"
#include "plan/budget.h"
#include "questions/steps.h"
#include "questions/refined.h"
#include "results/host_state.h"
#include "run/visit.h"

/* Duration of a visit of a pass over that of a visit of the search, which is one block. */
static const uint64_t visit_divisor = 6;

/* Minimum of samples in a visit, for samples that are long: some are warm-up. */
static const uint64_t samples_min = 6;

/* Smallest step that is searched for: 5 %. */
static const double step_min = 0.05;

/* State of the search in one mode. */
struct refine_work {
	struct np_campaign campaign; /* copy of the passes', with a plan of its own */
	struct np_plan plan;
	struct np_steps search;
	struct np_refining *refining;
	uint64_t cursor, begin_ns, short_ns;
	double usual_latency_ns; /* core-to-core, usual state; 0: not known */
	uint64_t usual_since_ns; /* end of the last round in the usual host state */
	uint64_t repeated_ns;	 /* total time of repeated rounds */
};

static double share_of_time(const struct refine_work *work)
{
	return (double)(np_process_now(work->campaign.process) - work->begin_ns) /
	       ((double)work->plan.budget_ns * NP_BUDGET_REFINE);
}

/* Returns the state of the smallest size of the passes at or above `length`, for its
 * calibration. */
static const struct np_size_state *state_above(const struct np_campaign *campaign,
					       size_t length)
{
	size_t at = 0;

	while (at + 1 < campaign->state_count && campaign->states[at].length < length)
		at++;
	return &campaign->states[at];
}

/* Visits one size with the calibration of `like`, which all sizes of a question share: they
 * have equal numbers of messages a sample. */
static int visit_size(struct refine_work *work, size_t length,
		      const struct np_size_state *like, struct np_visit **visit,
		      struct np_error *error)
{
	struct np_results *results = work->campaign.results;
	struct np_size_state state = { .length = length,
				       .messages = like->messages,
				       .batch_ns = like->batch_ns,
				       .cursor = work->cursor };
	const uint64_t min_ns = samples_min * (uint64_t)like->batch_ns;

	work->plan.visit_ns = work->short_ns > min_ns ? work->short_ns : min_ns;
	const int rc = np_visit_size(&work->campaign, &state, false, error);

	work->cursor = state.cursor;
	if (rc == 0)
		*visit = results->visits[results->count - 1];
	work->refining->visits += rc == 0;
	return rc;
}

static int make_answer(struct np_results *results, struct np_visit *visit,
		       struct np_answer *answer, double **samples, struct np_error *error)
{
	*samples = malloc((visit->samples + 1) * sizeof(**samples));
	if (*samples == NULL)
		return np_fail_errno(error, ENOMEM, "no memory for the search");
	for (size_t i = 0; i < visit->samples; i++)
		(*samples)[i] = np_message_seconds(results, visit, visit->samples_ns[i]);
	*answer = (struct np_answer){ .seconds = visit->median_s,
				      .samples = *samples,
				      .sample_count = visit->samples };
	np_results_forget_samples(results, visit);
	/* The median is 0 if the clock did not advance; the search needs times above 0. */
	if (!(answer->seconds > 0))
		answer->seconds = 1e-12;
	return 0;
}

/* A round: a visit of each size of a question and its times (the answer), in the order of
 * question->sizes. */
struct round {
	uint64_t begin_ns;
	struct np_visit *visits[NP_QUESTION_SIZES];
	struct np_answer answers[NP_QUESTION_SIZES];
	double *samples[NP_QUESTION_SIZES];
};

/* Visits the sizes of a round; every other round visits them in reverse order. */
static int visit_sizes(struct refine_work *work, const struct np_question *question,
		       struct round *round, struct np_error *error)
{
	const size_t largest = question->sizes[question->count - 1];
	const struct np_size_state *like = state_above(&work->campaign, largest);
	/* One connection for all sizes: they are compared. */
	int rc = np_campaign_own_connection(&work->campaign, largest, error);

	for (size_t i = 0; i < question->count && rc == 0; i++) {
		const bool reversed = work->campaign.pass % 2 == 1;
		const size_t turn = reversed ? question->count - 1 - i : i;

		rc = visit_size(work, question->sizes[turn], like, &round->visits[turn],
				error);
		if (rc == 0)
			rc = make_answer(work->campaign.results, round->visits[turn],
					 &round->answers[turn], &round->samples[turn],
					 error);
	}
	work->campaign.pass++;
	return rc;
}

/* Returns true if a visit of the round was in another host state and the round is to be
 * repeated.  Repeated rounds take at most half of the time of the search.  A host state
 * that lasts for NP_BUDGET_STATE becomes the usual one. */
static bool is_to_be_repeated(struct refine_work *work, const struct round *round,
			      size_t count)
{
	const uint64_t now_ns = np_process_now(work->campaign.process);
	const double stays_ns = (double)work->plan.budget_ns * NP_BUDGET_STATE,
		     half_ns = (double)(now_ns - work->begin_ns) / 2;
	double other_ns = 0;

	for (size_t i = 0; i < count; i++) {
		const double latency_ns = round->visits[i]->core_latency_ns;

		if (np_is_other_state(latency_ns, work->usual_latency_ns))
			other_ns = latency_ns;
	}
	if (other_ns > 0 && (double)(now_ns - work->usual_since_ns) < stays_ns) {
		work->repeated_ns += now_ns - round->begin_ns;
		return (double)work->repeated_ns < half_ns + stays_ns &&
		       share_of_time(work) < 1;
	}
	if (other_ns > 0)
		work->usual_latency_ns = other_ns;
	work->usual_since_ns = now_ns;
	return false;
}

static int discard_round(struct refine_work *work, const struct round *round, size_t count,
			 struct np_error *error)
{
	int rc = 0;

	for (size_t i = 0; i < count && rc == 0; i++)
		rc = np_campaign_supersede(&work->campaign, round->visits[i], error);
	return rc;
}

/* Measures one round, and passes its times to the search unless the round is to be
 * repeated. */
static int measure_round(struct refine_work *work, const struct np_question *question,
			 struct np_error *error)
{
	struct round round = { .begin_ns = np_process_now(work->campaign.process) };
	int rc = visit_sizes(work, question, &round, error);

	if (rc == 0 && is_to_be_repeated(work, &round, question->count))
		rc = discard_round(work, &round, question->count, error);
	else if (rc == 0 && np_steps_answer(&work->search, round.answers) != 0)
		rc = np_fail_errno(error, ENOMEM, "no memory for the search");
	for (size_t i = 0; i < NP_QUESTION_SIZES; i++)
		free(round.samples[i]);
	return rc;
}

static void report_progress(const struct refine_work *work,
			    const struct np_question *question)
{
	const struct np_observer *observer = work->campaign.observer;

	if (observer->progress != NULL)
		observer->progress(observer->context, work->campaign.pass,
				   question->sizes[0], share_of_time(work),
				   (double)work->plan.budget_ns * 1e-9 * NP_BUDGET_REFINE);
}

/* Measures until the search is complete or its time limit is over.  The search begins no
 * question (sizes measured in rounds) after NP_BUDGET_QUESTION. */
static int run_search(struct refine_work *work, struct np_error *error)
{
	struct np_question question;
	int rc = 0;

	while (rc == 0 && np_steps_next(&work->search, &question)) {
		const bool between = np_steps_between(&work->search);

		if (share_of_time(work) >= (between ? NP_BUDGET_QUESTION : 1))
			break;
		if (between)
			report_progress(work, &question);
		rc = measure_round(work, &question, error);
	}
	return rc;
}

/* Returns true if the search stopped within a gap: the question over the whole gap is
 * answered, those over quarters of it are not. */
static bool is_in_a_gap(const struct np_steps *search)
{
	return search->count != 0 && !search->tasks[search->count - 1].first;
}

/* Returns the size, bytes, below which the search of all gaps is complete. */
static size_t searched_to(const struct np_steps *search)
{
	size_t least = search->options.largest;

	for (size_t i = 0; i < search->count; i++) {
		if (search->tasks[i].low < least)
			least = search->tasks[i].low;
	}
	return least;
}

/* Keeps the bends and counts of a search for the output. */
static int keep_bends(const struct np_steps *search, enum np_mode mode,
		      struct np_refining *refining, struct np_error *error)
{
	struct np_refine_bend *bends =
		realloc(refining->bends,
			(refining->bend_count + search->bend_count + 1) * sizeof(*bends));

	refining->gaps += search->gaps;
	refining->gaps_left += search->gaps_left + is_in_a_gap(search);
	refining->gaps_clear += search->gaps_clear;
	if (bends == NULL)
		return np_fail_errno(error, ENOMEM, "no memory for the search");
	refining->bends = bends;
	for (size_t i = 0; i < search->bend_count; i++)
		refining->bends[refining->bend_count++] =
			(struct np_refine_bend){ .mode = mode, .bend = search->bends[i] };
	return 0;
}

static int search_mode(struct refine_work *work, enum np_mode mode,
		       const enum np_mode *base, struct np_error *error)
{
	const size_t count = work->plan.size_count;
	const struct np_steps_options options = { .least = step_min,
						  .smallest = work->plan.sizes[0],
						  .largest = work->plan.sizes[count - 1] };
	struct np_suspicion *suspicion = calloc(count + 1, sizeof(*suspicion));
	int rc = np_steps_init(&work->search, &options);

	work->plan.modes[0] = mode;
	work->plan.mode_count = 1;
	if (suspicion == NULL)
		rc = -ENOMEM;
	if (rc == 0)
		rc = np_refine_suspect(work->campaign.results, work->plan.sizes, count,
				       mode, base, suspicion);
	if (rc == 0)
		rc = np_steps_cover(&work->search, work->plan.sizes, count, suspicion,
				    base != NULL);
	rc = rc != 0 ? np_fail_errno(error, rc, "no memory for the search") :
		       run_search(work, error);
	if (base == NULL)
		work->refining->searched_to = searched_to(&work->search);
	const int kept = keep_bends(&work->search, mode, work->refining, error);
	np_steps_free(&work->search);
	free(suspicion);
	return rc != 0 ? rc : kept;
}

int np_refine_run(struct np_campaign *campaign, struct np_refining *refining,
		  struct np_error *error)
{
	struct refine_work work = { .campaign = *campaign,
				    .plan = *campaign->plan,
				    .refining = refining,
				    .begin_ns = np_process_now(campaign->process),
				    .usual_latency_ns =
					    np_host_states_of(campaign->results).usual_ns,
				    .usual_since_ns = np_process_now(campaign->process) };
	const enum np_mode base = work.plan.modes[0];
	int rc;

	work.campaign.plan = &work.plan;
	work.campaign.refining = true;
	work.campaign.pace = 1;
	work.short_ns = work.plan.visit_ns / visit_divisor;
	work.plan.pairs = 1;
	work.plan.variant_count = 1;
	refining->ran = true;
	campaign->results->keep_samples = true;
	rc = search_mode(&work, base, NULL, error);
	for (size_t i = 1; i < campaign->plan->mode_count && rc == 0; i++) {
		if (campaign->plan->modes[i] == NP_MODE_ROTATE)
			rc = search_mode(&work, NP_MODE_ROTATE, &base, error);
	}
	refining->seconds =
		(double)(np_process_now(campaign->process) - work.begin_ns) * 1e-9;
	campaign->serial = work.campaign.serial;
	campaign->results->keep_samples = false;
	campaign->pass = work.campaign.pass;
	campaign->random = work.campaign.random;
	return rc;
}
