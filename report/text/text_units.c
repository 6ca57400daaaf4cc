/*
 * text_units.c - numbers with units.
 */
#include <math.h>

#include "output/output.h"
#include "report/text/text.h"

struct unit {
	double scale;
	const char *name;
};

/* Prints with the largest unit that is not above the number. */
static void print_in(double value, const struct unit *units, size_t count, char *text,
		     size_t size)
{
	size_t at = 0;

	while (at + 1 < count && fabs(value) < units[at].scale)
		at++;
	snprintf(text, size, "%.4g %s", value / units[at].scale, units[at].name);
}

void np_text_seconds(double seconds, char *text, size_t size)
{
	static const struct unit units[] = {
		{ 1, "s" }, { 1e-3, "ms" }, { 1e-6, "us" }, { 1e-9, "ns" }
	};

	print_in(seconds, units, 4, text, size);
}

void np_text_mbps(double mbps, char *text, size_t size)
{
	static const struct unit units[] = {
		{ 1e6, "Tbit/s" }, { 1e3, "Gbit/s" }, { 1, "Mbit/s" }, { 1e-3, "kbit/s" }
	};

	print_in(mbps, units, 4, text, size);
}

void np_text_length(double bytes, char *text, size_t size)
{
	/* Measured sizes are exact, estimates are rounded. */
	if (bytes >= 0 && bytes < 1e15 && bytes == floor(bytes))
		np_text_bytes((size_t)bytes, text, size);
	else
		np_text_about(bytes, text, size);
}

void np_text_safe(FILE *file, const char *text)
{
	for (; *text != '\0'; text++) {
		const unsigned char byte = (unsigned char)*text;

		fputc(byte < 0x20 || byte == 0x7f ? '?' : byte, file);
	}
}
