/*
 * output.h - output of a run: terminal, JSON Lines, NetPIPE's file, progress line.
 *
 * Result files are created before the measurement, so that a wrong name costs no run.
 * Every line is flushed and checked as it is written, so that a full disk is an error
 * and a killed run keeps its results.
 */
#pragma once

#include <jansson.h>
#include <stdio.h>

#include "base/facts.h"
#include "base/units.h"
#include "contract/np_module.h"
#include "machine/host.h"
#include "machine/probe.h"
#include "plan/plan.h"
#include "plan/variants.h"
#include "questions/capacity.h"
#include "questions/expectation.h"
#include "questions/refined.h"
#include "questions/reuse.h"
#include "questions/tune.h"
#include "results/findings.h"
#include "results/results.h"

/* Version of the format of result files: "format" of the header. */
enum { NP_RESULTS_FORMAT = 2 };

/* Cold check of one size by both processes: load times of warm and of rotating buffers. */
struct np_cold_check {
	size_t length;
	struct np_cold_probe probes[2];
};
enum { NP_COLD_CHECKS = 3 };

/* Settings and facts of a run, besides its results. */
struct np_run_header {
	const struct np_module *module;
	const char *version;
	const struct np_option_set *sets; /* values of the driver and of the module */
	size_t set_count;
	const struct np_plan *plan;
	const struct np_request *request;
	const struct np_variants *variants; /* --variant; or NULL */
	bool two_hosts;			    /* rank 0 and rank 1 share no cache */
	struct np_clock_quality clock;
	struct np_facts hosts[2];	    /* facts of the hosts of rank 0 and rank 1 */
	struct np_facts paths[2];	    /* facts of the module in both processes */
	const struct np_refining *refining; /* --refine: summary of the search; or NULL */
	struct np_cold_check cold[NP_COLD_CHECKS];
	size_t cold_count;
	const char *cold_unchecked; /* why a check would be meaningless; or NULL */
};

struct np_output {
	const struct np_options *options;
	FILE *json, *netpipe; /* NULL: not requested */
	/* Names of backups of earlier files; NULL: none. */
	char *kept_json, *kept_netpipe;
	bool progress; /* stderr is a terminal, and not --quiet */
	bool live; /* stdout is a terminal, too: redraw the table while the run goes on */
	bool progress_shown;
	size_t live_lines;	/* lines of the table on the screen */
	double line_s, table_s; /* elapsed seconds at the last drawing of line and table */
};

/* Checks, before a process is started, that the result files can be created, and that
 * --json and -o name different files.  Returns 0 or -errno. */
int np_output_check(const struct np_options *options, struct np_error *error);

/* Creates the result files; without --force, existing ones are kept as FILE.~N~.  Returns
 * 0; or -errno, with the existing files restored.  np_output_close() is to be called in
 * either case. */
int np_output_open(struct np_output *output, const struct np_options *options,
		   struct np_error *error);

/* Closes the result files.  Returns 0, or -errno for a late write error (full disk). */
int np_output_close(struct np_output *output, struct np_error *error);

/* Prints the name of the backup of the file at path, unless kept is NULL. */
void np_text_kept(FILE *file, const char *kept, const char *path);

/*
 * Prints and writes table, findings and rows.  reason: why the run ended early, or NULL.
 * Returns 0 or -errno.
 */
int np_output_report(const struct np_output *output, const struct np_results *results,
		     const struct np_run_header *header, const struct np_error *reason,
		     struct np_error *error);

/* Grade of a run, "good", "fair" or "POOR", and the reasons for it. */
struct np_quality {
	const char *grade;
	char reason[480];
};

/* JSON Lines: netpong-results(5).  Each function writes lines and returns 0 or -errno. */
int np_json_header(FILE *file, const struct np_run_header *header, struct np_error *error);
int np_json_probe(FILE *file, size_t length, const struct np_cold_probe *probes,
		  struct np_error *error);
int np_json_visit(FILE *file, const struct np_results *results,
		  const struct np_measured *measured, struct np_error *error);
int np_json_superseded(FILE *file, unsigned run_index, uint64_t serial,
		       struct np_error *error);
int np_json_connection(FILE *file, const struct np_warm_up *connection,
		       struct np_error *error);
/* Writes a condition of --why: its two settings, or why it is not measured. */
int np_json_condition(FILE *file, const struct np_results *results, enum np_factor factor,
		      struct np_error *error);
int np_json_checked(FILE *file, const struct np_results *results, size_t length,
		    enum np_mode mode, size_t variant, uint64_t messages,
		    struct np_error *error);
/* Writes rows, pairs, causes and findings.  reason: why the run ended early, or NULL. */
int np_json_table(FILE *file, const struct np_results *results,
		  const struct np_table *table, const struct np_findings *findings,
		  const struct np_error *reason, struct np_error *error);
/* Writes the result of --why; nothing without it. */
int np_json_causes(FILE *file, const struct np_results *results, struct np_error *error);
/* Writes the slowest rank of a communication pattern; nothing if none is known. */
int np_json_slowest(FILE *file, const struct np_results *results, struct np_error *error);
/* Writes points and knees of --capacity. */
int np_json_capacity(FILE *file, const struct np_results *results,
		     const struct np_capacity *capacity, struct np_error *error);
/* Writes the result of --expect, a line for each clause; nothing without it. */
int np_json_expectation(FILE *file, const struct np_expectation *expectation,
			struct np_error *error);
/* Parses a line.  Returns 1 and a visit, which the caller frees; 0 for another kind of
 * line, and stores conditions, warm-ups and superseded visits in results; -errno for an
 * invalid line. */
int np_json_read_visit(const char *line, struct np_results *results,
		       struct np_measured **measured, struct np_error *error);

/* Reads the usual core-to-core latency of a result file, for --reference.  Returns 0, or
 * -errno with NP_ERROR_USAGE. */
int np_reference_read(const char *path, double *usual_ns, struct np_error *error);

/* Takes a parsed line of a file of netpong record.  Returns 0, or -EBADMSG or -ENOMEM with
 * a text that names neither file nor line. */
int np_uses_take(struct np_uses *record, const json_t *object, struct np_error *error);

/* Reads the file of --replay, and writes the points to measure (plan/points.h), which the
 * caller frees.  Returns 0, or -errno with NP_ERROR_USAGE. */
int np_uses_points(const char *path, char **points, struct np_error *error);

/* Terminal: lines of at most 80 columns. */
/* Prints what will be measured. */
void np_text_head(FILE *file, const struct np_run_header *header);
/* Returns why a host spoils every figure: too few cores, a CPU quota; NULL: none does.
 * Prints the warnings, unless file is NULL. */
const char *np_text_spoilt(FILE *file, const struct np_run_header *header);
/* Prints these warnings, and departures from the request: sizes skipped, memory reduced. */
void np_text_notes(FILE *file, const struct np_run_header *header);
/* Describes the drift of the sentinel, or its two host states; empty without either. */
void np_text_sentinel(const struct np_sentinel *sentinel, char *text, size_t size);
/* Describes a run that was in an unexpected host state as a whole, and the bounds of the
 * expected one. */
void np_text_state(const struct np_host_states *states,
		   const struct np_latency_bounds *bounds, char *text, size_t size);
/* Prints all settings (-v). */
void np_text_settings(FILE *file, const struct np_run_header *header);
/* Lists the sizes at which rotating buffers were not cold.  Returns false without any. */
bool np_text_warm(const struct np_run_header *header, char *text, size_t size);
/* Prints the outcome of the cold check in a line; verbose: the load times of each size and
 * process, too. */
void np_text_cold(FILE *file, const struct np_run_header *header, bool verbose);
/* Prints the summary: latency, bandwidth, cost of cold buffers, steps. */
void np_text_summary(FILE *file, const struct np_results *results,
		     const struct np_run_header *header, const struct np_table *table,
		     const struct np_findings *findings, bool verbose);
/* Prints the line of quality and, with `next`, what to try next. */
void np_text_quality(FILE *file, const struct np_results *results,
		     const struct np_run_header *header, const struct np_table *table,
		     const struct np_findings *findings, bool next);
/* Grades a table with rows. */
struct np_quality np_quality_of(const struct np_results *results,
				const struct np_run_header *header,
				const struct np_table *table,
				const struct np_findings *findings);
/* Prints the warnings of hosts and paths, at most three. */
void np_text_warnings(FILE *file, const struct np_results *results,
		      const struct np_run_header *header,
		      const struct np_findings *findings);
/* Prints the line of a minute of --watch: its median and its least rate. */
void np_text_minute(FILE *file, const struct np_results *results,
		    const struct np_visit *visit);
/* Prints the tables; without all_rows, those of many sizes have the first size of every
 * octave, or of every second or third. */
void np_text_table(FILE *file, const struct np_results *results,
		   const struct np_table *table, bool all_rows);
/* Prints the code paths (-v), by ranges of sizes. */
void np_text_code_paths(FILE *file, const struct np_results *results,
			const struct np_table *table);
/* Prints causes of --why.  Returns 0 or -ENOMEM. */
int np_text_causes(FILE *file, const struct np_results *results);
/* Prints steps, dropouts and lines of the curves, as part of np_text_summary(); nothing
 * without memory. */
void np_text_shape(FILE *file, const struct np_results *results,
		   const struct np_run_header *header, const struct np_table *table,
		   const struct np_findings *findings, bool verbose);
/* Describes the effect of a bend. */
struct np_break;
void np_text_bend(const struct np_break *at, char *text, size_t size);
/* Describes the slowest rank of a communication pattern; empty if it is not significant. */
enum { NP_SLOWEST_TEXT = 240 };
void np_text_slowest(const struct np_results *results, char *text, size_t size);
/* Prints the cost of each mode over its base, as part of np_text_summary(). */
void np_text_costs(FILE *file, const struct np_results *results,
		   const struct np_table *table, const struct np_findings *findings,
		   bool verbose);
/* Name of a mode in sentences: "cold buffers". */
const char *np_mode_text(enum np_mode mode);
/* Formats a range of sizes: "64 B to 8 KiB (12 sizes)"; "64 B" for one. */
void np_text_sizes(size_t smallest, size_t largest, size_t sizes, char *text, size_t size);
/* Formats a range with its ratio: "64 B to 8 KiB (12 sizes): 3.4 % slower [2.6, 4.1]". */
void np_text_range(const struct np_pair_range *range, char *text, size_t size);
/* Formats the number of sizes of each verdict, out of `sizes`, with the false discovery
 * rate. */
void np_text_verdict_counts(const size_t counts[NP_VERDICTS], size_t sizes, size_t too_few,
			    char *text, size_t size);
/* Formats event counts that differ: "page faults 0.00 -> 2.00 per message". */
void np_text_changes(const struct np_change *changes, size_t count, char *text,
		     size_t size);
/* Prints the knees and points of a capacity sweep; without all_rows, points at powers of
 * two and beside knees. */
void np_text_capacity(FILE *file, const struct np_capacity *capacity, bool all_rows);
/* Prints the points of --replay, and how many were left out; header NULL: of a file. */
void np_text_replay(FILE *file, const struct np_replay *replay,
		    const struct np_run_header *header);
/* Prints the result of --expect: a line for each clause, and a last line that sums them up
 * for a log.  cut_off: why the run is incomplete, so that no clause passes; or NULL. */
void np_text_expectation(FILE *file, const struct np_expectation *expectation,
			 const char *cut_off);
/* Prints a histogram of each row (--per-message). */
void np_text_histograms(FILE *file, const struct np_results *results,
			const struct np_table *table);

/* Formats a number in so many digits, without an exponent; "-" for NAN. */
void np_text_number(double value, int digits, char *text, size_t size);

/* Format times and rates: "25.81 us", "54.00 Gbit/s". */
void np_text_us(double seconds, char *text, size_t size);
void np_text_rate(double mbps, char *text, size_t size);

/* Formats a ratio of times with its interval: "3.4 % slower [2.6, 4.1]", "6.61x slower
 * [..]". */
void np_text_slower(double ratio, double low, double high, char *text, size_t size);

/* Formats bytes in the largest exact unit: "4 KiB", "131 B". */
void np_text_bytes(size_t bytes, char *text, size_t size);

/* Formats bytes in four digits: "1.5 MiB". */
void np_text_about(double bytes, char *text, size_t size);

/* Formats a fraction in percent with two digits, or all before the point: "0.13 %", "590
 * %". */
void np_text_percent(double share, char *text, size_t size);

/* Formats a detection limit, a ratio less 1, in percent: "4.3 %".  A ratio above 10, of too
 * few passes, means no detection: "above 10x". */
void np_text_detection(double share, char *text, size_t size);

/* State of a run for its line of progress. */
struct np_progress {
	unsigned pass;
	size_t length;
	double share, limit_s; /* elapsed share of the time limit, 0 to 1; seconds */
	bool table;	       /* the results make a table */
};

/* Draws the line of progress on stderr, at most every 0.2 s, and the table above it less
 * often. */
void np_progress_show(struct np_output *output, const struct np_results *results,
		      const struct np_progress *progress);
void np_progress_clear(struct np_output *output);
