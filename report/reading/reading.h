/*
 * reading.h - reads result files, NetPong's own and those of other benchmarks.
 */
#pragma once

#include "report/reading/columns.h"
#include "report/curves/gather.h"
#include "report/curves/run.h"

enum { NP_EXTRAS_MAX = 24 };

/* State of a reader. */
struct np_reading {
	struct np_run *run;
	struct np_gather gather;
	struct np_columns columns; /* of a table, set by its last header line */
	struct np_key key;	   /* labels of the next figure: operation, mode, variant */
	/* CSV: number of columns; position of each optional column, from 1.  Other formats:
	 * see the importer. */
	size_t cells, extras[NP_EXTRAS_MAX];
	double megabit;	     /* NetPIPE 3: bits of a megabit, 10^6 or 2^20 */
	struct np_row point; /* one figure, collected from several lines */
	bool sized;	     /* the length of the point is known */
	char *document; /* iperf3: the whole file; netperf: the line of titles; owned */
	size_t document_length, document_capacity;
	double numbers[NP_EXTRAS_MAX]; /* netperf: values of a test; NAN: not printed */
	bool finished;		       /* the run wrote its findings */
	/* Number of times above 0; of times of 0, below the resolution of the tool. */
	size_t figures, zeros;
};

struct np_format {
	const char *name;  /* value of --import */
	const char *title; /* in texts: "NetPIPE 3" */
	/* True if the first bytes of a file, as text, are of this format. */
	bool (*recognize)(const char *text);
	/* Called before the first line, with the first bytes of the file; may be NULL. */
	int (*begin)(struct np_reading *reading, const char *text, struct np_error *error);
	/* Parses one line, which it may modify.  Returns 0 or -errno with a text that
	 * names neither file nor line. */
	int (*take)(struct np_reading *reading, char *line, size_t length,
		    struct np_error *error);
	/* Called after the last line, as begin; may be NULL. */
	int (*finish)(struct np_reading *reading, struct np_error *error);
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

/* Adds a figure of reading->key, in seconds a message of `length` bytes.  Returns 0 or
 * -errno with a text, as the functions below. */
int np_reading_figure(struct np_reading *reading, size_t length, double seconds,
		      struct np_error *error);

/* Clears reading->point: all values NAN, and no length. */
void np_reading_blank(struct np_reading *reading);

/* Adds reading->point with the labels of reading->key, and clears it. program: the tool
 * that the error names if the length is unknown. */
int np_reading_point(struct np_reading *reading, const char *program,
		     struct np_error *error);

/* Copies the value of an option from a line with the command line of a program: " -NAME
 * VALUE" or "--NAME=VALUE". name has its dashes.  False if the line has no such command or
 * option. */
bool np_command_value(const char *line, const char *program, const char *name, char *value,
		      size_t size);

/* Sets the length of the point, in bytes, from an option as np_command_value() finds it. */
void np_command_length(struct np_reading *reading, const char *line, const char *program,
		       const char *name);

/* Sets the length of the point from the digits behind `words`, if the line has them. */
void np_length_behind(struct np_reading *reading, const char *line, const char *words);

/* Adds the figure of a row of a table, whose columns reading->columns describes. */
int np_reading_row(struct np_reading *reading, char *line, struct np_error *error);

/*
 * Reads a file in the named format; NULL detects it.  Returns 0, or -errno with
 * "PATH:LINE: ..."; the run then holds what was read before the error.  np_run_free()
 * is to be called in both cases.
 */
int np_read_file(const char *path, const char *format, struct np_run *run,
		 struct np_error *error);

/* Reads from a descriptor as np_read_file(), and closes it. */
int np_read_fd(int fd, const char *path, const char *format, struct np_run *run,
	       struct np_error *error);
