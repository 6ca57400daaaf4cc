/*
 * read.c - detects the format of a file and parses it line by line.
 */
#include "report/reading/reading.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/files.h"
#include "base/units.h"
#include "report/curves/fields.h"
#include "report/curves/gather.h"

/* ---- Figures collected from several lines: length, then time and percentiles --------- */

void np_reading_blank(struct np_reading *reading)
{
	const double none = (double)NAN;

	reading->sized = false;
	reading->point = (struct np_row){
		.median_s = none,
		.ci_low_s = none,
		.ci_high_s = none,
		.min_s = none,
		.mean_s = none,
		.p50_s = none,
		.p90_s = none,
		.p99_s = none,
		.p999_s = none,
		.mbps = none,
		.units = 1,
	};
}

int np_reading_point(struct np_reading *reading, const char *program,
		     struct np_error *error)
{
	struct np_row point = reading->point;
	const char *op = reading->key.op;

	if (!reading->sized)
		return np_malformed(error,
				    "no message size before this: %s does not print it "
				    "here; put its command line before its output",
				    program);
	np_reading_blank(reading);
	int rc = np_reading_figure(reading, point.length, point.median_s, error);
	if (rc != 0 || point.median_s <= 0)
		return rc;
	if (!np_op_is_collective(op))
		point.mbps = np_op_directions(op) * 8 * (double)point.length /
			     point.median_s / 1e6;
	point.code_path = np_results_word(reading->run->results, "");
	return np_gather_row(&reading->gather, &reading->key, &point, error);
}

bool np_command_value(const char *line, const char *program, const char *name, char *value,
		      size_t size)
{
	const char *at = strstr(line, program);
	const size_t length = strlen(name);

	if (at == NULL)
		return false;
	at += strlen(program);
	/* A command line has a blank here; lines of output begin with "sockperf: ". */
	if (*at != ' ' && *at != '\t')
		return false;
	for (at = strstr(at, name); at != NULL; at = strstr(at + 1, name)) {
		if ((at[-1] == ' ' || at[-1] == '\t') &&
		    (at[length] == ' ' || at[length] == '='))
			break;
	}
	if (at == NULL)
		return false;
	at += length + 1;
	at += strspn(at, " ");
	snprintf(value, size, "%.*s", (int)strcspn(at, " \t\r\n"), at);
	return true;
}

void np_command_length(struct np_reading *reading, const char *line, const char *program,
		       const char *name)
{
	char value[32];

	if (np_command_value(line, program, name, value, sizeof(value)))
		reading->sized = np_columns_bytes(value, &reading->point.length);
}

void np_length_behind(struct np_reading *reading, const char *line, const char *words)
{
	const char *at = strstr(line, words);
	char digits[32];

	if (at == NULL)
		return;
	at += strlen(words);
	snprintf(digits, sizeof(digits), "%.*s", (int)strspn(at, "0123456789"), at);
	reading->sized = np_columns_bytes(digits, &reading->point.length);
}

/* ---- Files -------------------------------------------------------------------------- */

/* A file and how far it has been read. */
struct source {
	struct np_lines lines;
	const char *path;
	uint64_t bytes; /* size of the file; 0: not known */
	/* Progress line: possible, as stderr is a terminal; on the screen. */
	bool shows, shown;
	uint64_t shown_ns;
};

const struct np_format *np_format_at(size_t index)
{
#define ADDRESS(format, name) &(format),
	static const struct np_format *const formats[] = { NP_FORMATS(ADDRESS) };
#undef ADDRESS

	return index < sizeof(formats) / sizeof(formats[0]) ? formats[index] : NULL;
}

static const struct np_format *find_format(const char *name, const char *text,
					   struct np_error *error)
{
	const struct np_format *format;

	for (size_t i = 0; (format = np_format_at(i)) != NULL; i++) {
		if (name != NULL ? strcmp(format->name, name) == 0 :
				   format->recognize(text))
			return format;
	}
	np_malformed(error, *text == '\0' ?
				    "the file is empty" :
				    "cannot tell the format; name it with --import");
	return NULL;
}

int np_reading_figure(struct np_reading *reading, size_t length, double seconds,
		      struct np_error *error)
{
	/* A time of 0 was below the tool's resolution. */
	if (seconds >= 0 && seconds <= 0) {
		reading->zeros++;
		return 0;
	}
	if (!np_time_is_valid(seconds))
		return np_malformed(error, "a time of %g s is not from 1e-12 to 1e9 s",
				    seconds);
	reading->figures++;
	reading->key.length = length;
	return np_gather_value(&reading->gather, &reading->key, seconds, error);
}

int np_reading_row(struct np_reading *reading, char *line, struct np_error *error)
{
	char *words[16];
	double seconds;
	size_t bytes;
	const size_t count = np_columns_split(line, words, 16);
	const int rc =
		np_columns_read(&reading->columns, words, count, &bytes, &seconds, error);

	return rc != 0 ? rc : np_reading_figure(reading, bytes, seconds, error);
}

/* Sets the name for texts and legends: program and host, else the file's name. */
static void name_run(struct np_run *run, const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *program = np_run_text(run, "program");
	const char *host = np_facts_find(&run->hosts[0], "host");

	snprintf(run->name, sizeof(run->name), "%s", slash != NULL ? slash + 1 : path);
	if (run->pairs != NULL)
		snprintf(run->name, sizeof(run->name), "%.40s between %zu %s",
			 program != NULL ? program : "", run->pairs->hosts.count,
			 run->pairs->hosts.ranks ? "ranks" : "hosts");
	else if (program != NULL)
		snprintf(run->name, sizeof(run->name), "%.40s%s%.80s", program,
			 host != NULL ? " on " : "", host != NULL ? host : "");
}

static void show_progress(struct source *source)
{
	const uint64_t now = source->shows ? np_clock_ns() : 0, tenth = 100000000;

	if (now == 0 || now - source->shown_ns < tenth)
		return;
	/* No progress line in the first 0.1 s. */
	source->shown = source->shown_ns != 0;
	if (source->shown && source->bytes != 0)
		fprintf(stderr, "\rreading %s: %.0f %%\033[K", source->path,
			100 * (double)source->lines.bytes / (double)source->bytes);
	else if (source->shown)
		fprintf(stderr, "\rreading %s: line %zu\033[K", source->path,
			source->lines.number);
	source->shown_ns = now;
}

static int take_lines(struct source *source, const struct np_format *format,
		      struct np_reading *reading, struct np_error *error)
{
	char *line;
	size_t length;
	int rc;

	while ((rc = np_lines_next(&source->lines, &line, &length, error)) > 0) {
		rc = format->take(reading, line, length, error);
		if (rc != 0)
			return rc;
		show_progress(source);
	}
	if (rc == 0 && format->finish != NULL)
		rc = format->finish(reading, error);
	if (rc != 0)
		return rc;
	if (reading->zeros != 0)
		np_facts_add(&reading->run->notes, "left out", "%zu time%s of 0",
			     reading->zeros, np_plural(reading->zeros));
	if (reading->figures == 0 && reading->zeros != 0)
		rc = np_malformed(error, "the file has no measurement, and %zu time%s of 0",
				  reading->zeros, np_plural(reading->zeros));
	else if (reading->figures == 0)
		rc = np_malformed(error, "the file has no measurement");
	return rc;
}

/* Prefixes an error with path and line number. */
static int add_position(const struct source *source, const struct np_error *what,
			struct np_error *error)
{
	const struct np_lines *lines = &source->lines;

	if (lines->number == 0)
		return np_fail(error, what->kind, what->code, "%.160s: %.200s",
			       source->path, what->text);
	return np_fail(error, what->kind, what->code, "%.160s:%zu: %.200s%s", source->path,
		       lines->number, what->text,
		       lines->cut ? " (the line is cut short)" : "");
}

static int read_source(struct source *source, const char *name, struct np_run *run,
		       struct np_error *error)
{
	struct np_reading reading = { .run = run };
	struct np_error what = { .code = 0 }, late = { .code = 0 };
	const char *text = np_lines_peek(&source->lines, &what);
	const struct np_format *format =
		text != NULL ? find_format(name, text, &what) : NULL;

	if (np_gather_init(&reading.gather, run) != 0) {
		np_fail_errno(&what, ENOMEM, "no memory for results");
	} else if (format != NULL) {
		run->format = format->title;
		int rc = format->begin != NULL ? format->begin(&reading, text, &what) : 0;

		if (rc == 0)
			rc = take_lines(source, format, &reading, &what);
		run->broken = rc != 0;
		rc = np_merge(&reading.gather,
			      reading.finished || reading.gather.visits == 0, &late);
		if (rc != 0 && what.code == 0)
			what = late;
		if (run->pairs != NULL && np_fleet_run_judge(&run->pairs->run) != 0 &&
		    what.code == 0)
			np_fail_errno(&what, ENOMEM, "no memory for results");
	}
	run->lines = source->lines.number;
	run->path = strdup(source->path);
	name_run(run, source->path);
	np_gather_free(&reading.gather);
	free(reading.document);
	return what.code != 0 ? add_position(source, &what, error) : 0;
}

int np_read_fd(int fd, const char *path, const char *format, struct np_run *run,
	       struct np_error *error)
{
	struct source source = { .lines = { .fd = fd },
				 .path = path,
				 .shows = isatty(STDERR_FILENO) };
	struct stat status;

	*run = (struct np_run){ .format = "not known" };
	if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
		source.bytes = (uint64_t)status.st_size;
	const int rc = read_source(&source, format, run, error);
	if (source.shown)
		fputs("\r\033[K", stderr);
	np_lines_close(&source.lines);
	return rc;
}

int np_read_file(const char *path, const char *format, struct np_run *run,
		 struct np_error *error)
{
	const bool is_input = strcmp(path, "-") == 0;
	const int fd = is_input ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0) {
		np_fail_errno(error, errno, "cannot read '%.200s'", path);
		*run = (struct np_run){ .format = "not known", .path = strdup(path) };
		return error->code;
	}
	return np_read_fd(fd, is_input ? "standard input" : path, format, run, error);
}
