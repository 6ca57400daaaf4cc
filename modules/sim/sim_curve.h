/*
 * sim_curve.h - how long a message takes, as far as its length alone says it.
 */
#ifndef NP_SIM_CURVE_H
#define NP_SIM_CURVE_H

#include "sim_profile.h"

/*
 * One way, from the sender's call to the receiver's return, nanoseconds:
 *
 *     o + L + (bytes - 1) G + o                         LogGP
 *
 * with 2 (L + o + o), a message there and one back, before it beyond the eager
 * limit; or what the table has, linear in the bytes between two of its sizes and
 * beyond its last two, and its least time below the first.  Then steps and dips.
 */
double np_sim_one_way(const struct np_sim_profile *profile, size_t bytes);

/* The same with other effects of the length than those of the profile. */
struct np_sim_without {
	bool steps_from; /* those that begin at `from` */
	bool dips_at;	 /* those that hold `from` */
	bool handshake;
	size_t from;
};
double np_sim_one_way_without(const struct np_sim_profile *profile, size_t bytes,
			      const struct np_sim_without *without);

/* Of the above the part that a sender's processor, a receiver's and the wire are
 * each busy with: messages of a stream follow each other as the slowest allows. */
struct np_sim_parts {
	double send_ns, wire_ns, recv_ns;
	double latency_ns;
	double before_ns; /* a handshake, which nothing overlaps */
	struct np_sim_effect effect;
};
struct np_sim_parts np_sim_parts_of(const struct np_sim_profile *profile, size_t bytes);

/* All of them one after the other. */
double np_sim_parts_time(const struct np_sim_parts *parts);

/* The shortest message there is, as an acknowledgement. */
double np_sim_ack(const struct np_sim_profile *profile);

/* Whether the CPU copies messages of this length. */
bool np_sim_copies(const struct np_sim_profile *profile, size_t bytes);

#endif
