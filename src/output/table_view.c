/*
 * table_view.c - sizes, units and marks of the tables on the terminal.
 */
#include "output/table_view.h"

#include <math.h>

#include "output/say.h"

/* Number of sizes up to which all are shown. */
enum { SIZES_SHOWN = 24 };

enum { MARK_UNSTABLE = 1u << 16 };

struct mark {
	unsigned flag;
	char mark;
	const char *meaning;
};

static const struct mark marks[] = {
	{ NP_ROW_OTHER_STATE, '~', "~ too little in the usual host state" },
	{ NP_ROW_UNSTEADY, 's', "s not in steady state" },
	{ NP_ROW_PAGE_FAULTS, 'p', "p page faults while timed" },
	{ MARK_UNSTABLE, '!', "! control differs from 1: interval widened" },
};
enum { MARKS = sizeof(marks) / sizeof(*marks) };

struct np_table_view np_table_view_of(const struct np_results *results,
				      const struct np_table *table, bool all_rows)
{
	const double giga = 1000;
	struct np_table_view view = { .results = results, .table = table };
	size_t sizes = 0;

	for (size_t i = 0; i < table->row_count; i++) {
		sizes += i == 0 || table->rows[i].length != table->rows[i - 1].length;
		view.gbit |= table->rows[i].mbps >= giga;
	}
	view.all_rows = all_rows || sizes <= SIZES_SHOWN;
	return view;
}

/* Returns the greatest power of two not above length; 0 for 0. */
static size_t octave_of(size_t length)
{
	size_t octave = length != 0 ? 1 : 0;

	while (octave != 0 && octave <= length / 2)
		octave *= 2;
	return octave;
}

bool np_table_shows(const struct np_table_view *view, size_t length)
{
	const struct np_table *table = view->table;

	if (view->all_rows)
		return true;
	for (size_t i = 0; i < table->row_count; i++) {
		if (octave_of(table->rows[i].length) == octave_of(length))
			return table->rows[i].length == length;
	}
	return false;
}

void np_table_rate(FILE *file, const struct np_table_view *view, double mbps)
{
	char text[64];

	np_text_number(view->gbit ? mbps / 1000 : mbps, 4, text, sizeof(text));
	fprintf(file, " %9s", text);
}

const char *np_table_rate_unit(const struct np_table_view *view)
{
	return view->gbit ? "Gbit/s" : "Mbit/s";
}

void np_table_interval(double low, double high, char *text, size_t size)
{
	char from[64], to[64];

	if (isnan(low)) {
		snprintf(text, size, "-");
		return;
	}
	np_text_number(low, 4, from, sizeof(from));
	np_text_number(high, 4, to, sizeof(to));
	snprintf(text, size, "%s - %s", from, to);
}

void np_table_marks(FILE *file, struct np_table_view *view, unsigned flags, bool unstable)
{
	bool any = false;

	flags |= unstable ? (unsigned)MARK_UNSTABLE : 0;
	for (size_t i = 0; i < MARKS; i++) {
		if ((flags & marks[i].flag) == 0)
			continue;
		fprintf(file, "%s%c", any ? "" : " ", marks[i].mark);
		view->marks |= marks[i].flag;
		any = true;
	}
	fputc('\n', file);
}

void np_table_foot(FILE *file, const struct np_table_view *view)
{
	const struct np_table *table = view->table;
	size_t sizes = 0, shown = 0;

	for (size_t i = 0; i < MARKS; i++) {
		if ((view->marks & marks[i].flag) != 0)
			np_say_plain(file, 2, "  %s", marks[i].meaning);
	}
	for (size_t i = 0; i < table->row_count; i++) {
		if (i != 0 && table->rows[i].length == table->rows[i - 1].length)
			continue;
		sizes++;
		shown += np_table_shows(view, table->rows[i].length);
	}
	if (shown < sizes)
		np_say_plain(file, 2,
			     "  %zu of %zu sizes shown; --all-rows shows all, --json FILE "
			     "keeps all",
			     shown, sizes);
}

const char *np_table_time_title(const struct np_results *results)
{
	switch (results->operation) {
	case NP_PINGPONG:
		return "latency us";
	case NP_BIDIRECTIONAL:
		return "exchange us";
	default:
		return "message us";
	}
}
