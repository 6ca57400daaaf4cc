/*
 * gather.c - collects visits, figures, rows and pairs of a file.
 */
#include "report/curves/gather.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"

static int no_memory(struct np_error *error)
{
	return np_fail_errno(error, ENOMEM, "no memory for results");
}

int np_gather_init(struct np_gather *gather, struct np_run *run)
{
	*gather = (struct np_gather){ .run = run };
	run->results = malloc(sizeof(*run->results));
	if (run->results == NULL)
		return -ENOMEM;
	np_results_init(run->results);
	return 0;
}

void np_gather_free(struct np_gather *gather)
{
	for (size_t i = 0; i < gather->row_count; i++) {
		free(gather->rows[i].row.unit_s);
		free(gather->rows[i].row.unit_number);
	}
	for (size_t i = 0; i < gather->pair_count; i++)
		free(gather->pairs[i].pair.changes);
	free(gather->rows);
	free(gather->pairs);
	*gather = (struct np_gather){ .run = NULL };
}

static struct np_key clean(const struct np_key *key)
{
	struct np_key cleaned = *key;

	np_label_clean(cleaned.op);
	np_label_clean(cleaned.mode);
	np_label_clean(cleaned.variant);
	np_label_clean(cleaned.from);
	return cleaned;
}

static int too_many(struct np_error *error)
{
	return np_fail(error, NP_ERROR_FAILED, EFBIG, "more than %d different curves",
		       NP_CURVES_MOST);
}

size_t np_gather_curve(struct np_run *run, const struct np_key *key, struct np_error *error)
{
	const struct np_key like = clean(key);

	/* Newest first: adjacent lines often belong to one curve. */
	for (size_t i = run->series_count; i-- > 0;) {
		const struct np_series *series = &run->series[i];

		if (strcmp(series->op, like.op) == 0 &&
		    strcmp(series->mode, like.mode) == 0 &&
		    strcmp(series->variant, like.variant) == 0 &&
		    strcmp(series->from, like.from) == 0)
			return i;
	}
	if (run->series_count == NP_CURVES_MOST) {
		too_many(error);
		return SIZE_MAX;
	}
	struct np_series added = { .count = 0 };
	memcpy(added.op, like.op, NP_LABEL);
	memcpy(added.mode, like.mode, NP_LABEL);
	memcpy(added.variant, like.variant, NP_LABEL);
	memcpy(added.from, like.from, NP_LABEL);
	if (np_list_add(&run->series, &run->series_count, &added, sizeof(added)) != 0) {
		no_memory(error);
		return SIZE_MAX;
	}
	return run->series_count - 1;
}

size_t np_gather_list(struct np_run *run, const struct np_key *key, struct np_error *error)
{
	const struct np_key like = clean(key);

	for (size_t i = run->ratios_count; i-- > 0;) {
		const struct np_ratio_list *ratios = &run->ratios[i];

		if (strcmp(ratios->op, like.op) == 0 &&
		    strcmp(ratios->of, like.mode) == 0 &&
		    strcmp(ratios->within, like.variant) == 0)
			return i;
	}
	if (run->ratios_count == NP_CURVES_MOST) {
		too_many(error);
		return SIZE_MAX;
	}
	struct np_ratio_list added = { .count = 0 };
	memcpy(added.op, like.op, NP_LABEL);
	memcpy(added.of, like.mode, NP_LABEL);
	memcpy(added.within, like.variant, NP_LABEL);
	if (np_list_add(&run->ratios, &run->ratios_count, &added, sizeof(added)) != 0) {
		no_memory(error);
		return SIZE_MAX;
	}
	return run->ratios_count - 1;
}

static int thin(struct np_gather *gather, struct np_error *error)
{
	const int rc = np_thin(&gather->thinning, gather->run->results);

	if (rc == -EFBIG)
		return np_fail(error, NP_ERROR_FAILED, EFBIG,
			       "more than %d different points", NP_ROWS_MOST);
	return rc != 0 ? no_memory(error) : 0;
}

int np_gather_visit(struct np_gather *gather, const struct np_measured *measured,
		    struct np_error *error)
{
	struct np_results *results = gather->run->results;
	const struct np_visit *visit = np_results_add(results, measured);

	if (visit == NULL)
		return no_memory(error);
	if (!(visit->median_s <= 1e9))
		return np_fail(error, NP_ERROR_FAILED, EBADMSG,
			       "a time that is no measurement's");
	gather->visits++;
	if (visit->run_index >= results->runs)
		results->runs = visit->run_index + 1;
	gather->several_runs |= visit->run_index != 0;
	return thin(gather, error);
}

int np_gather_value(struct np_gather *gather, const struct np_key *key, double seconds,
		    struct np_error *error)
{
	const size_t curve = np_gather_curve(gather->run, key, error);
	struct np_visit *visit;

	if (curve == SIZE_MAX)
		return error->code;
	visit = malloc(sizeof(*visit));
	if (visit == NULL)
		return no_memory(error);
	*visit = (struct np_visit){ .pass = (unsigned)gather->figures,
				    .serial = gather->figures,
				    .length = key->length,
				    .variant = curve,
				    .code_path = "",
				    .median_s = seconds,
				    .least_s = (double)NAN,
				    .drift = 1 };
	gather->figures++;
	if (np_results_take(gather->run->results, visit) != 0)
		return no_memory(error);
	return thin(gather, error);
}

/* Appends space for a row or pair; NULL and a text: too many, or no memory. */
static void *grow(void *list, size_t count, size_t size, struct np_error *error)
{
	if (count == NP_POINTS_MOST) {
		np_fail(error, NP_ERROR_FAILED, EFBIG, "more than %d rows", NP_POINTS_MOST);
		return NULL;
	}
	void *larger = np_list_grow(list, count, size);

	if (larger == NULL)
		no_memory(error);
	return larger;
}

int np_gather_row_of(struct np_gather *gather, size_t curve, bool derived,
		     const struct np_row *row, struct np_error *error)
{
	struct np_placed_row *rows =
		curve != SIZE_MAX ?
			grow(gather->rows, gather->row_count, sizeof(*rows), error) :
			NULL;

	if (rows == NULL) {
		free(row->unit_s);
		free(row->unit_number);
		return error->code;
	}
	gather->rows = rows;
	rows[gather->row_count] =
		(struct np_placed_row){ { curve, row->length, derived, gather->row_count },
					*row };
	gather->row_count++;
	return 0;
}

int np_gather_pair_of(struct np_gather *gather, size_t curve, bool derived,
		      const struct np_pair *pair, struct np_error *error)
{
	struct np_placed_pair *pairs =
		curve != SIZE_MAX ?
			grow(gather->pairs, gather->pair_count, sizeof(*pairs), error) :
			NULL;

	if (pairs == NULL) {
		free(pair->changes);
		return error->code;
	}
	gather->pairs = pairs;
	pairs[gather->pair_count] = (struct np_placed_pair){
		{ curve, pair->length, derived, gather->pair_count }, *pair
	};
	gather->pair_count++;
	return 0;
}

int np_gather_row(struct np_gather *gather, const struct np_key *key,
		  const struct np_row *row, struct np_error *error)
{
	return np_gather_row_of(gather, np_gather_curve(gather->run, key, error), false,
				row, error);
}

int np_gather_pair(struct np_gather *gather, const struct np_key *key,
		   const struct np_pair *pair, struct np_error *error)
{
	return np_gather_pair_of(gather, np_gather_list(gather->run, key, error), false,
				 pair, error);
}
