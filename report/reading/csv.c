/*
 * csv.c - splits and writes rows of CSV (RFC 4180).
 */
#include "report/reading/csv.h"

#include <string.h>

/* Returns the cell at *at, unquoted in place, and advances *at behind it; NULL if a
 * quotation mark is not closed. */
static char *next_cell(char **at)
{
	char *cell = *at, *write = cell, *read = cell;

	if (*read != '"') {
		*at += strcspn(cell, ",");
		return cell;
	}
	for (read++; *read != '\0'; read++) {
		if (*read == '"') {
			if (read[1] != '"')
				break;
			read++;
		}
		*write++ = *read;
	}
	if (*read != '"' || (read[1] != ',' && read[1] != '\0'))
		return NULL;
	*at = read + 1;
	*write = '\0'; /* never behind the closing quotation mark */
	return cell;
}

size_t np_csv_split(char *line, char **cells, size_t most)
{
	size_t count = 0;

	for (char *at = line;; at++) {
		char *cell = next_cell(&at);

		if (cell == NULL)
			return 0;
		if (count == most)
			return most + 1;
		cells[count++] = cell;
		if (*at == '\0')
			return count;
		*at = '\0';
	}
}

void np_csv_cell(FILE *file, const char *text)
{
	if (strpbrk(text, ",\"\r\n") == NULL) {
		fputs(text, file);
		return;
	}
	fputc('"', file);
	for (; *text != '\0'; text++) {
		if (*text == '"')
			fputc('"', file);
		fputc(*text, file);
	}
	fputc('"', file);
}
