/*
 * warm.h - messages over a new connection, before anything is timed there.
 */
#pragma once

#include "run/campaign.h"

/*
 * Sends messages of the largest size, which enter no row, until their times are steady
 * (steady.h), or for a tenth of a pass.  Does nothing if the connection is that of the
 * previous pass, with -r, or for a model.  Returns 0 or -errno.
 */
int np_campaign_warm(struct np_campaign *campaign, struct np_error *error);
