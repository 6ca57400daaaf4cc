/*
 * record.h - columns of a table and values of a row: description, layout of a header line,
 * and the record that a row or named values fill.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "report/curves/fields.h"

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
	NP_COLUMNS = 40, /* columns of a description */
	NP_WORDS = 64	 /* words of a line */
};

struct np_column {
	const char *name; /* in the header, without the unit; each is used once, in order */
	enum np_role role;
	unsigned use;
	enum np_stat stat;
	/* Unit where the file has none, as np_unit_of_column(); of messages "/s" or "M/s".
	 * "us|ms": the one in which the row agrees with itself. */
	const char *unit;
	const char *text;     /* of a label: before it */
	const char *standard; /* a label of this value is left out of the name */
	unsigned char slot, group;
	bool whole;    /* of a label: a whole number */
	bool may_lack; /* the cell is empty in some versions: a row has a word less */
};

/* Columns of an open table, in the order of its header. */
struct np_header {
	bool open, unreadable, samples;
	size_t line; /* of the header */
	size_t rows, count;
	short columns[NP_WORDS]; /* index in the description; -1: not known */
	bool named[NP_COLUMNS];	 /* the header has it */
	bool grouped;		 /* columns of a second group */
	bool completes;		 /* columns for `complete` of the description */
	enum np_role roles[NP_COLUMNS];
	double scales[NP_COLUMNS]; /* unit, in seconds, bit/s or 1/s; 0: not stated */
};

/* Words and numbers of a row, by column of the description. */
struct np_record {
	size_t given; /* words */
	char words[NP_COLUMNS][NP_LABEL];
	double numbers[NP_COLUMNS]; /* NAN: none */
	double steps[NP_COLUMNS];   /* unit of the last digit */
};

struct np_reading;

/* Parses a finite number, and the unit of its last digit; step may be NULL. */
bool np_number_parse(const char *word, double *number, double *step);

/* Parses "1.2k", a number rounded down; *step is the unit of its last digit, here a tenth
 * of kilo.  kilo: 1000 or 1024; "b" stands for kilo^3. */
bool np_rounded_parse(const char *word, double kilo, double *number, double *step);

/* Parses a whole number of bytes. */
bool np_bytes_parse(const char *word, size_t *bytes);

/* Finds the factor of a unit for a role: TIME, RATE or MESSAGES. */
bool np_role_unit(const struct np_reading *reading, enum np_role role, const char *unit,
		  double *scale);

void np_record_clear(struct np_reading *reading);

/* Stores a word of a column.  Returns 0, or -EBADMSG with a text: not what the column
 * has. */
int np_record_put(struct np_reading *reading, size_t column, const char *word,
		  struct np_error *error);

/* Stores a word of the column of that name; nothing if the description has none. */
int np_record_name(struct np_reading *reading, const char *name, const char *word,
		   struct np_error *error);

/* Returns the index of a column of the description. */
size_t np_record_find(const struct np_reading *reading, const char *name);

/* Checks the record, adds its figures, and clears it.  Returns 0, or -EBADMSG with a text:
 * refused. */
int np_record_finish(struct np_reading *reading, struct np_error *error);
