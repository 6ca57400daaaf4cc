/*
 * gather.c - collects the lines of a file, and derives its curves and ratios.
 */
#include "report/curves/gather.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "questions/capacity_model.h"
#include "questions/capacity.h"
#include "results/findings.h"
#include "results/pairs.h"
#include "stats/stats.h"

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
		free(gather->rows[i].row.tail_s);
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

static size_t find_curve(struct np_run *run, const struct np_key *key,
			 struct np_error *error)
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

static size_t find_list(struct np_run *run, const struct np_key *key,
			struct np_error *error)
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

static int sample_visits(struct np_gather *gather, struct np_error *error)
{
	const int rc = np_sample_visits(&gather->sampling, gather->run->results);

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
			       "a time of %g s is more than 1e9 s", visit->median_s);
	gather->visits++;
	if (visit->run_index >= results->runs)
		results->runs = visit->run_index + 1;
	gather->several_runs |= visit->run_index != 0;
	return sample_visits(gather, error);
}

int np_gather_value(struct np_gather *gather, const struct np_key *key, double seconds,
		    struct np_error *error)
{
	const size_t curve = find_curve(gather->run, key, error);
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
	return sample_visits(gather, error);
}

/* Appends space for a row or pair, and returns it; NULL and a text: too many, or no memory.
 */
static void *extend(void *list, size_t *count, size_t size, struct np_error *error)
{
	if (*count == NP_POINTS_MOST) {
		np_fail(error, NP_ERROR_FAILED, EFBIG, "more than %d rows", NP_POINTS_MOST);
		return NULL;
	}
	void *item = np_list_extend(list, count, size);

	if (item == NULL)
		no_memory(error);
	return item;
}

static int add_row(struct np_gather *gather, size_t curve, bool derived,
		   const struct np_row *row, struct np_error *error)
{
	struct np_placed_row *placed =
		curve != SIZE_MAX ?
			extend(&gather->rows, &gather->row_count, sizeof(*placed), error) :
			NULL;

	if (placed == NULL) {
		free(row->unit_s);
		free(row->unit_number);
		free(row->tail_s);
		return error->code;
	}
	*placed = (struct np_placed_row){
		{ curve, row->length, derived, gather->row_count - 1 }, *row
	};
	return 0;
}

static int add_pair(struct np_gather *gather, size_t curve, bool derived,
		    const struct np_pair *pair, struct np_error *error)
{
	struct np_placed_pair *placed = curve != SIZE_MAX ?
						extend(&gather->pairs, &gather->pair_count,
						       sizeof(*placed), error) :
						NULL;

	if (placed == NULL) {
		free(pair->changes);
		return error->code;
	}
	*placed = (struct np_placed_pair){
		{ curve, pair->length, derived, gather->pair_count - 1 }, *pair
	};
	return 0;
}

int np_gather_row(struct np_gather *gather, const struct np_key *key,
		  const struct np_row *row, struct np_error *error)
{
	return add_row(gather, find_curve(gather->run, key, error), false, row, error);
}

int np_gather_pair(struct np_gather *gather, const struct np_key *key,
		   const struct np_pair *pair, struct np_error *error)
{
	return add_pair(gather, find_list(gather->run, key, error), false, pair, error);
}

/* ---- Host states, --capacity and --refine ------------------------------------------- */

/* True if the header names the same host for both processes. */
static bool on_one_host(const struct np_run *run)
{
	const char *one = np_facts_find(&run->hosts[0], "host");
	const char *other = np_facts_find(&run->hosts[1], "host");

	return one != NULL && other != NULL && strcmp(one, other) == 0;
}

static int derive_answers(struct np_run *run)
{
	const json_int_t pool =
		json_integer_value(json_object_get(run->header, "pool_bytes"));
	const char *regions = np_facts_find(&run->options, "regions");
	const char *order = np_facts_find(&run->options, "order");
	struct np_capacity_host host = {
		.in_order = order != NULL && strcmp(order, "sequential") == 0,
		.share_cache = on_one_host(run),
		.copies = json_is_false(json_object_get(run->header, "registers")),
		.pool = pool > 0 ? (size_t)pool : 0,
		/* A program without the option registers its pool as one memory region. */
		.regions = regions != NULL ? strtoull(regions, NULL, 10) : 1,
	};

	np_capacity_host_read(&run->hosts[0], np_facts_find(&run->options, "pages"), &host);
	int rc = np_capacity_of_visits(run->results, &host, &run->capacity);
	if (rc == 0)
		rc = np_replay_derive(run->results, &run->replay);
	if (run->uses != NULL)
		np_reuse_group(run->uses);
	return rc == 0 ?
		       np_refine_derive(run->results, &run->refined, &run->refined_count) :
		       rc;
}

static void derive_states(struct np_run *run)
{
	const json_t *drift = json_object_get(run->findings, "drift"),
		     *apart = json_object_get(run->findings, "states_apart"),
		     *other = json_object_get(run->findings, "visits_other_state");
	struct np_findings found = { .latency = NULL };

	np_findings_of_visits(run->results, &found);
	run->sentinel = found.sentinel;
	run->states = found.states;
	if (json_is_number(drift))
		run->sentinel.drift = json_number_value(drift);
	if (run->states.visits == 0 && json_integer_value(other) > 0)
		run->states.other = (size_t)json_integer_value(other);
	if (run->visits != 0)
		return;
	run->searched_to = 0;
	if (json_is_number(apart))
		run->sentinel.state_ratio = json_number_value(apart);
}

struct merging {
	struct np_gather *gather;
	struct np_run *run;
	struct np_table table; /* rows and pairs derived from visits */
	bool finished;
	struct np_error *error;
};

/* Indexes of the rows, or pairs, of one point: the file's own and the derived one. */
struct point {
	size_t curve;
	bool has_own, has_derived;
	size_t own, derived;
};

static int compare_places(const void *a, const void *b)
{
	const struct np_place *left = a, *right = b;

	if (left->curve != right->curve)
		return left->curve < right->curve ? -1 : 1;
	if (left->length != right->length)
		return left->length < right->length ? -1 : 1;
	return (left->at > right->at) - (left->at < right->at);
}

/* Collects the point at `begin` of a sorted list; *end: begin of the next one.  The last of
 * repeated lines is used. */
static struct point next_point(const void *list, size_t size, size_t count, size_t begin,
			       size_t *end)
{
	const char *bytes = list;
	const struct np_place *first = (const void *)(bytes + begin * size);
	struct point point = { .curve = first->curve };

	for (*end = begin; *end < count; ++*end) {
		const struct np_place *at = (const void *)(bytes + *end * size);

		if (at->curve != first->curve || at->length != first->length)
			break;
		point.has_own |= !at->derived;
		point.has_derived |= at->derived;
		*(at->derived ? &point.derived : &point.own) = *end;
	}
	return point;
}

/* ---- Rows ----------------------------------------------------------------- */

/* Curve index of a derived row; SIZE_MAX after an error. */
static size_t curve_of(const struct merging *merging, const struct np_row *row)
{
	const struct np_results *results = merging->run->results;
	struct np_key key = { .length = 0 };

	if (merging->gather->figures != 0)
		return row->variant;
	const char *variant = np_variant_name(results, row->variant);
	snprintf(key.op, sizeof(key.op), "%s", results->operation_name);
	snprintf(key.mode, sizeof(key.mode), "%s", np_mode_name(row->mode));
	snprintf(key.variant, sizeof(key.variant), "%s", variant != NULL ? variant : "");
	return find_curve(merging->run, &key, merging->error);
}

/* Bandwidth of another tool's figure, Mbit/s. */
static double rate_of(const struct np_series *series, const struct np_row *row)
{
	return np_op_is_collective(series->op) ?
		       (double)NAN :
		       np_op_directions(series->op) * 8 * (double)row->length /
			       row->median_s / 1e6;
}

/* Chooses the file's own row, with the units of the derived one, or the derived row. */
static struct np_row choose_row(const struct merging *merging, const struct point *point)
{
	struct np_placed_row *rows = merging->gather->rows;
	const bool imported = merging->gather->figures != 0;

	if (!point->has_derived)
		return rows[point->own].row;
	struct np_row *derived = &rows[point->derived].row;
	/* A size repeated in another tool's table has a unit for each figure: the derived
	 * row has their median. */
	const bool from_file = point->has_own &&
			       (imported ? derived->visit_count == 1 : merging->finished);
	struct np_row row = from_file ? rows[point->own].row : *derived;

	if (imported && !from_file)
		row.mbps = rate_of(&merging->run->series[point->curve], &row);
	row.unit_s = derived->unit_s;
	row.unit_number = derived->unit_number;
	row.unit_count = derived->unit_count;
	row.tail_s = derived->tail_s;
	row.counts = NULL;
	row.visits = NULL;
	derived->tail_s = NULL;
	derived->unit_s = NULL;
	derived->unit_number = NULL;
	return row;
}

/* Sets the quantiles of single messages.  Returns 0 or -errno. */
static int find_tail(const struct np_results *results, struct np_row *row,
		     struct np_error *error)
{
	size_t total = 0, at = 0;

	for (size_t i = 0; i < row->visit_count; i++)
		total += row->visits[i]->kept;
	if (total < 100)
		return 0;
	double *times = malloc(total * sizeof(*times));
	row->tail_s = calloc(NP_TAIL, sizeof(*row->tail_s));
	if (times == NULL || row->tail_s == NULL) {
		free(times);
		free(row->tail_s);
		row->tail_s = NULL;
		return no_memory(error);
	}
	for (size_t i = 0; i < row->visit_count; i++) {
		const struct np_visit *visit = row->visits[i];

		for (size_t k = 0; k < visit->kept; k++)
			times[at++] =
				np_message_seconds(results, visit, visit->samples_ns[k]);
	}
	qsort(times, total, sizeof(*times), np_compare_doubles);
	for (size_t i = 0; i < NP_TAIL; i++) {
		const size_t beyond = np_tail_beyond[i];
		const double share = (double)(NP_TAIL_WHOLE - beyond) / NP_TAIL_WHOLE;
		const double place = share * (double)(total - 1);
		const size_t below = (size_t)place;

		/* As np_quantile() of all, which would search them each time. */
		row->tail_s[i] =
			beyond == 0 || beyond * total >= 10UL * NP_TAIL_WHOLE ?
				np_quantile(times + below, below + 1 < total ? 2 : 1,
					    place - (double)below) :
				(double)NAN;
	}
	free(times);
	return 0;
}

/* Adds the rows derived from visits, except those of a capacity sweep, to the rows of the
 * file. */
static int take_rows(struct merging *merging)
{
	int rc = 0;

	for (size_t i = 0; i < merging->table.row_count && rc == 0; i++) {
		struct np_row *row = &merging->table.rows[i];

		if (row->axis != NP_AXIS_NONE)
			continue;
		if (merging->run->results->per_message)
			rc = find_tail(merging->run->results, row, merging->error);
		if (rc == 0)
			rc = add_row(merging->gather, curve_of(merging, row), true, row,
				     merging->error);
		else
			return rc;
		row->tail_s = NULL;
		row->unit_s = NULL;
		row->unit_number = NULL;
	}
	return rc;
}

static int merge_rows(struct merging *merging)
{
	struct np_gather *gather = merging->gather;
	size_t points = 0;
	int rc = take_rows(merging);

	if (gather->row_count != 0)
		qsort(gather->rows, gather->row_count, sizeof(*gather->rows),
		      compare_places);
	for (size_t begin = 0, end; begin < gather->row_count && rc == 0; begin = end) {
		const struct point point = next_point(gather->rows, sizeof(*gather->rows),
						      gather->row_count, begin, &end);
		struct np_series *series = &merging->run->series[point.curve];
		struct np_row *row =
			np_list_extend(&series->points, &series->count, sizeof(*row));

		if (row == NULL)
			return no_memory(merging->error);
		*row = choose_row(merging, &point);
		if (++points > NP_ROWS_MOST)
			rc = np_fail(merging->error, NP_ERROR_FAILED, EFBIG,
				     "more than %d different points", NP_ROWS_MOST);
	}
	return rc;
}

/* ---- Pairs ---------------------------------------------------------------- */

static size_t list_of(const struct merging *merging, const struct np_pair *pair)
{
	const struct np_results *results = merging->run->results;
	const char *variant = np_variant_name(results, pair->variant);
	struct np_key key = { .length = pair->length };

	snprintf(key.op, sizeof(key.op), "%s", results->operation_name);
	np_pair_name(results, pair, key.mode, sizeof(key.mode));
	if (!np_pair_is_of_modes(pair))
		variant = np_mode_name(pair->mode);
	snprintf(key.variant, sizeof(key.variant), "%s", variant != NULL ? variant : "");
	return find_list(merging->run, &key, merging->error);
}

/* Copies each derived range of neighbouring sizes with one ratio to the list of ratios that
 * it belongs to. */
static int take_ranges(struct merging *merging)
{
	for (size_t i = 0; i < merging->table.range_count; i++) {
		const struct np_pair_range *range = &merging->table.ranges[i];
		const struct np_pair *pair = merging->table.pairs;

		while (pair->kind != range->kind)
			pair++;
		const size_t at = list_of(merging, pair);
		if (at == SIZE_MAX)
			return merging->error->code;
		struct np_ratio_list *list = &merging->run->ratios[at];

		if (np_list_add(&list->ranges, &list->range_count, range, sizeof(*range)) !=
		    0)
			return no_memory(merging->error);
	}
	return 0;
}

/* Adds the pairs derived from visits, except those of a capacity sweep and of the control,
 * to the pairs of the file. */
static int take_pairs(struct merging *merging)
{
	int rc = 0;

	for (size_t i = 0; i < merging->table.pair_count && rc == 0; i++) {
		struct np_pair *pair = &merging->table.pairs[i];

		if (pair->axis != NP_AXIS_NONE || pair->mode == NP_MODE_CONTROL)
			continue;
		rc = add_pair(merging->gather, list_of(merging, pair), true, pair,
			      merging->error);
		pair->changes = NULL;
	}
	return rc;
}

/* Flags each list of ratios in which the file lacks the verdict of a pair: all verdicts of
 * such a list are derived, since the correction for multiple tests is over all its sizes.
 * Returns the flags, to be freed, or NULL. */
static bool *find_unjudged(const struct merging *merging)
{
	const struct np_gather *gather = merging->gather;
	bool *unjudged = calloc(merging->run->ratios_count + 1, sizeof(*unjudged));

	for (size_t begin = 0, end; begin < gather->pair_count && unjudged != NULL;
	     begin = end) {
		const struct point point = next_point(gather->pairs, sizeof(*gather->pairs),
						      gather->pair_count, begin, &end);

		unjudged[point.curve] |=
			!merging->finished || !point.has_own ||
			gather->pairs[point.own].pair.verdict == NP_VERDICTS;
	}
	return unjudged;
}

/* Chooses the file's own pair, with the derived verdict if unjudged, or the derived pair.
 * Takes over the memory of its `changes`. */
static struct np_pair choose_pair(const struct merging *merging, const struct point *point,
				  bool unjudged)
{
	struct np_placed_pair *pairs = merging->gather->pairs;
	const bool from_file = point->has_own && (merging->finished || !point->has_derived);
	struct np_pair *said = &pairs[from_file ? point->own : point->derived].pair;
	struct np_pair pair = *said;

	said->changes = NULL;
	pair.unit_ratios = NULL;
	if (from_file && point->has_derived && unjudged) {
		const struct np_pair *derived = &pairs[point->derived].pair;

		pair.low = derived->low;
		pair.high = derived->high;
		pair.alone_low = derived->alone_low;
		pair.alone_high = derived->alone_high;
		pair.unstable = derived->unstable;
		pair.adjusted_p = derived->adjusted_p;
		pair.resolution = derived->resolution;
		pair.verdict = derived->verdict;
		pair.control_ratio = derived->control_ratio;
		pair.control_low = derived->control_low;
		pair.control_high = derived->control_high;
	}
	return pair;
}

static int merge_pairs(struct merging *merging)
{
	struct np_gather *gather = merging->gather;
	int rc = 0;

	if (np_table_judge(merging->run->results, &merging->table) != 0)
		return no_memory(merging->error);
	rc = take_pairs(merging);
	if (rc == 0)
		rc = take_ranges(merging);
	if (gather->pair_count != 0)
		qsort(gather->pairs, gather->pair_count, sizeof(*gather->pairs),
		      compare_places);
	bool *unjudged = find_unjudged(merging);
	if (unjudged == NULL)
		return rc != 0 ? rc : no_memory(merging->error);
	for (size_t begin = 0, end; begin < gather->pair_count && rc == 0; begin = end) {
		const struct point point = next_point(gather->pairs, sizeof(*gather->pairs),
						      gather->pair_count, begin, &end);
		struct np_ratio_list *list = &merging->run->ratios[point.curve];
		struct np_pair *ratio =
			np_list_extend(&list->ratios, &list->count, sizeof(*ratio));

		if (ratio == NULL) {
			rc = no_memory(merging->error);
			break;
		}
		*ratio = choose_pair(merging, &point, unjudged[point.curve]);
	}
	free(unjudged);
	return rc;
}

/* ---- The run -------------------------------------------------------------- */

static int compare_series(const void *a, const void *b)
{
	const struct np_series *left = a, *right = b;
	int order = strcmp(left->op, right->op);

	if (order == 0)
		order = strcmp(left->mode, right->mode);
	if (order == 0)
		order = strcmp(left->variant, right->variant);
	return order != 0 ? order : strcmp(left->from, right->from);
}

static int compare_lists(const void *a, const void *b)
{
	const struct np_ratio_list *left = a, *right = b;
	int order = strcmp(left->op, right->op);

	if (order == 0)
		order = strcmp(left->of, right->of);
	return order != 0 ? order : strcmp(left->within, right->within);
}

/* Prefixes the variant of each curve with the end of its file's name, if the run is merged
 * from several files. */
static void name_files(struct np_run *run)
{
	bool several = false;

	for (size_t i = 1; i < run->series_count; i++)
		several |= strcmp(run->series[i].from, run->series[0].from) != 0;
	for (size_t i = 0; i < run->series_count && several; i++) {
		struct np_series *series = &run->series[i];
		const size_t length = strlen(series->from);
		char variant[NP_LABEL];

		if (length == 0)
			continue;
		memcpy(variant, series->variant, sizeof(variant));
		snprintf(series->variant, sizeof(series->variant), "%.60s%s%.60s",
			 series->from + (length > 60 ? length - 60 : 0),
			 variant[0] != '\0' ? ", " : "", variant);
	}
}

/* Removes curves without points, which a lack of memory leaves. */
static void drop_empty(struct np_run *run)
{
	size_t kept = 0;

	for (size_t i = 0; i < run->series_count; i++) {
		if (run->series[i].count != 0)
			run->series[kept++] = run->series[i];
	}
	run->series_count = kept;
}

/* Sorts the curves by label, and sets the totals of the run. */
static void finish_run(struct merging *merging)
{
	struct np_run *run = merging->run;

	drop_empty(run);
	if (run->series_count != 0)
		qsort(run->series, run->series_count, sizeof(*run->series), compare_series);
	if (run->ratios_count != 0)
		qsort(run->ratios, run->ratios_count, sizeof(*run->ratios), compare_lists);
	name_files(run);
	run->visits = merging->gather->visits;
	derive_states(run);
	run->runs_are_units = merging->gather->several_runs;
}

static int derive(struct merging *merging)
{
	struct np_results *results = merging->run->results;
	int rc = np_sample_visits_end(&merging->gather->sampling, results);

	if (rc == 0) {
		results->latency_bounds =
			np_latency_bounds_from_facts(&merging->run->hosts[0]);
		np_mark_host_states(results);
		rc = np_table_rows(results, &merging->table);
	}
	/* Pairs need visits with a common serial, which figures of other tools lack. */
	if (rc == 0 && merging->gather->figures == 0)
		rc = np_table_pairs(results, &merging->table);
	if (rc == 0)
		rc = derive_answers(merging->run);
	return rc == 0 ? 0 : no_memory(merging->error);
}

int np_merge(struct np_gather *gather, bool finished, struct np_error *error)
{
	struct merging merging = {
		.gather = gather, .run = gather->run, .finished = finished, .error = error
	};
	int rc = derive(&merging);

	if (rc == 0)
		rc = merge_rows(&merging);
	if (rc == 0)
		rc = merge_pairs(&merging);
	finish_run(&merging);
	np_table_free(&merging.table);
	return rc;
}
