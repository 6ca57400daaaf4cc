/*
 * record.c - checks a row against its own redundant columns, and stores its figures.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/units.h"
#include "report/reading/reading.h"

/* ---- Words and units ---------------------------------------------------------------- */

bool np_bytes_parse(const char *word, size_t *bytes)
{
	char *end;

	if (*word < '0' || *word > '9')
		return false;
	errno = 0;
	const unsigned long long value = strtoull(word, &end, 10);
	if (errno != 0 || *end != '\0' || value > (unsigned long long)1 << 52)
		return false;
	*bytes = (size_t)value;
	return true;
}

bool np_number_parse(const char *word, double *number, double *step)
{
	const size_t mantissa = strspn(word, "+-.0123456789");
	const char *point = memchr(word, '.', mantissa);
	char *end;

	/* strtod() also accepts nan, inf and 0x10. */
	if (strspn(word, "+-.0123456789eE") != strlen(word))
		return false;
	errno = 0;
	const double value = strtod(word, &end);
	if (end == word || *end != '\0' || !isfinite(value))
		return false;
	*number = value;
	const double exponent =
		word[mantissa] != '\0' ? strtod(word + mantissa + 1, NULL) : 0;
	if (step != NULL)
		*step = pow(10, exponent - (point != NULL ?
						    (double)(word + mantissa - point - 1) :
						    0));
	return true;
}

bool np_rounded_parse(const char *word, double kilo, double *number, double *step)
{
	static const char prefixes[] = "kmgb";
	const size_t digits = strspn(word, "0123456789.");
	const char *prefix = strchr(prefixes, word[digits]);
	char text[32];

	snprintf(text, sizeof(text), "%.*s", (int)digits, word);
	if (digits >= sizeof(text) || prefix == NULL ||
	    (*prefix != '\0' && word[digits + 1] != '\0') ||
	    !np_number_parse(text, number, step))
		return false;
	const double power = *prefix == '\0' ? 0 : fmin((double)(prefix - prefixes), 2) + 1;
	*number *= pow(kilo, power);
	*step *= pow(kilo, power);
	return *number <= 0x1p52;
}

bool np_role_unit(const struct np_format *format, enum np_role role, const char *unit,
		  double *scale)
{
	/* Spellings of more than one tool, behind those of the format. */
	static const struct np_alias spellings[] = {
		{ "usec", "us" },	{ "\xc2\xb5s", "us" },	{ "\xce\xbcs", "us" },
		{ "msec", "ms" },	{ "nsec", "ns" },	{ "Gb/s", "Gbit/s" },
		{ "Gbps", "Gbit/s" },	{ "Gb/sec", "Gbit/s" }, { "Mb/s", "Mbit/s" },
		{ "Mbps", "Mbit/s" },	{ "MB/sec", "MB/s" },	{ "Mbytes/sec", "MB/s" },
		{ "MiB/sec", "MiB/s" }, { "GB/sec", "GB/s" },	{ "msg/s", "/s" },
		{ "Messages/s", "/s" }, { "Mpps", "M/s" },	{ "Mxfers/sec", "M/s" },
		{ "bits/s", "bit/s" },	{ NULL, NULL },
	};
	const struct np_alias *const lists[] = { format->units, spellings };
	enum np_dimension dimension;

	for (size_t i = 0; i < 2; i++) {
		for (const struct np_alias *alias = lists[i];
		     alias != NULL && alias->from != NULL; alias++) {
			if (strcmp(unit, alias->from) == 0)
				unit = alias->to;
		}
	}
	if (role == NP_COLUMN_MESSAGES) {
		*scale = strcmp(unit, "M/s") == 0 ? 1e6 : 1;
		return *scale > 1 || strcmp(unit, "/s") == 0;
	}
	return np_unit_of_column(unit, &dimension, scale) &&
	       (dimension == NP_DIMENSION_TIME) == (role == NP_COLUMN_TIME);
}

/* ---- The record --------------------------------------------------------------------- */

void np_record_clear(struct np_reading *reading)
{
	struct np_record *record = &reading->record;

	record->given = 0;
	reading->pending = false;
	for (size_t k = 0; k < NP_COLUMNS; k++) {
		record->words[k][0] = '\0';
		record->numbers[k] = (double)NAN;
		record->steps[k] = 0;
	}
}

size_t np_record_find(const struct np_reading *reading, const char *name)
{
	size_t k = 0;

	while (k < reading->column_count && strcmp(reading->columns[k].name, name) != 0)
		k++;
	return k;
}

const char *np_record_word(const struct np_reading *reading, const char *name)
{
	return reading->record.words[np_record_find(reading, name)];
}

double np_record_number(const struct np_reading *reading, const char *name)
{
	return reading->record.numbers[np_record_find(reading, name)];
}

static bool is_missing(const char *word)
{
	size_t length = 0;

	return *word == '\0' || (np_find_any(word, "-nan|nan|N/A|-", &length) == word &&
				 word[length] == '\0');
}

/* Parses a size; sizes of fabtests are rounded down. */
static int put_size(const struct np_reading *reading, const char *word, double *number,
		    struct np_error *error)
{
	double rounded, step;
	size_t bytes;

	if (reading->format->rounded ? !np_rounded_parse(word, 1024, &rounded, &step) :
				       !np_bytes_parse(word, &bytes))
		return np_malformed(error, "'%.40s' is not a number of bytes", word);
	*number = (double)(reading->format->rounded ? (size_t)rounded : bytes);
	return 0;
}

int np_record_put(struct np_reading *reading, size_t column, const char *word,
		  struct np_error *error)
{
	const struct np_column *spec = &reading->columns[column];
	const enum np_role role = reading->columns[column].role;
	struct np_record *record = &reading->record;
	double *number = &record->numbers[column];
	size_t whole;

	snprintf(record->words[column], NP_LABEL, "%s", word);
	record->given++;
	*number = (double)NAN;
	if (role == NP_COLUMN_SIZE)
		return put_size(reading, word, number, error);
	if (role == NP_COLUMN_LITERAL)
		return strcmp(word, spec->name) == 0 ?
			       0 :
			       np_malformed(error, "'%.40s' in place of '%s'", word,
					    spec->name);
	const bool optional =
		(spec->use & (NP_USE_AGREES | NP_USE_DIGITS)) == 0 || spec->group != 0;
	if (!spec->whole && (role == NP_COLUMN_TEXT || role == NP_COLUMN_LABEL ||
			     (optional && is_missing(word)) ||
			     (role == NP_COLUMN_WRONG && word[0] != '\0' &&
			      strspn(word, "0123456789.") == 0)))
		return 0;
	if (spec->whole ? !np_bytes_parse(word, &whole) :
			  !np_number_parse(word, number, &record->steps[column]))
		return role == NP_COLUMN_NUMBER && reading->format->rounded ?
			       0 :
			       np_malformed(error, "'%.40s' is not a number: %s", word,
					    spec->name);
	if (*number < 0 && role != NP_COLUMN_NUMBER)
		return np_malformed(error, "'%.40s' is not a number from 0 on: %s", word,
				    spec->name);
	return 0;
}

int np_record_name(struct np_reading *reading, const char *name, const char *word,
		   struct np_error *error)
{
	const size_t k = np_record_find(reading, name);

	return k < reading->column_count ? np_record_put(reading, k, word, error) : 0;
}

/* ---- Agreement ---------------------------------------------------------------------- */

/* Returns the seconds of a message if column k has `number`; messages: number of messages
 * that a rate counts as one. */
static double seconds_of(const struct np_reading *reading, size_t k, double number,
			 double scale, double length, double messages)
{
	const enum np_role role = reading->columns[k].role;
	const double directions = np_op_directions(reading->key.op), value = number * scale;

	if (role == NP_COLUMN_TIME)
		return value * reading->share;
	if (value <= 0)
		return HUGE_VAL;
	return (role == NP_COLUMN_RATE ? 8 * length * directions * messages :
					 directions * reading->share) /
	       value;
}

/* Seconds of a message by one column: least and largest, as the column is rounded. */
struct span {
	double low, high;
};

static struct span span_of(const struct np_reading *reading, size_t k, double scale,
			   double length, double messages)
{
	const double number = reading->record.numbers[k], step = reading->record.steps[k];
	const double one =
		seconds_of(reading, k, fmax(number - step, 0), scale, length, messages);
	const double other = seconds_of(reading, k, number + step, scale, length, messages);

	return reading->columns[k].role == NP_COLUMN_TIME ? (struct span){ one, other } :
							    (struct span){ other, one };
}

static bool overlap(const struct np_reading *reading, size_t k, struct span figure,
		    double length)
{
	const struct np_format *format = reading->format;
	const double slack = 1 + (format->slack > 0 ? format->slack : 0.01);
	unsigned messages = 1;

	do {
		const struct span other =
			span_of(reading, k, reading->layout.scales[k], length, messages);

		if (other.low <= figure.high * slack && figure.low <= other.high * slack)
			return true;
	} while ((messages *= 2) <= format->messages);
	return false;
}

static bool has(const struct np_reading *reading, size_t k, size_t group, unsigned use)
{
	const struct np_column *spec = &reading->columns[k];

	return spec->group == group && (spec->use & use) != 0 &&
	       !isnan(reading->record.numbers[k]);
}

/* Returns the column that contradicts the figure of column k in units of `scale`; SIZE_MAX
 * if there is none. */
static size_t contradiction(const struct np_reading *reading, size_t k, double scale,
			    double length)
{
	const size_t group = reading->columns[k].group;
	size_t refer = k, c;

	for (c = 0; c < reading->column_count; c++)
		refer = has(reading, c, group, NP_USE_REFER) ? c : refer;
	if (refer != k)
		scale = reading->layout.scales[refer];
	const struct span span = span_of(reading, refer, scale, length, 1);
	for (c = 0; c < reading->column_count; c++) {
		if (c != k && has(reading, c, group, NP_USE_AGREES | NP_USE_DIGITS) &&
		    (length > 0 || reading->columns[c].role != NP_COLUMN_RATE) &&
		    !overlap(reading, c, span, length))
			return c;
	}
	return SIZE_MAX;
}

/* Chooses the unit of the figure among those of its description, "us|ms", by agreement;
 * 0: none, or several. */
static double choose_unit(const struct np_reading *reading, size_t k, double length)
{
	const struct np_column *spec = &reading->columns[k];
	double chosen = 0;
	size_t count = 0;

	for (const char *at = spec->unit; at != NULL; at = strchr(at, '|')) {
		char unit[16];
		double scale;

		at += *at == '|';
		snprintf(unit, sizeof(unit), "%.*s", (int)strcspn(at, "|"), at);
		if (!np_role_unit(reading->format, reading->columns[k].role, unit,
				  &scale) ||
		    contradiction(reading, k, scale, length) != SIZE_MAX)
			continue;
		chosen = scale;
		count++;
	}
	return count == 1 ? chosen : 0;
}

/* ---- Figures ------------------------------------------------------------------------ */

/* Returns the column of the figure of a group; SIZE_MAX: none. */
static size_t find_figure(const struct np_reading *reading, size_t group)
{
	const bool stream = strcmp(reading->key.op, "stream") == 0;

	for (size_t k = 0; k < reading->column_count; k++) {
		const struct np_column *spec = &reading->columns[k];

		if (has(reading, k, group, NP_USE_FIGURE | (stream ? 0 : NP_USE_LATENCY)))
			return k;
		/* Do not replace a missing median by the mean. */
		if (reading->layout.line != 0 && reading->layout.named[k] &&
		    spec->group == group && (spec->use & NP_USE_FIGURE) != 0)
			break;
	}
	return SIZE_MAX;
}

/* Returns the column that marks the figures of a group as void; SIZE_MAX: none. */
static size_t find_void(const struct np_reading *reading, size_t group)
{
	for (size_t k = 0; k < reading->column_count; k++) {
		const struct np_column *spec = &reading->columns[k];

		if (spec->role == NP_COLUMN_WRONG && spec->group == group &&
		    (reading->record.numbers[k] > 0.1 ||
		     strcasecmp(reading->record.words[k], "Fail") == 0))
			return k;
	}
	return SIZE_MAX;
}

/* Checks that one statistic, a column of the format, is not above another by more than 2 %:
 * percentiles from a histogram are off by 1 %. */
static int check_order(const struct np_reading *reading, size_t less, size_t more,
		       struct np_error *error)
{
	const struct np_record *record = &reading->record;
	const double *scales = reading->layout.scales;

	if (less == SIZE_MAX || more == SIZE_MAX ||
	    record->numbers[less] * scales[less] <=
		    (1.02 * record->numbers[more] + record->steps[more]) * scales[more])
		return 0;
	return np_malformed(error, "the row contradicts itself: %s %.40s is above %s %.40s",
			    reading->columns[less].name, record->words[less],
			    reading->columns[more].name, record->words[more]);
}

/* Computes the seconds of each statistic; NAN: not in the row. */
static int take_stats(const struct np_reading *reading, size_t group, double *stats,
		      struct np_error *error)
{
	size_t at[NP_STATS], before = SIZE_MAX;

	for (size_t i = 0; i < NP_STATS; i++) {
		stats[i] = (double)NAN;
		at[i] = SIZE_MAX;
	}
	for (size_t k = 0; k < reading->column_count; k++) {
		const struct np_column *spec = &reading->columns[k];
		const double number = reading->record.numbers[k];

		if (spec->stat == NP_STAT_NONE || spec->group != group || isnan(number) ||
		    at[spec->stat] != SIZE_MAX)
			continue;
		stats[spec->stat] = number * reading->layout.scales[k] * reading->share;
		at[spec->stat] = k;
	}
	for (size_t i = NP_STAT_MIN; i <= NP_STAT_MAX; i++) {
		check_order(reading, before, at[i], error);
		before = at[i] != SIZE_MAX ? at[i] : before;
	}
	check_order(reading, at[NP_STAT_MIN], at[NP_STAT_MEAN], error);
	check_order(reading, at[NP_STAT_MEAN], at[NP_STAT_MAX], error);
	return error->code;
}

/* Stores a part of the variant; the standard value in braces, with its slot, until it is
 * known whether the file has another. */
void np_reading_label(struct np_reading *reading, size_t slot, const char *value,
		      const char *standard)
{
	if (standard != NULL && strcmp(standard, "*") == 0) {
		standard = reading->firsts[slot];
		if (standard[0] == '\0')
			snprintf(reading->firsts[slot], NP_LABEL, "%s", value);
	}
	if (standard == NULL || strcmp(value, standard) != 0) {
		reading->varied[slot] = true;
		snprintf(reading->labels[slot], NP_LABEL, "%s", value);
		return;
	}
	reading->braces = true;
	snprintf(reading->labels[slot], NP_LABEL, "{%.80s|%zu}", value, slot);
}

/* Removes standard values from a variant if the file has no other value of the label, and
 * the braces of the rest. */
void np_reading_unbrace(const struct np_reading *reading, char *variant)
{
	for (char *open = variant; reading->braces && (open = strchr(open, '{')) != NULL;) {
		char *bar = strchr(open, '|'), *rest = bar != NULL ? bar + 3 : NULL;
		const size_t slot = bar != NULL ? (size_t)(bar[1] - '0') : NP_SLOTS;

		/* Labels are words of the file, and may have braces of their own. */
		if (slot >= NP_SLOTS || bar[2] != '}') {
			open++;
			continue;
		}
		if (reading->varied[slot]) {
			memmove(open, open + 1, (size_t)(bar - open - 1));
			open = bar - 1;
		} else if (strncmp(rest, ", ", 2) == 0) {
			rest += 2;
		} else if (open - variant > 2) {
			open -= 2; /* the comma before it */
		}
		memmove(open, rest, strlen(rest) + 1);
	}
}

/* Joins the labels that are set, in the order of their slots, and the one of the group. */
static void name_variant(struct np_reading *reading, size_t group)
{
	const char *other = reading->format->group_text[group];
	char *variant = reading->key.variant;
	size_t used = 0;

	if (reading->group_text[group][0] != '\0' || other == NULL)
		other = reading->group_text[group];
	variant[0] = '\0';
	for (size_t i = 0; i < NP_SLOTS + (size_t)reading->layout.grouped; i++) {
		const char *part = i < NP_SLOTS ? reading->labels[i] : other;

		if (part[0] != '\0' && used < NP_LABEL)
			used += (size_t)snprintf(variant + used, NP_LABEL - used, "%s%s",
						 used != 0 ? ", " : "", part);
	}
}

/* Sets the labels that are columns. */
static void take_labels(struct np_reading *reading)
{
	char text[NP_LABEL];

	for (size_t k = 0; k < reading->column_count; k++) {
		const struct np_column *spec = &reading->columns[k];
		const char *word = reading->record.words[k];

		if (spec->role != NP_COLUMN_LABEL || !reading->layout.named[k])
			continue;
		reading->labels[spec->slot][0] = '\0';
		if (word[0] == '\0' || strcmp(word, "none") == 0)
			continue;
		snprintf(text, sizeof(text), "%s%s", spec->text != NULL ? spec->text : "",
			 word);
		np_reading_label(reading, spec->slot, text, spec->standard);
	}
}

/* Adds a point with statistics, which are then not derived from the figure alone. */
static int add_point(struct np_reading *reading, size_t length, double seconds,
		     const double *stats, struct np_error *error)
{
	struct np_row row = {
		.length = length,
		.median_s = seconds,
		.ci_low_s = stats[NP_STAT_LOW],
		.ci_high_s = stats[NP_STAT_HIGH],
		.min_s = stats[NP_STAT_MIN],
		.mean_s = stats[NP_STAT_MEAN],
		.p50_s = stats[NP_STAT_P50],
		.p90_s = stats[NP_STAT_P90],
		.p99_s = stats[NP_STAT_P99],
		.p999_s = stats[NP_STAT_P999],
		.mbps = np_op_is_collective(reading->key.op) ?
				(double)NAN :
				np_op_directions(reading->key.op) * 8 * (double)length /
					seconds / 1e6,
		.units = 1,
		.code_path = np_results_word(reading->run->results, ""),
	};

	if (reading->format->complete != NULL)
		reading->format->complete(reading, &row);
	if (!(row.ci_low_s <= seconds && row.ci_high_s >= seconds &&
	      np_time_is_valid(row.ci_low_s) && np_time_is_valid(row.ci_high_s)))
		row.ci_low_s = row.ci_high_s = (double)NAN;
	return np_gather_row(&reading->gather, &reading->key, &row, error);
}

/* Returns the seconds of the agreeing column that has more digits than the figure, column
 * k; else `seconds`. */
static double with_digits(const struct np_reading *reading, size_t k, double scale,
			  double seconds, double length)
{
	struct span span = span_of(reading, k, scale, length, 1);

	/* Rates agree with the mean, not with the median. */
	if ((reading->columns[k].use & NP_USE_LATENCY) != 0)
		return seconds;
	for (size_t c = 0; c < reading->column_count; c++) {
		if (c == k || !has(reading, c, reading->columns[k].group, NP_USE_DIGITS) ||
		    reading->record.numbers[c] <= 0)
			continue;
		const struct span other =
			span_of(reading, c, reading->layout.scales[c], length, 1);

		if (other.low > 0 &&
		    other.high / other.low < span.high / fmax(span.low, 1e-300)) {
			span = other;
			seconds = 2 / (1 / other.low + 1 / other.high);
		}
	}
	return seconds;
}

static int store_group(struct np_reading *reading, size_t group, struct np_error *error)
{
	const size_t length = reading->length;
	const struct np_record *record = &reading->record;
	const size_t k = find_figure(reading, group), wrong = find_void(reading, group);
	const double bytes = (double)length;
	double stats[NP_STATS];
	char text[192];

	if (k == SIZE_MAX)
		return group != 0 ? 0 : np_malformed(error, "a row without a figure");
	const char *name = reading->columns[k].name;
	const double stated = reading->layout.scales[k];
	const double scale = stated > 0 ? stated : choose_unit(reading, k, bytes);
	if (scale <= 0)
		return np_malformed(error,
				    "the unit of %s %s is not stated, and no other column "
				    "shows it",
				    name, record->words[k]);
	const size_t against = contradiction(reading, k, scale, bytes);
	if (against != SIZE_MAX)
		return np_malformed(
			error, "the row contradicts itself: %zu bytes, %s %.40s, %s %.40s",
			length, name, record->words[k], reading->columns[against].name,
			record->words[against]);
	if (take_stats(reading, group, stats, error) != 0)
		return error->code;
	if (wrong != SIZE_MAX) {
		snprintf(text, sizeof(text), "%zu bytes: %s %.40s", length,
			 reading->columns[wrong].name, record->words[wrong]);
		np_reading_count(reading, &reading->voids, text);
		return 0;
	}
	if (length == 0 && reading->columns[k].role == NP_COLUMN_RATE) {
		reading->empty++;
		return 0;
	}
	/* Rates of 0 are printed for a time below the resolution. */
	double seconds =
		record->numbers[k] <= 0 ?
			0 :
			seconds_of(reading, k, record->numbers[k], scale, bytes, 1);
	seconds = with_digits(reading, k, scale, seconds, bytes);
	name_variant(reading, group);
	const int rc = np_reading_figure(reading, length, seconds, error);
	bool more = reading->layout.completes;

	for (size_t i = 1; i < NP_STATS; i++)
		more = more || (!isnan(stats[i]) && i != NP_STAT_MAX);
	return rc == 0 && seconds > 0 && more ?
		       add_point(reading, length, seconds, stats, error) :
		       rc;
}

static int finish(struct np_reading *reading, struct np_error *error)
{
	const struct np_format *format = reading->format;

	take_labels(reading);
	for (size_t k = 0; k < reading->column_count; k++) {
		if (reading->columns[k].role != NP_COLUMN_SIZE ||
		    isnan(reading->record.numbers[k]))
			continue;
		reading->length = (size_t)reading->record.numbers[k];
		reading->sized = true;
	}
	if (format->judge != NULL && format->judge(reading, error) != 0)
		return error->code;
	if (!reading->sized)
		return np_malformed(error, "no message size before this: %s",
				    format->lacks != NULL ? format->lacks :
							    "the row lacks it");
	for (size_t group = 0; group < NP_GROUPS && error->code == 0; group++)
		store_group(reading, group, error);
	return error->code;
}

int np_record_finish(struct np_reading *reading, struct np_error *error)
{
	const int rc = finish(reading, error);

	np_record_clear(reading);
	reading->sized = false;
	return rc;
}
