/*
 * output_number.c - numbers and sizes as text: no exponents, a unit where one is needed.
 */
#include <math.h>

#include "output/output.h"

static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };

void np_text_bytes(size_t bytes, char *text, size_t size)
{
	unsigned unit = 0;

	while (unit < 4 && bytes >= 1024 && bytes % 1024 == 0) {
		bytes /= 1024;
		unit++;
	}
	snprintf(text, size, "%zu %s", bytes, units[unit]);
}

void np_text_about(double bytes, char *text, size_t size)
{
	unsigned unit = 0;

	for (; unit < 4 && fabs(bytes) >= 1024; unit++)
		bytes /= 1024;
	snprintf(text, size, "%.4g %s", bytes, units[unit]);
}

void np_text_percent(double share, char *text, size_t size)
{
	/* %.2g prints values beyond these with an exponent. */
	const double whole = 0.995, least = 1e-5;

	if (share > 0 && share < least)
		snprintf(text, size, "below 0.001 %%");
	else
		snprintf(text, size, share < whole ? "%.2g %%" : "%.0f %%", 100 * share);
}

void np_text_size_unit(size_t bytes, char *text, size_t size)
{
	char number[32];

	np_size_text(bytes, number, sizeof(number));
	snprintf(text, size, "%s%s", number, bytes < 1024 || bytes % 1024 != 0 ? " B" : "");
}

void np_text_number(double value, int digits, char *text, size_t size)
{
	/* More decimals than this are noise in every unit used here. */
	const int decimals_max = 4;
	const double magnitude = fabs(value) > 0 ? floor(log10(fabs(value))) : 0;
	int decimals = digits - 1 - (int)magnitude;

	if (isnan(value)) {
		snprintf(text, size, "-");
		return;
	}
	decimals = decimals < 0 ? 0 : decimals > decimals_max ? decimals_max : decimals;
	snprintf(text, size, "%.*f", decimals, value);
}

void np_text_us(double seconds, char *text, size_t size)
{
	char number[64];

	np_text_number(seconds * 1e6, 4, number, sizeof(number));
	snprintf(text, size, "%s us", number);
}

void np_text_rate(double mbps, char *text, size_t size)
{
	const bool giga = mbps >= 1000;
	char number[64];

	np_text_number(giga ? mbps / 1000 : mbps, 4, number, sizeof(number));
	snprintf(text, size, "%s %s", number, giga ? "Gbit/s" : "Mbit/s");
}

void np_text_slower(double ratio, double low, double high, char *text, size_t size)
{
	/* Percent up to twice the time, a factor above that. */
	const double factor = 1.995;
	char times[32], from[32], to[32];

	if (isnan(low)) {
		np_text_number(ratio, 3, times, sizeof(times));
		snprintf(text, size, "%sx, no interval", times);
	} else if (ratio >= factor) {
		np_text_number(ratio, 3, times, sizeof(times));
		np_text_number(low, 3, from, sizeof(from));
		np_text_number(high, 3, to, sizeof(to));
		snprintf(text, size, "%sx slower [%s, %s]", times, from, to);
	} else if (ratio >= 1) {
		snprintf(text, size, "%.1f %% slower [%.1f, %.1f]", 100 * (ratio - 1),
			 100 * (low - 1), 100 * (high - 1));
	} else {
		snprintf(text, size, "%.1f %% faster [%.1f, %.1f]", 100 * (1 - ratio),
			 100 * (1 - high), 100 * (1 - low));
	}
}
