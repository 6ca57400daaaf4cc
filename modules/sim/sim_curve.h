/*
 * sim_curve.h - one-way time of a message as a function of its length (LogGP).
 */
#pragma once

#include "sim_profile.h"

/*
 * One-way time in ns, from the sender's call to the receiver's return:
 *
 *     o + L + (bytes - 1) G + o                         LogGP
 *
 * preceded by a rendezvous handshake, 2 (L + o + o), beyond the eager limit.  With a
 * table: linear interpolation between its sizes, extrapolation from the last two, the
 * first time below the first size.  Steps and dropouts are applied to the result.
 */
double np_sim_one_way(const struct np_sim_profile *profile, size_t bytes);

/* Effects left out of the one-way time. */
struct np_sim_without {
	bool steps_from;  /* steps at `from` */
	bool dropouts_at; /* dropouts that contain `from` */
	bool handshake;
	size_t from;
};
double np_sim_one_way_without(const struct np_sim_profile *profile, size_t bytes,
			      const struct np_sim_without *without);

/* The one-way time by resource: sender's CPU, wire, receiver's CPU.  The busiest
 * resource limits the rate of a stream. */
struct np_sim_parts {
	double send_ns, wire_ns, recv_ns;
	double latency_ns;
	double before_ns; /* handshake; not overlapped */
	struct np_sim_effect effect;
};
struct np_sim_parts np_sim_parts_of(const struct np_sim_profile *profile, size_t bytes);

/* The sum of the parts with the effect applied, at least 1 ns. */
double np_sim_parts_time(const struct np_sim_parts *parts);

/* Time of an acknowledgement: L + o + o. */
double np_sim_ack(const struct np_sim_profile *profile);

/* True if the CPU copies messages of this length. */
bool np_sim_copies(const struct np_sim_profile *profile, size_t bytes);
