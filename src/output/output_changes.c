/*
 * output_changes.c - counts that differ between modes, on the terminal.
 */
#include <math.h>

#include "output/output.h"

/* The result file has all of them. */
enum { CHANGES_PRINTED = 5 };

/* About three digits; only 0 is printed as 0. */
static void print_rate(FILE *file, double rate)
{
	if (rate >= 100.0)
		fprintf(file, "%.0f", rate);
	else if (rate >= 0.1 || !(rate > 0.0))
		fprintf(file, "%.2f", rate);
	else
		fprintf(file, "%.2g", rate);
}

/* Prints a name with spaces instead of "_". */
static void print_name(FILE *file, const char *name)
{
	for (; *name != '\0'; name++)
		fputc(*name == '_' ? ' ' : *name, file);
}

void np_text_changes(FILE *file, const struct np_change *changes, size_t count)
{
	for (size_t i = 0; i < count && i < CHANGES_PRINTED; i++) {
		fputs(i != 0 ? ", " : "", file);
		print_name(file, changes[i].name);
		fputc(' ', file);
		print_rate(file, changes[i].base);
		fputs(" -> ", file);
		print_rate(file, changes[i].over);
		fputs(i == 0 ? " a message" : "", file);
	}
	if (count > CHANGES_PRINTED)
		fprintf(file, ", and %zu counts more", count - CHANGES_PRINTED);
}
