/*
 * reuse.h - cost of the buffers of a recorded program: its uses by size and reuse distance
 * (doc/record.md), joined with the times of a path at these distances (--replay).
 *
 * A cell of the record is a direction, a class of sizes and a class of distances, which are
 * half octaves.  A cell is measured as rotation of that side through N buffers: between two
 * uses of a buffer lie N - 1 other buffers of this side and one buffer of the other side,
 * all of one size, so N is distance over size.  N of 1 is a warm buffer and costs nothing
 * by definition.
 *
 * The cost of a cell is its calls times the additional time of a message, over one buffer
 * reused.  Costs of all cells are summed in each pass or run, and the interval covers the
 * median of these sums: errors that cells share in a pass do not cancel.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "results/results.h"

enum {
	NP_REUSE_CELLS = 1 << 17, /* most cells of a record */
	NP_REUSE_TEXT = 160,	  /* bytes of a name, with its zero */
	NP_REUSE_TOP = 3	  /* sizes and sites that carry most of the cost */
};

/* Share of the communication time that the interval of a cost has to exceed for advice: a
 * smaller gain is lost among the effects of other changes. */
static const double NP_REUSE_ADVISED = 0.01;

struct np_reuse_cell {
	double size[2], distance[2]; /* bytes: [low, high) */
	bool never;		     /* never used before: without distance */
	bool receive;
	double calls, bytes, ns;
	size_t site;
	/* Set by np_reuse_group(): message length in bytes, and number of buffers; 1: one
	 * buffer, 0: never used before. */
	size_t length;
	uint64_t buffers;
};

struct np_reuse_site {
	char name[NP_REUSE_TEXT], operation[64];
	double calls, bytes, ns;
};

struct np_uses {
	char command[NP_REUSE_TEXT], library[NP_REUSE_TEXT];
	double processes, calls, bytes, ns;
	double sampled, lost; /* least sampling rate, 1: all; calls without a cell */
	struct np_reuse_site *sites;
	size_t site_count;
	struct np_reuse_cell *cells;
	size_t cell_count;
};

void np_uses_free(struct np_uses *record);

/* Sets lengths and numbers of buffers of all cells: the length is the mean size of the
 * messages of a class of sizes. */
void np_reuse_group(struct np_uses *record);

/* Writes the points of --replay (plan/points.h) of a grouped record: those with 95 % of
 * time and bytes, the heaviest first.  The caller frees the text.  Returns NULL without
 * memory. */
char *np_reuse_points(const struct np_uses *record);

/* Measured point of --replay.  Intervals cover the median over passes or runs at 95 %; NAN:
 * none. */
struct np_replay_point {
	enum np_axis axis;
	size_t length;
	uint64_t buffers;	 /* 0: never used before */
	double reuse_s;		 /* seconds of a message in one warm buffer */
	double ratio, low, high; /* of times, over one warm buffer */
	double *extra_s;	 /* additional time of a message in each unit */
	unsigned *numbers;	 /* of these units */
	size_t units;
	double extra; /* median of extra_s */
};

struct np_replay {
	struct np_replay_point *points; /* by length, axis, then number of buffers */
	size_t count;
};

/* Derives the points of --replay; none without visits of it.  Returns 0 or -ENOMEM;
 * np_replay_free() copes with both. */
int np_replay_derive(const struct np_results *results, struct np_replay *replay);
void np_replay_free(struct np_replay *replay);

/* Cost of a part of the program. */
struct np_reuse_part {
	size_t at;	       /* index of a site, or bytes of a message */
	double seconds, share; /* share: of the whole cost */
};

struct np_reuse_cost {
	double seconds, low, high; /* NAN: nothing is measured; low, high: no interval */
	double calls, bytes;	   /* in cells */
	double cold_calls, cold_bytes, never_calls;
	double covered_ns; /* ns in warm or measured cells */
	double never_s;	   /* seconds by buffers never used before */
	struct np_reuse_part sizes[NP_REUSE_TOP], sites[NP_REUSE_TOP];
	size_t size_count, site_count;
	/* Largest number of buffers of sizes[0] that is not slower; 0: none was measured.
	 */
	uint64_t warm_buffers;
	size_t units;
};

/* Joins a grouped record with a replay.  capacity: bytes of a process's buffers that stay
 * fast, of --capacity; 0: unknown, a cell is cold if the interval of its ratio excludes 1.
 * Returns 0 or -ENOMEM. */
int np_reuse_predict(const struct np_uses *record, const struct np_replay *replay,
		     double capacity, struct np_reuse_cost *cost);
