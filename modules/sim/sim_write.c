/*
 * sim_write.c - --print-profile: a profile as the text that sim_read.c reads.
 * %.12g is more precise than any measurement, and is read back as the same number.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim_private.h"

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

void np_sim_write(FILE *out, const struct np_sim_profile *profile)
{
	fprintf(out, "# profile %s\n", profile->name);
	write_curve(out, profile);
	write_memory(out, profile);
	write_noise(out, profile);
}

char *np_sim_text(const struct np_sim_profile *profile,
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
