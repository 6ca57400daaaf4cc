/*
 * capacity.h - how many buffers stay fast, and what holds them.
 *
 * A capacity sweep (--capacity) measures one message size over more and more
 * buffers.  Each number of them, on each axis, has a ratio: how many times as long a
 * message takes when that many buffers take turns as when one is used again and
 * again.  A knee is where the ratio goes from one plateau to the next (knees.h): so
 * many buffers fit into something, and more do not.
 *
 * What it is follows from two things.  Where the machine says how large its caches and
 * TLBs are, a knee at such a size agrees with it.  And axes differ in what else grows
 * with the number of buffers: the same number of lines lies in few pages, in a page
 * each, or in a registration each.
 */
#ifndef NP_CAPACITY_H
#define NP_CAPACITY_H

#include "questions/knees.h"
#include "results/results.h"
#include "stats/verdicts.h"

/* All axes of a run together raise a knee where there is none in fewer than 1 of 100
 * runs. */
#define NP_CAPACITY_ALPHA 0.008

/* The seed of their tests: the same visits have the same knees, whoever derives them. */
enum { NP_CAPACITY_SEED = 1 };

/* A pair of visits: one number of buffers, in one pass or run. */
struct np_capacity_sample {
	enum np_axis axis;
	unsigned unit;
	uint64_t buffers;
	double ratio;	/* rotate over reuse, above 0 */
	double seconds; /* of a message of rotate */
	double fresh;	/* fresh over rotate; 0: not measured */
};

/* What is known of the run and of the machine; 0 where it is not. */
struct np_capacity_host {
	size_t length;	   /* bytes of a message */
	unsigned sides;	   /* buffers that a message touches at each end: 1 or 2 */
	bool share_cache;  /* both ends are on one host */
	size_t pool;	   /* bytes at an end */
	size_t regions;	   /* registrations that it is cut into */
	size_t line, page; /* bytes */
	size_t caches[3];  /* bytes: first, second, last level */
	struct {	   /* entries of the TLBs, for pages of 4 KiB and of 2 MiB */
		size_t level1_4k, level2_4k;
		size_t level1_2m, level2_2m;
	} tlb;
};

/* What so many buffers are at one end. */
struct np_footprint {
	uint64_t lines, bytes; /* of the lines */
	uint64_t pages, registrations;
};

struct np_capacity_point {
	enum np_axis axis;
	uint64_t buffers;
	struct np_footprint touched;
	double seconds, low_s, high_s; /* of a message of rotate; intervals NAN if none */
	double ratio, ratio_low, ratio_high;
	/* Buffers never seen before over these; NAN and NP_VERDICTS where not measured. */
	double fresh, fresh_low, fresh_high;
	enum np_verdict fresh_verdict;
	uint64_t units;
};

/* What a knee comes from, as far as the axes tell. */
enum np_knee_cause {
	NP_KNEE_CACHE,
	NP_KNEE_TRANSLATION,
	NP_KNEE_REGISTRATION,
	NP_KNEE_UNKNOWN
};

struct np_knee {
	enum np_axis axis;
	uint64_t buffers;   /* the most that fit, of those measured */
	uint64_t next;	    /* the next number that was measured */
	uint64_t low, high; /* 95 %: low fit, high do not */
	struct np_footprint touched, touched_low, touched_high;
	double effect; /* times as long behind it as before it */
	double p;
	bool gradual;	 /* some numbers lie on neither plateau */
	bool open;	 /* the sweep ends before the plateau behind it is seen */
	unsigned agrees; /* bit i: agrees with expected[i] */
	enum np_knee_cause cause;
	char label[160];   /* what it agrees with, or "library or device" */
	char verdict[240]; /* a sentence */
};

/* A size that the machine reports, and what the sweep has to say of it. */
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
	uint64_t from, to; /* buffers: if every use counts, and if one of them alone does */
	enum np_expected_state state;
};

struct np_capacity_axis {
	size_t counts; /* numbers of buffers; 0: not swept */
	uint64_t most;
	double resolution; /* the least effect found with four numbers beyond it: 1.05 */
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
 * Derives everything from samples, whose order it changes.  A unit with several of a
 * number counts once, with their median.  The same seed gives the same result.  Axes
 * with more than NP_KNEE_POSITIONS_MAX numbers get points and no knees.  Returns 0 or
 * -ENOMEM; np_capacity_free() copes with both.  Of no samples there is nothing: no
 * points.
 */
int np_capacity_derive(const struct np_capacity_host *host,
		       struct np_capacity_sample *samples, size_t count, uint64_t seed,
		       struct np_capacity *capacity);
void np_capacity_free(struct np_capacity *capacity);

#endif
