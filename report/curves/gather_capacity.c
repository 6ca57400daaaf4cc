/*
 * gather_capacity.c - pairs of visits of a sweep, and what follows from them all.
 */
#include "report/curves/gather_capacity.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "questions/capacity_host.h"
#include "report/curves/gather.h"
#include "stats/stats.h"

/* gcc 12's analyzer loses sight of a list that grows; np_swept_free() frees it. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wanalyzer-malloc-leak"
#endif

void np_swept_free(struct np_swept *swept)
{
	free(swept->list);
	*swept = (struct np_swept){ .list = NULL };
}

static int keep(struct np_swept *swept, const struct np_swept_sample *sample,
		struct np_error *error)
{
	if (swept->count == swept->room) {
		const size_t room = swept->room != 0 ? 2 * swept->room : 64;

		if (room > NP_SWEPT_MAX)
			return np_fail(error, NP_ERROR_FAILED, EFBIG,
				       "more than %d visits of a capacity sweep",
				       NP_SWEPT_MAX);
		struct np_swept_sample *list =
			reallocarray(swept->list, room, sizeof(*list));
		if (list == NULL)
			return np_fail_errno(error, ENOMEM, "no memory for results");
		swept->list = list;
		swept->room = room;
	}
	swept->list[swept->count++] = *sample;
	return 0;
}

/* The median over pairs of blocks, as pairs.c has it. */
static double ratio_of(const struct np_swept_visit *over, const struct np_swept_visit *base)
{
	double ratios[NP_SWEPT_BLOCKS];
	size_t count = 0;

	for (size_t i = 0; i < over->blocks && i < base->blocks; i++) {
		if (base->medians[i] > 0)
			ratios[count++] = over->medians[i] / base->medians[i];
	}
	return count != 0 ? np_median(ratios, count) : (double)NAN;
}

static bool belong_together(const struct np_swept_visit *one,
			    const struct np_swept_visit *other)
{
	return one->used && other->used && one->run_index == other->run_index &&
	       one->serial == other->serial && one->axis == other->axis &&
	       one->buffers == other->buffers;
}

enum { REUSE, ROTATE, FRESH };

/* Where visits of an mode wait; -1 for those that are not needed. */
static int place_of(enum np_mode mode)
{
	return mode == NP_MODE_REUSE  ? REUSE :
	       mode == NP_MODE_ROTATE ? ROTATE :
	       mode == NP_MODE_FRESH  ? FRESH :
					-1;
}

static struct np_swept_visit reduce(const struct np_visit *visit)
{
	struct np_swept_visit kept = { .used = true,
				       .run_index = visit->run_index,
				       .serial = visit->serial,
				       .axis = visit->axis,
				       .buffers = visit->buffers };

	kept.blocks = visit->blocks < NP_SWEPT_BLOCKS ? visit->blocks : NP_SWEPT_BLOCKS;
	for (size_t i = 0; i < kept.blocks; i++)
		kept.medians[i] = visit->block_median_s[i];
	kept.seconds = visit->median_s;
	return kept;
}

/* Reuse and rotate of one visit make a sample. */
static int pair_up(struct np_swept *swept, unsigned pass, struct np_error *error)
{
	const struct np_swept_visit *rotate = &swept->last[ROTATE];
	const struct np_swept_sample sample = {
		.sample = { .axis = rotate->axis,
			    .buffers = rotate->buffers,
			    .ratio = ratio_of(rotate, &swept->last[REUSE]),
			    .seconds = rotate->seconds },
		.run_index = rotate->run_index,
		.pass = pass,
		.serial = rotate->serial
	};

	swept->last[REUSE].used = false;
	if (!(sample.sample.ratio > 1e-9 && sample.sample.ratio < 1e9))
		return 0;
	return keep(swept, &sample, error);
}

/* Fresh goes with the sample that was made of its rotate just before. */
static void add_fresh(struct np_swept *swept)
{
	const struct np_swept_visit *fresh = &swept->last[FRESH];
	struct np_swept_sample *sample =
		swept->count != 0 ? &swept->list[swept->count - 1] : NULL;

	if (sample != NULL && sample->run_index == fresh->run_index &&
	    sample->serial == fresh->serial)
		sample->sample.fresh = ratio_of(fresh, &swept->last[ROTATE]);
}

int np_swept_visit(struct np_swept *swept, const struct np_results *results,
		   const struct np_visit *visit, const char *op, struct np_error *error)
{
	const int place = place_of(visit->mode);
	int rc = 0;

	if (visit->variant != 0 || visit->buffers == 0 || place < 0)
		return 0;
	swept->last[place] = reduce(visit);
	swept->length = visit->length;
	swept->operation = results->operation;
	snprintf(swept->operation_name, sizeof(swept->operation_name), "%s", op);
	if (belong_together(&swept->last[REUSE], &swept->last[ROTATE]))
		rc = pair_up(swept, visit->pass, error);
	if (belong_together(&swept->last[ROTATE], &swept->last[FRESH]))
		add_fresh(swept);
	return rc;
}

static const char *find_fact(void *context, const char *name)
{
	const struct np_run *run = context;
	const char *option = np_run_text(run, "options", name);

	return option != NULL ? option : np_run_text(run, "transmitter", name);
}

/* The header names each end's host. */
static bool on_one_host(const struct np_run *run)
{
	const char *one = np_run_text(run, "transmitter", "host");
	const char *other = np_run_text(run, "receiver", "host");

	return one != NULL && other != NULL && strcmp(one, other) == 0;
}

int np_swept_finish(struct np_gather *gather, struct np_run *run)
{
	const struct np_swept *swept = &gather->swept;
	struct np_capacity_sample *samples = malloc((swept->count + 1) * sizeof(*samples));
	const json_int_t pool =
		json_integer_value(json_object_get(run->header, "pool_bytes"));
	struct np_capacity_host host = { .length = swept->length,
					 .sides = np_capacity_sides(swept->operation,
								    swept->operation_name),
					 .share_cache = on_one_host(run),
					 .pool = pool > 0 ? (size_t)pool : 0 };
	size_t count = 0;

	if (samples == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < swept->count; i++) {
		const struct np_swept_sample *it = &swept->list[i];

		if (!np_gather_counts(gather, it->run_index, it->serial))
			continue;
		samples[count] = it->sample;
		samples[count++].unit = gather->several_runs ? it->run_index : it->pass;
	}
	np_capacity_host_read(find_fact, run, &host);
	const int rc =
		np_capacity_derive(&host, samples, count, NP_CAPACITY_SEED, &run->capacity);
	free(samples);
	return rc;
}
