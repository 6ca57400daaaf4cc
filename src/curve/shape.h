/*
 * shape.h - what the files that look for breaks in a curve share; not for
 * others, who read segments.h.
 */
#ifndef NP_SHAPE_H
#define NP_SHAPE_H

#include "curve/segments.h"

struct np_shape_work {
	const struct np_point *points;
	size_t count;
	const struct np_shape_options *options;
	double *error;	  /* of log(seconds), of each point */
	double *buffer;	  /* scratch, count numbers */
	size_t *places;	  /* scratch, count of them */
	bool *dropped;	  /* point is in a dropout */
	bool *broken;	  /* a step or knee lies between this point and the one before */
	unsigned degrees; /* of freedom that the errors are known to */
};

/* Sets error and degrees. */
void np_shape_noise(struct np_shape_work *work);

/* What a test of one place says; z 0 if nothing stands out. */
struct np_place {
	double z;	  /* deviation beyond what a smooth curve may do, in errors */
	double effect;	  /* as np_break */
	double log_error; /* of log(effect) */
	bool open;
};

/* A step, or a knee, between this point and the one before. */
struct np_place np_place_step(const struct np_shape_work *work, size_t after);
struct np_place np_place_bend(const struct np_shape_work *work, size_t after);

/* A dropout of the points first to last. */
struct np_place np_place_dropout(const struct np_shape_work *work, size_t first,
				 size_t last);

/*
 * What a feature leaves of the points around first_seen to last_seen
 * unexplained, and the price of its parameters: G. Schwarz, "Estimating the
 * dimension of a model", Annals of Statistics 6(2), 1978.  The least is what is
 * there, of features that explain the same points.  gap: lines of their own
 * before point `last` and from it on; else a line, and points first to last as
 * they are.  Infinite where too few points are left.
 */
struct np_feature {
	bool gap;
	size_t first, last;
};
double np_place_misfit(const struct np_shape_work *work, size_t first_seen,
		       size_t last_seen, const struct np_feature *feature);

enum {
	NP_PLACE_REACH = 24, /* points to a side that a test may look at */
	NP_PLACE_RUN = 12    /* points that a dropout may have */
};

#endif
