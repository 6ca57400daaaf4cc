/*
 * output_table.c - tables on the terminal of single modes and of pairs; histograms
 * (--per-message) and code paths (-v).
 */
#include <math.h>
#include <string.h>

#include "output/output.h"
#include "output/terminal.h"
#include "results/pairs.h"

/* Most sizes of a table that is printed whole; a longer one has a size of each octave. */
enum { SIZES_SHOWN = 24 };

enum { MARK_UNSTABLE = 1u << 16 };

/* Presentation of a table. */
struct view {
	const struct np_results *results;
	const struct np_table *table;
	bool all_rows;	/* else the first size of each power of two, if there are many */
	bool gbit;	/* rates in Gbit/s, else in Mbit/s */
	unsigned marks; /* flags of the printed marks, which print_foot() explains */
};

struct mark {
	unsigned flag;
	char mark;
	const char *meaning;
};

static const struct mark marks[] = {
	{ NP_ROW_OTHER_STATE, '~', "~ too little in the usual host state" },
	{ NP_ROW_MIXED, 'm', "m host states mixed" },
	{ NP_ROW_UNSTEADY, 's', "s not in steady state" },
	{ NP_ROW_PAGE_FAULTS, 'p', "p page faults while timed" },
	{ MARK_UNSTABLE, '!', "! control differs from 1: interval widened" },
};
enum { MARKS = sizeof(marks) / sizeof(*marks) };

static struct view view_of(const struct np_results *results, const struct np_table *table,
			   bool all_rows)
{
	const double giga = 1000;
	struct view view = { .results = results, .table = table };
	size_t sizes = 0;

	for (size_t i = 0; i < table->row_count; i++) {
		sizes += i == 0 || table->rows[i].length != table->rows[i - 1].length;
		view.gbit |= table->rows[i].mbps >= giga;
	}
	view.all_rows = all_rows || sizes <= SIZES_SHOWN;
	return view;
}

/* Returns the greatest power of two not above length; 0 for 0. */
static size_t octave_of(size_t length)
{
	size_t octave = length != 0 ? 1 : 0;

	while (octave != 0 && octave <= length / 2)
		octave *= 2;
	return octave;
}

static bool is_size_shown(const struct view *view, size_t length)
{
	const struct np_table *table = view->table;

	if (view->all_rows)
		return true;
	for (size_t i = 0; i < table->row_count; i++) {
		if (octave_of(table->rows[i].length) == octave_of(length))
			return table->rows[i].length == length;
	}
	return false;
}

static void print_rate(FILE *file, const struct view *view, double mbps)
{
	char text[64];

	np_text_number(view->gbit ? mbps / 1000 : mbps, 4, text, sizeof(text));
	fprintf(file, " %9s", text);
}

static const char *rate_unit(const struct view *view)
{
	return view->gbit ? "Gbit/s" : "Mbit/s";
}

static void interval_text(double low, double high, char *text, size_t size)
{
	char from[64], to[64];

	if (isnan(low)) {
		snprintf(text, size, "-");
		return;
	}
	np_text_number(low, 4, from, sizeof(from));
	np_text_number(high, 4, to, sizeof(to));
	snprintf(text, size, "%s - %s", from, to);
}

static void print_marks(FILE *file, struct view *view, unsigned flags, bool unstable)
{
	bool any = false;

	flags |= unstable ? (unsigned)MARK_UNSTABLE : 0;
	for (size_t i = 0; i < MARKS; i++) {
		if ((flags & marks[i].flag) == 0)
			continue;
		fprintf(file, "%s%c", any ? "" : " ", marks[i].mark);
		view->marks |= marks[i].flag;
		any = true;
	}
	fputc('\n', file);
}

static void print_foot(FILE *file, const struct view *view)
{
	const struct np_table *table = view->table;
	size_t sizes = 0, shown = 0;

	for (size_t i = 0; i < MARKS; i++) {
		if ((view->marks & marks[i].flag) != 0)
			np_say_plain(file, 2, "  %s", marks[i].meaning);
	}
	for (size_t i = 0; i < table->row_count; i++) {
		if (i != 0 && table->rows[i].length == table->rows[i - 1].length)
			continue;
		sizes++;
		shown += is_size_shown(view, table->rows[i].length);
	}
	if (shown < sizes)
		np_say_plain(file, 2,
			     "  %zu of %zu sizes shown; --all-rows shows all, --json FILE "
			     "keeps all",
			     shown, sizes);
}

static const char *time_title(const struct np_results *results)
{
	switch (results->operation) {
	case NP_PINGPONG:
		return "latency us";
	case NP_BIDIRECTIONAL:
		return "exchange us";
	default:
		return "message us";
	}
}

/* Prints microseconds; "-" for a percentile without enough samples. */
static void print_us(FILE *file, int width, double seconds)
{
	char text[64];

	np_text_number(seconds * 1e6, 4, text, sizeof(text));
	fprintf(file, " %*s", width, text);
}

static bool has_rate(const struct np_results *results)
{
	return results->operation == NP_STREAM || results->operation == NP_STREAM_ACKED;
}

static void print_head(FILE *file, const struct view *view)
{
	const struct np_results *results = view->results;

	fprintf(file, "%9s %11s  %-17s", "size", time_title(results),
		results->runs > 1 ? "95 % CI over runs" : "95 % CI, this run");
	if (results->per_message)
		fprintf(file, " %8s %8s %8s %8s\n", "p50", "p90", "p99", "p99.9");
	else if (has_rate(results))
		fprintf(file, " %9s %9s %12s\n", "min us", rate_unit(view), "messages/s");
	else
		fprintf(file, " %9s %9s\n", "min us", rate_unit(view));
}

static void print_row(FILE *file, struct view *view, const struct np_row *row)
{
	const struct np_results *results = view->results;
	char size[32], time[64], interval[136];

	np_size_text(row->length, size, sizeof(size));
	np_text_number(row->median_s * 1e6, 4, time, sizeof(time));
	interval_text(row->ci_low_s * 1e6, row->ci_high_s * 1e6, interval,
		      sizeof(interval));
	fprintf(file, "%9s %11s  %-17s", size, time, interval);
	if (results->per_message) {
		print_us(file, 8, row->p50_s);
		print_us(file, 8, row->p90_s);
		print_us(file, 8, row->p99_s);
		print_us(file, 8, row->p999_s);
	} else {
		print_us(file, 9, row->min_s);
		print_rate(file, view, row->mbps);
		if (has_rate(results))
			fprintf(file, " %12.0f", row->messages_per_s);
	}
	print_marks(file, view, row->flags, false);
}

/* Prints the rows of one mode and variant, with a title if the run has several. */
static void print_rows_like(FILE *file, struct view *view, const struct np_row *first,
			    bool titled)
{
	const struct np_table *table = view->table;
	const char *variant = np_variant_name(view->results, first->variant);

	fputc('\n', file);
	if (titled)
		fprintf(file, "  %s%s%s\n", np_mode_name(first->mode),
			variant != NULL ? ", " : "", variant != NULL ? variant : "");
	print_head(file, view);
	for (size_t i = 0; i < table->row_count; i++) {
		const struct np_row *row = &table->rows[i];

		if (row->mode == first->mode && row->variant == first->variant &&
		    is_size_shown(view, row->length))
			print_row(file, view, row);
	}
}

static void print_single(FILE *file, struct view *view)
{
	const struct np_table *table = view->table;
	bool titled = false;

	for (size_t i = 1; i < table->row_count; i++)
		titled |= table->rows[i].mode != table->rows[0].mode ||
			  table->rows[i].variant != table->rows[0].variant;
	for (size_t i = 0; i < table->row_count; i++) {
		const struct np_row *row = &table->rows[i];
		bool printed = row->mode == NP_MODE_CONTROL;

		for (size_t k = 0; k < i && !printed; k++)
			printed = table->rows[k].mode == row->mode &&
				  table->rows[k].variant == row->variant;
		if (!printed)
			print_rows_like(file, view, row, titled);
	}
	if (view->results->operation == NP_PINGPONG)
		np_say_plain(file, 2, "  latency: one way, half of the round trip");
}

/* Returns the names of both sides of a pair: modes, or variants. */
static void side_names(const struct np_results *results, const struct np_pair *pair,
		       const char **base, const char **over)
{
	const bool modes = np_pair_is_of_modes(pair);

	*base = modes ? np_mode_name(pair->base_mode) :
			np_variant_name(results, pair->base_variant);
	*over = modes ? np_mode_name(pair->mode) : np_variant_name(results, pair->variant);
}

/* Returns what both sides share: the variant, or the mode; NULL: no variants. */
static const char *common_name(const struct np_results *results, const struct np_pair *pair)
{
	return np_pair_is_of_modes(pair) ? np_variant_name(results, pair->variant) :
					   np_mode_name(pair->mode);
}

static void print_verdict(FILE *file, enum np_verdict verdict)
{
	const enum np_color color = verdict == NP_SLOWER ? NP_RED :
				    verdict == NP_FASTER ? NP_GREEN :
							   NP_PLAIN;
	char text[32];

	snprintf(text, sizeof(text), "%-7s", np_verdict_word(verdict));
	np_say_colored(file, color, text);
}

static void print_pair(FILE *file, struct view *view, const struct np_pair *pair)
{
	const struct np_row *base = np_table_find(view->table, pair->length,
						  pair->base_mode, pair->base_variant);
	const struct np_row *over =
		np_table_find(view->table, pair->length, pair->mode, pair->variant);
	char size[32], ratio[64], interval[128];

	if (base == NULL || over == NULL)
		return;
	np_size_text(pair->length, size, sizeof(size));
	np_text_number(pair->ratio, 4, ratio, sizeof(ratio));
	interval_text(pair->low, pair->high, interval, sizeof(interval));
	fprintf(file, "%9s", size);
	print_us(file, 10, base->median_s);
	print_us(file, 10, over->median_s);
	fprintf(file, " %6sx  %-15s ", ratio, interval);
	print_verdict(file, pair->verdict);
	print_rate(file, view, over->mbps);
	print_marks(file, view, base->flags | over->flags, pair->unstable);
}

/* Prints title and heads; names are cut to the width of a column. */
static void print_heads(FILE *file, const struct view *view, const struct np_pair *pair)
{
	const char *base, *over, *common = common_name(view->results, pair);

	side_names(view->results, pair, &base, &over);
	fprintf(file, "\n  %s: %s over %s%s%s\n", time_title(view->results), over, base,
		common != NULL ? ", " : "", common != NULL ? common : "");
	fprintf(file, "%9s %10.10s %10.10s %7s  %-15s %-7s %9s\n", "size", base, over,
		"ratio", "interval", "verdict", rate_unit(view));
}

/* Prints all pairs with the modes and variants of the first. */
static void print_kind(FILE *file, struct view *view, const struct np_pair *first)
{
	const struct np_table *table = view->table;

	print_heads(file, view, first);
	for (size_t i = 0; i < table->pair_count; i++) {
		if (table->pairs[i].kind == first->kind &&
		    is_size_shown(view, table->pairs[i].length))
			print_pair(file, view, &table->pairs[i]);
	}
}

/* Prints a table for each combination of modes and variants.  Returns the number of
 * tables. */
static size_t print_all_pairs(FILE *file, struct view *view)
{
	const struct np_table *table = view->table;
	size_t kinds = 0;

	for (size_t i = 0; i < table->pair_count; i++) {
		bool printed = false;

		for (size_t k = 0; k < i && !printed; k++)
			printed = table->pairs[k].kind == table->pairs[i].kind;
		if (printed)
			continue;
		print_kind(file, view, &table->pairs[i]);
		kinds++;
	}
	if (kinds != 0)
		np_say_plain(file, 2,
			     "  interval: 95 %%, corrected for the number of sizes; "
			     "%s is that of the second column",
			     rate_unit(view));
	return kinds;
}

void np_text_table(FILE *file, const struct np_results *results,
		   const struct np_table *table, bool all_rows)
{
	struct view view = view_of(results, table, all_rows);

	if (table->row_count == 0)
		return;
	if (results->per_message || print_all_pairs(file, &view) == 0)
		print_single(file, &view);
	print_foot(file, &view);
}

enum { BARS = 120, BAR_WIDTH = 50, BARS_A_DOUBLING = 4 };

/* Counts the messages of a row in bars of logarithmic width, four an octave of time in ns;
 * the time of a ping-pong is half a round trip.  Returns the number of messages. */
static uint64_t count_messages(const struct np_results *results, const struct np_row *row,
			       uint64_t bars[BARS])
{
	uint64_t total = 0;

	for (size_t i = 0; i < row->visit_count; i++) {
		const struct np_visit *visit = row->visits[i];

		for (size_t k = 0; k < visit->kept; k++) {
			const double ns =
				round(1e9 * np_message_seconds(results, visit,
							       visit->samples_ns[k]));
			const double bar = ns > 1 ? log2(ns) * BARS_A_DOUBLING : 0;

			bars[bar < BARS ? (size_t)bar : BARS - 1]++;
		}
		total += visit->kept;
	}
	return total;
}

static void print_bars(FILE *file, const uint64_t *bars, uint64_t total)
{
	uint64_t highest = 0;

	for (size_t i = 0; i < BARS; i++)
		highest = bars[i] > highest ? bars[i] : highest;
	for (size_t i = 0; i < BARS; i++) {
		if (bars[i] == 0)
			continue;
		fprintf(file, "# %12.3f us %8.4f %% ",
			exp2((double)i / BARS_A_DOUBLING) * 1e-3,
			100 * (double)bars[i] / (double)total);
		for (uint64_t k = 0; k < (bars[i] * BAR_WIDTH + highest - 1) / highest; k++)
			fputc('*', file);
		fputc('\n', file);
	}
}

void np_text_histograms(FILE *file, const struct np_results *results,
			const struct np_table *table)
{
	for (size_t i = 0; i < table->row_count; i++) {
		const struct np_row *row = &table->rows[i];
		const char *variant = np_variant_name(results, row->variant);
		uint64_t bars[BARS] = { 0 };
		const uint64_t total = count_messages(results, row, bars);

		fprintf(file, "\n# %zu bytes, %s%s%s, %llu messages, from:\n", row->length,
			np_mode_name(row->mode), variant != NULL ? ", " : "",
			variant != NULL ? variant : "", (unsigned long long)total);
		print_bars(file, bars, total);
	}
}

static void say_range(FILE *file, const char *title, const char *variant,
		      const struct np_row *first, const struct np_row *last)
{
	char low[32], high[32];

	np_text_size_unit(first->length, low, sizeof(low));
	np_text_size_unit(last->length, high, sizeof(high));
	np_say(file, title, "%s%s%s%s%s: %s", variant != NULL ? variant : "",
	       variant != NULL ? ", " : "", low, first != last ? " to " : "",
	       first != last ? high : "", first->code_path);
}

static void say_variant(FILE *file, const struct np_results *results,
			const struct np_table *table, size_t variant)
{
	const char *name = np_variant_name(results, variant), *title = "code path";
	const struct np_row *first = NULL, *last = NULL;

	for (size_t i = 0; i < table->row_count; i++) {
		const struct np_row *row = &table->rows[i];

		if (row->mode != table->rows[0].mode || row->variant != variant ||
		    *row->code_path == '\0')
			continue;
		if (first != NULL && strcmp(row->code_path, first->code_path) != 0) {
			say_range(file, title, name, first, last);
			title = "";
			first = NULL;
		}
		first = first == NULL ? row : first;
		last = row;
	}
	if (first != NULL)
		say_range(file, title, name, first, last);
}

void np_text_code_paths(FILE *file, const struct np_results *results,
			const struct np_table *table)
{
	const size_t variants = results->variant_count != 0 ? results->variant_count : 1;

	for (size_t variant = 0; variant < variants; variant++)
		say_variant(file, results, table, variant);
}
