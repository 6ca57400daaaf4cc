/*
 * pair_matrix.h - results of a run of all pairs.  Rounds are judged again, so that the file
 * of a killed run can be used; the outcomes of suspects are read from it.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "base/error.h"
#include "questions/fleet_run.h"

struct np_pair_matrix {
	struct np_host_list hosts;
	struct np_fleet_run run; /* of these hosts */
	char op[NP_HOST_NAME];
	bool ended; /* the run has written its last line */
};

/* Allocates *all from the hosts line.  Returns 0, or -errno and a text;
 * np_pair_matrix_free() is called in both cases. */
int np_pair_matrix_begin(const json_t *hosts, struct np_pair_matrix **all,
			 struct np_error *error);
void np_pair_matrix_free(struct np_pair_matrix *all);

/* Adds a line of a kind; other kinds are ignored.  Returns 0, or -errno and a text. */
int np_pair_matrix_take(struct np_pair_matrix *all, const char *kind, const json_t *object,
			struct np_error *error);

/* Number of pairs, measured or not. */
size_t np_pair_matrix_count(const struct np_pair_matrix *all);
