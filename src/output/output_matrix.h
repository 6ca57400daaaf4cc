/*
 * output_matrix.h - what --all-pairs prints and writes.
 */
#ifndef NP_OUTPUT_MATRIX_H
#define NP_OUTPUT_MATRIX_H

#include <stdio.h>

#include "boot/link.h"
#include "results/matrix.h"
#include "contract/np_module.h"

/* Two tables, the times of the smallest size and the rates of the largest, and
 * the links that stand out or could not be measured; operation is its name. */
void np_text_matrix(FILE *file, const struct np_matrix *matrix, const char *operation);

/* The first line of the file: who was to be measured. */
int np_json_hosts(FILE *file, const struct np_matrix *matrix,
		  const struct np_identity *identity, const char *module,
		  const struct np_request *request, struct np_error *error);

/* A line for each figure of a link, or one with the reason why there is none.
 * Returns 0 or -errno. */
int np_json_host_pair(FILE *file, const struct np_matrix *matrix,
		      const struct np_host_pair *link, const struct np_request *request,
		      struct np_error *error);

/* The matrix of each size, judged. */
int np_json_matrix(FILE *file, const struct np_matrix *matrix,
		   const struct np_request *request, struct np_error *error);

#endif
