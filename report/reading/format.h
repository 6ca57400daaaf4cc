/*
 * format.h - description of a text format: lines that name curves, columns with roles and
 * units.  reader.c reads all of them; record.c checks and stores a row.
 */
#pragma once

#include "report/reading/reading.h"

/* Result of a line that begins with, or ("*...") contains `begin`. */
enum np_act {
	NP_ACT_TITLE, /* a new test: clears labels, takes the operation, closes the table */
	NP_ACT_LABEL, /* takes a part of the curve's name */
	NP_ACT_HEADER,	/* names columns */
	NP_ACT_UNITS,	/* units of the columns, in parentheses */
	NP_ACT_END,	/* closes the table */
	NP_ACT_SAMPLES, /* a list of single samples until the next header */
	NP_ACT_QUIET,	/* no content */
	NP_ACT_WARN,	/* warns with `after` */
	/* The tool reports that the result of a row is wrong or missing; with slot 1: that
	 * results of the file are. */
	NP_ACT_VOID
};

/* The first rule that a line fits is applied. */
struct np_rule {
	const char *begin;
	enum np_act act;
	unsigned char slot; /* LABEL: NP_SLOTS for one before its title */
	const char *stop;   /* TITLE, LABEL: end of the text taken */
	const char *after;  /* LABEL: behind the text taken */
	/* LABEL: this value is left out of the name where the file has no other; "*": the
	 * first that the file has. */
	const char *standard;
};

struct np_alias {
	const char *from, *to;
};

struct np_description {
	const struct np_rule *rules;	 /* all lists end with an empty entry */
	const struct np_column *columns; /* names are matched in this order */
	const struct np_alias *units;	 /* spelling to np_unit_of_column() */
	const struct np_alias *ops;	 /* title, or ("*...") a part of it, to operation */
	const char *note;		 /* on units */
	const char *group_text[NP_GROUPS]; /* label of each figure of a row with two */
	unsigned messages;  /* most messages, 1, 2 or 4, that a rate counts for one; 0: 1 */
	double slack;	    /* share by which agreeing columns may differ; 0: 0.01 */
	const char *commas; /* separators beside blanks */
	bool rounded;	    /* sizes as 1.2k */
	bool half_rows;	    /* a row may end before its second group */
	bool last_row;	    /* rows of progress precede that of the result */
	bool size_once;	    /* a size outside of rows is that of one result */
	bool table_of_title; /* a title without a table is warned of */
	const char *lacks;   /* remedy where a row has no size */
	/* Sees each line first.  Returns true if the line needs nothing else. */
	bool (*notice)(struct np_reading *reading, char *line, struct np_error *error);
	/* Sees a record before it is stored: sets operation, size or units.  Returns 0 or
	 * -errno with a text: refused. */
	int (*judge)(struct np_reading *reading, struct np_error *error);
	/* Completes a row with what has no statistic; may be NULL. */
	void (*complete)(struct np_reading *reading, struct np_row *row);
};
