/*
 * sim_profile.c - defaults of a profile, and checks of a complete one.
 */
#include "sim_profile.h"

#include <string.h>

void np_sim_profile_init(struct np_sim_profile *profile, const char *name)
{
	*profile = (struct np_sim_profile){
		.latency_ns = 1000,
		.overhead_ns = { 200, 200 },
		.gap_ns = 300,
		.byte_ns = 0.1,
		.eager = SIZE_MAX,
		.handshake_ns = -1,
		.copy = NP_SIM_COPY_NEVER,
		.line = 64,
		.levels = { { 48 << 10, 1.2, 0.8 },
			    { 1 << 20, 4, 1.6 },
			    { 8 << 20, 15, 3 } },
		.level_count = 3,
		.memory_load_ns = 80,
		.memory_line_ns = 6,
	};
	strncpy(profile->name, name, sizeof(profile->name) - 1);
}

const char *np_sim_replacement_name(enum np_sim_replacement replacement)
{
	static const char *const names[] = {
		[NP_SIM_LRU] = "lru",
		[NP_SIM_RANDOM] = "random",
		[NP_SIM_SETS] = "sets",
	};

	return names[replacement];
}

const char *np_sim_scope_name(enum np_sim_scope scope)
{
	static const char *const names[NP_SIM_SCOPES] = {
		[NP_SIM_MESSAGE] = "message", [NP_SIM_SAMPLE] = "sample",
		[NP_SIM_BLOCK] = "block",     [NP_SIM_VISIT] = "visit",
		[NP_SIM_PASS] = "pass",	      [NP_SIM_RUN] = "run",
	};

	return names[scope];
}

size_t np_sim_page_of(const struct np_sim_profile *profile,
		      const struct np_sim_translation *translation, size_t mapped)
{
	const bool large = profile->large_page != 0 && mapped >= profile->large_page &&
			   np_sim_maps_pages(translation->unit);

	return large && profile->large_page > translation->page ? profile->large_page :
								  translation->page;
}

static int refuse(const struct np_sim_profile *profile, struct np_error *error,
		  const char *why)
{
	return np_refuse(error, "profile %s: %s", profile->name, why);
}

/* Times of 0 would stop the virtual clock: the run would never end. */
static int check_times(const struct np_sim_profile *profile, struct np_error *error)
{
	const double least =
		profile->latency_ns + profile->overhead_ns[0] + profile->overhead_ns[1];

	if (profile->point_count == 1)
		return refuse(profile, error, "one point is no table");
	if (!(least >= 1))
		return refuse(profile, error,
			      "latency and overhead are below 1 ns together");
	for (size_t i = 1; i < profile->point_count; i++) {
		if (profile->points[i].bytes <= profile->points[i - 1].bytes)
			return refuse(profile, error, "the sizes of points do not ascend");
	}
	for (size_t i = 1; i < profile->slope_count; i++) {
		if (profile->slopes[i].from <= profile->slopes[i - 1].from)
			return refuse(profile, error, "the sizes of slopes do not ascend");
	}
	return 0;
}

static int check_memory(const struct np_sim_profile *profile, struct np_error *error)
{
	if ((profile->line & (profile->line - 1)) != 0 || profile->line < 16 ||
	    profile->line > 1024)
		return refuse(profile, error, "a line is a power of two from 16 to 1024");
	for (size_t i = 0; i < profile->level_count; i++) {
		if (profile->levels[i].bytes < profile->line ||
		    (i > 0 && profile->levels[i].bytes <= profile->levels[i - 1].bytes))
			return refuse(profile, error, "the sizes of caches do not ascend");
	}
	if ((profile->large_page & (profile->large_page - 1)) != 0)
		return refuse(profile, error, "a large page is a power of two");
	for (size_t i = 0; i < profile->translation_count; i++) {
		const struct np_sim_translation *translation = &profile->translations[i];
		const size_t page = translation->page;

		if (np_sim_maps_pages(translation->unit) &&
		    ((page & (page - 1)) != 0 || page < 1024))
			return refuse(profile, error,
				      "a page is a power of two from 1K on");
	}
	return 0;
}

int np_sim_profile_check(const struct np_sim_profile *profile, struct np_error *error)
{
	const int rc = check_times(profile, error);

	return rc != 0 ? rc : check_memory(profile, error);
}
