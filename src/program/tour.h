/*
 * tour.h - round-robin measurement of all pairs, for --all-pairs, which measures by
 * processes on other hosts, and for the ranks of a job.
 */
#pragma once

#include "output/output.h"
#include "program/program.h"

/* Reads --groups, or makes groups of the hosts' names.  Returns 0 or -errno. */
int np_fleet_groups(const struct np_program *program, struct np_host_list *hosts,
		    struct np_error *error);

/* Measures all pairs by measure_round(), which sets *error on failure; writes each round
 * when it ends; prints and writes the findings, also after an interruption.  Returns 0 or
 * -errno.
 */
int np_fleet_tour(const struct np_program *program, const struct np_host_list *hosts,
		  np_measure_round *measure_round, void *context, struct np_error *error);
