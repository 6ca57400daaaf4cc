/*
 * campaign_check.h - campaign of -i: the data of every size, mode and variant is checked,
 * and no time is measured.
 */
#pragma once

#include "run/campaign.h"

/* Checks all sizes, modes and variants.  Returns 0 or -errno. */
int np_campaign_check(struct np_campaign *campaign, struct np_error *error);
