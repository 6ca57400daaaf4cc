/*
 * clock_quality.c - clock quality: cost of a reading, and resolution.
 */
#include "machine/clock_quality.h"

#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "stats/stats.h"

struct np_clock_quality np_clock_measure(void)
{
	enum { ROUNDS = 31, READINGS = 1000 };
	double cost[ROUNDS];
	uint64_t step = UINT64_MAX;

	for (size_t round = 0; round < ROUNDS; round++) {
		const uint64_t begin = np_clock_ns();
		uint64_t last = begin;

		for (size_t i = 0; i < READINGS; i++) {
			const uint64_t now = np_clock_ns();

			if (now != last && now - last < step)
				step = now - last;
			last = now;
		}
		cost[round] = (double)(last - begin) / READINGS;
	}
	/* The smallest step between readings includes the cost of a reading; the step
	 * of the counter is the greatest common divisor of the readings. */
	uint64_t divisor = 0;
	for (size_t i = 0; i < READINGS; i++) {
		uint64_t a = divisor, b = np_clock_ns() % 1000000000u;

		while (b != 0) {
			const uint64_t rest = a % b;

			a = b;
			b = rest;
		}
		divisor = a;
	}
	return (struct np_clock_quality){
		.name = "CLOCK_MONOTONIC",
		.overhead_ns = np_median(cost, ROUNDS),
		.resolution_ns = (double)(divisor < step ? divisor : step),
	};
}
