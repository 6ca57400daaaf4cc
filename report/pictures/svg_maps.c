/*
 * svg_maps.c - makes and draws heat maps.
 *
 * Map of a run of all pairs: a cell for each pair of hosts, coloured by the ratio of its
 * time to the median; times of the smallest message and rates of the largest.
 * Map of a record: reuse distance over message size, coloured by the share of the
 * communication time, with the capacity found by --capacity.
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

/* Number of pairs, measured or not. */
static size_t count_pairs(const struct np_pair_matrix *all)
{
	return all->hosts.count * (all->hosts.count - 1) / 2;
}

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
		for (size_t i = 0; i < count_pairs(pairs); i++) {
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

	for (size_t i = 0; i < count_pairs(pairs); i++)
		least = fmin(least, exp((double)pairs->run.fleets[k].logs[i]));
	return pairs->run.directions * 8e-6 * (double)pairs->run.bytes[k] / least;
}

/* Colour, 0xRRGGBB, of the scale of maps: white at 0, blue at -1, vermilion at 1. */
static unsigned heat_share(double place)
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
	return times > 0 ? heat_share(log(times) / log(heat->most)) : 0xffffffu;
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
		 pairs->run.pairs, count_pairs(pairs), np_plural(count_pairs(pairs)),
		 heat_of(pairs).judged ? "; * is slow" : "; too few hosts for a slow one");
	note_findings(figure, pairs);
}

/* ---- The map of pairs --------------------------------------------------------------- */

enum {
	PAIRS_LEFT = 150,
	PAIRS_RIGHT = 96,
	CELL_HIGH = 62,
	CELL_LOW = 11,
	PAIRS_TALL = 430,
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
	const double x = PAIRS_LEFT + map->width * (double)to;
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
		const double x = PAIRS_LEFT + map->width * ((double)i + 0.5);

		name_host(map->pairs, i, name, sizeof(name));
		longest = fmax(longest, np_svg_width(name));
		np_svg_text(file, PAIRS_LEFT - 8,
			    map->top + map->height * ((double)i + 0.5) + 4, "end", name);
		if (count > 8)
			np_svg_upright(file, x + 4, bottom + 8, "end", name);
		else
			np_svg_text(file, x, bottom + 17, "middle", name);
	}
	const double end = bottom + (count > 8 ? longest + 12 : 22);

	np_svg_text(file, (PAIRS_LEFT + NP_SVG_WIDTH - PAIRS_RIGHT) / 2.0, end + 14,
		    "middle", "to");
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
	np_svg_text(file, PAIRS_LEFT, top + 12, "start",
		    map->pairs->run.size_count != 0 ? title : "no pair has been measured");
	map->top = top + 20;
	for (size_t from = 0; from < hosts; from++) {
		for (size_t to = 0; to < hosts; to++) {
			if (from != to)
				draw_cell(file, map, from, to);
		}
	}
	if (map->heat.judged)
		draw_key(file, &map->heat, NP_SVG_WIDTH - PAIRS_RIGHT + 16, map->top,
			 map->height * (double)hosts);
	return draw_names(file, map) + 14;
}

double np_svg_pairs(FILE *file, const struct np_figure *figure, double top)
{
	const double hosts = (double)figure->pairs->hosts.count;
	struct map map = {
		.pairs = figure->pairs,
		.heat = heat_of(figure->pairs),
		.width = (NP_SVG_WIDTH - PAIRS_LEFT - PAIRS_RIGHT) / hosts,
		.height = fmax(CELL_LOW, fmin(CELL_HIGH, PAIRS_TALL / hosts)),
	};

	top = draw_map(file, &map, top);
	if (figure->pairs->run.size_count < 2)
		return top;
	map.size = 1;
	map.rate = true;
	map.giga = most_rate(figure->pairs) >= 2000;
	return draw_map(file, &map, top);
}

/* ---- The map of a record ------------------------------------------------------------ */

enum {
	REUSE_LEFT = 96,
	BELOW = 46,
	COLUMN = 64,
	ROW_HIGH = 22,
	ROW_LOW = 9,
	REUSE_TALL = 420
};

/* Classes of half an octave: class 0 has 0 B, class 1 has 1 B. */
enum { CLASSES = 128 };

static double class_of(double bytes)
{
	return bytes < 1 ? 0 : fmin(1 + 2 * log2(bytes), CLASSES - 2);
}

static double bytes_of(size_t class)
{
	return class == 0 ? 0 : exp2(((double)class - 1) / 2);
}

/* Shares of the time by row and column.  The row CLASSES - 1, at the top, is "never used
 * before"; row 0, at the bottom, is of distance 0. */
struct grid {
	double share[CLASSES][CLASSES]; /* [row][column] */
	size_t first_column, last_column, first_row, last_row;
	bool never, zero;
	double top, width, height;
};

static struct grid *grid_of(const struct np_uses *uses)
{
	struct grid *grid = calloc(1, sizeof(*grid));

	if (grid == NULL)
		return NULL;
	grid->first_column = grid->first_row = CLASSES;
	for (size_t i = 0; i < uses->cell_count; i++) {
		const struct np_reuse_cell *cell = &uses->cells[i];
		const size_t column = (size_t)lround(class_of(cell->size[0]));
		const size_t row = cell->never ?
					   CLASSES - 1 :
					   (size_t)lround(class_of(cell->distance[0]));

		grid->share[row][column] += uses->ns > 0 ? cell->ns / uses->ns : 0;
		if (column < grid->first_column)
			grid->first_column = column;
		if (column > grid->last_column)
			grid->last_column = column;
		grid->never |= cell->never;
		grid->zero |= row == 0;
		if (cell->never || row == 0)
			continue;
		if (row < grid->first_row)
			grid->first_row = row;
		if (row > grid->last_row)
			grid->last_row = row;
	}
	return grid;
}

/* Includes the row of the capacity, and returns the number of rows. */
static size_t count_rows(struct grid *grid, double capacity)
{
	const size_t row = (size_t)class_of(capacity);

	if (capacity > 0 && row < grid->first_row)
		grid->first_row = row;
	if (capacity > 0 && row + 1 > grid->last_row)
		grid->last_row = row + 1;
	/* No distance between 0 and never. */
	if (grid->first_row == CLASSES)
		grid->first_row = grid->last_row + 1;
	return grid->last_row + 1 - grid->first_row + (grid->never ? 1 : 0) +
	       (grid->zero ? 1 : 0);
}

/* Upper end of a row; the largest distance is at the top, below "never". */
static double row_top(const struct grid *grid, double row)
{
	const double place = row == CLASSES - 1 ? -1 :
			     row == 0 ? (double)(grid->last_row + 1 - grid->first_row) :
					(double)grid->last_row - row;

	return grid->top + grid->height * (place + (grid->never ? 1 : 0));
}

static void draw_use(FILE *file, const struct grid *grid, size_t row, size_t column)
{
	const double share = grid->share[row][column];
	const double x = REUSE_LEFT + grid->width * (double)(column - grid->first_column);
	const double y = row_top(grid, (double)row);
	/* White: a thousandth of the time. */
	const unsigned colour = heat_share(1 + log10(fmax(share, 1e-3)) / 3);
	char size[40], distance[40] = "never used before", percent[40];

	if (!(share > 0))
		return;
	np_text_length(round(bytes_of(column)), size, sizeof(size));
	if (row != CLASSES - 1)
		np_text_length(round(bytes_of(row)), distance, sizeof(distance));
	snprintf(percent, sizeof(percent), "%.2g %%", 100 * share);
	char *text = np_text_of("%s\ndistance %s\n%s of the communication time", size,
				distance, percent);

	np_svg_reach(file, text != NULL ? text : "");
	free(text);
	fprintf(file,
		"<rect class=\"cell\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
		"height=\"%.1f\" fill=\"#%06x\" stroke=\"#dddddd\"/>",
		x, y, grid->width, grid->height, colour);
	if (grid->width >= 40 && grid->height >= 12)
		fprintf(file,
			"<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" "
			"font-size=\"10\" fill=\"#000000\">%s</text>",
			x + grid->width / 2, y + grid->height / 2 + 4, percent);
	fputs("</g>\n", file);
}

static void draw_axes(FILE *file, const struct grid *grid, double bottom)
{
	char text[40];

	for (size_t i = grid->first_column; i <= grid->last_column; i++) {
		if ((i % 2 == 0 || grid->width < 20) && i != grid->first_column)
			continue;
		np_text_length(round(bytes_of(i)), text, sizeof(text));
		np_svg_text(file,
			    REUSE_LEFT +
				    grid->width * ((double)(i - grid->first_column) + 0.5),
			    bottom + 15, "middle", text);
	}
	for (size_t i = grid->first_row; i <= grid->last_row; i++) {
		if (i % 4 != 1 && (i != grid->last_row || i % 4 == 2))
			continue;
		np_text_length(round(bytes_of(i)), text, sizeof(text));
		np_svg_text(file, REUSE_LEFT - 6,
			    row_top(grid, (double)i) + grid->height / 2 + 4, "end", text);
	}
	if (grid->never)
		np_svg_text(file, REUSE_LEFT - 6, grid->top + grid->height / 2 + 4, "end",
			    "never");
	if (grid->zero)
		np_svg_text(file, REUSE_LEFT - 6, row_top(grid, 0) + grid->height / 2 + 4,
			    "end", "0");
	np_svg_text(file, REUSE_LEFT, bottom + 33, "start",
		    "size of a message; up: bytes of other buffers since the buffer was "
		    "last used");
}

double np_svg_reuse(FILE *file, const struct np_figure *figure, double top)
{
	struct grid *grid = grid_of(figure->uses);
	char text[80], bytes[40];

	if (grid == NULL)
		return top;
	const size_t rows = count_rows(grid, figure->capacity);
	const double columns = (double)(grid->last_column - grid->first_column + 1);

	grid->top = top + 14;
	grid->width = fmin(COLUMN, (figure->width - REUSE_LEFT - NP_SVG_RIGHT) / columns);
	grid->height = fmax(ROW_LOW, fmin(ROW_HIGH, REUSE_TALL / (double)rows));
	fprintf(file,
		"<rect x=\"%d\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
		"fill=\"none\" stroke=\"#909090\"/>\n",
		REUSE_LEFT, grid->top, grid->width * columns, grid->height * (double)rows);
	for (size_t row = 0; row < CLASSES; row++) {
		for (size_t column = grid->first_column; column <= grid->last_column;
		     column++)
			draw_use(file, grid, row, column);
	}
	const double bottom = grid->top + grid->height * (double)rows;

	draw_axes(file, grid, bottom);
	if (figure->capacity > 0) {
		const double y = row_top(grid, class_of(figure->capacity)) + grid->height;

		np_text_length(figure->capacity, bytes, sizeof(bytes));
		snprintf(text, sizeof(text), "capacity %s", bytes);
		fprintf(file,
			"<path class=\"capacity\" d=\"M%d %.1fh%.1f\" stroke=\"#000000\" "
			"stroke-width=\"2\" stroke-dasharray=\"6 4\"/>\n",
			REUSE_LEFT, y, figure->width - REUSE_LEFT - NP_SVG_RIGHT);
		np_svg_text(file, figure->width - NP_SVG_RIGHT, y - 4, "end", text);
	}
	free(grid);
	return bottom + BELOW;
}

void np_reuse_figure(struct np_figure *figure, const struct np_uses *uses, double capacity)
{
	figure->uses = uses;
	figure->capacity = capacity;
	snprintf(figure->title, sizeof(figure->title), "Buffers of %.120s", uses->command);
	snprintf(figure->subtitle, sizeof(figure->subtitle),
		 "share of the communication time by size and reuse distance%s",
		 capacity > 0 ? "; buffers above the line are cold here" : "");
}
