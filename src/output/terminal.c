/*
 * terminal.c - lines, numbers and sizes as text for a terminal.
 */
#include "output/terminal.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/wrap.h"
#include "output/output.h"

enum { TITLE = 13, INDENT = 2 + TITLE + 1, TEXT = 4096 };

/* Requires a terminal at stderr as well: the launcher of Open MPI makes standard output a
 * terminal even if its own output is a file. */
static bool has_colors(FILE *file)
{
	const char *term = getenv("TERM"), *none = getenv("NO_COLOR");
	const int fd = fileno(file); /* -1: a memory stream */

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
	np_wrap(file, 2 + written + pad + 1, INDENT, text);
}

void np_say_plain(FILE *file, int indent, const char *format, ...)
{
	char text[TEXT];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	np_wrap(file, 0, indent, text);
}

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
	/* Outside of these shares %.2g of a percentage prints an exponent. */
	const double whole = 0.995, least = 1e-5;

	if (share > 0 && share < least)
		snprintf(text, size, "below 0.001 %%");
	else
		snprintf(text, size, share < whole ? "%.2g %%" : "%.0f %%", 100 * share);
}

void np_text_detection(double share, char *text, size_t size)
{
	if (share > 9)
		snprintf(text, size, "above 10x");
	else
		np_text_percent(share, text, size);
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

enum { TITLE_MOST = 32, FURTHER = 4 };

FILE *np_fold_begin(struct np_fold *fold, FILE *to)
{
	*fold = (struct np_fold){ .to = to };
	fold->text = open_memstream(&fold->memory, &fold->size);
	if (fold->text == NULL)
		fold->text = to;
	return fold->text;
}

/* Returns the indentation of continuation lines: that of the text behind a title, else four
 * more than that of the line. */
static int indent_of(const char *line)
{
	const size_t begin = strspn(line, " ");

	for (size_t at = begin; at < TITLE_MOST && line[at] != '\0'; at++) {
		if (line[at] == ' ' && line[at + 1] == ' ')
			return (int)(at + strspn(line + at, " "));
	}
	return (int)begin + FURTHER;
}

int np_fold_end(struct np_fold *fold, struct np_error *error)
{
	if (fold->text == fold->to)
		return 0;
	bool whole = ferror(fold->text) == 0;
	whole &= fclose(fold->text) == 0 && fold->memory != NULL;
	for (char *line = fold->memory, *end; whole && *line != '\0'; line = end) {
		end = strchrnul(line, '\n');
		if (*end != '\0')
			*end++ = '\0';
		np_wrap(fold->to, 0, indent_of(line), line);
	}
	free(fold->memory);
	fold->memory = NULL;
	return whole ? 0 : np_fail_errno(error, ENOMEM, "cannot print the findings");
}
