/*
 * sim_keys_curve.c - profile keys of the transport: LogGP, table, steps, slopes, dropouts.
 */
#include "sim_keys.h"

static enum np_sim_parsed parse_time(struct np_sim_reading *reading,
				     const struct np_sim_key *key,
				     const struct np_sim_items *items)
{
	double ns;

	if (!np_sim_read_time(items->list[0], &ns) || ns < 0)
		return NP_SIM_MALFORMED;
	*(double *)np_sim_place(reading, key) = ns;
	return NP_SIM_PARSED;
}

static enum np_sim_parsed parse_overhead(struct np_sim_reading *reading,
					 const struct np_sim_key *key,
					 const struct np_sim_items *items)
{
	double ns[2];

	(void)key;
	for (size_t i = 0; i < 2; i++) {
		const char *text = items->list[i < items->count ? i : 0];

		if (!np_sim_read_time(text, &ns[i]) || ns[i] < 0)
			return NP_SIM_MALFORMED;
	}
	memcpy(reading->profile->overhead_ns, ns, sizeof(ns));
	return NP_SIM_PARSED;
}

/* A time per byte, or a rate. */
static bool read_byte_time(const char *text, double *ns)
{
	double value;

	if (!np_sim_read_rate(text, &value) &&
	    !(np_sim_read_time(text, &value) && value >= 0))
		return false;
	*ns = value;
	return true;
}

static enum np_sim_parsed parse_byte_time(struct np_sim_reading *reading,
					  const struct np_sim_key *key,
					  const struct np_sim_items *items)
{
	return np_sim_parsed_if(read_byte_time(items->list[0], np_sim_place(reading, key)));
}

static enum np_sim_parsed parse_eager(struct np_sim_reading *reading,
				      const struct np_sim_key *key,
				      const struct np_sim_items *items)
{
	(void)key;
	if (!np_sim_is_none(items))
		return np_sim_parsed_if(
			np_sim_read_size(items->list[0], &reading->profile->eager));
	reading->profile->eager = SIZE_MAX;
	return NP_SIM_PARSED;
}

enum np_sim_parsed np_sim_parse_size(struct np_sim_reading *reading,
				     const struct np_sim_key *key,
				     const struct np_sim_items *items)
{
	return np_sim_parsed_if(
		np_sim_read_size(items->list[0], np_sim_place(reading, key)));
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

static enum np_sim_parsed parse_step(struct np_sim_reading *reading,
				     const struct np_sim_key *key,
				     const struct np_sim_items *items)
{
	struct np_sim_profile *profile = reading->profile;
	struct np_sim_step step;

	(void)key;
	if (np_sim_is_none(items)) {
		profile->step_count = 0;
		return NP_SIM_PARSED;
	}
	if (items->count != 2 || !np_sim_read_size(items->list[0], &step.from) ||
	    !read_effect(items->list[1], &step.effect))
		return NP_SIM_MALFORMED;
	if (profile->step_count == NP_SIM_STEPS)
		return NP_SIM_TOO_MANY;
	profile->steps[profile->step_count++] = step;
	return NP_SIM_PARSED;
}

static enum np_sim_parsed parse_slope(struct np_sim_reading *reading,
				      const struct np_sim_key *key,
				      const struct np_sim_items *items)
{
	struct np_sim_profile *profile = reading->profile;
	struct np_sim_slope slope;

	(void)key;
	if (np_sim_is_none(items)) {
		profile->slope_count = 0;
		return NP_SIM_PARSED;
	}
	if (items->count != 2 || !np_sim_read_size(items->list[0], &slope.from) ||
	    slope.from == 0 || !read_byte_time(items->list[1], &slope.byte_ns))
		return NP_SIM_MALFORMED;
	if (profile->slope_count == NP_SIM_STEPS)
		return NP_SIM_TOO_MANY;
	profile->slopes[profile->slope_count++] = slope;
	return NP_SIM_PARSED;
}

static enum np_sim_parsed parse_dropout(struct np_sim_reading *reading,
					const struct np_sim_key *key,
					const struct np_sim_items *items)
{
	struct np_sim_profile *profile = reading->profile;
	struct np_sim_dropout dropout;

	(void)key;
	if (np_sim_is_none(items)) {
		profile->dropout_count = 0;
		return NP_SIM_PARSED;
	}
	if (items->count != 2 ||
	    !np_sim_read_range(items->list[0], &dropout.first, &dropout.last) ||
	    !read_effect(items->list[1], &dropout.effect))
		return NP_SIM_MALFORMED;
	if (profile->dropout_count == NP_SIM_DROPOUTS)
		return NP_SIM_TOO_MANY;
	profile->dropouts[profile->dropout_count++] = dropout;
	return NP_SIM_PARSED;
}

static enum np_sim_parsed parse_point(struct np_sim_reading *reading,
				      const struct np_sim_key *key,
				      const struct np_sim_items *items)
{
	struct np_sim_profile *profile = reading->profile;
	struct np_sim_point point;
	double byte_ns;

	(void)key;
	if (!reading->own_points || np_sim_is_none(items))
		profile->point_count = 0;
	reading->own_points = true;
	if (np_sim_is_none(items))
		return NP_SIM_PARSED;
	if (items->count != 2 || !np_sim_read_size(items->list[0], &point.bytes) ||
	    point.bytes == 0 || !np_sim_read_rate(items->list[1], &byte_ns))
		return NP_SIM_MALFORMED;
	if (profile->point_count == NP_SIM_POINTS)
		return NP_SIM_TOO_MANY;
	point.ns = byte_ns * (double)point.bytes;
	profile->points[profile->point_count++] = point;
	return NP_SIM_PARSED;
}

static enum np_sim_parsed parse_table(struct np_sim_reading *reading,
				      const struct np_sim_key *key,
				      const struct np_sim_items *items)
{
	(void)key;
	reading->profile->point_count = 0;
	reading->own_points = true;
	return np_sim_parsed_if(np_sim_read_table(reading, items->list[0]));
}

#define AT(member) offsetof(struct np_sim_profile, member)

// clang-format off
const struct np_sim_key np_sim_curve_keys[] = {
	{ "latency", "TIME", 1, 1, parse_time, AT(latency_ns) },
	{ "overhead", "TIME[, TIME]", 1, 2, parse_overhead, 0 },
	{ "gap", "TIME", 1, 1, parse_time, AT(gap_ns) },
	{ "bandwidth", "RATE", 1, 1, parse_byte_time, AT(byte_ns) },
	{ "per_byte", "TIME", 1, 1, parse_byte_time, AT(byte_ns) },
	{ "eager", "SIZE or none", 1, 1, parse_eager, 0 },
	{ "handshake", "TIME", 1, 1, parse_time, AT(handshake_ns) },
	{ "step", "SIZE, PERCENT or TIME", 1, 2, parse_step, 0 },
	{ "slope", "SIZE, RATE or TIME", 1, 2, parse_slope, 0 },
	{ "dip", "SIZE[-SIZE], PERCENT or TIME", 1, 2, parse_dropout, 0 },
	{ "point", "SIZE, RATE", 1, 2, parse_point, 0 },
	{ "table", "FILE", 1, 1, parse_table, 0 },
	{ NULL, NULL, 0, 0, NULL, 0 }
};
// clang-format on
