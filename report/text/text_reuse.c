/*
 * text_reuse.c - prints cost and remedy of the buffers of a recorded program: one screen.
 */
#include <math.h>
#include <string.h>

#include "base/units.h"
#include "output/output.h"
#include "output/terminal.h"
#include "report/text/text.h"

const struct np_run *np_reuse_record(const struct np_run *runs, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (runs[i].uses != NULL)
			return &runs[i];
	}
	return NULL;
}

static const struct np_run *find_replay(const struct np_run *runs, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (runs[i].replay.count != 0)
			return &runs[i];
	}
	return NULL;
}

/* Returns the knee of the smallest number of bytes, of a run with --capacity; NULL: none.
 */
static const struct np_knee *first_knee(const struct np_run *runs, size_t count)
{
	const struct np_knee *first = NULL;

	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < runs[i].capacity.knee_count; k++) {
			const struct np_knee *knee = &runs[i].capacity.knees[k];

			if (!knee->repeats && knee->axis != NP_AXIS_QUEUE_PAIRS &&
			    (first == NULL || knee->touched.bytes < first->touched.bytes))
				first = knee;
		}
	}
	return first;
}

double np_reuse_capacity(const struct np_run *runs, size_t count)
{
	const struct np_knee *knee = first_knee(runs, count);

	return knee != NULL ? (double)knee->touched.bytes : 0;
}

static void say_record(FILE *file, const struct np_uses *uses)
{
	char bytes[32];

	np_text_about(uses->bytes, bytes, sizeof(bytes));
	np_say(file, "record", "%s (%.0f process%s, %s)", uses->command, uses->processes,
	       uses->processes == 1 ? "" : "es", uses->library);
	np_say(file, "messages", "%.0f uses of a buffer, %s, %.4g s in communication calls",
	       uses->calls, bytes, uses->ns * 1e-9);
	if (uses->sampled < 1)
		np_say(file, "sampled",
		       "distances are of %.2g %% of the buffers: each counts for others",
		       100 * uses->sampled);
	if (uses->lost > 0)
		np_say(file, "not counted", "%.0f uses: the tables of a process were full",
		       uses->lost);
}

static void say_cold(FILE *file, const struct np_reuse_cost *cost, double capacity)
{
	char share[32], calls[32], bytes[32];

	np_text_percent(cost->cold_bytes / cost->bytes, share, sizeof(share));
	np_text_percent(cost->cold_calls / cost->calls, calls, sizeof(calls));
	np_text_about(capacity, bytes, sizeof(bytes));
	np_say(file, "not warm",
	       "%s of the uses, %s of the bytes; %.0f uses of buffers never "
	       "used before (warm: %s%s)",
	       calls, share, cost->never_calls,
	       capacity > 0 ? "used again within " :
			      "the ratio's interval does not exclude 1",
	       capacity > 0 ? bytes : "");
}

static void say_cost(FILE *file, const struct np_uses *uses,
		     const struct np_reuse_cost *cost)
{
	const double all = uses->ns * 1e-9;
	char share[32], covered[32];

	np_text_percent(cost->covered_ns / uses->ns, covered, sizeof(covered));
	if (isnan(cost->seconds)) {
		np_say(file, "cost", "not measured");
	} else if (isnan(cost->low)) {
		np_say(file, "cost",
		       "%.3g s, without an interval: %zu complete pass%s or runs, of 6",
		       cost->seconds, cost->units, cost->units == 1 ? "" : "es");
	} else {
		np_text_percent(cost->seconds / all, share, sizeof(share));
		np_say(file, "cost",
		       "predicted: %.3g s [%.3g, %.3g], %s [%.3g, %.3g] of the "
		       "communication time",
		       cost->seconds, cost->low, cost->high, share, 100 * cost->low / all,
		       100 * cost->high / all);
		np_say(file, "",
		       "counted once, where the buffer is: twice if the peer waits for "
		       "each "
		       "message");
	}
	np_say(file, "covered",
	       "%s of the communication time is of warm or replayed buffers%s", covered,
	       cost->covered_ns < 0.995 * uses->ns ? "; the rest is not in the cost" : "");
}

/* Prints the sizes and call sites with the largest cost. */
static void say_parts(FILE *file, const struct np_uses *uses,
		      const struct np_reuse_cost *cost)
{
	char size[32], share[32];

	for (size_t i = 0; i < cost->size_count; i++) {
		np_text_about((double)cost->sizes[i].at, size, sizeof(size));
		np_text_percent(cost->sizes[i].share, share, sizeof(share));
		np_say(file, i == 0 ? "sizes" : "", "%s: %.3g s, %s", size,
		       cost->sizes[i].seconds, share);
	}
	for (size_t i = 0; i < cost->site_count; i++) {
		const struct np_reuse_site *site = &uses->sites[cost->sites[i].at];

		np_text_percent(cost->sites[i].share, share, sizeof(share));
		np_say(file, i == 0 ? "sites" : "", "%s, %s: %.3g s, %s", site->name,
		       site->operation, cost->sites[i].seconds, share);
	}
}

/* Prints the remedy for the size with the largest cost. */
static void advise(FILE *file, const struct np_run *runs, size_t count,
		   const struct np_reuse_cost *cost)
{
	const struct np_knee *knee = first_knee(runs, count);
	const size_t length = cost->size_count != 0 ? cost->sizes[0].at : 1;
	uint64_t buffers = knee != NULL ? knee->touched.bytes / (length != 0 ? length : 1) :
					  cost->warm_buffers;
	char size[32], never[32];

	np_text_about((double)length, size, sizeof(size));
	np_text_percent(cost->never_s / cost->seconds, never, sizeof(never));
	buffers = buffers != 0 ? buffers : 1;
	np_say(file, "to do",
	       "reuse a pool of at most %llu buffer%s of %s, the last used first",
	       (unsigned long long)buffers, np_plural(buffers), size);
	if (cost->never_s > cost->seconds / 2)
		np_say(file, "",
		       "%s of the cost is of new memory: keep buffers, or malloc's "
		       "memory (mallopt M_MMAP_THRESHOLD, M_TRIM_THRESHOLD)",
		       never);
	if (knee != NULL && knee->cause == NP_KNEE_PAGE_WALK)
		np_say(file, "", "or huge pages: the first limit found is one of pages");
	if (knee != NULL &&
	    (knee->cause == NP_KNEE_REGISTRATION || knee->cause == NP_KNEE_TRANSLATION))
		np_say(file, "",
		       "or raise the limit of the registration cache: --why and "
		       "--tune show which");
}

static void say_verdict(FILE *file, const struct np_run *runs, size_t count,
			const struct np_uses *uses, const struct np_reuse_cost *cost)
{
	const double least = NP_REUSE_ADVISED * uses->ns * 1e-9;
	char share[32], warm[32];

	np_text_percent(NP_REUSE_ADVISED, share, sizeof(share));
	np_text_percent(1 - cost->cold_bytes / cost->bytes, warm, sizeof(warm));
	if (cost->low > least)
		advise(file, runs, count, cost);
	else if (cost->high <= least)
		np_say(file, "to do",
		       "nothing to gain: the cost is below %s of the communication time, "
		       "%s of the bytes are from warm buffers",
		       share, warm);
	else
		np_say(file, "to do",
		       "unclear: the interval of the cost does not exclude %s of the "
		       "communication time; a longer --time-budget of --replay",
		       share);
}

int np_text_reuse(FILE *file, const struct np_run *runs, size_t count)
{
	const struct np_run *record = np_reuse_record(runs, count);
	const struct np_run *replay = find_replay(runs, count);
	const struct np_replay none = { .points = NULL };
	const double capacity = np_reuse_capacity(runs, count);
	char quality[NP_QUALITY_TEXT];
	struct np_reuse_cost cost;

	if (record == NULL)
		return 0;
	const int rc = np_reuse_predict(
		record->uses, replay != NULL ? &replay->replay : &none, capacity, &cost);

	if (rc != 0)
		return rc;
	say_record(file, record->uses);
	if (replay == NULL) {
		const bool sockets = strcmp(record->uses->library, "sockets") == 0;

		np_say(file, "next",
		       "%s%s with --replay %s --json FILE on the path of the program, then "
		       "NPreport with both files",
		       sockets ? "NPtcp" : "NPmpi of ",
		       sockets ? "" : record->uses->library, record->path);
		return 0;
	}
	if (np_run_quality(replay, quality, sizeof(quality)))
		np_say(file, "replay", "%s", quality);
	say_cold(file, &cost, capacity);
	say_cost(file, record->uses, &cost);
	if (!isnan(cost.low))
		say_parts(file, record->uses, &cost);
	say_verdict(file, runs, count, record->uses, &cost);
	return 0;
}
