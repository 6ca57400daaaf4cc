/*
 * truth_capacity.c - score of a capacity sweep: its knees, and their causes, against the
 * planted capacities.
 *
 * A label is a knee with a cause that repeats no knee of another axis.  It is right if a
 * capacity of its kind is planted within one step of the sweep, on the axis of that
 * capacity.  Two capacities of one unit within a step of the sweep are one knee, and
 * undecidable.
 */
#include "truth.h"

#include <string.h>

/* Field of a point of the sweep in which the capacity is counted. */
static const char *unit_of(const struct planted *planted)
{
	if (strcmp(planted->axis, "lines") == 0)
		return "lines";
	return strcmp(planted->axis, "registrations") == 0 ? "registrations" : "pages";
}

/* Returns the time of a message that misses a capacity over that of one that does not.
 * Messages miss once for the send and once for the receive buffer, but both lie in one
 * registration. */
static double share_of(const struct truth *truth, const struct planted *planted)
{
	const double misses = strcmp(planted->axis, "registrations") == 0 ? 1 : 2;

	for (size_t i = 0; i < truth->count; i++) {
		if (strcmp(truth->list[i].kind, "latency") == 0)
			return 1 + misses * planted->miss_ns / truth->list[i].ns;
	}
	return 1;
}

/* Counts points of an axis: in `fits` those within the capacity, of all; in `index_of`
 * those of at most so many buffers. */
static void count_fits(json_t *lines, const char *axis, const struct planted *planted,
		       double buffers, struct tally *fits, size_t *index_of)
{
	json_t *line;
	size_t index;

	*fits = (struct tally){ .hits = 0 };
	*index_of = 0;
	json_array_foreach (lines, index, line) {
		if (!truth_is(line, "kind", "capacity") || !truth_is(line, "axis", axis))
			continue;
		count_in(fits, truth_number(line, unit_of(planted)) <= planted->count);
		*index_of += truth_number(line, "buffers") <= buffers;
	}
}

/* Returns whether the interval of a gradual knee, which has no other place, contains the
 * capacity. */
static bool interval_is(const json_t *knee, const struct planted *planted)
{
	const bool lines = strcmp(planted->axis, "lines") == 0;
	const char *unit = lines ? "touched" : unit_of(planted);
	char low[TRUTH_WORD], high[TRUTH_WORD];

	snprintf(low, sizeof(low), "%s_low%s", unit, lines ? "_bytes" : "");
	snprintf(high, sizeof(high), "%s_high%s", unit, lines ? "_bytes" : "");
	const double count = lines ? (double)planted->bytes : planted->count;

	return strcmp(planted->kind, "capacity") == 0 &&
	       json_is_true(json_object_get(knee, "gradual")) &&
	       truth_number(knee, low) <= count && count <= truth_number(knee, high);
}

/* Returns whether a knee is within one step of the sweep of a capacity, on the axis of the
 * knee. */
static bool knee_is(json_t *lines, const json_t *knee, const struct planted *planted)
{
	struct tally fits;
	size_t at;

	if (!truth_is(knee, "kind", "knee") || strcmp(planted->kind, "capacity") != 0)
		return false;
	count_fits(lines, truth_text(knee, "axis"), planted, truth_number(knee, "buffers"),
		   &fits, &at);
	return at + 1 >= fits.hits && at <= fits.hits + 1;
}

/* Returns whether the sweep has numbers of buffers on both sides of a capacity, on its own
 * axis. */
static bool is_reached(json_t *lines, const struct planted *planted)
{
	struct tally fits;
	size_t at;

	count_fits(lines, planted->axis, planted, 0, &fits, &at);
	return fits.hits < fits.of;
}

/* Returns whether two capacities of one unit are at most one step of the sweep apart. */
static bool is_one_knee(json_t *lines, const struct planted *one,
			const struct planted *other)
{
	struct tally fits, fits_other;
	size_t at;

	if (strcmp(one->axis, other->axis) != 0)
		return false;
	count_fits(lines, one->axis, one, 0, &fits, &at);
	count_fits(lines, other->axis, other, 0, &fits_other, &at);
	return fits.hits <= fits_other.hits + 1 && fits_other.hits <= fits.hits + 1;
}

static bool has_knee(json_t *lines, const struct planted *planted)
{
	json_t *line;
	size_t index;

	json_array_foreach (lines, index, line) {
		if (truth_is(line, "axis", planted->axis) && knee_is(lines, line, planted))
			return true;
	}
	return false;
}

static void judge_knees(const struct truth *truth, json_t *lines, double least_effect)
{
	struct tally found = { .hits = 0 }, right = found;
	json_t *line;
	size_t index;

	for (size_t i = 0; i < truth->count; i++) {
		const struct planted *planted = &truth->list[i];

		if (strcmp(planted->kind, "capacity") != 0 ||
		    share_of(truth, planted) < least_effect)
			continue;
		if (is_reached(lines, planted))
			count_in(&found, has_knee(lines, planted));
	}
	json_array_foreach (lines, index, line) {
		bool planted = false;

		if (!truth_is(line, "kind", "knee"))
			continue;
		for (size_t i = 0; i < truth->count; i++)
			planted |= knee_is(lines, line, &truth->list[i]) ||
				   interval_is(line, &truth->list[i]);
		count_in(&right, planted);
	}
	print_tally("knees_found", &found);
	print_tally("knees_right", &right);
}

/* ---- Labels ----------------------------------------------------------------------------
 */
/* Least ratio of the time with misses for which a label is required; one of smaller misses
 * may be right, too. */
static const double least_labelled = 1.02;

/* Cause of a planted capacity in a result file. */
static const char *cause_of(const struct planted *planted)
{
	if (strcmp(planted->axis, "registrations") == 0)
		return "registration";
	if (strcmp(planted->axis, "lines") == 0)
		return "cache";
	return strcmp(planted->cache, "tlb") == 0 ? "page_walk" : "translation";
}

static bool is_capacity(const struct truth *truth, const struct planted *planted)
{
	return strcmp(planted->kind, "capacity") == 0 && share_of(truth, planted) > 1;
}

/* Returns whether a line is a label.  "repeats": the knee is one of another axis. */
static bool is_label(const json_t *line)
{
	return truth_is(line, "kind", "knee") && !truth_is(line, "cause", "unknown") &&
	       !json_is_true(json_object_get(line, "repeats"));
}

static bool is_labelled(json_t *lines, const struct planted *planted)
{
	json_t *line;
	size_t index;

	json_array_foreach (lines, index, line) {
		if (is_label(line) && truth_is(line, "axis", planted->axis) &&
		    truth_is(line, "cause", cause_of(planted)) &&
		    knee_is(lines, line, planted))
			return true;
	}
	return false;
}

static bool is_planted_anywhere(const struct truth *truth, const json_t *label)
{
	for (size_t i = 0; i < truth->count; i++) {
		if (is_capacity(truth, &truth->list[i]) &&
		    truth_is(label, "cause", cause_of(&truth->list[i])))
			return true;
	}
	return false;
}

/* Returns the capacity that a label names; NULL: it is false. */
static const struct planted *planted_at(const struct truth *truth, json_t *lines,
					const json_t *label)
{
	for (size_t i = 0; i < truth->count; i++) {
		const struct planted *planted = &truth->list[i];

		if (is_capacity(truth, planted) && truth_is(label, "axis", planted->axis) &&
		    truth_is(label, "cause", cause_of(planted)) &&
		    knee_is(lines, label, planted))
			return planted;
	}
	return NULL;
}

/* Counts a label whose interval has the planted size. */
static void count_size(const struct planted *planted, const json_t *label,
		       struct tally *caches, struct tally *others)
{
	const bool bytes = strcmp(planted->axis, "lines") == 0;
	const double size = bytes ? (double)planted->bytes : planted->count;

	count_in(bytes ? caches : others,
		 truth_number(label, "count_low") <= size &&
			 size <= truth_number(label, "count_high"));
}

/* Counts labels that are false, by place and by kind. */
static void judge_false(const struct truth *truth, json_t *lines)
{
	struct tally right = { .hits = 0 }, false_label = right, false_kind = right;
	struct tally caches = right, others = right;
	bool swept = false, wrong = false, wrong_kind = false;
	json_t *line;
	size_t index;

	json_array_foreach (lines, index, line) {
		swept |= truth_is(line, "kind", "capacity");
		if (!is_label(line))
			continue;
		const struct planted *planted = planted_at(truth, lines, line);

		count_in(&right, planted != NULL);
		wrong |= planted == NULL;
		if (planted != NULL)
			count_size(planted, line, &caches, &others);
		wrong_kind |= !is_planted_anywhere(truth, line);
	}
	if (!swept)
		return;
	count_in(&false_label, wrong);
	count_in(&false_kind, wrong_kind);
	print_tally("labels_right", &right);
	print_tally("false_label", &false_label);
	print_tally("false_kind", &false_kind);
	print_tally("sizes_of_caches_held", &caches);
	print_tally("sizes_held", &others);
}

static bool needs_label(const struct truth *truth, json_t *lines,
			const struct planted *planted)
{
	return is_capacity(truth, planted) && share_of(truth, planted) >= least_labelled &&
	       is_reached(lines, planted);
}

/* Returns whether a capacity with another cause is the same knee. */
static bool is_undecidable(const struct truth *truth, json_t *lines,
			   const struct planted *planted)
{
	for (size_t i = 0; i < truth->count; i++) {
		const struct planted *other = &truth->list[i];

		if (needs_label(truth, lines, other) &&
		    strcmp(cause_of(other), cause_of(planted)) != 0 &&
		    is_one_knee(lines, planted, other))
			return true;
	}
	return false;
}

/* Counts planted capacities that have their name, and labels that are false. */
static void judge_labels(const struct truth *truth, json_t *lines)
{
	static const char *const causes[] = { "cache", "page_walk", "translation",
					      "registration" };
	struct tally all = { .hits = 0 }, undecidable = all, own;

	for (size_t cause = 0; cause < sizeof(causes) / sizeof(*causes); cause++) {
		char name[TRUTH_WORD];

		own = (struct tally){ .hits = 0 };
		for (size_t i = 0; i < truth->count; i++) {
			const struct planted *planted = &truth->list[i];

			if (!needs_label(truth, lines, planted) ||
			    strcmp(causes[cause], cause_of(planted)) != 0)
				continue;
			const bool unknown = is_undecidable(truth, lines, planted);

			count_in(&undecidable, unknown);
			if (!unknown)
				count_in(&own, is_labelled(lines, planted));
		}
		snprintf(name, sizeof(name), "labelled_%s", causes[cause]);
		print_tally(name, &own);
		all.hits += own.hits;
		all.of += own.of;
	}
	print_tally("labelled", &all);
	print_tally("labels_undecidable", &undecidable);
	judge_false(truth, lines);
}

void truth_judge_capacities(const struct truth *truth, json_t *lines, double least_effect)
{
	judge_knees(truth, lines, least_effect);
	judge_labels(truth, lines);
}
