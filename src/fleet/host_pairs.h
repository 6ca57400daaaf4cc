/*
 * host_pairs.h - all pairs of a list of hosts.
 */
#pragma once

#include "fleet/tour.h"

/* Measurement of a pair by two processes, and margin of the verdicts. */
struct np_pairs_order {
	const char *hosts, *groups; /* files; groups: NULL without */
	double slow;		    /* margin, percent */
	/* Checked by the driver on this host. */
	const char *plan; /* lines for each client */
	const char *module, *op;
	const char *variants[NP_VARIANTS_MAX]; /* that the client compares */
	size_t variant_count;
	uint64_t seed;
};

/* Measures and reports all pairs.  program: the driver, and the options by which its
 * processes are started.  Returns 0 or -errno. */
int np_pairs_measure(const struct np_pairs_order *order, const struct np_program *program,
		     struct np_error *error);
