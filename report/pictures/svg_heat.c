/*
 * svg_heat.c - colours and words of a heat map.
 */
#include "report/pictures/pictures.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plural.h"
#include "report/text/text.h"

/* Colours of Okabe and Ito, distinct for colour-blind readers: vermilion and blue; white is
 * the median. */
static const double slower[3] = { 0xd5, 0x5e, 0x00 }, faster[3] = { 0x00, 0x72, 0xb2 };

double np_heat_times(const struct np_pair_matrix *pairs, size_t size, double seconds)
{
	return pairs->hosts.count < NP_FLEET_LEAST ?
		       (double)NAN :
		       seconds / exp(pairs->run.fleets[size].level);
}

struct np_heat np_heat_of(const struct np_pair_matrix *pairs)
{
	struct np_heat heat = { .most = 2 };

	for (size_t k = 0; k < pairs->run.size_count; k++) {
		for (size_t i = 0; i < np_pair_matrix_count(pairs); i++) {
			const double times = np_heat_times(
				pairs, k, exp((double)pairs->run.fleets[k].logs[i]));

			if (!(times > 0))
				continue;
			heat.judged = true;
			heat.most = fmax(heat.most, fmax(times, 1 / times));
		}
	}
	return heat;
}

double np_heat_most_rate(const struct np_pair_matrix *pairs)
{
	const size_t k = pairs->run.size_count - 1;
	double least = (double)INFINITY;

	for (size_t i = 0; i < np_pair_matrix_count(pairs); i++)
		least = fmin(least, exp((double)pairs->run.fleets[k].logs[i]));
	return pairs->run.directions * 8e-6 * (double)pairs->run.bytes[k] / least;
}

unsigned np_heat_colour(const struct np_heat *heat, double times)
{
	unsigned colour = 0;

	if (!(times > 0))
		return 0xffffffu;
	const double place = fmax(-1, fmin(1, log(times) / log(heat->most)));
	const double *end = place > 0 ? slower : faster;

	for (size_t i = 0; i < 3; i++)
		colour = colour << 8 | (unsigned)lround(255 + fabs(place) * (end[i] - 255));
	return colour;
}

bool np_heat_is_dark(unsigned colour)
{
	return 0.30 * (colour >> 16) + 0.59 * (colour >> 8 & 0xff) +
		       0.11 * (colour & 0xff) <
	       105;
}

void np_heat_key(FILE *file, const struct np_heat *heat, double x, double top,
		 double height)
{
	const struct np_chart_axis axis = { .scale = NP_SCALE_LOG,
					    .low = 1 / heat->most,
					    .high = heat->most };
	struct np_tick ticks[NP_TICKS_MOST];
	const size_t count = np_axis_ticks(&axis, ticks);

	fprintf(file,
		"<linearGradient id=\"key\" x2=\"0\" y2=\"1\">"
		"<stop stop-color=\"#%06x\"/><stop offset=\"0.5\" stop-color=\"#ffffff\"/>"
		"<stop offset=\"1\" stop-color=\"#%06x\"/></linearGradient>\n"
		"<rect x=\"%.1f\" y=\"%.1f\" width=\"14\" height=\"%.1f\" "
		"fill=\"url(#key)\"/>\n",
		np_heat_colour(heat, heat->most), np_heat_colour(heat, 1 / heat->most), x,
		top, height);
	for (size_t i = 0; i < count; i++)
		np_svg_text(file, x + 19,
			    top + 4 + height * (1 - np_axis_share(&axis, ticks[i].at)),
			    "start", ticks[i].text);
	np_svg_upright(file, x + 70, top + height / 2, "middle", "time over the usual one");
}

void np_heat_host(const struct np_pair_matrix *pairs, size_t host, char *text, size_t size)
{
	const char *name = pairs->hosts.hosts[host].name;
	const char *at = strrchr(name, '@');

	name = at != NULL ? at + 1 : name;
	snprintf(text, size, "%.18s%s", name, strlen(name) > 18 ? ".." : "");
}

const char *np_heat_reason(const struct np_pair_matrix *pairs, size_t one, size_t other)
{
	const char *reason = "the run ended before";

	for (size_t i = 0; i < pairs->run.failure_count; i++) {
		const struct np_fleet_failure *failure = &pairs->run.failures[i];
		const bool of_host = failure->one == failure->other;

		if (of_host ? failure->one == one || failure->one == other :
			      (failure->one == one && failure->other == other) ||
				      (failure->one == other && failure->other == one))
			reason = failure->reason;
	}
	return reason;
}

/* Notes slow and unmeasured pairs, as the text below its table. */
static void note_findings(struct np_figure *figure, const struct np_pair_matrix *pairs)
{
	char *text = NULL, *rest = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);

	if (stream == NULL)
		return;
	np_text_pairs(stream, &pairs->run);
	fclose(stream);
	for (char *line = strtok_r(text, "\n", &rest); line != NULL;
	     line = strtok_r(NULL, "\n", &rest))
		np_figure_note(figure, "%s", line);
	free(text);
}

void np_heat_figure(struct np_figure *figure, const struct np_pair_matrix *pairs,
		    const char *name)
{
	figure->pairs = pairs;
	snprintf(figure->title, sizeof(figure->title), "%s, %.60s", name, pairs->op);
	snprintf(figure->subtitle, sizeof(figure->subtitle), "%zu of %zu pair%s measured%s",
		 pairs->run.pairs, np_pair_matrix_count(pairs),
		 np_plural(np_pair_matrix_count(pairs)),
		 np_heat_of(pairs).judged ? "; * is slow" :
					    "; too few hosts for a slow one");
	note_findings(figure, pairs);
}
