/*
 * text_loggp.c - prints LogGP parameters of a ping-pong and a stream over the same path.
 */
#include "report/text/text.h"

#include <math.h>
#include <string.h>

/* All files; struct curve: indexes of a file and of a curve in it. */
struct files {
	const struct np_run *runs;
	struct np_analysis *const *analyses;
	size_t count;
};

struct curve {
	size_t file, series;
};

static const struct np_series *series_at(const struct files *files, struct curve at)
{
	return &files->runs[at.file].series[at.series];
}

static bool same_text(const char *one, const char *other)
{
	return one != NULL && other != NULL && strcmp(one, other) == 0;
}

static bool same_path(const struct np_run *a, const struct np_run *b)
{
	bool same = same_text(np_run_text(a, "program"), np_run_text(b, "program"));

	for (size_t rank = 0; rank < 2; rank++)
		same = same && same_text(np_facts_find(&a->hosts[rank], "host"),
					 np_facts_find(&b->hosts[rank], "host"));
	return same;
}

/* True if curve `at` is of operation op, and of the program, hosts, mode and variant of
 * `one`. */
static bool goes_with(const struct files *files, struct curve one, struct curve at,
		      const char *op)
{
	const struct np_series *like = series_at(files, one);
	const struct np_series *series = series_at(files, at);

	return strcmp(series->op, op) == 0 && strcmp(series->mode, like->mode) == 0 &&
	       strcmp(series->variant, like->variant) == 0 &&
	       same_path(&files->runs[one.file], &files->runs[at.file]);
}

/* Counts the curves of operation op with the hosts, mode and variant of `one`; *before:
 * number of them in front of `one`. */
static size_t count_with(const struct files *files, struct curve one, const char *op,
			 size_t *before)
{
	struct curve at = { 0, 0 };
	size_t count = 0;

	*before = 0;
	for (at.file = 0; at.file < files->count; at.file++) {
		for (at.series = 0; at.series < files->runs[at.file].series_count;
		     at.series++) {
			if (at.file == one.file && at.series == one.series)
				*before = count;
			count += goes_with(files, one, at, op);
		}
	}
	return count;
}

static void print_seconds_of(FILE *file, const char *title,
			     const struct np_estimate *estimate)
{
	char value[40], low[40], high[40];

	if (isnan(estimate->value))
		return;
	np_text_title(file, title);
	np_text_seconds(estimate->value, value, sizeof(value));
	np_text_seconds(estimate->low, low, sizeof(low));
	np_text_seconds(estimate->high, high, sizeof(high));
	fprintf(file, "%s [%s, %s]\n", value, low, high);
}

static void print_pair(FILE *file, const struct files *files, struct curve one,
		       struct curve other)
{
	const struct np_analysis *pingpong = &files->analyses[one.file][one.series];
	const struct np_analysis *stream = &files->analyses[other.file][other.series];
	const struct np_run *run = &files->runs[one.file];
	char label[3 * NP_LABEL];
	const struct np_loggp loggp = np_analysis_loggp(pingpong, stream);

	np_series_label(run, &run->series[one.series], label, sizeof(label));
	fputs("\nLogGP, ", file);
	np_text_safe(file, label);
	fputs(" (", file);
	np_text_safe(file, run->path);
	fputs(" and ", file);
	np_text_safe(file, files->runs[other.file].path);
	fputs(")\n", file);
	print_seconds_of(file, "  L + 2 o", &loggp.latency_and_overheads);
	print_seconds_of(file, "  g or o", &loggp.gap);
	print_seconds_of(file, "  G, a byte", &loggp.gap_per_byte);
}

/* Pairs a ping-pong with streams of the same path, mode and variant: the i-th ping-pong
 * with the i-th stream; if there is one of either, with all. */
static void print_pairs_of(FILE *file, const struct files *files, struct curve one)
{
	size_t place, from, streams;
	const size_t pingpongs = count_with(files, one, "pingpong", &place);
	struct curve at = { 0, 0 };

	streams = count_with(files, one, "stream", &from);
	from = 0;
	for (at.file = 0; at.file < files->count; at.file++) {
		for (at.series = 0; at.series < files->runs[at.file].series_count;
		     at.series++) {
			if (!goes_with(files, one, at, "stream"))
				continue;
			if (from == place || pingpongs == 1 || streams == 1)
				print_pair(file, files, one, at);
			from++;
		}
	}
}

void np_text_loggp(FILE *file, const struct np_run *runs,
		   struct np_analysis *const *analyses, size_t count)
{
	const struct files files = { runs, analyses, count };
	struct curve at = { 0, 0 };

	for (at.file = 0; at.file < count; at.file++) {
		for (at.series = 0; at.series < runs[at.file].series_count; at.series++) {
			const struct np_series *series = &runs[at.file].series[at.series];

			if (strcmp(series->op, "pingpong") == 0 &&
			    !np_series_is_control(series))
				print_pairs_of(file, &files, at);
		}
	}
}
