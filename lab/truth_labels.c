/*
 * truth_labels.c - whether each planted capacity has its name, and nothing else has one.
 *
 * A label is a knee with a cause that is none of another axis.  It is right if a
 * capacity of its kind is planted within one step of the sweep, on the axis of that
 * capacity.  Two capacities of one unit within a step of the sweep are one knee, for which
 * nothing tells two names: they are undecidable.
 */
#include "truth_labels.h"

#include <string.h>

#include "truth_knees.h"
#include "truth_tally.h"

/* Smaller misses need no label.  A label of one is right all the same. */
static const double least_labelled = 1.02;

/* A planted capacity's kind is the cause that a result file has for it. */
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
	return strcmp(planted->kind, "capacity") == 0 && truth_share_of(truth, planted) > 1;
}

/* A knee that is a capacity of another axis is no label of its own. */
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
		    truth_knee_is(lines, line, planted))
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
		    truth_knee_is(lines, label, planted))
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

/* Labels of what is not there, and labels of what is there at another place. */
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
	return is_capacity(truth, planted) &&
	       truth_share_of(truth, planted) >= least_labelled &&
	       truth_is_reached(lines, planted);
}

/* Returns whether a capacity of another name is the same knee. */
static bool is_undecidable(const struct truth *truth, json_t *lines,
			   const struct planted *planted)
{
	for (size_t i = 0; i < truth->count; i++) {
		const struct planted *other = &truth->list[i];

		if (needs_label(truth, lines, other) &&
		    strcmp(cause_of(other), cause_of(planted)) != 0 &&
		    truth_is_one_knee(lines, planted, other))
			return true;
	}
	return false;
}

void truth_judge_labels(const struct truth *truth, json_t *lines)
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
