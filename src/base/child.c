/*
 * child.c - end of a child process; drain of pipes; search for a program.
 */
#include "base/child.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/deadline.h"

enum {
	LOOK_MS = 10,	  /* between two waitpid() calls */
	KILLED_MS = 2000, /* from SIGKILL; a child inside a dead file system stays */
	READS_MOST = 1000 /* after the child's end: a grandchild may keep the pipe open */
};

/* Reads the pipe once, if data arrives in time.  Returns whether it did. */
static bool read_pipe(const struct np_child_end *how, int timeout_ms)
{
	struct pollfd wait = { .fd = how->pipe != NULL ? *how->pipe : -1,
			       .events = POLLIN };

	if (poll(&wait, 1, timeout_ms) <= 0)
		return false;
	how->read(how->context);
	return true;
}

static bool is_reaped(pid_t child, int *status)
{
	const pid_t reaped = waitpid(child, status, WNOHANG);

	return reaped > 0 || (reaped < 0 && errno != EINTR);
}

/* Returns whether the child ended within time_ms. */
static bool ends_within(pid_t child, int time_ms, const struct np_child_end *how,
			int *status)
{
	const struct np_deadline deadline = np_deadline_in((uint64_t)time_ms);

	do {
		if (is_reaped(child, status))
			return true;
		read_pipe(how, np_deadline_left_ms(deadline, LOOK_MS));
	} while (!np_deadline_is_over(deadline));
	return is_reaped(child, status);
}

int np_child_end(pid_t child, const struct np_child_end *how)
{
	int status = 0;
	bool ended = ends_within(child, how->wait_ms, how, &status);

	if (!ended && how->signal != 0) {
		kill(child, how->signal);
		ended = ends_within(child, how->grace_ms, how, &status);
	}
	if (!ended) {
		kill(child, SIGKILL);
		if (!ends_within(child, KILLED_MS, how, &status))
			status = SIGKILL;
	}
	for (unsigned i = 0; i < READS_MOST && read_pipe(how, 0); i++)
		;
	return status;
}

enum { DRAIN_MS = 1000 }; /* for the reader of a pipe */

static void drain(int fd)
{
	const struct timespec moment = { .tv_nsec = 1000000 };
	const struct np_deadline deadline = np_deadline_in(DRAIN_MS);
	struct stat status;
	int left;

	if (fstat(fd, &status) != 0 || !S_ISFIFO(status.st_mode))
		return;
	while (ioctl(fd, FIONREAD, &left) == 0 && left > 0 &&
	       !np_deadline_is_over(deadline))
		nanosleep(&moment, NULL);
}

void np_drain_output(void)
{
	drain(STDOUT_FILENO);
	drain(STDERR_FILENO);
}

/* ---- Search for a program ----------------------------------------------------------- */

static bool is_program(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISREG(status.st_mode) &&
	       access(path, X_OK) == 0;
}

/* Returns true if the folder (`length` bytes) has the program, and writes its path. */
static bool is_in(const char *folder, size_t length, const char *name, char *path,
		  size_t size)
{
	const int written = snprintf(path, size, "%.*s%s%s", (int)length, folder,
				     length != 0 ? "/" : "", name);

	return written > 0 && (size_t)written < size && is_program(path);
}

static bool is_beside(const char *name, char *path, size_t size)
{
	char own[PATH_MAX];
	const ssize_t length = readlink("/proc/self/exe", own, sizeof(own) - 1);

	if (length <= 0)
		return false;
	own[length] = '\0';
	const char *slash = strrchr(own, '/');

	return slash != NULL && is_in(own, (size_t)(slash - own), name, path, size);
}

bool np_program_in_path(const char *name, char *path, size_t size)
{
	const char *folders = getenv("PATH");

	while (folders != NULL) {
		const size_t length = strcspn(folders, ":");

		/* An empty entry is the working folder. */
		if (is_in(folders, length, name, path, size))
			return true;
		folders = folders[length] == ':' ? folders + length + 1 : NULL;
	}
	return false;
}

bool np_program_find(const char *name, const char *folder, char *path, size_t size)
{
	return is_beside(name, path, size) ||
	       (*folder != '\0' && is_in(folder, strlen(folder), name, path, size)) ||
	       np_program_in_path(name, path, size);
}
