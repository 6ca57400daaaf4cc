/*
 * text.h - findings of runs as text for a terminal.
 */
#pragma once

#include <stdio.h>

#include "report/curves/run.h"
#include "report/curves/compare.h"

/* Print a run: answer, machine, and findings of each curve; np_text_findings() without the
 * answer, which a page of --html has at its head. */
void np_text_run(FILE *file, const struct np_run *run, const struct np_analysis *analyses);
void np_text_findings(FILE *file, const struct np_run *run,
		      const struct np_analysis *analyses);

/* Prints LogGP parameters for each ping-pong and stream of one program on one host. */
void np_text_loggp(FILE *file, const struct np_run *runs,
		   struct np_analysis *const *analyses, size_t count);

/* Print the answer of a run, and of a comparison, in a few lines; lines of a run begin with
 * a title of NP_TEXT_TITLE columns. */
enum { NP_TEXT_TITLE = 12 };
void np_text_answer(FILE *file, const struct np_run *run,
		    const struct np_analysis *analyses);
void np_text_compare_answer(FILE *file, const struct np_run *runs, size_t first_count,
			    size_t count, const struct np_compare_result *comparison,
			    double share);

/* Prints a comparison. */
void np_text_comparison(FILE *file, const struct np_run *runs, size_t first_count,
			size_t count, const struct np_compare_result *comparison,
			double share);

/* "3 sizes: 1 slower, 0 faster, ...", without an end of line. */
void np_text_verdicts(FILE *file, const struct np_compare_result *comparison);

/* Prints a comparison of more than two sides, each with the one before: an answer for each
 * step, the sides, and one table by size.  steps[i]: of sides i and i + 1.  Returns 0 or
 * -ENOMEM. */
int np_text_steps(FILE *file, const struct np_compared_sides *steps, size_t count);

/* "1.234 us" with the unit that suits; "12.3 Gbit/s"; "16 KiB" or "16385 B". */
void np_text_seconds(double seconds, char *text, size_t size);
void np_text_mbps(double mbps, char *text, size_t size);
void np_text_length(double bytes, char *text, size_t size);

/* Prints text of a file, with control characters replaced. */
void np_text_safe(FILE *file, const char *text);

/* Prints the cost of the buffers of a recorded program, from a record, a replay, and a run
 * of --capacity if there is one, in any order; nothing without a record.  Returns 0 or
 * -ENOMEM. */
int np_text_reuse(FILE *file, const struct np_run *runs, size_t count);

/* Return the first run with a record, or NULL; and bytes of a process's buffers that stay
 * fast by a run with --capacity, 0: unknown. */
const struct np_run *np_reuse_record(const struct np_run *runs, size_t count);
double np_reuse_capacity(const struct np_run *runs, size_t count);

/* Parts of np_text_run(). */

/* Prints the title of a line, padded. */
void np_text_title(FILE *file, const char *title);

/* Returns the point of the highest rate; NULL without rates. */
const struct np_row *np_series_peak(const struct np_series *series);

/* Prints a curve: latency, peak bandwidth, fitted lines t0 + n / r_inf, steps, bends,
 * dropouts, and noise. */
void np_text_curve(FILE *file, const struct np_run *run, const struct np_series *series,
		   const struct np_analysis *analysis);

/* Prints "; reported there: ..." with the limits between two sizes, bytes, that library or
 * system report (eager limit, MTU, page size); nothing without any. */
void np_text_limits(FILE *file, const struct np_run *run, size_t low, size_t high);
