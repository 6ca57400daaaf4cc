/*
 * tournament.h - rounds in which each of some hosts meets each other once, as many pairs at
 * once as there can be: the circle method of round-robin tournaments.
 *
 * Of an odd number one host has no partner in each round.
 */
#pragma once

#include <stddef.h>

static inline size_t np_tournament_rounds(size_t hosts)
{
	return hosts < 2 ? 0 : hosts - 1 + hosts % 2;
}

/* The partner of a host in a round, counted from 0; `hosts`: none. */
static inline size_t np_tournament_partner(size_t hosts, size_t round, size_t host)
{
	const size_t circle = np_tournament_rounds(hosts);

	/* Of an even number the last one stands beside the circle. */
	if (host == circle)
		return round;
	const size_t partner = (2 * round + circle - host) % circle;

	return partner != host ? partner : hosts % 2 == 0 ? circle : hosts;
}

/* The round in which two hosts meet. */
static inline size_t np_tournament_round(size_t hosts, size_t one, size_t other)
{
	/* An odd number. */
	const size_t circle = np_tournament_rounds(hosts) | 1;

	if (one == circle || other == circle)
		return one == circle ? other : one;
	return (one + other) * ((circle + 1) / 2) % circle;
}
