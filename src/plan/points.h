/*
 * points.h - points of --replay, as text that travels with the plan: "s4096x16,r65536x0" is
 * rotation through 16 send buffers of 4 KiB, and receive buffers of 64 KiB never used
 * before.
 */
#pragma once

#include <stdint.h>

#include "plan/plan.h"

enum { NP_POINTS_MAX = 64 };

/* Makes the ascending list of the sizes of points, which the caller frees.  Returns 0 or
 * -errno. */
int np_points_sizes(const char *text, size_t **sizes, size_t *count,
		    struct np_error *error);

/* Returns the pool that holds the buffers of all points, bytes; SIZE_MAX on overflow. */
size_t np_points_pool(const char *text, const struct np_layout *layout,
		      const struct np_request *request);

/* Sets plan->sweep of a plan that has its pool and its sizes: points with more buffers than
 * the pool holds have all of them.  Counts those that are left out.  Returns 0, or -errno:
 * none is left. */
int np_points_plan(const char *text, const struct np_layout *layout,
		   const struct np_request *request, struct np_plan *plan,
		   struct np_error *error);
