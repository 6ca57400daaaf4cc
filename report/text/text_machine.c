/*
 * text_machine.c - program, options and machine of a run.
 */
#include "report/text/text.h"

#include <string.h>

static void print_fact(FILE *file, const struct np_run *run, const char *object,
		       const char *name, const char *before, bool *any)
{
	const char *value = np_run_text(run, object, name);

	if (value == NULL || strcmp(value, "not reported") == 0)
		return;
	fputs(*any ? ", " : "", file);
	fputs(before, file);
	np_text_safe(file, value);
	*any = true;
}

static void print_end(FILE *file, const struct np_run *run, const char *end)
{
	bool any = false;

	np_text_title(file, end);
	print_fact(file, run, end, "host", "", &any);
	print_fact(file, run, end, "cpu", "", &any);
	print_fact(file, run, end, "cores", "cores ", &any);
	print_fact(file, run, end, "core", "bound to core ", &any);
	print_fact(file, run, end, "governor", "governor ", &any);
	print_fact(file, run, end, "kernel", "", &any);
	print_fact(file, run, end, "transparent_huge_pages", "huge pages ", &any);
	print_fact(file, run, end, "clock_source", "clock ", &any);
	fputs(any ? "\n" : "not reported\n", file);
}

static void print_path(FILE *file, const struct np_run *run)
{
	json_t *path = json_object_get(run->header, "transmitter_path");
	const char *name;
	json_t *value;
	size_t column = 0;

	if (json_object_size(path) == 0)
		return;
	np_text_title(file, "path");
	json_object_foreach (path, name, value) {
		const char *text = json_string_value(value);

		if (text == NULL)
			continue;
		if (column > 60) {
			fputs(",\n            ", file);
			column = 0;
		} else if (column != 0) {
			fputs(", ", file);
		}
		np_text_safe(file, name);
		fputc(' ', file);
		np_text_safe(file, text);
		column += strlen(name) + strlen(text) + 3;
	}
	fputc('\n', file);
}

static void print_warnings(FILE *file, const struct np_run *run, const char *end)
{
	json_t *facts = json_object_get(run->header, end);
	const char *name;
	json_t *value;

	json_object_foreach (facts, name, value) {
		if (strncmp(name, "warning_", 8) != 0 || json_string_value(value) == NULL)
			continue;
		np_text_title(file, "warning");
		fprintf(file, "%s: ", end);
		np_text_safe(file, json_string_value(value));
		fputc('\n', file);
	}
}

void np_text_program(FILE *file, const struct np_run *run)
{
	const char *version = np_run_text(run, NULL, "version");
	const char *op = np_run_text(run, NULL, "op");
	const char *date = np_run_text(run, "transmitter", "date");

	np_text_title(file, "written by");
	np_text_safe(file, run->header != NULL ?
				   np_text_or(np_run_text(run, NULL, "program")) :
				   run->format);
	if (version != NULL) {
		fputc(' ', file);
		np_text_safe(file, version);
	}
	if (op != NULL) {
		fputs(", ", file);
		np_text_safe(file, op);
	}
	if (date != NULL) {
		fputs(", ", file);
		np_text_safe(file, date);
	}
	if (run->runs > 1)
		fprintf(file, ", %zu launches", run->runs);
	fputc('\n', file);
}

void np_text_machine(FILE *file, const struct np_run *run)
{
	np_text_program(file, run);
	if (run->header != NULL) {
		print_end(file, run, "transmitter");
		print_end(file, run, "receiver");
		print_path(file, run);
	} else {
		np_text_title(file, "machine");
		fputs("not in the file\n", file);
	}
	for (size_t i = 0; i < run->notes.count; i++) {
		np_text_title(file, run->notes.list[i].name);
		np_text_safe(file, run->notes.list[i].value);
		fputc('\n', file);
	}
	if (run->header != NULL) {
		print_warnings(file, run, "transmitter");
		print_warnings(file, run, "receiver");
	}
}
