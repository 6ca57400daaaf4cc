/*
 * output_changes.c - counts that differ between modes, on the terminal.
 */
#include <math.h>

#include "base/plural.h"
#include "output/output.h"

/* Limit of printed counts; the result file has all. */
enum { CHANGES_PRINTED = 5 };

/* Formats about three digits; only 0 is printed as 0. */
static void rate_text(double rate, char *text, size_t size)
{
	if (rate >= 100.0)
		snprintf(text, size, "%.0f", rate);
	else if (rate >= 0.1 || !(rate > 0.0))
		snprintf(text, size, "%.2f", rate);
	else
		np_text_number(rate, 2, text, size);
}

void np_text_changes(const struct np_change *changes, size_t count, char *text, size_t size)
{
	int used = 0;

	*text = '\0';
	for (size_t i = 0; i < count && i < CHANGES_PRINTED && used < (int)size; i++) {
		char base[64], over[64], name[NP_COUNTER_NAME];

		rate_text(changes[i].base, base, sizeof(base));
		rate_text(changes[i].over, over, sizeof(over));
		snprintf(name, sizeof(name), "%s", changes[i].name);
		for (char *at = name; *at != '\0'; at++)
			*at = (char)(*at == '_' ? ' ' : *at);
		used += snprintf(text + used, size - (size_t)used, "%s%s %s -> %s%s",
				 i != 0 ? ", " : "", name, base, over,
				 i == 0 ? " per message" : "");
	}
	if (count > CHANGES_PRINTED && used < (int)size)
		snprintf(text + used, size - (size_t)used, ", and %zu more count%s",
			 count - CHANGES_PRINTED, np_plural(count - CHANGES_PRINTED));
}
