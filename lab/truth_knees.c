/*
 * truth_knees.c - which knees of a capacity sweep stand where a capacity is planted.
 */
#include "truth_knees.h"

#include <stdio.h>
#include <string.h>

#include "truth_tally.h"

/* Returns the quantity of a point of the sweep that fills this capacity. */
static const char *unit_of(const struct planted *planted)
{
	if (strcmp(planted->axis, "lines") == 0)
		return "lines";
	return strcmp(planted->axis, "registrations") == 0 ? "registrations" : "pages";
}

/* Messages miss once for the send and once for the receive buffer, but both lie in one
 * registration. */
double truth_share_of(const struct truth *truth, const struct planted *planted)
{
	const double misses = strcmp(planted->axis, "registrations") == 0 ? 1 : 2;

	for (size_t i = 0; i < truth->count; i++) {
		if (strcmp(truth->list[i].kind, "latency") == 0)
			return 1 + misses * planted->miss_ns / truth->list[i].ns;
	}
	return 1;
}

/* How many points of an axis fit the capacity; of all, and with that many buffers at
 * most. */
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

/* A gradual knee has no place but its interval. */
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

/* Within one step of the sweep. */
bool truth_knee_is(json_t *lines, const json_t *knee, const struct planted *planted)
{
	struct tally fits;
	size_t at;

	if (!truth_is(knee, "kind", "knee") || strcmp(planted->kind, "capacity") != 0)
		return false;
	count_fits(lines, truth_text(knee, "axis"), planted, truth_number(knee, "buffers"),
		   &fits, &at);
	return at + 1 >= fits.hits && at <= fits.hits + 1;
}

bool truth_is_reached(json_t *lines, const struct planted *planted)
{
	struct tally fits;
	size_t at;

	count_fits(lines, planted->axis, planted, 0, &fits, &at);
	return fits.hits < fits.of;
}

bool truth_is_one_knee(json_t *lines, const struct planted *one,
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
		if (truth_is(line, "axis", planted->axis) &&
		    truth_knee_is(lines, line, planted))
			return true;
	}
	return false;
}

void truth_judge_knees(const struct truth *truth, json_t *lines, double least_effect)
{
	struct tally found = { .hits = 0 }, right = found;
	json_t *line;
	size_t index;

	for (size_t i = 0; i < truth->count; i++) {
		const struct planted *planted = &truth->list[i];

		if (strcmp(planted->kind, "capacity") != 0 ||
		    truth_share_of(truth, planted) < least_effect)
			continue;
		if (truth_is_reached(lines, planted))
			count_in(&found, has_knee(lines, planted));
	}
	json_array_foreach (lines, index, line) {
		bool planted = false;

		if (!truth_is(line, "kind", "knee"))
			continue;
		for (size_t i = 0; i < truth->count; i++)
			planted |= truth_knee_is(lines, line, &truth->list[i]) ||
				   interval_is(line, &truth->list[i]);
		count_in(&right, planted);
	}
	print_tally("knees_found", &found);
	print_tally("knees_right", &right);
}
