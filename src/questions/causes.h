/*
 * causes.h - why rotation costs: what --why has measured, taken apart.
 *
 * Single messages on four kinds of buffers, side by side in each unit:
 *
 *                            in the CPU cache    not in it
 *   few, at addresses that   reuse               evicted
 *   were just used
 *   many, at addresses that  touched             rotate
 *   were not
 *
 * Two factors at two levels, all four together: G. E. P. Box, J. S. Hunter, W. G.
 * Hunter, Statistics for Experimenters, 2nd edition, 2005, chapter 5.  What touching
 * the buffers before removes is the CPU's; what stays is not:
 *
 *   cpu         = rotate - touched
 *   translation = touched - reuse
 *
 * and the two add up to all that rotation costs.  Translation is whatever goes by
 * address and not by content: pages and registrations in an adapter, a library's
 * cache of registrations.  The CPU's part is taken apart once more: lines = evicted
 * - reuse is what missing lines cost where the CPU knows their addresses, and the
 * rest, the interaction of both factors, is what comes of their being far apart as
 * well: page translation by the CPU, pages of the memory.  Two more modes have many
 * buffers on one side alone, the other side's being few and warm.
 *
 * Which factor beside these takes the dropout away, conditions tell (condition.h): reuse
 * and rotate once more, in the same passes, with other pages for example.  The dropout
 * there less that of the base is what the factor changes.  Both are ratios of their own
 * visits, times what a message takes there with few warm buffers, so that what memory
 * that was mapped anew does to all messages alike falls out.
 */
#ifndef NP_CAUSES_H
#define NP_CAUSES_H

#include "results/results.h"

/* Of the time with few warm buffers, as a share; above 0 is slower. */
struct np_effect {
	double share;
	double low, high; /* 95 % interval by Student's t over units */
	double p;	  /* two-sided, that it is 0 */
	bool named;	  /* sure, and enough of the whole to be called a cause */
};

enum np_cause {
	NP_CAUSE_UNDECIDED,   /* too few units */
	NP_CAUSE_NOTHING,     /* rotation costs nothing here that could be seen */
	NP_CAUSE_CPU,	      /* its caches and its page translation */
	NP_CAUSE_TRANSLATION, /* what goes by address */
	NP_CAUSE_BOTH,
	NP_CAUSE_UNKNOWN /* rotation costs, but neither part of it is sure */
};

/* What becomes of the dropout where one factor is another. */
enum np_removal {
	NP_REMOVAL_NOT_COMPARED,
	NP_REMOVAL_UNDECIDED, /* too few units */
	NP_REMOVAL_NONE,      /* no difference that could be seen */
	NP_REMOVAL_REMOVES,   /* less than a tenth of it is left */
	NP_REMOVAL_REDUCES,
	NP_REMOVAL_ADDS /* rotation costs more there */
};

struct np_varied {
	uint64_t units; /* with the condition and the base; 0: not compared */
	double reuse_s; /* a message with few warm buffers there, median of units */
	/* Of the base's time with few warm buffers. */
	struct np_effect dropout; /* there */
	struct np_effect change;  /* that less the base's */
	double adjusted_p;	  /* of the change, over all factors: S. Holm, 1979 */
	enum np_removal verdict;
};

struct np_causes {
	size_t length;
	size_t variant;
	uint64_t units;	 /* passes or runs with all four modes */
	double reuse_s;	 /* a message with few warm buffers, median of units, seconds */
	double rotate_s; /* and with many cold ones */
	struct np_effect whole, cpu, translation;
	struct np_effect lines, rest; /* of the CPU's part */
	struct np_effect send, recv;  /* many on that side alone; p NAN if not measured */
	enum np_cause verdict;
	struct np_varied varied[NP_FACTORS]; /* by factor; that of none is not used */
	size_t compared;		     /* factors that were */
};

/* Fewer units say nothing. */
enum { NP_CAUSES_UNITS = 4 };

/*
 * Takes apart what the visits of one variant say.  A part is named if it is sure at
 * 0.0025, divided between the two parts, and at least a tenth of the whole.
 * Returns 0; -ENOENT if no unit has all four modes; -ENOMEM.
 */
int np_causes_derive(const struct np_results *results, size_t variant,
		     struct np_causes *causes);

/* "the CPU: ...", "translation: ..." for the reader; and as in result files:
 * "undecided", "nothing", "cpu", "translation", "both", "unknown". */
const char *np_cause_text(enum np_cause cause);
const char *np_cause_name(enum np_cause cause);

/* The mean of one value a unit, with its interval and its chance. */
struct np_effect np_effect_of(const double *values, size_t count);

#endif
