/*
 * columns.c - parses words, numbers and units of a whitespace-separated table.
 */
#include "report/reading/columns.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct unit {
	const char *name;
	enum np_quantity quantity;
	double scale;
};

/* SI prefixes are powers of ten; Mi and Gi are powers of two. */
static const struct unit units[] = {
	{ "s", NP_QUANTITY_SECONDS, 1 },
	{ "ms", NP_QUANTITY_SECONDS, 1e-3 },
	{ "us", NP_QUANTITY_SECONDS, 1e-6 },
	{ "usec", NP_QUANTITY_SECONDS, 1e-6 },
	{ "ns", NP_QUANTITY_SECONDS, 1e-9 },
	{ "bit/s", NP_QUANTITY_BITS_PER_SECOND, 1 },
	{ "kbit/s", NP_QUANTITY_BITS_PER_SECOND, 1e3 },
	{ "Mbit/s", NP_QUANTITY_BITS_PER_SECOND, 1e6 },
	{ "Gbit/s", NP_QUANTITY_BITS_PER_SECOND, 1e9 },
	{ "B/s", NP_QUANTITY_BITS_PER_SECOND, 8 },
	{ "kB/s", NP_QUANTITY_BITS_PER_SECOND, 8e3 },
	{ "MB/s", NP_QUANTITY_BITS_PER_SECOND, 8e6 },
	{ "GB/s", NP_QUANTITY_BITS_PER_SECOND, 8e9 },
	{ "MiB/s", NP_QUANTITY_BITS_PER_SECOND, 8.0 * 1048576 },
	{ "GiB/s", NP_QUANTITY_BITS_PER_SECOND, 8.0 * 1073741824 },
};

bool np_unit_find(const char *unit, enum np_quantity *quantity, double *scale)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(units[i].name, unit) == 0) {
			*quantity = units[i].quantity;
			*scale = units[i].scale;
			return true;
		}
	}
	return false;
}

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
		return np_malformed(error, "'%.40s' is no number of bytes",
				    words[columns->size]);
	if (!np_columns_number(words[columns->figure], &figure))
		return np_malformed(error, "'%.40s' is no number that a measurement has",
				    words[columns->figure]);
	if (columns->quantity == NP_QUANTITY_SECONDS)
		*seconds = figure * columns->scale;
	else
		*seconds = figure > 0 ? columns->directions * 8 * (double)*bytes /
						(figure * columns->scale) :
					0;
	return 0;
}
