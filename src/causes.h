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
 * well: page translation by the CPU, pages of the memory.  Two more arms have many
 * buffers on one side alone, the other side's being few and warm.
 */
#ifndef NP_CAUSES_H
#define NP_CAUSES_H

#include "results.h"

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

struct np_causes {
	size_t length;
	size_t choice;
	uint64_t units;	 /* passes or launches with all four arms */
	double reuse_s;	 /* a message with few warm buffers, median of units, seconds */
	double rotate_s; /* and with many cold ones */
	struct np_effect whole, cpu, translation;
	struct np_effect lines, rest; /* of the CPU's part */
	struct np_effect send, recv;  /* many on that side alone; p NAN if not measured */
	enum np_cause verdict;
};

/* Fewer units say nothing. */
enum { NP_CAUSES_UNITS = 4 };

/*
 * Takes apart what the visits of one choice say.  A part is named if it is sure at
 * 0.01, divided between the two parts, and at least a tenth of the whole.
 * Returns 0; -ENOENT if no unit has all four arms; -ENOMEM.
 */
int np_causes_derive(const struct np_results *results, size_t choice,
		     struct np_causes *causes);

/* "the CPU: ...", "translation: ..." for the reader; and as in result files:
 * "undecided", "nothing", "cpu", "translation", "both", "unknown". */
const char *np_cause_text(enum np_cause cause);
const char *np_cause_name(enum np_cause cause);

#endif
