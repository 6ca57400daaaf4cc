/*
 * peer_number.h - numbers among the facts of a peer, bounded where they are read.
 *
 * The driver plans memory, adds and divides with these numbers.  A number that no honest
 * peer sends is refused by its name instead of checked at each use.
 */
#pragma once

#include <stdint.h>

#include "base/error.h"
#include "base/facts.h"

/* Reads a whole number of [0, most], with a unit.  Returns 0, or -EPROTO with
 * NP_ERROR_PEER, also if the fact is missing. */
int np_peer_count(const struct np_facts *facts, const char *name, uint64_t most,
		  uint64_t *count, struct np_error *error);

/* Reads a number of [0, most]; refuses "nan" and "inf".  Returns as np_peer_count(). */
int np_peer_number(const struct np_facts *facts, const char *name, double most,
		   double *number, struct np_error *error);
