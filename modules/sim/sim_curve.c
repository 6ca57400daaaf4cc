/*
 * sim_curve.c - one-way time: LogGP or a table, then steps and dropouts.
 */
#include <math.h>

#include "sim_profile.h"

/* LogGP: G for every byte but the first. */
static double wire_time(const struct np_sim_profile *profile, size_t bytes)
{
	double byte_ns = profile->byte_ns, time = 0;
	size_t next = 2;

	for (size_t i = 0; i < profile->slope_count; i++) {
		const struct np_sim_slope *slope = &profile->slopes[i];

		if (bytes < slope->from)
			break;
		if (slope->from > next) {
			time += (double)(slope->from - next) * byte_ns;
			next = slope->from;
		}
		byte_ns = slope->byte_ns;
	}
	return bytes >= next ? time + (double)(bytes - next + 1) * byte_ns : time;
}

/* Factor by which the smooth bends multiply the per-byte time: 1 far below them, the
 * product of their factors far above. */
static double curving_of(const struct np_sim_profile *profile, size_t bytes)
{
	double factor = 1;

	for (size_t i = 0; i < profile->curving_count; i++) {
		const struct np_sim_curving *curving = &profile->curvings[i];
		const double away = log2(fmax(1, (double)bytes) / (double)curving->around);

		/* Logistic: from 10 % to 90 % of the change within `octaves`. */
		factor *= 1 + (curving->factor - 1) /
				      (1 + exp(-2 * log(9) * away / curving->octaves));
	}
	return factor;
}

static double table_time(const struct np_sim_profile *profile, size_t bytes)
{
	const struct np_sim_point *points = profile->points;
	size_t right = 1;

	if (bytes <= points[0].bytes)
		return points[0].ns;
	while (right + 1 < profile->point_count && points[right].bytes < bytes)
		right++;
	const struct np_sim_point *a = &points[right - 1], *b = &points[right];
	const double time = a->ns + (b->ns - a->ns) * (double)(bytes - a->bytes) /
					    (double)(b->bytes - a->bytes);

	/* Extrapolation of a last segment with a negative slope may fall below 0. */
	return time > 1 ? time : 1;
}

static void add_effect(struct np_sim_effect *all, const struct np_sim_effect *effect)
{
	all->factor *= effect->factor;
	all->ns = all->ns * effect->factor + effect->ns;
}

static struct np_sim_effect effect_of(const struct np_sim_profile *profile, size_t bytes,
				      const struct np_sim_without *without)
{
	struct np_sim_effect all = { .factor = 1 };

	for (size_t i = 0; i < profile->step_count; i++) {
		const struct np_sim_step *step = &profile->steps[i];

		if (bytes >= step->from &&
		    !(without->steps_from && step->from == without->from))
			add_effect(&all, &step->effect);
	}
	for (size_t i = 0; i < profile->dropout_count; i++) {
		const struct np_sim_dropout *dropout = &profile->dropouts[i];

		if (bytes >= dropout->first && bytes <= dropout->last &&
		    !(without->dropouts_at && without->from >= dropout->first &&
		      without->from <= dropout->last))
			add_effect(&all, &dropout->effect);
	}
	return all;
}

double np_sim_ack(const struct np_sim_profile *profile)
{
	return profile->latency_ns + profile->overhead_ns[0] + profile->overhead_ns[1];
}

static double handshake_of(const struct np_sim_profile *profile, size_t bytes)
{
	if (bytes <= profile->eager)
		return 0;
	return profile->handshake_ns >= 0 ? profile->handshake_ns : 2 * np_sim_ack(profile);
}

static struct np_sim_parts parts_without(const struct np_sim_profile *profile, size_t bytes,
					 const struct np_sim_without *without)
{
	struct np_sim_parts parts = { .effect = effect_of(profile, bytes, without) };

	if (profile->point_count != 0) {
		parts.wire_ns = table_time(profile, bytes);
	} else {
		parts.send_ns = profile->overhead_ns[0];
		parts.wire_ns = wire_time(profile, bytes) * curving_of(profile, bytes);
		parts.recv_ns = profile->overhead_ns[1];
		parts.latency_ns = profile->latency_ns;
	}
	if (!without->handshake)
		parts.before_ns = handshake_of(profile, bytes);
	return parts;
}

struct np_sim_parts np_sim_parts_of(const struct np_sim_profile *profile, size_t bytes)
{
	const struct np_sim_without nothing = { .from = 0 };

	return parts_without(profile, bytes, &nothing);
}

double np_sim_parts_time(const struct np_sim_parts *parts)
{
	const double time = parts->before_ns + parts->send_ns + parts->latency_ns +
			    parts->wire_ns + parts->recv_ns;
	const double all = time * parts->effect.factor + parts->effect.ns;

	/* A negative effect must not turn the clock back. */
	return all > 1 ? all : 1;
}

double np_sim_one_way_without(const struct np_sim_profile *profile, size_t bytes,
			      const struct np_sim_without *without)
{
	const struct np_sim_parts parts = parts_without(profile, bytes, without);

	return np_sim_parts_time(&parts);
}

double np_sim_one_way(const struct np_sim_profile *profile, size_t bytes)
{
	const struct np_sim_parts parts = np_sim_parts_of(profile, bytes);

	return np_sim_parts_time(&parts);
}

bool np_sim_copies(const struct np_sim_profile *profile, size_t bytes)
{
	return profile->copy == NP_SIM_COPY_ALWAYS ||
	       (profile->copy == NP_SIM_COPY_EAGER && bytes <= profile->eager);
}
