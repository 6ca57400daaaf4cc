/*
 * table_view.h - what the tables on the terminal have in common: which sizes they show,
 * units, and the marks behind a row.
 */
#pragma once

#include <stdio.h>

#include "output/output.h"

/* How the rows of a table are shown. */
struct np_table_view {
	const struct np_results *results;
	const struct np_table *table;
	bool all_rows;	/* else the first size of each power of two, if there are many */
	bool gbit;	/* rates in Gbit/s, else in Mbit/s */
	unsigned marks; /* that were printed: np_table_mark() */
};

struct np_table_view np_table_view_of(const struct np_results *results,
				      const struct np_table *table, bool all_rows);

/* Whether rows of this size are shown. */
bool np_table_shows(const struct np_table_view *view, size_t length);

/* Prints the rate in the view's unit, in a column of 9. */
void np_table_rate(FILE *file, const struct np_table_view *view, double mbps);
const char *np_table_rate_unit(const struct np_table_view *view);

/* "1.20 - 1.31" or "-" for no interval, of values in the same number of digits. */
void np_table_interval(double low, double high, char *text, size_t size);

/* Prints the marks of a row's flags and of a control that differs, and ends the line. */
void np_table_marks(FILE *file, struct np_table_view *view, unsigned flags, bool unstable);

/* Prints the meaning of the marks, and how many sizes are not shown. */
void np_table_foot(FILE *file, const struct np_table_view *view);

/* The title of the column of times: "latency us". */
const char *np_table_time_title(const struct np_results *results);
