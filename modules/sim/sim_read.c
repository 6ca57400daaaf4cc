/*
 * sim_read.c - parses a profile's text: lines "key = item, item, ...".
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "sim_keys.h"

/* Position of an error. */
struct place {
	const char *name;
	unsigned line;
	bool in_option; /* a text of one line, given on the command line */
};

static int refuse(const struct place *place, struct np_error *error, const char *why)
{
	if (place->in_option)
		return np_refuse(error, "%s: %s", place->name, why);
	return np_refuse(error, "%s:%u: %s", place->name, place->line, why);
}

/* Strips blanks at begin and end, in place. */
static char *trim(char *text)
{
	char *end;

	while (isspace((unsigned char)*text))
		text++;
	end = text + strlen(text);
	while (end > text && isspace((unsigned char)end[-1]))
		end--;
	*end = '\0';
	return text;
}

static const struct np_sim_key *find_key(const char *name)
{
	for (const struct np_sim_key *key = np_sim_keys; key->name != NULL; key++) {
		if (np_sim_is_word(key->name, name))
			return key;
	}
	return NULL;
}

/* Splits a value at commas, in place; false if there are more items than any key takes. */
static bool cut_items(struct np_sim_reading *reading, char *value)
{
	reading->count = 0;
	for (char *rest = value; rest != NULL;) {
		char *item = strsep(&rest, ",");

		if (reading->count == NP_SIM_ITEMS)
			return false;
		reading->items[reading->count++] = trim(item);
	}
	return true;
}

/* Reports reading->why, or else the syntax of the key's value. */
static int refuse_value(const struct np_sim_reading *reading, const struct place *place,
			const struct np_sim_key *key, const char *value,
			struct np_error *error)
{
	char quoted[80], why[360];

	if (reading->why[0] != '\0')
		return refuse(place, error, reading->why);
	snprintf(why, sizeof(why), "\"%s\" is no %s = %s",
		 np_quote(value, quoted, sizeof(quoted)), key->name, key->form);
	return refuse(place, error, why);
}

static int parse_value(struct np_sim_reading *reading, const struct place *place,
		       const struct np_sim_key *key, char *value, struct np_error *error)
{
	const struct np_sim_list *list = &key->list;
	char *member = (char *)reading->profile + key->offset;
	size_t *length = NULL;
	char whole[NP_SIM_LINE], why[80];

	snprintf(whole, sizeof(whole), "%s", value);
	if (!cut_items(reading, value) || reading->count < key->least ||
	    reading->count > key->most)
		return refuse_value(reading, place, key, whole, error);
	if (list->capacity != 0) {
		length = (size_t *)(void *)((char *)reading->profile + list->length_offset);
		if (np_sim_is_none(reading) || (list->own & ~reading->replaced) != 0)
			*length = 0;
		reading->replaced |= list->own;
		if (np_sim_is_none(reading))
			return 0;
		if (*length == list->capacity) {
			snprintf(why, sizeof(why), "there are too many lines of %s",
				 key->name);
			return refuse(place, error, why);
		}
		member += *length * list->entry_size;
	}
	if (!key->parse(reading, member))
		return refuse_value(reading, place, key, whole, error);
	if (length != NULL)
		++*length;
	return 0;
}

static int parse_line(struct np_sim_reading *reading, const struct place *place, char *line,
		      struct np_error *error)
{
	char quoted[80], why[160];
	char *comment = strchr(line, '#');

	if (comment != NULL)
		*comment = '\0';
	char *name = trim(line);
	if (*name == '\0')
		return 0;
	char *equals = strchr(name, '=');
	if (equals == NULL) {
		snprintf(why, sizeof(why), "\"%s\" is no key = value",
			 np_quote(name, quoted, sizeof(quoted)));
		return refuse(place, error, why);
	}
	*equals = '\0';
	name = trim(name);
	const struct np_sim_key *key = find_key(name);
	if (key == NULL) {
		snprintf(why, sizeof(why), "there is no key \"%s\"",
			 np_quote(name, quoted, sizeof(quoted)));
		return refuse(place, error, why);
	}
	return parse_value(reading, place, key, trim(equals + 1), error);
}

int np_sim_profile_read(struct np_sim_profile *profile, const struct np_sim_source *source,
			struct np_error *error)
{
	const char *ends = source->in_option ? ";\n" : "\n";
	struct np_sim_reading reading = { .profile = profile, .folder = source->folder };
	struct place place = { .name = source->name, .in_option = source->in_option };
	const char *rest = source->text;
	int rc = 0;

	while (rc == 0 && *rest != '\0') {
		const size_t length = strcspn(rest, ends);
		char line[NP_SIM_LINE];

		place.line++;
		if (length >= sizeof(line))
			return refuse(&place, error, "this line is too long");
		memcpy(line, rest, length);
		line[length] = '\0';
		rest += length + (rest[length] != '\0');
		rc = parse_line(&reading, &place, line, error);
	}
	return rc;
}

/* ---- numbers with a unit ----------------------------------------------------- */

/* Reads a number, with or without a sign, and its unit; blanks around both are ignored. */
static bool read_number(const char *text, enum np_dimension dimension, double *number,
			double *scale)
{
	const char *rest;

	while (isspace((unsigned char)*text))
		text++;
	const bool negative = *text == '-';

	if (!np_number_read(text + (negative || *text == '+'), number, &rest) ||
	    !isfinite(*number))
		return false;
	if (negative)
		*number = -*number;
	return np_unit_scale(rest, strlen(rest), dimension, NP_UNIT_PROFILE, scale);
}

/* Longest time in a profile, 1000 s: the clock counts 64-bit picoseconds, up to 1.8e7 s. */
static const double longest_ns = 1e12;

bool np_sim_read_time(const char *text, double *ns)
{
	double number, scale;

	if (!read_number(text, NP_DIMENSION_TIME, &number, &scale) &&
	    !(read_number(text, NP_DIMENSION_RATIO, &number, &scale) && number == 0))
		return false;
	const double value = number * round(scale * 1e9);

	if (fabs(value) > longest_ns)
		return false;
	*ns = value;
	return true;
}

bool np_sim_read_rate(const char *text, double *byte_ns)
{
	double number, scale;

	if (!read_number(text, NP_DIMENSION_BIT_RATE, &number, &scale))
		return false;
	const double bytes_a_second = number * (scale / 8);

	if (!(bytes_a_second >= 1))
		return false;
	*byte_ns = 1e9 / bytes_a_second;
	return true;
}

/* Reads a number that is whole in the base unit of the dimension. */
static bool read_whole(const char *text, enum np_dimension dimension, double *value)
{
	double number, scale;

	if (!read_number(text, dimension, &number, &scale))
		return false;
	*value = number * scale;
	return *value >= 0 && *value <= 0x1p48 && *value == floor(*value);
}

bool np_sim_read_size(const char *text, size_t *bytes)
{
	double value;

	if (!read_whole(text, NP_DIMENSION_SIZE, &value))
		return false;
	*bytes = (size_t)value;
	return true;
}

bool np_sim_read_percent(const char *text, double *share)
{
	double number, scale;

	if (!read_number(text, NP_DIMENSION_SHARE, &number, &scale) ||
	    number * scale <= -1 || number * scale > 1e4)
		return false;
	*share = number * scale;
	return true;
}

bool np_sim_read_count(const char *text, uint64_t *count)
{
	double value;

	if (!read_whole(text, NP_DIMENSION_COUNT, &value))
		return false;
	*count = (uint64_t)value;
	return true;
}

bool np_sim_read_range(char *text, size_t *first, size_t *last)
{
	char *dash = strchr(text, '-');
	size_t from, to;

	if (dash != NULL)
		*dash = '\0';
	const bool good = np_sim_read_size(text, &from) &&
			  np_sim_read_size(dash != NULL ? dash + 1 : text, &to) &&
			  from <= to;
	if (dash != NULL)
		*dash = '-';
	if (!good)
		return false;
	*first = from;
	*last = to;
	return true;
}
