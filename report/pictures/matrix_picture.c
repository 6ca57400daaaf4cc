/*
 * matrix_picture.c - makes the model of a heat map.
 */
#include "report/pictures/matrix_picture.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/text/text.h"

/* Limit of each kind of note. */
enum { NOTES_EACH = NP_HEAT_NOTES / 2 - 1 };

/* Colours of Okabe and Ito, distinct for colour-blind readers: vermilion and blue; white is
 * the median. */
static const double slower[3] = { 0xd5, 0x5e, 0x00 }, faster[3] = { 0x00, 0x72, 0xb2 };

static const unsigned plain = 0xffffff;

unsigned np_heat_colour(const struct np_heat_picture *picture, double times)
{
	unsigned colour = 0;

	if (!(times > 0))
		return plain;
	const double place = fmax(-1, fmin(1, log(times) / log(picture->most)));
	const double *end = place > 0 ? slower : faster;

	for (size_t i = 0; i < 3; i++)
		colour = colour << 8 | (unsigned)lround(255 + fabs(place) * (end[i] - 255));
	return colour;
}

/* Whether white text has more contrast than black. */
static bool is_dark(unsigned colour)
{
	return 0.30 * (colour >> 16) + 0.59 * (colour >> 8 & 0xff) +
		       0.11 * (colour & 0xff) <
	       105;
}

size_t np_heat_ticks(const struct np_heat_picture *picture, double ticks[NP_HEAT_TICKS])
{
	static const double steps[] = { 2, 4, 10, 100, 1000 };
	const size_t most = NP_HEAT_TICKS / 2; /* on either side of 1 */
	size_t at = 0, count;

	while (at + 1 < sizeof(steps) / sizeof(steps[0]) &&
	       pow(steps[at], (double)(most + 1)) <= picture->most)
		at++;
	for (count = 0; count < most; count++) {
		if (pow(steps[at], (double)count + 1) > picture->most * 1.001)
			break;
	}
	for (size_t i = 0; i < 2 * count + 1; i++)
		ticks[i] = pow(steps[at], (double)i - (double)count);
	return 2 * count + 1;
}

void np_heat_host(const struct np_heat_picture *picture, size_t host, char *text,
		  size_t size)
{
	const char *name = picture->pairs->hosts.hosts[host].name;
	const char *at = strrchr(name, '@');

	snprintf(text, size, "%.18s%s", at != NULL ? at + 1 : name,
		 strlen(at != NULL ? at + 1 : name) > 18 ? ".." : "");
}

static const char *name_of(const struct np_heat_picture *picture, size_t host)
{
	return picture->pairs->hosts.hosts[host].name;
}

static void name_figure(const struct np_heat_cell *cell, bool rate, double unit, char *text,
			size_t size)
{
	const double value =
		rate ? cell->figure->mbps / unit : cell->figure->median_s * 1e6;

	/* Four significant digits. */
	const int behind = value < 10 ? 3 : value < 100 ? 2 : value < 1000 ? 1 : 0;

	snprintf(text, size, "%.*f%s", behind, value, cell->figure->slow ? "*" : "");
}

/* The colour scale covers the ratios of all panels. */
static void take_range(struct np_heat_picture *picture, const struct np_heat_panel *panel)
{
	for (size_t i = 0; i < panel->count; i++) {
		const struct np_host_pair_figure *figure = panel->cells[i].figure;

		if (figure == NULL || !(figure->times > 0))
			continue;
		picture->judged = true;
		picture->most = fmax(picture->most, fmax(figure->times, 1 / figure->times));
	}
}

static int take_cells(struct np_heat_picture *picture, struct np_heat_panel *panel,
		      size_t bytes)
{
	const struct np_matrix *matrix = &picture->pairs->matrix;
	const size_t hosts = matrix->hosts->count;

	panel->cells = calloc(hosts * hosts, sizeof(*panel->cells));
	if (panel->cells == NULL)
		return -ENOMEM;
	for (size_t from = 0; from < hosts; from++) {
		for (size_t to = 0; to < hosts; to++) {
			if (from == to)
				continue;
			panel->cells[panel->count++] = (struct np_heat_cell){
				.row = from,
				.column = to,
				.link = np_matrix_pair(matrix, from, to),
				.figure = np_matrix_find(matrix, from, to, bytes),
			};
		}
	}
	return 0;
}

static double most_rate(const struct np_heat_panel *panel)
{
	double most = 0;

	for (size_t i = 0; i < panel->count; i++) {
		if (panel->cells[i].figure != NULL)
			most = fmax(most, panel->cells[i].figure->mbps);
	}
	return most;
}

static int take_panel(struct np_heat_picture *picture, size_t bytes, bool rate)
{
	struct np_heat_panel *panel = &picture->panels[picture->panel_count++];
	char size[40];

	if (take_cells(picture, panel, bytes) != 0)
		return -ENOMEM;
	const bool giga = rate && most_rate(panel) >= 2000;
	const char *way =
		picture->pairs->matrix.one_way ? ", from the host of the row" : "";

	np_text_length((double)bytes, size, sizeof(size));
	if (rate)
		snprintf(panel->title, sizeof(panel->title), "bandwidth at %.40s, %s%s",
			 size, giga ? "Gbit/s" : "Mbit/s", way);
	else
		snprintf(panel->title, sizeof(panel->title),
			 "time of a message of %.40s, us%s", size, way);
	for (size_t i = 0; i < panel->count; i++) {
		if (panel->cells[i].figure != NULL)
			name_figure(&panel->cells[i], rate, giga ? 1000 : 1,
				    panel->cells[i].text, sizeof(panel->cells[i].text));
	}
	take_range(picture, panel);
	return 0;
}

static void colour_cells(struct np_heat_picture *picture)
{
	for (size_t i = 0; i < picture->panel_count; i++) {
		for (size_t k = 0; k < picture->panels[i].count; k++) {
			struct np_heat_cell *cell = &picture->panels[i].cells[k];

			if (cell->figure == NULL)
				continue;
			cell->colour = np_heat_colour(picture, cell->figure->times);
			cell->dark = is_dark(cell->colour);
		}
	}
}

__attribute__((format(printf, 2, 3))) static void note(struct np_heat_picture *picture,
						       const char *format, ...)
{
	va_list arguments;

	if (picture->note_count == NP_HEAT_NOTES)
		return;
	va_start(arguments, format);
	vsnprintf(picture->notes[picture->note_count++], sizeof(picture->notes[0]), format,
		  arguments);
	va_end(arguments);
}

/* The next slow figure after `before`, in descending order. */
static const struct np_host_pair_figure *next_slow(const struct np_matrix *matrix,
						   const struct np_host_pair_figure *before,
						   const struct np_host_pair **link)
{
	const struct np_host_pair_figure *next = NULL;

	for (size_t i = 0; i < matrix->link_count; i++) {
		for (size_t k = 0; k < matrix->links[i].figure_count; k++) {
			const struct np_host_pair_figure *figure =
				&matrix->links[i].figures[k];

			if (!figure->slow ||
			    (before != NULL && !(figure->times < before->times)) ||
			    (next != NULL && !(figure->times > next->times)))
				continue;
			next = figure;
			*link = &matrix->links[i];
		}
	}
	return next;
}

static size_t count_slow(const struct np_matrix *matrix)
{
	size_t count = 0;

	for (size_t i = 0; i < matrix->link_count; i++) {
		for (size_t k = 0; k < matrix->links[i].figure_count; k++)
			count += matrix->links[i].figures[k].slow;
	}
	return count;
}

static void note_slow(struct np_heat_picture *picture)
{
	const struct np_matrix *matrix = &picture->pairs->matrix;
	const struct np_host_pair_figure *figure = NULL;
	const struct np_host_pair *link = NULL;
	const size_t count = count_slow(matrix);
	size_t named = 0;
	char size[40];

	while (named < NOTES_EACH && (figure = next_slow(matrix, figure, &link)) != NULL) {
		np_text_length((double)figure->bytes, size, sizeof(size));
		note(picture, "* %.40s %s %.40s, %s: %.3g times the median of all pairs",
		     name_of(picture, link->from), matrix->one_way ? "to" : "-",
		     name_of(picture, link->to), size, figure->times);
		named++;
	}
	if (count > named)
		note(picture, "* and %zu more", count - named);
}

static void note_unmeasured(struct np_heat_picture *picture)
{
	const struct np_matrix *matrix = &picture->pairs->matrix;
	size_t named = 0, count = 0;

	for (size_t i = 0; i < matrix->link_count; i++) {
		const struct np_host_pair *link = &matrix->links[i];

		if (link->measured || ++count > NOTES_EACH)
			continue;
		note(picture, "not measured: %.30s %s %.30s: %.80s",
		     name_of(picture, link->from), matrix->one_way ? "to" : "-",
		     name_of(picture, link->to), np_heat_reason(link));
		named++;
	}
	if (count > named)
		note(picture, "not measured: and %zu more", count - named);
}

const char *np_heat_reason(const struct np_host_pair *link)
{
	return link->reason[0] != '\0' ? link->reason : "the run ended before";
}

static void take_titles(struct np_heat_picture *picture, const struct np_run *run)
{
	const struct np_pair_matrix *pairs = picture->pairs;
	char slow[80];

	snprintf(slow, sizeof(slow), "; * takes more than %g times the median of all pairs",
		 NP_SLOW_TIMES);
	snprintf(picture->title, sizeof(picture->title), "%s, %.60s", run->name, pairs->op);
	snprintf(picture->summary, sizeof(picture->summary), "%zu of %zu pairs measured%s",
		 np_pair_matrix_measured(pairs), pairs->matrix.link_count,
		 !picture->judged		 ? "; too few for one to stand out" :
		 count_slow(&pairs->matrix) != 0 ? slow :
						   "; none stands out");
}

int np_heat_picture_make(struct np_heat_picture *picture, const struct np_run *run)
{
	size_t smallest = 0, largest = 0;

	*picture = (struct np_heat_picture){ .pairs = run->pairs, .most = 2 };
	const bool any = np_matrix_sizes(&run->pairs->matrix, &smallest, &largest);
	int rc = take_panel(picture, smallest, false);
	if (rc == 0 && largest != 0)
		rc = take_panel(picture, largest, true);
	if (!any)
		snprintf(picture->panels[0].title, sizeof(picture->panels[0].title),
			 "no pair has been measured");
	if (rc != 0)
		return rc;
	colour_cells(picture);
	take_titles(picture, run);
	note_slow(picture);
	note_unmeasured(picture);
	return 0;
}

void np_heat_picture_free(struct np_heat_picture *picture)
{
	for (size_t i = 0; i < picture->panel_count; i++)
		free(picture->panels[i].cells);
	*picture = (struct np_heat_picture){ .pairs = NULL };
}
