/*
 * option_help.c - the list of options in 80 columns.
 */
#include "option/option_help.h"

#include <stdbool.h>
#include <string.h>

/* The sentence begins in column INDENT and ends before column WIDTH. */
enum { INDENT = 30, WIDTH = 80 };

/* Wraps words; one that is longer than a line has a line of its own. */
static void print_words(FILE *stream, size_t *column, const char *text)
{
	while (*text != '\0') {
		size_t length = strcspn(text, " ");
		bool first = *column == INDENT;
		if (length > 0 && !first && *column + 1 + length >= WIDTH) {
			fprintf(stream, "\n%*s", INDENT, "");
			*column = INDENT;
			first = true;
		}
		if (length > 0) {
			fprintf(stream, "%s%.*s", first ? "" : " ", (int)length, text);
			*column += length + (first ? 0 : 1);
		}
		text += length;
		text += strspn(text, " ");
	}
}

static void print_choices(FILE *stream, size_t *column, const char *const *choices)
{
	char word[64];

	for (size_t i = 0; choices[i] != NULL; i++) {
		snprintf(word, sizeof(word), "%s%s%s", i == 0 ? "(" : "", choices[i],
			 choices[i + 1] != NULL ? "," : ")");
		print_words(stream, column, word);
	}
}

/* A default of "no" or none is not printed. */
static const char *default_of(const struct np_option *option)
{
	if (option->type == NP_OPTION_CHOICE && option->initial == NULL)
		return option->choices[0];
	if (option->type == NP_OPTION_FLAG && option->initial != NULL)
		return strcmp(option->initial, "yes") == 0 ? "yes" : NULL;
	return option->initial;
}

static void print_option(FILE *stream, const struct np_option *option)
{
	const char *initial = default_of(option);
	const char *argument = option->argument;
	char text[160];
	size_t column = 2;

	fputs("  ", stream);
	if (option->letter != 0)
		snprintf(text, sizeof(text), "-%c, ", option->letter);
	else
		snprintf(text, sizeof(text), "    ");
	column += (size_t)fprintf(stream, "%s", text);
	column += (size_t)fprintf(stream, "--%s%s%s", option->name,
				  argument != NULL ? " " : "",
				  argument != NULL ? argument : "");
	if (column + 2 > INDENT) {
		fputc('\n', stream);
		column = 0;
	}
	fprintf(stream, "%*s", INDENT - (int)column, "");
	column = INDENT;
	print_words(stream, &column, option->help);
	if (option->type == NP_OPTION_CHOICE)
		print_choices(stream, &column, option->choices);
	if (initial != NULL && initial[0] != '\0') {
		snprintf(text, sizeof(text), "[%s]", initial);
		print_words(stream, &column, text);
	}
	fputc('\n', stream);
}

void np_options_help(FILE *stream, const struct np_option_set *sets, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct np_option *option = sets[i].table;
		for (; option != NULL && option->name != NULL; option++) {
			if (option->help != NULL)
				print_option(stream, option);
		}
	}
}
