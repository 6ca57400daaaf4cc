/*
 * results.c - reduction of visits from samples to medians, sums and counts; their storage
 * and selection; the slowest rank of each run of an MPI pattern.
 */
#include "results/results.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "stats/stats.h"
#include "stats/tails.h"
#include "stats/verdicts.h"

void np_results_init(struct np_results *results)
{
	*results = (struct np_results){ .runs = 1,
					.operation_name = "pingpong",
					.same_within = NP_SAME_WITHIN };
	pthread_mutex_init(&results->lock, NULL);
}

void np_results_empty(struct np_results *results)
{
	for (size_t i = 0; i < results->count; i++)
		np_visit_free(results->visits[i]);
	free(results->visits);
	results->visits = NULL;
	results->count = results->room = 0;
}

void np_results_free(struct np_results *results)
{
	np_results_empty(results);
	free(results->warm_ups);
	free(results->slowest.list);
	results->slowest = (struct np_slowest_list){ .list = NULL };
	for (size_t i = 0; i < results->code_paths_count; i++)
		free(results->code_paths[i]);
	pthread_mutex_destroy(&results->lock);
}

struct np_measured *np_measured_new(size_t blocks, size_t warmup, size_t samples)
{
	struct np_measured *measured = calloc(1, sizeof(*measured));

	if (measured == NULL)
		return NULL;
	measured->blocks = blocks;
	measured->warmup_per_block = warmup;
	measured->samples_per_block = samples;
	measured->warmup_ns = calloc(blocks * warmup + 1, sizeof(uint64_t));
	measured->samples_ns = calloc(blocks * samples + 1, sizeof(uint64_t));
	if (measured->warmup_ns == NULL || measured->samples_ns == NULL) {
		np_measured_free(measured);
		return NULL;
	}
	return measured;
}

void np_measured_free(struct np_measured *measured)
{
	if (measured == NULL)
		return;
	free(measured->warmup_ns);
	free(measured->samples_ns);
	free(measured);
}

void np_visit_free(struct np_visit *visit)
{
	if (visit != NULL)
		free(visit->samples_ns);
	free(visit);
}

/* Index of a count's name, added if new; NP_BLOCK_COUNTS if there are too many. */
static size_t number_of_name(struct np_results *results, const char *name)
{
	size_t at = 0;

	while (at < results->count_names_count &&
	       strncmp(results->count_names[at], name, NP_COUNTER_NAME) != 0)
		at++;
	if (at == results->count_names_count && at < NP_BLOCK_COUNTS)
		memcpy(results->count_names[results->count_names_count++], name,
		       NP_COUNTER_NAME);
	return at;
}

/* Ratio of the medians of the first and the last third of each block; values has space
 * for all samples. */
static double find_drift(const struct np_measured *measured, double *values)
{
	const size_t third = measured->samples_per_block / 3;
	const size_t count = measured->blocks * third;
	double *first = values, *last = values + count;

	if (count == 0)
		return 1;
	for (size_t block = 0; block < measured->blocks; block++) {
		const uint64_t *ns =
			measured->samples_ns + block * measured->samples_per_block;

		for (size_t i = 0; i < third; i++) {
			first[block * third + i] = (double)ns[i];
			last[block * third + i] =
				(double)ns[measured->samples_per_block - 1 - i];
		}
	}
	const double end = np_median(last, count);

	return end > 0 ? np_median(first, count) / end : 1;
}

/* Sets sums and medians; values has space for all samples. */
static void reduce_samples(const struct np_results *results,
			   const struct np_measured *measured, double *values,
			   double *block_median_s, struct np_visit *visit)
{
	const size_t each = measured->samples_per_block;
	const size_t samples = measured->blocks * each;

	visit->samples = samples;
	visit->drift = find_drift(measured, values);
	for (size_t i = 0; i < samples; i++)
		values[i] = np_message_seconds(results, visit, measured->samples_ns[i]);
	visit->least_s = np_min(values, samples);
	if (samples == 0)
		return;
	visit->median_s = np_median(values, samples);
	visit->sum_s = np_mean(values, samples) * (double)samples;
	/* Stride by the golden ratio: an even stride would alias with a period of the
	 * samples. */
	for (size_t i = 0; i < NP_VISIT_SOME && i < samples; i++)
		visit->some_s[i] =
			(float)values[samples <= NP_VISIT_SOME ?
					      i :
					      (size_t)(fmod(0.618034 * (double)i, 1) *
						       (double)samples)];
	for (size_t i = 0; i < visit->blocks; i++)
		block_median_s[i] = np_median(values + i * each, each);
}

static void take_counts(struct np_results *results, const struct np_measured *measured,
			struct np_count *counts, struct np_visit *visit)
{
	const double trips = results->operation == NP_PINGPONG ? 2 : 1;
	const size_t batches = measured->blocks *
			       (measured->warmup_per_block + measured->samples_per_block);

	visit->counted_messages = (double)batches * ((double)visit->messages * trips);
	for (size_t i = 0; i < measured->counts.count; i++) {
		const struct np_counter *counter = &measured->counts.list[i];
		const size_t name = number_of_name(results, counter->name);

		if (name < NP_BLOCK_COUNTS)
			counts[visit->count_count++] =
				(struct np_count){ counter->value, name };
	}
}

static struct np_visit *reduce(struct np_results *results,
			       const struct np_measured *measured)
{
	const unsigned blocks = measured->blocks < NP_VISIT_BLOCKS ?
					(unsigned)measured->blocks :
					NP_VISIT_BLOCKS;
	const size_t samples = measured->blocks * measured->samples_per_block;
	double *values = calloc(samples + 1, sizeof(*values));
	/* One allocation: there may be a million visits. */
	struct np_visit *visit = malloc(sizeof(*visit) + blocks * sizeof(double) +
					measured->counts.count * sizeof(struct np_count));

	if (values == NULL || visit == NULL) {
		free(values);
		free(visit);
		return NULL;
	}
	double *block_median_s = (double *)(visit + 1);
	struct np_count *counts = (struct np_count *)(block_median_s + blocks);
	*visit = measured->visit;
	visit->code_path = np_results_word(results, measured->code_path);
	visit->block_median_s = block_median_s;
	visit->blocks = blocks;
	visit->counts = counts;
	visit->count_count = 0;
	reduce_samples(results, measured, values, block_median_s, visit);
	take_counts(results, measured, counts, visit);
	free(values);
	if (!results->per_message && !results->keep_samples)
		return visit;
	visit->samples_ns = malloc((samples + 1) * sizeof(*visit->samples_ns));
	if (visit->samples_ns == NULL) {
		free(visit);
		return NULL;
	}
	memcpy(visit->samples_ns, measured->samples_ns,
	       samples * sizeof(*visit->samples_ns));
	visit->kept = samples;
	return visit;
}

int np_results_take(struct np_results *results, struct np_visit *visit)
{
	int rc = 0;

	pthread_mutex_lock(&results->lock);
	if (results->count == results->room) {
		const size_t room = results->room != 0 ? 2 * results->room : 256;
		struct np_visit **visits =
			realloc(results->visits, room * sizeof(struct np_visit *));

		if (visits != NULL) {
			results->visits = visits;
			results->room = room;
		} else {
			rc = -ENOMEM;
		}
	}
	if (rc == 0)
		results->visits[results->count++] = visit;
	else
		np_visit_free(visit);
	pthread_mutex_unlock(&results->lock);
	return rc;
}

struct np_visit *np_results_add(struct np_results *results,
				const struct np_measured *measured)
{
	/* The watcher thread reads the names that the reduction adds. */
	pthread_mutex_lock(&results->lock);
	struct np_visit *visit = reduce(results, measured);
	pthread_mutex_unlock(&results->lock);

	return visit != NULL && np_results_take(results, visit) == 0 ? visit : NULL;
}

int np_results_add_warm_up(struct np_results *results, const struct np_warm_up *warm_up)
{
	pthread_mutex_lock(&results->lock);
	const int rc = np_list_add(&results->warm_ups, &results->warm_up_count, warm_up,
				   sizeof(*warm_up));
	pthread_mutex_unlock(&results->lock);
	return rc;
}

const char *np_results_word(struct np_results *results, const char *word)
{
	size_t at = 0;

	if (*word == '\0')
		return "";
	while (at < results->code_paths_count && strcmp(results->code_paths[at], word) != 0)
		at++;
	if (at == NP_CODE_PATHS_MAX)
		return "";
	if (at == results->code_paths_count) {
		results->code_paths[at] = strdup(word);
		if (results->code_paths[at] == NULL)
			return "";
		results->code_paths_count++;
	}
	return results->code_paths[at];
}

void np_results_forget_samples(struct np_results *results, struct np_visit *visit)
{
	pthread_mutex_lock(&results->lock);
	free(visit->samples_ns);
	visit->samples_ns = NULL;
	pthread_mutex_unlock(&results->lock);
}

void np_results_supersede(struct np_results *results, unsigned run_index, uint64_t serial)
{
	pthread_mutex_lock(&results->lock);
	/* Stops at the first visit of an earlier serial: there may be many visits. */
	bool found = false;
	for (size_t i = results->count; i-- > 0;) {
		struct np_visit *visit = results->visits[i];

		if (visit->run_index != run_index)
			continue;
		if (visit->serial == serial)
			visit->superseded = found = true;
		else if (found && visit->serial < serial)
			break;
	}
	pthread_mutex_unlock(&results->lock);
}

bool np_results_have_causes(const struct np_results *results)
{
	for (size_t i = 0; i < results->count; i++) {
		if (results->visits[i]->mode == NP_MODE_TOUCHED)
			return true;
	}
	return false;
}

double np_message_seconds(const struct np_results *results, const struct np_visit *visit,
			  uint64_t batch_ns)
{
	const double trips = results->operation == NP_PINGPONG ? 2 : 1;

	return (double)batch_ns * 1e-9 / ((double)visit->messages * trips);
}

const char *np_variant_name(const struct np_results *results, size_t variant)
{
	return variant < results->variant_count ? results->variants[variant] : NULL;
}

void np_results_compare(struct np_results *results, const struct np_request *request)
{
	results->variant_count = request->variant_count > 1 ? request->variant_count : 0;
	for (size_t i = 0; i < results->variant_count; i++)
		results->variants[i] = request->variants[i];
}

unsigned np_unit_of(const struct np_results *results, const struct np_visit *visit)
{
	return results->runs > 1 ? visit->run_index : visit->pass;
}

size_t np_unit_medians(const struct np_results *results, struct np_visit *const *visits,
		       double *values, unsigned *numbers, size_t count)
{
	size_t units = 0;

	for (size_t begin = 0, end; begin < count; begin = end) {
		for (end = begin + 1;
		     end < count && np_unit_of(results, visits[end]) ==
					    np_unit_of(results, visits[begin]);)
			end++;
		if (numbers != NULL)
			numbers[units] = np_unit_of(results, visits[begin]);
		values[units++] = np_median(values + begin, end - begin);
	}
	return units;
}

static enum np_purpose purpose_of(const struct np_visit *visit)
{
	if (visit->sentinel)
		return NP_FOR_SENTINEL;
	if (visit->refine)
		return NP_FOR_REFINE;
	if (visit->factor != NP_FACTOR_NONE)
		return NP_FOR_CONDITION;
	return visit->axis != NP_AXIS_NONE ? NP_FOR_SWEEP : NP_FOR_CURVE;
}

static bool is_selected(const struct np_visit *visit, const struct np_selection *selection)
{
	return !visit->superseded && (selection->purposes & purpose_of(visit)) != 0 &&
	       (selection->modes == 0 || (selection->modes & 1u << visit->mode) != 0) &&
	       (selection->length == NULL || *selection->length == visit->length) &&
	       (selection->variant == NP_EVERY_VARIANT ||
		selection->variant == visit->variant) &&
	       (selection->every_state || !visit->other_state) &&
	       (!selection->timed || visit->median_s > 0);
}

struct np_visit **np_visits_select(const struct np_results *results,
				   const struct np_selection *selection, size_t *count)
{
	struct np_visit **list = malloc((results->count + 1) * sizeof(struct np_visit *));

	*count = 0;
	for (size_t i = 0; i < results->count && list != NULL; i++) {
		if (is_selected(results->visits[i], selection))
			list[(*count)++] = results->visits[i];
	}
	return list;
}

static int compare_visits(const void *a, const void *b, void *context)
{
	const struct np_visit *left = *(struct np_visit *const *)a;
	const struct np_visit *right = *(struct np_visit *const *)b;
	const struct np_results *const *results = context;

	if (left->length != right->length)
		return left->length < right->length ? -1 : 1;
	if (left->axis != right->axis)
		return left->axis < right->axis ? -1 : 1;
	if (left->buffers != right->buffers)
		return left->buffers < right->buffers ? -1 : 1;
	if (left->variant != right->variant)
		return left->variant < right->variant ? -1 : 1;
	if (left->mode != right->mode)
		return left->mode < right->mode ? -1 : 1;
	const unsigned l = np_unit_of(*results, left), r = np_unit_of(*results, right);
	if (l != r)
		return l < r ? -1 : 1;
	return (left->serial > right->serial) - (left->serial < right->serial);
}

void np_visits_sort(const struct np_results *results, struct np_visit **visits,
		    size_t count)
{
	qsort_r(visits, count, sizeof(struct np_visit *), compare_visits, &results);
}

int np_units_select(const struct np_results *results, const struct np_selection *selection,
		    struct np_units *units)
{
	size_t count;
	struct np_visit **visits = np_visits_select(results, selection, &count);

	*units = (struct np_units){ .seconds = malloc((count + 1) * sizeof(double)),
				    .numbers = malloc((count + 1) * sizeof(unsigned)) };
	if (visits == NULL || units->seconds == NULL || units->numbers == NULL) {
		free(visits);
		return -ENOMEM;
	}
	np_visits_sort(results, visits, count);
	for (size_t i = 0; i < count; i++)
		units->seconds[i] = visits[i]->median_s;
	units->count =
		np_unit_medians(results, visits, units->seconds, units->numbers, count);
	free(visits);
	return 0;
}

void np_units_free(struct np_units *units)
{
	free(units->seconds);
	free(units->numbers);
	*units = (struct np_units){ .seconds = NULL };
}

int np_slowest_add(struct np_slowest_list *all, const struct np_job_slowest *one)
{
	return np_list_add(&all->list, &all->count, one, sizeof(*one));
}

int np_slowest_collect(struct np_slowest_list *all, const struct np_job_hooks *job,
		       const struct np_endpoint *endpoint, struct np_error *error)
{
	struct np_job_slowest found;

	if (job == NULL || job->slowest == NULL || !job->slowest(endpoint, &found))
		return 0;
	return np_slowest_add(all, &found) == 0 ?
		       0 :
		       np_fail_errno(error, ENOMEM, "no memory for results");
}

static unsigned count_runs(const struct np_slowest_list *all, unsigned rank)
{
	unsigned count = 0;

	for (size_t i = 0; i < all->count; i++)
		count += all->list[i].rank == rank;
	return count;
}

struct np_job_slowest np_slowest_find(const struct np_slowest_list *all, bool runs)
{
	struct np_job_slowest found = { .passes = 0 };
	unsigned most = 0, ranks = 0;

	if (all->count == 1 && !runs)
		return all->list[0];
	for (size_t i = 0; i < all->count; i++) {
		const struct np_job_slowest *one = &all->list[i];
		const unsigned times = count_runs(all, one->rank);

		found = times > most ? *one : found;
		most = times > most ? times : most;
		ranks = one->ranks > ranks ? one->ranks : ranks;
	}
	found.times = most;
	found.passes = (unsigned)all->count;
	found.ranks = ranks;
	return found;
}

double np_slowest_chance(const struct np_job_slowest *slowest)
{
	return fmin(1, slowest->ranks * np_binomial_p(slowest->times, slowest->passes,
						      1.0 / slowest->ranks));
}
