/*
 * svg_pairs.c - makes and draws the heat map of a run of all pairs: a cell for each pair of
 * hosts, coloured by the ratio of its time to the median; times of the smallest message and
 * rates of the largest.
 */
#include "report/pictures/pictures.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "report/text/text.h"

/* Colours of Okabe and Ito, distinct for colour-blind readers: vermilion and blue; white is
 * the median. */
static const double slower[3] = { 0xd5, 0x5e, 0x00 }, faster[3] = { 0x00, 0x72, 0xb2 };

/* Scale of colours, from 1 / most to most: covers all drawn ratios to the median. */
struct heat {
	double most; /* largest ratio, or inverse of a ratio */
	bool judged; /* enough hosts for a median */
};

double np_heat_times(const struct np_pair_matrix *pairs, size_t size, double seconds)
{
	return pairs->hosts.count < NP_FLEET_LEAST ?
		       (double)NAN :
		       seconds / exp(pairs->run.fleets[size].level);
}

static struct heat heat_of(const struct np_pair_matrix *pairs)
{
	struct heat heat = { .most = 2 };

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

/* Highest bandwidth at the largest size, Mbit/s. */
static double most_rate(const struct np_pair_matrix *pairs)
{
	const size_t k = pairs->run.size_count - 1;
	double least = (double)INFINITY;

	for (size_t i = 0; i < np_pair_matrix_count(pairs); i++)
		least = fmin(least, exp((double)pairs->run.fleets[k].logs[i]));
	return pairs->run.directions * 8e-6 * (double)pairs->run.bytes[k] / least;
}

unsigned np_heat_share(double place)
{
	const double *end = place > 0 ? slower : faster;
	const double strength = fmin(1, fabs(place));
	unsigned colour = 0;

	for (size_t i = 0; i < 3; i++)
		colour = colour << 8 | (unsigned)lround(255 + strength * (end[i] - 255));
	return colour;
}

/* Colour, 0xRRGGBB, of a ratio to the median; NAN: white. */
static unsigned heat_colour(const struct heat *heat, double times)
{
	return times > 0 ? np_heat_share(log(times) / log(heat->most)) : 0xffffffu;
}

/* True if white text is easier to read on a colour than black. */
static bool is_dark(unsigned colour)
{
	return 0.30 * (colour >> 16) + 0.59 * (colour >> 8 & 0xff) +
		       0.11 * (colour & 0xff) <
	       105;
}

static void draw_key(FILE *file, const struct heat *heat, double x, double top,
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
		heat_colour(heat, heat->most), heat_colour(heat, 1 / heat->most), x, top,
		height);
	for (size_t i = 0; i < count; i++)
		np_svg_text(file, x + 19,
			    top + 4 + height * (1 - np_axis_share(&axis, ticks[i].at)),
			    "start", ticks[i].text);
	np_svg_upright(file, x + 70, top + height / 2, "middle", "time over the usual one");
}

/* Writes the name of a host, shortened for an axis. */
static void name_host(const struct np_pair_matrix *pairs, size_t host, char *text,
		      size_t size)
{
	const char *name = pairs->hosts.hosts[host].name;
	const char *at = strrchr(name, '@');

	name = at != NULL ? at + 1 : name;
	snprintf(text, size, "%.18s%s", name, strlen(name) > 18 ? ".." : "");
}

/* Returns why a pair was not measured. */
static const char *reason_of(const struct np_pair_matrix *pairs, size_t one, size_t other)
{
	const char *reason = "the run ended before";

	for (size_t i = 0; i < pairs->run.failure_count; i++) {
		const struct np_pair_sample *failure = &pairs->run.failures[i];
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
	np_text_fleet_findings(stream, &pairs->run);
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
		 heat_of(pairs).judged ? "; * is slow" : "; too few hosts for a slow one");
	note_findings(figure, pairs);
}

/* ---- The map ------------------------------------------------------------------------ */

enum {
	LEFT = 150,
	RIGHT = 96,
	CELL_HIGH = 62,
	CELL_LOW = 11,
	TALL = 430,
	NUMBERS_MOST = 16
};

/* One panel: times of the smallest size, or bandwidths of the largest. */
struct map {
	const struct np_pair_matrix *pairs;
	struct heat heat;
	size_t size;		   /* 0: the smallest, 1: the largest */
	bool rate, giga;	   /* rate: bandwidths; giga: in Gbit/s, else Mbit/s */
	double top, width, height; /* width and height of a cell */
};

/* Bandwidth of a message, Mbit/s. */
static double rate_of(const struct map *map, double seconds)
{
	return map->pairs->run.directions * 8e-6 *
	       (double)map->pairs->run.bytes[map->size] / seconds;
}

static char *describe(const struct map *map, size_t from, size_t to, double seconds)
{
	const struct np_host_entry *hosts = map->pairs->hosts.hosts;
	const double times = np_heat_times(map->pairs, map->size, seconds);
	char bytes[40], time[40], usual[64] = "";

	if (isnan(seconds))
		return np_text_of("%s - %s\nnot measured: %s", hosts[from].name,
				  hosts[to].name, reason_of(map->pairs, from, to));
	np_text_length((double)map->pairs->run.bytes[map->size], bytes, sizeof(bytes));
	np_text_seconds(seconds, time, sizeof(time));
	if (!isnan(times))
		snprintf(usual, sizeof(usual), "\n%.3g times the usual time", times);
	return np_text_of("%s - %s\n%s\n%s\n%.4g Mbit/s%s", hosts[from].name,
			  hosts[to].name, bytes, time, rate_of(map, seconds), usual);
}

/* Draws the number in a cell, with four digits. */
static void draw_number(FILE *file, const struct map *map, double seconds, bool slow,
			unsigned colour, double x, double y)
{
	const double rate = rate_of(map, seconds);
	const double value = !map->rate ? seconds * 1e6 : map->giga ? rate / 1000 : rate;
	const int behind = value < 10 ? 3 : value < 100 ? 2 : value < 1000 ? 1 : 0;

	fprintf(file,
		"<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" fill=\"%s\">%.*f%s"
		"</text>",
		x, y, is_dark(colour) ? "#ffffff" : "#000000", behind, value,
		slow ? "*" : "");
}

static void draw_cell(FILE *file, const struct map *map, size_t from, size_t to)
{
	const double seconds = np_fleet_run_seconds(&map->pairs->run, map->size, from, to);
	const double x = LEFT + map->width * (double)to;
	const double y = map->top + map->height * (double)from;
	const bool known = !isnan(seconds);
	const bool slow =
		known && np_fleet_run_is_slow(&map->pairs->run, map->size, from, to);
	const unsigned colour =
		known ? heat_colour(&map->heat,
				    np_heat_times(map->pairs, map->size, seconds)) :
			0xd9d9d9u;
	char *text = describe(map, from, to, seconds);

	np_svg_reach(file, text != NULL ? text : "");
	free(text);
	fprintf(file,
		"<rect class=\"cell%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
		"height=\"%.1f\" fill=\"#%06x\" stroke=\"%s\" stroke-width=\"%d\"/>",
		slow   ? " slow" :
		!known ? " unmeasured" :
			 "",
		x + slow, y + slow, map->width - 2 * slow, map->height - 2 * slow, colour,
		slow ? "#000000" : "#dddddd", slow ? 2 : 1);
	/* Cross out the cell of a pair that was not measured. */
	if (!known)
		fprintf(file,
			"<path d=\"M%.1f %.1fl%.1f %.1fm0 %.1fl%.1f %.1f\" "
			"stroke=\"#909090\"/>",
			x, y, map->width, map->height, -map->height, -map->width,
			map->height);
	else if (map->pairs->hosts.count <= NUMBERS_MOST)
		draw_number(file, map, seconds, slow, colour, x + map->width / 2,
			    y + map->height / 2 + 4);
	fputs("</g>\n", file);
}

/* Draws the names of hosts, those below rotated by 90 degrees from 9 hosts on.  Returns the
 * y coordinate below them. */
static double draw_names(FILE *file, const struct map *map)
{
	const size_t count = map->pairs->hosts.count;
	const double bottom = map->top + map->height * (double)count;
	double longest = 0;
	char name[40];

	for (size_t i = 0; i < count; i++) {
		const double x = LEFT + map->width * ((double)i + 0.5);

		name_host(map->pairs, i, name, sizeof(name));
		longest = fmax(longest, np_svg_width(name));
		np_svg_text(file, LEFT - 8, map->top + map->height * ((double)i + 0.5) + 4,
			    "end", name);
		if (count > 8)
			np_svg_upright(file, x + 4, bottom + 8, "end", name);
		else
			np_svg_text(file, x, bottom + 17, "middle", name);
	}
	const double end = bottom + (count > 8 ? longest + 12 : 22);

	np_svg_text(file, (LEFT + NP_SVG_WIDTH - RIGHT) / 2.0, end + 14, "middle", "to");
	np_svg_upright(file, 24, map->top + map->height * (double)count / 2, "middle",
		       "from");
	return end + 18;
}

static double draw_map(FILE *file, struct map *map, double top)
{
	const size_t hosts = map->pairs->hosts.count;
	char size[40], title[160];

	np_text_length((double)map->pairs->run.bytes[map->size], size, sizeof(size));
	snprintf(title, sizeof(title), "%s%s, %s",
		 map->rate ? "bandwidth at " : "time of a message of ", size,
		 !map->rate ? "us" :
		 map->giga  ? "Gbit/s" :
			      "Mbit/s");
	np_svg_text(file, LEFT, top + 12, "start",
		    map->pairs->run.size_count != 0 ? title : "no pair has been measured");
	map->top = top + 20;
	for (size_t from = 0; from < hosts; from++) {
		for (size_t to = 0; to < hosts; to++) {
			if (from != to)
				draw_cell(file, map, from, to);
		}
	}
	if (map->heat.judged)
		draw_key(file, &map->heat, NP_SVG_WIDTH - RIGHT + 16, map->top,
			 map->height * (double)hosts);
	return draw_names(file, map) + 14;
}

double np_svg_pairs(FILE *file, const struct np_figure *figure, double top)
{
	const double hosts = (double)figure->pairs->hosts.count;
	struct map map = {
		.pairs = figure->pairs,
		.heat = heat_of(figure->pairs),
		.width = (NP_SVG_WIDTH - LEFT - RIGHT) / hosts,
		.height = fmax(CELL_LOW, fmin(CELL_HIGH, TALL / hosts)),
	};

	top = draw_map(file, &map, top);
	if (figure->pairs->run.size_count < 2)
		return top;
	map.size = 1;
	map.rate = true;
	map.giga = most_rate(figure->pairs) >= 2000;
	return draw_map(file, &map, top);
}
