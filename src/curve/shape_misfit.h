/*
 * shape_misfit.h - which of several breaks explains the same points best, by the Bayesian
 * information criterion.
 */
#pragma once

#include "curve/shape.h"

/* gap: lines of their own before point `last` and from it on; else a line, and points
 * first to last as they are. */
struct np_break_place {
	bool gap;
	size_t first, last;
};

/*
 * The criterion of a break, over the points around first_seen to last_seen: residuals and a
 * price of parameters (G. Schwarz, "Estimating the dimension of a model", Annals of
 * Statistics 6(2), 1978).  The least is the best.  Infinite of too few points.
 */
double np_place_misfit(const struct np_shape_work *work, size_t first_seen,
		       size_t last_seen, const struct np_break_place *tried);
