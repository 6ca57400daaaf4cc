/*
 * reading.h - reads result files, NetPong's own and those of other benchmarks.
 */
#pragma once

#include "report/curves/fields.h"
#include "report/curves/gather.h"
#include "report/reading/format.h"

/* All formats, by the names of --import, in the order of detection: the least specific,
 * CSV, is last.  np_format_NAME is the description of each. */
// clang-format off
#define NP_FORMATS(ENTRY)                                                                  \
	ENTRY(netpong) ENTRY(netpipe) ENTRY(netpipe5) ENTRY(osu) ENTRY(imb)                \
	ENTRY(perftest) ENTRY(ucx_perftest) ENTRY(nccl) ENTRY(fabtests) ENTRY(sockperf)    \
	ENTRY(iperf3) ENTRY(netperf) ENTRY(csv)
// clang-format on

extern const struct np_format np_format_netpong, np_format_netpipe, np_format_netpipe5,
	np_format_osu, np_format_imb, np_format_perftest, np_format_ucx_perftest,
	np_format_nccl, np_format_fabtests, np_format_sockperf, np_format_iperf3,
	np_format_netperf, np_format_csv;

/*
 * Reads a file in the named format; NULL detects it.  Returns 0, or -errno with
 * "PATH:LINE: ..."; the run then holds what else could be read.  np_run_free()
 * is to be called in both cases.
 */
int np_read_file(const char *path, const char *format, struct np_run *run,
		 struct np_error *error);

/* Reads from a descriptor as np_read_file(), and closes it. */
int np_read_fd(int fd, const char *path, const char *format, struct np_run *run,
	       struct np_error *error);

/* ---- State of a reader -------------------------------------------------------------- */

/* Columns of an open table, in the order of its header. */
struct np_header {
	bool open;
	bool skips;  /* rows behind it are not parsed */
	size_t line; /* of the header; 0: the file has none */
	size_t rows, count;
	short columns[NP_WORDS];   /* index in reading->columns; -1: not known */
	bool named[NP_COLUMNS];	   /* the header has it */
	bool grouped;		   /* columns of a second group */
	bool completes;		   /* columns for `complete` of the format */
	double scales[NP_COLUMNS]; /* unit, in seconds, bit/s or 1/s; 0: not stated */
};

/* Words and numbers of a row, or named values, by column of the format. */
struct np_record {
	size_t given; /* words */
	char words[NP_COLUMNS][NP_LABEL];
	double numbers[NP_COLUMNS]; /* NAN: none */
	double steps[NP_COLUMNS];   /* unit of the last digit */
};

/* Lines of one kind: their number, and place and text of the first and the last. */
struct np_lines_of {
	size_t count, first, last;
	char text[96], last_text[96];
};

struct np_reading {
	struct np_run *run;
	const struct np_format *format;
	/* Columns of the format, one for each name; a hook may set the role. */
	struct np_column columns[NP_COLUMNS];
	size_t column_count;
	char names[NP_COLUMNS][24];
	struct np_gather gather;
	struct np_key key; /* operation, mode and variant of the next figure */
	size_t line;	   /* number of the latest line, from 1 */
	bool strips;	   /* lines begin with marks of a launcher or with times */
	bool finished;	   /* NetPong: the run wrote its findings */
	/* NetPong: segments sent again and packets dropped on receipt, of all visits. */
	uint64_t again, dropped;

	struct np_header layout; /* of the table that is open */
	struct np_record record;
	char labels[NP_SLOTS][NP_LABEL];
	char ahead[NP_LABEL];		 /* a label that stands before its title */
	char firsts[NP_SLOTS][NP_LABEL]; /* values of standard "*" */
	bool braces;			 /* a label is a standard value, in braces */
	bool varied[NP_SLOTS];		 /* a label that is not the standard one was seen */
	char group_text[NP_GROUPS][NP_LABEL];
	bool sized; /* the size of the next record is `length` */
	size_t length;
	double share; /* of a message in a time: 0.5 of a round trip */
	/* nccl-tests: ranks; netperf: kind of test; ucx_perftest: 1 with unknown units. */
	size_t number;
	bool keyed;    /* perftest: named values of its JSON */
	size_t titled; /* line of a title that no table has followed; or 0 */
	bool pending;  /* the record is complete, unless a further row follows */
	bool doubt;    /* a line behind it may be that row */

	char *document; /* JSON: the whole file; netperf: the line of titles; owned */
	size_t document_length, document_capacity;
	json_t *start; /* iperf3 --json-stream: the settings; owned */

	/* Number of times above 0; of times of 0, below the resolution of the tool; of
	 * rates of messages without bytes. */
	size_t figures, zeros, empty;
	struct np_lines_of strange, unread, voids, warned, halves;
	size_t refused; /* lines with an error, the first of which is kept */
	size_t refused_line;
	struct np_error error;
};

/* Counts a line, and keeps the text of the first and the last. */
void np_reading_count(struct np_reading *reading, struct np_lines_of *lines,
		      const char *text);

/* Counts an error, of which the first is kept: the reading goes on. */
void np_reading_refuse(struct np_reading *reading, const struct np_error *what);

/* Adds a figure of reading->key, in seconds a message of `length` bytes.  Returns 0 or
 * -errno with a text. */
int np_reading_figure(struct np_reading *reading, size_t length, double seconds,
		      struct np_error *error);

/* ---- Lines -------------------------------------------------------------------------- */

/* Parses a line of a text format. */
void np_reader_line(struct np_reading *reading, char *line);

/* Begins a test, as does the end of a file: ends the last table, takes the operation, up to
 * `stop` if it is not NULL, and clears the labels. */
void np_reader_title(struct np_reading *reading, const char *title, const char *stop);

/* Opens a record for named values, in the units of the format. */
void np_reader_open(struct np_reading *reading);

/* Parses a row of the open table. */
void np_reader_row(struct np_reading *reading, char *line);

/* Opens a table with the columns that a text names. */
void np_reader_columns(struct np_reading *reading, const char *text);

/* Returns the first place in a text of one of the words "A|B"; NULL: none.  *length becomes
 * that of the word, unless it is NULL. */
const char *np_find_any(const char *text, const char *words, size_t *length);

/* Copies the value of an option from a line with the command line of a program: " -NAME
 * VALUE" or "--NAME=VALUE". name has its dashes.  False if the line has no such command or
 * option. */
bool np_command_value(const char *line, const char *program, const char *name, char *value,
		      size_t size);

/* ---- Records ------------------------------------------------------------------------ */

/* Parses a finite number, and the unit of its last digit; step may be NULL. */
bool np_number_parse(const char *word, double *number, double *step);

/* Parses "1.2k", a number rounded down; *step is the unit of its last digit, here a tenth
 * of kilo.  kilo: 1000 or 1024; "b" stands for kilo^3. */
bool np_rounded_parse(const char *word, double kilo, double *number, double *step);

/* Splits a line of CSV (RFC 4180) at commas, in place, and unquotes its cells.  Returns the
 * number of cells, most + 1 if there are more than `most`, or 0 if a quotation mark is not
 * closed. */
size_t np_csv_split(char *line, char **cells, size_t most);

/* Parses a whole number of bytes. */
bool np_bytes_parse(const char *word, size_t *bytes);

/* Finds the factor of a unit for a role: TIME, RATE or MESSAGES. */
bool np_role_unit(const struct np_format *format, enum np_role role, const char *unit,
		  double *scale);

void np_record_clear(struct np_reading *reading);

/* Stores a word of a column.  Returns 0, or -EBADMSG with a text: not what the column
 * has. */
int np_record_put(struct np_reading *reading, size_t column, const char *word,
		  struct np_error *error);

/* Stores a word of the column of that name; nothing if the format has none. */
int np_record_name(struct np_reading *reading, const char *name, const char *word,
		   struct np_error *error);

/* Returns the index of a column; column_count if there is none. */
size_t np_record_find(const struct np_reading *reading, const char *name);

/* Returns the word, "" without one, or the number, NAN without one, of a column. */
const char *np_record_word(const struct np_reading *reading, const char *name);
double np_record_number(const struct np_reading *reading, const char *name);

/* Sets a part of the variant; a standard value is left out if the file has no other, by
 * np_reading_unbrace() of each curve. */
void np_reading_label(struct np_reading *reading, size_t slot, const char *value,
		      const char *standard);
void np_reading_unbrace(const struct np_reading *reading, char *variant);

/* Checks the record, adds its figures, and clears it.  Returns 0, or -EBADMSG with a text:
 * refused. */
int np_record_finish(struct np_reading *reading, struct np_error *error);
