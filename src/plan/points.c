/*
 * points.c - points of --replay: text, sizes, pool and sweep.
 */
#include "plan/points.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "contract/np_module.h"
#include "plan/layout.h"
#include "plan/sizes.h"

/* Largest message, bytes, and most buffers: products with either fit in 64 bits. */
static const uint64_t most_length = 1ull << 40, most_buffers = 1ull << 40;

/* Reads digits, and moves *text behind them.  Returns false without any, or above most. */
static bool read_count(const char **text, uint64_t most, uint64_t *value)
{
	const char *begin = *text;

	for (*value = 0; **text >= '0' && **text <= '9' && *value <= most; ++*text)
		*value = *value * 10 + (uint64_t)(**text - '0');
	return *text != begin && *value <= most;
}

static bool read_point(const char **text, struct np_sweep *point)
{
	const char side = **text;
	uint64_t length, buffers;

	if (side != 's' && side != 'r')
		return false;
	++*text;
	if (!read_count(text, most_length, &length) || length == 0 || **text != 'x')
		return false;
	++*text;
	if (!read_count(text, most_buffers, &buffers) || buffers == 1)
		return false;
	*point = (struct np_sweep){ .axis = side == 's' ? NP_AXIS_SEND : NP_AXIS_RECV,
				    .length = (size_t)length,
				    .buffers = buffers != 0 ? buffers : 1 };
	return true;
}

/* Reads points into an array of NP_POINTS_MAX; in sweep[].buffers 1 is "never used
 * before".  The text may come from a peer.  Returns 0, or -EINVAL with NP_ERROR_USAGE. */
static int parse_points(const char *text, struct np_sweep *points, size_t *count,
			struct np_error *error)
{
	char quoted[40];

	*count = 0;
	for (const char *at = text;; at++) {
		if (*count == NP_POINTS_MAX || !read_point(&at, &points[*count]) ||
		    (*at != ',' && *at != '\0'))
			return np_refuse(error,
					 "--replay-points '%s': not a list of points as "
					 "s4096x16, %d at most",
					 np_quote(text, quoted, sizeof(quoted)),
					 NP_POINTS_MAX);
		++*count;
		if (*at == '\0')
			return 0;
	}
}

int np_points_sizes(const char *text, size_t **sizes, size_t *count, struct np_error *error)
{
	struct np_sweep points[NP_POINTS_MAX];
	size_t all;
	const int rc = parse_points(text, points, &all, error);

	if (rc != 0)
		return rc;
	*sizes = malloc(all * sizeof(**sizes));
	if (*sizes == NULL)
		return np_fail_errno(error, ENOMEM, "cannot list the sizes");
	for (size_t i = 0; i < all; i++)
		(*sizes)[i] = points[i].length;
	*count = np_sizes_unique(*sizes, all);
	return 0;
}

size_t np_points_pool(const char *text, const struct np_layout *layout,
		      const struct np_request *request)
{
	struct np_sweep points[NP_POINTS_MAX];
	struct np_error ignored = { .code = 0 };
	size_t count, most = 0;

	if (parse_points(text, points, &count, &ignored) != 0)
		return 0;
	for (size_t i = 0; i < count; i++) {
		const size_t bytes =
			np_layout_bytes(layout, np_layout_buffer(request, points[i].length),
					points[i].buffers);

		most = bytes > most ? bytes : most;
	}
	return most;
}

static bool has_size(const struct np_plan *plan, size_t length)
{
	for (size_t i = 0; i < plan->size_count; i++) {
		if (plan->sizes[i] == length)
			return true;
	}
	return false;
}

static bool is_planned(const struct np_plan *plan, const struct np_sweep *point)
{
	for (size_t i = 0; i < plan->sweep_count; i++) {
		if (plan->sweep[i].axis == point->axis &&
		    plan->sweep[i].length == point->length &&
		    plan->sweep[i].buffers == point->buffers)
			return true;
	}
	return false;
}

int np_points_plan(const char *text, const struct np_layout *layout,
		   const struct np_request *request, struct np_plan *plan,
		   struct np_error *error)
{
	struct np_sweep points[NP_POINTS_MAX];
	struct np_cut cut;
	size_t count;
	const int rc = parse_points(text, points, &count, error);

	if (rc != 0)
		return rc;
	for (size_t i = 0; i < count; i++) {
		struct np_sweep *point = &points[i];
		const bool fresh = point->buffers == 1;
		const bool fits =
			has_size(plan, point->length) &&
			np_layout_cut(layout, plan->pool_bytes,
				      np_layout_buffer(request, point->length), &cut) == 0;

		if (fits && point->buffers > cut.slots)
			point->buffers = cut.slots;
		if (!fits || (!fresh && point->buffers == 1) ||
		    (fresh && (request->capabilities & NP_CAN_FRESH) == 0))
			plan->points_left_out++;
		else if (!is_planned(plan, point))
			plan->sweep[plan->sweep_count++] = *point;
		if (fresh)
			plan->block_bytes = NP_FRESH_BYTES;
	}
	return plan->sweep_count != 0 ?
		       0 :
		       np_refuse(error,
				 "--replay: none of the %zu sizes and distances of "
				 "the record can be measured with these options",
				 count);
}
