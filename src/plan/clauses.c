/*
 * clauses.c - quantities of clauses, and a clause as text.
 */
#include "plan/clauses.h"

#include "base/units.h"
#include "plan/clauses_parse.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *np_asked_name(enum np_asked quantity)
{
	static const char *const names[NP_ASKED_KINDS] = {
		[NP_ASKED_LATENCY] = "latency",
		[NP_ASKED_BANDWIDTH] = "bandwidth",
		[NP_ASKED_RATIO] = "ratio",
		[NP_ASKED_STREAM_BANDWIDTH] = "stream_bandwidth",
		[NP_ASKED_MESSAGE_RATE] = "message_rate",
	};

	return names[quantity];
}

bool np_asked_is_of_stream(enum np_asked quantity)
{
	return quantity == NP_ASKED_STREAM_BANDWIDTH || quantity == NP_ASKED_MESSAGE_RATE;
}

bool np_asked_is_rate(enum np_asked quantity)
{
	return quantity != NP_ASKED_LATENCY && quantity != NP_ASKED_RATIO;
}

/* Writes with the largest prefix that leaves at least 1. */
static void put_scaled(double value, const char *const *prefixes, const char *unit,
		       char *text, size_t size)
{
	while (value >= 1000 && prefixes[1] != NULL) {
		value /= 1000;
		prefixes++;
	}
	snprintf(text, size, "%.4g%s%s", value, prefixes[0], unit);
}

void np_clause_value(enum np_asked quantity, double value, char *text, size_t size)
{
	static const char *const rates[] = { "", "K", "M", "G", "T", NULL };
	static const char *const times[] = { "n", "u", "m", "", NULL };

	if (quantity == NP_ASKED_LATENCY)
		put_scaled(value * 1e9, times, "s", text, size);
	else if (quantity == NP_ASKED_RATIO)
		snprintf(text, size, "%.4g", value);
	else if (value >= 1000 || quantity == NP_ASKED_MESSAGE_RATE)
		put_scaled(value, rates, "", text, size);
	else
		snprintf(text, size, "%.4gK", value / 1000);
}

double np_clause_invert(const struct np_clause *clause, double value)
{
	switch (clause->quantity) {
	case NP_ASKED_BANDWIDTH:
	case NP_ASKED_STREAM_BANDWIDTH:
		return 8 * (double)clause->length / value;
	case NP_ASKED_MESSAGE_RATE:
		return 1 / value;
	default:
		return value;
	}
}

void np_clause_text(const struct np_clause *clause, char text[static NP_CLAUSE_TEXT])
{
	char length[32], bound[32];

	np_size_text(clause->length, length, sizeof(length));
	np_clause_value(clause->quantity, clause->bound, bound, sizeof(bound));
	snprintf(text, NP_CLAUSE_TEXT, "%s(%s) %s %s", np_asked_name(clause->quantity),
		 length, clause->at_most ? "<=" : ">=", bound);
}

char *np_clauses_exact(const struct np_clauses *clauses)
{
	static const char *const units[NP_ASKED_KINDS] = {
		[NP_ASKED_LATENCY] = "s",     [NP_ASKED_BANDWIDTH] = "bit/s",
		[NP_ASKED_RATIO] = "",	      [NP_ASKED_STREAM_BANDWIDTH] = "bit/s",
		[NP_ASKED_MESSAGE_RATE] = "",
	};
	const size_t size = clauses->count * NP_CLAUSE_TEXT + 1;
	char *text = calloc(1, size);
	size_t used = 0;

	for (size_t i = 0; i < clauses->count && text != NULL; i++) {
		const struct np_clause *clause = &clauses->list[i];

		used += (size_t)snprintf(text + used, size - used, "%s%s(%zu) %s %.15g%s",
					 i != 0 ? ", " : "",
					 np_asked_name(clause->quantity), clause->length,
					 clause->at_most ? "<=" : ">=", clause->bound,
					 units[clause->quantity]);
	}
	return text;
}

int np_clauses_choose(struct np_clauses *clauses, bool streams, const char *file,
		      struct np_error *error)
{
	size_t of_streams = 0, kept = 0;

	for (size_t i = 0; i < clauses->count; i++)
		of_streams += np_asked_is_of_stream(clauses->list[i].quantity);
	if (streams && of_streams == 0)
		return np_refuse(error, "%.160s: no clauses of streams, which -s measures",
				 file);
	streams = of_streams == clauses->count || streams;
	for (size_t i = 0; i < clauses->count; i++) {
		if (np_asked_is_of_stream(clauses->list[i].quantity) == streams)
			clauses->list[kept++] = clauses->list[i];
	}
	clauses->left = clauses->count - kept;
	clauses->count = kept;
	return 0;
}

/* Refuses clauses that need two operations. */
static int check_operation(const struct np_clauses *clauses,
			   const struct np_options *options, bool *streams,
			   struct np_error *error)
{
	char text[NP_CLAUSE_TEXT], other[NP_CLAUSE_TEXT];

	*streams = np_asked_is_of_stream(clauses->list[0].quantity);
	np_clause_text(&clauses->list[0], text);
	for (size_t i = 1; i < clauses->count; i++) {
		if (np_asked_is_of_stream(clauses->list[i].quantity) == *streams)
			continue;
		np_clause_text(&clauses->list[i], other);
		return np_refuse(
			error,
			"--expect: '%s' and '%s': a stream measures one of them and "
			"a ping-pong the other; give them in two commands",
			text, other);
	}
	if (options->stream && !*streams)
		return np_refuse(
			error, "--expect: '%s' is of a ping-pong, which -s excludes", text);
	return 0;
}

int np_clauses_apply(struct np_options *options, struct np_error *error)
{
	struct np_clauses clauses;
	bool streams;

	if (options->expect == NULL)
		return 0;
	int rc = np_clauses_parse(options->expect, &clauses, error);
	if (rc == 0)
		rc = check_operation(&clauses, options, &streams, error);
	if (rc != 0)
		return rc;
	if (options->capacity != 0 || options->why != 0 || options->integrity ||
	    options->bidirectional || options->rotate_only || options->per_message ||
	    options->refine || options->modes_apart || options->all_pairs)
		return np_refuse(error,
				 "--expect judges the times of one way at each size: it "
				 "excludes --capacity, --why, -i, -2, --rotate-only, "
				 "--per-message, --refine, --modes-apart and --all-pairs");
	options->stream = options->stream || streams;
	for (size_t i = 0; i < clauses.count; i++) {
		if (clauses.list[i].quantity == NP_ASKED_RATIO)
			options->invalidate = true;
	}
	return 0;
}

/* Inserts into an ascending list without duplicates. */
static int add_size(size_t **sizes, size_t *count, size_t length)
{
	size_t place = 0;

	while (place < *count && (*sizes)[place] < length)
		place++;
	if (place < *count && (*sizes)[place] == length)
		return 0;
	size_t *larger = realloc(*sizes, (*count + 1) * sizeof(**sizes));

	if (larger == NULL)
		return -ENOMEM;
	memmove(larger + place + 1, larger + place, (*count - place) * sizeof(*larger));
	larger[place] = length;
	*sizes = larger;
	++*count;
	return 0;
}

int np_clauses_sizes(const char *text, size_t **sizes, size_t *count,
		     struct np_error *error)
{
	struct np_clauses clauses;
	int rc = np_clauses_parse(text, &clauses, error);

	for (size_t i = 0; i < clauses.count && rc == 0; i++) {
		if (add_size(sizes, count, clauses.list[i].length) != 0)
			rc = np_fail_errno(error, ENOMEM, "cannot list the sizes");
	}
	return rc;
}
