/*
 * svg_heat.c - colours and words of a heat map.
 */
#include "report/pictures/pictures.h"

#include <math.h>
#include <string.h>

#include "report/text/text.h"

/* Colours of Okabe and Ito, distinct for colour-blind readers: vermilion and blue; white is
 * the median. */
static const double slower[3] = { 0xd5, 0x5e, 0x00 }, faster[3] = { 0x00, 0x72, 0xb2 };

struct np_heat np_heat_of(const struct np_matrix *matrix, size_t smallest, size_t largest)
{
	struct np_heat heat = { .most = 2 };

	for (size_t i = 0; i < matrix->link_count; i++) {
		for (size_t k = 0; k < matrix->links[i].figure_count; k++) {
			const struct np_host_pair_figure *figure =
				&matrix->links[i].figures[k];

			if ((figure->bytes != smallest && figure->bytes != largest) ||
			    !(figure->times > 0))
				continue;
			heat.judged = true;
			heat.most = fmax(heat.most, fmax(figure->times, 1 / figure->times));
		}
	}
	return heat;
}

double np_matrix_most_rate(const struct np_matrix *matrix, size_t bytes)
{
	double most = 0;

	for (size_t i = 0; i < matrix->link_count; i++) {
		for (size_t k = 0; k < matrix->links[i].figure_count; k++) {
			if (matrix->links[i].figures[k].bytes == bytes)
				most = fmax(most, matrix->links[i].figures[k].mbps);
		}
	}
	return most;
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
	np_svg_upright(file, x + 70, top + height / 2, "middle",
		       "time over the median of all pairs");
}

void np_heat_host(const struct np_pair_matrix *pairs, size_t host, char *text, size_t size)
{
	const char *name = pairs->hosts.hosts[host].name;
	const char *at = strrchr(name, '@');

	name = at != NULL ? at + 1 : name;
	snprintf(text, size, "%.18s%s", name, strlen(name) > 18 ? ".." : "");
}

const char *np_heat_reason(const struct np_host_pair *link)
{
	return link->reason[0] != '\0' ? link->reason : "the run ended before";
}

/* Notes on the pairs of one kind: slow ones, or those that were not measured.  Returns
 * their number. */
static size_t note_pairs(struct np_figure *figure, bool slow)
{
	const struct np_matrix *matrix = &figure->pairs->matrix;
	const struct np_host_entry *hosts = figure->pairs->hosts.hosts;
	const char *way = matrix->one_way ? "to" : "-";
	size_t count = 0;
	char size[40];

	for (size_t i = 0; i < matrix->link_count; i++) {
		const struct np_host_pair *link = &matrix->links[i];
		const char *from = hosts[link->from].name, *to = hosts[link->to].name;

		if (!slow && !link->measured && ++count)
			np_figure_note(figure, "not measured: %.30s %s %.30s: %.80s", from,
				       way, to, np_heat_reason(link));
		for (size_t k = 0; slow && k < link->figure_count; k++) {
			if (!link->figures[k].slow)
				continue;
			np_text_length((double)link->figures[k].bytes, size, sizeof(size));
			np_figure_note(figure,
				       "* %.40s %s %.40s, %s: %.3g times the median of all "
				       "pairs",
				       from, way, to, size, link->figures[k].times);
			count++;
		}
	}
	return count;
}

void np_heat_figure(struct np_figure *figure, const struct np_pair_matrix *pairs,
		    const char *name)
{
	size_t smallest = 0, largest = 0;
	char slow[80];

	figure->pairs = pairs;
	np_matrix_sizes(&pairs->matrix, &smallest, &largest);
	snprintf(slow, sizeof(slow), "; * takes more than %g times the median of all pairs",
		 NP_SLOW_TIMES);
	snprintf(figure->title, sizeof(figure->title), "%s, %.60s", name, pairs->op);
	snprintf(figure->subtitle, sizeof(figure->subtitle), "%zu of %zu pairs measured%s",
		 np_pair_matrix_measured(pairs), pairs->matrix.link_count,
		 !np_heat_of(&pairs->matrix, smallest, largest).judged ?
			 "; too few for one to stand out" :
		 note_pairs(figure, true) != 0 ? slow :
						 "; none stands out");
	note_pairs(figure, false);
}
