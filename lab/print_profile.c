/*
 * print_profile.c - text of a profile of NPsim, and the effects that it plants.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "drawn_profile.h"

/*
 * Text for sim_read.c: %.12g is more precise than any measurement, and is read back as the
 * same number.
 */

static const char *copy_name(enum np_sim_copy copy)
{
	return copy == NP_SIM_COPY_NEVER ? "never" :
	       copy == NP_SIM_COPY_EAGER ? "eager" :
					   "always";
}

static void write_effect(FILE *out, const struct np_sim_effect *effect)
{
	/* A line holds a time or a percentage, never both. */
	if (effect->ns != 0)
		fprintf(out, "%.12g ns\n", effect->ns);
	else
		fprintf(out, "%.12g %%\n", (effect->factor - 1) * 100);
}

static void write_curve(FILE *out, const struct np_sim_profile *profile)
{
	fprintf(out, "latency = %.12g ns\n", profile->latency_ns);
	fprintf(out, "overhead = %.12g ns, %.12g ns\n", profile->overhead_ns[0],
		profile->overhead_ns[1]);
	fprintf(out, "gap = %.12g ns\n", profile->gap_ns);
	fprintf(out, "per_byte = %.12g ns\n", profile->byte_ns);
	if (profile->eager != SIZE_MAX && profile->header != 0)
		fprintf(out, "eager = %zu, %zu\n", profile->eager, profile->header);
	else if (profile->eager != SIZE_MAX)
		fprintf(out, "eager = %zu\n", profile->eager);
	if (profile->handshake_ns >= 0)
		fprintf(out, "handshake = %.12g ns\n", profile->handshake_ns);
	for (size_t i = 0; i < profile->point_count; i++)
		fprintf(out, "point = %zu, %.12g MB/s\n", profile->points[i].bytes,
			(double)profile->points[i].bytes * 1e3 / profile->points[i].ns);
	for (size_t i = 0; i < profile->slope_count; i++)
		fprintf(out, "slope = %zu, %.12g ns\n", profile->slopes[i].from,
			profile->slopes[i].byte_ns);
	for (size_t i = 0; i < profile->step_count; i++) {
		fprintf(out, "step = %zu, ", profile->steps[i].from);
		write_effect(out, &profile->steps[i].effect);
	}
	for (size_t i = 0; i < profile->dropout_count; i++) {
		fprintf(out, "dip = %zu-%zu, ", profile->dropouts[i].first,
			profile->dropouts[i].last);
		write_effect(out, &profile->dropouts[i].effect);
	}
	for (size_t i = 0; i < profile->curving_count; i++)
		fprintf(out, "curve = %zu, %.12g %%, %.12g\n", profile->curvings[i].around,
			(profile->curvings[i].factor - 1) * 100,
			profile->curvings[i].octaves);
}

static void write_translation(FILE *out, const struct np_sim_translation *translation)
{
	const char *leaves = np_sim_replacement_name(translation->replacement);

	switch (translation->unit) {
	case NP_SIM_PAGES:
		fprintf(out, "translation = pages, %" PRIu64 ", %zu, %.12g ns, %s\n",
			translation->entries, translation->page, translation->miss_ns,
			leaves);
		break;
	case NP_SIM_REGISTRATIONS:
		fprintf(out, "translation = registrations, %" PRIu64 ", %.12g ns, %s\n",
			translation->entries, translation->miss_ns, leaves);
		break;
	case NP_SIM_QUEUE_PAIRS:
		fprintf(out, "translation = queue_pairs, %" PRIu64 ", %.12g ns, %s\n",
			translation->entries, translation->miss_ns, leaves);
		break;
	case NP_SIM_TLB:
		fprintf(out, "tlb = %" PRIu64 ", %zu, %.12g ns, %s\n", translation->entries,
			translation->page, translation->miss_ns, leaves);
		break;
	}
}

static void write_memory(FILE *out, const struct np_sim_profile *profile)
{
	fprintf(out, "copy = %s\n", copy_name(profile->copy));
	fprintf(out, "line = %zu\n", profile->line);
	if (profile->level_count == 0)
		fputs("cache = none\n", out);
	for (size_t i = 0; i < profile->level_count; i++)
		fprintf(out, "cache = %zu, %.12g ns, %.12g ns\n", profile->levels[i].bytes,
			profile->levels[i].load_ns, profile->levels[i].line_ns);
	fprintf(out, "memory = %.12g ns, %.12g ns\n", profile->memory_load_ns,
		profile->memory_line_ns);
	for (size_t i = 0; i < profile->translation_count; i++)
		write_translation(out, &profile->translations[i]);
	if (profile->large_page != 0)
		fprintf(out, "large_page = %zu\n", profile->large_page);
	if (profile->registers)
		fprintf(out, "registration_cache = %" PRIu64 ", %.12g ns, %.12g ns\n",
			profile->registration_entries, profile->registration_ns,
			profile->registration_page_ns);
}

static void write_noise(FILE *out, const struct np_sim_profile *profile)
{
	for (size_t i = 0; i < NP_SIM_SCOPES; i++) {
		if (profile->noise[i] > 0)
			fprintf(out, "noise = %s, %.12g %%\n",
				np_sim_scope_name((enum np_sim_scope)i),
				profile->noise[i] * 100);
	}
	for (size_t i = 0; i < profile->second_mode_count; i++) {
		const struct np_sim_second_mode *mode = &profile->second_modes[i];

		fprintf(out, "bimodal = %.12g %%, %.12g %%", mode->share * 100,
			(mode->factor - 1) * 100);
		if (mode->last != SIZE_MAX)
			fprintf(out, ", %zu-%zu", mode->first, mode->last);
		fputc('\n', out);
	}
	if (profile->burst_every_ns > 0)
		fprintf(out, "burst = %.12g ns, %.12g ns\n", profile->burst_every_ns,
			profile->burst_ns);
	if (profile->drift != 0)
		fprintf(out, "drift = %.12g %%\n", profile->drift * 100);
	if (profile->states.every_ns > 0) {
		fprintf(out, "host_state = %.12g ns, %.12g ns, %.12g %%%s",
			profile->states.every_ns, profile->states.lasts_ns,
			(profile->states.factor - 1) * 100,
			profile->states.unseen ? ", unseen" : "");
		if (profile->states.from_ns > 0)
			fprintf(out, ", from %.12g ns", profile->states.from_ns);
		fputc('\n', out);
	}
	if (profile->correlated > 0)
		fprintf(out, "correlated = %.12g %%, %.12g ns\n", profile->correlated * 100,
			profile->correlated_ns);
	if (profile->record_count != 0)
		fprintf(out, "replay = %s\n", profile->replay);
}

void write_profile(FILE *out, const struct np_sim_profile *profile)
{
	fprintf(out, "# profile %s\n", profile->name);
	write_curve(out, profile);
	write_memory(out, profile);
	write_noise(out, profile);
}

char *profile_text(const struct np_sim_profile *profile,
		   void (*print)(FILE *, const struct np_sim_profile *))
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	if (out == NULL)
		return NULL;
	print(out, profile);
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}

/*
 * Planted effects, one a line, as a kind and name=value pairs.
 *
 * An effect is the ratio of the time at a size to the time without this effect, both
 * with warm buffers; so it contains neither the cost of the bytes nor other steps.
 */

/* One-way time in ns of a message with warm buffers and no noise, some effects left
 * out. */
static double reuse_without(const struct np_sim_profile *profile, size_t bytes,
			    const struct np_sim_without *without)
{
	const uint64_t lines = (bytes + profile->line - 1) / profile->line;
	const size_t level = np_sim_level_of(profile, 2 * lines * profile->line);
	const bool copies = without->handshake ? profile->copy != NP_SIM_COPY_NEVER :
						 np_sim_copies(profile, bytes);
	const double copy = copies ? np_sim_copy_time(profile, level, lines) : 0;

	return np_sim_one_way_without(profile, bytes, without) + 2 * copy;
}

/* Ratio of the time to the time without some effects. */
static double effect_without(const struct np_sim_profile *profile, size_t bytes,
			     const struct np_sim_without *without)
{
	const struct np_sim_without nothing = { .from = 0 };

	return reuse_without(profile, bytes, &nothing) /
	       reuse_without(profile, bytes, without);
}

static void print_curve(FILE *out, const struct np_sim_profile *profile)
{
	const struct np_sim_without nothing = { .from = 0 };

	fprintf(out, "profile name=%s\n", profile->name);
	if (profile->point_count != 0)
		fprintf(out, "table points=%zu\n", profile->point_count);
	fprintf(out, "latency bytes=1 ns=%.3f\n", reuse_without(profile, 1, &nothing));
	for (size_t i = 0; i < profile->step_count; i++) {
		const struct np_sim_without without = { .steps_from = true,
							.from = profile->steps[i].from };

		fprintf(out, "step bytes=%zu effect=%.5f cause=planted\n", without.from,
			effect_without(profile, without.from, &without));
	}
	if (profile->eager != SIZE_MAX) {
		const struct np_sim_without without = { .handshake = true };
		const size_t from = profile->eager + 1;

		fprintf(out, "step bytes=%zu effect=%.5f cause=eager\n", from,
			effect_without(profile, from, &without));
	}
	for (size_t i = 0; i < profile->slope_count; i++)
		fprintf(out, "slope bytes=%zu byte_ns=%.6f before=%.6f\n",
			profile->slopes[i].from, profile->slopes[i].byte_ns,
			i == 0 ? profile->byte_ns : profile->slopes[i - 1].byte_ns);
	for (size_t i = 0; i < profile->curving_count; i++)
		fprintf(out, "curve bytes=%zu effect=%.5f octaves=%.3f\n",
			profile->curvings[i].around, profile->curvings[i].factor,
			profile->curvings[i].octaves);
	for (size_t i = 0; i < profile->dropout_count; i++) {
		const struct np_sim_without without = {
			.dropouts_at = true, .from = profile->dropouts[i].first
		};

		fprintf(out, "dip bytes=%zu last=%zu effect=%.5f\n",
			profile->dropouts[i].first, profile->dropouts[i].last,
			effect_without(profile, without.from, &without));
	}
	for (size_t i = 0; i < profile->second_mode_count; i++) {
		const struct np_sim_second_mode *mode = &profile->second_modes[i];

		fprintf(out, "bimodal share=%.5f effect=%.5f", mode->share, mode->factor);
		if (mode->last != SIZE_MAX)
			fprintf(out, " bytes=%zu last=%zu", mode->first, mode->last);
		fputc('\n', out);
	}
}

static const char *axis_of(const struct np_sim_translation *translation)
{
	static const size_t large_page = 2 << 20;

	switch (translation->unit) {
	case NP_SIM_REGISTRATIONS:
		return "registrations";
	case NP_SIM_QUEUE_PAIRS:
		return "queue_pairs";
	default:
		return translation->page >= large_page ? "large_pages" : "pages";
	}
}

/* Prints a capacity.  A slot of a ping-pong uses two pages (send, receive), but one
 * registration and one queue pair. */
static void print_translation(FILE *out, const struct np_sim_translation *translation)
{
	const bool pages = np_sim_maps_pages(translation->unit);

	fprintf(out, "capacity axis=%s count=%" PRIu64 " slots=%" PRIu64 " cache=%s ",
		axis_of(translation), translation->entries,
		pages ? translation->entries / 2 : translation->entries,
		translation->unit == NP_SIM_TLB ? "tlb" : "adapter");
	if (pages)
		fprintf(out, "page=%zu ", translation->page);
	fprintf(out, "miss_ns=%.3f replacement=%s\n", translation->miss_ns,
		np_sim_replacement_name(translation->replacement));
}

/* Prints the step where one buffer pair exceeds the entries: from `bytes` on if it begins
 * at the end of a page, from `last` on wherever it begins. */
static void print_translation_step(FILE *out, const struct np_sim_profile *profile,
				   const struct np_sim_translation *translation)
{
	const struct np_sim_without nothing = { .from = 0 };
	const size_t pages = (size_t)(translation->entries / 2);
	const size_t last = pages * translation->page + 1;
	const double time = reuse_without(profile, last, &nothing);
	const double misses = 2 * (double)(pages + 1) * translation->miss_ns;

	if (!np_sim_maps_pages(translation->unit) || pages == 0 ||
	    (translation->unit == NP_SIM_TLB && !np_sim_copies(profile, last)))
		return;
	fprintf(out, "step bytes=%zu last=%zu effect=%.5f cause=translation\n",
		last - translation->page + 1, last, (time + misses) / time);
}

/* Prints the step where a buffer pair exceeds a cache level: with LRU every line misses. */
static void print_cache_step(FILE *out, const struct np_sim_profile *profile, size_t level)
{
	const struct np_sim_without nothing = { .from = 0 };
	const uint64_t fit = profile->levels[level].bytes / profile->line / 2;
	const size_t from = (size_t)fit * profile->line + 1;
	const double time = reuse_without(profile, from, &nothing);
	const double more = np_sim_copy_time(profile, level + 1, fit + 1) -
			    np_sim_copy_time(profile, level, fit + 1);

	if (np_sim_copies(profile, from))
		fprintf(out, "step bytes=%zu effect=%.5f cause=cache\n", from,
			time / (time - 2 * more));
}

static void print_memory(FILE *out, const struct np_sim_profile *profile)
{
	for (size_t i = 0; profile->copy != NP_SIM_COPY_NEVER && i < profile->level_count;
	     i++) {
		const struct np_sim_level *level = &profile->levels[i];
		const double next_ns = np_sim_load_time(profile, i + 1);

		fprintf(out, "capacity axis=lines count=%zu bytes=%zu cache=cpu ",
			level->bytes / profile->line, level->bytes);
		fprintf(out, "line=%zu miss_ns=%.3f\n", profile->line,
			next_ns - level->load_ns);
		print_cache_step(out, profile, i);
	}
	for (size_t i = 0; i < profile->translation_count; i++) {
		print_translation(out, &profile->translations[i]);
		print_translation_step(out, profile, &profile->translations[i]);
	}
	if (profile->registers)
		fprintf(out,
			"registration_cache count=%" PRIu64
			" ns=%.3f page_ns=%.3f bytes=%zu\n",
			profile->registration_entries, profile->registration_ns,
			profile->registration_page_ns,
			profile->eager == SIZE_MAX ? profile->eager : profile->eager + 1);
}

static void print_noise(FILE *out, const struct np_sim_profile *profile)
{
	for (size_t i = 0; i < NP_SIM_SCOPES; i++) {
		if (profile->noise[i] > 0)
			fprintf(out, "noise scope=%s deviation=%.5f\n",
				np_sim_scope_name((enum np_sim_scope)i), profile->noise[i]);
	}
	if (profile->burst_every_ns > 0)
		fprintf(out, "burst every_ns=%.0f ns=%.0f\n", profile->burst_every_ns,
			profile->burst_ns);
	if (profile->drift != 0)
		fprintf(out, "drift a_minute=%.5f\n", profile->drift);
	if (profile->states.every_ns > 0)
		fprintf(out,
			"host_state every_ns=%.0f ns=%.0f effect=%.5f from_ns=%.0f%s\n",
			profile->states.every_ns, profile->states.lasts_ns,
			profile->states.factor, profile->states.from_ns,
			profile->states.unseen ? " unseen=1" : "");
	if (profile->correlated > 0)
		fprintf(out, "correlated deviation=%.5f ns=%.0f\n", profile->correlated,
			profile->correlated_ns);
	if (profile->record_count != 0)
		fprintf(out, "replay records=%zu\n", profile->record_count);
}

void write_truth(FILE *out, const struct np_sim_profile *profile)
{
	print_curve(out, profile);
	print_memory(out, profile);
	print_noise(out, profile);
}
