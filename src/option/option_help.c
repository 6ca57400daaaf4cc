/*
 * option_help.c - list of options in 80 columns.
 */
#include "option/option.h"

#include <stdbool.h>
#include <string.h>

/* Columns of the sentence: INDENT to WIDTH. */
enum { INDENT = 30, WIDTH = 80 };

// clang-format off
const struct np_option np_option_asides[] = {
	{ .name = "help", .help = "print the options that are used most" },
	{ .name = "help-all", .help = "print all options" },
	{ .name = "version", .help = "print the version, the programs built and the libraries" },
	{ 0 },
};
// clang-format on

/* Wraps words; a word longer than a line has a line of its own. */
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

/* Appends " (one, other)" to text. */
static void add_choices(char *text, size_t size, const char *const *choices)
{
	size_t length = strlen(text);

	for (size_t i = 0; choices[i] != NULL && length < size; i++)
		length += (size_t)snprintf(text + length, size - length, "%s%s%s",
					   i == 0 ? " (" : " ", choices[i],
					   choices[i + 1] != NULL ? "," : ")");
}

/* Returns the default as help prints it; NULL for none, and for a flag that is off. */
static const char *default_text(const struct np_option *option)
{
	const char *text = option->initial;

	if (option->type == NP_OPTION_CHOICE && text == NULL)
		text = option->choices[0];
	if (text == NULL || text[0] == '\0')
		return NULL;
	return option->type == NP_OPTION_FLAG && strcmp(text, "yes") != 0 ? NULL : text;
}

static void print_option(FILE *stream, const struct np_option *option, bool brief)
{
	const char *initial = default_text(option);
	const char *argument = option->argument;
	char choices[400] = "", letter[8] = "    ", last[80] = "";

	if (option->letter != 0)
		snprintf(letter, sizeof(letter), "-%c, ", option->letter);
	if (option->choices != NULL)
		add_choices(choices, sizeof(choices), option->choices);
	if (initial != NULL)
		snprintf(last, sizeof(last), " [%s]", initial);
	if (brief && INDENT + strlen(option->help) + strlen(choices) + strlen(last) > WIDTH)
		choices[0] = '\0';

	if (option->letter_only)
		snprintf(letter, sizeof(letter), "-%c", option->letter);
	size_t column = (size_t)fprintf(
		stream, "  %s%s%s%s%s", letter, option->letter_only ? "" : "--",
		option->letter_only ? "" : option->name, argument != NULL ? " " : "",
		argument != NULL ? argument : "");
	if (column + 2 > INDENT) {
		fputc('\n', stream);
		column = 0;
	}
	fprintf(stream, "%*s", INDENT - (int)column, "");
	column = INDENT;
	print_words(stream, &column, option->help);
	print_words(stream, &column, choices);
	print_words(stream, &column, last);
	fputc('\n', stream);
}

void np_options_help(FILE *stream, const struct np_option_set *sets, size_t count,
		     bool brief)
{
	bool is_first = true;

	for (size_t i = 0; i < count; i++) {
		const struct np_option *option = sets[i].table;
		const char *group = NULL;

		for (; option != NULL && option->name != NULL; option++) {
			if (option->group != NULL)
				group = option->group;
			if (!np_option_is_shown(&sets[i], option) ||
			    (brief && !option->brief))
				continue;
			/* A title is printed before the first option shown of its group. */
			if (group != NULL)
				fprintf(stream, "%s%s\n", brief || is_first ? "" : "\n",
					group);
			group = NULL;
			is_first = false;
			print_option(stream, option, brief);
		}
	}
}

size_t np_options_count(const struct np_option_set *sets, size_t count)
{
	size_t shown = 0;

	for (size_t i = 0; i < count; i++) {
		const struct np_option *option = sets[i].table;
		for (; option != NULL && option->name != NULL; option++)
			shown += np_option_is_shown(&sets[i], option);
	}
	return shown;
}
