/*
 * output_text_refine.c - breaks of --refine on the terminal.
 */
#include <stdlib.h>

#include "base/plural.h"
#include "output/output.h"
#include "output/say.h"
#include "results/limit.h"

enum { LIMITS_MAX = 4 };

/* Formats "; reported there: eager limit ..."; empty without a limit. */
static void limits_text(const struct np_run_header *header, size_t low, size_t high,
			char *text, size_t size)
{
	struct np_limit limits[LIMITS_MAX] = { { .fact = NULL } };
	const size_t count =
		np_limits_find(header->paths, header->hosts, low, high, limits, LIMITS_MAX);
	char limit[160];
	size_t used = 0;

	*text = '\0';
	for (size_t i = 0; i < count && used < size; i++) {
		np_limit_text(&limits[i], limit, sizeof(limit));
		used += (size_t)snprintf(text + used, size - used, "%s%s",
					 i == 0 ? "; reported there: " : ", ", limit);
	}
}

/* Formats "p=0.0004", without an exponent. */
static void p_text(double p, char *text, size_t size)
{
	const double least = 1e-4;

	if (p < least)
		snprintf(text, size, "p<%g", least);
	else
		snprintf(text, size, "p=%.1g", p);
}

static void say_found(FILE *file, const struct np_run_header *header,
		      const struct np_confirmed *found)
{
	const bool step = found->kind == NP_CONFIRMED_STEP,
		   modes = header->plan->mode_count > 1;
	char low[32], high[32], effect[128], p[32], limits[LIMITS_MAX * 160];

	np_text_size_unit(found->low, low, sizeof(low));
	np_text_size_unit(found->high, high, sizeof(high));
	np_text_slower(found->effect, found->low_effect, found->high_effect, effect,
		       sizeof(effect));
	p_text(found->adjusted, p, sizeof(p));
	limits_text(header, found->low, found->high, limits, sizeof(limits));
	np_say(file, np_confirmed_word(found->kind),
	       "%s%s%s: %s%s%s%s, %ssignificant (%s)%s", low,
	       found->low != found->high ? " to " : "",
	       found->low != found->high ? high : "", effect,
	       step ? "" : " than its neighbours", modes ? ", " : "",
	       modes ? np_mode_name(found->mode) : "", found->sure ? "" : "not ", p,
	       limits);
}

static void say_bimodal(FILE *file, const struct np_refine_bend *entry)
{
	char size[32];

	np_text_size_unit(entry->bend.low, size, sizeof(size));
	np_say(file, "bimodal", "%s: two modes %.3fx apart, %s; not searched further", size,
	       entry->bend.effect, np_mode_name(entry->mode));
}

static void say_search(FILE *file, const struct np_refining *refining)
{
	const size_t searched = refining->gaps - refining->gaps_left;
	size_t bends = 0;

	for (size_t i = 0; i < refining->bend_count; i++)
		bends += refining->bends[i].bend.kind == NP_NOTE_BEND;
	np_say(file, "searched",
	       "%zu gap%s in %.1f s, with %zu measurement%s: %zu gradual bend%s; flat and "
	       "skipped: %zu",
	       searched, np_plural(searched), refining->seconds, refining->visits,
	       np_plural(refining->visits), bends, np_plural(bends), refining->gaps_clear);
	if (refining->gaps_left != 0)
		np_say(file, "",
		       "not searched for lack of time: %zu; give a longer --time-budget",
		       refining->gaps_left);
}

void np_text_refined(FILE *file, const struct np_results *results,
		     const struct np_run_header *header)
{
	const struct np_refining *refining = header->refining;
	struct np_confirmed *found = NULL;
	size_t count = 0;

	if (refining == NULL || !refining->ran ||
	    np_refine_derive(results, &found, &count) != 0)
		return;
	fputc('\n', file);
	for (size_t i = 0; i < count; i++)
		say_found(file, header, &found[i]);
	for (size_t i = 0; i < refining->bend_count; i++) {
		if (refining->bends[i].bend.kind == NP_NOTE_BIMODAL)
			say_bimodal(file, &refining->bends[i]);
	}
	if (count == 0)
		np_say(file, "steps", "none found, and no dropouts");
	say_search(file, refining);
	free(found);
}
