/*
 * json_lines.c - reads a result file as a stranger would, and says what is in it.
 *
 * A file that a program has just written is proof of nothing until something
 * else has read it.  Every line has to be as netpong-results(5) says of its kind
 * (schema.h), of the operation and the choices of the header, and in the order in
 * which a run becomes true: the header first, the findings last.  Prints one
 * line, "KIND COUNT" for each kind that was found; what is wrong goes to stderr,
 * and is exit status 1.
 *
 *     json_lines FILE
 *     json_lines --killed FILE    of a run that was killed: it may be empty, and
 *                                 its last line may be cut short
 *     json_lines --fields         prints "KIND FIELD" for all that there may be
 *     json_lines --schema         prints all that as a JSON Schema
 */
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema.h"

enum { KINDS_MAX = 128 };

struct reading {
	const char *path;
	bool killed; /* the file may end anywhere */
	size_t line;
	int stage;
	json_t *header;
	size_t counts[KINDS_MAX];
};

static bool complain(const struct reading *reading, const char *what, const char *which)
{
	fprintf(stderr, "%s:%zu: %s%s%s\n", reading->path, reading->line, what,
		which != NULL ? " " : "", which != NULL ? which : "");
	return false;
}

static size_t index_of(const char *name)
{
	size_t at = 0;

	while (np_kind_at(at) != NULL && strcmp(np_kind_at(at)->name, name) != 0)
		at++;
	return at;
}

/* Runs have a header each, and begin again with it. */
static bool check_place(struct reading *reading, const struct np_kind *kind)
{
	if (reading->line == 1 && kind->stage != 0)
		return complain(reading, "the first line is no header but a", kind->name);
	if (kind->stage != 0 && kind->stage < reading->stage)
		return complain(reading, "out of order:", kind->name);
	reading->stage = kind->stage;
	return true;
}

/* The operation is the header's, and a choice is one of its choices. */
static bool check_header(struct reading *reading, json_t *object, const char *name)
{
	const json_t *op = json_object_get(object, "op");
	json_t *choice = json_object_get(object, "variant");
	json_t *choices = json_object_get(reading->header, "variants");
	bool known = choice == NULL || json_is_null(choice);

	/* A file of all pairs begins with its hosts. */
	if (strcmp(name, "header") == 0 || strcmp(name, "hosts") == 0) {
		json_decref(reading->header);
		reading->header = json_incref(object);
		return true;
	}
	if (op != NULL && !json_equal(op, json_object_get(reading->header, "op")))
		return complain(reading, "another operation than the header's in a", name);
	for (size_t i = 0; i < json_array_size(choices); i++)
		known = known || json_equal(choice, json_array_get(choices, i));
	return known || complain(reading, "a choice that the header has not, in a", name);
}

static bool check_object(struct reading *reading, json_t *object)
{
	const char *name = json_string_value(json_object_get(object, "kind"));
	char text[200];

	if (!np_line_check(object, text, sizeof(text)))
		return complain(reading, text, NULL);
	reading->counts[index_of(name)]++;
	return check_place(reading, np_kind_find(name)) &&
	       check_header(reading, object, name);
}

static bool check_line(struct reading *reading, const char *line, size_t length)
{
	json_error_t error;

	if (length == 0 || line[length - 1] != '\n')
		return reading->killed || complain(reading, "the line is cut short", NULL);
	json_t *object = json_loadb(line, length, JSON_REJECT_DUPLICATES, &error);
	if (object == NULL)
		return complain(reading, "not JSON:", error.text);
	const bool good = check_object(reading, object);
	json_decref(object);
	return good;
}

static bool check_file(struct reading *reading)
{
	FILE *file = fopen(reading->path, "re");
	char *line = NULL;
	size_t size = 0;
	ssize_t length;
	bool good = true;

	if (file == NULL)
		return complain(reading, "cannot be read", NULL);
	while (good && (length = getline(&line, &size, file)) >= 0) {
		reading->line++;
		good = check_line(reading, line, (size_t)length);
	}
	free(line);
	fclose(file);
	json_decref(reading->header);
	if (good && reading->line == 0 && !reading->killed)
		good = complain(reading, "the file is empty", NULL);
	return good;
}

static void print_fields(void)
{
	for (size_t i = 0; np_kind_at(i) != NULL; i++) {
		const struct np_kind *kind = np_kind_at(i);

		for (size_t k = 0; kind->fields[k].name != NULL; k++)
			printf("%s %s\n", kind->name, kind->fields[k].name);
	}
}

static void print_schema(void)
{
	json_t *schema = np_schema_make();

	np_schema_print(stdout, schema, 0);
	putchar('\n');
	json_decref(schema);
}

int main(int argc, char **argv)
{
	struct reading reading = { .killed =
					   argc == 3 && strcmp(argv[1], "--killed") == 0 };

	if (argc == 2 && strcmp(argv[1], "--fields") == 0) {
		print_fields();
		return EXIT_SUCCESS;
	}
	if (argc == 2 && strcmp(argv[1], "--schema") == 0) {
		print_schema();
		return EXIT_SUCCESS;
	}
	if (argc != 2 && !reading.killed) {
		fputs("usage: json_lines [--killed] FILE | --fields | --schema\n", stderr);
		return EXIT_FAILURE;
	}
	reading.path = argv[argc - 1];
	const bool good = check_file(&reading);
	for (size_t i = 0; np_kind_at(i) != NULL; i++) {
		if (reading.counts[i] != 0)
			printf("%s %zu\n", np_kind_at(i)->name, reading.counts[i]);
	}
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
