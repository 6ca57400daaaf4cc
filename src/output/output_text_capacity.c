/*
 * output_text_capacity.c - capacity sweep on the terminal: a table for each axis,
 * knees, and the reported sizes that were not found.
 */
#include <math.h>
#include <string.h>

#include "output/output.h"
#include "questions/capacity_name.h"

static const char *axis_text(enum np_axis axis)
{
	static const char *const texts[NP_AXES] = {
		[NP_AXIS_NONE] = "",
		[NP_AXIS_LINES] = "cache lines, packed into few pages",
		[NP_AXIS_PAGES] = "pages, a buffer in each",
		[NP_AXIS_LARGE_PAGES] = "stretches of 2 MiB, a buffer in each",
		[NP_AXIS_REGISTRATIONS] = "registrations, a buffer in each",
	};

	return texts[axis];
}

static void print_interval(FILE *file, double low, double high)
{
	char text[40];

	if (isnan(low))
		snprintf(text, sizeof(text), "-");
	else
		snprintf(text, sizeof(text), "%.3f - %.3f", low, high);
	fprintf(file, "  %-15s", text);
}

static void print_point(FILE *file, const struct np_capacity_point *point)
{
	char bytes[32];

	np_text_about((double)point->touched.bytes, bytes, sizeof(bytes));
	fprintf(file, "%9llu %10s %9llu %7llu %10.3f %7.3f",
		(unsigned long long)point->buffers, bytes,
		(unsigned long long)point->touched.pages,
		(unsigned long long)point->touched.registrations, point->seconds * 1e6,
		point->ratio);
	print_interval(file, point->ratio_low, point->ratio_high);
	if (point->fresh_verdict != NP_VERDICTS)
		fprintf(file, " %6.3f", point->fresh);
	fputc('\n', file);
}

/* Whether the sweep of this axis has the fresh mode (--fresh). */
static bool has_fresh(const struct np_capacity *capacity, enum np_axis axis)
{
	for (size_t i = 0; i < capacity->point_count; i++) {
		if (capacity->points[i].axis == axis &&
		    capacity->points[i].fresh_verdict != NP_VERDICTS)
			return true;
	}
	return false;
}

static void print_axis(FILE *file, const struct np_capacity *capacity, enum np_axis axis)
{
	const bool fresh = has_fresh(capacity, axis);

	fprintf(file, "\n# %s\n%9s %10s %9s %7s %10s %7s  %-15s%s\n", axis_text(axis), "",
		"bytes per", "", "regis-", "rotate", "rotate/", "interval",
		fresh ? " fresh/" : "");
	fprintf(file, "%9s %10s %9s %7s %10s %7s  %-15s%s\n", "buffers", "process", "pages",
		"tered", "us", "reuse", "95 %", fresh ? " rotate" : "");
	for (size_t i = 0; i < capacity->point_count; i++) {
		if (capacity->points[i].axis == axis)
			print_point(file, &capacity->points[i]);
	}
}

/* "1 MiB", "72 pages". */
static void expected_text(const struct np_expected *expected, char *text, size_t size)
{
	if (expected->is_translation)
		snprintf(text, size, "%zu pages", expected->size);
	else
		np_text_about((double)expected->size, text, size);
}

/* Names the expected sizes that a knee agrees with. */
static void print_label(FILE *file, const struct np_capacity *capacity,
			const struct np_knee *knee)
{
	bool any = false;
	char size[32];

	for (size_t i = 0; i < capacity->expected_count; i++) {
		if ((knee->agrees & 1u << i) == 0)
			continue;
		expected_text(&capacity->expected[i], size, sizeof(size));
		fprintf(file, "%s%s (%s)", any ? " or " : "", capacity->expected[i].name,
			size);
		any = true;
	}
	if (!any)
		fputs(knee->label, file);
	else if (np_knee_is_ambiguous(capacity, knee))
		fputs(", or library or device", file);
}

/* The capacity in its own unit, with its interval. */
static void print_count(FILE *file, const struct np_knee *knee)
{
	const bool bytes = strcmp(np_capacity_unit_name(knee->unit), "bytes") == 0;
	const double counts[3] = { knee->count, knee->count_low, knee->count_high };
	char texts[3][32];

	for (size_t i = 0; i < 3; i++) {
		if (bytes)
			np_text_about(counts[i], texts[i], sizeof(texts[i]));
		else
			snprintf(texts[i], sizeof(texts[i]), "%.0f", counts[i]);
	}
	fprintf(file, "       capacity: %s%s%s [%s, %s]\n", texts[0], bytes ? "" : " ",
		bytes ? "" : np_capacity_unit_name(knee->unit), texts[1], texts[2]);
}

static void print_footprint(FILE *file, const struct np_knee *knee)
{
	char low[32], high[32];

	np_text_about((double)knee->touched_low.bytes, low, sizeof(low));
	np_text_about((double)knee->touched_high.bytes, high, sizeof(high));
	fprintf(file, "       per process: %s to %s of lines, %llu to %llu pages", low,
		high, (unsigned long long)knee->touched_low.pages,
		(unsigned long long)knee->touched_high.pages);
	if (knee->axis == NP_AXIS_REGISTRATIONS)
		fprintf(file, ", %llu to %llu registrations",
			(unsigned long long)knee->touched_low.registrations,
			(unsigned long long)knee->touched_high.registrations);
	fputc('\n', file);
}

static void print_knee(FILE *file, const struct np_capacity *capacity,
		       const struct np_knee *knee)
{
	if (knee->repeats) {
		fprintf(file, "knee:  %s: from %llu buffers on, %s\n",
			np_axis_name(knee->axis), (unsigned long long)knee->buffers,
			knee->verdict);
		return;
	}
	fprintf(file, "knee:  %s: ", np_axis_name(knee->axis));
	print_label(file, capacity, knee);
	fprintf(file,
		"\n       %s%llu buffers fit, %llu do not [%llu, %llu]; "
		"%.3fx beyond\n",
		knee->gradual ? "gradual: " : "", (unsigned long long)knee->buffers,
		(unsigned long long)knee->next, (unsigned long long)knee->low,
		(unsigned long long)knee->high, knee->effect);
	if (knee->unit != NP_HOLDS_NONE)
		print_count(file, knee);
	print_footprint(file, knee);
	fprintf(file, "       %s\n", knee->verdict);
	if (knee->open)
		fputs("       it still grows where the sweep ends\n", file);
}

/* For an axis without a knee: the detection limit. */
static void print_flat_axes(FILE *file, const struct np_capacity *capacity)
{
	for (enum np_axis axis = NP_AXIS_LINES; axis < NP_AXES; axis++) {
		const struct np_capacity_axis *swept = &capacity->axes[axis];
		bool any = swept->counts == 0;
		char step[32];

		for (size_t i = 0; i < capacity->knee_count; i++)
			any |= capacity->knees[i].axis == axis;
		if (any)
			continue;
		fprintf(file, "knee:  %s: none, up to %llu buffers", np_axis_name(axis),
			(unsigned long long)swept->most);
		if (!isnan(swept->resolution)) {
			np_text_percent(swept->resolution - 1, step, sizeof(step));
			fprintf(file, "; detection limit %s", step);
		}
		fputc('\n', file);
	}
}

static void print_expected(FILE *file, const struct np_capacity *capacity,
			   const struct np_expected *expected)
{
	const struct np_capacity_axis *axis = &capacity->axes[expected->axis];
	char size[32], cost[32];

	if (expected->state == NP_EXPECTED_FOUND)
		return;
	expected_text(expected, size, sizeof(size));
	fprintf(file, "not resolved: %s (%s): ", expected->name, size);
	if (expected->state == NP_EXPECTED_NOT_REACHED) {
		fprintf(file,
			"the sweep of %s ends at %llu buffers, expected from %llu "
			"on: use a larger --pool\n",
			np_axis_name(expected->axis), (unsigned long long)axis->most,
			(unsigned long long)expected->from);
		return;
	}
	fprintf(file, "no knee of %s at %llu to %llu buffers", np_axis_name(expected->axis),
		(unsigned long long)expected->from, (unsigned long long)expected->to);
	if (!isnan(axis->resolution)) {
		np_text_percent(axis->resolution - 1, cost, sizeof(cost));
		fprintf(file, ": effect below %s, or merged with a neighbouring knee",
			cost);
	}
	fputc('\n', file);
}

/* The cost of buffers never used before. */
static void print_fresh(FILE *file, const struct np_capacity *capacity, enum np_axis axis)
{
	size_t sizes[NP_VERDICTS + 1] = { 0 };
	const struct np_capacity_point *most = NULL, *last = NULL;

	for (size_t i = 0; i < capacity->point_count; i++) {
		const struct np_capacity_point *point = &capacity->points[i];

		if (point->axis != axis)
			continue;
		sizes[point->fresh_verdict]++;
		if (point->fresh_verdict != NP_SLOWER)
			continue;
		last = point;
		if (most == NULL || point->fresh > most->fresh)
			most = point;
	}
	fprintf(file,
		"fresh: %s: buffers never used before are slower than rotated ones at %zu "
		"of %zu counts, faster at %zu, same at %zu, unclear at %zu\n",
		np_axis_name(axis), sizes[NP_SLOWER],
		capacity->axes[axis].counts - sizes[NP_VERDICTS], sizes[NP_FASTER],
		sizes[NP_SAME], sizes[NP_UNCLEAR]);
	if (most != NULL)
		fprintf(file,
			"       slower up to %llu buffers, most at %llu: %.3fx "
			"[%.3f, %.3f]\n",
			(unsigned long long)last->buffers,
			(unsigned long long)most->buffers, most->fresh, most->fresh_low,
			most->fresh_high);
}

void np_text_capacity(FILE *file, const struct np_capacity *capacity)
{
	char bytes[32];

	np_text_bytes(capacity->host.length, bytes, sizeof(bytes));
	fprintf(file, "capacity: buffers that stay fast, messages of %s\n", bytes);
	for (size_t i = 0; i < capacity->knee_count; i++)
		print_knee(file, capacity, &capacity->knees[i]);
	print_flat_axes(file, capacity);
	for (size_t i = 0; i < capacity->expected_count; i++)
		print_expected(file, capacity, &capacity->expected[i]);
	for (enum np_axis axis = NP_AXIS_LINES; axis < NP_AXES; axis++) {
		if (has_fresh(capacity, axis))
			print_fresh(file, capacity, axis);
	}
	for (enum np_axis axis = NP_AXIS_LINES; axis < NP_AXES; axis++) {
		if (capacity->axes[axis].counts != 0)
			print_axis(file, capacity, axis);
	}
}
