/*
 * tour.h - a fleet from the list of hosts or ranks to the report: progress, result file,
 * findings, exit status.
 */
#pragma once

#include "fleet/fleet.h"
#include "program/program.h"

struct np_tour {
	/* Options --json, --force, --quiet, --fail-on and --max-run-time; signals and
	 * deadline. */
	const struct np_program *program;
	const struct np_host_list *hosts;
	struct np_fleet_names names;
	double slow; /* margin, percent */
	uint64_t seed;
	/* Measures a round.  Sets *error on failure, except for a result of
	 * np_tour_look(). */
	np_fleet_measure *measure;
	void *context;
};

/* Measures all pairs; writes each round when it ends; prints and writes the findings, also
 * after an interruption.  Returns 0 or -errno. */
int np_tour(const struct np_tour *tour, struct np_error *error);

/* Returns 0, -EINTR when a signal is readable, or -ETIME when the time is over. */
int np_tour_look(const struct np_program *program);

/* Returns true for results of np_tour_look() other than 0: they end the tournament. */
bool np_tour_has_to_stop(int rc);

/* Measures and compares all pairs of ranks of a job; collective.  Returns 0 or -errno. */
int np_tournament(const struct np_program *program, struct np_error *error);
