/*
 * output_capacity.c - capacity sweep: knees, their evidence, and a table for each axis; as
 * text, and as result lines.
 */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "base/units.h"
#include "output/json_line.h"
#include "output/output.h"
#include "output/terminal.h"
#include "questions/capacity_model.h"
#include "questions/capacity_explain.h"
#include "questions/capacity.h"

static const char *axis_text(enum np_axis axis)
{
	static const char *const texts[NP_AXES] = {
		[NP_AXIS_NONE] = "",
		[NP_AXIS_LINES] = "cache lines, packed into few pages",
		[NP_AXIS_PAGES] = "pages, a buffer in each",
		[NP_AXIS_LARGE_PAGES] = "stretches of 2 MiB, a buffer in each",
		[NP_AXIS_REGISTRATIONS] = "registrations, a buffer in each",
		[NP_AXIS_QUEUE_PAIRS] = "queue pairs in turn, the same buffer by each",
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
	fprintf(file, "%9llu %10s %8llu %6llu %10.3f %7.3f",
		(unsigned long long)point->buffers, bytes,
		(unsigned long long)point->touched.pages,
		(unsigned long long)point->touched.registrations, point->seconds * 1e6,
		point->ratio);
	print_interval(file, point->ratio_low, point->ratio_high);
	if (point->fresh_verdict != NP_VERDICTS)
		fprintf(file, " %6.3f", point->fresh);
	fputc('\n', file);
}

/* Returns whether the sweep of this axis has the fresh mode (--buffers fresh). */
static bool has_fresh(const struct np_capacity *capacity, enum np_axis axis)
{
	for (size_t i = 0; i < capacity->point_count; i++) {
		if (capacity->points[i].axis == axis &&
		    capacity->points[i].fresh_verdict != NP_VERDICTS)
			return true;
	}
	return false;
}

/* Returns whether the curve of an axis is printed: one with a knee, or of fresh buffers.
 * A flat axis has one line of text. */
static bool has_table(const struct np_capacity *capacity, enum np_axis axis, bool all_rows)
{
	for (size_t i = 0; i < capacity->knee_count; i++)
		all_rows |= capacity->knees[i].axis == axis;
	return capacity->axes[axis].counts != 0 && (all_rows || has_fresh(capacity, axis));
}

/* Returns whether a point is printed: powers of 16, the last, and the two that enclose a
 * knee, so that a screen of 24 lines has the finding, too. */
static bool is_shown(const struct np_capacity *capacity,
		     const struct np_capacity_point *point, bool all_rows)
{
	const uint64_t buffers = point->buffers;

	if (!has_table(capacity, point->axis, all_rows))
		return false;
	if (all_rows || buffers == capacity->axes[point->axis].most)
		return true;
	if ((buffers & (buffers - 1)) == 0 && (buffers & 0x1111111111111111) != 0)
		return true;
	for (size_t i = 0; i < capacity->knee_count; i++) {
		const struct np_knee *knee = &capacity->knees[i];

		if (knee->axis == point->axis &&
		    (buffers == knee->buffers || buffers == knee->next))
			return true;
	}
	return false;
}

static void print_axis(FILE *file, const struct np_capacity *capacity, enum np_axis axis,
		       bool all_rows)
{
	const bool fresh = has_fresh(capacity, axis);
	const bool pairs = axis == NP_AXIS_QUEUE_PAIRS;

	fprintf(file, "\n  %s\n%9s %10s %8s %6s %10s %7s  %-15s%s\n", axis_text(axis),
		pairs ? "queue" : "", "bytes per", "", "regis-", "rotate", "rotate/",
		"interval", fresh ? " fresh/" : "");
	fprintf(file, "%9s %10s %8s %6s %10s %7s  %-15s%s\n", pairs ? "pairs" : "buffers",
		"process", "pages", "tered", "us", "reuse", "95 %", fresh ? " rotate" : "");
	for (size_t i = 0; i < capacity->point_count; i++) {
		if (capacity->points[i].axis == axis &&
		    is_shown(capacity, &capacity->points[i], all_rows))
			print_point(file, &capacity->points[i]);
	}
}

static void print_tables(FILE *file, const struct np_capacity *capacity, bool all_rows)
{
	size_t shown = 0;

	for (enum np_axis axis = NP_AXIS_LINES; axis < NP_AXES; axis++) {
		if (has_table(capacity, axis, all_rows))
			print_axis(file, capacity, axis, all_rows);
	}
	for (size_t i = 0; i < capacity->point_count; i++)
		shown += is_shown(capacity, &capacity->points[i], all_rows);
	if (shown < capacity->point_count)
		np_say_plain(file, 2,
			     "  %zu of %zu points shown; --all-rows shows all, --json FILE "
			     "keeps all",
			     shown, capacity->point_count);
}

/* Formats "1 MiB", "72 pages". */
static void expected_text(const struct np_expected *expected, char *text, size_t size)
{
	if (expected->is_translation)
		snprintf(text, size, "%zu pages", expected->size);
	else
		np_text_about((double)expected->size, text, size);
}

/* Lists the reported cache and TLB sizes that a knee agrees with; without any, copies its
 * label. */
static void label_text(const struct np_capacity *capacity, const struct np_knee *knee,
		       char *text, size_t room)
{
	size_t used = 0;
	char size[32];

	for (size_t i = 0; i < capacity->expected_count && used < room; i++) {
		if ((knee->agrees & 1u << i) == 0)
			continue;
		expected_text(&capacity->expected[i], size, sizeof(size));
		used += (size_t)snprintf(text + used, room - used, "%s%s (%s)",
					 used != 0 ? " or " : "",
					 capacity->expected[i].name, size);
	}
	if (used == 0)
		snprintf(text, room, "%s", knee->label);
	else if (used < room && np_knee_is_ambiguous(capacity, knee))
		snprintf(text + used, room - used, ", or library or device");
}

/* Formats the capacity of a knee in its unit (bytes, pages, registrations, queue pairs),
 * with its interval if `interval`. */
static void count_text(const struct np_knee *knee, bool interval, char *text, size_t size)
{
	const char *unit = knee->unit == NP_HOLDS_QUEUE_PAIRS ?
				   np_axis_noun(NP_AXIS_QUEUE_PAIRS, 2) :
				   np_capacity_unit_name(knee->unit);
	const bool bytes = knee->unit == NP_HOLDS_NONE || strcmp(unit, "bytes") == 0;
	const double counts[3] = { knee->unit == NP_HOLDS_NONE ?
					   (double)knee->touched.bytes :
					   knee->count,
				   knee->count_low, knee->count_high };
	char texts[3][32];

	for (size_t i = 0; i < 3; i++) {
		if (bytes)
			np_text_about(counts[i], texts[i], sizeof(texts[i]));
		else
			snprintf(texts[i], sizeof(texts[i]), "%.0f", counts[i]);
	}
	if (interval)
		snprintf(text, size, "%s%s%s [%s, %s]", texts[0], bytes ? "" : " ",
			 bytes ? "" : unit, texts[1], texts[2]);
	else
		snprintf(text, size, "%s%s%s", texts[0], bytes ? "" : " ",
			 bytes ? "" : unit);
}

static void say_knee(FILE *file, const struct np_capacity *capacity,
		     const struct np_knee *knee)
{
	char label[320], count[160] = "", brackets[170] = "";

	if (knee->repeats) {
		np_say(file, np_axis_name(knee->axis), "from %llu %s on, %s",
		       (unsigned long long)knee->buffers,
		       np_axis_noun(knee->axis, knee->buffers), knee->verdict);
		return;
	}
	label_text(capacity, knee, label, sizeof(label));
	/* On the axis of queue pairs the number of buffers already is the capacity. */
	if (knee->axis != NP_AXIS_QUEUE_PAIRS) {
		count_text(knee, false, count, sizeof(count));
		snprintf(brackets, sizeof(brackets), " (%s)", count);
	}
	np_say(file, np_axis_name(knee->axis), "fast up to %llu %s%s, %.3fx beyond: %s",
	       (unsigned long long)knee->buffers, np_axis_noun(knee->axis, knee->buffers),
	       brackets, knee->effect, label);
}

/* Formats the memory touched at both ends of the interval of a knee: "per process 1 KiB to
 * 2 KiB of lines, 4 to 8 pages; ". */
static void footprint_text(const struct np_knee *knee, char *text, size_t size)
{
	const struct np_footprint *from = &knee->touched_low, *to = &knee->touched_high;
	char low[32], high[32], registrations[96] = "";

	*text = '\0';
	if (knee->axis == NP_AXIS_QUEUE_PAIRS)
		return;
	np_text_about((double)from->bytes, low, sizeof(low));
	np_text_about((double)to->bytes, high, sizeof(high));
	if (knee->axis == NP_AXIS_REGISTRATIONS)
		snprintf(registrations, sizeof(registrations),
			 ", %llu to %llu registrations",
			 (unsigned long long)from->registrations,
			 (unsigned long long)to->registrations);
	snprintf(text, size, "per process %s to %s of lines, %llu to %llu pages%s; ", low,
		 high, (unsigned long long)from->pages, (unsigned long long)to->pages,
		 registrations);
}

/* Prints the evidence of a knee: the number of buffers before and after it, its interval,
 * and the memory touched. */
static void say_evidence(FILE *file, const char *title, const struct np_knee *knee)
{
	char count[160] = "", footprint[240];

	if (knee->unit != NP_HOLDS_NONE)
		count_text(knee, true, count, sizeof(count));
	footprint_text(knee, footprint, sizeof(footprint));
	np_say(file, title, "%s: %s%llu %s fit, %llu do not [%llu, %llu]; %s%s%s%s%s",
	       np_axis_name(knee->axis), knee->gradual ? "gradual: " : "",
	       (unsigned long long)knee->buffers, np_axis_noun(knee->axis, knee->buffers),
	       (unsigned long long)knee->next, (unsigned long long)knee->low,
	       (unsigned long long)knee->high, count, *count != '\0' ? "; " : "", footprint,
	       knee->verdict, knee->open ? "; it still grows where the sweep ends" : "");
}

/* Prints the detection limit of axes without a knee. */
static void say_flat_axes(FILE *file, const struct np_capacity *capacity)
{
	for (enum np_axis axis = NP_AXIS_LINES; axis < NP_AXES; axis++) {
		const struct np_capacity_axis *swept = &capacity->axes[axis];
		bool any = swept->counts == 0;
		char step[32], limit[64] = "";

		for (size_t i = 0; i < capacity->knee_count; i++)
			any |= capacity->knees[i].axis == axis;
		if (any)
			continue;
		if (!isnan(swept->resolution)) {
			np_text_detection(swept->resolution - 1, step, sizeof(step));
			snprintf(limit, sizeof(limit), "; detection limit %s", step);
		}
		np_say(file, np_axis_name(axis), "no knee up to %llu %s%s",
		       (unsigned long long)swept->most, np_axis_noun(axis, swept->most),
		       limit);
	}
}

static void say_expected(FILE *file, const char *title, const struct np_capacity *capacity,
			 const struct np_expected *expected)
{
	const struct np_capacity_axis *axis = &capacity->axes[expected->axis];
	char size[32], cost[32], limit[96] = "";

	expected_text(expected, size, sizeof(size));
	if (expected->state == NP_EXPECTED_NOT_REACHED) {
		np_say(file, title,
		       "%s (%s): the sweep of %s ends at %llu buffers, expected from %llu "
		       "on: use a larger --pool",
		       expected->name, size, np_axis_name(expected->axis),
		       (unsigned long long)axis->most, (unsigned long long)expected->from);
		return;
	}
	if (!isnan(axis->resolution)) {
		np_text_percent(axis->resolution - 1, cost, sizeof(cost));
		snprintf(limit, sizeof(limit),
			 ": effect below %s, or merged with a neighbouring knee", cost);
	}
	np_say(file, title, "%s (%s): no knee of %s at %llu to %llu buffers%s",
	       expected->name, size, np_axis_name(expected->axis),
	       (unsigned long long)expected->from, (unsigned long long)expected->to, limit);
}

/* Prints the cost of buffers never used before, over buffers in rotation, on an axis. */
static void say_fresh(FILE *file, const struct np_capacity *capacity, enum np_axis axis)
{
	size_t sizes[NP_VERDICTS + 1] = { 0 };
	const struct np_capacity_point *most = NULL, *last = NULL;
	char slower[160] = "";

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
	if (most != NULL)
		snprintf(slower, sizeof(slower),
			 "slower up to %llu buffers, most at %llu: %.3fx [%.3f, %.3f]; ",
			 (unsigned long long)last->buffers,
			 (unsigned long long)most->buffers, most->fresh, most->fresh_low,
			 most->fresh_high);
	np_say(file, "fresh",
	       "%s: buffers never used before: %sslower at %zu of %zu "
	       "points, "
	       "faster at %zu, same at %zu, unclear at %zu",
	       np_axis_name(axis), slower, sizes[NP_SLOWER],
	       capacity->axes[axis].counts - sizes[NP_VERDICTS], sizes[NP_FASTER],
	       sizes[NP_SAME], sizes[NP_UNCLEAR]);
}

void np_text_capacity(FILE *file, const struct np_capacity *capacity, bool all_rows)
{
	const char *title = "not resolved";
	char bytes[32];

	np_text_bytes(capacity->host.length, bytes, sizeof(bytes));
	fputc('\n', file);
	np_say(file, "capacity", "how many buffers stay fast, with messages of %s", bytes);
	for (size_t i = 0; i < capacity->knee_count; i++)
		say_knee(file, capacity, &capacity->knees[i]);
	say_flat_axes(file, capacity);
	for (enum np_axis axis = NP_AXIS_LINES; axis < NP_AXES; axis++) {
		if (has_fresh(capacity, axis))
			say_fresh(file, capacity, axis);
	}
	for (size_t i = 0; i < capacity->expected_count; i++) {
		if (capacity->expected[i].state == NP_EXPECTED_FOUND)
			continue;
		say_expected(file, title, capacity, &capacity->expected[i]);
		title = "";
	}
	title = "evidence";
	for (size_t i = 0; i < capacity->knee_count && all_rows; i++) {
		if (capacity->knees[i].repeats)
			continue;
		say_evidence(file, title, &capacity->knees[i]);
		title = "";
	}
	print_tables(file, capacity, all_rows);
}

static json_t *point_object(const struct np_results *results,
			    const struct np_capacity *capacity,
			    const struct np_capacity_point *point)
{
	json_t *object = np_json_record(np_capacity_fields, point, results);

	json_object_set_new(object, "bytes",
			    json_integer((json_int_t)capacity->host.length));
	return object;
}

static json_t *knee_object(const struct np_results *results,
			   const struct np_capacity *capacity, const struct np_knee *knee)
{
	static const char *const counts[] = { "count", "count_low", "count_high" };
	json_t *object = np_json_record(np_knee_fields, knee, results);

	json_object_set_new(object, "bytes",
			    json_integer((json_int_t)capacity->host.length));
	if (knee->unit != NP_HOLDS_NONE)
		json_object_set_new(object, "unit",
				    json_string(np_capacity_unit_name(knee->unit)));
	/* No count, if no capacity explains the knee. */
	for (size_t i = 0; i < 3 && knee->unit == NP_HOLDS_NONE; i++)
		json_object_set_new(object, counts[i], json_null());
	return object;
}

int np_json_capacity(FILE *file, const struct np_results *results,
		     const struct np_capacity *capacity, struct np_error *error)
{
	int rc = 0;

	for (size_t i = 0; i < capacity->point_count && rc == 0; i++)
		rc = np_json_write_line(
			file, point_object(results, capacity, &capacity->points[i]), error);
	for (size_t i = 0; i < capacity->knee_count && rc == 0; i++)
		rc = np_json_write_line(
			file, knee_object(results, capacity, &capacity->knees[i]), error);
	return rc;
}
