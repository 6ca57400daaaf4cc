/*
 * plan_sweep.c - points of a capacity sweep: its axes, and the numbers along each.
 */
#include <errno.h>
#include <stdlib.h>

#include "contract/np_module.h"
#include "plan/plan.h"

/* Most buffers along an axis; less than 2: the axis is omitted. */
static uint64_t count_along(const struct np_options *options,
			    const struct np_request *request,
			    const struct np_layout *layout, const struct np_cut *cut,
			    enum np_axis axis)
{
	const uint64_t all = np_layout_buffers(layout, cut, axis);

	switch (axis) {
	case NP_AXIS_QUEUE_PAIRS:
		return request->queue_pairs;
	case NP_AXIS_PAGES:
		/* Buffers of whole pages share none on the axis of lines. */
		return all == np_layout_buffers(layout, cut, NP_AXIS_LINES) ? 0 : all;
	case NP_AXIS_LARGE_PAGES:
		return options->pages != NP_PAGES_4K ? all : 0;
	case NP_AXIS_REGISTRATIONS:
		return layout->parts > 1 ? all : 0;
	default:
		return all;
	}
}

/* Adds points of an axis: 1, 2, 3, 4, 6, 8, 12 ..., and all. */
static void plan_axis(struct np_plan *plan, enum np_axis axis, uint64_t all)
{
	/* A point within 1/16 of all buffers is omitted. */
	for (uint64_t power = 1; power < all - all / 16; power *= 2) {
		plan->sweep[plan->sweep_count++] = (struct np_sweep){ axis, power };
		if (power > 1 && power + power / 2 < all - all / 16)
			plan->sweep[plan->sweep_count++] =
				(struct np_sweep){ axis, power + power / 2 };
	}
	plan->sweep[plan->sweep_count++] = (struct np_sweep){ axis, all };
}

int np_plan_sweep(const struct np_options *options, const struct np_request *request,
		  struct np_plan *plan, struct np_error *error)
{
	const struct np_layout layout = np_layout_of(options, request->head_room);
	struct np_cut cut;

	if (options->capacity == 0)
		return 0;
	plan->sweep = calloc((size_t)NP_AXES * 2 * 64, sizeof(*plan->sweep));
	if (plan->sweep == NULL)
		return np_fail_errno(error, ENOMEM, "cannot plan a sweep");
	if (np_layout_cut(&layout, plan->pool_bytes,
			  np_layout_buffer(request, plan->sizes[0]), &cut) != 0)
		return np_refuse(error,
				 "--capacity: the pool of %zu bytes has no room for two "
				 "buffers of %zu",
				 plan->pool_bytes, plan->sizes[0]);
	for (enum np_axis axis = NP_AXIS_LINES; axis < NP_AXES; axis++) {
		const uint64_t all = count_along(options, request, &layout, &cut, axis);

		if (all >= 2)
			plan_axis(plan, axis, all);
	}
	if (plan->sweep_count == 0)
		return np_refuse(error,
				 "--capacity: the pool of %zu bytes has one pair of "
				 "buffers of %zu; --pool sets a larger one",
				 plan->pool_bytes, plan->sizes[0]);
	return 0;
}
