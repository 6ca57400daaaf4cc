/*
 * output_shape.c - shape of the curves in the summary: steps, dropouts, the largest bend,
 * and the line that has the peak, found as in NPreport; counts breaks and lines beyond
 * these.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "curve/analysis.h"
#include "output/output.h"
#include "output/terminal.h"
#include "results/limit.h"

/* Most printed steps and dropouts, and fitted lines. */
enum { PLACES_PRINTED = 3, LINES_PRINTED = 2 };

struct curve {
	char label[2 * NP_WORD]; /* "rotate"; empty for the only curve */
	struct np_analysis analysis;
};

/* A significant break, and the labels of all curves that have it. */
struct place {
	struct np_break at; /* the break in the first curve that has it */
	double reach;	    /* np_analysis_reach() */
	char labels[4 * NP_WORD];
};

struct shape {
	struct curve curves[NP_MODES * NP_VARIANTS_MAX];
	size_t count;
	struct place *places; /* sorted by reach, the largest first */
	size_t place_count;
	size_t unsure, denied;
	double apart;		    /* ratio of two host states; 1: one state */
	struct np_confirmed *found; /* steps and dropouts of --refine */
	size_t found_count;
};

static bool is_result(const struct np_row *row)
{
	return row->axis == NP_AXIS_NONE && row->mode != NP_MODE_CONTROL;
}

/* Formats mode and variant of a curve, as far as the run has several: "rotate, poll". */
static void label_curve(const struct np_results *results, const struct np_table *table,
			const struct np_row *row, struct curve *curve)
{
	const char *variant = np_variant_name(results, row->variant);
	bool modes = false;

	for (size_t i = 0; i < table->row_count; i++)
		modes |= is_result(&table->rows[i]) && table->rows[i].mode != row->mode;
	snprintf(curve->label, sizeof(curve->label), "%s%s%s",
		 modes ? np_mode_name(row->mode) : "", modes && variant != NULL ? ", " : "",
		 variant != NULL ? variant : "");
}

/* Collects and analyses the curve of the mode and variant of rows[first].  Skips sizes in
 * another host state. */
static int take_curve(const struct np_table *table, size_t first, double apart,
		      struct curve *curve)
{
	const struct np_row *like = &table->rows[first];
	int rc = np_analysis_init(&curve->analysis, table->row_count - first);

	curve->analysis.apart = apart;
	for (size_t i = first; rc == 0 && i < table->row_count; i++) {
		const struct np_row *row = &table->rows[i];

		if (!is_result(row) || row->mode != like->mode ||
		    row->variant != like->variant)
			continue;
		curve->analysis.directions = np_row_directions(row);
		if ((row->flags & NP_ROW_OTHER_STATE) == 0)
			np_analysis_add(&curve->analysis, row->length, row->median_s,
					row->ci_low_s, row->ci_high_s);
	}
	return rc == 0 ? np_analysis_derive(&curve->analysis) : rc;
}

/* Collects all curves: each has a row at the smallest size, and those rows come first. */
static int take_curves(const struct np_results *results, const struct np_table *table,
		       struct shape *shape)
{
	const size_t most = sizeof(shape->curves) / sizeof(*shape->curves);
	int rc = 0;

	for (size_t i = 0; i < table->row_count && shape->count < most && rc == 0; i++) {
		const struct np_row *row = &table->rows[i];

		if (row->length != table->rows[0].length)
			break;
		if (!is_result(row))
			continue;
		label_curve(results, table, row, &shape->curves[shape->count]);
		rc = take_curve(table, i, shape->apart, &shape->curves[shape->count++]);
	}
	return rc;
}

/* Adds a break as a place, or adds the label of its curve to the same break of another
 * curve. */
static void note_place(struct shape *shape, const struct curve *curve,
		       const struct np_break *at)
{
	for (size_t i = 0; i < shape->place_count; i++) {
		struct place *place = &shape->places[i];
		const size_t used = strlen(place->labels);

		if (place->at.kind != at->kind || place->at.bytes_low != at->bytes_low ||
		    place->at.bytes_high != at->bytes_high ||
		    (place->at.effect < 1) != (at->effect < 1))
			continue;
		snprintf(place->labels + used, sizeof(place->labels) - used, " and %s",
			 curve->label);
		return;
	}
	struct place *place = &shape->places[shape->place_count++];

	place->at = *at;
	place->reach = np_analysis_reach(&curve->analysis, at);
	snprintf(place->labels, sizeof(place->labels), "%s", curve->label);
}

static int compare_places(const void *a, const void *b)
{
	const struct place *left = a, *right = b;
	const double depth = fabs(log(left->reach)), other = fabs(log(right->reach));

	if (depth > other || depth < other)
		return depth > other ? -1 : 1;
	return (left->at.bytes_low > right->at.bytes_low) -
	       (left->at.bytes_low < right->at.bytes_low);
}

static int take_places(struct shape *shape)
{
	size_t most = 0;

	for (size_t i = 0; i < shape->count; i++)
		most += shape->curves[i].analysis.shape.break_count;
	shape->places = calloc(most + 1, sizeof(*shape->places));
	if (shape->places == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < shape->count; i++) {
		const struct np_analysis *analysis = &shape->curves[i].analysis;
		const struct np_shape *found = &analysis->shape;

		for (size_t k = 0; k < found->break_count; k++) {
			const struct np_break *at = &found->breaks[k];

			/* text_refined() of output.c has printed it. */
			if (np_refine_has(shape->found, shape->found_count, at))
				continue;
			if (at->denied)
				shape->denied++;
			else if (!at->sure || analysis->once)
				shape->unsure++;
			else
				note_place(shape, &shape->curves[i], at);
		}
	}
	qsort(shape->places, shape->place_count, sizeof(*shape->places), compare_places);
	return 0;
}

/* Formats a limit reported at the break: "; eager limit 4K". */
static void limit_text(const struct np_run_header *header, const struct np_break *at,
		       char *text, size_t size)
{
	struct np_limit limit;
	char bytes[32];

	*text = '\0';
	if (np_limits_find(header->paths, header->hosts, at->bytes_low, at->bytes_high,
			   &limit, 1) == 0)
		return;
	np_text_bytes(limit.bytes, bytes, sizeof(bytes));
	snprintf(text, size, "; %s %s", limit.label, bytes);
}

void np_text_bend(const struct np_break *at, char *text, size_t size)
{
	if (isinf(at->effect))
		snprintf(text, size, "the cost per byte rises from about 0");
	else if (at->effect <= 0)
		snprintf(text, size, "the cost per byte falls to about 0");
	else
		snprintf(text, size, "the cost per byte changes %.3fx", at->effect);
}

static const char *title_of(const struct np_break *at)
{
	return at->kind == NP_BREAK_DROPOUT && at->effect < 1 ? "faster" :
								np_break_word(at->kind);
}

static void say_place(FILE *file, const struct np_run_header *header,
		      const struct place *place, const char *title)
{
	const struct np_break *at = &place->at;
	char low[32], high[40], effect[128], limit[64];

	np_text_bytes(at->bytes_low, low, sizeof(low));
	np_text_bytes(at->bytes_high, high, sizeof(high));
	if (at->kind == NP_BREAK_BEND)
		np_text_bend(at, effect, sizeof(effect));
	else
		np_text_slower(at->effect, at->low, at->high, effect, sizeof(effect));
	limit_text(header, at, limit, sizeof(limit));
	np_say(file, title, "%s%s%s: %s%s%s%s%s", at->first != at->last ? low : "",
	       at->first != at->last ? " to " : "", high, effect,
	       *place->labels != '\0' ? ", " : "", place->labels,
	       at->open ? ", at the end of the sizes" : "", limit);
}

/* Prints the steps and dropouts of the largest effects, and before these a bend that is
 * larger. Counts those left out. */
static void say_places(FILE *file, const struct np_run_header *header,
		       const struct shape *shape, size_t *places, size_t *bends)
{
	const char *before = "";
	size_t printed = 0;

	*places = *bends = 0;
	for (size_t i = 0; i < shape->place_count; i++) {
		const struct place *place = &shape->places[i];
		const bool bend = place->at.kind == NP_BREAK_BEND;
		const char *title = title_of(&place->at);

		if (bend ? i > 0 : printed == PLACES_PRINTED) {
			++*(bend ? bends : places);
			continue;
		}
		say_place(file, header, place, strcmp(title, before) == 0 ? "" : title);
		before = title;
		printed += !bend;
	}
}

/* Formats n_1/2 of a line or, without one, the interpolated half of the peak:
 * "16.2 KiB", "16.2 KiB [15 KiB, 17 KiB] by interpolation". */
static void half_text(const struct np_analysis *analysis, double of_line, char *text,
		      size_t size)
{
	const struct np_estimate *half = &analysis->half_peak;
	char value[32], low[32], high[32];

	snprintf(text, size, "not known");
	if (!isnan(of_line)) {
		np_text_about(of_line, text, size);
	} else if (!isnan(half->value)) {
		np_text_about(half->value, value, sizeof(value));
		np_text_about(half->low, low, sizeof(low));
		np_text_about(half->high, high, sizeof(high));
		if (isnan(half->low))
			snprintf(text, size, "%s by interpolation", value);
		else
			snprintf(text, size, "%s [%s, %s] by interpolation", value, low,
				 high);
	}
}

/* Prints r_inf with its interval, n_1/2, and the sizes of the line that has the peak:
 * "54.00 Gbit/s [53.10, 54.90], 16.2 KiB, from 12 KiB to 4 MiB". */
static bool say_line(FILE *file, const struct curve *curve, const char *title)
{
	const struct np_analysis *analysis = &curve->analysis;
	const struct np_line_fit *fit = np_analysis_line(analysis);
	char rate[64], low[64], high[64], half[128], from[32], to[32];

	if (fit == NULL && isnan(analysis->half_peak.value))
		return false;
	half_text(analysis, fit == NULL ? (double)NAN : fit->n_half.value, half,
		  sizeof(half));
	if (fit == NULL) {
		np_say(file, title, "no line fits; half of the peak at %s%s%s", half,
		       *curve->label != '\0' ? ", " : "", curve->label);
		return true;
	}
	const double unit = fit->r_inf.value >= 125e6 ? 125e6 : 125e3;

	np_text_rate(fit->r_inf.value * 8 / 1e6, rate, sizeof(rate));
	np_text_number(fit->r_inf.low / unit, 4, low, sizeof(low));
	np_text_number(fit->r_inf.high / unit, 4, high, sizeof(high));
	np_text_bytes(analysis->points[fit->first].bytes, from, sizeof(from));
	np_text_bytes(analysis->points[fit->last].bytes, to, sizeof(to));
	np_say(file, title, "%s [%s, %s], %s, from %s to %s%s%s", rate, low, high, half,
	       from, to, *curve->label != '\0' ? ", " : "", curve->label);
	return true;
}

/* Prints a fitted line each of the first LINES_PRINTED curves.  Returns the number of lines
 * left out. */
static size_t say_lines(FILE *file, const struct shape *shape)
{
	size_t printed = 0, lines = 0;

	for (size_t i = 0; i < shape->count; i++) {
		const struct np_analysis *analysis = &shape->curves[i].analysis;

		for (size_t k = 0; k < analysis->shape.segment_count; k++)
			lines += isnan(analysis->fits[k].r_inf.value) ? 0 : 1;
		if (printed < LINES_PRINTED &&
		    say_line(file, &shape->curves[i], printed == 0 ? "r_inf, n_1/2" : "")) {
			printed++;
			lines -= np_analysis_line(analysis) != NULL ? 1 : 0;
		}
	}
	return lines;
}

/* Prints the number of breaks and lines that were left out: "2 bends, 1 break that is not
 * significant: NPreport FILE". */
static void say_rest(FILE *file, const struct shape *shape, size_t places, size_t bends,
		     size_t lines)
{
	const struct {
		size_t count;
		const char *one, *more;
	} kinds[] = {
		{ places, "step or dropout", "steps and dropouts" },
		{ bends, "bend", "bends" },
		{ shape->unsure, "break that is not significant",
		  "breaks that are not significant" },
		{ shape->denied, "break that the search has not found",
		  "breaks that the search has not found" },
		{ lines, "line of other sizes", "lines of other sizes" },
	};
	char text[256] = "";

	for (size_t i = 0, used = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (kinds[i].count != 0)
			used += (size_t)snprintf(
				text + used, sizeof(text) - used, "%s%zu %s",
				used != 0 ? ", " : "", kinds[i].count,
				kinds[i].count == 1 ? kinds[i].one : kinds[i].more);
	}
	if (*text != '\0')
		np_say(file, "not shown", "%s: NPreport FILE", text);
}

/* Returns whether a curve lacks intervals: its breaks are not significant. */
static bool lacks_intervals(const struct shape *shape)
{
	bool lacks = false;

	for (size_t i = 0; i < shape->count; i++)
		lacks |= shape->curves[i].analysis.once;
	return lacks;
}

/* Returns whether a step or dropout is significant. */
static bool has_places(const struct shape *shape)
{
	bool has = false;

	for (size_t i = 0; i < shape->place_count; i++)
		has |= shape->places[i].at.kind != NP_BREAK_BEND;
	return has;
}

/* Prints that no step was found, and what limits the search. */
static void say_nothing_found(FILE *file, const struct shape *shape)
{
	double noise = 0;

	for (size_t i = 0; i < shape->count; i++)
		noise = fmax(noise, shape->curves[i].analysis.shape.noise);
	if (lacks_intervals(shape))
		np_say(file, "steps", "unclear: some sizes have no interval");
	else if (shape->apart > 1)
		np_say(file, "steps",
		       "unclear: the host was in two states, %.3gx apart, which hides "
		       "what is less",
		       shape->apart);
	else if (noise > NP_SHAPE_ROUGH)
		np_say(file, "steps",
		       "none found, and no dropouts; times scatter by %.1f %% from size to "
		       "size, which hides small ones",
		       100 * noise);
	else
		np_say(file, "steps", "none found, and no dropouts");
}

void np_text_shape(FILE *file, const struct np_results *results,
		   const struct np_run_header *header, const struct np_table *table,
		   const struct np_findings *findings, bool verbose)
{
	struct shape *shape = calloc(1, sizeof(*shape));
	const bool refined = header->refining != NULL && header->refining->ran;
	int rc = shape != NULL ? 0 : -ENOMEM;

	if (rc == 0) {
		shape->apart = findings->sentinel.state_ratio;
		rc = take_curves(results, table, shape);
	}
	if (rc == 0 && refined)
		rc = np_refine_derive(results, &shape->found, &shape->found_count);
	if (rc == 0 && refined)
		np_refine_deny(shape->found, shape->found_count,
			       header->refining->searched_to,
			       &shape->curves[0].analysis.shape);
	if (rc == 0)
		rc = take_places(shape);
	if (rc == 0 && shape->curves[0].analysis.count >= NP_SHAPE_POINTS) {
		size_t places, bends;

		if (!has_places(shape) && !refined && verbose)
			say_nothing_found(file, shape);
		say_places(file, header, shape, &places, &bends);
		if (verbose)
			say_rest(file, shape, places, bends, say_lines(file, shape));
	}
	for (size_t i = 0; shape != NULL && i < shape->count; i++)
		np_analysis_free(&shape->curves[i].analysis);
	if (shape != NULL) {
		free(shape->places);
		free(shape->found);
	}
	free(shape);
}
