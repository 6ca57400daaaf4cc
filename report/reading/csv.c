/*
 * csv.c - splitting and writing cells.
 */
#include "report/reading/csv.h"

#include <string.h>

/* Takes one cell from *at, which then stands behind it; NULL if its quotation
 * mark has no partner. */
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
	/* Of what was taken off there is always a byte left for this. */
	*write = '\0';
	return cell;
}

size_t np_csv_split(char *line, char **cells, size_t room)
{
	size_t count = 0;

	for (char *at = line;; at++) {
		char *cell = next_cell(&at);

		if (cell == NULL)
			return 0;
		if (count == room)
			return room + 1;
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
