/*
 * capacity.h - the number of buffers that stay fast, and the capacity that limits it.
 *
 * A capacity sweep (--capacity) measures one message size over more and more buffers.  Each
 * number of buffers on each axis has a ratio: the time of a message in rotation through
 * that many buffers over the time with one buffer reused.  A knee is where the ratio goes
 * from one plateau to the next (knees.h): so many buffers fit into a capacity, and more do
 * not.
 *
 * Two facts identify the capacity.  First, each axis adds something else with the number of
 * buffers: few pages for the same lines, a page each, a registration each, or, with one
 * buffer, a queue pair each.  The fewest capacities in bytes, pages, registrations and
 * queue pairs that explain the knees of all axes are selected (capacity_choose.h).  Each is
 * one knee, on the axis of its unit; a knee of the same capacity on another axis repeats
 * it.  Second, a knee agrees with a cache or TLB if it lies at the size that the machine
 * reports.
 */
#pragma once

#include "questions/knees.h"
#include "results/results.h"
#include "stats/verdicts.h"

/* Probability of a false knee on any axis of a run: fewer than 1 of 100 runs have one. */
#define NP_CAPACITY_ALPHA 0.008

/* Seed of the permutation tests: the same visits give the same knees in every program. */
enum { NP_CAPACITY_SEED = 1 };

/* The visits of one number of buffers, in one pass or run. */
struct np_capacity_sample {
	enum np_axis axis;
	unsigned unit;
	uint64_t buffers;
	double ratio;	/* rotate over reuse, above 0 */
	double seconds; /* of a message, rotate */
	double fresh;	/* fresh over rotate; 0: not measured */
};

/* Facts about the run and the machine; 0 if unknown. */
struct np_capacity_host {
	size_t length;	   /* bytes of a message */
	unsigned sides;	   /* buffers of a process that a message touches: 1 or 2 */
	bool share_cache;  /* both processes are on one host */
	size_t pool;	   /* bytes in a process */
	size_t regions;	   /* registrations that the pool is split into */
	size_t line, page; /* bytes */
	bool in_order;	   /* buffers take turns in the order of their addresses */
	size_t caches[3];  /* bytes: first, second, last level */
	struct {	   /* entries of the TLBs, for pages of 4 KiB and of 2 MiB */
		size_t level1_4k, level2_4k;
		size_t level1_2m, level2_2m;
	} tlb;
};

/* Units that a number of buffers occupies in one process. */
struct np_footprint {
	uint64_t lines, bytes; /* of the lines */
	uint64_t pages, registrations;
	uint64_t queue_pairs; /* that messages use in turn */
};

struct np_capacity_point {
	enum np_axis axis;
	uint64_t buffers;
	struct np_footprint touched;
	double seconds, low_s, high_s; /* of a message, rotate; interval NAN if none */
	double ratio, ratio_low, ratio_high;
	/* Fresh buffers over buffers in rotation; NAN and NP_VERDICTS if not measured. */
	double fresh, fresh_low, fresh_high;
	enum np_verdict fresh_verdict;
	uint64_t units;
};

/* The unit of a capacity. */
enum np_capacity_unit {
	NP_HOLDS_NONE,
	NP_HOLDS_LINES,	    /* cache lines, at any address */
	NP_HOLDS_SET_LINES, /* cache lines, in a cache whose set is selected by the address
			     */
	NP_HOLDS_PAGES,	    /* of the page size of the pool */
	NP_HOLDS_SMALL_PAGES, /* of 4 KiB, where the pages of the pool are larger */
	NP_HOLDS_REGISTRATIONS,
	NP_HOLDS_QUEUE_PAIRS, /* used in turn by messages of one buffer */
	NP_HOLDS_UNITS
};

/* Cause of a knee. */
enum np_knee_cause {
	NP_KNEE_CACHE,	     /* CPU cache misses */
	NP_KNEE_PAGE_WALK,   /* page walks of the CPU */
	NP_KNEE_TRANSLATION, /* of addresses, by an adapter or a library */
	NP_KNEE_REGISTRATION,
	NP_KNEE_QUEUE_PAIR,
	NP_KNEE_UNKNOWN
};

struct np_knee {
	enum np_axis axis;
	uint64_t buffers;   /* largest measured number that fits */
	uint64_t next;	    /* the next number that was measured */
	uint64_t low, high; /* 95 % interval: low fits, high does not */
	struct np_footprint touched, touched_low, touched_high;
	double effect; /* time after the knee over time before */
	double p;
	bool gradual;		    /* some measured numbers lie on neither plateau */
	bool open;		    /* the sweep ends before the next plateau */
	unsigned agrees;	    /* bit i: agrees with expected[i] */
	enum np_capacity_unit unit; /* NP_HOLDS_NONE: no capacity explains it */
	double count; /* bytes, pages or registrations that fit; its 95 % interval follows
		       */
	double count_low, count_high;
	bool repeats; /* same capacity as another knee, on this axis or another */
	enum np_knee_cause cause;
	char label[160];   /* sizes of the machine that agree, or "library or device" */
	char verdict[240]; /* a sentence */
};

/* A size that the machine reports, and whether the sweep shows a knee there. */
enum np_expected_state {
	NP_EXPECTED_FOUND,
	NP_EXPECTED_NOT_SEEN, /* no step as large as the resolution */
	NP_EXPECTED_NOT_REACHED
};
enum { NP_EXPECTED_MAX = 5 };

struct np_expected {
	char name[64];
	enum np_axis axis;
	bool is_translation;
	size_t size; /* bytes, or entries */
	uint64_t from,
		to; /* bounds in buffers: all buffers of a message counted, one counted */
	enum np_expected_state state;
};

struct np_capacity_axis {
	size_t counts; /* numbers of buffers; 0: not swept */
	uint64_t most;
	double noise; /* standard error of the logarithm of a ratio; 0: no knees sought */
	double resolution; /* smallest effect found with four numbers after it, as a
			      ratio: 1.05 */
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

/* Derives points and knees from samples, which it sorts.  A unit with several samples of
 * one number counts once, with their median.  Axes with more than NP_KNEE_POSITIONS_MAX
 * numbers get points and no knees.  Results depend on the seed alone.  Returns 0 or
 * -ENOMEM; np_capacity_free() copes with both. */
int np_capacity_derive(const struct np_capacity_host *host,
		       struct np_capacity_sample *samples, size_t count, uint64_t seed,
		       struct np_capacity *capacity);
void np_capacity_free(struct np_capacity *capacity);

/* Lists the samples of the visits of a run; the caller frees the list.  Returns 0 or
 * -ENOMEM. */
int np_capacity_samples(const struct np_results *results,
			struct np_capacity_sample **samples, size_t *count);

/* Derives points and knees from the visits of a run, which also set length and sides of
 * host. Returns 0 or -ENOMEM, as np_capacity_derive(). */
int np_capacity_of_visits(const struct np_results *results, struct np_capacity_host *host,
			  struct np_capacity *capacity);
