/*
 * columns.c - splits and parses rows of tables: whitespace-separated, or CSV (RFC 4180).
 */
#include "report/reading/columns.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

size_t np_columns_split(char *line, char **words, size_t most)
{
	size_t count = 0;
	char *rest = NULL;

	for (char *word = strtok_r(line, " \t\r", &rest); word != NULL && count < most;
	     word = strtok_r(NULL, " \t\r", &rest))
		words[count++] = word;
	return count;
}

bool np_columns_bytes(const char *word, size_t *bytes)
{
	char *end;

	if (*word < '0' || *word > '9')
		return false;
	errno = 0;
	const unsigned long long value = strtoull(word, &end, 10);
	if (errno != 0 || *end != '\0' || value > (unsigned long long)1 << 52)
		return false;
	*bytes = (size_t)value;
	return true;
}

bool np_columns_number(const char *word, double *number)
{
	char *end;

	/* strtod() also accepts nan, inf and 0x10. */
	if (strspn(word, "+-.0123456789eE") != strlen(word))
		return false;
	errno = 0;
	const double value = strtod(word, &end);
	if (end == word || *end != '\0' || !isfinite(value) || value < 0)
		return false;
	*number = value;
	return true;
}

int np_columns_read(const struct np_columns *columns, char *const *words, size_t count,
		    size_t *bytes, double *seconds, struct np_error *error)
{
	double figure;

	if (count <= columns->size || count <= columns->figure)
		return np_malformed(error, "%zu columns, where there should be %zu", count,
				    (columns->size > columns->figure ? columns->size :
								       columns->figure) +
					    1);
	if (!np_columns_bytes(words[columns->size], bytes))
		return np_malformed(error, "'%.40s' is not a number of bytes",
				    words[columns->size]);
	if (!np_columns_number(words[columns->figure], &figure))
		return np_malformed(error, "'%.40s' is not a number from 0 on",
				    words[columns->figure]);
	if (columns->dimension == NP_DIMENSION_TIME)
		*seconds = figure * columns->scale;
	else
		*seconds = figure > 0 ? columns->directions * 8 * (double)*bytes /
						(figure * columns->scale) :
					0;
	return 0;
}

/* ---- CSV ---------------------------------------------------------------------------- */

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
