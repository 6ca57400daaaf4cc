/*
 * plan_sizes.c - sizes of a plan: the requested ones, without those that the operation or
 * the connection does not support.
 */
#include "plan/plan.h"

#include <errno.h>
#include <stdlib.h>

#include "plan/clauses.h"
#include "plan/sizes.h"

/* Defaults of -l and -u, with which --expect names the sizes. */
enum { LOWER_UNASKED = 1, UPPER_UNASKED = 8 << 20 };

bool np_plan_asks_sizes(const struct np_options *options)
{
	return options->sizes != NULL || options->lower != LOWER_UNASKED ||
	       options->upper != UPPER_UNASKED;
}

int np_plan_sizes(const struct np_options *options, size_t **sizes, size_t *count,
		  struct np_error *error)
{
	const size_t only = options->capacity != 0 ? options->capacity : options->why;

	if (only != 0) {
		*sizes = malloc(sizeof(**sizes));
		if (*sizes == NULL)
			return np_fail_errno(error, ENOMEM, "cannot list the sizes");
		**sizes = only;
		*count = 1;
		return 0;
	}
	const bool asked = np_plan_asks_sizes(options);
	int rc = 0;

	if (options->sizes != NULL) {
		rc = np_sizes_parse(options->sizes, sizes, count, error);
	} else if (options->expect == NULL || asked) {
		rc = np_sizes_schedule(options->lower, options->upper,
				       options->quick ? 0 : options->perturbation, sizes,
				       count);
		if (rc != 0)
			np_fail_errno(error, rc, "cannot list the sizes");
	}
	if (rc == 0 && options->expect != NULL)
		rc = np_clauses_sizes(options->expect, sizes, count, error);
	return rc;
}

int np_plan_choose_sizes(const struct np_request *request, struct np_plan *plan,
			 struct np_error *error)
{
	const size_t unit = request->multiple_of != 0 ? request->multiple_of : 1;
	const size_t all = plan->size_count;

	if (request->one_size) {
		plan->sizes[0] = request->smallest;
		plan->size_count = 1;
		return 0;
	}
	plan->size_count = 0;
	for (size_t i = 0; i < all; i++) {
		if (plan->sizes[i] % unit == 0)
			plan->sizes[plan->size_count++] = plan->sizes[i];
	}
	plan->multiple_of = unit;
	plan->of_no_multiple = all - plan->size_count;
	return plan->size_count != 0 ?
		       0 :
		       np_refuse(error,
				 "no size is left: a message of %s has a multiple of %zu "
				 "bytes: --sizes %zu",
				 request->operation_name, unit, unit);
}

int np_plan_limit(struct np_plan *plan, size_t longest, struct np_error *error)
{
	const size_t all = plan->size_count;

	plan->longest = longest;
	if (longest == 0)
		return 0;
	if (plan->sizes[0] > longest)
		return np_refuse(error,
				 "no size is left: the connection carries no message "
				 "longer than %zu bytes, and the smallest has %zu",
				 longest, plan->sizes[0]);
	while (plan->sizes[plan->size_count - 1] > longest)
		plan->size_count--;
	plan->too_long_for_connection = all - plan->size_count;
	return 0;
}
