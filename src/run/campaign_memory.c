/*
 * campaign_memory.c - memory and connection of a campaign, between visits.
 */
#include <errno.h>
#include <stdio.h>

#include "run/campaign_memory.h"

/* Minimum share of the pool in huge pages for the condition to be measured. */
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
	return rc;
}

int np_campaign_renew(struct np_campaign *campaign, struct np_error *error)
{
	const struct np_command unmap = { .kind = NP_COMMAND_UNMAP };
	int rc = np_command_both(campaign->process, &unmap, NULL, error);

	if (rc == 0)
		rc = reconnect(campaign, error);
	return rc == 0 ? np_campaign_map(campaign, error) : rc;
}

/* Drops the condition: the kernel did not provide transparent huge pages. */
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

int np_campaign_map_condition(struct np_campaign *campaign, enum np_factor factor,
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

int np_campaign_renew_for_size(struct np_campaign *campaign, struct np_error *error)
{
	if (!campaign->options->reset)
		return 0;
	return campaign->process->module->reg != NULL ? np_campaign_renew(campaign, error) :
							reconnect(campaign, error);
}
