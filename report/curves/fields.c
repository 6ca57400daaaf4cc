/*
 * fields.c - labels, and validated fields of a JSON line.
 */
#include "report/curves/fields.h"

#include <math.h>
#include <string.h>

void np_label_clean(char *label)
{
	for (; *label != '\0'; label++) {
		if (*label < 0x20 || *label >= 0x7f)
			*label = '?';
	}
}

bool np_field_label(const json_t *object, const char *name, char *label)
{
	const char *text = json_string_value(json_object_get(object, name));

	if (text == NULL || strlen(text) >= NP_LABEL)
		return false;
	memcpy(label, text, strlen(text) + 1);
	return true;
}

double np_field_number(const json_t *object, const char *name)
{
	const json_t *value = json_object_get(object, name);

	return json_is_number(value) && isfinite(json_number_value(value)) &&
			       json_number_value(value) >= 0 ?
		       json_number_value(value) :
		       (double)NAN;
}

uint64_t np_field_whole(const json_t *object, const char *name)
{
	const json_int_t value = json_integer_value(json_object_get(object, name));

	return value > 0 ? (uint64_t)value : 0;
}

bool np_field_length(const json_t *object, const char *name, size_t *length)
{
	const json_t *bytes = json_object_get(object, name);

	if (!json_is_integer(bytes) || json_integer_value(bytes) < 0)
		return false;
	*length = (size_t)json_integer_value(bytes);
	return true;
}

bool np_time_is_valid(double seconds)
{
	return seconds >= 1e-12 && seconds <= 1e9;
}
