/*
 * gather_capacity.h - the visits of a capacity sweep, reduced to samples as they are
 * read.
 */
#ifndef NP_GATHER_CAPACITY_H
#define NP_GATHER_CAPACITY_H

#include "questions/capacity.h"
#include "report/curves/run.h"

struct np_gather;

/* Samples of a file; of more none is kept, and the file is refused. */
enum { NP_SWEPT_MAX = 1 << 18, NP_SWEPT_BLOCKS = 64 };

/* A visit that waits for the other mode. */
struct np_swept_visit {
	bool used;
	unsigned run_index;
	uint64_t serial, buffers;
	enum np_axis axis;
	size_t blocks;
	double medians[NP_SWEPT_BLOCKS], seconds;
};

struct np_swept_sample {
	struct np_capacity_sample sample;
	unsigned run_index, pass;
	uint64_t serial;
};

struct np_swept {
	struct np_swept_visit last[3]; /* of reuse, of rotate, of fresh */
	struct np_swept_sample *list;
	size_t count, room;
	size_t length; /* bytes of a message */
	enum np_operation operation;
	char operation_name[NP_LABEL];
};

/* Keeps what is needed of a visit whose axis is not NP_AXIS_NONE.  Returns 0 or
 * -errno. */
int np_swept_visit(struct np_swept *swept, const struct np_results *results,
		   const struct np_visit *visit, const char *op, struct np_error *error);

/* Makes run->capacity of those samples that no "superseded" line takes out. */
int np_swept_finish(struct np_gather *gather, struct np_run *run);

void np_swept_free(struct np_swept *swept);

#endif
