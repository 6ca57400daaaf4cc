/*
 * capacity.h - how many buffers stay fast, and which capacity that is.
 *
 * A capacity sweep (--capacity) measures one message size over more and more
 * buffers.  Each number of them, on each axis, has a ratio: the time of a message in
 * rotation through that many buffers over that with one buffer reused.  A knee is where the
 * ratio goes from one plateau to the next (knees.h): so many buffers fit into a capacity,
 * and more do not.
 *
 * Which capacity follows from two facts.  On each axis something else grows with the
 * number of buffers: the same number of lines lies in few pages, in a page each, or
 * in a registration each; or messages of one buffer take turns by so many queue pairs.  So
 * the fewest capacities in bytes, pages, registrations and queue pairs are sought that
 * explain the knees of all axes together (capacity_choose.h), and each is one knee, on the
 * axis of its unit; a knee of the same capacity on another axis repeats it. And where the
 * machine reports the sizes of its caches and TLBs, a knee at such a size agrees with it.
 */
#pragma once

#include "questions/knees.h"
#include "results/results.h"
#include "stats/verdicts.h"

/* The chance of a false knee on any axis of a run; fewer than 1 of 100 runs have one. */
#define NP_CAPACITY_ALPHA 0.008

/* The seed of their tests: the same visits give the same knees in every program. */
enum { NP_CAPACITY_SEED = 1 };

/* Visits of one number of buffers, in one pass or run. */
struct np_capacity_sample {
	enum np_axis axis;
	unsigned unit;
	uint64_t buffers;
	double ratio;	/* rotate over reuse, above 0 */
	double seconds; /* of a message of rotate */
	double fresh;	/* fresh over rotate; 0: not measured */
};

/* Facts on the run and the machine; 0 where unknown. */
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

/* Lines, pages and registrations of so many buffers in one process. */
struct np_footprint {
	uint64_t lines, bytes; /* of the lines */
	uint64_t pages, registrations;
	uint64_t queue_pairs; /* that messages take turns by */
};

struct np_capacity_point {
	enum np_axis axis;
	uint64_t buffers;
	struct np_footprint touched;
	double seconds, low_s, high_s; /* of a message of rotate; intervals NAN if none */
	double ratio, ratio_low, ratio_high;
	/* Fresh buffers over these; NAN and NP_VERDICTS where not measured. */
	double fresh, fresh_low, fresh_high;
	enum np_verdict fresh_verdict;
	uint64_t units;
};

/* The unit of a capacity. */
enum np_capacity_unit {
	NP_HOLDS_NONE,
	NP_HOLDS_LINES,	      /* cache lines, wherever they lie */
	NP_HOLDS_SET_LINES,   /* the same in a cache that picks the set by the address */
	NP_HOLDS_PAGES,	      /* of the size of the pool's */
	NP_HOLDS_SMALL_PAGES, /* of 4 KiB, where the pool's are larger */
	NP_HOLDS_REGISTRATIONS,
	NP_HOLDS_QUEUE_PAIRS, /* of which messages of one buffer take turns */
	NP_HOLDS_UNITS
};

/* The cause of a knee, as far as the axes tell. */
enum np_knee_cause {
	NP_KNEE_CACHE,	     /* of the CPU */
	NP_KNEE_PAGE_WALK,   /* the CPU TLB */
	NP_KNEE_TRANSLATION, /* pages, in an adapter or a library */
	NP_KNEE_REGISTRATION,
	NP_KNEE_QUEUE_PAIR,
	NP_KNEE_UNKNOWN
};

struct np_knee {
	enum np_axis axis;
	uint64_t buffers;   /* the most that fit, of those measured */
	uint64_t next;	    /* the next number that was measured */
	uint64_t low, high; /* 95 %: low fit, high do not */
	struct np_footprint touched, touched_low, touched_high;
	double effect; /* time after it over time before it */
	double p;
	bool gradual;		    /* some numbers lie on neither plateau */
	bool open;		    /* the sweep ends before the plateau after it is seen */
	unsigned agrees;	    /* bit i: agrees with expected[i] */
	enum np_capacity_unit unit; /* NP_HOLDS_NONE: no capacity explains it */
	double count; /* bytes, pages or registrations that fit; with its 95 % interval */
	double count_low, count_high;
	bool repeats; /* the capacity of a knee of another axis, or of the same */
	enum np_knee_cause cause;
	char label[160];   /* sizes that it agrees with, or "library or device" */
	char verdict[240]; /* a sentence */
};

/* A size that the machine reports, and whether the sweep shows it. */
enum np_expected_state {
	NP_EXPECTED_FOUND,
	NP_EXPECTED_NOT_SEEN, /* there is no step as large as the resolution */
	NP_EXPECTED_NOT_REACHED
};
enum { NP_EXPECTED_MAX = 5 };

struct np_expected {
	char name[64];
	enum np_axis axis;
	bool is_translation;
	size_t size;	   /* bytes, or entries */
	uint64_t from, to; /* buffers: if all buffers of a message count, and if one of them
			      does */
	enum np_expected_state state;
};

struct np_capacity_axis {
	size_t counts; /* numbers of buffers; 0: not swept */
	uint64_t most;
	double noise;	   /* standard error of the logarithm of a ratio; 0: not sought */
	double resolution; /* the smallest effect found with four numbers after it: 1.05 */
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

/*
 * Derives points and knees from samples, whose order it changes.  A unit with several
 * samples of a number counts once, with their median.  The same seed gives the same result.
 * Axes with more than NP_KNEE_POSITIONS_MAX numbers get points and no knees.  Returns 0 or
 * -ENOMEM; np_capacity_free() copes with both.  No samples give no
 * points.
 */
int np_capacity_derive(const struct np_capacity_host *host,
		       struct np_capacity_sample *samples, size_t count, uint64_t seed,
		       struct np_capacity *capacity);
void np_capacity_free(struct np_capacity *capacity);
