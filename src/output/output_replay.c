/*
 * output_replay.c - points of --replay on the terminal: what rotation of one side costs at
 * each size and number of buffers.
 */
#include <math.h>

#include "base/units.h"
#include "output/output.h"
#include "output/terminal.h"
#include "plan/plan.h"

static void print_point(FILE *file, const struct np_replay_point *point)
{
	char size[32], buffers[32] = "new", distance[32] = "never", interval[40] = "-";

	np_text_bytes(point->length, size, sizeof(size));
	if (point->buffers != 0) {
		snprintf(buffers, sizeof(buffers), "%llu",
			 (unsigned long long)point->buffers);
		np_text_about((double)point->buffers * (double)point->length, distance,
			      sizeof(distance));
	}
	if (!isnan(point->low))
		snprintf(interval, sizeof(interval), "%.3f - %.3f", point->low,
			 point->high);
	fprintf(file, "  %-8s %-7s %7s %9s %9.3f %9.3f %7.3f  %s\n", size,
		point->axis == NP_AXIS_SEND ? "send" : "receive", buffers, distance,
		point->reuse_s * 1e6, (point->reuse_s + point->extra) * 1e6, point->ratio,
		interval);
}

void np_text_replay(FILE *file, const struct np_replay *replay,
		    const struct np_run_header *header)
{
	const bool known = header != NULL && header->plan != NULL;
	size_t planned = known ? header->plan->sweep_count : 0;
	size_t left_out = known ? header->plan->points_left_out : 0;
	size_t early = 0;

	fprintf(file, "\n  %-8s %-7s %7s %9s %9s %9s %7s  %s\n", "size", "side", "buffers",
		"distance", "one, us", "these, us", "ratio", "95 %");
	for (size_t i = 0; i < replay->count; i++) {
		print_point(file, &replay->points[i]);
		early += isnan(replay->points[i].low) ? 1 : 0;
	}
	fputc('\n', file);
	if (left_out != 0)
		np_say(file, "left out",
		       "%zu of %zu points: neither the sizes nor new buffers of this "
		       "transport allow them",
		       left_out, planned + left_out);
	if (early != 0)
		np_say(file, "left out",
		       "%zu of %zu points have too few passes for an interval: a longer "
		       "--time-budget",
		       early, replay->count);
}
