/*
 * warm.h - messages over a new connection, before anything is timed there.
 */
#pragma once

#include "run/campaign.h"

/*
 * Sends messages of `length` bytes, which enter no row, over the connection of each
 * variant: until their times are steady (steady.h), for `least_ns` at least and `limit_ns`
 * for all connections at most.  Returns 0 or -errno.
 */
int np_campaign_warm(struct np_campaign *campaign, size_t length, double least_ns,
		     double limit_ns, struct np_error *error);

/* Warms with the largest size, for a tenth of a pass at most.  Does nothing if the
 * connection is that of the previous pass, with -r, or for a model.  Returns 0 or -errno.
 */
int np_campaign_warm_pass(struct np_campaign *campaign, struct np_error *error);

/* Sends one message of each step of the ladder, ascending sizes of the plan, over a
 * network, once in a run: a path that drops long packets is then named by size
 * (np_watch_name_size()).  Does nothing for a model, and with -r.  Returns 0 or -errno. */
int np_campaign_climb(struct np_campaign *campaign, struct np_error *error);
