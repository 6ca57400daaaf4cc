/*
 * capacity.h - the number of buffers that stay fast, and the capacity that limits it.
 *
 * A capacity sweep (--capacity) measures one message size over more and more buffers.  Each
 * number of buffers on each axis has a ratio: the time of a message in rotation through
 * that many buffers over the time with one buffer reused.  A knee is where the ratio goes
 * from one plateau to the next (knees.h): the largest number of buffers that fits into a
 * capacity.
 *
 * Two facts identify the capacity.  First, a further buffer adds another resource on each
 * axis: cache lines in few pages, a page, a registration or, with one buffer for all
 * messages, a queue pair.  The fewest capacities in bytes, pages, registrations and queue
 * pairs that explain the knees of all axes are selected (capacity_choose.h).  Each selected
 * capacity is reported as one knee, on the axis of its unit; its knees on other axes are
 * marked as repeats.  Second, a knee agrees with a cache or TLB if it lies at the size that
 * the machine reports.
 */
#pragma once

#include "questions/knees.h"
#include "results/results.h"
#include "stats/verdicts.h"

/* Figures of one number of buffers on one axis, from its visits in one pass or run. */
struct np_capacity_sample {
	enum np_axis axis;
	unsigned unit; /* number of the pass or run */
	uint64_t buffers;
	double ratio;	/* of times, rotate over reuse; above 0 */
	double seconds; /* time of a message in rotation */
	double fresh;	/* of times, fresh over rotate; 0: not measured */
};

/* Facts about the run and the machine; 0 if unknown. */
struct np_capacity_host {
	size_t length;	/* bytes of a message */
	unsigned sides; /* buffers of a process in one message, send and receive: 1 or 2 */
	bool share_cache; /* both processes are on one host */
	bool copies;	/* the CPU copies: no adapter and no library translates addresses */
	size_t pool;	/* bytes in a process */
	size_t regions; /* registrations that the pool is split into */
	size_t line, page; /* bytes */
	bool in_order;	   /* rotation in the order of addresses; else at random */
	size_t caches[3];  /* bytes: first, second, last level */
	struct {	   /* entries of the TLBs, for pages of 4 KiB and of 2 MiB */
		size_t level1_4k, level2_4k;
		size_t level1_2m, level2_2m;
	} tlb;
};

/* Resources of one process that rotation through a number of buffers touches. */
struct np_footprint {
	uint64_t lines, bytes; /* bytes: of these lines */
	uint64_t pages, registrations;
	uint64_t queue_pairs; /* that messages use in turn */
};

/* Figures of one number of buffers on one axis, over all passes or runs. */
struct np_capacity_point {
	enum np_axis axis;
	uint64_t buffers;
	struct np_footprint touched;
	/* Time of a message in rotation: median and 95 % interval, NAN if none. */
	double seconds, low_s, high_s;
	/* Ratio of times, rotate over reuse: median and 95 % interval. */
	double ratio, ratio_low, ratio_high;
	/* Ratio of times, fresh over rotate; NAN and NP_VERDICTS if not measured. */
	double fresh, fresh_low, fresh_high;
	enum np_verdict fresh_verdict;
	uint64_t units; /* passes or runs */
};

/* Resource that a capacity limits: the unit of its size. */
enum np_capacity_unit {
	NP_HOLDS_NONE,
	NP_HOLDS_LINES,	      /* cache lines, whatever their addresses */
	NP_HOLDS_SET_LINES,   /* cache lines, in a cache whose set index comes from the
				 address */
	NP_HOLDS_PAGES,	      /* pages of the pool's page size */
	NP_HOLDS_SMALL_PAGES, /* pages of 4 KiB, where the pool's pages are larger */
	NP_HOLDS_REGISTRATIONS,
	NP_HOLDS_QUEUE_PAIRS, /* used in turn by messages of one buffer */
	NP_HOLDS_UNITS
};

/* Cost that begins at a knee; named in this order by output/json_kinds.c. */
enum np_knee_cause {
	NP_KNEE_CACHE,	     /* CPU cache misses */
	NP_KNEE_PAGE_WALK,   /* page walks of the CPU */
	NP_KNEE_TRANSLATION, /* address translation by an adapter or a library */
	NP_KNEE_REGISTRATION,
	NP_KNEE_QUEUE_PAIR,
	NP_KNEE_UNKNOWN
};

struct np_knee {
	enum np_axis axis;
	uint64_t buffers;   /* largest measured number of buffers that fits */
	uint64_t next;	    /* next measured number of buffers */
	uint64_t low, high; /* 95 % interval of buffers: low fits, high does not */
	struct np_footprint touched, touched_low, touched_high;
	double effect;		    /* time after the knee over time before */
	double p;		    /* of the permutation test (knees.h) */
	bool gradual;		    /* some measured numbers lie on neither plateau */
	bool open;		    /* the sweep ends before the next plateau */
	unsigned agrees;	    /* bit i: expected[i] lies at the knee */
	enum np_capacity_unit unit; /* NP_HOLDS_NONE: no capacity explains it */
	/* Size of the capacity: bytes, pages, registrations or queue pairs that fit, with
	 * 95 % interval. */
	double count;
	double count_low, count_high;
	bool repeats; /* another knee, on any axis, is reported for this capacity */
	enum np_knee_cause cause;
	char label[160];   /* sizes of the machine that agree, or "library or device" */
	char verdict[240]; /* explanation for the user */
};

/* A size that the machine reports, and whether the sweep shows a knee there. */
enum np_expected_state {
	NP_EXPECTED_FOUND,
	NP_EXPECTED_NOT_SEEN,	/* swept, but no step above the axis's resolution */
	NP_EXPECTED_NOT_REACHED /* the sweep ends before this size */
};
enum { NP_EXPECTED_MAX = 5 };

struct np_expected {
	char name[64];
	enum np_axis axis;
	bool is_translation;
	size_t size;	    /* bytes, or entries */
	unsigned processes; /* number of processes that share it: 1 or 2 */
	/* Number of buffers that fill this cache or table.  from: if send and receive
	 * buffers of all sharing processes count; to: if only the send or only the receive
	 * buffers of one process do. */
	uint64_t from, to;
	enum np_expected_state state;
};

struct np_capacity_axis {
	size_t counts; /* measured numbers of buffers; 0: axis not swept */
	uint64_t most; /* largest measured number of buffers */
	double noise;  /* standard error of the logarithm of a ratio; 0: no knees sought */
	double resolution; /* smallest detectable step, as a ratio such as 1.05, with four
			      numbers of buffers beyond it */
};

struct np_capacity {
	struct np_capacity_host host;
	struct np_capacity_axis axes[NP_AXES];
	struct np_capacity_point *points; /* by axis, then ascending by buffers */
	size_t point_count;
	struct np_knee *knees; /* by axis, then ascending */
	size_t knee_count;
	struct np_expected expected[NP_EXPECTED_MAX];
	size_t expected_count;
};

/* Derives points and knees from samples, which it sorts.  Several samples of one unit and
 * number of buffers are reduced to their median.  Axes with more than NP_KNEE_POSITIONS_MAX
 * numbers of buffers have points and no knees.  Returns 0 or -ENOMEM; np_capacity_free()
 * copes with both. */
int np_capacity_derive(const struct np_capacity_host *host,
		       struct np_capacity_sample *samples, size_t count,
		       struct np_capacity *capacity);
void np_capacity_free(struct np_capacity *capacity);

/* Derives points and knees from the visits of a run, which also set length and sides of
 * host. Returns 0 or -ENOMEM, as np_capacity_derive(). */
int np_capacity_of_visits(const struct np_results *results, struct np_capacity_host *host,
			  struct np_capacity *capacity);
