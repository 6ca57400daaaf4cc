/*
 * text_curve.c - prints the findings of a curve.  A number that the data do not support is
 * replaced by the reason.
 */
#include "report/text/text.h"

#include <math.h>
#include <string.h>

#include "base/units.h"
#include "output/output.h"

/* ---- Steps, dropouts, bends and bimodal sizes of --refine --------------------------- */

/* Most printed bends; the result file has all. */
enum { SLOPES_MOST = 8 };

static void print_place(FILE *file, const struct np_confirmed *found)
{
	char low[40], high[40];

	np_text_length((double)found->low, low, sizeof(low));
	np_text_length((double)found->high, high, sizeof(high));
	if (found->kind == NP_CONFIRMED_STEP)
		fprintf(file, "from %s to %s", low, high);
	else
		fprintf(file, found->low == found->high ? "%s" : "%s to %s", low, high);
}

static void print_pinned(FILE *file, const struct np_run *run,
			 const struct np_confirmed *found)
{
	const bool is_step = found->kind == NP_CONFIRMED_STEP;
	char title[32];

	snprintf(title, sizeof(title), "  %s",
		 !is_step && found->effect < 1 ? "faster" : np_confirmed_word(found->kind));
	np_text_title(file, title);
	print_place(file, found);
	fprintf(file, ": %.3fx%s", found->effect,
		is_step ? "" : " the time of its neighbours");
	if (found->sure)
		fprintf(file, " [%.3f, %.3f]; significant", found->low_effect,
			found->high_effect);
	else
		fprintf(file, "; not significant after %zu rounds", found->rounds);
	fprintf(file, "%s, to the byte", found->other ? ", in another host state" : "");
	np_text_limits(file, run, found->low, found->high);
	fputc('\n', file);
}

static void print_noted(FILE *file, const struct np_noted *noted)
{
	char low[40], high[40];

	np_text_length((double)noted->low, low, sizeof(low));
	np_text_length((double)noted->high, high, sizeof(high));
	np_text_title(file, noted->bimodal ? "  bimodal" : "  bend");
	if (noted->bimodal)
		fprintf(file, "%s: two modes %.3fx apart; not searched further\n", low,
			noted->effect);
	else
		fprintf(file, "between %s and %s, %.3fx: gradual, no step\n", low, high,
			noted->effect);
}

static bool is_of(const struct np_noted *noted, const struct np_series *series)
{
	return strcmp(noted->op, series->op) == 0 &&
	       strcmp(noted->mode, series->mode) == 0 &&
	       strcmp(noted->variant, series->variant) == 0;
}

static void print_all_noted(FILE *file, const struct np_run *run,
			    const struct np_series *series)
{
	size_t slopes = 0;

	for (size_t i = 0; i < run->noted_count; i++) {
		const struct np_noted *noted = &run->noted[i];

		if (!is_of(noted, series))
			continue;
		slopes += !noted->bimodal;
		if (noted->bimodal || slopes <= SLOPES_MOST)
			print_noted(file, noted);
	}
	if (slopes > SLOPES_MOST) {
		np_text_title(file, "  bend");
		fprintf(file, "and %zu more\n", slopes - SLOPES_MOST);
	}
}

static void print_refined(FILE *file, const struct np_run *run,
			  const struct np_series *series)
{
	for (size_t i = 0; i < run->refined_count; i++) {
		const struct np_confirmed *found = &run->refined[i];
		/* --refine searches the first variant. */
		const char *variant = np_variant_name(run->results, 0);

		if (strcmp(run->results->operation_name, series->op) == 0 &&
		    strcmp(np_mode_name(found->mode), series->mode) == 0 &&
		    strcmp(variant != NULL ? variant : "", series->variant) == 0)
			print_pinned(file, run, found);
	}
	print_all_noted(file, run, series);
}

/* ---- The curve ---------------------------------------------------------------------- */

/* Most printed dropouts. */
enum { DROPOUTS_MAX = 8 };

/* Prints number and interval: "1.23 us [1.20 us, 1.26 us]". */
static void print_estimate(FILE *file, const struct np_estimate *estimate,
			   void (*print)(double value, char *text, size_t size))
{
	char value[40], low[40], high[40];

	print(estimate->value, value, sizeof(value));
	fputs(value, file);
	if (isnan(estimate->low))
		return;
	print(estimate->low, low, sizeof(low));
	print(estimate->high, high, sizeof(high));
	fprintf(file, " [%s, %s]", low, high);
}

static void print_rate(double bytes_per_second, char *text, size_t size)
{
	np_text_mbps(bytes_per_second * 8 / 1e6, text, size);
}

static void print_latency(FILE *file, const struct np_run *run,
			  const struct np_series *series, const struct np_point *first,
			  bool drops)
{
	const struct np_estimate latency = { first->seconds, first->low, first->high };
	char bytes[40];

	np_text_length((double)first->bytes, bytes, sizeof(bytes));
	if (np_op_is_latency(series->op)) {
		np_text_title(file, "  latency");
		print_estimate(file, &latency, np_text_seconds);
		fprintf(file, " at %s%s", bytes,
			isnan(first->low)   ? "" :
			run->runs_are_units ? ", over runs" :
			run->header != NULL ? ", scatter of the passes" :
					      "");
	} else {
		/* Not a latency: the time of a message of a stream, or of a collective. */
		fprintf(file, "  shortest time, %s: ", bytes);
		print_estimate(file, &latency, np_text_seconds);
	}
	fprintf(file, "%s%s\n", isnan(first->low) ? " (no interval)" : "",
		drops ? ", which is a dropout: see below" : "");
}

const struct np_row *np_series_peak(const struct np_series *series)
{
	const struct np_row *peak = NULL;

	for (size_t i = 0; i < series->count; i++) {
		const struct np_row *point = &series->points[i];

		if (np_row_is_faster(point, peak))
			peak = point;
	}
	return np_op_is_collective(series->op) ? NULL : peak;
}

/* Prints the peak, and the size with half of it. */
static void print_peak(FILE *file, const struct np_series *series,
		       const struct np_estimate *half)
{
	const struct np_row *peak = np_series_peak(series);
	char bytes[40], rate[40];

	if (peak == NULL)
		return;
	np_text_length((double)peak->length, bytes, sizeof(bytes));
	np_text_mbps(peak->mbps, rate, sizeof(rate));
	np_text_title(file, "  peak");
	fprintf(file, "%s (%.4g MB/s) at %s", rate, peak->mbps / 8, bytes);
	if (!isnan(half->value)) {
		fputs("; half of it from ", file);
		print_estimate(file, half, np_text_length);
		fputs(" on", file);
	}
	fputc('\n', file);
}

static void print_range(FILE *file, const struct np_analysis *analysis, size_t first,
			size_t last)
{
	char low[40], high[40];

	np_text_length((double)analysis->points[first].bytes, low, sizeof(low));
	np_text_length((double)analysis->points[last].bytes, high, sizeof(high));
	fprintf(file, first == last ? "%s" : "%s to %s", low, high);
}

static void print_line(FILE *file, const struct np_analysis *analysis, size_t at)
{
	const struct np_line_fit *fit = &analysis->fits[at];
	const char *comma = "";

	np_text_title(file, "  line");
	print_range(file, analysis, fit->first, fit->last);
	fputs(": ", file);
	if (!isnan(fit->t0.value)) {
		fputs("t0 ", file);
		print_estimate(file, &fit->t0, np_text_seconds);
		comma = ", ";
	}
	if (!isnan(fit->r_inf.value)) {
		fprintf(file, "%sr_inf ", comma);
		print_estimate(file, &fit->r_inf, print_rate);
		comma = ", ";
	}
	if (!isnan(fit->n_half.value)) {
		fprintf(file, "%sn_1/2 ", comma);
		print_estimate(file, &fit->n_half, np_text_length);
		comma = ", ";
	}
	if (analysis->extrapolated[at])
		fprintf(file, "%s%s not given: too far outside these sizes",
			*comma != '\0' ? "; " : "",
			isnan(fit->t0.value) ? "t0 and n_1/2" : "n_1/2");
	else if (fit->support != NP_FIT_GOOD)
		fprintf(file, "%s%s", *comma != '\0' ? "; " : "no line: ",
			np_fit_support_text(fit->support));
	fputc('\n', file);
}

void np_text_limits(FILE *file, const struct np_run *run, size_t low, size_t high)
{
	struct np_limit limits[4] = { { .fact = NULL } };
	const size_t count = np_limits_find(run->paths, run->hosts, low, high, limits, 4);
	char text[160];

	for (size_t i = 0; i < count; i++) {
		np_limit_text(&limits[i], text, sizeof(text));
		fputs(i == 0 ? "; reported there: " : ", ", file);
		np_text_safe(file, text);
	}
}

/* Prints the effect of a break: ratio of times or, of a bend, of costs per byte. */
static void print_effect(FILE *file, const struct np_break *at)
{
	const char *most = at->first != at->last ? "up to " : "";
	char bend[64];

	np_text_bend(at, bend, sizeof(bend));
	if (at->kind == NP_BREAK_DROPOUT)
		fprintf(file, ": %s%.3fx the time interpolated from its neighbours",
			at->effect < 1 && *most != '\0' ? "down to " : most, at->effect);
	else if (at->kind == NP_BREAK_STEP)
		fprintf(file, ": %.3fx", at->effect);
	else
		fprintf(file, ": %s", bend);
}

static void print_break(FILE *file, const struct np_run *run,
			const struct np_analysis *analysis, const struct np_break *at)
{
	char title[32], low[40], high[40];

	snprintf(title, sizeof(title), "  %s",
		 at->kind == NP_BREAK_DROPOUT && at->effect < 1 ? "faster" :
								  np_break_word(at->kind));
	np_text_title(file, title);
	np_text_length((double)at->bytes_low, low, sizeof(low));
	np_text_length((double)at->bytes_high, high, sizeof(high));
	if (at->kind == NP_BREAK_DROPOUT)
		print_range(file, analysis, at->first, at->last);
	else
		fprintf(file, "between %s and %s", low, high);
	print_effect(file, at);
	if (at->kind == NP_BREAK_DROPOUT && at->effect < 1)
		fputs(": faster than its neighbours", file);
	if (!isnan(at->low))
		fprintf(file, " [%.3f, %.3f]", at->low, at->high);
	fputs(at->denied     ? "; not significant: --refine has searched there" :
	      at->of_states  ? "; not significant: two host states are as far apart" :
	      !at->sure	     ? "; not significant" :
	      analysis->once ? "; stands out; single measurement" :
			       "; significant",
	      file);
	if (at->open)
		fputs(at->first == 0 ? ", from the smallest size on" :
				       ", up to the largest size",
		      file);
	np_text_limits(file, run, at->bytes_low, at->bytes_high);
	fputc('\n', file);
}

/* Rank of a dropout: number of dropouts whose time ratio is farther from 1. */
static size_t deeper_than(const struct np_analysis *analysis, const struct np_break *at)
{
	size_t deeper = 0;

	for (size_t i = 0; i < analysis->shape.break_count; i++) {
		const struct np_break *other = &analysis->shape.breaks[i];
		const double depth = fabs(log(other->effect)), own = fabs(log(at->effect));

		deeper += other->kind == NP_BREAK_DROPOUT &&
			  (depth > own || (!(depth < own) && other < at));
	}
	return deeper;
}

/* Prints all steps and bends, and the deepest dropouts. */
static void print_breaks(FILE *file, const struct np_run *run,
			 const struct np_analysis *analysis)
{
	size_t left_out = 0;

	for (size_t i = 0; i < analysis->shape.break_count; i++) {
		const struct np_break *at = &analysis->shape.breaks[i];

		if (at->kind == NP_BREAK_DROPOUT &&
		    deeper_than(analysis, at) >= DROPOUTS_MAX)
			left_out++;
		else
			print_break(file, run, analysis, at);
	}
	if (left_out != 0) {
		np_text_title(file, "  dropout");
		fprintf(file, "and %zu that are less deep; --export=json has them all\n",
			left_out);
	}
}

/* Prints a table of percentiles of single messages (--per-message), where there are any. */
static void print_percentiles(FILE *file, const struct np_series *series)
{
	bool any = false, lacks = false;
	size_t columns = 4;
	char text[40];

	for (size_t i = 0; i < series->count; i++)
		columns = series->points[i].tail_s != NULL ? 5 : columns;
	for (size_t i = 0; i < series->count; i++) {
		const struct np_row *row = &series->points[i];
		const double times[] = { row->p50_s, row->p90_s, row->p99_s, row->p999_s,
					 row->tail_s != NULL ? row->tail_s[NP_TAIL - 1] :
							       (double)NAN };

		if (!(row->p50_s > 0))
			continue;
		if (!any)
			fprintf(file,
				"  percentiles, us a message\n%12s %10s %10s %10s %10s%s\n",
				"size", "p50", "p90", "p99", "p99.9",
				columns > 4 ? "        max" : "");
		any = true;
		np_text_length((double)row->length, text, sizeof(text));
		fprintf(file, "%12s", text);
		for (size_t k = 0; k < columns; k++) {
			lacks |= k < 4 && !(times[k] > 0);
			np_text_number(times[k] * 1e6, 4, text, sizeof(text));
			fprintf(file, " %10s", times[k] > 0 ? text : "-");
		}
		fputc('\n', file);
	}
	if (lacks)
		fputs("  -: too few messages: ten have to lie beyond a percentile\n", file);
}

static void print_noise(FILE *file, const struct np_series *series,
			const struct np_analysis *analysis)
{
	size_t without = 0, flagged = 0;
	char noise[32];

	for (size_t i = 0; i < series->count; i++) {
		const struct np_row *point = &series->points[i];

		without += isnan(point->ci_low_s) ? 1 : 0;
		flagged += (point->flags & (NP_ROW_UNSTEADY | NP_ROW_PAGE_FAULTS |
					    NP_ROW_OTHER_STATE)) != 0;
	}
	if (analysis->shape.noise > 0) {
		np_text_title(file, "  noise");
		np_text_percent(analysis->shape.noise, noise, sizeof(noise));
		fprintf(file, "%s from size to size%s\n", noise,
			analysis->shape.noise > NP_SHAPE_ROUGH ?
				": only large features can be told from it" :
				"");
	}
	if (without != 0) {
		np_text_title(file, "  warning");
		fprintf(file, "no interval at %zu of %zu size%s\n", without, series->count,
			np_plural(series->count));
	}
	if (flagged != 0) {
		np_text_title(file, "  warning");
		fprintf(file,
			"flags at %zu of %zu size%s: page faults, not steady, or too "
			"little in the usual host state\n",
			flagged, series->count, np_plural(series->count));
	}
}

/* Prints the first size of a curve whose sizes all have too few visits in the usual host
 * state, and what --refine has confirmed there; such a curve is not analysed. */
static void print_unusual(FILE *file, const struct np_run *run,
			  const struct np_series *series)
{
	const struct np_row *row = &series->points[0];
	const struct np_point first = { .bytes = row->length,
					.seconds = row->median_s,
					.low = (double)NAN,
					.high = (double)NAN };

	if (row->median_s > 0)
		print_latency(file, run, series, &first, false);
	print_refined(file, run, series);
	np_text_title(file, "  warning");
	fputs("no size was measured often enough in one host state: no more is said of "
	      "it; repeat on a quiet machine\n",
	      file);
}

void np_text_curve(FILE *file, const struct np_run *run, const struct np_series *series,
		   const struct np_analysis *analysis)
{
	char label[3 * NP_LABEL];

	np_series_label(run, series, label, sizeof(label));
	fputc('\n', file);
	np_text_safe(file, *label != '\0' ? label : "messages");
	fprintf(file, ", %zu size%s\n", series->count, np_plural(series->count));
	if (analysis->count == 0) {
		print_unusual(file, run, series);
		return;
	}
	print_latency(file, run, series, &analysis->points[0],
		      np_shape_drops(&analysis->shape, 0));
	print_peak(file, series, &analysis->half_peak);
	for (size_t i = 0; i < analysis->shape.segment_count; i++)
		print_line(file, analysis, i);
	print_breaks(file, run, analysis);
	print_refined(file, run, series);
	if (analysis->count < NP_SHAPE_POINTS) {
		np_text_title(file, "  shape");
		fputs("too few sizes to look for steps, bends and dropouts\n", file);
	}
	print_noise(file, series, analysis);
	print_percentiles(file, series);
}
