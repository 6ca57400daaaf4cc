/*
 * campaign.c - campaign: passes over all sizes, checks of precision, time budget; -i.
 */
#include "run/campaign.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "endpoint/block_timeout.h"
#include "plan/budget.h"
#include "results/rows.h"
#include "run/visit.h"
#include "run/warm.h"
#include "stats/sequential.h"

/* ---- memory and connection, between visits ------------------------------------------ */

/* Minimum share (0 to 1) of the pool in huge pages: below it the condition of huge pages is
 * not measured. */
static const double huge_share_min = 0.9;

static int map_pool(struct np_campaign *campaign, enum np_factor factor, double *huge_share,
		    struct np_error *error)
{
	const struct np_command map = { .kind = NP_COMMAND_MAP,
					.length = campaign->plan->pool_bytes,
					.key = np_random_next(&campaign->random),
					.memory =
						campaign->plan->conditions[factor].memory };
	struct np_outcome outcome = { .ns = NULL };
	const int rc = np_command_both(campaign->process, &map, &outcome, error);

	campaign->mapped = factor;
	if (huge_share != NULL)
		*huge_share = outcome.huge_share;
	return rc;
}

int np_campaign_map(struct np_campaign *campaign, struct np_error *error)
{
	return map_pool(campaign, NP_FACTOR_NONE, NULL, error);
}

static int reconnect(struct np_campaign *campaign, struct np_error *error)
{
	const struct np_command close = { .kind = NP_COMMAND_CLOSE };
	const struct np_command open = { .kind = NP_COMMAND_OPEN };
	struct np_outcome outcome = { .ns = NULL };
	int rc;

	if ((campaign->process->request.capabilities & NP_CAN_RECONNECT) == 0)
		return 0;
	rc = np_command_both(campaign->process, &close, NULL, error);
	if (rc == 0)
		rc = np_command_both(campaign->process, &open, &outcome, error);
	np_facts_free(&outcome.facts);
	campaign->carried = 0;
	return rc;
}

/* Between passes: maps the memory of the base again and, where the module can,
 * reconnects. */
static int renew(struct np_campaign *campaign, struct np_error *error)
{
	const struct np_command unmap = { .kind = NP_COMMAND_UNMAP };
	int rc = np_command_both(campaign->process, &unmap, NULL, error);

	if (rc == 0)
		rc = reconnect(campaign, error);
	return rc == 0 ? np_campaign_map(campaign, error) : rc;
}

/* Drops the condition of huge pages: the kernel did not provide them transparently. */
static int drop_pages_condition(struct np_campaign *campaign, double huge_share,
				struct np_error *error)
{
	const struct np_observer *observer = campaign->observer;
	struct np_condition *condition = &campaign->results->conditions[NP_FACTOR_PAGES];

	condition->asked = false;
	snprintf(condition->reason, sizeof(condition->reason),
		 "the kernel had transparent huge pages for %.0f %% of the pool",
		 100 * huge_share);
	if (observer->condition == NULL)
		return 0;
	return observer->condition(observer->context, NP_FACTOR_PAGES, error);
}

/* Maps the memory of a condition, unless it is mapped.  The condition of huge pages is
 * dropped, and observer->condition() called, if the kernel does not provide them. */
static int map_condition(struct np_campaign *campaign, enum np_factor factor,
			 struct np_error *error)
{
	const enum np_factor needed = factor == NP_FACTOR_WAIT ? NP_FACTOR_NONE : factor;
	const struct np_command unmap = { .kind = NP_COMMAND_UNMAP };
	double huge_share = 0;

	if (needed == campaign->mapped)
		return 0;
	int rc = np_command_both(campaign->process, &unmap, NULL, error);
	if (rc == 0)
		rc = map_pool(campaign, needed, &huge_share, error);
	if (rc == 0 && needed == NP_FACTOR_PAGES && huge_share < huge_share_min &&
	    campaign->plan->conditions[needed].memory.pages != NP_PAGES_4K)
		rc = drop_pages_condition(campaign, huge_share, error);
	return rc;
}

/* With -r, before each visit: reconnects, and maps again where memory is registered
 * with the connection. */
static int renew_for_size(struct np_campaign *campaign, struct np_error *error)
{
	if (!campaign->options->reset)
		return 0;
	return campaign->process->module->reg != NULL ? renew(campaign, error) :
							reconnect(campaign, error);
}

/* First receive window of a connection, bytes, that shorter messages do not widen. */
enum { FIRST_WINDOW = 64 << 10 };

/* Largest relative difference of sizes that share a connection. */
static const double alike = 1.0 / 64;

/* Least time limit of the warm-up of a connection.  Unit: visits. */
static const double warm_visits = 2;

/* Shortest warm-up of a connection, ns, if the time limit allows it.  Loops of one size
 * over the loopback change by a fifth within their first 0.1 s, after times that agreed:
 * idle states and windows follow the load of the past tenths of a second (doc/results.md).
 */
static const double warm_least_ns = 1e8;

/* Returns true if the connection grows with its messages, and a new one costs no
 * registration of memory: receive windows grow with messages and stay, and messages of
 * 256 KiB through the loopback of Linux 6.18 are 45 % slower after messages of 8 MiB. */
static bool connection_grows(const struct np_campaign *campaign)
{
	const unsigned needed = NP_CAN_RECONNECT | NP_CAN_SPAN_HOSTS;
	const struct np_process *process = campaign->process;

	return (process->request.capabilities & needed) == needed &&
	       process->module->reg == NULL && process->module->model == NULL &&
	       !campaign->options->reset;
}

/* Returns the longest size of the connection that a size is measured on: its own, or the
 * largest of the plan that the first window holds. */
static size_t widest_size(const struct np_campaign *campaign, size_t length)
{
	const struct np_plan *plan = campaign->plan;

	for (size_t i = 0; i < plan->size_count && plan->sizes[i] <= FIRST_WINDOW; i++)
		length = plan->sizes[i] > length ? plan->sizes[i] : length;
	return length;
}

int np_campaign_own_connection(struct np_campaign *campaign, size_t length,
			       struct np_error *error)
{
	const size_t widest = widest_size(campaign, length);
	const double own = (double)widest, carried = (double)campaign->carried;
	int rc = 0;

	if (!connection_grows(campaign) ||
	    (carried >= (1 - alike) * own && carried <= (1 + alike) * own))
		return 0;
	if (campaign->carried > widest)
		rc = reconnect(campaign, error);
	return rc != 0 ? rc :
			 np_campaign_warm(campaign, widest, warm_least_ns,
					  campaign->warm_ns, error);
}

/* Returns the time limit of the warm-up of a connection, ns: the time of a planned pass
 * without its visits, divided by its connections. */
static double share_of_warm_up(const struct np_campaign *campaign)
{
	const struct np_plan *plan = campaign->plan;
	const double pass_ns =
		NP_BUDGET_LEAST_PASSES * (double)plan->budget_ns / (double)plan->passes;
	const double visits_ns = (double)campaign->state_count *
				 (double)np_plan_measured(plan) * (double)plan->visit_ns;
	double connections = 1, before = FIRST_WINDOW;

	for (size_t i = 0; i < plan->size_count; i++) {
		const double size = (double)plan->sizes[i];

		if (size <= (1 + alike) * before)
			continue;
		connections++;
		before = size;
	}
	return fmax(warm_visits * (double)plan->visit_ns,
		    (pass_ns - visits_ns) / connections);
}

/* Adds a state for each condition of the plan. */
static void add_conditions(struct np_campaign *campaign)
{
	const struct np_plan *plan = campaign->plan;

	for (enum np_factor factor = NP_FACTOR_NONE + 1; factor < NP_FACTORS; factor++) {
		if (plan->conditions[factor].asked)
			campaign->states[campaign->state_count++] =
				(struct np_size_state){ .length = plan->sizes[0],
							.factor = factor };
	}
}

int np_campaign_init(struct np_campaign *campaign, struct np_error *error)
{
	const struct np_plan *plan = campaign->plan;
	const bool sweeps = plan->sweep_count != 0;

	campaign->state_count = sweeps ? plan->sweep_count : plan->size_count;
	campaign->states =
		calloc(campaign->state_count + NP_FACTORS, sizeof(*campaign->states));
	if (campaign->states == NULL)
		return np_fail_errno(error, ENOMEM, "no memory for %zu sizes",
				     campaign->state_count);
	for (size_t i = 0; i < campaign->state_count; i++) {
		struct np_size_state *state = &campaign->states[i];

		if (sweeps)
			state->at = plan->sweep[i];
		state->length = state->at.length != 0 ? state->at.length :
							plan->sizes[sweeps ? 0 : i];
		/* Each size starts at another row of the balanced order, so that carry-over
		 * from block to block differs by size. */
		state->round = 2 * (i + campaign->run_index);
	}
	add_conditions(campaign);
	campaign->random.state = plan->seed + campaign->run_index;
	campaign->pace = 1;
	campaign->warm_ns = share_of_warm_up(campaign);
	return 0;
}

void np_campaign_free(struct np_campaign *campaign)
{
	free(campaign->states);
	campaign->states = NULL;
}

/* ---- passes ------------------------------------------------------------------------- */

/* Returns the time since the run began, ns; 0 if the clock went back. */
static double elapsed_ns(const struct np_campaign *campaign)
{
	const uint64_t now = np_process_now(campaign->process);

	return now > campaign->begin_ns ? (double)(now - campaign->begin_ns) : 0;
}

static double elapsed_share(const struct np_campaign *campaign)
{
	return elapsed_ns(campaign) / (double)campaign->plan->budget_ns;
}

/* Returns false for a condition that was dropped during a pass (huge pages unavailable). */
static bool is_asked(const struct np_campaign *campaign, const struct np_size_state *state)
{
	return state->factor == NP_FACTOR_NONE ||
	       campaign->results->conditions[state->factor].asked;
}

static int visit_state(struct np_campaign *campaign, struct np_size_state *state,
		       struct np_error *error)
{
	const double begin_ns = elapsed_ns(campaign);
	int rc = renew_for_size(campaign, error);

	if (rc == 0)
		rc = np_campaign_own_connection(campaign, state->length, error);
	if (rc == 0)
		rc = map_condition(campaign, state->factor, error);
	if (rc == 0 && is_asked(campaign, state))
		rc = np_visit_size(campaign, state, false, error);
	if (state->length > campaign->carried)
		campaign->carried = state->length;
	state->took_ns = elapsed_ns(campaign) - begin_ns;
	if (rc == 0 && campaign->observer->progress != NULL)
		campaign->observer->progress(campaign->observer->context, campaign->pass,
					     state->length, elapsed_share(campaign),
					     (double)campaign->plan->budget_ns * 1e-9);
	return rc;
}

/* Measures the sentinel, the size nearest to 64 bytes, at the start of a pass: a short
 * message shows every disturbance. */
static int visit_sentinel(struct np_campaign *campaign, struct np_error *error)
{
	const struct np_size_state *states = campaign->states;
	size_t best = 0;
	int rc;

	for (size_t i = 1; i < campaign->state_count; i++) {
		if (fabs((double)states[i].length - 64) <
		    fabs((double)states[best].length - 64))
			best = i;
	}
	rc = np_campaign_own_connection(campaign, states[best].length, error);
	return rc != 0 ? rc : np_visit_size(campaign, &campaign->states[best], true, error);
}

/* Moves sizes that share a connection together, each group to the place of its first. Sizes
 * up to the first window precede all others. */
static void group_sizes(const struct np_campaign *campaign, size_t *order, size_t count)
{
	size_t placed = 0;

	for (double own = FIRST_WINDOW, least = 0; placed < count;) {
		for (size_t i = placed; i < count; i++) {
			const size_t at = order[i];
			const double length = (double)campaign->states[at].length;

			if (length < least || length > own)
				continue;
			memmove(order + placed + 1, order + placed,
				(i - placed) * sizeof(*order));
			order[placed++] = at;
		}
		if (placed < count) {
			const double next = (double)campaign->states[order[placed]].length;

			least = (1 - alike) * next;
			own = (1 + alike) * next;
		}
	}
}

/* Shuffles the sizes that still need visits.  Returns their number. */
static size_t shuffle_sizes(struct np_campaign *campaign, size_t *order)
{
	size_t count = 0;

	for (size_t i = 0; i < campaign->state_count; i++) {
		if (!campaign->states[i].precise && !campaign->states[i].left_out &&
		    is_asked(campaign, &campaign->states[i]))
			order[count++] = i;
	}
	np_shuffle(&campaign->random, order, count);
	if (connection_grows(campaign))
		group_sizes(campaign, order, count);
	return count;
}

static struct np_size_state *find_state(struct np_campaign *campaign, size_t length,
					enum np_axis axis, uint64_t buffers,
					enum np_factor factor)
{
	for (size_t i = 0; i < campaign->state_count; i++) {
		struct np_size_state *state = &campaign->states[i];

		if (state->length == length && state->at.axis == axis &&
		    state->at.buffers == buffers && state->factor == factor)
			return state;
	}
	return NULL;
}

int np_campaign_supersede(struct np_campaign *campaign, const struct np_visit *visit,
			  struct np_error *error)
{
	const struct np_observer *observer = campaign->observer;

	np_results_supersede(campaign->results, visit->run_index, visit->serial);
	if (observer->superseded == NULL)
		return 0;
	return observer->superseded(observer->context, visit->run_index, visit->serial,
				    error);
}

/* Repeats a visit that was measured in another host state, and supersedes the first or the
 * second visit, whichever is not in the usual state. */
static int repeat_visit(struct np_campaign *campaign, size_t index, struct np_error *error)
{
	struct np_results *results = campaign->results;
	const struct np_visit *old = results->visits[index];
	const size_t before = results->count;
	struct np_size_state *state =
		find_state(campaign, old->length, old->axis, old->buffers, old->factor);

	if (state == NULL)
		return 0;
	const int rc = visit_state(campaign, state, error);

	if (rc != 0)
		return rc;
	np_mark_host_states(results);
	const struct np_visit *worse =
		results->visits[before]->other_state ? results->visits[before] : old;
	return np_campaign_supersede(campaign, worse, error);
}

/* Returns true for the visit of the first mode and variant: modes and variants that are
 * visited together have one host state and count as one pass. */
static bool stands_for_pass(const struct np_campaign *campaign,
			    const struct np_visit *visit)
{
	return !visit->sentinel && !visit->superseded &&
	       visit->mode == campaign->plan->modes[0] && visit->variant == 0 &&
	       visit->run_index == campaign->run_index;
}

static int repeat_other_state_visits(struct np_campaign *campaign, size_t first,
				     struct np_error *error)
{
	const size_t end = campaign->results->count;
	int rc = 0;

	np_mark_host_states(campaign->results);
	for (size_t i = first; i < end && rc == 0; i++) {
		const struct np_visit *visit = campaign->results->visits[i];

		if (visit->other_state && stands_for_pass(campaign, visit) &&
		    elapsed_share(campaign) < NP_BUDGET_REPEATS && campaign->pace >= 1)
			rc = repeat_visit(campaign, i, error);
	}
	return rc;
}

/* Returns true unless --per-message has too few messages of a size for its p99.9. */
static bool has_percentiles(const struct np_campaign *campaign,
			    const struct np_table *table, size_t length)
{
	const struct np_row *row =
		np_table_find(table, length, campaign->plan->modes[0], 0);

	return !campaign->options->per_message ||
	       (row != NULL && row->samples >= NP_MESSAGES_OF_P999);
}

/* Interim analysis for --precision: sizes whose confidence intervals are narrow enough get
 * no more visits.  There are few interim analyses, for which the intervals are corrected
 * (sequential.h). */
static void check_precision(struct np_campaign *campaign)
{
	struct np_table table;

	if (campaign->plan->precision <= 0)
		return;
	if (np_table_derive(campaign->results, &table) != 0) {
		np_table_free(&table);
		return;
	}
	for (size_t i = 0; i < campaign->state_count; i++) {
		struct np_size_state *state = &campaign->states[i];

		state->precise = state->factor == NP_FACTOR_NONE &&
				 np_table_is_precise(&table, campaign->plan->precision,
						     state->length, state->at.axis,
						     state->at.buffers) &&
				 has_percentiles(campaign, &table, state->length);
	}
	/* Conditions are compared with the base in each pass: they get visits as long as it
	 * does. */
	for (size_t i = 0; i < campaign->state_count; i++) {
		if (campaign->states[i].factor != NP_FACTOR_NONE)
			campaign->states[i].precise = campaign->states[0].precise;
	}
	np_table_free(&table);
}

/* Returns true if --passes alone ends the passes. */
static bool counts_passes(const struct np_campaign *campaign)
{
	return np_budget_passes(campaign->options) != 0 &&
	       campaign->options->time_budget == 0;
}

/* Returns true if the time budget has no room for another visit of a size.  The first pass
 * is always complete. */
static bool is_spent(const struct np_campaign *campaign, const struct np_size_state *state)
{
	return campaign->pass != 0 && !counts_passes(campaign) &&
	       elapsed_ns(campaign) + state->took_ns > (double)campaign->plan->budget_ns;
}

static bool all_spent(const struct np_campaign *campaign)
{
	for (size_t i = 0; i < campaign->state_count; i++) {
		const struct np_size_state *state = &campaign->states[i];

		if (!state->precise && !state->left_out && is_asked(campaign, state) &&
		    !is_spent(campaign, state))
			return false;
	}
	return true;
}

/* Returns true for a size, or number of buffers, between powers of two. */
static bool is_between(const struct np_size_state *state)
{
	const uint64_t value =
		state->at.axis != NP_AXIS_NONE ? state->at.buffers : state->length;

	return state->factor == NP_FACTOR_NONE && (value & (value - 1)) != 0;
}

/* Returns the state to leave out next for lack of time: the slowest, of equally slow ones
 * first those between powers of two; never the smallest, which has the latency.  NULL: two
 * or fewer are left. */
static struct np_size_state *find_slowest(struct np_campaign *campaign)
{
	struct np_size_state *slowest = NULL;
	double most = 0;
	size_t left = 0;

	for (size_t i = 0; i < campaign->state_count; i++) {
		struct np_size_state *state = &campaign->states[i];
		const double weight = state->took_ns * (is_between(state) ? 2 : 1);

		if (state->left_out || state->factor != NP_FACTOR_NONE)
			continue;
		left++;
		if (weight > most && i != 0) {
			most = weight;
			slowest = state;
		}
	}
	return left > 2 ? slowest : NULL;
}

/* Shortens visits until the planned passes fit the budget.  Leaves out sizes after a first
 * pass that was far too slow, and later once visits are the shortest.  pass_ns: duration of
 * the last pass. */
static void keep_pace(struct np_campaign *campaign, double pass_ns)
{
	const struct np_plan *plan = campaign->plan;
	const bool shortest = campaign->pace <= NP_BUDGET_SHORTEST;
	const double passes = (double)plan->passes - (double)campaign->pass,
		     left_ns = fmax((double)plan->budget_ns - elapsed_ns(campaign), 1),
		     most = shortest ? NP_BUDGET_LATE : NP_BUDGET_TOO_LATE;
	struct np_size_state *slowest;

	if (counts_passes(campaign))
		return;
	for (size_t i = 0; i < campaign->state_count && campaign->pass == 1; i++) {
		if (campaign->states[i].left_out)
			pass_ns -= campaign->states[i].took_ns;
	}
	while ((campaign->pass == 1 || shortest) && passes * pass_ns > most * left_ns &&
	       (slowest = find_slowest(campaign)) != NULL) {
		slowest->left_out = true;
		pass_ns -= slowest->took_ns;
	}
	campaign->pace =
		np_budget_pace(plan, campaign->pass, campaign->pace, pass_ns, left_ns);
}

/* Leaves out a size after the pass began, with its visits. */
static int leave_out(struct np_campaign *campaign, struct np_size_state *state,
		     struct np_error *error)
{
	int rc = 0;

	state->left_out = true;
	for (size_t i = 0; i < campaign->results->count && rc == 0; i++) {
		const struct np_visit *visit = campaign->results->visits[i];

		if (!visit->sentinel && !visit->superseded &&
		    visit->run_index == campaign->run_index &&
		    find_state(campaign, visit->length, visit->axis, visit->buffers,
			       visit->factor) == state)
			rc = np_campaign_supersede(campaign, visit, error);
	}
	return rc;
}

/* Thins out the first pass, after `done` of `count` sizes, whose visits began at
 * `begin_ns`: if the planned passes will not fit the budget, shortens visits and leaves out
 * the sizes between powers of two.  With --runs leaves out visited sizes, too: the runs of
 * a command have equal sizes. */
static int thin(struct np_campaign *campaign, size_t done, size_t count, double begin_ns,
		struct np_error *error)
{
	const double late = np_budget_lateness(campaign->plan, begin_ns,
					       elapsed_ns(campaign), done, count);
	int rc = 0;

	if (campaign->pass != 0 || counts_passes(campaign) || late <= NP_BUDGET_TOO_LATE)
		return 0;
	campaign->pace = fmax(NP_BUDGET_SHORTEST, 1 / late);
	for (size_t i = 0; i < campaign->state_count && rc == 0; i++) {
		struct np_size_state *state = &campaign->states[i];

		if (!is_between(state) || state->left_out)
			continue;
		if (!(state->took_ns > 0))
			state->left_out = true;
		else if (campaign->options->runs > 1)
			rc = leave_out(campaign, state, error);
	}
	return rc;
}

static int run_pass(struct np_campaign *campaign, size_t *order, struct np_error *error)
{
	const size_t count = shuffle_sizes(campaign, order);
	const size_t first = campaign->results->count;
	const double begin_ns = elapsed_ns(campaign);
	double visits_ns;
	/* --watch has no sentinel and repeats no visit: a slow minute is a finding. */
	const bool watched = campaign->results->watched;
	int rc = connection_grows(campaign) ? 0 : np_campaign_warm_pass(campaign, error);

	if (rc == 0 && !watched)
		rc = visit_sentinel(campaign, error);
	visits_ns = elapsed_ns(campaign);
	for (size_t i = 0; i < count && rc == 0; i++) {
		struct np_size_state *state = &campaign->states[order[i]];

		if (elapsed_share(campaign) >= 1 && !counts_passes(campaign))
			campaign->pace = NP_BUDGET_SHORTEST;
		rc = thin(campaign, i, count, visits_ns, error);
		if (rc == 0 && !state->left_out && !is_spent(campaign, state))
			rc = visit_state(campaign, state, error);
	}
	if (rc == 0 && !watched)
		rc = repeat_other_state_visits(campaign, first, error);
	campaign->pass++;
	keep_pace(campaign, elapsed_ns(campaign) - begin_ns);
	return rc;
}

/* Interim analysis for --expect: a size whose clauses are decided gets no more visits, and
 * no size does once all clauses are.  Without memory for it, the analysis after the next
 * pass decides. */
static void check_expectation(struct np_campaign *campaign)
{
	struct np_expectation *expected = campaign->expected;

	if (np_expectation_judge(expected, campaign->results) != 0)
		return;
	for (size_t i = 0; i < campaign->state_count; i++)
		campaign->states[i].precise =
			np_expectation_is_decided(expected) ||
			np_expectation_decides(expected, campaign->states[i].length);
}

/* Returns whether all sizes but plan->open_most have the requested precision. */
static bool are_precise(const struct np_campaign *campaign)
{
	size_t open = 0;

	for (size_t i = 0; i < campaign->state_count; i++)
		open += !campaign->states[i].precise && !campaign->states[i].left_out;
	return open <= campaign->plan->open_most;
}

int np_campaign_run(struct np_campaign *campaign, struct np_error *error)
{
	const struct np_plan *plan = campaign->plan;
	size_t *order = calloc(campaign->state_count, sizeof(*order));
	int rc = 0;

	if (order == NULL)
		return np_fail_errno(error, ENOMEM, "no memory for a pass");
	if (campaign->begin_ns == 0)
		campaign->begin_ns = np_process_now(campaign->process);
	campaign->results->ended = NP_ENDED_BY_TIME;
	rc = np_campaign_climb(campaign, error);
	while (rc == 0) {
		rc = run_pass(campaign, order, error);
		if (rc != 0 || all_spent(campaign))
			break;
		if (campaign->expected != NULL)
			check_expectation(campaign);
		else if (np_look_is_due(campaign->pass, plan->passes))
			check_precision(campaign);
		if (are_precise(campaign)) {
			campaign->results->ended = campaign->expected != NULL ?
							   NP_ENDED_DECIDED :
							   NP_ENDED_PRECISE;
			break;
		}
		if (campaign->pass == np_budget_passes(campaign->options)) {
			campaign->results->ended = NP_ENDED_PASSES;
			break;
		}
		rc = renew(campaign, error);
	}
	free(order);
	campaign->results->points = plan->too_many_for_budget;
	for (size_t i = 0; i < campaign->state_count; i++)
		campaign->results->points += campaign->states[i].factor == NP_FACTOR_NONE;
	campaign->results->seconds = elapsed_ns(campaign) * 1e-9;
	np_mark_host_states(campaign->results);
	return rc;
}

/* ---- -i: one check of each size, mode and variant in turn -------------------------- */

static int check_mode(struct np_campaign *campaign, struct np_size_state *state,
		      enum np_mode mode, size_t variant, struct np_error *error)
{
	const struct np_plan *plan = campaign->plan;
	const uint64_t most = np_process_block_most(campaign->process);
	uint64_t messages = campaign->options->messages;
	int rc = np_calibration_fixed(campaign, state->length, messages, error);

	if (rc != 0)
		return rc;
	if (messages == 0) {
		messages = plan->check_volume / (state->length + 1);
		messages = messages > 64 ? 64 : messages < 3 ? 3 : messages;
		messages = messages < most ? messages : most;
	}
	const struct np_command check = {
		.kind = NP_COMMAND_CHECK,
		.length = state->length,
		.block = { .mode = mode,
			   .position = state->cursor,
			   .fixed = np_random_next(&campaign->random) >> 1,
			   .messages = messages,
			   .batches = 1,
			   .timeout_ns =
				   np_block_timeout_unknown(state->length, messages) },
		.sequence = campaign->serial,
	};

	rc = np_command_both(campaign->process, &check, NULL, error);
	state->cursor += messages;
	campaign->serial += messages;
	if (rc != 0 || campaign->observer->checked == NULL)
		return rc;
	return campaign->observer->checked(campaign->observer->context, state->length, mode,
					   variant, messages, error);
}

static int check_variant(struct np_campaign *campaign, struct np_size_state *state,
			 size_t variant, struct np_error *error)
{
	const struct np_plan *plan = campaign->plan;
	const struct np_command arm = { .kind = NP_COMMAND_ARM,
					.length = state->length,
					.variant = variant };
	const struct np_command disarm = { .kind = NP_COMMAND_DISARM };
	int rc = np_command_both(campaign->process, &arm, NULL, error);

	for (size_t i = 0; i < plan->mode_count && rc == 0; i++)
		rc = check_mode(campaign, state, plan->modes[i], variant, error);
	return rc == 0 ? np_command_both(campaign->process, &disarm, NULL, error) : rc;
}

int np_campaign_check(struct np_campaign *campaign, struct np_error *error)
{
	const struct np_plan *plan = campaign->plan;
	int rc = 0;

	for (size_t i = 0; i < plan->size_count && rc == 0; i++) {
		struct np_size_state *state = &campaign->states[i];

		rc = renew_for_size(campaign, error);
		for (size_t variant = 0; variant < plan->variant_count && rc == 0;
		     variant++) {
			if (np_process_holds(campaign->process, variant))
				rc = check_variant(campaign, state, variant, error);
		}
	}
	return rc;
}
