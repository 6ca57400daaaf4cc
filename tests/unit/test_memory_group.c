/*
 * test_memory_group.c - limits of control groups, in a hierarchy of files that the test
 * writes.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "machine/host.h"

/* Writes a file below the temporary folder, and its folders. */
static void write_file(const char *root, const char *name, const char *text)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", root, name);
	for (char *at = path + 1; (at = strchr(at, '/')) != NULL; at++) {
		*at = '\0';
		assert_true(mkdir(path, 0700) == 0 || errno == EEXIST);
		*at = '/';
	}
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

/* Available memory of the host, in proc/meminfo. */
#define HOST_MEMORY ((size_t)1 << 40)

static size_t left_in(const char *root)
{
	return np_host_memory_available(root);
}

static int make_root(void **state)
{
	*state = strdup("/tmp/netpong-test-XXXXXX");
	if (*state == NULL || mkdtemp(*state) == NULL)
		return -1;
	write_file(*state, "proc/meminfo", "MemAvailable:   1073741824 kB\n");
	return 0;
}

static int remove_root(void **state)
{
	char command[256];

	snprintf(command, sizeof(command), "rm -rf '%s'", (const char *)*state);
	const int rc = system(command);
	free(*state);
	return rc;
}

static void check_no_limit(void **state)
{
	const char *root = *state;

	assert_true(left_in(root) == HOST_MEMORY);
	write_file(root, "proc/self/cgroup", "0::/a/b\n");
	assert_true(left_in(root) == HOST_MEMORY);
	write_file(root, "sys/fs/cgroup/a/b/memory.max", "max\n");
	write_file(root, "sys/fs/cgroup/a/b/memory.current", "4096\n");
	assert_true(left_in(root) == HOST_MEMORY);
}

static void check_second_version(void **state)
{
	const char *root = *state;

	write_file(root, "proc/self/cgroup", "0::/a/b\n");
	write_file(root, "sys/fs/cgroup/a/b/memory.max", "10000\n");
	write_file(root, "sys/fs/cgroup/a/b/memory.current", "4000\n");
	assert_int_equal(left_in(root), 6000);
	/* An ancestor's limit is smaller, or nearer. */
	write_file(root, "sys/fs/cgroup/a/memory.max", "20000\n");
	write_file(root, "sys/fs/cgroup/a/memory.current", "15000\n");
	assert_int_equal(left_in(root), 5000);
	/* Used more than it may. */
	write_file(root, "sys/fs/cgroup/a/memory.current", "25000\n");
	assert_int_equal(left_in(root), 0);
}

static void check_limit_of_an_ancestor_alone(void **state)
{
	const char *root = *state;

	write_file(root, "proc/self/cgroup", "0::/a/b/c\n");
	write_file(root, "sys/fs/cgroup/a/b/c/memory.max", "max\n");
	write_file(root, "sys/fs/cgroup/a/b/c/memory.current", "1000\n");
	write_file(root, "sys/fs/cgroup/a/memory.max", "30000\n");
	write_file(root, "sys/fs/cgroup/a/memory.current", "2000\n");
	assert_int_equal(left_in(root), 28000);
}

static void check_first_version(void **state)
{
	const char *root = *state;

	write_file(root, "proc/self/cgroup",
		   "12:pids:/p\n5:cpu,memory:/a\n3:notmemory:/a/b\n1:name=x:/\n");
	write_file(root, "sys/fs/cgroup/memory/a/memory.limit_in_bytes", "50000\n");
	write_file(root, "sys/fs/cgroup/memory/a/memory.usage_in_bytes", "1\n");
	assert_int_equal(left_in(root), 49999);
	/* That of no limit is the largest number of pages. */
	write_file(root, "sys/fs/cgroup/memory/a/memory.limit_in_bytes",
		   "9223372036854771712\n");
	assert_true(left_in(root) == HOST_MEMORY);
}

/* The path is the host's, the mount is the container's. */
static void check_container(void **state)
{
	const char *root = *state;

	write_file(root, "proc/self/cgroup", "0::/system.slice/docker-1.scope\n");
	write_file(root, "sys/fs/cgroup/memory.max", "700\n");
	write_file(root, "sys/fs/cgroup/memory.current", "100\n");
	assert_int_equal(left_in(root), 600);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(check_no_limit, make_root, remove_root),
		cmocka_unit_test_setup_teardown(check_second_version, make_root,
						remove_root),
		cmocka_unit_test_setup_teardown(check_limit_of_an_ancestor_alone, make_root,
						remove_root),
		cmocka_unit_test_setup_teardown(check_first_version, make_root,
						remove_root),
		cmocka_unit_test_setup_teardown(check_container, make_root, remove_root),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
