/*
 * text_machine.c - prints program, options and machine of a run.
 */
#include "report/text/text.h"

#include <string.h>

static const char *const ranks[] = { "rank 0", "rank 1" };

static void print_fact(FILE *file, const struct np_facts *facts, const char *name,
		       const char *before, bool *any)
{
	const char *text = np_facts_find(facts, name);

	if (text == NULL || strcmp(text, "not reported") == 0)
		return;
	fputs(*any ? ", " : "", file);
	fputs(before, file);
	np_text_safe(file, text);
	*any = true;
}

static void print_host(FILE *file, const struct np_run *run, size_t rank)
{
	const struct np_facts *facts = &run->hosts[rank];
	bool any = false;

	np_text_title(file, ranks[rank]);
	print_fact(file, facts, "host", "", &any);
	print_fact(file, facts, "cpu", "", &any);
	print_fact(file, facts, "cores", "cores ", &any);
	print_fact(file, facts, "core", "bound to core ", &any);
	print_fact(file, facts, "governor", "governor ", &any);
	print_fact(file, facts, "kernel", "", &any);
	print_fact(file, facts, "transparent_huge_pages", "huge pages ", &any);
	print_fact(file, facts, "clock_source", "clock ", &any);
	fputs(any ? "\n" : "not reported\n", file);
}

static void print_path(FILE *file, const struct np_facts *facts)
{
	if (facts->count == 0)
		return;
	np_text_title(file, "path");
	for (size_t i = 0; i < facts->count; i++) {
		const struct np_fact *fact = &facts->list[i];

		fputs(i == 0 ? "" : ", ", file);
		np_text_safe(file, fact->name);
		fputc(' ', file);
		np_text_safe(file, fact->text);
	}
	fputc('\n', file);
}

static void print_warnings(FILE *file, const struct np_run *run, size_t rank)
{
	const struct np_facts *facts = &run->hosts[rank];

	for (size_t i = 0; i < facts->count; i++) {
		if (strncmp(facts->list[i].name, "warning_", 8) != 0)
			continue;
		np_text_title(file, "warning");
		fprintf(file, "%s: ", ranks[rank]);
		np_text_safe(file, facts->list[i].text);
		fputc('\n', file);
	}
}

void np_text_program(FILE *file, const struct np_run *run)
{
	const char *version = np_run_text(run, "version");
	const char *op = np_run_text(run, "op");
	const char *date = np_facts_find(&run->hosts[0], "date");

	np_text_title(file, "written by");
	np_text_safe(file, run->header != NULL ? np_text_or(np_run_text(run, "program")) :
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
		fprintf(file, ", %zu runs", run->runs);
	fputc('\n', file);
}

void np_text_machine(FILE *file, const struct np_run *run)
{
	if (run->header != NULL) {
		print_host(file, run, 0);
		print_host(file, run, 1);
		print_path(file, &run->paths[0]);
	} else {
		np_text_title(file, "machine");
		fputs("not in the file\n", file);
	}
	for (size_t i = 0; i < run->notes.count; i++) {
		np_text_title(file, run->notes.list[i].name);
		np_text_safe(file, run->notes.list[i].text);
		fputc('\n', file);
	}
	if (run->header != NULL) {
		print_warnings(file, run, 0);
		print_warnings(file, run, 1);
	}
}
