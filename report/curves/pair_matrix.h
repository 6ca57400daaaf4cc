/*
 * pair_matrix.h - results of NPfleet.  The rounds of the tournament are judged again,
 * so that the file of a killed run can be used; the outcomes of suspects, the pairs
 * measured again, are read from the file.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "base/error.h"
#include "fleet/fleet.h"

struct np_pair_matrix {
	struct np_host_list hosts;
	struct np_fleet_run run; /* of these hosts */
	char op[NP_HOST_NAME];
	bool ended; /* the run has written its last line */
};

/* Allocates *all from the line of kind "hosts".  Returns 0, or -errno and a text;
 * np_pair_matrix_free() is called in both cases. */
int np_pair_matrix_begin(const json_t *hosts, struct np_pair_matrix **all,
			 struct np_error *error);
void np_pair_matrix_free(struct np_pair_matrix *all);

/* Adds a line of kind "round", "unmeasured", "suspect" or "fleet", refuses a second
 * "header", and ignores other kinds.  Returns 0, or -errno and a text. */
int np_pair_matrix_take(struct np_pair_matrix *all, const char *kind, const json_t *object,
			struct np_error *error);
