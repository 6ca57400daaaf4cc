/*
 * test_child.c - a child process ends by itself, by a signal or by force, whatever it
 * does, and is reaped; what it wrote is read.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/clock.h"

/* Longer than any of these waits. */
enum { FOREVER_S = 60 };

enum { WRITTEN = 300000 };

/* Replaces the one of the C library: a process inside a dead file system stays. */
static bool unkillable;

int kill(pid_t process, int number)
{
	return unkillable ? 0 : (int)syscall(SYS_kill, process, number);
}

/* A child that writes a byte once it is ready, then does `act`; *ready is the pipe. */
static pid_t start(void (*act)(int fd), int *ready)
{
	int ends[2];
	char byte;

	assert_int_equal(pipe(ends), 0);
	const pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		close(ends[0]);
		act(ends[1]);
		_exit(7);
	}
	close(ends[1]);
	assert_int_equal(read(ends[0], &byte, 1), 1);
	*ready = ends[0];
	return child;
}

static void leave(int fd)
{
	if (write(fd, "r", 1) != 1)
		abort();
}

static void stay(int fd)
{
	leave(fd);
	sleep(FOREVER_S);
}

static void ignore(int fd)
{
	signal(SIGTERM, SIG_IGN);
	stay(fd);
}

/* More than a pipe holds. */
static void talk(int fd)
{
	char text[1000];

	leave(fd);
	memset(text, 'x', sizeof(text));
	for (size_t i = 0; i < WRITTEN / sizeof(text); i++) {
		if (write(fd, text, sizeof(text)) != (ssize_t)sizeof(text))
			abort();
	}
}

static int end(void (*act)(int fd), const struct np_child_end *how)
{
	int fd;
	const pid_t child = start(act, &fd);
	const uint64_t begin = np_clock_ns();
	const int status = np_child_end(child, how);

	assert_true(np_clock_ns() - begin < FOREVER_S / 2 * UINT64_C(1000000000));
	assert_int_equal(waitpid(child, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
	close(fd);
	return status;
}

static void check_by_itself(void **state)
{
	const struct np_child_end in_time = { .wait_ms = 20000 };

	(void)state;
	assert_int_equal(WEXITSTATUS(end(leave, &in_time)), 7);
}

static void check_signal(void **state)
{
	const struct np_child_end how = { .signal = SIGTERM, .grace_ms = 20000 };

	(void)state;
	assert_int_equal(WTERMSIG(end(stay, &how)), SIGTERM);
}

static void check_force(void **state)
{
	const struct np_child_end deaf = { .signal = SIGTERM, .grace_ms = 50 },
				  none = { .wait_ms = 10 };

	(void)state;
	assert_int_equal(WTERMSIG(end(ignore, &deaf)), SIGKILL);
	assert_int_equal(WTERMSIG(end(stay, &none)), SIGKILL);
}

/* One that SIGKILL does not end is left. */
static void check_unkillable(void **state)
{
	const struct np_child_end none = { .wait_ms = 10 };
	int fd;
	const pid_t child = start(stay, &fd);

	(void)state;
	unkillable = true;
	assert_int_equal(WTERMSIG(np_child_end(child, &none)), SIGKILL);
	unkillable = false;
	assert_int_equal(waitpid(child, NULL, WNOHANG), 0);
	assert_int_equal(kill(child, SIGKILL), 0);
	assert_int_equal(waitpid(child, NULL, 0), child);
	close(fd);
}

struct heard {
	int fd;
	size_t bytes;
};

static void hear(void *context)
{
	struct heard *heard = context;
	char text[4096];
	const ssize_t length = read(heard->fd, text, sizeof(text));

	assert_true(length >= 0);
	heard->bytes += (size_t)length;
	if (length == 0) {
		close(heard->fd);
		heard->fd = -1;
	}
}

static void check_pipe(void **state)
{
	struct heard heard = { .bytes = 0 };
	const struct np_child_end how = {
		.wait_ms = 20000, .pipe = &heard.fd, .read = hear, .context = &heard
	};
	const pid_t child = start(talk, &heard.fd);

	(void)state;
	assert_int_equal(WEXITSTATUS(np_child_end(child, &how)), 7);
	assert_int_equal(heard.bytes, WRITTEN);
	assert_int_equal(heard.fd, -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_by_itself), cmocka_unit_test(check_signal),
		cmocka_unit_test(check_force),	   cmocka_unit_test(check_unkillable),
		cmocka_unit_test(check_pipe),
	};

	return cmocka_run_group_tests_name("child", tests, NULL, NULL);
}
