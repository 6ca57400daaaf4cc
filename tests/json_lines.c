/*
 * json_lines.c - reads a result file as a stranger would, and says what is in it.
 *
 * A file that a program has just written is proof of nothing until something
 * else has read it.  Every line has to be a JSON object of a kind that
 * netpong-results(5) knows, with the fields that its kind cannot do without,
 * and in the order in which a run becomes true: the header first, the findings
 * last.  Prints one line, "KIND COUNT" for each kind that was found; what is
 * wrong goes to stderr, and is exit status 1.
 */
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIELDS_MAX = 12 };

/* What a kind cannot do without, and where in a file it stands. */
struct kind {
	const char *name;
	int stage; /* never less than that of the line before */
	const char *fields[FIELDS_MAX];
};

static const struct kind kinds[] = {
	{ "header",
	  0,
	  { "format", "program", "version", "module", "op", "choices", "options", "sizes",
	    "sizes_left_out", "longest", "pool_cut" } },
	{ "probe", 1, { "bytes", "rank", "lines", "verdict" } },
	{ "visit",
	  1,
	  { "pass", "bytes", "op", "arm", "choice", "batch", "samples_ns", "counts" } },
	{ "superseded", 1, { "launch", "serial" } },
	{ "checked", 1, { "bytes", "op", "arm", "choice", "messages" } },
	{ "row",
	  2,
	  { "bytes", "op", "arm", "median_s", "min_s", "n", "mbps", "flags", "choice" } },
	{ "pair",
	  3,
	  { "bytes", "op", "of", "arm", "choice", "ratio", "ratio_low", "ratio_high" } },
	{ "findings", 4, { "complete", "reason", "rows", "comparisons" } },
};

enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

struct reading {
	const char *path;
	size_t line;
	int stage;
	size_t counts[KINDS];
};

static bool complain(const struct reading *reading, const char *what, const char *which)
{
	fprintf(stderr, "%s:%zu: %s%s%s\n", reading->path, reading->line, what,
		which != NULL ? " " : "", which != NULL ? which : "");
	return false;
}

static bool check_object(struct reading *reading, const json_t *object)
{
	const char *name = json_string_value(json_object_get(object, "kind"));
	size_t at = 0;

	while (name != NULL && at < KINDS && strcmp(kinds[at].name, name) != 0)
		at++;
	if (name == NULL || at == KINDS)
		return complain(reading, "not a known kind:", name);
	if (reading->line == 1 && at != 0)
		return complain(reading, "the first line is no header but a", name);
	/* Launches have a header each, between visits. */
	if (at != 0 && kinds[at].stage < reading->stage)
		return complain(reading, "out of order:", name);
	if (at != 0)
		reading->stage = kinds[at].stage;
	for (size_t i = 0; i < FIELDS_MAX && kinds[at].fields[i] != NULL; i++) {
		if (json_object_get(object, kinds[at].fields[i]) == NULL)
			return complain(reading, "lacks the field", kinds[at].fields[i]);
	}
	reading->counts[at]++;
	return true;
}

static bool check_line(struct reading *reading, const char *line, size_t length)
{
	json_error_t error;

	if (length == 0 || line[length - 1] != '\n')
		return complain(reading, "the line is cut short", NULL);
	json_t *object = json_loadb(line, length, JSON_REJECT_DUPLICATES, &error);
	if (object == NULL)
		return complain(reading, "not JSON:", error.text);
	const bool good = check_object(reading, object);
	json_decref(object);
	return good;
}

int main(int argc, char **argv)
{
	struct reading reading = { .path = argc == 2 ? argv[1] : NULL };
	FILE *file = argc == 2 ? fopen(argv[1], "re") : NULL;
	char *line = NULL;
	size_t size = 0;
	ssize_t length;
	bool good = true;

	if (file == NULL) {
		fprintf(stderr, "json_lines: cannot read '%s'\n",
			argc == 2 ? argv[1] : "one file");
		return EXIT_FAILURE;
	}
	while (good && (length = getline(&line, &size, file)) >= 0) {
		reading.line++;
		good = check_line(&reading, line, (size_t)length);
	}
	free(line);
	fclose(file);
	for (size_t i = 0; i < KINDS; i++) {
		if (reading.counts[i] != 0)
			printf("%s %zu\n", kinds[i].name, reading.counts[i]);
	}
	if (good && reading.line == 0)
		good = complain(&reading, "the file is empty", NULL);
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
