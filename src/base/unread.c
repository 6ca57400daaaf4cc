/*
 * unread.c - drain of standard output and error.
 */
#include "base/unread.h"

#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 1000 };

static void wait_for(int fd)
{
	const struct timespec moment = { .tv_nsec = 1000000 };
	struct stat status;
	int left;

	if (fstat(fd, &status) != 0 || !S_ISFIFO(status.st_mode))
		return;
	for (int round = 0; round < ROUNDS && ioctl(fd, FIONREAD, &left) == 0 && left > 0;
	     round++)
		nanosleep(&moment, NULL);
}

void np_wait_until_read(void)
{
	wait_for(STDOUT_FILENO);
	wait_for(STDERR_FILENO);
}
