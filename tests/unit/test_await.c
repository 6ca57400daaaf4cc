/*
 * test_await.c - calls that do not return, as of a file that never ends, have a deadline.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "socket_pair.h"

/* Any bound. */
enum { MOST = 1000 };

static int read_in(const char *path, uint64_t ms, struct np_file_content *content,
		   struct np_error *error)
{
	*error = (struct np_error){ .code = 0 };
	return np_file_read(path, MOST, np_deadline_in(ms), content, error);
}

/* A FIFO: without a writer, with one that says nothing, and with one that ends. */
static void check_fifo(void **state)
{
	char folder[] = "/tmp/netpong-await.XXXXXX", path[64];
	struct np_file_content content;
	struct np_error error;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/fifo", folder);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(read_in(path, 50, &content, &error), -ETIMEDOUT);
	assert_int_equal(error.kind, NP_ERROR_USAGE);
	assert_non_null(strstr(error.text, path));
	assert_null(content.text);

	const int writer = open(path, O_RDWR);
	assert_true(writer >= 0);
	assert_int_equal(read_in(path, 50, &content, &error), -ETIMEDOUT);
	/* Releases the threads above.  They may read what the next writer writes, so it has
	 * another FIFO. */
	close(writer);
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);

	if (fork() == 0) {
		const int fd = open(path, O_WRONLY);

		_exit(write(fd, "a line\n", 7) != 7);
	}
	assert_int_equal(read_in(path, PATIENCE_MS, &content, &error), 0);
	assert_string_equal(content.text, "a line\n");
	assert_int_equal(content.mode & 0777, 0600);
	free(content.text);
	unlink(path);
	rmdir(folder);
}

static void check_refusals(void **state)
{
	struct np_file_content content;
	struct np_error error;

	(void)state;
	assert_int_equal(read_in("/dev/zero", PATIENCE_MS, &content, &error), -EBADMSG);
	assert_int_equal(read_in("/proc/self/exe/none", PATIENCE_MS, &content, &error),
			 -ENOTDIR);
	assert_int_equal(read_in("/tmp", PATIENCE_MS, &content, &error), -EISDIR);
	assert_int_equal(np_file_read("/proc/self/status", 10, np_deadline_in(PATIENCE_MS),
				      &content, &error),
			 -EFBIG);
	assert_null(content.text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_fifo),
		cmocka_unit_test(check_refusals),
	};

	return cmocka_run_group_tests_name("await", tests, NULL, NULL);
}
