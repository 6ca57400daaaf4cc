/*
 * round_robin.h - rounds of a round-robin tournament by the circle method: each pair of
 * hosts meets once, as many pairs at once as possible.
 *
 * With an odd number of hosts, one has no partner in each round.
 */
#pragma once

#include <stddef.h>

static inline size_t np_round_robin_rounds(size_t hosts)
{
	return hosts < 2 ? 0 : hosts - 1 + hosts % 2;
}

/* Returns the partner of a host in a round, both from 0; `hosts` if it has none. */
static inline size_t np_round_robin_partner(size_t hosts, size_t round, size_t host)
{
	const size_t circle = np_round_robin_rounds(hosts);

	/* With an even number of hosts the last one stays outside the circle. */
	if (host == circle)
		return round;
	const size_t partner = (2 * round + circle - host) % circle;

	return partner != host ? partner : hosts % 2 == 0 ? circle : hosts;
}

/* Returns the round in which two hosts meet. */
static inline size_t np_round_robin_round(size_t hosts, size_t one, size_t other)
{
	/* Odd: 2 has an inverse modulo circle, (circle + 1) / 2. */
	const size_t circle = np_round_robin_rounds(hosts) | 1;

	if (one == circle || other == circle)
		return one == circle ? other : one;
	return (one + other) * ((circle + 1) / 2) % circle;
}
