/*
 * sim_keys_curve.c - profile keys of the transport: LogGP, table, steps, slopes, dropouts.
 */
#include <stdlib.h>

#include "sim_keys.h"

static bool parse_time(struct np_sim_reading *reading, void *member)
{
	double *ns = member;

	return np_sim_read_time(reading->items[0], ns) && *ns >= 0;
}

/* Reads one time for both processes, or two. */
static bool parse_overhead(struct np_sim_reading *reading, void *member)
{
	double *ns = member;

	for (size_t i = 0; i < 2; i++) {
		const char *text = reading->items[i < reading->count ? i : 0];

		if (!np_sim_read_time(text, &ns[i]) || ns[i] < 0)
			return false;
	}
	return true;
}

/* Reads a rate or a time per byte as ns per byte. */
static bool read_byte_time(const char *text, double *ns)
{
	return np_sim_read_rate(text, ns) || (np_sim_read_time(text, ns) && *ns >= 0);
}

static bool parse_byte_time(struct np_sim_reading *reading, void *member)
{
	return read_byte_time(reading->items[0], member);
}

static bool parse_eager(struct np_sim_reading *reading, void *member)
{
	size_t *eager = member, *header = &reading->profile->header;

	*header = 0;
	if (np_sim_is_none(reading))
		*eager = SIZE_MAX;
	return np_sim_is_none(reading) ||
	       (np_sim_read_size(reading->items[0], eager) &&
		(reading->count == 1 || np_sim_read_size(reading->items[1], header)));
}

bool np_sim_parse_size(struct np_sim_reading *reading, void *member)
{
	return np_sim_read_size(reading->items[0], member);
}

static bool read_effect(const char *text, struct np_sim_effect *effect)
{
	double share, ns;

	if (np_sim_read_percent(text, &share)) {
		*effect = (struct np_sim_effect){ .factor = 1 + share };
		return true;
	}
	if (!np_sim_read_time(text, &ns))
		return false;
	*effect = (struct np_sim_effect){ .factor = 1, .ns = ns };
	return true;
}

static bool parse_step(struct np_sim_reading *reading, void *member)
{
	struct np_sim_step *step = member;

	return reading->count == 2 && np_sim_read_size(reading->items[0], &step->from) &&
	       read_effect(reading->items[1], &step->effect);
}

static bool parse_slope(struct np_sim_reading *reading, void *member)
{
	struct np_sim_slope *slope = member;

	return reading->count == 2 && np_sim_read_size(reading->items[0], &slope->from) &&
	       slope->from != 0 && read_byte_time(reading->items[1], &slope->byte_ns);
}

static bool parse_dropout(struct np_sim_reading *reading, void *member)
{
	struct np_sim_dropout *dropout = member;

	return reading->count == 2 &&
	       np_sim_read_range(reading->items[0], &dropout->first, &dropout->last) &&
	       read_effect(reading->items[1], &dropout->effect);
}

static bool parse_curving(struct np_sim_reading *reading, void *member)
{
	struct np_sim_curving *curving = member;
	double more;
	char *end;

	if (reading->count != 3 || !np_sim_read_size(reading->items[0], &curving->around) ||
	    curving->around == 0 || !np_sim_read_percent(reading->items[1], &more))
		return false;
	curving->factor = 1 + more;
	curving->octaves = strtod(reading->items[2], &end);
	return curving->factor > 0 && end != reading->items[2] && *end == '\0' &&
	       curving->octaves > 0 && curving->octaves < 64;
}

static bool parse_point(struct np_sim_reading *reading, void *member)
{
	struct np_sim_point *point = member;
	double byte_ns;

	if (reading->count != 2 || !np_sim_read_size(reading->items[0], &point->bytes) ||
	    point->bytes == 0 || !np_sim_read_rate(reading->items[1], &byte_ns))
		return false;
	point->ns = byte_ns * (double)point->bytes;
	return true;
}

static bool parse_table(struct np_sim_reading *reading, void *member)
{
	*(size_t *)member = 0;
	reading->replaced |= NP_SIM_OWN_POINTS;
	return np_sim_read_table(reading, reading->items[0]);
}

#define AT NP_SIM_AT

// clang-format off
const struct np_sim_key np_sim_curve_keys[] = {
	{ "latency", "TIME", 1, 1, parse_time, AT(latency_ns), { 0 } },
	{ "overhead", "TIME[, TIME]", 1, 2, parse_overhead, AT(overhead_ns), { 0 } },
	{ "gap", "TIME", 1, 1, parse_time, AT(gap_ns), { 0 } },
	{ "bandwidth", "RATE", 1, 1, parse_byte_time, AT(byte_ns), { 0 } },
	{ "per_byte", "TIME", 1, 1, parse_byte_time, AT(byte_ns), { 0 } },
	{ "eager", "SIZE[, HEADER] or none", 1, 2, parse_eager, AT(eager), { 0 } },
	{ "handshake", "TIME", 1, 1, parse_time, AT(handshake_ns), { 0 } },
	{ "step", "SIZE, PERCENT or TIME", 1, 2, parse_step,
	  NP_SIM_LIST(steps, step_count, NP_SIM_STEPS, 0) },
	{ "slope", "SIZE, RATE or TIME", 1, 2, parse_slope,
	  NP_SIM_LIST(slopes, slope_count, NP_SIM_STEPS, 0) },
	{ "curve", "SIZE, PERCENT, OCTAVES", 1, 3, parse_curving,
	  NP_SIM_LIST(curvings, curving_count, NP_SIM_STEPS, 0) },
	{ "dip", "SIZE[-SIZE], PERCENT or TIME", 1, 2, parse_dropout,
	  NP_SIM_LIST(dropouts, dropout_count, NP_SIM_DROPOUTS, 0) },
	{ "point", "SIZE, RATE", 1, 2, parse_point,
	  NP_SIM_LIST(points, point_count, NP_SIM_POINTS, NP_SIM_OWN_POINTS) },
	{ "table", "FILE", 1, 1, parse_table, AT(point_count), { 0 } },
	{ NULL, NULL, 0, 0, NULL, 0, { 0 } }
};
// clang-format on
