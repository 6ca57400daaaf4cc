/*
 * svg_pairs.c - draws the heat map of a run of all pairs: a cell for each pair of hosts,
 * coloured by the ratio of its time to the median; times of the smallest message and rates
 * of the largest.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/pictures/pictures.h"
#include "report/text/text.h"

enum {
	LEFT = 150,
	RIGHT = 96,
	CELL_HIGH = 62,
	CELL_LOW = 11,
	TALL = 430,
	NUMBERS_MOST = 16
};

/* One panel: of times, or of rates. */
struct map {
	const struct np_pair_matrix *pairs;
	struct np_heat heat;
	size_t size; /* 0: the smallest, 1: the largest */
	bool rate, giga;
	double top, width, height; /* of a cell */
};

/* Rate of a message, Mbit/s. */
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
				  hosts[to].name, np_heat_reason(map->pairs, from, to));
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
		x, y, np_heat_is_dark(colour) ? "#ffffff" : "#000000", behind, value,
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
		known ? np_heat_colour(&map->heat,
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
	/* Cross out a cell without a figure. */
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

/* Draws the names of hosts, upright below if there are many.  Returns where they end. */
static double draw_names(FILE *file, const struct map *map)
{
	const size_t count = map->pairs->hosts.count;
	const double bottom = map->top + map->height * (double)count;
	double longest = 0;
	char name[40];

	for (size_t i = 0; i < count; i++) {
		const double x = LEFT + map->width * ((double)i + 0.5);

		np_heat_host(map->pairs, i, name, sizeof(name));
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
		np_heat_key(file, &map->heat, NP_SVG_WIDTH - RIGHT + 16, map->top,
			    map->height * (double)hosts);
	return draw_names(file, map) + 14;
}

double np_svg_pairs(FILE *file, const struct np_figure *figure, double top)
{
	const double hosts = (double)figure->pairs->hosts.count;
	struct map map = {
		.pairs = figure->pairs,
		.heat = np_heat_of(figure->pairs),
		.width = (NP_SVG_WIDTH - LEFT - RIGHT) / hosts,
		.height = fmax(CELL_LOW, fmin(CELL_HIGH, TALL / hosts)),
	};

	top = draw_map(file, &map, top);
	if (figure->pairs->run.size_count < 2)
		return top;
	map.size = 1;
	map.rate = true;
	map.giga = np_heat_most_rate(figure->pairs) >= 2000;
	return draw_map(file, &map, top);
}
