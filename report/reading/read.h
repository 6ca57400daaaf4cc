/*
 * read.h - reading a file of any format that there is a table entry for.
 */
#ifndef NP_READ_H
#define NP_READ_H

#include "report/reading/columns.h"
#include "report/curves/gather.h"
#include "report/reading/lines.h"
#include "report/reading/run.h"

enum { NP_EXTRAS_MAX = 24 };

/* What a format has at hand while it reads. */
struct np_reading {
	struct np_run *run;
	struct np_gather gather;
	struct np_results results;	     /* empty: how to read the times of visits */
	struct np_columns columns;	     /* of tables: what the last header line said */
	struct np_key key;		     /* of the next figure: operation, mode */
	size_t cells, extras[NP_EXTRAS_MAX]; /* CSV: columns; where some stand, from 1 */
	double megabit;			     /* bits, where the file itself tells; else 0 */
	bool finished;			     /* the run wrote its findings */
	size_t figures, zeros; /* zeros: times that the tool could not resolve */
};

struct np_format {
	const char *name;  /* as --import says it */
	const char *title; /* for a reader: "NetPIPE 3" */
	/* True if the beginning of a file, as a string, can be nothing else. */
	bool (*recognize)(const char *text);
	/* Before the first line; may look at the beginning.  NULL: nothing to do. */
	int (*begin)(struct np_reading *reading, const char *text, struct np_error *error);
	/* One line, which it may change.  Returns 0 or -errno with a text that
	 * names neither file nor line. */
	int (*take)(struct np_reading *reading, char *line, size_t length,
		    struct np_error *error);
};

extern const struct np_format np_format_netpong, np_format_netpipe, np_format_netpipe5,
	np_format_osu, np_format_imb, np_format_perftest, np_format_csv;

/* All of them; NULL ends the list. */
const struct np_format *np_format_at(size_t index);

/* Whether a time is one that a measurement can have: 1 ps to 30 years.  Axes and
 * sums are made for those. */
bool np_reading_time(double seconds);

/* One more figure of reading->key at a length, in seconds a message. */
int np_reading_figure(struct np_reading *reading, size_t length, double seconds,
		      struct np_error *error);

/*
 * Reads a file, in the format of that name, or NULL to find it out.  Returns 0,
 * or -errno with "PATH:LINE: what is wrong"; what stood before is in the run
 * then.  np_run_free() copes with both.
 */
int np_read_file(const char *path, const char *format, struct np_run *run,
		 struct np_error *error);

/* The same from memory. */
int np_read_memory(const char *path, const void *bytes, size_t length, const char *format,
		   struct np_run *run, struct np_error *error);

#endif
