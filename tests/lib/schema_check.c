/*
 * schema_check.c - one line of a result file against the table of schema.c.
 */
#include "schema.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Whether the word of that length is among those that blanks separate. */
static bool is_word(const char *words, const char *word, size_t length)
{
	while (*words != '\0') {
		const size_t next = strcspn(words, " ");

		if (next == length && strncmp(words, word, length) == 0)
			return true;
		words += next + (words[next] == ' ');
	}
	return false;
}

static bool are_words(const char *words, const char *flags)
{
	while (*flags != '\0') {
		const size_t length = strcspn(flags, ",");

		if (!is_word(words, flags, length))
			return false;
		flags += length;
		/* A comma stands between two words only. */
		if (*flags == ',' && *++flags == '\0')
			return false;
	}
	return true;
}

static bool is_whole(const json_t *value)
{
	return json_is_integer(value) && json_integer_value(value) >= 0;
}

static bool is_number(const json_t *value)
{
	return json_is_number(value) && json_number_value(value) >= 0;
}

static bool is_string(const json_t *value)
{
	return json_is_string(value);
}

static bool are_elements(const json_t *array, bool (*is_one)(const json_t *value))
{
	for (size_t i = 0; i < json_array_size(array); i++) {
		if (!is_one(json_array_get(array, i)))
			return false;
	}
	return json_is_array(array);
}

static bool are_members(json_t *object, bool whole)
{
	const char *name;
	json_t *value;

	json_object_foreach (object, name, value) {
		if (whole ? !is_whole(value) : !json_is_string(value))
			return false;
	}
	return json_is_object(object);
}

static bool are_objects(const json_t *array, const char *kind_name, char *text, size_t size)
{
	const struct np_kind *kind = np_kind_find(kind_name);

	for (size_t i = 0; i < json_array_size(array); i++) {
		if (kind == NULL ||
		    !np_kind_check(kind, json_array_get(array, i), text, size))
			return false;
	}
	return json_is_array(array);
}

static bool are_facts(json_t *object, char *text, size_t size)
{
	const struct np_kind *kind = np_kind_find("fact");
	const char *name;
	json_t *value;

	json_object_foreach (object, name, value) {
		if (!json_is_string(value) && !np_kind_check(kind, value, text, size))
			return false;
	}
	return json_is_object(object);
}

static bool is_text(const json_t *value, const struct np_field *field)
{
	const char *word = json_string_value(value);

	if (word == NULL)
		return false;
	if (field->words == NULL)
		return true;
	return field->type == NP_FIELD_FLAGS ? are_words(field->words, word) :
					       is_word(field->words, word, strlen(word));
}

static bool has_type(json_t *value, const struct np_field *field, char *text, size_t size)
{
	switch (field->type) {
	case NP_FIELD_TEXT:
	case NP_FIELD_FLAGS:
		return is_text(value, field);
	case NP_FIELD_BOOL:
		return json_is_boolean(value);
	case NP_FIELD_WHOLE:
		return is_whole(value);
	case NP_FIELD_NUMBER:
		return is_number(value);
	case NP_FIELD_SIGNED:
		return json_is_number(value);
	case NP_FIELD_TEXTS:
		return are_elements(value, is_string);
	case NP_FIELD_WHOLES:
		return are_elements(value, is_whole);
	case NP_FIELD_NUMBERS:
		return are_elements(value, is_number);
	case NP_FIELD_STRINGS:
	case NP_FIELD_COUNTS:
		return are_members(value, field->type == NP_FIELD_COUNTS);
	case NP_FIELD_FACTS:
		return are_facts(value, text, size);
	case NP_FIELD_OBJECTS:
		return are_objects(value, field->words, text, size);
	}
	return false;
}

static const struct np_field *find_field(const struct np_kind *kind, const char *name)
{
	for (const struct np_field *field = kind->fields; field->name != NULL; field++) {
		if (strcmp(field->name, name) == 0)
			return field;
	}
	return NULL;
}

static bool complain(char *text, size_t size, const struct np_kind *kind, const char *what,
		     const char *name)
{
	/* What a part of it has said is more to the point. */
	if (text[0] == '\0')
		snprintf(text, size, "%s: %s '%s'", kind->name, what, name);
	return false;
}

/* Nothing is there that the kind does not know, and all is of its type. */
static bool check_members(const struct np_kind *kind, json_t *object, char *text,
			  size_t size)
{
	const char *name;
	json_t *value;

	json_object_foreach (object, name, value) {
		const struct np_field *field = find_field(kind, name);

		if (field == NULL)
			return complain(text, size, kind, "an unknown field", name);
		if (json_is_null(value) && (field->how & NP_FIELD_NULL) != 0)
			continue;
		if (!has_type(value, field, text, size))
			return complain(text, size, kind, "another type or word in", name);
	}
	return true;
}

/* Nothing is missing. */
static bool check_fields(const struct np_kind *kind, json_t *object, char *text,
			 size_t size)
{
	size_t either = 0, found = 0;

	for (const struct np_field *field = kind->fields; field->name != NULL; field++) {
		const bool there = json_object_get(object, field->name) != NULL;

		if ((field->how & NP_FIELD_EITHER) != 0) {
			either++;
			found += there;
		} else if (!there && (field->how & NP_FIELD_OPTIONAL) == 0) {
			return complain(text, size, kind, "no field", field->name);
		}
	}
	return either == 0 || found == 1 ||
	       complain(text, size, kind, "not one of", "passes or runs");
}

/* Times are as many as the line says, and an interval holds its figure. */
static bool check_numbers(const struct np_kind *kind, json_t *object, char *text,
			  size_t size)
{
	static const char *const ordered[][2] = { { "ci_low_s", "median_s" },
						  { "median_s", "ci_high_s" },
						  { "min_s", "median_s" },
						  { "ratio_low", "ratio" },
						  { "ratio", "ratio_high" },
						  { "control_low", "control_ratio" },
						  { "control_ratio", "control_high" },
						  { "p", "adjusted_p" },
						  { "smallest_bytes", "largest_bytes" } };
	static const char *const counted[][2] = { { "warmup_ns", "warmup_per_block" },
						  { "samples_ns", "samples_per_block" } };
	const json_int_t blocks = json_integer_value(json_object_get(object, "blocks"));

	for (size_t i = 0; i < sizeof(ordered) / sizeof(ordered[0]); i++) {
		const json_t *low = json_object_get(object, ordered[i][0]);
		const json_t *high = json_object_get(object, ordered[i][1]);

		if (json_is_number(low) && json_is_number(high) &&
		    json_number_value(low) > json_number_value(high))
			return complain(text, size, kind, "out of order:", ordered[i][0]);
	}
	for (size_t i = 0; i < sizeof(counted) / sizeof(counted[0]); i++) {
		const json_t *times = json_object_get(object, counted[i][0]);
		const json_t *count = json_object_get(object, counted[i][1]);

		if (times != NULL && (json_int_t)json_array_size(times) !=
					     blocks * json_integer_value(count))
			return complain(text, size, kind, "another number of times in",
					counted[i][0]);
	}
	return true;
}

bool np_kind_check(const struct np_kind *kind, json_t *object, char *text, size_t size)
{
	text[0] = '\0';
	if (!json_is_object(object))
		return complain(text, size, kind, "no object but", "something else");
	return check_members(kind, object, text, size) &&
	       check_fields(kind, object, text, size) &&
	       check_numbers(kind, object, text, size);
}

bool np_line_check(json_t *object, char *text, size_t size)
{
	const char *name = json_string_value(json_object_get(object, "kind"));
	const struct np_kind *kind = name != NULL ? np_kind_find(name) : NULL;

	if (kind == NULL || kind->stage < 0) {
		snprintf(text, size, "not a known kind: '%.40s'",
			 name != NULL ? name : "none");
		return false;
	}
	return np_kind_check(kind, object, text, size);
}
