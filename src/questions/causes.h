/*
 * causes.h - the causes of the cost of rotation, from the visits of --why.
 *
 * Single messages on four kinds of buffers, side by side in each unit:
 *
 *                            in the CPU cache    not in it
 *   few, at addresses that   reuse               evicted
 *   were just used
 *   many, at addresses that  touched             rotate
 *   were not
 *
 * A factorial design, two factors at two levels: G. E. P. Box, J. S. Hunter, W. G. Hunter,
 * Statistics for Experimenters, 2nd edition, 2005, chapter 5.  The cost of rotation has two
 * parts: the CPU's, which touching the buffers beforehand removes, and the rest.
 *
 *   cpu         = rotate - touched
 *   translation = touched - reuse
 *
 * Translation is every cost that depends on addresses and not on contents: pages and
 * registrations in an adapter, a library's registration cache.  The CPU's part is split
 * once more: lines = evicted - reuse is the cost of cache misses at addresses just used.
 * The interaction of both factors is the cost of buffers that are also far apart: page
 * walks of the CPU, pages of the memory.  Two more modes have many buffers on one side, and
 * few warm buffers on the other.
 *
 * Conditions (condition.h) vary a further factor, e.g. the page size, with reuse and rotate
 * in the same passes.  The change by a factor is the cost of rotation in its condition
 * minus the cost in the base.  Both costs are ratios of their own visits, times the time of
 * a message with few warm buffers in the condition, so that effects of newly mapped memory
 * on all messages cancel.
 */
#pragma once

#include "results/results.h"
#include "stats/mode_test.h"

/* Significance level of the verdicts on factors, a quarter of NP_MODE_TEST_Q.  The verdict
 * on the two parts has another quarter, the pair rotate over reuse the other half
 * (results/pairs.c): --why errs no more often than -I. */
#define NP_CAUSES_FACTORS_SURE_AT (NP_MODE_TEST_Q / 4)

/* An effect as a share of the time with few warm buffers; above 0 is slower. */
struct np_effect {
	double share;
	double low, high; /* 95 % interval by Student's t over units */
	double p;	  /* two-sided; null hypothesis: no effect */
	bool named;	  /* significant, and a large enough share to be named as a cause */
};

/* Named in this order by output/json_kinds.c. */
enum np_cause {
	NP_CAUSE_UNDECIDED,   /* too few units */
	NP_CAUSE_NOTHING,     /* no significant cost of rotation */
	NP_CAUSE_CPU,	      /* cache misses and page walks of the CPU */
	NP_CAUSE_TRANSLATION, /* costs that depend on addresses */
	NP_CAUSE_BOTH,
	NP_CAUSE_UNKNOWN /* rotation costs, but neither part is significant */
};

/* Effect of a condition on the cost of rotation; named in this order by
 * output/json_kinds.c. */
enum np_removal {
	NP_REMOVAL_NOT_COMPARED,
	NP_REMOVAL_UNDECIDED, /* too few units */
	NP_REMOVAL_NONE,      /* no significant difference */
	NP_REMOVAL_REMOVES,   /* residual cost below a tenth */
	NP_REMOVAL_REDUCES,
	NP_REMOVAL_ADDS /* rotation costs more there */
};

/* Cost of rotation in the condition of one factor. */
struct np_varied {
	uint64_t units; /* units with the condition and the base; 0: not compared */
	double reuse_s; /* seconds of a message with few warm buffers, median of units */
	/* Shares of the time with few warm buffers in the base. */
	struct np_effect cost;	 /* cost of rotation in this condition */
	struct np_effect change; /* cost minus the cost in the base */
	double adjusted_p; /* p of the change, adjusted over all factors: S. Holm, 1979 */
	enum np_removal verdict;
};

struct np_causes {
	size_t length;
	size_t variant;
	uint64_t units; /* passes or runs that have all four modes */
	double reuse_s; /* seconds of a message with few warm buffers, median of units */
	/* Seconds of a message with many cold buffers: reuse_s * (1 + whole.share). */
	double rotate_s;
	struct np_effect whole, cpu, translation; /* cost of rotation and its parts */
	struct np_effect lines, rest; /* parts of cpu: cache misses, page walks */
	struct np_effect send,
		recv; /* many buffers on one side alone; p NAN if not measured */
	enum np_cause verdict;
	struct np_varied varied[NP_FACTORS]; /* by factor; NP_FACTOR_NONE is unused */
	size_t compared;		     /* number of factors with a condition */
};

/* Least passes or runs for a verdict; with fewer it is undecided. */
enum { NP_CAUSES_UNITS = 4 };

/* Splits the cost of rotation, from the visits of one variant.  A part is named if it is
 * significant at 0.0025, divided between the two parts, and at least a tenth of the whole.
 * Returns 0; -ENOENT if no unit has all four modes; -ENOMEM. */
int np_causes_derive(const struct np_results *results, size_t variant,
		     struct np_causes *causes);

/* Text to print. */
const char *np_cause_text(enum np_cause cause);

/* The whole cost and its parts, with names in result files and texts to print. */
struct np_named_effect {
	const char *name, *text;
	const struct np_effect *effect;
	bool part; /* printed as a share of the whole */
};
enum { NP_EFFECTS = 7 };
void np_causes_effects(const struct np_causes *causes,
		       struct np_named_effect list[NP_EFFECTS]);
