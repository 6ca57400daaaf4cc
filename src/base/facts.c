/*
 * facts.c - names and values that describe a run.
 *
 * A list, not a table: there are a few dozen, the order is part of what is
 * printed, and a fact that cannot be stored is no reason to end a measurement.
 */
#include "base/facts.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct np_fact *find(const struct np_facts *facts, const char *name)
{
	for (size_t i = 0; i < facts->count; i++) {
		if (strcmp(facts->list[i].name, name) == 0)
			return &facts->list[i];
	}
	return NULL;
}

/* Values come from files, libraries and the peer; a newline in one would be
 * read as the next fact. */
static void make_one_line(char *text)
{
	size_t length = strlen(text);

	while (length > 0 && isspace((unsigned char)text[length - 1]))
		text[--length] = '\0';
	for (; *text != '\0'; text++) {
		if (iscntrl((unsigned char)*text))
			*text = ' ';
	}
}

/* gcc 12's analyzer loses sight of a pointer stored at an index it does not
 * know and calls it leaked; np_facts_free() frees it. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wanalyzer-malloc-leak"
#endif
/* Takes over value. */
static bool append(struct np_facts *facts, const char *name, char *value)
{
	char *copy = strdup(name);
	if (copy == NULL)
		return false;
	struct np_fact *list = realloc(facts->list, (facts->count + 1) * sizeof(*list));
	if (list == NULL) {
		free(copy);
		return false;
	}
	list[facts->count] = (struct np_fact){ .name = copy, .value = value };
	facts->list = list;
	facts->count++;
	return true;
}
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

static char *__attribute__((format(printf, 1, 0)))
print(const char *format, va_list arguments)
{
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);

	if (stream == NULL)
		return NULL;
	bool complete = vfprintf(stream, format, arguments) >= 0;
	complete &= fclose(stream) == 0;
	if (!complete) {
		free(text);
		text = NULL;
	}
	return text;
}

void np_facts_add(struct np_facts *facts, const char *name, const char *format, ...)
{
	struct np_fact *fact = find(facts, name);
	va_list arguments;

	va_start(arguments, format);
	char *value = print(format, arguments);
	va_end(arguments);
	if (value == NULL)
		return;
	make_one_line(value);
	if (fact != NULL) {
		free(fact->value);
		fact->value = value;
	} else if (!append(facts, name, value)) {
		free(value);
	}
}

const char *np_facts_find(const struct np_facts *facts, const char *name)
{
	const struct np_fact *fact = find(facts, name);

	return fact != NULL ? fact->value : NULL;
}

char *np_facts_to_text(const struct np_facts *facts)
{
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);

	if (stream == NULL)
		return NULL;
	for (size_t i = 0; i < facts->count; i++)
		fprintf(stream, "%s=%s\n", facts->list[i].name, facts->list[i].value);
	bool complete = ferror(stream) == 0;
	complete &= fclose(stream) == 0;
	if (!complete) {
		free(text);
		text = NULL;
	}
	return text;
}

void np_facts_from_text(struct np_facts *facts, const char *text)
{
	char *copy = strdup(text);
	char *line = copy;

	while (line != NULL && *line != '\0') {
		char *next = strchr(line, '\n');
		if (next != NULL)
			*next++ = '\0';
		char *equals = strchr(line, '=');
		if (equals != NULL) {
			*equals = '\0';
			np_facts_add(facts, line, "%s", equals + 1);
		}
		line = next;
	}
	free(copy);
}

void np_facts_free(struct np_facts *facts)
{
	for (size_t i = 0; i < facts->count; i++) {
		free(facts->list[i].name);
		free(facts->list[i].value);
	}
	free(facts->list);
	*facts = (struct np_facts){ 0 };
}
