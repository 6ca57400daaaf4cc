/*
 * read.c - detects the format of a file and parses it line by line.
 */
#include "report/reading/reading.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/files.h"
#include "base/units.h"

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

/* ---- Marks of launchers ------------------------------------------------------------- */

/* Returns the length of the match of a pattern at the beginning of a text; 0: no match.  9
 * stands for digits, A for letters, a blank for blanks, ? for any character. */
static size_t fit(const char *pattern, const char *text)
{
	const char *at = text;

	for (; *pattern != '\0'; pattern++) {
		const char *set = *pattern == '9' ? "0123456789" :
				  *pattern == 'A' ? "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
						    "abcdefghijklmnopqrstuvwxyz" :
				  *pattern == ' ' ? " \t" :
						    NULL;
		const size_t length =
			set != NULL ? strspn(at, set) :
				      *at == *pattern || (*pattern == '?' && *at != '\0');

		if (length == 0)
			return 0;
		at += length;
	}
	return (size_t)(at - text);
}

/* Returns the length of the times and ranks that launchers and CI put before a line. */
static size_t marks_length(const char *line)
{
	static const char *const patterns[] = {
		"[9,9]<A>:",	 "[9,9]<A>",	    "A A 9 9:9:9 9",
		"[9-9-9?9:9:9]", "9-9-9?9:9:9.9Z ", "9-9-9?9:9:9.9 ",
		"9-9-9?9:9:9Z ", "9-9-9?9:9:9 ",    "9:9:9 ",
		"9: ",
	};
	size_t marks = 0;

	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]);) {
		const size_t blank = strspn(line + marks, " \t");
		const size_t length = fit(patterns[i], line + marks + blank);

		marks += length != 0 ? blank + length : 0;
		i = length != 0 ? 0 : i + 1;
	}
	return marks;
}

/* Returns a copy of a text whose lines have no marks; NULL without memory. */
static char *without_marks(const char *text)
{
	char *copy = malloc(strlen(text) + 1), *to = copy;

	while (copy != NULL && *text != '\0') {
		const size_t length = strcspn(text, "\n") + (strchr(text, '\n') != NULL);
		size_t marks = marks_length(text);

		marks = marks < length ? marks : length - 1;
		to = mempcpy(to, text + marks, length - marks);
		text += length;
	}
	if (copy != NULL)
		*to = '\0';
	return copy;
}

/* ---- Formats ------------------------------------------------------------------------ */

/* True if a line begins with the word, after blanks ("^word"), or contains it. */
static bool has_sign(const char *text, const char *sign)
{
	const bool begins = *sign == '^';

	sign += begins;
	for (const char *at = strstr(text, sign); at != NULL; at = strstr(at + 1, sign)) {
		const char *line = at;

		while (line > text && (line[-1] == ' ' || line[-1] == '\t'))
			line--;
		if (!begins || line == text || line[-1] == '\n')
			return true;
	}
	return false;
}

static bool recognizes(const struct np_format *format, const char *text)
{
	for (size_t i = 0; i < 5 && format->signs[i][0] != NULL; i++) {
		bool all = true;

		for (size_t k = 0; k < 3 && format->signs[i][k] != NULL; k++)
			all = all && has_sign(text, format->signs[i][k]);
		if (all)
			return true;
	}
	return format->recognize != NULL && format->recognize(text);
}

static const struct np_format *find_format(const char *name, const char *text)
{
#define ENTRY(name) { #name, &np_format_##name },
	static const struct {
		const char *name;
		const struct np_format *format;
	} formats[] = { NP_FORMATS(ENTRY) };
#undef ENTRY

	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		if (name != NULL ? strcmp(formats[i].name, name) == 0 :
				   recognizes(formats[i].format, text))
			return formats[i].format;
	}
	return NULL;
}

/* Detects the format, and whether lines have marks of a launcher. */
static const struct np_format *detect(const char *name, const char *text, bool *strips,
				      struct np_error *error)
{
	const struct np_format *format = find_format(name, text);
	const bool sure = format != NULL && recognizes(format, text);
	char *copy = sure ? NULL : without_marks(text);

	if (copy != NULL) {
		const struct np_format *other = find_format(name, copy);

		*strips = other != NULL && recognizes(other, copy);
		format = *strips ? other : format;
	}
	free(copy);
	if (format == NULL)
		np_malformed(error,
			     *text == '\0' ?
				     "the file is empty" :
			     strlen(text) >= 1 << 20 ?
				     "cannot tell the format from the first MiB; "
				     "name it with --import" :
				     "cannot tell the format; name it with --import");
	return format;
}

/* ---- Reading ------------------------------------------------------------------------ */

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

void np_reading_refuse(struct np_reading *reading, const struct np_error *what)
{
	if (what->code == 0 || reading->refused++ != 0)
		return;
	reading->refused_line = reading->line;
	reading->error = *what;
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

/* Most bytes of a file of JSON; iperf3 writes some hundred for each second and stream. */
enum { DOCUMENT_MAX = 256 << 20 };

static int take_document_line(struct np_reading *reading, const char *line, size_t length,
			      struct np_error *error)
{
	/* Length with the newline, without the terminating zero. */
	const size_t end = reading->document_length + length + 1;

	if (reading->document_length == 0 && line[strspn(line, " \t\r")] != '{') {
		if (line[strspn(line, " \t\r")] != '\0')
			np_reading_count(reading, &reading->strange, line);
		return 0;
	}
	if (end > DOCUMENT_MAX)
		return np_malformed(error, "more than %d MiB", DOCUMENT_MAX >> 20);
	if (end >= reading->document_capacity) {
		char *larger = realloc(reading->document, 2 * (end + 1));

		if (larger == NULL)
			return np_fail_errno(error, ENOMEM, "no memory for the file");
		reading->document = larger;
		reading->document_capacity = 2 * (end + 1);
	}
	memcpy(reading->document + reading->document_length, line, length);
	memcpy(reading->document + end - 1, "\n", 2);
	reading->document_length = end;
	return 0;
}

/* Replaces "-nan" by null and "nan" by "", as JSON has neither: iperf3 prints 0/0. */
static void replace_nan(char *document)
{
	for (char *at = document; (at = strstr(at, "nan")) != NULL; at += 3) {
		char *start = at > document && at[-1] == '-' ? at - 1 : at;

		if (start > document && (start[-1] == ' ' || start[-1] == ':') &&
		    strchr(",\n\r }", at[3]) != NULL) {
			const bool minus = start != at;

			memcpy(start, minus ? "null" : "\"\" ", minus ? 4 : 3);
		}
	}
}

/* Takes documents one after another; an error in one does not end the file. */
static void take_documents(struct np_reading *reading)
{
	char *at = reading->document;
	json_error_t failure;

	replace_nan(at);
	while (*(at += strspn(at, " \t\r\n")) != '\0') {
		struct np_error what = { .code = 0 };

		if (*at != '{') {
			np_reading_count(reading, &reading->strange, at);
			at += strcspn(at, "\n");
			continue;
		}
		json_t *document = json_loads(at, JSON_DISABLE_EOF_CHECK, &failure);

		if (document == NULL)
			np_malformed(&what, "not JSON, or not all of it: %.100s",
				     failure.text);
		else
			reading->format->document(reading, document, &what);
		np_reading_refuse(reading, &what);
		if (document == NULL)
			return;
		json_decref(document);
		at += failure.position;
	}
}

static char *clean_line(const struct np_reading *reading, char *line, size_t *length)
{
	char *escape;

	/* Remove colours of a terminal. */
	while ((escape = strchr(line, '\033')) != NULL && escape[1] == '[') {
		const size_t end = strspn(escape + 2, "0123456789;") + 3;

		if (escape[end - 1] == '\0')
			break;
		memmove(escape, escape + end, strlen(escape + end) + 1);
	}
	if (reading->strips)
		line += marks_length(line);
	*length = strlen(line);
	return line;
}

/* True for NetPong's own format: `take` parses unmodified lines. */
static bool is_own(const struct np_format *format)
{
	return format->columns == NULL && format->document == NULL;
}

static int take_line(struct np_reading *reading, bool documents, char *line, size_t length,
		     struct np_error *error)
{
	const struct np_format *format = reading->format;
	struct np_error what = { .code = 0 };

	if (is_own(format))
		return format->take(reading, line, length, error);
	if (documents)
		return take_document_line(reading, line, length, error);
	line = clean_line(reading, line, &length);
	if (format->take == NULL)
		np_reader_line(reading, line);
	else if (format->take(reading, line, length, &what) != 0)
		np_reading_refuse(reading, &what);
	return 0;
}

static void note_counts(struct np_reading *reading)
{
	const struct {
		const char *name, *noun, *words;
		const struct np_lines_of *lines;
	} list[] = {
		{ "not understood", "line", "not understood", &reading->strange },
		{ "not read", "table", "not read", &reading->unread },
		{ "void", "result", "void", &reading->voids },
		{ "half rows", "row", "without the second result", &reading->halves },
		{ "caution", "warning", "of the tool", &reading->warned },
	};
	struct np_run *run = reading->run;

	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		const struct np_lines_of *lines = list[i].lines;
		char text[100];

		if (lines->count != 0)
			np_facts_add(&run->warnings, list[i].name,
				     "%zu %s%s %s, first line %zu: %s", lines->count,
				     list[i].noun, np_plural(lines->count), list[i].words,
				     lines->first,
				     np_quote(lines->text, text, sizeof(text)));
	}
	const struct np_lines_of *voids = &reading->voids;
	if (voids->count > 1) {
		char one[48], other[48];

		np_quote(voids->text, one, sizeof(one));
		np_quote(voids->last_text, other, sizeof(other));
		np_facts_add(&run->warnings, "void",
			     "%zu results void, first line %zu: %s; last line %zu: %s",
			     voids->count, voids->first, one, voids->last, other);
	}
	if (reading->again != 0 || reading->dropped != 0)
		np_facts_add(&run->notes, "path",
			     "%llu segments sent again, %llu packets dropped on receipt: "
			     "times include them",
			     (unsigned long long)reading->again,
			     (unsigned long long)reading->dropped);
	if (reading->zeros != 0)
		np_facts_add(&run->notes, "left out", "%zu time%s of 0", reading->zeros,
			     np_plural(reading->zeros));
	else if (reading->empty != 0)
		np_facts_add(&run->notes, "left out", "%zu rate%s of an empty message",
			     reading->empty, np_plural(reading->empty));
}

/* Warns of sizes that a curve has more than once: their median is taken. */
static void note_repetitions(struct np_run *run)
{
	size_t points = 0, most = 0;
	const char *name = "";

	for (size_t i = 0; i < run->series_count; i++) {
		for (size_t k = 0; k < run->series[i].count; k++) {
			const size_t count = run->series[i].points[k].unit_count;

			points += count > 1;
			if (count > most) {
				most = count;
				name = run->series[i].variant[0] != '\0' ?
					       run->series[i].variant :
					       run->series[i].op;
			}
		}
	}
	if (points != 0 && most > 1)
		np_facts_add(&run->notes, "repetitions",
			     "%zu figure%s of one name and size, up to %zu times (%.60s), "
			     "taken as "
			     "repetitions",
			     points, np_plural(points), most, name);
}

/* Writes the error of a file without a figure. */
static int fail_empty(const struct np_reading *reading, struct np_error *error)
{
	static const char text[] = "the file has no measurement";
	const struct np_lines_of *strange = &reading->strange, *unread = &reading->unread;

	if (reading->zeros != 0)
		return np_malformed(error, "%s, and %zu time%s of 0", text, reading->zeros,
				    np_plural(reading->zeros));
	if (strange->count != 0)
		return np_malformed(error,
				    "%s, and %zu line%s that %s not understood, first line "
				    "%zu: %.60s",
				    text, strange->count, np_plural(strange->count),
				    strange->count == 1 ? "is" : "are", strange->first,
				    strange->text);
	if (unread->count != 0)
		return np_malformed(error, "%s; line %zu: %s", text, unread->first,
				    unread->text);
	return np_malformed(error, text);
}

static int take_lines(struct source *source, bool documents, struct np_reading *reading,
		      struct np_error *error)
{
	char *line;
	size_t length;
	int rc;

	while ((rc = np_lines_next(&source->lines, &line, &length, error)) > 0) {
		reading->line = source->lines.number;
		rc = take_line(reading, documents, line, length, error);
		if (rc != 0)
			return rc;
		show_progress(source);
	}
	if (documents && rc == 0 && reading->document != NULL)
		take_documents(reading);
	else if (!documents && reading->format->take == NULL)
		np_reader_title(reading, "", NULL);
	note_counts(reading);
	if (rc == 0 && reading->refused != 0)
		*error = reading->error;
	if (rc != 0 || error->code != 0)
		return error->code;
	return reading->figures == 0 ? fail_empty(reading, error) : 0;
}

/* Prefixes an error with path and line number. */
static int add_position(const struct source *source, const struct np_reading *reading,
			const struct np_error *what, struct np_error *error)
{
	const struct np_lines *lines = &source->lines;
	const size_t line = reading->refused != 0 ? reading->refused_line : lines->number;
	char more[40] = "";

	if (reading->refused > 1)
		snprintf(more, sizeof(more), " (and %zu more)", reading->refused - 1);
	if (line == 0)
		return np_fail(error, what->kind, what->code, "%.160s: %.200s",
			       source->path, what->text);
	return np_fail(error, what->kind, what->code, "%.160s:%zu: %.200s%s%s",
		       source->path, line, what->text, more,
		       lines->cut && reading->format != NULL && is_own(reading->format) ?
			       " (the line is cut short)" :
			       "");
}

/* Begins a file of another tool: lists the columns, one for each name. */
static void begin(struct np_reading *reading, const char *text)
{
	const struct np_format *format = reading->format;

	for (const struct np_column *spec = format->columns;
	     spec != NULL && spec->name != NULL; spec++) {
		for (const char *at = spec->name; *at != '\0'; at += *at == '|') {
			const int length = (int)strcspn(at, "|");
			const size_t k = reading->column_count++;

			reading->columns[k] = *spec;
			reading->columns[k].name = reading->names[k];
			snprintf(reading->names[k], sizeof(reading->names[k]), "%.*s",
				 length, at);
			at += length;
		}
	}
	if (format->note != NULL)
		np_facts_add(&reading->run->notes, "units", "%s", format->note);
	if (format->op != NULL)
		snprintf(reading->key.op, NP_LABEL, "%s", format->op);
	np_record_clear(reading);
	if (format->named_values)
		np_reader_open(reading);
	if (format->header != NULL)
		np_reader_columns(reading, format->header);
	if (format->begin != NULL)
		format->begin(reading, text);
}

/* Reads a file of a format that is known, and derives its curves. */
static void read_lines(struct source *source, struct np_reading *reading, const char *text,
		       struct np_error *error)
{
	const struct np_format *format = reading->format;
	const bool documents =
		format->document != NULL &&
		(format->columns == NULL || text[strspn(text, " \t\r\n")] == '{');
	struct np_run *run = reading->run;
	struct np_error late = { .code = 0 };

	run->format = format->title;
	if (!is_own(format))
		begin(reading, text);
	run->broken = take_lines(source, documents, reading, error) != 0;
	for (size_t i = 0; i < run->series_count && !is_own(format); i++)
		np_reading_unbrace(reading, run->series[i].variant);
	np_merge(&reading->gather, reading->finished || reading->gather.visits == 0, &late);
	if (error->code == 0)
		*error = late;
	if (!is_own(format))
		note_repetitions(run);
	if (run->pairs != NULL && np_fleet_run_judge(&run->pairs->run) != 0)
		np_fail_errno(error, ENOMEM, "no memory for results");
}

static int read_source(struct source *source, const char *name, struct np_run *run,
		       struct np_error *error)
{
	struct np_reading reading = { .run = run, .share = 1 };
	struct np_error what = { .code = 0 };
	const char *text = np_lines_peek(&source->lines, &what);

	if (text != NULL)
		reading.format = detect(name, text, &reading.strips, &what);
	if (np_gather_init(&reading.gather, run) != 0)
		np_fail_errno(&what, ENOMEM, "no memory for results");
	else if (text != NULL && reading.format != NULL)
		read_lines(source, &reading, text, &what);
	run->lines = reading.refused != 0 ? reading.refused_line : source->lines.number;
	run->path = strdup(source->path);
	name_run(run, source->path);
	np_gather_free(&reading.gather);
	free(reading.document);
	json_decref(reading.start);
	return what.code != 0 ? add_position(source, &reading, &what, error) : 0;
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
