/*
 * json_line.c - writes and reads a record by the table of its fields, and writes a line.
 */
#include "output/json_line.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <string.h>

int np_json_unwritten(int code, struct np_error *error)
{
	if (code == EPIPE) {
		signal(SIGPIPE, SIG_DFL);
		raise(SIGPIPE);
	}
	return np_fail_errno(error, code != 0 ? code : EIO, "cannot write the result file");
}

/* Writes and flushes a line, and releases the object.  flags: those of json_dumpf(). */
static int write_line(FILE *file, json_t *object, size_t flags, struct np_error *error)
{
	int rc = 0;

	if (object == NULL)
		return np_fail_errno(error, ENOMEM, "cannot build a result line");
	errno = 0;
	if (json_dumpf(object, file, JSON_COMPACT | flags) != 0 ||
	    fputc('\n', file) == EOF || fflush(file) != 0)
		rc = np_json_unwritten(errno, error);
	json_decref(object);
	return rc;
}

int np_json_write_line(FILE *file, json_t *object, struct np_error *error)
{
	return write_line(file, object, 0, error);
}

int np_json_write_short(FILE *file, json_t *object, struct np_error *error)
{
	return write_line(file, object, JSON_REAL_PRECISION(9), error);
}

json_t *np_json_number(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

json_t *np_json_variant(const struct np_results *results, size_t variant)
{
	const char *name = np_variant_name(results, variant);

	return name != NULL ? json_string(name) : json_null();
}

static uint64_t whole_of(const struct np_field *field, const void *member)
{
	return field->size == sizeof(unsigned) ? *(const unsigned *)member :
						 *(const uint64_t *)member;
}

/* Returns the word of that index; null behind the last. */
static json_t *word_at(const char *words, unsigned index)
{
	for (; index != 0 && words[0] != '\0'; index--) {
		words += strcspn(words, " ");
		words += *words == ' ';
	}
	return words[0] != '\0' ? json_stringn(words, strcspn(words, " ")) : json_null();
}

/* Returns the index of a word, or the number of words. */
static unsigned word_index(const char *words, const char *word)
{
	unsigned index = 0;

	for (; *words != '\0'; index++) {
		const size_t length = strcspn(words, " ");

		if (word != NULL && strlen(word) == length &&
		    strncmp(word, words, length) == 0)
			return index;
		words += length + (words[length] == ' ');
	}
	return index;
}

static unsigned first_word(const struct np_field *field)
{
	return (field->how & NP_FIELD_ZERO) != 0 ? 1 : 0;
}

/* Converts a text; null for NULL, and for bytes of a file that are not UTF-8. */
static json_t *text_of(const char *text)
{
	json_t *string = text != NULL ? json_string(text) : NULL;

	return string != NULL ? string : json_null();
}

static json_t *flags_of(unsigned flags)
{
	char text[96];

	np_row_flags_text(flags, text, sizeof(text));
	return json_string(text);
}

static json_t *member_value(const struct np_field *field, const void *member)
{
	switch (field->type) {
	case NP_FIELD_BOOL:
		return json_boolean(*(const bool *)member);
	case NP_FIELD_WHOLE:
		return json_integer((json_int_t)whole_of(field, member));
	case NP_FIELD_FLAGS:
		return flags_of(*(const unsigned *)member);
	case NP_FIELD_TEXT:
		return field->words == NULL ?
			       text_of(member) :
			       word_at(field->words,
				       *(const unsigned *)member - first_word(field));
	default:
		break;
	}
	const double number = *(const double *)member;

	return number == 0 && (field->how & NP_FIELD_ZERO) != 0 ? json_null() :
								  np_json_number(number);
}

/* Returns true for an OPTIONAL member that is 0: an enum, a count or false. */
static bool is_left_out(const struct np_field *field, const void *member)
{
	static const char zero[sizeof(uint64_t)];

	return (field->how & NP_FIELD_OPTIONAL) != 0 &&
	       (field->source == NP_FIELD_HAND || memcmp(member, zero, field->size) == 0);
}

static json_t *field_value(const struct np_field *field, const void *member,
			   const struct np_results *results)
{
	if (field->source == NP_FIELD_MEMBER)
		return member_value(field, member);
	if (field->source == NP_FIELD_POINTER)
		return text_of(*(const char *const *)member);
	if (field->source == NP_FIELD_KIND)
		return json_string(field->words);
	if (results == NULL || field->source == NP_FIELD_HAND)
		return json_null();
	switch (field->source) {
	case NP_FIELD_OP:
		return json_string(results->operation_name);
	case NP_FIELD_VARIANT:
		return np_json_variant(results, *(const size_t *)member);
	case NP_FIELD_UNITS:
		return (results->runs > 1) == (field->name[0] == 'r') ?
			       json_integer((json_int_t)whole_of(field, member)) :
			       NULL;
	default:
		return json_null();
	}
}

json_t *np_json_record(const struct np_field *fields, const void *record,
		       const struct np_results *results)
{
	json_t *object = json_object();

	for (const struct np_field *field = fields; field->name != NULL; field++) {
		const void *member = (const char *)record + field->offset;
		json_t *value = is_left_out(field, member) ?
					NULL :
					field_value(field, member, results);

		if (value != NULL)
			json_object_set_new(object, field->name, value);
	}
	return object;
}

/* Reads a whole number that fits its member; 0 without one. */
static bool read_whole(const struct np_field *field, const json_t *value, void *member)
{
	const json_int_t number = json_integer_value(value);
	const bool good = json_is_integer(value) && number >= 0 &&
			  (field->size != sizeof(unsigned) || number <= INT_MAX);

	if (field->size == sizeof(unsigned))
		*(unsigned *)member = good ? (unsigned)number : 0;
	else
		*(uint64_t *)member = good ? (uint64_t)number : 0;
	return good;
}

static bool read_number(const struct np_field *field, const json_t *value, double *member)
{
	const double number = json_number_value(value);
	const bool good = json_is_number(value) && isfinite(number) &&
			  (number >= 0 || field->type == NP_FIELD_SIGNED);

	*member = good ? number : (field->how & NP_FIELD_ZERO) != 0 ? 0 : (double)NAN;
	return good;
}

static bool read_text(const struct np_field *field, const char *text, void *member)
{
	if (field->type == NP_FIELD_FLAGS) {
		*(unsigned *)member = np_row_flags_of(text != NULL ? text : "");
		return text != NULL;
	}
	if (field->words == NULL) {
		snprintf(member, field->size, "%s", text != NULL ? text : "");
		return text != NULL;
	}
	const unsigned index = word_index(field->words, text);

	*(unsigned *)member = index + first_word(field);
	return index != word_index(field->words, NULL);
}

/* Reads a member; returns false for a value that is missing or wrong. */
static bool read_member(const struct np_field *field, const json_t *value, void *member)
{
	switch (field->type) {
	case NP_FIELD_BOOL:
		*(bool *)member = json_is_true(value);
		return json_is_boolean(value);
	case NP_FIELD_WHOLE:
		return read_whole(field, value, member);
	case NP_FIELD_TEXT:
	case NP_FIELD_FLAGS:
		return read_text(field, json_string_value(value), member);
	default:
		return read_number(field, value, member);
	}
}

/* Returns true for a field without which a record is complete: texts are labels, and older
 * files lack some. */
static bool may_lack(const struct np_field *field)
{
	return (field->how & NP_FIELD_OPTIONAL) != 0 ||
	       (field->type == NP_FIELD_TEXT && field->words == NULL);
}

const char *np_json_read_record(const struct np_field *fields, const json_t *object,
				void *record)
{
	const char *wrong = NULL;

	for (const struct np_field *field = fields; field->name != NULL; field++) {
		const json_t *value = json_object_get(object, field->name);
		void *member = (char *)record + field->offset;

		if (field->source != NP_FIELD_MEMBER)
			continue;
		if (value == NULL && may_lack(field))
			memset(member, 0, field->size);
		else if (!read_member(field, value, member) && wrong == NULL &&
			 !(json_is_null(value) && (field->how & NP_FIELD_NULL) != 0))
			wrong = field->name;
	}
	return wrong;
}

json_t *np_json_changes(const struct np_pair *pair)
{
	json_t *array = json_array();

	for (size_t i = 0; i < pair->change_count; i++)
		json_array_append_new(
			array, np_json_record(np_change_fields, &pair->changes[i], NULL));
	return array;
}

json_t *np_json_ranges(const struct np_pair_range *ranges, size_t count)
{
	json_t *array = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(array,
				      np_json_record(np_range_fields, &ranges[i], NULL));
	return array;
}
