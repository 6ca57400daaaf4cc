/*
 * text.h - the findings of runs, in words for a terminal.
 */
#ifndef NP_TEXT_H
#define NP_TEXT_H

#include <stdio.h>

#include "report/curves/analysis.h"

/* Prints what is known of one run and what its curves say. */
void np_text_run(FILE *file, const struct np_run *run, const struct np_analysis *analyses);

/* LogGP, where among the runs there are a ping-pong and a stream of one program
 * on one host; else nothing. */
void np_text_loggp(FILE *file, const struct np_run *runs,
		   struct np_analysis *const *analyses, size_t count);

/* "1.234 us" with the unit that suits; "12.3 Gbit/s"; "16 KiB" or "16385 B". */
void np_text_seconds(double seconds, char *text, size_t size);
void np_text_mbps(double mbps, char *text, size_t size);
void np_text_length(double bytes, char *text, size_t size);

/* Prints text, with what a terminal would obey replaced: files say anything. */
void np_text_safe(FILE *file, const char *text);

#endif
