/*
 * format.h - description of a format: lines that name curves, columns with roles and units.
 * read.c reads a file, reader.c its lines; record.c checks a row and stores its figures.
 */
#pragma once

#include "report/curves/run.h"

struct np_reading;

/* Content of a column or of a named value. */
enum np_role {
	NP_COLUMN_NUMBER, /* a number without a use here, or nan, N/A, - */
	NP_COLUMN_TEXT,
	NP_COLUMN_LABEL,    /* part of the curve's name */
	NP_COLUMN_LITERAL,  /* a word that is alike in each row: its name */
	NP_COLUMN_SIZE,	    /* bytes */
	NP_COLUMN_TIME,	    /* of a message */
	NP_COLUMN_RATE,	    /* bits */
	NP_COLUMN_MESSAGES, /* messages in a second */
	NP_COLUMN_WRONG	    /* above 0.1, or "Fail": the figures of its group are void */
};

/* Use of a time or rate; several are ORed. */
enum np_use {
	NP_USE_NONE = 0,
	NP_USE_FIGURE = 1,  /* the figure, if no such column precedes it in the table */
	NP_USE_LATENCY = 2, /* the figure of other operations than "stream" only */
	NP_USE_AGREES = 4,  /* has to agree with the figure */
	NP_USE_DIGITS = 8,  /* as AGREES, and is the figure where it has more digits */
	NP_USE_REFER = 16   /* AGREES is compared with the last of these, if there is one */
};

/* Statistic that a time is, beside its use, in ascending order up to MAX. */
enum np_stat {
	NP_STAT_NONE,
	NP_STAT_MIN,
	NP_STAT_P50,
	NP_STAT_P90,
	NP_STAT_P99,
	NP_STAT_P999,
	NP_STAT_MAX,
	NP_STAT_MEAN,
	NP_STAT_LOW,
	NP_STAT_HIGH,
	NP_STATS
};

enum {
	NP_SLOTS = 8,	 /* parts of a curve's variant */
	NP_GROUPS = 2,	 /* figures of a row: nccl-tests has two places */
	NP_COLUMNS = 40, /* columns of a format */
	NP_WORDS = 64	 /* words of a line */
};

struct np_column {
	/* In the header, without the unit; "A|B": columns A and B, alike in the rest. Names
	 * are matched in this order, each once in a header. */
	const char *name;
	enum np_role role;
	unsigned use;
	enum np_stat stat;
	unsigned char slot, group;
	bool whole;    /* of a label: a whole number */
	bool may_lack; /* the cell is empty in some versions: a row has a word less */
	/* Unit where the file has none, as np_unit_of_column(); of messages "/s" or "M/s".
	 * "us|ms": the one in which the row agrees with itself. */
	const char *unit;
	const char *text;     /* of a label: before it */
	const char *standard; /* a label of this value is left out of the name */
};

/* Result of a line that begins with, or ("*...") contains `begin`; "A|B": either. */
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
struct np_line_rule {
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

/* A format.  Lists end with an empty entry; a hook may be NULL. */
struct np_format {
	const char *title; /* in texts: "NetPIPE 3" */
	/* Recognized by all words of one row, each of which a line begins with ("^word")
	 * or contains; or by the function. */
	const char *signs[5][3];
	bool (*recognize)(const char *text);

	const struct np_line_rule *rules;
	const struct np_column *columns;
	const struct np_alias *units; /* spelling to np_unit_of_column() */
	const struct np_alias *ops;   /* title, or ("*...") a part of it, to operation */
	const char *note;	      /* on units */
	const char *op;		      /* operation before the first title */
	const char *header;	      /* of a file without one */
	const char *group_text[NP_GROUPS]; /* label of each figure of a row with two */
	const char *commas;		   /* separators beside blanks */
	const char *lacks; /* sizes are outside of rows: remedy where one is missing */
	unsigned messages; /* most messages, 1, 2 or 4, that a rate counts for one; 0: 1 */
	double slack;	   /* share by which agreeing columns may differ; 0: 0.01 */
	bool named_values; /* has no tables: `notice` stores values by name */
	bool rounded;	   /* sizes as 1.2k */
	bool half_rows;	   /* a row may end before its second group */
	bool last_row;	   /* rows of progress precede that of the result */
	bool table_of_title; /* a title without a table is warned of */

	/* Called before the first line, with the first bytes of the file. */
	void (*begin)(struct np_reading *reading, const char *text);
	/* Sees each line first.  Returns true if the line needs nothing else. */
	bool (*notice)(struct np_reading *reading, char *line, struct np_error *error);
	/* Sees a record before it is stored: sets operation, size or units.  Returns 0 or
	 * -errno with a text: refused. */
	int (*judge)(struct np_reading *reading, struct np_error *error);
	/* Completes a row with what has no statistic. */
	void (*complete)(struct np_reading *reading, struct np_row *row);
	/* Replaces the reader of lines, and may modify the line.  Returns 0 or -errno with
	 * a text that names neither file nor line; ends the file where there are no
	 * columns. */
	int (*take)(struct np_reading *reading, char *line, size_t length,
		    struct np_error *error);
	/* Takes a JSON document, of several one after another; a file that has a line with
	 * '{' first is read as such. */
	int (*document)(struct np_reading *reading, json_t *document,
			struct np_error *error);
};
