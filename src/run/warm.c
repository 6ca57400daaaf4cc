/*
 * warm.c - warms a connection: the kernel's socket buffers and others grow with use.
 */
#include "run/warm.h"

#include <errno.h>
#include <math.h>

#include "endpoint/block_timeout.h"
#include "plan/budget.h"
#include "run/visit.h"
#include "stats/steady.h"

struct warming {
	struct np_campaign *campaign;
	struct np_size_state state;
	uint64_t fixed, least_ns, end_ns; /* slot; earliest and latest end, clock time */
	double message_ns;		  /* time of an iteration in the last window, ns */
};

static int run_window(struct warming *warming, size_t count, uint64_t timeout_ns,
		      double *times, struct np_error *error)
{
	struct np_campaign *campaign = warming->campaign;
	const double trips = campaign->results->operation == NP_PINGPONG ? 2 : 1;
	const struct np_block block = { .mode = campaign->plan->modes[0],
					.position = warming->state.cursor,
					.fixed = warming->fixed,
					.messages = 1,
					.batches = count,
					.timeout_ns = timeout_ns };
	uint64_t ns[NP_STEADY_WINDOW];
	struct np_outcome outcome = { .ns = ns };
	double sum = 0;
	const int rc =
		np_campaign_block(campaign, &warming->state, &block, &outcome, error);

	for (size_t i = 0; i < count && rc == 0; i++) {
		times[i] = (double)ns[i] * 1e-9 / trips;
		sum += (double)ns[i];
	}
	warming->message_ns = sum / (double)count;
	return rc;
}

/* Returns true if another window of `count` messages would end before end_ns. */
static bool has_time(const struct warming *warming, size_t count)
{
	const uint64_t now = np_process_now(warming->campaign->process);

	return now < warming->end_ns &&
	       warming->message_ns * (double)count < (double)(warming->end_ns - now);
}

/* Runs windows (blocks of samples of one message) until the steady state.  The first is a
 * single message: a block over a path of unknown speed may take long. */
static int run_windows(struct warming *warming, struct np_steady *steady,
		       struct np_error *error)
{
	struct np_campaign *campaign = warming->campaign;
	const size_t most = np_process_block_most(campaign->process);
	double times[NP_STEADY_WINDOW];
	int rc = run_window(warming, 1, np_block_timeout_unknown(warming->state.length, 1),
			    times, error);

	while (rc == 0 && !(steady->reached &&
			    np_process_now(campaign->process) >= warming->least_ns)) {
		size_t count = np_steady_window(steady);

		count = count < most ? count : most;
		if (!has_time(warming, count))
			break;
		rc = run_window(
			warming, count,
			np_block_timeout_expected(warming->message_ns * (double)count),
			times, error);
		if (rc == 0)
			np_steady_add(steady, times, count);
	}
	return rc;
}

static int keep(struct np_campaign *campaign, const struct np_size_state *state,
		const struct np_steady *steady, struct np_error *error)
{
	const struct np_observer *observer = campaign->observer;
	const struct np_warm_up connection = { .run_index = campaign->run_index,
					       .pass = campaign->pass,
					       .length = state->length,
					       .messages = steady->messages,
					       .after = steady->after,
					       .first_s = steady->first,
					       .steady_s = steady->last,
					       .steady = steady->reached };

	if (steady->messages == 0)
		return 0;
	if (np_results_add_warm_up(campaign->results, &connection) != 0)
		return np_fail_errno(error, ENOMEM, "no memory for results");
	return observer->connection == NULL ?
		       0 :
		       observer->connection(observer->context, &connection, error);
}

/* Sizes of ladder steps, bytes: from what every path carries to jumbo frames of Ethernet.
 */
enum { LADDER_LEAST = 1200, LADDER_MOST = 9000 };
/* Time limit of the ladder, ns: its eight steps over a path with a round trip of 30 ms. */
static const uint64_t LADDER_NS = 1000000000;

/* Returns whether a size is a step of the ladder: the last below LADDER_LEAST, and those
 * 1.3 times the step before. */
static bool is_step(const struct np_plan *plan, size_t at, size_t before)
{
	const double growth = 1.3;

	if (at + 1 >= plan->size_count || before >= LADDER_MOST)
		return false;
	if (plan->sizes[at] <= LADDER_LEAST)
		return plan->sizes[at + 1] > LADDER_LEAST;
	return (double)plan->sizes[at] >= growth * (double)before;
}

static int send_one(struct np_campaign *campaign, struct warming *warming,
		    struct np_error *error)
{
	const struct np_command arm = { .kind = NP_COMMAND_ARM,
					.length = warming->state.length };
	const struct np_command disarm = { .kind = NP_COMMAND_DISARM };
	double time;
	int rc = np_command_both(campaign->process, &arm, NULL, error);

	if (rc == 0)
		rc = run_window(warming, 1,
				np_block_timeout_unknown(warming->state.length, 1), &time,
				error);
	return rc == 0 ? np_command_both(campaign->process, &disarm, NULL, error) : rc;
}

int np_campaign_climb(struct np_campaign *campaign, struct np_error *error)
{
	const struct np_plan *plan = campaign->plan;
	const struct np_process *process = campaign->process;
	const uint64_t end_ns = np_process_now(process) + LADDER_NS;
	const bool climbs = (process->request.capabilities & NP_CAN_SPAN_HOSTS) != 0 &&
			    process->module->model == NULL && !campaign->options->reset;
	size_t before = 0;
	int rc = 0;

	for (size_t i = 0; climbs && i < plan->size_count && rc == 0; i++) {
		struct warming warming = { .campaign = campaign,
					   .state.length = plan->sizes[i] };

		if (!is_step(plan, i, before))
			continue;
		if (np_process_now(campaign->process) >= end_ns)
			break;
		before = plan->sizes[i];
		rc = send_one(campaign, &warming, error);
	}
	return rc;
}

/* Warms the connection of a variant with messages of `length` bytes, for `least_ns` at
 * least and `limit_ns` at most. */
static int warm_one(struct np_campaign *campaign, size_t variant, size_t length,
		    double least_ns, double limit_ns, struct np_error *error)
{
	struct np_process *process = campaign->process;
	const uint64_t now_ns = np_process_now(process);
	struct np_steady steady = { .messages = 0 };
	struct warming warming = { .campaign = campaign,
				   .state.length = length,
				   .least_ns = now_ns + (uint64_t)least_ns,
				   .end_ns = now_ns + (uint64_t)limit_ns };
	const struct np_command arm = { .kind = NP_COMMAND_ARM,
					.length = warming.state.length,
					.variant = variant };
	const struct np_command disarm = { .kind = NP_COMMAND_DISARM };

	warming.fixed = np_random_next(&campaign->random) >> 1;
	int rc = np_command_both(process, &arm, NULL, error);
	if (rc == 0)
		rc = run_windows(&warming, &steady, error);
	if (rc == 0)
		rc = np_command_both(process, &disarm, NULL, error);
	/* Only the base's warm-up is recorded. */
	return rc == 0 && variant == 0 ? keep(campaign, &warming.state, &steady, error) :
					 rc;
}

int np_campaign_warm(struct np_campaign *campaign, size_t length, double least_ns,
		     double limit_ns, struct np_error *error)
{
	const struct np_process *process = campaign->process;
	const size_t count = np_process_endpoints(process);
	const double limit = limit_ns / (double)count;
	int rc = 0;

	for (size_t i = 0; i < count && rc == 0; i++) {
		if (np_process_holds(process, i))
			rc = warm_one(campaign, i, length, fmin(least_ns, limit), limit,
				      error);
	}
	campaign->carried = length > campaign->carried ? length : campaign->carried;
	return rc;
}

int np_campaign_warm_pass(struct np_campaign *campaign, struct np_error *error)
{
	const struct np_plan *plan = campaign->plan;
	const struct np_process *process = campaign->process;
	const double pass_ns = (double)plan->budget_ns / (double)plan->passes;
	const bool new = campaign->pass == 0 ||
			 (process->request.capabilities & NP_CAN_RECONNECT) != 0;

	/* With -r each size is to meet a new connection. */
	if (!new || process->module->model != NULL || campaign->options->reset)
		return 0;
	return np_campaign_warm(campaign, plan->sizes[plan->size_count - 1], 0,
				NP_BUDGET_WARMING * pass_ns, error);
}
