/*
 * draw.c - a profile of NPsim drawn at random, or the truth of a profile.
 *
 *   lab/draw SEED [PLANT]             a profile, as NPsim --profile reads it
 *   lab/draw --truth PROFILE [LINES]  its planted effects, with those of NPsim --set LINES
 *
 * PLANT is nothing; steps of 5 % and more between the sizes of a run; dips at such sizes; a
 * capacity of pages, registrations or CPU caches; capacities: none, one or two of CPU
 * caches, CPU TLB, pages and registrations, with any replacement, whose misses take from 2
 * % of a message on; tables: capacities that look like others; all (steps, dips and a
 * capacity), the default; rough: curved segments, host states and correlated noise; or
 * rough-breaks: as rough, with steps that may be close together, a dip at a size of a run
 * or between two, and misses of 1 to 5 %.
 *
 * A line of the truth is a kind and then name=value, with blanks between.  Effects are
 * factors of the one-way time with one warm buffer, against the profile without the feature
 * of the line.
 */
#include <stdlib.h>
#include <string.h>

#include "drawn_profile.h"

static const char *const plants[] = { "nothing",      "steps",	"dips", "capacity",
				      "capacities",   "tables", "all",	"rough",
				      "rough-breaks", NULL };

static int print_truth(const char *name, const char *lines)
{
	const struct np_sim_options options = { .profile = name, .set = lines };
	struct np_sim_profile profile;
	struct np_error error = { .code = 0 };

	if (np_sim_load(&options, &profile, &error) != 0) {
		fprintf(stderr, "draw: %s\n", error.text);
		return 2;
	}
	write_truth(stdout, &profile);
	return 0;
}

int main(int argc, char **argv)
{
	struct np_sim_profile profile;
	size_t plant = PLANT_ALL;
	char *rest = NULL;

	if (argc >= 3 && strcmp(argv[1], "--truth") == 0)
		return print_truth(argv[2], argc > 3 ? argv[3] : NULL);
	const unsigned long long seed = argc >= 2 ? strtoull(argv[1], &rest, 10) : 0;

	if (argc == 3)
		for (plant = 0;
		     plants[plant] != NULL && strcmp(plants[plant], argv[2]) != 0;)
			plant++;
	if (rest == NULL || *rest != '\0' || seed == 0 || plants[plant] == NULL) {
		fputs("usage: draw SEED [PLANT] | draw --truth PROFILE [LINES]\n", stderr);
		return 2;
	}
	draw_profile(&profile, seed, (enum plant)plant);
	write_profile(stdout, &profile);
	return 0;
}
