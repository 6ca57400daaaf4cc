/*
 * output_table.c - tables on the terminal of single modes and of pairs; histograms
 * (--per-message) and code paths (-v).
 */
#include <math.h>
#include <string.h>

#include "base/wrap.h"
#include "output/output.h"
#include "output/terminal.h"
#include "results/pairs.h"

/* Maximum rows of a table without --all-rows: it fits a screen of 24 lines. */
enum { ROWS_SHOWN = 12 };

enum { MARK_UNSTABLE = 1u << 16, MARK_AGAIN = 1u << 17, MARK_DIRECTION = 1u << 18 };

/* Presentation of a table. */
struct view {
	const struct np_results *results;
	const struct np_table *table;
	size_t octaves; /* interval of the octaves whose first size is shown; 0: all sizes
			 */
	bool gbit;	/* rates in Gbit/s, else in Mbit/s */
	bool pairs;	/* the table has ratios */
	bool narrow;	/* below 80 columns: without the last column */
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
	{ MARK_AGAIN, 'r', "r segments sent again or dropped, which the time includes" },
	{ MARK_DIRECTION, '/', "/ ratio and quotient of the columns differ in direction" },
};
enum { MARKS = sizeof(marks) / sizeof(*marks) };

/* Returns the octave of a size, counted from the first row of the table; 0 for 0 bytes. */
static size_t octave_of(const struct np_table *table, size_t length)
{
	size_t first = table->rows[0].length, octave = 0;

	for (first = first != 0 ? first : 1; first <= length / 2; length /= 2)
		octave++;
	return octave;
}

static bool is_size_shown(const struct view *view, size_t length)
{
	const struct np_table *table = view->table;
	const size_t octave = octave_of(table, length);

	if (view->octaves == 0 || length == 0)
		return true;
	for (size_t i = 0; i < table->row_count; i++) {
		if (octave_of(table, table->rows[i].length) == octave &&
		    table->rows[i].length != 0)
			return table->rows[i].length == length &&
			       octave % view->octaves == 0;
	}
	return false;
}

/* Counts the sizes of the table, and those that are shown. */
static size_t count_sizes(const struct view *view, size_t *shown)
{
	const struct np_table *table = view->table;
	size_t sizes = 0;

	*shown = 0;
	for (size_t i = 0; i < table->row_count; i++) {
		if (i != 0 && table->rows[i].length == table->rows[i - 1].length)
			continue;
		sizes++;
		*shown += is_size_shown(view, table->rows[i].length);
	}
	return sizes;
}

static struct view view_of(FILE *file, const struct np_results *results,
			   const struct np_table *table, bool all_rows)
{
	const double giga = 1000;
	const int wide = 79;
	struct view view = { .results = results,
			     .table = table,
			     .narrow = np_wrap_columns(file) < wide };
	size_t shown;

	for (size_t i = 0; i < table->row_count; i++)
		view.gbit |= table->rows[i].mbps >= giga;
	count_sizes(&view, &shown);
	while (!all_rows && shown > ROWS_SHOWN) {
		view.octaves++;
		count_sizes(&view, &shown);
	}
	return view;
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

/* Returns whether segments of this row were sent again, or packets dropped. */
static bool was_repeated(const struct view *view, const struct np_row *row)
{
	for (size_t i = 0; i < row->count_count; i++) {
		const char *name = view->results->count_names[row->counts[i].name];

		if (row->counts[i].value != 0 && (strstr(name, "retransmits") != NULL ||
						  strstr(name, "rx_dropped") != NULL))
			return true;
	}
	return false;
}

static void print_marks(FILE *file, struct view *view, unsigned flags)
{
	bool any = false;

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
	size_t shown;
	const size_t sizes = count_sizes(view, &shown);
	char rest[80] = "";

	if (shown < sizes)
		snprintf(rest, sizeof(rest), "; %zu of %zu sizes, --all-rows for all",
			 shown, sizes);
	for (size_t i = 0; i < MARKS; i++) {
		if ((view->marks & marks[i].flag) != 0)
			np_say_plain(file, 2, "  %s", marks[i].meaning);
	}
	if (view->pairs)
		np_say_plain(file, 2, "  ratio: median of the %s' ratios%s",
			     view->results->runs > 1 ? "runs" : "passes", rest);
	else if (shown < sizes)
		np_say_plain(file, 2, "  %s", rest + 2);
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
		results->runs > 1 ? "95 %, over runs" : "scatter of passes");
	if (results->per_message)
		fprintf(file, " %8s %8s %8s %8s\n", "p90", "p99", "p99.9", "max");
	else if (view->narrow)
		fprintf(file, " %9s\n", has_rate(results) ? "M/s" : rate_unit(view));
	else if (has_rate(results))
		fprintf(file, " %9s %9s %9s\n", "least us", rate_unit(view), "M/s");
	else
		fprintf(file, " %9s %9s\n", "least us", rate_unit(view));
}

/* Returns the longest time of a message in seconds (--per-message). */
static double longest_of(const struct np_results *results, const struct np_row *row)
{
	double longest = 0;

	for (size_t i = 0; i < row->visit_count; i++) {
		const struct np_visit *visit = row->visits[i];

		for (size_t k = 0; k < visit->kept; k++)
			longest = fmax(longest, np_message_seconds(results, visit,
								   visit->samples_ns[k]));
	}
	return longest;
}

static void print_rates(FILE *file, const struct view *view, const struct np_row *row)
{
	if (!view->narrow)
		print_us(file, 9, row->min_s);
	if (!view->narrow || !has_rate(view->results))
		print_rate(file, view, row->mbps);
	if (has_rate(view->results))
		fprintf(file, " %9.4g", row->messages_per_s * 1e-6);
}

static void print_row(FILE *file, struct view *view, const struct np_row *row)
{
	const struct np_results *results = view->results;
	char size[32], time[64], interval[136];

	np_text_bytes(row->length, size, sizeof(size));
	np_text_number(row->median_s * 1e6, 4, time, sizeof(time));
	interval_text(row->ci_low_s * 1e6, row->ci_high_s * 1e6, interval,
		      sizeof(interval));
	fprintf(file, "%9s %11s  %-17s", size, time, interval);
	if (results->per_message) {
		print_us(file, 8, row->p90_s);
		print_us(file, 8, row->p99_s);
		print_us(file, 8, row->p999_s);
		print_us(file, 8, longest_of(results, row));
	} else {
		print_rates(file, view, row);
	}
	print_marks(file, view,
		    row->flags | (was_repeated(view, row) ? (unsigned)MARK_AGAIN : 0));
}

/* Prints what "-" means: the messages that a percentile needs, of the row with the fewest.
 */
static void say_percentiles(FILE *file, const struct view *view)
{
	const struct np_table *table = view->table;
	uint64_t fewest = NP_MESSAGES_OF_P999;

	for (size_t i = 0; i < table->row_count; i++)
		fewest = table->rows[i].samples < fewest ? table->rows[i].samples : fewest;
	if (fewest < NP_MESSAGES_OF_P999)
		np_say_plain(file, 2,
			     "  -: p90, p99, p99.9 need 100, 1000, 10000 messages, not "
			     "%llu: a longer --time-budget",
			     (unsigned long long)fewest);
}

/* Prints the rows of one mode and variant, with a title if the run has several. */
static void print_rows_like(FILE *file, struct view *view, const struct np_row *first,
			    bool titled)
{
	const struct np_table *table = view->table;
	const char *variant = np_variant_name(view->results, first->variant);

	fputc('\n', file);
	if (titled)
		fprintf(file, "  %s%s%s\n", np_mode_text(first->mode),
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
	if (view->results->per_message)
		say_percentiles(file, view);
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

/* Prints a verdict; blanks for "unclear" and for none. */
static void print_verdict(FILE *file, enum np_verdict verdict)
{
	const enum np_color color = verdict == NP_SLOWER ? NP_RED :
				    verdict == NP_FASTER ? NP_GREEN :
							   NP_PLAIN;
	const bool claims = verdict != NP_UNCLEAR && verdict != NP_VERDICTS;
	char text[32];

	snprintf(text, sizeof(text), "%-6s", claims ? np_verdict_word(verdict) : "");
	np_say_colored(file, color, text);
}

/* Returns whether the median of ratios and the ratio of medians lie on both sides of 1,
 * more than 1 % apart. */
static bool differs_in_direction(double ratio, double quotient)
{
	const double least = 0.01;

	return (ratio - 1) * (quotient - 1) < 0 && fabs(quotient - ratio) > least;
}

static void print_pair(FILE *file, struct view *view, const struct np_pair *pair)
{
	const struct np_row *base = np_table_find(view->table, pair->length,
						  pair->base_mode, pair->base_variant);
	const struct np_row *over =
		np_table_find(view->table, pair->length, pair->mode, pair->variant);
	char size[32], ratio[64], interval[128];
	unsigned flags;

	if (base == NULL || over == NULL)
		return;
	flags = base->flags | over->flags | (pair->unstable ? (unsigned)MARK_UNSTABLE : 0);
	if (was_repeated(view, base) || was_repeated(view, over))
		flags |= MARK_AGAIN;
	if (differs_in_direction(pair->ratio, over->median_s / base->median_s))
		flags |= MARK_DIRECTION;
	np_text_bytes(pair->length, size, sizeof(size));
	np_text_number(pair->ratio, 3, ratio, sizeof(ratio));
	interval_text(pair->low, pair->high, interval, sizeof(interval));
	fprintf(file, "%9s", size);
	print_us(file, 9, base->median_s);
	print_us(file, 9, over->median_s);
	fprintf(file, " %5sx  %-15s ", ratio, interval);
	print_verdict(file, pair->verdict);
	if (!view->narrow)
		print_rate(file, view, over->mbps);
	print_marks(file, view, flags);
}

/* Returns the head of a column: "warm us". */
static const char *mode_head(enum np_mode mode)
{
	return mode == NP_MODE_REUSE  ? "warm" :
	       mode == NP_MODE_ROTATE ? "cold" :
					np_mode_name(mode);
}

/* Prints title and heads; names are cut to the width of a column. */
static void print_heads(FILE *file, const struct view *view, const struct np_pair *pair)
{
	const bool modes = np_pair_is_of_modes(pair);
	const char *variant = np_variant_name(view->results, pair->variant);
	const char *base, *over;
	char heads[2][NP_WORD + 8];

	side_names(view->results, pair, &base, &over);
	if (modes) {
		base = mode_head(pair->base_mode);
		over = mode_head(pair->mode);
	}
	fputc('\n', file);
	if (variant != NULL)
		fprintf(file, "  %s over %s, %s\n", over, base,
			modes ? variant : np_mode_text(pair->mode));
	snprintf(heads[0], sizeof(heads[0]), "%.6s us", base);
	snprintf(heads[1], sizeof(heads[1]), "%.6s us", over);
	fprintf(file, "%9s %9s %9s %6s  %-15s %-6s", "size", heads[0], heads[1], "ratio",
		"95 %", "");
	if (!view->narrow)
		fprintf(file, " %9s", rate_unit(view));
	fputc('\n', file);
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
		view->pairs = true;
	return kinds;
}

void np_text_table(FILE *file, const struct np_results *results,
		   const struct np_table *table, bool all_rows)
{
	if (table->row_count == 0)
		return;
	struct view view = view_of(file, results, table, all_rows);

	if (results->per_message || print_all_pairs(file, &view) == 0)
		print_single(file, &view);
	print_foot(file, &view);
}

enum { BARS = 480, BAR_WIDTH = 50, BARS_A_DOUBLING = 16 };

/* Counts the messages of a row in bars of logarithmic width, 16 an octave of time in ns;
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

/* Prints bars.  Neighbouring bars of at most 1/200 of the messages, as in the tails, are
 * joined. */
static void print_bars(FILE *file, const uint64_t *bars, uint64_t total)
{
	const uint64_t least = total / 200;
	uint64_t highest = 0;

	for (size_t i = 0; i < BARS; i++)
		highest = bars[i] > highest ? bars[i] : highest;
	for (size_t i = 0; i < BARS; i++) {
		const size_t first = i;
		uint64_t count = bars[i];

		if (count == 0)
			continue;
		while (i + 1 < BARS && bars[first] <= least && bars[i + 1] <= least)
			count += bars[++i];
		fprintf(file, "# %12.3f us %8.4f %% ",
			exp2((double)first / BARS_A_DOUBLING) * 1e-3,
			100 * (double)count / (double)total);
		for (uint64_t k = 0;
		     k < (count * BAR_WIDTH + highest - 1) / highest && k < BAR_WIDTH; k++)
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

	np_text_bytes(first->length, low, sizeof(low));
	np_text_bytes(last->length, high, sizeof(high));
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
