/*
 * option_help.c - list of options in 80 columns; completions of bash, zsh and fish.
 *
 * Each shell has its own syntax for the same facts: names of an option, its sentence, and
 * the kind of its argument (choices, a file, anything).
 */
#include "option/option_help.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

/* Columns of the sentence: INDENT to WIDTH. */
enum { INDENT = 30, WIDTH = 80 };

static const char *const shells[] = { "bash", "zsh", "fish", NULL };

// clang-format off
const struct np_option np_option_asides[] = {
	{ .name = "help", .help = "print the options that are used most" },
	{ .name = "help-all", .help = "print all options" },
	{ .name = "version", .help = "print the version, the programs built and the libraries" },
	{ .name = "shell-completion", .argument = "SHELL", .type = NP_OPTION_CHOICE,
	  .choices = shells, .initial = "", .help = "print the completions for a shell" },
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
	if (option->type == NP_OPTION_CHOICE)
		add_choices(choices, sizeof(choices), option->choices);
	if (initial != NULL)
		snprintf(last, sizeof(last), " [%s]", initial);
	if (brief && INDENT + strlen(option->help) + strlen(choices) + strlen(last) > WIDTH)
		choices[0] = '\0';

	size_t column = (size_t)fprintf(stream, "  %s--%s%s%s", letter, option->name,
					argument != NULL ? " " : "",
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

/* ---- completions ------------------------------------------------------------- */

typedef void print_completion(FILE *stream, const char *program,
			      const struct np_option *option);

static void print_each(FILE *stream, const char *program, const struct np_option_set *sets,
		       size_t count, print_completion *print)
{
	for (size_t i = 0; i <= count; i++) {
		const struct np_option_set own = { .table = np_option_asides };
		const struct np_option_set *set = i < count ? &sets[i] : &own;
		const struct np_option *option = set->table;

		for (; option != NULL && option->name != NULL; option++) {
			if (np_option_is_shown(set, option))
				print(stream, program, option);
		}
	}
}

static bool is_file(const struct np_option *option)
{
	return option->argument != NULL && strcmp(option->argument, "FILE") == 0;
}

static void print_choices(FILE *stream, const struct np_option *option)
{
	for (size_t i = 0; option->choices[i] != NULL; i++)
		fprintf(stream, "%s%s", i != 0 ? " " : "", option->choices[i]);
}

/* Prints text within single quotes, and within brackets of zsh. */
static void print_quoted(FILE *stream, const char *text)
{
	for (; *text != '\0'; text++) {
		if (*text == '\'')
			fputs("'\\''", stream);
		else if (strchr("[]:", *text) != NULL)
			fprintf(stream, "\\%c", *text);
		else
			fputc(*text, stream);
	}
}

static void bash_word(FILE *stream, const char *program, const struct np_option *option)
{
	(void)program;
	if (option->letter != 0)
		fprintf(stream, " -%c", option->letter);
	fprintf(stream, " --%s", option->name);
}

static void bash_case(FILE *stream, const char *program, const struct np_option *option)
{
	(void)program;
	if (option->argument == NULL)
		return;
	fputs("\t", stream);
	if (option->letter != 0)
		fprintf(stream, "-%c|", option->letter);
	fprintf(stream, "--%s) ", option->name);
	if (option->type == NP_OPTION_CHOICE) {
		fputs("words='", stream);
		print_choices(stream, option);
		fputs("' ;;\n", stream);
	} else {
		fprintf(stream, "files=%s ;;\n", is_file(option) ? "yes" : "no words=");
	}
}

/* bash: the previous word selects the completion; "--name=" counts as the previous word. */
static void print_bash(FILE *stream, const char *program, bool files,
		       const struct np_option_set *sets, size_t count)
{
	fprintf(stream,
		"# bash completion of %s\n_%s()\n{\n"
		"\tlocal current=${COMP_WORDS[COMP_CWORD]} "
		"before=${COMP_WORDS[COMP_CWORD-1]}\n"
		"\tlocal files=%s words='",
		program, program, files ? "yes" : "no");
	print_each(stream, program, sets, count, bash_word);
	fputs("'\n"
	      "\tif [ \"$current\" = = ]; then\n\t\tcurrent=\n"
	      "\telif [ \"$before\" = = ]; then\n"
	      "\t\tbefore=${COMP_WORDS[COMP_CWORD-2]}\n\tfi\n"
	      "\tcase $before in\n",
	      stream);
	print_each(stream, program, sets, count, bash_case);
	fprintf(stream,
		"\tesac\n"
		"\tif [ \"$files\" = yes ] && [[ $current != -* ]]; then\n"
		"\t\tmapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n\telse\n"
		"\t\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
		"\tfi\n}\ncomplete -o filenames -F _%s %s\n",
		program, program);
}

static void zsh_spec(FILE *stream, const char *program, const struct np_option *option)
{
	const char *equals = option->argument != NULL ? "=" : "";

	(void)program;
	if (option->letter != 0)
		fprintf(stream, " \\\n\t'(-%c --%s)'{-%c%s,--%s%s}'[", option->letter,
			option->name, option->letter, option->argument != NULL ? "+" : "",
			option->name, equals);
	else
		fprintf(stream, " \\\n\t'--%s%s[", option->name, equals);
	print_quoted(stream, option->help);
	fputc(']', stream);
	if (option->argument != NULL) {
		fputc(':', stream);
		print_quoted(stream, option->argument);
		fputc(':', stream);
	}
	if (option->type == NP_OPTION_CHOICE) {
		fputc('(', stream);
		print_choices(stream, option);
		fputc(')', stream);
	} else if (is_file(option)) {
		fputs("_files", stream);
	}
	fputc('\'', stream);
}

static void print_zsh(FILE *stream, const char *program, bool files,
		      const struct np_option_set *sets, size_t count)
{
	fprintf(stream, "#compdef %s\n_arguments -s -S", program);
	print_each(stream, program, sets, count, zsh_spec);
	fputs(files ? " \\\n\t'*:file:_files'\n" : "\n", stream);
}

static void fish_line(FILE *stream, const char *program, const struct np_option *option)
{
	fprintf(stream, "complete -c %s", program);
	if (option->letter != 0)
		fprintf(stream, " -s %c", option->letter);
	fprintf(stream, " -l %s", option->name);
	if (option->argument != NULL)
		fputs(is_file(option) ? " -rF" : " -x", stream);
	if (option->type == NP_OPTION_CHOICE) {
		fputs(" -a '", stream);
		print_choices(stream, option);
		fputc('\'', stream);
	}
	fputs(" -d '", stream);
	for (const char *at = option->help; *at != '\0'; at++)
		fprintf(stream, *at == '\'' ? "\\%c" : "%c", *at);
	fputs("'\n", stream);
}

static void print_fish(FILE *stream, const char *program, bool files,
		       const struct np_option_set *sets, size_t count)
{
	if (!files)
		fprintf(stream, "complete -c %s -f\n", program);
	print_each(stream, program, sets, count, fish_line);
}

int np_options_shell(FILE *stream, const char *shell, const char *program, bool files,
		     const struct np_option_set *sets, size_t count, struct np_error *error)
{
	char quote[80];

	if (strcmp(shell, "bash") == 0)
		print_bash(stream, program, files, sets, count);
	else if (strcmp(shell, "zsh") == 0)
		print_zsh(stream, program, files, sets, count);
	else if (strcmp(shell, "fish") == 0)
		print_fish(stream, program, files, sets, count);
	else
		return np_refuse(error,
				 "'--shell-completion %s': must be bash, zsh or fish",
				 np_quote(shell, quote, sizeof(quote)));
	return 0;
}
