/*
 * table_view.h - sizes, units and marks of the tables on the terminal.
 */
#pragma once

#include <stdio.h>

#include "output/output.h"

/* Presentation of a table. */
struct np_table_view {
	const struct np_results *results;
	const struct np_table *table;
	bool all_rows;	/* else the first size of each power of two, if there are many */
	bool gbit;	/* rates in Gbit/s, else in Mbit/s */
	unsigned marks; /* printed marks, for np_table_foot() */
};

struct np_table_view np_table_view_of(const struct np_results *results,
				      const struct np_table *table, bool all_rows);

/* Returns whether rows of this size are shown. */
bool np_table_shows(const struct np_table_view *view, size_t length);

/* Prints the rate in the view's unit, in a column of 9. */
void np_table_rate(FILE *file, const struct np_table_view *view, double mbps);
const char *np_table_rate_unit(const struct np_table_view *view);

/* Formats "1.20 - 1.31", or "-" without an interval. */
void np_table_interval(double low, double high, char *text, size_t size);

/* Prints the marks of flags and of an unstable control, and ends the line. */
void np_table_marks(FILE *file, struct np_table_view *view, unsigned flags, bool unstable);

/* Prints the meaning of the marks, and how many sizes are not shown. */
void np_table_foot(FILE *file, const struct np_table_view *view);

/* Returns the title of the column of times: "latency us". */
const char *np_table_time_title(const struct np_results *results);
