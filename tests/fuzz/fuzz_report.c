/*
 * fuzz_report.c - what reads files, before whatever a file may hold: a target of
 * libFuzzer.  The first byte chooses the format, the rest is the file; what was
 * read is analysed, for that has to cope with it too.
 *
 * Built and run by fuzz_report.sh.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "report/curves/run.h"
#include "../unit/in_memory.h"
#include "report/text/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* From '0' on the format in the order of the table, else found out. */
static const char *format_of(uint8_t byte)
{
#define NAME(name) #name,
	static const char *const names[] = { NP_FORMATS(NAME) };
#undef NAME
	const size_t index = (size_t)(byte - '0');

	return byte >= '0' && index < sizeof(names) / sizeof(names[0]) ? names[index] :
									 NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct np_error error = { .code = 0 };
	struct np_run run;

	if (size < 1)
		return 0;
	read_memory("fuzz", data + 1, size - 1, format_of(data[0]), &run, &error);
	struct np_error failure = { .code = 0 };
	struct np_analysis *analyses = np_analyse_run(&run, &failure);
	FILE *null = analyses != NULL ? fopen("/dev/null", "w") : NULL;

	if (null != NULL) {
		np_text_run(null, &run, analyses);
		if (run.uses != NULL)
			np_text_reuse(null, &run, 1);
		fclose(null);
	}
	np_analyses_free(analyses, run.series_count);
	np_run_free(&run);
	return 0;
}
