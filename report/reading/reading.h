/*
 * reading.h - reads result files, NetPong's own and those of other benchmarks.
 */
#pragma once

#include "report/curves/gather.h"
#include "report/curves/run.h"
#include "report/reading/record.h"

struct np_reading;

struct np_format {
	const char *name;  /* value of --import */
	const char *title; /* in texts: "NetPIPE 3" */
	/* Recognized by all words of one row, each of which a line begins with ("^word")
	 * or contains; or by the function. */
	const char *signs[5][3];
	bool (*recognize)(const char *text);
	/* Tables and named values in text; or NULL. */
	const struct np_description *text;
	/* Called before the first line, with the first bytes of the file; may be NULL. */
	void (*begin)(struct np_reading *reading, const char *text);
	/* Parses one line, which it may modify.  Returns 0 or -errno with a text that
	 * names neither file nor line. */
	int (*take)(struct np_reading *reading, char *line, size_t length,
		    struct np_error *error);
	/* Takes a JSON document, of several one after another; a file that has a line with
	 * '{' first is read as such.  NULL: the format has none. */
	int (*document)(struct np_reading *reading, json_t *document,
			struct np_error *error);
};

/* Lines of one kind: their number, and place and text of the first and the last. */
struct np_lines_of {
	size_t count, first, last;
	char text[96], last_text[96];
};

/* State of a reader. */
struct np_reading {
	struct np_run *run;
	const struct np_format *format;
	struct np_gather gather;
	struct np_key key; /* operation, mode and variant of the next figure */
	size_t line;	   /* number of the latest line, from 1 */
	bool strips;	   /* lines begin with marks of a launcher or with times */
	bool finished;	   /* NetPong: the run wrote its findings */
	/* NetPong: segments sent again and packets dropped on receipt, of all visits. */
	uint64_t again, dropped;

	struct np_header layout; /* of the table that is open */
	struct np_record record; /* row or named values */
	char labels[NP_SLOTS][NP_LABEL];
	char ahead[NP_LABEL];		 /* a label that stands before its title */
	char firsts[NP_SLOTS][NP_LABEL]; /* values of standard "*" */
	bool braces;			 /* a label is a standard value, in braces */
	bool varied[NP_SLOTS];		 /* a label that is not the standard one was seen */
	char group_text[NP_GROUPS][NP_LABEL];
	bool sized; /* the size is known by a line other than the row */
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

/* All formats, in the order of --import and of detection: the least specific, CSV, is last.
 * An entry has the struct np_format and the name for --import. */
#define NP_FORMATS(ENTRY)                                                                  \
	ENTRY(np_format_netpong, netpong)                                                  \
	ENTRY(np_format_netpipe, netpipe)                                                  \
	ENTRY(np_format_netpipe5, netpipe5)                                                \
	ENTRY(np_format_osu, osu)                                                          \
	ENTRY(np_format_imb, imb)                                                          \
	ENTRY(np_format_perftest, perftest)                                                \
	ENTRY(np_format_ucx_perftest, ucx_perftest)                                        \
	ENTRY(np_format_nccl, nccl)                                                        \
	ENTRY(np_format_fabtests, fabtests)                                                \
	ENTRY(np_format_sockperf, sockperf)                                                \
	ENTRY(np_format_iperf3, iperf3)                                                    \
	ENTRY(np_format_netperf, netperf)                                                  \
	ENTRY(np_format_csv, csv)

#define NP_FORMAT_DECLARE(format, name) extern const struct np_format format;
NP_FORMATS(NP_FORMAT_DECLARE)
#undef NP_FORMAT_DECLARE

/* Returns a format by its place in NP_FORMATS, from 0; NULL beyond the last. */
const struct np_format *np_format_at(size_t index);

/* Counts a line, and keeps the text of the first and the last. */
void np_reading_count(struct np_reading *reading, struct np_lines_of *lines,
		      const char *text);

/* Counts an error, of which the first is kept: the reading goes on. */
void np_reading_refuse(struct np_reading *reading, const struct np_error *what);

/* Adds a figure of reading->key, in seconds a message of `length` bytes.  Returns 0 or
 * -errno with a text. */
int np_reading_figure(struct np_reading *reading, size_t length, double seconds,
		      struct np_error *error);

/* Sets a part of the variant; a standard value is left out if the file has no other, by
 * np_reading_unbrace() of each curve. */
void np_reading_label(struct np_reading *reading, size_t slot, const char *value,
		      const char *standard);
void np_reading_unbrace(const struct np_reading *reading, char *variant);

/* Parses a line of a text format, and ends the last table of a file. */
void np_reader_line(struct np_reading *reading, char *line);
void np_reader_end(struct np_reading *reading);

/* Begins a test: takes its operation, up to `stop` if it is not NULL; clears the labels. */
void np_reader_title(struct np_reading *reading, const char *title, const char *stop);

/* Opens a record for named values, in the units of the description. */
void np_reader_open(struct np_reading *reading);

/* Parses a row of the open table. */
void np_reader_row(struct np_reading *reading, char *line);

/* Opens a table with the columns that a line names. */
void np_reader_header(struct np_reading *reading, char *line);

/* Copies the value of an option from a line with the command line of a program: " -NAME
 * VALUE" or "--NAME=VALUE". name has its dashes.  False if the line has no such command or
 * option. */
bool np_command_value(const char *line, const char *program, const char *name, char *value,
		      size_t size);

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
