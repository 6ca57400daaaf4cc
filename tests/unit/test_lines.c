/*
 * test_lines.c - whatever the pieces that bytes arrive in, the lines are the same.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/files.h"

static char *line;
static size_t length;
static struct np_error error;

static void feed(struct np_lines *lines, int fd, const char *text)
{
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	assert_int_equal(np_lines_read(lines, &error), 0);
}

static void expect(struct np_lines *lines, const char *text)
{
	assert_int_equal(np_lines_take(lines, &line, &length, &error), 1);
	assert_string_equal(line, text);
	assert_int_equal(length, strlen(text));
}

static void check_pipe(void **state)
{
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	struct np_lines lines = { .fd = ends[0] };
	assert_int_equal(np_lines_take(&lines, &line, &length, &error), 0);
	feed(&lines, ends[1], "one\ntw");
	expect(&lines, "one");
	assert_int_equal(np_lines_take(&lines, &line, &length, &error), 0);
	feed(&lines, ends[1], "o");
	assert_int_equal(np_lines_take(&lines, &line, &length, &error), 0);
	feed(&lines, ends[1], "\r\n\nthree\nfo");
	expect(&lines, "two");
	expect(&lines, "");
	assert_int_equal(lines.number, 3);
	expect(&lines, "three");
	assert_int_equal(np_lines_take(&lines, &line, &length, &error), 0);
	assert_false(lines.over || lines.cut);
	close(ends[1]);
	assert_int_equal(np_lines_read(&lines, &error), 0);
	expect(&lines, "fo");
	assert_true(lines.over && lines.cut);
	assert_int_equal(np_lines_take(&lines, &line, &length, &error), 0);
	np_lines_close(&lines);
	assert_int_equal(lines.fd, -1);
}

static int file_of(const char *text, size_t size)
{
	const int fd = memfd_create("lines", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, size), size);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

/* Lines of 0 to 700 letters, of which none fits the first buffer alone. */
static void check_file(void **state)
{
	enum { LINES = 700 };
	char *text = malloc(LINES * LINES), *at = text;

	(void)state;
	assert_non_null(text);
	for (size_t i = 0; i < LINES; i++) {
		memset(at, 'a' + (int)(i % 26), i);
		at[i] = '\n';
		at += i + 1;
	}
	struct np_lines lines = { .fd = file_of(text, (size_t)(at - text)) };
	for (size_t i = 0; i < LINES; i++) {
		assert_int_equal(np_lines_next(&lines, &line, &length, &error), 1);
		assert_int_equal(length, i);
		assert_true(i == 0 || line[i - 1] == 'a' + (int)(i % 26));
	}
	assert_int_equal(np_lines_next(&lines, &line, &length, &error), 0);
	assert_int_equal(lines.number, LINES);
	assert_int_equal(lines.bytes, at - text);
	np_lines_close(&lines);
	free(text);
}

static void check_long_line(void **state)
{
	enum { LONG = 3 << 20 };
	char *text = malloc(LONG);

	(void)state;
	assert_non_null(text);
	memset(text, 'x', LONG);
	struct np_lines lines = { .fd = file_of(text, LONG) };
	assert_int_equal(np_lines_next(&lines, &line, &length, &error), 1);
	assert_int_equal(length, LONG);
	assert_true(lines.cut);
	np_lines_close(&lines);
	free(text);
}

static void check_refusals(void **state)
{
	struct np_lines lines = { .fd = file_of("good\nb\0d\nend", 12) };

	(void)state;
	assert_int_equal(np_lines_next(&lines, &line, &length, &error), 1);
	assert_int_equal(np_lines_next(&lines, &line, &length, &error), -EBADMSG);
	assert_int_equal(lines.number, 2);
	np_lines_close(&lines);
	error.code = 0;
	lines = (struct np_lines){ .fd = -1 };
	assert_int_equal(np_lines_next(&lines, &line, &length, &error), -EBADF);
	assert_int_equal(lines.number, 1);
	np_lines_close(&lines);
	error.code = 0;
}

static void check_peek(void **state)
{
	struct np_lines lines = { .fd = file_of("\xef\xbb\xbfname\n1\n", 10) };

	(void)state;
	assert_string_equal(np_lines_peek(&lines, &error), "name\n1\n");
	assert_int_equal(np_lines_next(&lines, &line, &length, &error), 1);
	assert_string_equal(line, "name");
	np_lines_close(&lines);
	lines = (struct np_lines){ .fd = file_of("", 0) };
	assert_string_equal(np_lines_peek(&lines, &error), "");
	assert_int_equal(np_lines_next(&lines, &line, &length, &error), 0);
	np_lines_close(&lines);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_pipe),	   cmocka_unit_test(check_file),
		cmocka_unit_test(check_long_line), cmocka_unit_test(check_refusals),
		cmocka_unit_test(check_peek),
	};

	return cmocka_run_group_tests_name("lines", tests, NULL, NULL);
}
