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

/* Returns the name of a mode in sentences. */
static const char *mode_text(enum np_mode mode)
{
	switch (mode) {
	case NP_MODE_REUSE:
		return "one buffer";
	case NP_MODE_ROTATE:
		return "cold buffers";
	case NP_MODE_FRESH:
		return "fresh buffers";
	default:
		return np_mode_name(mode);
	}
}

static bool has_modes(const struct np_table *table)
{
	for (size_t i = 1; i < table->row_count; i++) {
		if (table->rows[i].mode != table->rows[0].mode &&
		    table->rows[i].mode != NP_MODE_CONTROL)
			return true;
	}
	return false;
}

/* Formats "25.81 us (CI 21.40 to 27.70, this run)". */
static void time_text(const struct np_results *results, const struct np_row *row,
		      char *text, size_t size)
{
	char value[64], low[64], high[64];

	np_text_us(row->median_s, value, sizeof(value));
	np_text_number(row->ci_low_s * 1e6, 4, low, sizeof(low));
	np_text_number(row->ci_high_s * 1e6, 4, high, sizeof(high));
	if (isnan(row->ci_low_s))
		snprintf(text, size, "%s", value);
	else
		snprintf(text, size, "%s (CI %s to %s, %s)", value, low, high,
			 results->runs > 1 ? "over runs" : "this run");
}

static void say_latency(FILE *file, const struct np_results *results,
			const struct np_table *table, const struct np_row *least)
{
	const char *title = results->operation == NP_PINGPONG ? "latency" : "least time";
	char bytes[32], text[256];

	np_text_size_unit(least->length, bytes, sizeof(bytes));
	for (size_t i = 0; i < table->row_count; i++) {
		const struct np_row *row = &table->rows[i];
		const char *variant = np_variant_name(results, row->variant);

		if (row->length != least->length || row->mode == NP_MODE_CONTROL)
			continue;
		time_text(results, row, text, sizeof(text));
		np_say(file, title, "%s at %s%s%s%s%s", text, bytes,
		       variant != NULL ? ", " : "", variant != NULL ? variant : "",
		       has_modes(table) ? ", " : "",
		       has_modes(table) ? mode_text(row->mode) : "");
		title = "";
	}
}

static void say_bandwidth(FILE *file, const struct np_results *results,
			  const struct np_table *table, const struct np_row *peak)
{
	const char *variant;
	char bytes[32], rate[64], megabytes[64];

	if (peak == NULL)
		return;
	variant = np_variant_name(results, peak->variant);
	np_text_size_unit(peak->length, bytes, sizeof(bytes));
	np_text_rate(peak->mbps, rate, sizeof(rate));
	np_text_number(peak->mbps / 8, 4, megabytes, sizeof(megabytes));
	np_say(file, "bandwidth", "%s (%s MB/s) at %s%s%s%s%s", rate, megabytes, bytes,
	       variant != NULL ? ", " : "", variant != NULL ? variant : "",
	       has_modes(table) ? ", " : "", has_modes(table) ? mode_text(peak->mode) : "");
}

/* Prints a line for each mode and each variant but the first, against the first; then the
 * control. */
static void say_comparisons(FILE *file, const struct np_results *results,
			    const struct np_findings *findings)
{
	for (size_t i = 0; i < findings->comparison_count; i++) {
		const struct np_comparison *comparison = &findings->comparisons[i];
		char counts[160];
		const char *over = np_variant_name(results, comparison->like.variant),
			   *base = np_variant_name(results, comparison->like.base_variant);

		if (over == NULL || base == NULL)
			continue;
		np_text_verdict_counts(comparison->verdicts, comparison->pairs, counts,
				       sizeof(counts));
		np_say(file, i == 0 ? "variants" : "",
		       "%s over %s: %.3fx at the median size (%.3fx to %.3fx), %s; %s",
		       over, base, comparison->ratio, comparison->least, comparison->most,
		       np_mode_name(comparison->like.mode), counts);
	}
	/* With -I np_text_costs() prints the control. */
	const struct np_comparison *first = &findings->comparisons[0];
	if (findings->comparison_count == 0 || findings->cost_count != 0 ||
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

/* Share of a sample from which an error of the clock makes a run poor: several times the
 * usual --precision. */
static const double clock_error_poor = 0.1;

/* Largest share of a sample that the clock may be wrong by, and the rows where it is more
 * than 1 %. */
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

/* Prints by how much the clock spoils samples, if that is more than 1 %. */
static void say_clock(FILE *file, const struct np_run_header *header,
		      const struct clock_error *error)
{
	char grain[64], share[32];

	if (error->rows == 0)
		return;
	np_text_us(np_clock_grain(&header->clock) * 1e-9, grain, sizeof(grain));
	np_text_percent(error->share, share, sizeof(share));
	np_say(file, "clock",
	       "a reading is off by %s, up to %s of a sample, at %zu result%s: give a "
	       "longer --time-budget, or another clock source (netpong doctor)",
	       grain, share, error->rows, np_plural(error->rows));
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
	np_text_size_unit(events->most->length, bytes, sizeof(bytes));
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
		np_say(file, "path",
		       "%s%s%s: times include them; look for loss and short queues "
		       "(ethtool -S)",
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

/* Adds what makes every figure of a run poor. */
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
	if (clock_error_of(results, header, table).share > clock_error_poor)
		add_reason(quality, "the clock is too coarse");
}

struct np_quality np_quality_of(const struct np_results *results,
				const struct np_run_header *header,
				const struct np_table *table,
				const struct np_findings *findings)
{
	/* Good: 90 % precise, drift and other states up to 5 %; fair: 50 % and 20 %. */
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
		quality.grade =
			precise >= 0.9 && drift <= 0.05 && other <= 0.05 ? "good" : "fair";
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
	return quality;
}

/* Ending of the line of quality; np_text_state() prints the expected latency. */
static const char *const state_words[] = {
	[NP_STATE_EXPECTED] = "",
	[NP_STATE_SLOWER] = ", a slower host state than expected",
	[NP_STATE_FASTER] = ", a faster host state than expected",
};

static void say_quality(FILE *file, const struct np_results *results,
			const struct np_findings *findings, const char *grade)
{
	const char *title = "quality";
	char ratios[64] = "", text[160];

	if (findings->ratios != 0)
		snprintf(ratios, sizeof(ratios), "%zu of %zu ratio%s and ",
			 findings->ratios_precise, findings->ratios,
			 np_plural(findings->ratios));
	if (results->precision > 0) {
		np_say(file, title, "%s: %s%zu of %zu time%s within +-%.3g %% (%d %% CI%s)",
		       grade, ratios, findings->rows_precise, findings->rows,
		       np_plural(findings->rows), 100 * results->precision,
		       NP_CONFIDENCE_PERCENT,
		       results->runs > 1 ? " over runs" : " of this run");
		title = "";
	}
	if (findings->rows_few_units != 0) {
		np_say(file, title,
		       "no interval for %zu result%s: %llu %s usable; %d needed",
		       findings->rows_few_units, np_plural(findings->rows_few_units),
		       (unsigned long long)findings->fewest_units,
		       results->runs > 1 ? "runs" : "passes", NP_UNITS_OF_INTERVAL);
		title = "";
	}
	np_text_sentinel(&findings->sentinel, text, sizeof(text));
	if (text[0] != '\0') {
		np_say(file, title, "%s", text);
		title = "";
	}
	if (findings->states.usual_ns > 0)
		np_say(file, title,
		       "core-to-core latency %.0f ns%s; %zu of %zu measurement%s in "
		       "another host state, %zu repeated",
		       findings->states.usual_ns, state_words[findings->states.seen],
		       findings->states.other, findings->states.visits,
		       np_plural(findings->states.visits), findings->states.redone);
}

/* Lists the sizes without the requested precision: "64, 4K and 12 more"; empty if there are
 * none. */
static void list_imprecise(const struct np_results *results, const struct np_table *table,
			   char *text, size_t size)
{
	enum { NAMED = 6 };
	size_t count = 0;
	int at = 0;

	text[0] = '\0';
	for (size_t i = 0; i < table->row_count; i++) {
		const struct np_row *row = &table->rows[i];
		char bytes[32];

		if ((i != 0 && table->rows[i - 1].length == row->length) ||
		    np_table_is_precise(table, results->precision, row->length,
					NP_AXIS_NONE, 0) ||
		    count++ >= NAMED)
			continue;
		np_size_text(row->length, bytes, sizeof(bytes));
		at += snprintf(text + at, size - (size_t)at, "%s%s", at != 0 ? ", " : "",
			       bytes);
	}
	if (count > NAMED)
		snprintf(text + at, size - (size_t)at, " and %zu more", count - NAMED);
}

/* Prints why the run ended, and the sizes that are imprecise. */
static void say_end(FILE *file, const struct np_results *results,
		    const struct np_table *table, const struct np_findings *findings)
{
	static const char *const why[] = {
		[NP_ENDED_BY_TIME] = "at the time limit",
		[NP_ENDED_PRECISE] = "when all sizes had the precision",
		[NP_ENDED_DECIDED] = "when --expect was decided",
		[NP_ENDED_PASSES] = "when all --passes were made",
	};
	const char *left = "";
	char sizes[512] = "";
	unsigned passes = 0;

	if (results->ended == NP_ENDED_UNKNOWN || results->runs > 1 || findings->cut_off)
		return;
	for (size_t i = 0; i < results->count; i++) {
		const struct np_visit *visit = results->visits[i];

		/* Skip sentinels: a pass that ended after its sentinel has measured no
		 * size. */
		passes = !visit->sentinel && visit->pass >= passes ? visit->pass + 1 :
								     passes;
	}
	if (results->ended == NP_ENDED_BY_TIME && results->precision > 0 &&
	    !findings->one_question)
		list_imprecise(results, table, sizes, sizeof(sizes));
	if (sizes[0] != '\0')
		left = "; sizes not yet precise: ";
	np_say(file, "ended", "%s, after %.3g s and %u pass%s%s%s", why[results->ended],
	       results->seconds, passes, passes == 1 ? "" : "es", left, sizes);
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

/* Prints the option with which every result gets enough units for an interval.  Returns
 * false if all have one, or the run was cut off. */
static bool say_units(FILE *file, const char *title, const struct np_results *results,
		      const struct np_plan *plan, const struct np_findings *findings)
{
	if (findings->fewest_units == 0 || findings->cut_off)
		return false;
	if (results->runs > 1) {
		np_say(file, title, "--runs %d (intervals and verdicts)",
		       NP_UNITS_OF_INTERVAL);
	} else if (plan->passes < NP_UNITS_OF_INTERVAL) {
		np_say(file, title, "--passes %d (intervals and verdicts)",
		       NP_UNITS_OF_INTERVAL);
	} else {
		const double passes =
			(double)NP_UNITS_OF_INTERVAL / (double)findings->fewest_units;

		np_say(file, title,
		       "--time-budget %.0f, or fewer sizes (intervals and verdicts: %d "
		       "passes)",
		       ceil(NP_BUDGET_RECOMMENDED * passes * plan->command_s),
		       NP_UNITS_OF_INTERVAL);
	}
	return true;
}

/* Prints a time limit that halves the width of intervals, with four times the passes, if
 * the time limit ended the run with more than a tenth of intervals imprecise.  Returns
 * whether it was printed. */
static bool say_time(FILE *file, const char *title, const struct np_results *results,
		     const struct np_plan *plan, const struct np_findings *findings)
{
	if (results->ended != NP_ENDED_BY_TIME || results->precision <= 0 ||
	    results->runs > 1 || findings->cut_off || share_precise(findings) >= 0.9)
		return false;
	np_say(file, title, "--time-budget %.0f (intervals half as wide)",
	       ceil(4 * plan->command_s));
	return true;
}

static void say_next(FILE *file, const struct np_results *results,
		     const struct np_run_header *header, const struct np_findings *findings)
{
	const size_t worst = worst_size(findings);
	const bool rotates = measured_mode(findings, NP_MODE_ROTATE),
		   fresh = header->module != NULL &&
			   (header->module->capabilities & NP_CAN_FRESH) != 0;
	const char *title = "next";
	char size[32];

	if (say_units(file, title, results, header->plan, findings) ||
	    say_time(file, title, results, header->plan, findings))
		title = "";
	np_size_text(worst, size, sizeof(size));
	if (worst != 0 && findings->one_question) {
		np_say(file, title, "--capacity %s (how many buffers stay fast)", size);
		title = "";
	} else if (worst != 0) {
		np_say(file, title,
		       "--why %s (which cause), --capacity %s (how many "
		       "buffers stay fast)",
		       size, size);
		title = "";
	} else if (!rotates && results->operation == NP_PINGPONG &&
		   !findings->one_question && !results->per_message) {
		np_say(file, title, "-I (what do cold buffers cost?)");
		title = "";
	}
	if (rotates && fresh && !measured_mode(findings, NP_MODE_FRESH)) {
		np_say(file, title,
		       "--buffers fresh (cost of buffers never used before: "
		       "registration caches, eager buffers)");
		title = "";
	}
	if (results->runs == 1 && results->job_size != 0 && header->module != NULL)
		np_say(file, title,
		       "not within a launcher: %s --launcher '%s %d' --runs 8 (how much do "
		       "runs differ?)",
		       header->module->program, header->module->job->launcher,
		       results->job_size);
	else if (results->runs == 1)
		np_say(file, title, "--runs 8 (how much do runs differ?)");
}

/* Prints the cost of a new connection, if it is significant. */
static void say_connection(FILE *file, const struct np_new_connection *found)
{
	char bytes[32], first[64], steady[64], slower[96];

	if (!found->significant)
		return;
	np_text_size_unit(found->length, bytes, sizeof(bytes));
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

void np_text_summary(FILE *file, const struct np_results *results,
		     const struct np_run_header *header, const struct np_table *table,
		     const struct np_findings *findings, bool verbose)
{
	const struct clock_error clock_error = clock_error_of(results, header, table);
	char slowest[NP_SLOWEST_TEXT];

	if (findings->latency == NULL) {
		fputs("nothing was measured\n", file);
		return;
	}
	fputc('\n', file);
	if (!findings->one_question) {
		say_latency(file, results, table, findings->latency);
		say_bandwidth(file, results, table, findings->peak);
		np_text_costs(file, results, findings);
		say_comparisons(file, results, findings);
		np_text_shape(file, results, header, table, findings);
		say_connection(file, &findings->new_connection);
	}
	np_text_cold(file, header, verbose);
	np_text_slowest(results, slowest, sizeof(slowest));
	if (*slowest != '\0')
		np_say(file, "slowest rank", "%s", slowest);
	say_quality(file, results, findings,
		    np_quality_of(results, header, table, findings).grade);
	say_clock(file, header, &clock_error);
	say_path(file, results, header, table);
	say_end(file, results, table, findings);
	say_next(file, results, header, findings);
}
