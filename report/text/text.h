/*
 * text.h - the findings of runs, in words for a terminal.
 */
#ifndef NP_TEXT_H
#define NP_TEXT_H

#include <stdio.h>

#include "report/curves/analysis.h"
#include "report/curves/compare.h"

/* Prints what is known of one run and what its curves say. */
void np_text_run(FILE *file, const struct np_run *run, const struct np_analysis *analyses);

/* LogGP, where among the runs there are a ping-pong and a stream of one program
 * on one host; else nothing. */
void np_text_loggp(FILE *file, const struct np_run *runs,
		   struct np_analysis *const *analyses, size_t count);

/* The comparison in words. */
void np_text_comparison(FILE *file, const struct np_run *runs, size_t first_count,
			size_t count, const struct np_compare_result *comparison,
			double share);

/* "1.234 us" with the unit that suits; "12.3 Gbit/s"; "16 KiB" or "16385 B". */
void np_text_seconds(double seconds, char *text, size_t size);
void np_text_mbps(double mbps, char *text, size_t size);
void np_text_length(double bytes, char *text, size_t size);

/* Prints text, with what a terminal would obey replaced: files say anything. */
void np_text_safe(FILE *file, const char *text);

/* Parts of it. */

/* The words at the beginning of a line, in columns. */
void np_text_title(FILE *file, const char *title);

/* The text, or "not reported" for NULL. */
const char *np_text_or(const char *text);

/* Who wrote the file and when; and on what machine, too. */
void np_text_program(FILE *file, const struct np_run *run);
void np_text_machine(FILE *file, const struct np_run *run);

/* One curve: latency, peak, lines, breaks, dropouts, noise. */
void np_text_curve(FILE *file, const struct np_run *run,
		   const struct np_analysis *analysis);

/* "; reported there: ..." for what lies where a curve breaks; or nothing. */
void np_text_limits(FILE *file, const struct np_run *run, size_t low, size_t high);

/* What --refine has found in a curve, and what only seemed to be a step. */
void np_text_pinned(FILE *file, const struct np_run *run, const struct np_series *series);

/* What rotation, or another variant, costs by size. */
void np_text_ratios(FILE *file, const struct np_run *run);

#endif
