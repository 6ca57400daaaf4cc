/*
 * clauses.h - the clauses of --expect, as 'latency(8) <= 2us, bandwidth(1M) >= 180G'.
 *
 * Sizes are powers of 1024 as everywhere, values in SI units of powers of 1000.
 */
#pragma once

#include "plan/options.h"

enum np_asked {
	NP_ASKED_LATENCY,	   /* RTT/2 of a ping-pong */
	NP_ASKED_BANDWIDTH,	   /* of a ping-pong */
	NP_ASKED_RATIO,		   /* rotate over reuse, of a ping-pong */
	NP_ASKED_STREAM_BANDWIDTH, /* of a stream */
	NP_ASKED_MESSAGE_RATE,	   /* of a stream */
	NP_ASKED_KINDS
};

struct np_clause {
	enum np_asked quantity;
	size_t length; /* bytes of a message */
	bool at_most;  /* "<=", else ">=" */
	double bound;  /* seconds, bit/s, 1, or messages/s */
};

enum { NP_CLAUSES_MAX = 64, NP_CLAUSE_TEXT = 96 };

/* Bytes of a file of --expect-file. */
enum { NP_CLAUSES_FILE_MAX = 1 << 16 };

struct np_clauses {
	struct np_clause list[NP_CLAUSES_MAX];
	size_t count;
	size_t left; /* of a file's: those that another command judges */
};

const char *np_asked_name(enum np_asked quantity);

/* Whether a stream measures it, and not a ping-pong. */
bool np_asked_is_of_stream(enum np_asked quantity);

/* Whether more is better; else it is a time or a ratio. */
bool np_asked_is_rate(enum np_asked quantity);

/* A value as it is written in a clause: "1.61us", "180G", "1.2", "5M".  size: 24 at
 * least. */
void np_clause_value(enum np_asked quantity, double value, char *text, size_t size);

/* A time of a message, or a ratio, in the unit of a clause; and back: rates are judged as
 * times. */
double np_clause_invert(const struct np_clause *clause, double value);

/* "latency(8) <= 2us". */
void np_clause_text(const struct np_clause *clause, char text[static NP_CLAUSE_TEXT]);

/* The clauses as text that reads back as the same, to be freed; NULL: no memory. */
char *np_clauses_exact(const struct np_clauses *clauses);

/* --expect-file: leaves the clauses that one command measures, of streams with -s or where
 * there are no others, else of ping-pongs, and counts what it leaves out.  Returns 0 or
 * -EINVAL. */
int np_clauses_choose(struct np_clauses *clauses, bool streams, const char *file,
		      struct np_error *error);

/* Checks --expect, and sets the options that its clauses need: -s of streams, -I of
 * ratios.  Without --expect it does nothing.  Returns 0 or -EINVAL. */
int np_clauses_apply(struct np_options *options, struct np_error *error);

/* Adds the sizes of the clauses to a list that is sorted and has each size once.  Returns 0
 * or -errno. */
int np_clauses_sizes(const char *text, size_t **sizes, size_t *count,
		     struct np_error *error);
