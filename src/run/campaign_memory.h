/*
 * campaign_memory.h - memory and connection of a campaign, between visits.
 */
#pragma once

#include "run/campaign.h"

/* Maps the pool of the base, with the next key of the campaign's random numbers.  Returns 0
 * or -errno. */
int np_campaign_map(struct np_campaign *campaign, struct np_error *error);

/* Between passes: maps the memory of the base again and, where the module can,
 * reconnects. */
int np_campaign_renew(struct np_campaign *campaign, struct np_error *error);

/* With -r, before each visit: reconnects, and maps again where memory is registered
 * with the connection. */
int np_campaign_renew_for_size(struct np_campaign *campaign, struct np_error *error);

/* Maps the memory of a condition.  A condition is dropped, and the callback called, if
 * the kernel does not provide its huge pages. */
int np_campaign_map_condition(struct np_campaign *campaign, enum np_factor factor,
			      struct np_error *error);
