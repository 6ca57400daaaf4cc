/*
 * warm.h - messages over a new connection, before anything is timed there.
 */
#pragma once

#include "run/campaign.h"

/*
 * Sends messages of the largest size, untimed by any row, until they have become steady
 * (steady.h), or for a tenth of a pass.  Does nothing where the connection is not
 * new, or is a model's.  Returns 0 or -errno.
 */
int np_campaign_warm(struct np_campaign *campaign, struct np_error *error);
