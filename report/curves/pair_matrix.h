/*
 * pair_matrix.h - the file of a run of all pairs: from its lines to a matrix, judged
 * again, so that one of a run that was killed says what it had by then.
 */
#ifndef NP_PAIR_MATRIX_H
#define NP_PAIR_MATRIX_H

#include <jansson.h>
#include <stdbool.h>

#include "base/error.h"
#include "results/matrix.h"

struct np_pair_matrix {
	struct np_host_list hosts;
	struct np_matrix matrix; /* of these hosts */
	char op[NP_HOST_NAME];
	bool ended; /* the run came to its end, or to the end of what it could do */
};

/* Begins with the line of the hosts.  Returns 0, or -errno and a text; *all is
 * np_pair_matrix_free()'s in either case. */
int np_pair_matrix_begin(const json_t *hosts, struct np_pair_matrix **all,
			 struct np_error *error);
void np_pair_matrix_free(struct np_pair_matrix *all);

/* Takes a line of a kind; one that is of no interest is passed over.  Returns 0, or
 * -errno and a text. */
int np_pair_matrix_take(struct np_pair_matrix *all, const char *kind, const json_t *object,
			struct np_error *error);

/* How many pairs have been measured. */
size_t np_pair_matrix_measured(const struct np_pair_matrix *all);

#endif
