/*
 * shape_misfit.h - which of several breaks explains the same points best, by the Bayesian
 * information criterion.
 */
#pragma once

#include "curve/shape.h"

/* gap: two lines, before point `last` and from it on; else one line without points first to
 * last. */
struct np_break_place {
	bool gap;
	size_t first, last;
};

/* Bayesian information criterion of a break over the points around first_seen to last_seen
 * (G. Schwarz, "Estimating the dimension of a model", Annals of Statistics 6(2), 1978).
 * Least is best; infinite if there are too few points. */
double np_place_misfit(const struct np_shape_work *work, size_t first_seen,
		       size_t last_seen, const struct np_break_place *tried);
