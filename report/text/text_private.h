/*
 * text_private.h - what the parts of the text share.
 */
#ifndef NP_TEXT_PRIVATE_H
#define NP_TEXT_PRIVATE_H

#include "report/text/text.h"

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
