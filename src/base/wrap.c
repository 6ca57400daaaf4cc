/*
 * wrap.c - text in lines of 80 columns, broken between words.
 */
#include "base/wrap.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

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
	bool first = true;

	while (*text != '\0') {
		const size_t spaces = strspn(text, " "),
			     length = length_unbroken(text + spaces);
		const int columns = columns_of(text + spaces, length);

		if (length == 0)
			break;
		if (!first && column + (int)spaces + columns > NP_WRAP_COLUMNS) {
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
