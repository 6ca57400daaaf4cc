/*
 * wrap.c - text in lines as wide as the terminal, broken between words.
 */
#include "base/wrap.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

int np_wrap_columns(FILE *file)
{
	const int least = 60, usual = 80, most = 100;
	const char *columns = getenv("COLUMNS");
	struct winsize window = { .ws_col = 0 };
	const int fd = fileno(file); /* -1: a memory stream */
	long width = columns != NULL ? strtol(columns, NULL, 10) : 0;

	if (width <= 0 && fd >= 0 && isatty(fd) && ioctl(fd, TIOCGWINSZ, &window) == 0)
		width = window.ws_col;
	if (width <= 0)
		width = usual;
	return (int)(width < least ? least : width > most ? most : width) - 1;
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

void np_wrap(FILE *file, int column, int indent, const char *text)
{
	const int most = np_wrap_columns(file);
	bool first = true;

	while (*text != '\0') {
		const size_t spaces = strspn(text, " "),
			     length = length_unbroken(text + spaces);
		const int columns = columns_of(text + spaces, length);

		if (length == 0)
			break;
		if (!first && column + (int)spaces + columns > most) {
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
