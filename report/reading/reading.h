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
	struct np_columns columns;	     /* tables: from the last header line */
	struct np_key key;		     /* of the next figure: operation, mode */
	size_t cells, extras[NP_EXTRAS_MAX]; /* CSV: columns; numbers of optional ones */
	double megabit;			     /* NetPIPE 3: 10^6 or 2^20 bits */
	bool finished;			     /* the run wrote its findings */
	size_t figures, zeros;		     /* zeros: times below the resolution */
};

struct np_format {
	const char *name;  /* value of --import */
	const char *title; /* in texts: "NetPIPE 3" */
	/* True if the begin of a file is of this format. */
	bool (*recognize)(const char *text);
	/* Called before the first line with the begin of the file; may be NULL. */
	int (*begin)(struct np_reading *reading, const char *text, struct np_error *error);
	/* Parses one line, which it may modify.  Returns 0 or -errno with a text that
	 * names neither file nor line. */
	int (*take)(struct np_reading *reading, char *line, size_t length,
		    struct np_error *error);
};

extern const struct np_format np_format_netpong, np_format_netpipe, np_format_netpipe5,
	np_format_osu, np_format_imb, np_format_perftest, np_format_csv;

/* All formats, in the order of detection; NULL beyond the last. */
const struct np_format *np_format_at(size_t index);

/* Adds a figure of reading->key, in seconds per message of `length` bytes. */
int np_reading_figure(struct np_reading *reading, size_t length, double seconds,
		      struct np_error *error);

/* Adds the figure of a row, by reading->columns. */
int np_reading_row(struct np_reading *reading, char *line, struct np_error *error);

/*
 * Reads a file in the named format; NULL detects it.  Returns 0, or -errno with
 * "PATH:LINE: ..."; the run then holds what was read before the error.  np_run_free()
 * is to be called in both cases.
 */
int np_read_file(const char *path, const char *format, struct np_run *run,
		 struct np_error *error);

/* The same from a descriptor, which is closed. */
int np_read_fd(int fd, const char *path, const char *format, struct np_run *run,
	       struct np_error *error);
