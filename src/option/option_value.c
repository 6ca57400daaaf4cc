/*
 * option_value.c - values of options: text to value, value to text.  Each direction reads
 * the other's output, since the plan is sent as text.
 */
#include "option/option.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/units.h"

/* Kind of whole number: its noun in refusals, parser, and largest value. */
struct whole {
	const char *noun;
	int (*parse)(const char *text, uint64_t *value);
	uint64_t most;
};

static int __attribute__((format(printf, 2, 3)))
refuse(char reason[static NP_OPTION_REASON], const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(reason, NP_OPTION_REASON, format, arguments);
	va_end(arguments);
	return -EINVAL;
}

static bool is_digit(char character)
{
	return character >= '0' && character <= '9';
}

static bool looks_negative(const char *text)
{
	return text[0] == '-' && (is_digit(text[1]) || text[1] == '.');
}

/* Range in an option table: 0, 0 is "no bound", and N, 0 is "at least N". */
static bool has_upper_bound(const struct np_option *option)
{
	return option->maximum >= option->minimum && option->maximum != 0;
}

static int refuse_range(const struct np_option *option,
			char reason[static NP_OPTION_REASON])
{
	bool bytes = option->type == NP_OPTION_SIZE || option->type == NP_OPTION_SIZE_PAIR;
	char low[32];
	char high[32];

	if (bytes) {
		np_size_text(option->minimum, low, sizeof(low));
		np_size_text(option->maximum, high, sizeof(high));
	} else {
		snprintf(low, sizeof(low), "%" PRIu64, option->minimum);
		snprintf(high, sizeof(high), "%" PRIu64, option->maximum);
	}
	if (!has_upper_bound(option))
		return refuse(reason, "must be at least %s", low);
	return refuse(reason, "must be between %s and %s", low, high);
}

static int read_whole(const struct np_option *option, const struct whole *kind,
		      const char *text, uint64_t *value,
		      char reason[static NP_OPTION_REASON])
{
	uint64_t found;

	if (looks_negative(text))
		return refuse(reason, "must not be negative");
	const int result = kind->parse(text, &found);
	if (result == -EINVAL)
		return refuse(reason, "not a %s", kind->noun);
	if (result != 0 || found > kind->most)
		return refuse(reason, "too large");
	if (found < option->minimum || (has_upper_bound(option) && found > option->maximum))
		return refuse_range(option, reason);
	*value = found;
	return 0;
}

static int read_count(const struct np_option *option, uint64_t *place, const char *text,
		      char reason[static NP_OPTION_REASON])
{
	static const struct whole kind = { "whole number", np_parse_count, UINT64_MAX };

	return read_whole(option, &kind, text, place, reason);
}

static int read_sizes(const struct np_option *option, size_t *place, const char *text,
		      char reason[static NP_OPTION_REASON])
{
	static const struct whole kind = { "size (64, 4K, 4KiB)", np_parse_size, SIZE_MAX };
	const char *comma = option->type == NP_OPTION_SIZE_PAIR ? strchr(text, ',') : NULL;
	char before[32];
	uint64_t first = 0, second;
	int result;

	if (comma != NULL) {
		if ((size_t)(comma - text) >= sizeof(before))
			return refuse(reason, "not a size");
		snprintf(before, sizeof(before), "%.*s", (int)(comma - text), text);
	}
	result = read_whole(option, &kind, comma != NULL ? before : text, &first, reason);
	if (result != 0)
		return result;
	second = first;
	if (comma != NULL)
		result = read_whole(option, &kind, comma + 1, &second, reason);
	if (result != 0)
		return result;
	place[0] = (size_t)first;
	if (option->type == NP_OPTION_SIZE_PAIR)
		place[1] = (size_t)second;
	return 0;
}

static int read_number(const struct np_option *option, double *place, const char *text,
		       char reason[static NP_OPTION_REASON])
{
	const bool seconds = option->type == NP_OPTION_SECONDS;
	const char *unit;
	double value, scale = 1;

	if (looks_negative(text))
		return refuse(reason, "must not be negative");
	if (!np_number_read(text, &value, &unit) ||
	    (seconds ? !np_unit_scale(unit, strlen(unit), NP_DIMENSION_TIME, NP_UNIT_OPTION,
				      &scale) :
		       unit[0] != '\0'))
		return refuse(reason, seconds ? "not a time (90, 90s, 500ms, 1.5m, 2h)" :
						"not a number");
	value *= scale;
	if (!isfinite(value))
		return refuse(reason, "too large");
	if (value < (double)option->minimum ||
	    (has_upper_bound(option) && value > (double)option->maximum))
		return refuse_range(option, reason);
	*place = value;
	return 0;
}

static int read_flag(bool *place, const char *text, char reason[static NP_OPTION_REASON])
{
	if (strcmp(text, "yes") == 0)
		*place = true;
	else if (strcmp(text, "no") == 0)
		*place = false;
	else
		return refuse(reason, "must be yes or no");
	return 0;
}

static int read_choice(const struct np_option *option, int *place, const char *text,
		       char reason[static NP_OPTION_REASON])
{
	char names[NP_OPTION_REASON - 32] = "";
	size_t used = 0;

	for (int i = 0; option->choices[i] != NULL; i++) {
		/* Sizes are choices, too: 2M is 2m. */
		if (strcasecmp(option->choices[i], text) == 0) {
			*place = i;
			return 0;
		}
		if (used < sizeof(names))
			used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s",
						 i > 0 ? ", " : "", option->choices[i]);
	}
	return refuse(reason, "must be one of %s", names);
}

/* Reads a list of choices; an empty text is none of them. */
static int read_set(const struct np_option *option, unsigned *place, const char *text,
		    char reason[static NP_OPTION_REASON])
{
	const struct np_option one = { .choices = option->choices };
	unsigned set = 0;

	while (text[0] != '\0') {
		const size_t length = strcspn(text, ",");
		char word[32];
		int index = 0;

		snprintf(word, sizeof(word), "%.*s", (int)length, text);
		if (read_choice(&one, &index, word, reason) != 0)
			return -EINVAL;
		set |= 1u << index;
		text += length + (text[length] == ',');
	}
	*place = set;
	return 0;
}

static int format_set(char *buffer, size_t size, const struct np_option *option,
		      unsigned set)
{
	size_t used = 0;

	snprintf(buffer, size, "%s", "");
	for (size_t i = 0; option->choices[i] != NULL; i++) {
		const bool fits = used < size;

		if ((set & 1u << i) != 0)
			used += (size_t)snprintf(fits ? buffer + used : NULL,
						 fits ? size - used : 0, "%s%s",
						 used != 0 ? "," : "", option->choices[i]);
	}
	return (int)used;
}

/* An empty text removes all texts: the default. */
static int add_text(struct np_option_texts *texts, const char *text,
		    char reason[static NP_OPTION_REASON])
{
	if (text[0] == '\0')
		texts->count = 0;
	else if (texts->count == NP_OPTION_TEXTS_MAX)
		return refuse(reason, "given more than %d times", NP_OPTION_TEXTS_MAX);
	else
		texts->list[texts->count++] = text;
	return 0;
}

static int format_texts(char *buffer, size_t size, const struct np_option_texts *texts)
{
	size_t used = 0;

	snprintf(buffer, size, "%s", "");
	for (size_t i = 0; i < texts->count; i++) {
		const bool fits = used < size;

		used += (size_t)snprintf(fits ? buffer + used : NULL,
					 fits ? size - used : 0, "%s%s",
					 i != 0 ? " | " : "", texts->list[i]);
	}
	return (int)used;
}

int np_option_read(const struct np_option *option, void *values, const char *text,
		   char reason[static NP_OPTION_REASON])
{
	void *place = (char *)values + option->offset;

	switch (option->type) {
	case NP_OPTION_FLAG:
		return read_flag(place, text, reason);
	case NP_OPTION_COUNT:
		return read_count(option, place, text, reason);
	case NP_OPTION_SIZE:
	case NP_OPTION_SIZE_PAIR:
		return read_sizes(option, place, text, reason);
	case NP_OPTION_NUMBER:
	case NP_OPTION_SECONDS:
		return read_number(option, place, text, reason);
	case NP_OPTION_TEXT:
		*(const char **)place = text[0] != '\0' ? text : NULL;
		return 0;
	case NP_OPTION_TEXTS:
		return add_text(place, text, reason);
	case NP_OPTION_CHOICE:
		return read_choice(option, place, text, reason);
	case NP_OPTION_SET:
		return read_set(option, place, text, reason);
	}
	return refuse(reason, "has no known type");
}

int np_option_read_back(const struct np_option *option, void *values, const char *text,
			char reason[static NP_OPTION_REASON])
{
	struct np_option relaxed = *option;

	if (option->initial == NULL)
		relaxed.minimum = 0;
	return np_option_read(&relaxed, values, text, reason);
}

/* Writes the fewest digits that read back as the same number: "0.1", not
 * "0.10000000000000001". */
static int format_number(char *buffer, size_t size, double value)
{
	char text[40];

	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	return snprintf(buffer, size, "%s", text);
}

static int format_pair(char *buffer, size_t size, const size_t *pair)
{
	char first[32];
	char second[32];

	np_size_text(pair[0], first, sizeof(first));
	if (pair[0] == pair[1])
		return snprintf(buffer, size, "%s", first);
	np_size_text(pair[1], second, sizeof(second));
	return snprintf(buffer, size, "%s,%s", first, second);
}

int np_option_text(const struct np_option *option, const void *values, char *buffer,
		   size_t size)
{
	const void *place = (const char *)values + option->offset;
	const char *text;

	switch (option->type) {
	case NP_OPTION_FLAG:
		return snprintf(buffer, size, "%s", *(const bool *)place ? "yes" : "no");
	case NP_OPTION_COUNT:
		return snprintf(buffer, size, "%" PRIu64, *(const uint64_t *)place);
	case NP_OPTION_SIZE:
		return np_size_text(*(const size_t *)place, buffer, size);
	case NP_OPTION_SIZE_PAIR:
		return format_pair(buffer, size, place);
	case NP_OPTION_NUMBER:
	case NP_OPTION_SECONDS:
		return format_number(buffer, size, *(const double *)place);
	case NP_OPTION_TEXT:
		text = *(const char *const *)place;
		return snprintf(buffer, size, "%s", text != NULL ? text : "");
	case NP_OPTION_TEXTS:
		return format_texts(buffer, size, place);
	case NP_OPTION_CHOICE:
		return snprintf(buffer, size, "%s", option->choices[*(const int *)place]);
	case NP_OPTION_SET:
		return format_set(buffer, size, option, *(const unsigned *)place);
	}
	return snprintf(buffer, size, "%s", "");
}
