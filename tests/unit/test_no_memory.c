/*
 * test_no_memory.c - NPreport where the n-th allocation fails, for every n: no access
 * beyond what was kept, and a text that is printed whole or not at all.
 *
 * The linker's --wrap leads the allocations of NetPong's own objects here.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "in_memory.h"
#include "output/terminal.h"
#include "report/text/text.h"

/* Allocations until the one that fails; 0: none fails.  full: memory streams fail. */
static struct {
	unsigned long left;
	bool full;
} lack;

static bool fails(void)
{
	return lack.left != 0 && --lack.left == 0;
}

/* The linker gives these names. */
// NOLINTBEGIN(bugprone-reserved-identifier)
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_reallocarray(void *old, size_t count, size_t size);
char *__real_strdup(const char *text);
FILE *__real_open_memstream(char **text, size_t *size);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_reallocarray(void *old, size_t count, size_t size);
char *__wrap_strdup(const char *text);
FILE *__wrap_open_memstream(char **text, size_t *size);
// NOLINTEND(bugprone-reserved-identifier)

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
	return fails() ? NULL : __real_realloc(old, size);
}

void *__wrap_reallocarray(void *old, size_t count, size_t size)
{
	return fails() ? NULL : __real_reallocarray(old, count, size);
}

char *__wrap_strdup(const char *text)
{
	return fails() ? NULL : __real_strdup(text);
}

static ssize_t refuse_bytes(void *cookie, const char *bytes, size_t length)
{
	(void)cookie;
	(void)bytes;
	(void)length;
	errno = ENOMEM;
	return 0;
}

FILE *__wrap_open_memstream(char **text, size_t *size)
{
	const cookie_io_functions_t nothing = { .write = refuse_bytes };

	*text = NULL;
	*size = 0;
	if (fails())
		return NULL;
	return lack.full ? fopencookie(NULL, "w", nothing) :
			   __real_open_memstream(text, size);
}

/* A file of two modes at three sizes, in six passes. */
static char *make_file(size_t *length)
{
	unsigned serial = 0;
	char *text = NULL;
	FILE *file = open_memstream(&text, length);

	assert_non_null(file);
	fputs("{\"kind\":\"header\",\"format\":2,\"op\":\"pingpong\",\"program\":"
	      "\"NPtest\","
	      "\"transmitter\":{\"host\":\"a\"},\"options\":{}}\n",
	      file);
	for (unsigned pass = 0; pass < 6; pass++) {
		for (unsigned i = 0; i < 6; i++)
			fprintf(file,
				"{\"kind\":\"visit\",\"run\":0,\"pass\":%u,\"serial\":%u,"
				"\"bytes\":%u,\"mode\":\"%s\",\"code_path\":\"eager\","
				"\"sentinel\":false,\"iterations\":1,\"blocks\":1,"
				"\"warmup_per_block\":0,\"samples_per_block\":2,"
				"\"warmup_ns\":[],\"samples_ns\":[%u,%u],\"counts\":{},"
				"\"core_latency_ns\":null}\n",
				pass, serial++, 1u << (i / 2 + 3),
				i % 2 == 0 ? "reuse" : "rotate", 1000 + 10 * i + pass,
				1010 + 20 * i + pass);
	}
	assert_int_equal(fclose(file), 0);
	return text;
}

/* As NPreport FILE.  Returns the first error, or 0. */
static int report(const char *bytes, size_t length, FILE *to)
{
	struct np_error error = { .code = 0 };
	struct np_run run = { .path = NULL };
	struct np_fold fold;
	int rc = read_memory("made", bytes, length, NULL, &run, &error);
	struct np_analysis *analyses = np_analyse_run(&run, &error);

	if (analyses != NULL && !np_run_is_empty(&run)) {
		np_text_run(np_fold_begin(&fold, to), &run, analyses);
		const int printed = np_fold_end(&fold, &error);
		rc = rc != 0 ? rc : printed;
	}
	np_analyses_free(analyses, run.series_count);
	np_run_free(&run);
	return rc != 0 ? rc : error.code;
}

static void test_each_allocation(void **state)
{
	size_t length, failed = 0;
	char *bytes = make_file(&length);
	FILE *nothing = fopen("/dev/null", "we");
	unsigned long n = 1;

	(void)state;
	assert_non_null(nothing);
	assert_int_equal(report(bytes, length, nothing), 0);
	for (bool reached = true; reached; n++) {
		lack.left = n;
		failed += report(bytes, length, nothing) != 0;
		reached = lack.left == 0;
	}
	lack.left = 0;
	/* Facts of the header may be left out without an error. */
	assert_true(n > 100 && failed > n / 2);
	fclose(nothing);
	free(bytes);
}

static void test_text_is_lost(void **state)
{
	struct np_error error = { .code = 0 };
	struct np_fold fold;

	(void)state;
	lack.full = true;
	fputs("a line\n", np_fold_begin(&fold, stdout));
	assert_int_equal(np_fold_end(&fold, &error), -ENOMEM);
	lack.full = false;
	assert_int_equal(error.kind, NP_ERROR_FAILED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_allocation),
		cmocka_unit_test(test_text_is_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
