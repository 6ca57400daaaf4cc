/*
 * option_lines.c - options as "name=value" lines: for the peer, and for the header of the
 * results.
 */
#include "option/option.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "option/option_value.h"

/* Size of a line quoted in a message, bytes. */
enum { QUOTE_SIZE = 80 };

/* Prints a "name=value" line.  Newlines and backslashes in the value are escaped, so
 * that no value can look like another line. */
static void print_line(FILE *stream, const char *name, const char *value)
{
	fprintf(stream, "%s=", name);
	for (const char *at = value; *at != '\0'; at++) {
		if (*at == '\n')
			fputs("\\n", stream);
		else if (*at == '\\')
			fputs("\\\\", stream);
		else
			fputc(*at, stream);
	}
	fputc('\n', stream);
}

/* Prints a line, or one for each value of an option given several times. */
static bool print_option(FILE *stream, const struct np_option *option, const void *values)
{
	if (option->type == NP_OPTION_TEXTS) {
		const struct np_option_texts *texts =
			(const void *)((const char *)values + option->offset);

		for (size_t i = 0; i < texts->count; i++)
			print_line(stream, option->name, texts->list[i]);
		return true;
	}
	const int length = np_option_text(option, values, NULL, 0);
	char *text = malloc((size_t)length + 1);

	if (text == NULL)
		return false;
	np_option_text(option, values, text, (size_t)length + 1);
	print_line(stream, option->name, text);
	free(text);
	return true;
}

char *np_options_to_text(const struct np_option_set *sets, size_t count,
			 enum np_option_scope scope)
{
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);
	bool complete = true;

	if (stream == NULL)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		const struct np_option *option = sets[i].table;
		for (; option != NULL && option->name != NULL; option++) {
			if (option->scope == scope)
				complete &= print_option(stream, option, sets[i].values);
		}
	}
	complete &= ferror(stream) == 0;
	complete &= fclose(stream) == 0;
	if (!complete) {
		free(text);
		text = NULL;
	}
	return text;
}

static void unescape(char *text)
{
	char *to = text;

	for (const char *from = text; *from != '\0'; from++) {
		bool escaped = from[0] == '\\' && from[1] != '\0';
		if (escaped)
			from++;
		*to++ = escaped && *from == 'n' ? '\n' : *from;
	}
	*to = '\0';
}

const struct np_option *np_option_find(const struct np_option_set *sets, size_t count,
				       const char *name, const struct np_option_set **set)
{
	for (size_t i = 0; i < count; i++) {
		const struct np_option *option = sets[i].table;

		*set = &sets[i];
		for (; option != NULL && option->name != NULL; option++) {
			if (strcmp(option->name, name) == 0 ||
			    (option->alias != NULL && strcmp(option->alias, name) == 0))
				return option;
		}
	}
	return NULL;
}

static int apply_line(const struct np_option_set *sets, size_t count,
		      enum np_option_scope scope, char *line, struct np_error *error)
{
	char *equals = strchr(line, '=');
	char reason[NP_OPTION_REASON];
	char quote[QUOTE_SIZE];

	if (equals == NULL)
		return np_fail(error, NP_ERROR_PEER, EINVAL, "not an option line: '%s'",
			       np_quote(line, quote, sizeof(quote)));
	*equals = '\0';
	unescape(equals + 1);
	const struct np_option_set *set;
	const struct np_option *option = np_option_find(sets, count, line, &set);

	if (option == NULL || option->scope != scope)
		return np_fail(error, NP_ERROR_PEER, EINVAL,
			       "the peer's option '--%s' is unknown here",
			       np_quote(line, quote, sizeof(quote)));
	if (np_option_read_back(option, set->values, equals + 1, reason) == 0)
		return 0;
	np_quote(equals + 1, quote, sizeof(quote));
	return np_fail(error, NP_ERROR_PEER, EINVAL, "the peer's '--%s %s': %s",
		       option->name, quote, reason);
}

int np_options_from_text(const struct np_option_set *sets, size_t count,
			 enum np_option_scope scope, char *keep, struct np_error *error)
{
	int result = 0;

	for (char *line = keep; result == 0 && line != NULL && *line != '\0';) {
		char *next = strchr(line, '\n');
		if (next != NULL)
			*next++ = '\0';
		result = apply_line(sets, count, scope, line, error);
		line = next;
	}
	return result;
}
