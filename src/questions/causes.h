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
 * A factorial design, two factors at two levels: G. E. P. Box, J. S. Hunter, W. G.
 * Hunter, Statistics for Experimenters, 2nd edition, 2005, chapter 5.  The part of the cost
 * that touching the buffers beforehand removes is the CPU's; the rest is not:
 *
 *   cpu         = rotate - touched
 *   translation = touched - reuse
 *
 * and the two add up to the whole cost of rotation.  Translation is every cost that depends
 * on addresses and not on contents: pages and registrations in an adapter, a library's
 * cache of registrations.  The CPU's part is split once more: lines = evicted - reuse is
 * the cost of cache misses at addresses just used, and the rest, the interaction of both
 * factors, is the cost of their being far apart as well: page walks of the CPU, pages of
 * the memory.  Two more modes have many buffers on one side alone, few and warm ones on the
 * other.
 *
 * Conditions (condition.h) tell which other factor removes the cost: reuse and rotate once
 * more, in the same passes, with other pages for example.  The change by a factor is the
 * cost of rotation in its condition less that in the base.  Both are ratios of their own
 * visits, times the time of a message with few warm buffers in the condition, so that
 * effects of newly mapped memory on all messages alike cancel.
 */
#pragma once

#include "results/results.h"

/* Of the time with few warm buffers, as a share; above 0 is slower. */
struct np_effect {
	double share;
	double low, high; /* 95 % interval by Student's t over units */
	double p;	  /* two-sided, that it is 0 */
	bool named;	  /* significant, and enough of the whole to be called a cause */
};

enum np_cause {
	NP_CAUSE_UNDECIDED,   /* too few units */
	NP_CAUSE_NOTHING,     /* no cost of rotation was seen */
	NP_CAUSE_CPU,	      /* its caches and its page walks */
	NP_CAUSE_TRANSLATION, /* costs that depend on addresses */
	NP_CAUSE_BOTH,
	NP_CAUSE_UNKNOWN /* rotation costs, but neither part is significant */
};

/* The cost of rotation under one condition, against that of the base. */
enum np_removal {
	NP_REMOVAL_NOT_COMPARED,
	NP_REMOVAL_UNDECIDED, /* too few units */
	NP_REMOVAL_NONE,      /* no difference was seen */
	NP_REMOVAL_REMOVES,   /* less than a tenth of it is left */
	NP_REMOVAL_REDUCES,
	NP_REMOVAL_ADDS /* rotation costs more there */
};

struct np_varied {
	uint64_t units; /* with the condition and the base; 0: not compared */
	double reuse_s; /* a message with few warm buffers there, median of units */
	/* Of the base's time with few warm buffers. */
	struct np_effect cost;	 /* of rotation there */
	struct np_effect change; /* cost less the base's */
	double adjusted_p;	 /* of the change, over all factors: S. Holm, 1979 */
	enum np_removal verdict;
};

struct np_causes {
	size_t length;
	size_t variant;
	uint64_t units;	 /* passes or runs with all four modes */
	double reuse_s;	 /* a message with few warm buffers, mean of units, seconds */
	double rotate_s; /* and with many cold ones: so much longer as the whole says */
	struct np_effect whole, cpu, translation;
	struct np_effect lines, rest; /* of the CPU's part */
	struct np_effect send, recv;  /* many on that side alone; p NAN if not measured */
	enum np_cause verdict;
	struct np_varied varied[NP_FACTORS]; /* by factor; that of none is not used */
	size_t compared;		     /* factors with a condition */
};

/* Fewer units are undecided. */
enum { NP_CAUSES_UNITS = 4 };

/*
 * Splits the cost of rotation, from the visits of one variant.  A part is named if it is
 * significant at 0.0025, divided between the two parts, and at least a tenth of the whole.
 * Returns 0; -ENOENT if no unit has all four modes; -ENOMEM.
 */
int np_causes_derive(const struct np_results *results, size_t variant,
		     struct np_causes *causes);

/* "the CPU: ...", "translation: ..." for the reader; and as in result files:
 * "undecided", "nothing", "cpu", "translation", "both", "unknown". */
const char *np_cause_text(enum np_cause cause);
const char *np_cause_name(enum np_cause cause);

/* The whole and its parts, with their names in result files and for the reader. */
struct np_named_effect {
	const char *name, *text;
	const struct np_effect *effect;
	bool part; /* of the whole: said as a share of it */
};
enum { NP_EFFECTS = 7 };
void np_causes_effects(const struct np_causes *causes,
		       struct np_named_effect list[NP_EFFECTS]);

/* The mean of one value for each unit, with its interval and p. */
struct np_effect np_effect_of(const double *values, size_t count);
