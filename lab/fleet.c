/*
 * fleet.c - detection rates of a slow host, pair or uplink in simulated fleets, and false
 * alarms; without a process for each host.
 *
 * fleet HOSTS [FLEETS [NOISE%]]: 100 fleets of each kind by default, of seeds from 1 on.
 */
#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/fleet_model.h"

static const char *const planted_names[PLANTED] = {
	[HEALTHY] = "nothing",
	[SLOW_HOST] = "a host, 10 %",
	[SLOW_PAIR] = "a pair, 10 %",
	[SLOW_UPLINK] = "an uplink, 10 %",
	[CROWDED_PAIR] = "a crowded pair, 10 %",
};

enum { ROUND_MS = 50 };

static void print_kind(size_t hosts, enum planted planted, unsigned fleets, double noise)
{
	unsigned found = 0, wrong = 0, open = 0;
	size_t rounds = 0;

	for (unsigned k = 0; k < fleets; k++) {
		struct fleet_model model = { .hosts = hosts,
					     .rack = hosts < 512 ? 8 : 32,
					     .planted = planted,
					     .times = 1.1,
					     .noise = noise,
					     .seed = k + 1 };
		struct fleet_said said = { .alarms = 0 };
		size_t more;

		if (try_fleet(&model, &said, &more) != 0)
			exit(EXIT_FAILURE);
		found += said.found;
		wrong += said.alarms > said.named;
		open += said.open != 0;
		rounds += more;
	}
	printf("| %zu | %.1f %% | %s | %u | %u of %u | %u | %.0f | %.0f s |\n", hosts,
	       100 * noise, planted_names[planted], found, wrong, fleets, open,
	       (double)rounds / fleets, (double)rounds / fleets * ROUND_MS / 1000);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	const size_t hosts = argc > 1 ? strtoul(argv[1], NULL, 10) : 64;
	const unsigned fleets = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 100;
	const double noise = argc > 3 ? strtod(argv[3], NULL) / 100 : 0.01;

	puts("| hosts | noise | slow | found, and nothing else | something wrong | "
	     "undecided | rounds | at 50 ms |\n|---|---|---|---|---|---|---|---|");
	for (enum planted planted = 0; planted < PLANTED; planted++)
		print_kind(hosts, planted, fleets, noise);
	return EXIT_SUCCESS;
}
