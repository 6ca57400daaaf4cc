/*
 * output.h - everything that a run prints and writes.
 *
 * Result files are created before anything is measured, so that a wrong name
 * costs no run, and every line is flushed and checked as it is written, so
 * that a full disk is an error and a killed run keeps what it had.
 */
#ifndef NP_OUTPUT_H
#define NP_OUTPUT_H

#include <stdio.h>

#include "base/identity.h"
#include "contract/np_module.h"
#include "machine/clock_quality.h"
#include "machine/probe.h"
#include "plan/plan.h"
#include "questions/capacity.h"
#include "questions/refined.h"
#include "results/findings.h"
#include "results/measured.h"
#include "results/matrix.h"

/* What the header says of a run. */
struct np_run_header {
	const struct np_module *module;
	const char *version;
	const struct np_option_set *sets; /* effective options: driver's, module's */
	size_t set_count;
	const struct np_plan *plan;
	const struct np_request *request;
	bool two_hosts; /* rank 0 and rank 1 share no cache */
	struct np_clock_quality clock;
	struct np_facts ends[2];	    /* of rank 0 and rank 1: the host */
	struct np_facts paths[2];	    /* and what the module says of its end */
	const struct np_refining *refining; /* --refine: what its search did; or NULL */
};

struct np_output {
	const struct np_options *options;
	FILE *json, *netpipe; /* NULL: not asked for */
	bool progress;	      /* stderr is a terminal and nobody asked for quiet */
	bool progress_shown;
};

/* Refuses, before anything is started, files that exist without --force. */
int np_output_check(const struct np_options *options, struct np_error *error);

/* Opens the files.  Returns 0, or -errno: NP_ERROR_USAGE for a file that exists
 * without --force.  np_output_close() copes with both. */
int np_output_open(struct np_output *output, const struct np_options *options,
		   struct np_error *error);

/* Closes the files; reports what only then fails, such as a full disk. */
int np_output_close(struct np_output *output, struct np_error *error);

/*
 * Prints and writes what follows from the results: table, findings, rows; why is
 * the reason for an end before time, or NULL.  Returns 0 or -errno.
 */
int np_output_report(const struct np_output *output, const struct np_results *results,
		     const struct np_run_header *header, const struct np_error *why,
		     struct np_error *error);

/* Result files. */
int np_json_header(FILE *file, const struct np_run_header *header, struct np_error *error);
int np_json_probe(FILE *file, size_t length, const struct np_cold_probe *probes,
		  struct np_error *error);
int np_json_visit(FILE *file, const struct np_results *results,
		  const struct np_measured *measured, struct np_error *error);
int np_json_superseded(FILE *file, unsigned run_index, uint64_t serial,
		       struct np_error *error);
/* A factor that --why compares, with its levels, or the reason why it cannot. */
int np_json_condition(FILE *file, const struct np_results *results, enum np_factor factor,
		      struct np_error *error);
int np_json_checked(FILE *file, const struct np_results *results, size_t length,
		    enum np_mode mode, size_t variant, uint64_t messages,
		    struct np_error *error);
/* Rows, pairs and findings; why is the reason for an end before time, or NULL. */
int np_json_table(FILE *file, const struct np_results *results,
		  const struct np_table *table, const struct np_findings *findings,
		  const struct np_error *why, struct np_error *error);
/* What --why has found; nothing, of a run without it. */
int np_json_causes(FILE *file, const struct np_results *results, struct np_error *error);
/* Points and knees of a capacity sweep. */
int np_json_capacity(FILE *file, const struct np_results *results,
		     const struct np_capacity *capacity, struct np_error *error);
/* What --refine has found: a line each, and one of what it did.  Nothing without it. */
int np_json_refined(FILE *file, const struct np_results *results,
		    const struct np_run_header *header, struct np_error *error);
/* Reads a line back.  Returns 1 and a visit, which the caller frees; 0
 * for another kind of line, after taking from it what it says of a condition, or of
 * visits that are superseded; -errno for what is no result line. */
int np_json_read_visit(const char *line, struct np_results *results,
		       struct np_measured **measured, struct np_error *error);

int np_netpipe_write(FILE *file, const struct np_results *results,
		     const struct np_run_header *header, enum np_mode mode,
		     const struct np_table *table, struct np_error *error);

/* What a capacity sweep of a run says; no points without one.  Returns 0 or -ENOMEM;
 * np_capacity_free() copes with both. */
int np_output_capacity(const struct np_results *results, const struct np_run_header *header,
		       struct np_capacity *capacity);

/* The terminal. */
void np_text_header(FILE *file, const struct np_run_header *header);
void np_text_probe(FILE *file, size_t length, const struct np_cold_probe *probes,
		   enum np_pool_cut cut);
void np_text_table(FILE *file, const struct np_results *results,
		   const struct np_table *table);
/* Returns 0 or -ENOMEM. */
int np_text_causes(FILE *file, const struct np_results *results);
void np_text_findings(FILE *file, const struct np_results *results,
		      const struct np_findings *findings);
/* Of these, what modes cost over others. */
void np_text_costs(FILE *file, const struct np_results *results,
		   const struct np_findings *findings);
/* What has been judged, in words and with the share that may be wrong; counts has as
 * many of `sizes` as there are of each verdict. */
void np_text_verdict_counts(FILE *file, const size_t counts[NP_VERDICTS], size_t sizes);
/* Counts of messages, base and over: "page faults 0.00 -> 2.00 a message, ..."; of none,
 * nothing. */
void np_text_changes(FILE *file, const struct np_change *changes, size_t count);
/* A capacity sweep: all points and the knees. */
void np_text_capacity(FILE *file, const struct np_capacity *capacity);
/* --refine: steps and dropouts to the byte.  Nothing without it. */
void np_text_refined(FILE *file, const struct np_results *results,
		     const struct np_run_header *header);
/* --per-message: all samples of each row as bars. */
void np_text_histograms(FILE *file, const struct np_results *results,
			const struct np_table *table);

/* "4 KiB", "131 B"; exact: powers of 1024 only where nothing is lost. */
void np_text_bytes(size_t bytes, char *text, size_t size);

/* "1.5 MiB": four digits, in the largest unit that it is not below. */
void np_text_about(double bytes, char *text, size_t size);

/* A share of 1 in percent, "0.13 %", "590 %": two digits, and all before the point. */
void np_text_percent(double share, char *text, size_t size);

/* --all-pairs. */

/* Two tables, the times of the smallest size and the rates of the largest, and
 * the links that stand out or could not be measured; operation is its name. */
void np_text_matrix(FILE *file, const struct np_matrix *matrix, const char *operation);

/* The first line of the file: who was to be measured. */
int np_json_hosts(FILE *file, const struct np_matrix *matrix,
		  const struct np_identity *identity, const char *module,
		  const struct np_request *request, struct np_error *error);

/* A line for each figure of a link, or one with the reason why there is none.
 * Returns 0 or -errno. */
int np_json_host_pair(FILE *file, const struct np_matrix *matrix,
		      const struct np_host_pair *link, const struct np_request *request,
		      struct np_error *error);

/* The matrix of each size, judged. */
int np_json_matrix(FILE *file, const struct np_matrix *matrix,
		   const struct np_request *request, struct np_error *error);

/* The line that moves while a run goes on. */
void np_progress_show(struct np_output *output, unsigned pass, size_t length, double share);
void np_progress_clear(struct np_output *output);

#endif
