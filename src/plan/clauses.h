/*
 * clauses.h - clauses of --expect, such as 'latency(8) <= 2us, bandwidth(1M) >= 180G'.
 *
 * Sizes have prefixes of powers of 1024, as everywhere; values have SI units, of powers of
 * 1000.
 */
#pragma once

#include "plan/options.h"

enum np_quantity {
	NP_QUANTITY_LATENCY,	      /* RTT/2 of a ping-pong */
	NP_QUANTITY_BANDWIDTH,	      /* of a ping-pong */
	NP_QUANTITY_RATIO,	      /* rotate over reuse, of a ping-pong */
	NP_QUANTITY_STREAM_BANDWIDTH, /* of a stream */
	NP_QUANTITY_MESSAGE_RATE,     /* of a stream */
	NP_QUANTITIES
};

struct np_clause {
	enum np_quantity quantity;
	size_t length; /* bytes of a message */
	bool at_most;  /* "<=", else ">=" */
	double bound;  /* seconds, bit/s, a ratio, or messages/s */
};

enum { NP_CLAUSES_MAX = 64, NP_CLAUSE_TEXT = 96 };

/* Limit of a file of --expect @FILE, bytes. */
enum { NP_CLAUSES_FILE_MAX = 1 << 16 };

struct np_clauses {
	struct np_clause list[NP_CLAUSES_MAX];
	size_t count;
	double error_rate; /* "error 1 %": probability of a wrong pass, and of a wrong fail,
			      over all clauses */
	double indifference; /* "indifference 2 %": share of a bound around it within which
				either outcome is right */
	size_t left;	     /* clauses of the file that another command measures */
};

const char *np_quantity_name(enum np_quantity quantity);

/* Returns whether a stream measures the quantity, instead of a ping-pong. */
bool np_quantity_is_of_stream(enum np_quantity quantity);

/* Returns whether a larger value is better: true for bandwidths and message rates, false
 * for latency and ratio. */
bool np_quantity_is_rate(enum np_quantity quantity);

/* Writes a value as in a clause: "1.61us", "180G", "1.2", "5M".  size: 24 at least. */
void np_clause_value(enum np_quantity quantity, double value, char *text, size_t size);

/* Converts seconds a message into the unit of a clause (bit/s, messages/s), and back by the
 * same formula: rates are judged as times.  Latencies and ratios stay as they are. */
double np_clause_invert(const struct np_clause *clause, double value);

/* Writes "latency(8) <= 2us". */
void np_clause_text(const struct np_clause *clause, char text[static NP_CLAUSE_TEXT]);

/* Returns the clauses as text that np_clauses_parse() reads back to the same values, which
 * the caller frees; NULL: no memory. */
char *np_clauses_exact(const struct np_clauses *clauses);

/* --expect @FILE: keeps the clauses that one command measures, of streams with -s or if
 * there are no others, else of ping-pongs, and counts the rest.  Returns 0 or -EINVAL. */
int np_clauses_choose(struct np_clauses *clauses, bool streams, const char *file,
		      struct np_error *error);

/* Checks --expect, and sets the options that its clauses need: -s for streams, -I for
 * ratios.  Returns 0, also without --expect, or -EINVAL. */
int np_clauses_apply(struct np_options *options, struct np_error *error);

/* Adds the sizes of the clauses to an ascending list without duplicates.  Returns 0 or
 * -errno. */
int np_clauses_sizes(const char *text, size_t **sizes, size_t *count,
		     struct np_error *error);

/*
 * Parses clauses separated by commas, semicolons or newlines; '#' begins a comment.
 * Among them may stand "error 1 %" and "indifference 2 %", which are so by default.
 * Returns 0, or -EINVAL with NP_ERROR_USAGE, the column and what was expected.  Clauses
 * that repeat or contradict each other are refused.
 */
int np_clauses_parse(const char *text, struct np_clauses *clauses, struct np_error *error);

/*
 * Parses a site's file, lines of "PROGRAM: CLAUSES": checks all lines, and stores the
 * clauses of those that name `program`; NULL: checks only.  Errors name file, line and
 * column.  A file without clauses of the program is refused.
 */
int np_clauses_parse_file(const char *file, const char *text, const char *program,
			  struct np_clauses *clauses, struct np_error *error);
