/*
 * say.c - titles and paragraphs for a terminal, within 80 columns.
 */
#include "output/say.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TITLE = 13, INDENT = 2 + TITLE + 1, TEXT = 4096 };

/* Requires a terminal at stderr as well: the launcher of Open MPI makes standard output a
 * terminal even if its own output is a file. */
static bool has_colors(FILE *file)
{
	const char *term = getenv("TERM"), *none = getenv("NO_COLOR");
	const int fd = fileno(file); /* -1: in memory */

	return fd >= 0 && isatty(fd) && isatty(STDERR_FILENO) &&
	       (none == NULL || *none == '\0') && term != NULL && strcmp(term, "dumb") != 0;
}

void np_say_colored(FILE *file, enum np_color color, const char *text)
{
	if (color == NP_PLAIN || !has_colors(file))
		fputs(text, file);
	else
		fprintf(file, "\033[%dm%s\033[0m", (int)color, text);
}

/* Counts columns: bytes that do not continue a character of UTF-8. */
static int columns_of(const char *word, size_t length)
{
	int columns = 0;

	for (size_t i = 0; i < length; i++)
		columns += ((unsigned char)word[i] & 0xc0) != 0x80;
	return columns;
}

/* Returns the bytes up to the next possible break: a word, or a number with its unit. */
static size_t length_unbroken(const char *text)
{
	size_t length = strcspn(text, " ");

	while (length != 0 && isdigit((unsigned char)text[length - 1]) &&
	       strspn(text, "0123456789.+-([<>=") == length && text[length] == ' ' &&
	       strchr(" ([", text[length + 1]) == NULL)
		length += 1 + strcspn(text + length + 1, " ");
	return length;
}

/* Prints words from a column on; keeps runs of spaces inside a line. */
static void wrap(FILE *file, int column, int indent, const char *text)
{
	bool first = true;

	while (*text != '\0') {
		const size_t spaces = strspn(text, " "),
			     length = length_unbroken(text + spaces);
		const int columns = columns_of(text + spaces, length);

		if (length == 0)
			break;
		if (!first && column + (int)spaces + columns > NP_SAY_COLUMNS) {
			fprintf(file, "\n%*s", indent, "");
			column = indent;
		} else {
			fprintf(file, "%*s", (int)spaces, "");
			column += (int)spaces;
		}
		fwrite(text + spaces, 1, length, file);
		column += columns;
		text += spaces + length;
		first = false;
	}
	fputc('\n', file);
}

void np_say_line(FILE *file, int indent, const char *line)
{
	wrap(file, 0, indent, line);
}

void np_say(FILE *file, const char *title, const char *format, ...)
{
	char text[TEXT];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	fputs("  ", file);
	np_say_colored(file, strcmp(title, "warning") == 0 ? NP_YELLOW : NP_PLAIN, title);
	const int written = (int)strlen(title);
	const int pad = written < TITLE ? TITLE - written : 0;

	fprintf(file, "%*s", pad + 1, "");
	wrap(file, 2 + written + pad + 1, INDENT, text);
}

void np_say_plain(FILE *file, int indent, const char *format, ...)
{
	char text[TEXT];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	wrap(file, 0, indent, text);
}
