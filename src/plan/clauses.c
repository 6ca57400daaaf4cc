/*
 * clauses.c - quantities of clauses, a clause as text, and the parser of clauses.
 */
#include "plan/clauses.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/units.h"

/* Default shares of "error" and "indifference", which doc/acceptance.md computes with. */
static const double ERROR_RATE = 0.01, INDIFFERENCE = 0.02;

const char *np_quantity_name(enum np_quantity quantity)
{
	static const char *const names[NP_QUANTITIES] = {
		[NP_QUANTITY_LATENCY] = "latency",
		[NP_QUANTITY_BANDWIDTH] = "bandwidth",
		[NP_QUANTITY_RATIO] = "ratio",
		[NP_QUANTITY_STREAM_BANDWIDTH] = "stream_bandwidth",
		[NP_QUANTITY_MESSAGE_RATE] = "message_rate",
	};

	return names[quantity];
}

bool np_quantity_is_of_stream(enum np_quantity quantity)
{
	return quantity == NP_QUANTITY_STREAM_BANDWIDTH ||
	       quantity == NP_QUANTITY_MESSAGE_RATE;
}

bool np_quantity_is_rate(enum np_quantity quantity)
{
	return quantity != NP_QUANTITY_LATENCY && quantity != NP_QUANTITY_RATIO;
}

/* Writes a value with the largest prefix that keeps its number at 1 or above. */
static void put_scaled(double value, const char *const *prefixes, const char *unit,
		       char *text, size_t size)
{
	while (value >= 1000 && prefixes[1] != NULL) {
		value /= 1000;
		prefixes++;
	}
	snprintf(text, size, "%.4g%s%s", value, prefixes[0], unit);
}

void np_clause_value(enum np_quantity quantity, double value, char *text, size_t size)
{
	static const char *const rates[] = { "", "K", "M", "G", "T", NULL };
	static const char *const times[] = { "n", "u", "m", "", NULL };

	if (quantity == NP_QUANTITY_LATENCY)
		put_scaled(value * 1e9, times, "s", text, size);
	else if (quantity == NP_QUANTITY_RATIO)
		snprintf(text, size, "%.4g", value);
	else if (value >= 1000 || quantity == NP_QUANTITY_MESSAGE_RATE)
		put_scaled(value, rates, "", text, size);
	else
		snprintf(text, size, "%.4gK", value / 1000);
}

double np_clause_invert(const struct np_clause *clause, double value)
{
	switch (clause->quantity) {
	case NP_QUANTITY_BANDWIDTH:
	case NP_QUANTITY_STREAM_BANDWIDTH:
		return 8 * (double)clause->length / value;
	case NP_QUANTITY_MESSAGE_RATE:
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
	snprintf(text, NP_CLAUSE_TEXT, "%s(%s) %s %s", np_quantity_name(clause->quantity),
		 length, clause->at_most ? "<=" : ">=", bound);
}

char *np_clauses_exact(const struct np_clauses *clauses)
{
	static const char *const units[NP_QUANTITIES] = {
		[NP_QUANTITY_LATENCY] = "s",	 [NP_QUANTITY_BANDWIDTH] = "bit/s",
		[NP_QUANTITY_RATIO] = "",	 [NP_QUANTITY_STREAM_BANDWIDTH] = "bit/s",
		[NP_QUANTITY_MESSAGE_RATE] = "",
	};
	const size_t size = (clauses->count + 1) * NP_CLAUSE_TEXT;
	char *text = calloc(1, size);
	size_t used = 0;

	for (size_t i = 0; i < clauses->count && text != NULL; i++) {
		const struct np_clause *clause = &clauses->list[i];

		used += (size_t)snprintf(text + used, size - used, "%s%s(%zu) %s %.15g%s",
					 i != 0 ? ", " : "",
					 np_quantity_name(clause->quantity), clause->length,
					 clause->at_most ? "<=" : ">=", clause->bound,
					 units[clause->quantity]);
	}
	if (text != NULL &&
	    (clauses->error_rate != ERROR_RATE || clauses->indifference != INDIFFERENCE))
		snprintf(text + used, size - used, ", error %.15g, indifference %.15g",
			 100 * clauses->error_rate, 100 * clauses->indifference);
	return text;
}

int np_clauses_choose(struct np_clauses *clauses, bool streams, const char *file,
		      struct np_error *error)
{
	size_t of_streams = 0, kept = 0;

	for (size_t i = 0; i < clauses->count; i++)
		of_streams += np_quantity_is_of_stream(clauses->list[i].quantity);
	if (streams && of_streams == 0)
		return np_refuse(error, "%.160s: no clauses of streams, which -s measures",
				 file);
	streams = of_streams == clauses->count || streams;
	for (size_t i = 0; i < clauses->count; i++) {
		if (np_quantity_is_of_stream(clauses->list[i].quantity) == streams)
			clauses->list[kept++] = clauses->list[i];
	}
	clauses->left = clauses->count - kept;
	clauses->count = kept;
	return 0;
}

/* Refuses clauses of which some need a stream and others a ping-pong; sets *streams if all
 * need a stream. */
static int check_operation(const struct np_clauses *clauses,
			   const struct np_options *options, bool *streams,
			   struct np_error *error)
{
	char text[NP_CLAUSE_TEXT], other[NP_CLAUSE_TEXT];

	*streams = np_quantity_is_of_stream(clauses->list[0].quantity);
	np_clause_text(&clauses->list[0], text);
	for (size_t i = 1; i < clauses->count; i++) {
		if (np_quantity_is_of_stream(clauses->list[i].quantity) == *streams)
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
	options->stream = options->stream || streams;
	for (size_t i = 0; i < clauses.count; i++) {
		if (clauses.list[i].quantity == NP_QUANTITY_RATIO)
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
	if (np_list_add(sizes, count, &length, sizeof(length)) != 0)
		return -ENOMEM;
	memmove(*sizes + place + 1, *sizes + place, (*count - 1 - place) * sizeof(**sizes));
	(*sizes)[place] = length;
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

struct parser {
	const char *text, *at;
	const char *file; /* NULL: the command line */
	struct np_error *error;
};

/* Refuses the text at `place`: the error has its column, its line if there are several, and
 * its first characters. */
static int refuse_at(const struct parser *parser, const char *place, const char *expected)
{
	const char *line = parser->text;
	unsigned number = 1;
	char found[24], where[40] = "";

	for (const char *at = parser->text; at < place; at++) {
		if (*at == '\n') {
			line = at + 1;
			number++;
		}
	}
	if (strchr(parser->text, '\n') != NULL)
		snprintf(where, sizeof(where), "line %u, ", number);
	snprintf(found, sizeof(found), "%.*s", (int)strcspn(place, ",;\n"), place);
	const char *seen = *found != '\0' ? found : "the end";
	const size_t column = (size_t)(place - line) + 1;

	if (parser->file != NULL)
		return np_refuse(parser->error, "%.160s:%u:%zu: expected %s, found '%s'",
				 parser->file, number, column, expected, seen);
	return np_refuse(parser->error, "--expect: %scolumn %zu: expected %s, found '%s'",
			 where, column, expected, seen);
}

static void skip_blanks(struct parser *parser)
{
	parser->at += strspn(parser->at, " \t");
}

/* Skips separators, empty clauses, and comments. */
static void skip_to_clause(struct parser *parser)
{
	for (;;) {
		parser->at += strspn(parser->at, " \t\r\n,;");
		if (*parser->at != '#')
			return;
		parser->at += strcspn(parser->at, "\n");
	}
}

static int read_quantity(struct parser *parser, struct np_clause *clause)
{
	const size_t length = strspn(parser->at, "abcdefghijklmnopqrstuvwxyz_");

	for (enum np_quantity i = 0; i < NP_QUANTITIES; i++) {
		const char *name = np_quantity_name(i);

		if (strlen(name) == length && strncmp(parser->at, name, length) == 0) {
			clause->quantity = i;
			parser->at += length;
			return 0;
		}
	}
	return refuse_at(parser, parser->at,
			 "latency, bandwidth, ratio, stream_bandwidth or message_rate, or "
			 "error or indifference");
}

static int read_length(struct parser *parser, struct np_clause *clause)
{
	static const char expected[] = "a size in parentheses, such as (8) or (1M)";
	char word[32];
	uint64_t size;

	skip_blanks(parser);
	if (*parser->at != '(')
		return refuse_at(parser, parser->at, expected);
	parser->at++;
	skip_blanks(parser);
	size_t length = strcspn(parser->at, ")<>\n,;");

	while (length != 0 && strchr(" \t", parser->at[length - 1]) != NULL)
		length--;
	snprintf(word, sizeof(word), "%.*s", (int)length, parser->at);
	if (length == 0 || length >= sizeof(word) || np_parse_size(word, &size) != 0 ||
	    size > (uint64_t)1 << 40 ||
	    (size == 0 && clause->quantity != NP_QUANTITY_LATENCY))
		return refuse_at(parser, parser->at, "a size, such as 8 or 1M");
	clause->length = (size_t)size;
	parser->at += length;
	skip_blanks(parser);
	if (*parser->at != ')')
		return refuse_at(parser, parser->at, "')'");
	parser->at++;
	return 0;
}

static int read_relation(struct parser *parser, struct np_clause *clause)
{
	skip_blanks(parser);
	if ((parser->at[0] != '<' && parser->at[0] != '>') || parser->at[1] != '=')
		return refuse_at(parser, parser->at, "<= or >=");
	clause->at_most = parser->at[0] == '<';
	parser->at += 2;
	skip_blanks(parser);
	return 0;
}

static const struct {
	enum np_dimension dimension;
	const char *expected;
} values[NP_QUANTITIES] = {
	[NP_QUANTITY_LATENCY] = { NP_DIMENSION_TIME,
				  "a time with ns, us, ms or s, such as 2us" },
	[NP_QUANTITY_BANDWIDTH] = { NP_DIMENSION_BIT_RATE,
				    "bit/s with K, M, G or T, such as 180G" },
	[NP_QUANTITY_RATIO] = { NP_DIMENSION_RATIO, "a ratio, such as 1.2" },
	[NP_QUANTITY_STREAM_BANDWIDTH] = { NP_DIMENSION_BIT_RATE,
					   "bit/s with K, M, G or T, such as 180G" },
	[NP_QUANTITY_MESSAGE_RATE] = { NP_DIMENSION_MESSAGE_RATE,
				       "messages a second, such as 5M" },
};

static int read_value(struct parser *parser, struct np_clause *clause)
{
	const char *begin = parser->at, *end;
	const enum np_dimension dimension = values[clause->quantity].dimension;
	double scale;

	if (!isdigit((unsigned char)*begin) || !np_number_read(begin, &clause->bound, &end))
		return refuse_at(parser, begin, values[clause->quantity].expected);
	/* A unit may stand behind blanks. */
	size_t length = strspn(end, " \t");
	length += strcspn(end + length, " \t\r\n,;#");
	if (!np_unit_scale(end, length, dimension, NP_UNIT_CLAUSE, &scale)) {
		length = strcspn(end, " \t\r\n,;#");
		if (!np_unit_scale(end, length, dimension, NP_UNIT_CLAUSE, &scale))
			return refuse_at(parser, begin, values[clause->quantity].expected);
	}
	clause->bound *= scale;
	parser->at = end + length;
	return isfinite(clause->bound) && clause->bound > 0 ?
		       0 :
		       refuse_at(parser, begin, values[clause->quantity].expected);
}

/* A percentage that may stand among the clauses. */
struct percentage {
	const char *name, *expected;
	double most; /* percent */
	bool positive;
};

/* An error of 0 is refused: no measurement is certain. */
static const struct percentage percent_of_error = { "error",
						    "a percentage above 0, up to 20", 20,
						    true },
			       percent_of_indifference = { "indifference",
							   "a percentage up to 50", 50,
							   false };

/* Reads "NAME PERCENT %" or "NAME=PERCENT" if the next word is the name; else *read is
 * false. */
static int read_percent(struct parser *parser, const struct percentage *percentage,
			double *share, bool *read)
{
	const size_t length = strlen(percentage->name);
	const char *begin = parser->at + length, *end;
	double percent;

	*read = strncmp(parser->at, percentage->name, length) == 0 &&
		strchr(" \t=", *begin) != NULL;
	if (!*read)
		return 0;
	begin += strspn(begin, " \t=");
	if (!isdigit((unsigned char)*begin) || !np_number_read(begin, &percent, &end) ||
	    percent > percentage->most || (percentage->positive && percent <= 0))
		return refuse_at(parser, begin, percentage->expected);
	*share = percent / 100;
	parser->at = end + strspn(end, " \t%");
	return 0;
}

static int read_clause(struct parser *parser, struct np_clause *clause)
{
	int rc = read_quantity(parser, clause);

	if (rc == 0)
		rc = read_length(parser, clause);
	if (rc == 0)
		rc = read_relation(parser, clause);
	if (rc == 0)
		rc = read_value(parser, clause);
	return rc;
}

static int expect_comma(struct parser *parser)
{
	skip_blanks(parser);
	return strchr(",;\r\n#", *parser->at) != NULL ?
		       0 :
		       refuse_at(parser, parser->at, "a comma before the next clause");
}

/* Returns whether both clauses bound the same time of a message: latency and bandwidth of a
 * ping-pong are one quantity in two units, and so are both of a stream. */
static bool is_same_time(const struct np_clause *one, const struct np_clause *other)
{
	if (one->length != other->length)
		return false;
	return one->quantity == other->quantity ||
	       (one->quantity != NP_QUANTITY_RATIO &&
		other->quantity != NP_QUANTITY_RATIO &&
		np_quantity_is_of_stream(one->quantity) ==
			np_quantity_is_of_stream(other->quantity));
}

/* Returns whether a clause is an upper bound of the time: <= of a latency or ratio, >= of a
 * rate. */
static bool is_at_most(const struct np_clause *clause)
{
	return clause->at_most != np_quantity_is_rate(clause->quantity);
}

/* Refuses a second upper or lower bound of the same quantity, and a lower bound of a time
 * above its upper one. */
static int check_against(const struct parser *parser, const struct np_clause *one,
			 const struct np_clause *other)
{
	const double rounding = 1e-9;
	char text[NP_CLAUSE_TEXT], second[NP_CLAUSE_TEXT];
	const bool twice =
		one->quantity == other->quantity && one->at_most == other->at_most;

	if (!is_same_time(one, other) || (is_at_most(one) == is_at_most(other) && !twice))
		return 0;
	const struct np_clause *least = is_at_most(one) ? other : one;
	const struct np_clause *most = is_at_most(one) ? one : other;

	if (!twice && np_clause_invert(least, least->bound) <=
			      np_clause_invert(most, most->bound) * (1 + rounding))
		return 0;
	np_clause_text(other, text);
	np_clause_text(one, second);
	return np_refuse(parser->error, "%.160s: '%s' and '%s' %s",
			 parser->file != NULL ? parser->file : "--expect", text, second,
			 twice ? "bound the same twice" : "cannot both be");
}

/* Reads a clause, and adds it to those before. */
static int add_clause(struct parser *parser, struct np_clauses *clauses)
{
	struct np_clause *clause = &clauses->list[clauses->count];

	if (clauses->count == NP_CLAUSES_MAX)
		return np_refuse(parser->error, "%.160s: more than %d clauses",
				 parser->file != NULL ? parser->file : "--expect",
				 NP_CLAUSES_MAX);
	int rc = read_clause(parser, clause);
	for (size_t i = 0; i < clauses->count && rc == 0; i++)
		rc = check_against(parser, clause, &clauses->list[i]);
	clauses->count++;
	return rc;
}

static int read_all(struct parser *parser, struct np_clauses *clauses)
{
	clauses->count = 0;
	clauses->error_rate = ERROR_RATE;
	clauses->indifference = INDIFFERENCE;
	for (skip_to_clause(parser); *parser->at != '\0'; skip_to_clause(parser)) {
		bool read;
		int rc = read_percent(parser, &percent_of_error, &clauses->error_rate,
				      &read);

		if (rc == 0 && !read)
			rc = read_percent(parser, &percent_of_indifference,
					  &clauses->indifference, &read);
		if (rc == 0 && !read)
			rc = add_clause(parser, clauses);
		if (rc == 0)
			rc = expect_comma(parser);
		if (rc != 0)
			return rc;
	}
	return clauses->count != 0 ? 0 :
				     refuse_at(parser, parser->at,
					       "a clause, such as 'latency(8) <= 2us'");
}

int np_clauses_parse(const char *text, struct np_clauses *clauses, struct np_error *error)
{
	struct parser parser = { .text = text, .at = text, .error = error };

	return read_all(&parser, clauses);
}

/* ---- A site's file ------------------------------------------------------------- */

/* Returns a copy of the text that is blank except for newlines.  A line copied into it
 * keeps its position, for the line and column of an error. */
static char *blank_copy(const char *text)
{
	char *copy = strdup(text);

	for (char *at = copy; at != NULL && *at != '\0'; at++)
		*at = *at == '\n' ? '\n' : ' ';
	return copy;
}

/* Parses "PROGRAM:" at the beginning of a line.  Returns the place behind it, or NULL after
 * a refusal. */
static const char *read_program(const struct parser *parser, const char *line,
				size_t *length)
{
	static const char expected[] = "a program, a colon and clauses";
	const char *at;

	*length = 0;
	while (isalnum((unsigned char)line[*length]))
		++*length;
	at = line + *length;
	at += strspn(at, " \t");
	if (*length != 0 && *at == ':')
		return at + 1;
	refuse_at(parser, *length != 0 ? at : line, expected);
	return NULL;
}

/* Parses one line, and copies its clauses into `chosen` at the same offset if it names the
 * program. */
static int read_line(const struct parser *parser, const char *line, const char *program,
		     char *chosen)
{
	const size_t all = strcspn(line, "\n");
	const char *begin = line + strspn(line, " \t\r");
	struct np_clauses clauses = { .count = 0 };
	size_t length;

	if (*begin == '\n' || *begin == '\0' || *begin == '#')
		return 0;
	const char *rest = read_program(parser, begin, &length);
	if (rest == NULL)
		return -EINVAL;
	const size_t from = (size_t)(rest - parser->text);
	const size_t size = (size_t)(line + all - rest);
	char *alone = blank_copy(parser->text);

	if (alone == NULL)
		return np_fail_errno(parser->error, ENOMEM, "cannot read clauses");
	memcpy(alone + from, rest, size);
	alone[from + size] = '\0';
	struct parser of_line = { .text = alone,
				  .at = alone + from,
				  .file = parser->file,
				  .error = parser->error };
	const int rc = read_all(&of_line, &clauses);

	if (rc == 0 && program != NULL && strlen(program) == length &&
	    strncmp(begin, program, length) == 0)
		memcpy(chosen + from, rest, size);
	free(alone);
	return rc;
}

int np_clauses_parse_file(const char *file, const char *text, const char *program,
			  struct np_clauses *clauses, struct np_error *error)
{
	char *chosen = blank_copy(text);
	struct parser parser = { .text = text, .at = text, .file = file, .error = error };
	int rc = chosen != NULL ? 0 : np_fail_errno(error, ENOMEM, "cannot read clauses");

	clauses->count = 0;
	while (rc == 0 && *parser.at != '\0') {
		rc = read_line(&parser, parser.at, program, chosen);
		parser.at += strcspn(parser.at, "\n");
		parser.at += *parser.at == '\n';
	}
	parser.text = parser.at = chosen;
	if (rc == 0 && program != NULL) {
		skip_to_clause(&parser);
		rc = *parser.at == '\0' ?
			     np_refuse(error, "%.160s: no clauses of %s", file, program) :
			     read_all(&parser, clauses);
	}
	free(chosen);
	return rc;
}
