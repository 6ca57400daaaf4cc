/*
 * output_summary.c - summary on the terminal: latency, bandwidth, costs of cold buffers,
 * quality, and what to try next.
 */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/units.h"
#include "output/output.h"
#include "output/terminal.h"
#include "plan/budget.h"
#include "results/rows.h"

const char *np_mode_text(enum np_mode mode)
{
	switch (mode) {
	case NP_MODE_REUSE:
	case NP_MODE_CONTROL:
		return "one warm buffer";
	case NP_MODE_ROTATE:
		return "cold buffers";
	case NP_MODE_FRESH:
		return "fresh buffers";
	default:
		return np_mode_name(mode);
	}
}

/* Columns of the overview: rows of the smallest size, one for each mode and variant. */
enum { COLUMNS = 2, COLUMN = 25, COLUMNS_MAX = NP_MODES * NP_VARIANTS_MAX };

static bool is_like(const struct np_row *row, const struct np_row *like)
{
	return row->mode == like->mode && row->variant == like->variant &&
	       row->axis == NP_AXIS_NONE;
}

static size_t find_columns(const struct np_table *table, const struct np_row *least,
			   const struct np_row *columns[COLUMNS_MAX])
{
	size_t count = 0;

	for (size_t i = 0; i < table->row_count && count < COLUMNS_MAX; i++) {
		if (table->rows[i].length == least->length &&
		    table->rows[i].mode != NP_MODE_CONTROL)
			columns[count++] = &table->rows[i];
	}
	return count;
}

/* Formats mode and variant of a column, as far as the table has several. */
static void column_text(const struct np_results *results, const struct np_row *const *all,
			size_t count, const struct np_row *row, char *text, size_t size)
{
	const char *variant = np_variant_name(results, row->variant);
	bool modes = false;

	for (size_t i = 0; i < count; i++)
		modes |= all[i]->mode != row->mode;
	if (modes && variant != NULL)
		snprintf(text, size, "%s, %s", np_mode_name(row->mode), variant);
	else
		snprintf(text, size, "%s",
			 variant != NULL ? variant : np_mode_text(row->mode));
}

/* Formats "25.81 us [21.40, 27.70]". */
static void time_text(const struct np_row *row, char *text, size_t size)
{
	char value[64], low[64], high[64];

	np_text_us(row->median_s, value, sizeof(value));
	np_text_number(row->ci_low_s * 1e6, 4, low, sizeof(low));
	np_text_number(row->ci_high_s * 1e6, 4, high, sizeof(high));
	if (isnan(row->ci_low_s))
		snprintf(text, size, "%s", value);
	else
		snprintf(text, size, "%s [%s, %s]", value, low, high);
}

enum overview { NAMES, TIMES, MESSAGE_RATES, BANDWIDTHS };

/* Formats the highest bandwidth or message rate of the mode and variant of a row:
 * "54.00 Gbit/s at 1 MiB". */
static void most_text(const struct np_table *table, const struct np_row *like,
		      enum overview what, char *text, size_t size)
{
	const struct np_row *most = like;
	char rate[64], bytes[32];

	for (size_t i = 0; i < table->row_count; i++) {
		const struct np_row *row = &table->rows[i];

		if (is_like(row, like) &&
		    (what == BANDWIDTHS ? np_row_is_faster(row, most) :
					  row->messages_per_s > most->messages_per_s))
			most = row;
	}
	np_text_bytes(most->length, bytes, sizeof(bytes));
	if (what == BANDWIDTHS)
		np_text_rate(most->mbps, rate, sizeof(rate));
	else
		snprintf(rate, sizeof(rate), "%.4g M/s", most->messages_per_s * 1e-6);
	snprintf(text, size, "%s at %s", rate, bytes);
}

/* Prints a line of the overview: a figure of each column. */
static void say_overview(FILE *file, const struct np_results *results,
			 const struct np_table *table, const char *title,
			 enum overview what, const struct np_row *const *all, size_t from,
			 size_t count)
{
	char text[256];

	fprintf(file, "  %-15s", title);
	for (size_t i = from; i < count && i < from + COLUMNS; i++) {
		if (what == NAMES)
			column_text(results, all, count, all[i], text, sizeof(text));
		else if (what == TIMES)
			time_text(all[i], text, sizeof(text));
		else
			most_text(table, all[i], what, text, sizeof(text));
		fprintf(file, " %-*s", i + 1 < count && i + 1 < from + COLUMNS ? COLUMN : 0,
			text);
	}
	fputc('\n', file);
}

/* Prints latency and rates of each mode and variant; nothing of a single size, which the
 * table has. */
static void say_figures(FILE *file, const struct np_results *results,
			const struct np_table *table, const struct np_row *least)
{
	const struct np_row *columns[COLUMNS_MAX];
	const size_t count = find_columns(table, least, columns);
	const size_t largest = table->rows[table->row_count - 1].length,
		     small = 4096; /* bytes; below, latency determines bandwidth */
	const bool stream =
		results->operation == NP_STREAM || results->operation == NP_STREAM_ACKED;
	char bytes[32], title[64];

	if (largest == least->length)
		return;
	fputc('\n', file);
	np_text_bytes(least->length, bytes, sizeof(bytes));
	snprintf(title, sizeof(title), "%s, %s",
		 results->operation == NP_PINGPONG ? "latency" : "time", bytes);
	for (size_t from = 0; from < count; from += COLUMNS) {
		if (count > 1)
			say_overview(file, results, table, "", NAMES, columns, from, count);
		say_overview(file, results, table, title, TIMES, columns, from, count);
		if (stream)
			say_overview(file, results, table, "message rate", MESSAGE_RATES,
				     columns, from, count);
		if (stream || largest >= small)
			say_overview(file, results, table, "bandwidth, most", BANDWIDTHS,
				     columns, from, count);
	}
}

/* Prints a line for each mode and each variant but the first, against the first; then the
 * control. */
static void say_comparisons(FILE *file, const struct np_results *results,
			    const struct np_findings *findings, bool verbose)
{
	for (size_t i = 0; i < findings->comparison_count; i++) {
		const struct np_comparison *comparison = &findings->comparisons[i];
		char counts[160];
		const char *over = np_variant_name(results, comparison->like.variant),
			   *base = np_variant_name(results, comparison->like.base_variant);

		if (over == NULL || base == NULL)
			continue;
		np_text_verdict_counts(comparison->verdicts, comparison->pairs,
				       comparison->too_few, counts, sizeof(counts));
		np_say(file, i == 0 ? "variants" : "",
		       "%s over %s: %.3fx at the median size (%.3fx to %.3fx), %s; %s",
		       over, base, comparison->ratio, comparison->least, comparison->most,
		       np_mode_name(comparison->like.mode), counts);
	}
	/* With -I np_text_costs() prints the control. */
	const struct np_comparison *first = &findings->comparisons[0];
	if (!verbose || findings->comparison_count == 0 || findings->cost_count != 0 ||
	    isnan(first->control_ratio))
		return;
	np_say(file, "control", "%s over itself %.3fx (%.3f to %.3f)%s",
	       np_variant_name(results, first->like.base_variant), first->control_ratio,
	       first->control_least, first->control_most,
	       first->unstable != 0 ? "; differs from 1 at some sizes: intervals are "
				      "widened there" :
				      "");
}

/* Returns the share of ratios (without any: of times) whose interval has the requested
 * precision, 0 to 1. */
static double share_precise(const struct np_findings *findings)
{
	return findings->ratios != 0 ?
		       (double)findings->ratios_precise / (double)findings->ratios :
		       (double)findings->rows_precise / (double)findings->rows;
}

/* Clock error, as a share of a sample, from which a run is poor: several times the default
 * --precision. */
static const double clock_error_poor = 0.1;

/* Largest clock error, as a share of a sample, and number of rows where it exceeds 1 %. */
struct clock_error {
	double share;
	size_t rows;
};

static struct clock_error clock_error_of(const struct np_results *results,
					 const struct np_run_header *header,
					 const struct np_table *table)
{
	const double most = 0.01, trips = results->operation == NP_PINGPONG ? 2 : 1;
	const double grain_s = np_clock_grain(&header->clock) * 1e-9;
	struct clock_error error = { .share = 0 };

	for (size_t i = 0; i < table->row_count && grain_s > 0; i++) {
		const struct np_row *row = &table->rows[i];
		const double share =
			grain_s / fmax(grain_s, row->median_s * trips * (double)row->batch);

		error.share = fmax(error.share, share);
		error.rows += share > most;
	}
	return error;
}

/* Count of an event in all rows, and the row with the most. */
struct events {
	uint64_t sum;
	const struct np_row *most;
	uint64_t of_most;
};

/* Sums the counts whose name contains `name`. */
static struct events count_events(const struct np_results *results,
				  const struct np_table *table, const char *name)
{
	struct events events = { .sum = 0 };

	for (size_t i = 0; i < table->row_count; i++) {
		const struct np_row *row = &table->rows[i];

		for (size_t k = 0; k < row->count_count; k++) {
			const uint64_t value = row->counts[k].value;

			if (strstr(results->count_names[row->counts[k].name], name) == NULL)
				continue;
			events.sum += value;
			if (value > events.of_most) {
				events.of_most = value;
				events.most = row;
			}
		}
	}
	return events;
}

static void events_text(const struct events *events, const char *what, char *text,
			size_t size)
{
	char bytes[32];

	*text = '\0';
	if (events->most == NULL)
		return;
	np_text_bytes(events->most->length, bytes, sizeof(bytes));
	snprintf(text, size, "%llu %s (%llu at %s)", (unsigned long long)events->sum, what,
		 (unsigned long long)events->of_most, bytes);
}

/* Prints what the path did to the figures: losses while timed, and settings of the
 * interfaces. */
static void say_path(FILE *file, const struct np_results *results,
		     const struct np_run_header *header, const struct np_table *table)
{
	const struct events again = count_events(results, table, "retransmits"),
			    dropped = count_events(results, table, "rx_dropped");
	char sent[96], lost[96];

	events_text(&again, "segments sent again", sent, sizeof(sent));
	events_text(&dropped, "packets dropped on receipt", lost, sizeof(lost));
	if (again.sum != 0 || dropped.sum != 0)
		np_say(file, "path", "%s%s%s: look for loss and short queues (ethtool -S)",
		       sent, *sent != '\0' && *lost != '\0' ? ", " : "", lost);
	for (int rank = 0; rank < 2; rank++) {
		const char *text = np_facts_find(&header->paths[rank], "warning_path");
		const char *host = np_facts_find(&header->hosts[rank], "host");

		if (text != NULL)
			np_say(file, "path", "%s, %s", host != NULL ? host : "host", text);
	}
}

/* Appends a reason to the text of a quality: "; " between two. */
static void add_reason(struct np_quality *quality, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
static void add_reason(struct np_quality *quality, const char *format, ...)
{
	const size_t at = strlen(quality->reason);
	va_list arguments;

	snprintf(quality->reason + at, sizeof(quality->reason) - at, "%s",
		 at != 0 ? "; " : "");
	va_start(arguments, format);
	vsnprintf(quality->reason + strlen(quality->reason),
		  sizeof(quality->reason) - strlen(quality->reason), format, arguments);
	va_end(arguments);
}

/* Adds the clock error. */
static void add_clock(struct np_quality *quality, const struct np_run_header *header,
		      const struct clock_error *error)
{
	char grain[64], share[32];

	np_text_us(np_clock_grain(&header->clock) * 1e-9, grain, sizeof(grain));
	np_text_percent(error->share, share, sizeof(share));
	add_reason(quality,
		   "a reading is off by %s, up to %s of a sample, at %zu result%s: longer "
		   "--time-budget, or another clock source (netpong doctor)",
		   grain, share, error->rows, np_plural(error->rows));
}

/* Adds the reasons that make every figure poor. */
static void add_poor(struct np_quality *quality, const struct np_results *results,
		     const struct np_run_header *header, const struct np_table *table,
		     const struct np_findings *findings)
{
	const struct np_host_states *states = &findings->states;
	const bool faster = states->seen == NP_STATE_FASTER;
	const struct np_latency_bounds *bounds = &results->latency_bounds;
	const char *spoilt = np_text_spoilt(NULL, header);
	char text[160];

	if (findings->cut_off)
		add_reason(quality, "the run was cut off");
	if (spoilt != NULL)
		add_reason(quality, "%s", spoilt);
	if (states->seen != NP_STATE_EXPECTED)
		add_reason(quality,
			   "%s host state (core-to-core %.0f ns, expected at %s %.0f ns)",
			   faster ? "faster" : "slower", states->usual_ns,
			   faster ? "least" : "most",
			   faster ? bounds->least_ns : bounds->most_ns);
	if (findings->sentinel.state_ratio > 1) {
		np_text_sentinel(&findings->sentinel, text, sizeof(text));
		add_reason(quality, "%s", text);
	}
	const struct clock_error clock = clock_error_of(results, header, table);

	if (clock.share > clock_error_poor)
		add_clock(quality, header, &clock);
}

/* Adds the reasons that make single figures doubtful. */
static void add_doubts(struct np_quality *quality, const struct np_results *results,
		       const struct np_run_header *header, const struct np_table *table,
		       const struct np_findings *findings)
{
	const struct clock_error clock = clock_error_of(results, header, table);
	char sizes[128];

	if (clock.rows != 0 && clock.share <= clock_error_poor)
		add_clock(quality, header, &clock);

	if (np_text_warm(header, sizes, sizeof(sizes)))
		add_reason(quality,
			   "buffers in rotation were not cold at %s: give a larger "
			   "--pool",
			   sizes);
	if (header->cold_unchecked != NULL)
		add_reason(quality, "cold check not done: %s", header->cold_unchecked);
	if (findings->points_left_out != 0)
		add_reason(quality, "%zu of %zu left out for lack of time",
			   findings->points_left_out, results->points);
	if (findings->rows_few_units != 0)
		add_reason(quality, "no interval at %zu result%s: fewer than %d %s usable",
			   findings->rows_few_units, np_plural(findings->rows_few_units),
			   NP_UNITS_OF_INTERVAL, results->runs > 1 ? "runs" : "passes");
	if (findings->rows_bimodal != 0) {
		np_text_bytes(findings->bimodal->length, sizes, sizeof(sizes));
		add_reason(quality,
			   "samples bimodal at %zu result%s: at %s %.0f %% take %.3gx",
			   findings->rows_bimodal, np_plural(findings->rows_bimodal), sizes,
			   100 * findings->modes.share,
			   findings->modes.upper / findings->modes.lower);
	}
	if (findings->rows_other_state != 0)
		add_reason(
			quality, "too little in the usual host state at %zu result%s (~)",
			findings->rows_other_state, np_plural(findings->rows_other_state));
	if (findings->rows_faulted != 0)
		add_reason(quality,
			   "page faults at %zu (p): free memory, or give a smaller --pool",
			   findings->rows_faulted);
	if (findings->rows_unsteady != 0)
		add_reason(quality, "%zu not in steady state (s)", findings->rows_unsteady);
}

struct np_quality np_quality_of(const struct np_results *results,
				const struct np_run_header *header,
				const struct np_table *table,
				const struct np_findings *findings)
{
	/* Good: 90 % measured and precise, drift and other states up to 5 %; fair: 50 %
	 * precise, up to 20 %. */
	const double precise = share_precise(findings),
		     drift = findings->sentinel.drift > 0 ?
				     fabs(findings->sentinel.drift - 1) :
				     0,
		     other = findings->states.visits != 0 ?
				     (double)findings->states.other /
					     (double)findings->states.visits :
				     0;
	struct np_quality quality = { .grade = "POOR" };
	char text[160];

	add_poor(&quality, results, header, table, findings);
	if (quality.reason[0] == '\0' && precise >= 0.5 && drift <= 0.2 && other <= 0.2)
		quality.grade = 10 * findings->points_left_out <= results->points &&
						precise >= 0.9 && drift <= 0.05 &&
						other <= 0.05 ?
					"good" :
					"fair";
	if (drift > 0.05 && !(findings->sentinel.state_ratio > 1)) {
		np_text_sentinel(&findings->sentinel, text, sizeof(text));
		add_reason(&quality, "%s", text);
	}
	if (other > 0.05)
		add_reason(&quality, "%.0f %% of measurements in another host state",
			   100 * other);
	if (results->precision > 0 && (precise < 0.9 || quality.reason[0] == '\0'))
		add_reason(&quality, "%zu of %zu %s%s within +-%.3g %%",
			   findings->ratios != 0 ? findings->ratios_precise :
						   findings->rows_precise,
			   findings->ratios != 0 ? findings->ratios : findings->rows,
			   findings->ratios != 0 ? "ratio" : "time",
			   np_plural(findings->ratios != 0 ? findings->ratios :
							     findings->rows),
			   100 * results->precision);
	add_doubts(&quality, results, header, table, findings);
	return quality;
}

/* Returns the number of passes that measured a size. */
static unsigned count_passes(const struct np_results *results)
{
	unsigned passes = 0;

	for (size_t i = 0; i < results->count; i++) {
		const struct np_visit *visit = results->visits[i];

		/* Skip sentinels: a pass may end after its sentinel, without a size.  Skip
		 * rounds of --refine, which continue the count of passes. */
		if (!visit->sentinel && !visit->refine && visit->pass >= passes)
			passes = visit->pass + 1;
	}
	return passes;
}

static void say_quality(FILE *file, const struct np_results *results,
			const struct np_quality *quality)
{
	const char *between = quality->reason[0] != '\0' ? "; " : "";
	char units[64] = "";

	if (results->runs > 1)
		snprintf(units, sizeof(units), "%s%u runs", between, results->runs);
	else if (results->seconds > 0)
		snprintf(units, sizeof(units), "%s%u pass%s, %.3g s", between,
			 count_passes(results), count_passes(results) == 1 ? "" : "es",
			 results->seconds);
	np_say(file, "quality", "%s: %s%s", quality->grade, quality->reason, units);
}

/* Returns the size at which cold buffers cost most, or 0. */
static size_t worst_size(const struct np_findings *findings)
{
	for (size_t i = 0; i < findings->cost_count; i++) {
		const struct np_cost *cost = &findings->costs[i];

		if (cost->like.mode == NP_MODE_ROTATE && cost->slow_range_count != 0)
			return cost->slow_ranges[0].worst->length;
	}
	return 0;
}

static bool measured_mode(const struct np_findings *findings, enum np_mode mode)
{
	for (size_t i = 0; i < findings->cost_count; i++) {
		if (findings->costs[i].like.mode == mode)
			return true;
	}
	return false;
}

/* Formats the option that gives every result an interval.  If all have one, and more than a
 * tenth are imprecise at the time limit: four times the time, which halves their width.
 * Empty if neither applies. */
static void remedy_text(const struct np_results *results, const struct np_plan *plan,
			const struct np_findings *findings, char *text, size_t size)
{
	const double limit_s = plan != NULL ? plan->command_s : 0;

	*text = '\0';
	if (findings->cut_off)
		return;
	if (findings->fewest_units != 0 && results->runs > 1)
		snprintf(text, size, "--runs %d (intervals)", NP_UNITS_OF_INTERVAL);
	else if (plan == NULL)
		return;
	else if (findings->fewest_units != 0 && plan->passes < NP_UNITS_OF_INTERVAL)
		snprintf(text, size, "--passes %d (intervals)", NP_UNITS_OF_INTERVAL);
	else if (findings->fewest_units != 0 && !(limit_s > 0))
		snprintf(text, size, "--passes %u (intervals)", 2 * plan->passes);
	else if (findings->fewest_units != 0)
		snprintf(text, size, "--time-budget %.0f%s (intervals)",
			 ceil(NP_BUDGET_RECOMMENDED * (double)NP_UNITS_OF_INTERVAL /
			      (double)findings->fewest_units * limit_s),
			 plan->size_count > 1 ? ", or fewer sizes" : "");
	else if (results->ended == NP_ENDED_BY_TIME && results->precision > 0 &&
		 results->runs <= 1 && share_precise(findings) < 0.9)
		snprintf(text, size, "--time-budget %.0f (halves intervals)",
			 ceil(4 * limit_s));
}

/* Prints in one paragraph what to try next. */
static void say_next(FILE *file, const struct np_results *results,
		     const struct np_run_header *header, const struct np_findings *findings)
{
	const size_t worst = worst_size(findings);
	const struct np_module *module = header->module;
	char text[400], bytes[24];
	size_t used;

	remedy_text(results, header->plan, findings, text, sizeof(text));
	used = strlen(text);
	np_size_text(worst, bytes, sizeof(bytes));
	if (worst != 0)
		snprintf(text + used, sizeof(text) - used, "%s--%s %s (%s)",
			 used != 0 ? "; " : "", findings->one_question ? "capacity" : "why",
			 bytes,
			 findings->one_question ? "how many buffers stay fast" : "cause");
	else if (!measured_mode(findings, NP_MODE_ROTATE) &&
		 results->operation == NP_PINGPONG && !findings->one_question &&
		 !results->per_message)
		snprintf(text + used, sizeof(text) - used, "%s-I (cold buffers)",
			 used != 0 ? "; " : "");
	used = strlen(text);
	if (results->runs == 1 && results->job_size != 0 && module != NULL)
		snprintf(text + used, sizeof(text) - used,
			 "%snot within a launcher: %s --launcher '%s %d' --runs 8",
			 used != 0 ? "; " : "", module->program, module->job->launcher,
			 results->job_size);
	else if (results->runs == 1)
		snprintf(text + used, sizeof(text) - used, "%s",
			 used != 0 ? "; --runs 8" : "--runs 8 (do runs differ?)");
	if (*text != '\0')
		np_say(file, "next", "%s", text);
}

/* Prints the cost of a new connection, if it is significant. */
static void say_connection(FILE *file, const struct np_new_connection *found)
{
	char bytes[32], first[64], steady[64], slower[96];

	if (!found->significant)
		return;
	np_text_bytes(found->length, bytes, sizeof(bytes));
	np_text_us(found->first_s, first, sizeof(first));
	np_text_us(found->steady_s, steady, sizeof(steady));
	np_text_slower(found->ratio, found->low, found->high, slower, sizeof(slower));
	np_say(file, "connection", "new: %s at %s, after %llu message%s %s: %s", first,
	       bytes, (unsigned long long)found->after, np_plural(found->after), steady,
	       slower);
}

void np_text_slowest(const struct np_results *results, char *text, size_t size)
{
	const bool runs = results->runs > 1 || results->slowest.count > 1;
	const struct np_job_slowest slowest = np_slowest_find(&results->slowest, runs);
	const double error_rate = 0.01;
	char chance[32];

	*text = '\0';
	if (slowest.passes == 0 || np_slowest_chance(&slowest) > error_rate)
		return;
	np_text_percent(np_slowest_chance(&slowest), chance, sizeof(chance));
	snprintf(text, size,
		 "%u, host %s core %d: in %u of %u %s, of %u ranks; by chance: %s",
		 slowest.rank, slowest.host, slowest.core, slowest.times, slowest.passes,
		 runs ? "runs" : "passes", slowest.ranks, chance);
}

/* Formats "64 KiB, minute 17", with mode and variant where there are several. */
static void minute_text(const struct np_results *results, const struct np_visit *visit,
			char *text, size_t size)
{
	const char *variant = np_variant_name(results, visit->variant);
	char bytes[32];

	np_text_bytes(visit->length, bytes, sizeof(bytes));
	snprintf(text, size, "minute %u, %s%s%s%s%s", visit->pass + 1, bytes,
		 visit->mode != NP_MODE_REUSE ? ", " : "",
		 visit->mode != NP_MODE_REUSE ? np_mode_text(visit->mode) : "",
		 variant != NULL ? ", " : "", variant != NULL ? variant : "");
}

void np_text_minute(FILE *file, const struct np_results *results,
		    const struct np_visit *visit)
{
	char text[160], time[64], rate[64], least[64];
	double longest_s = 0;

	for (unsigned i = 0; i < visit->blocks; i++)
		longest_s = fmax(longest_s, visit->block_median_s[i]);
	minute_text(results, visit, text, sizeof(text));
	np_text_us(visit->median_s, time, sizeof(time));
	np_text_rate(np_rate_of(results, visit->length, visit->median_s), rate,
		     sizeof(rate));
	np_text_rate(np_rate_of(results, visit->length, longest_s), least, sizeof(least));
	fprintf(file, "%s: %s, %s, least %s\n", text, time, rate, least);
	fflush(file);
}

/* --watch: prints the least rate, and the minutes that are slower than the others. */
static void say_minutes(FILE *file, const struct np_results *results,
			const struct np_minutes *minutes)
{
	char text[160], rate[64], percent[32];

	if (minutes->least == NULL)
		return;
	minute_text(results, minutes->least, text, sizeof(text));
	np_text_rate(minutes->least_mbps, rate, sizeof(rate));
	np_text_percent(minutes->least_median_s / minutes->least->median_s - 1, percent,
			sizeof(percent));
	np_say(file, "least rate", "%s in %s, a second %s slower than that minute", rate,
	       text, percent);
	if (minutes->slow_count == 0)
		np_say(file, "slow minutes", "none, at FDR 1 %%");
	for (size_t i = 0; i < minutes->slow_count && i < NP_SLOW_MINUTES; i++) {
		minute_text(results, minutes->slow[i].visit, text, sizeof(text));
		np_text_percent(minutes->slow[i].ratio - 1, percent, sizeof(percent));
		np_say(file, i == 0 ? "slow minutes" : "", "%s: %s slower", text, percent);
	}
}

void np_text_summary(FILE *file, const struct np_results *results,
		     const struct np_run_header *header, const struct np_table *table,
		     const struct np_findings *findings, bool verbose)
{
	char slowest[NP_SLOWEST_TEXT];

	if (findings->latency == NULL) {
		fputs("nothing was measured\n", file);
		return;
	}
	if (!findings->one_question) {
		say_figures(file, results, table, findings->latency);
		if (table->rows[table->row_count - 1].length != table->rows[0].length ||
		    verbose)
			np_text_costs(file, results, table, findings, verbose);
		say_comparisons(file, results, findings, verbose);
		np_text_shape(file, results, header, table, findings, verbose);
		if (verbose)
			say_connection(file, &findings->new_connection);
	}
	if (verbose)
		np_text_cold(file, header, true);
	say_minutes(file, results, &findings->minutes);
	np_text_slowest(results, slowest, sizeof(slowest));
	if (*slowest != '\0')
		np_say(file, "slowest rank", "%s", slowest);
	say_path(file, results, header, table);
}

void np_text_quality(FILE *file, const struct np_results *results,
		     const struct np_run_header *header, const struct np_table *table,
		     const struct np_findings *findings, bool next)
{
	/* Clauses that ended the run have their own error rate. */
	if (findings->latency == NULL || results->ended == NP_ENDED_DECIDED)
		return;
	const struct np_quality quality = np_quality_of(results, header, table, findings);

	say_quality(file, results, &quality);
	if (next)
		say_next(file, results, header, findings);
}
