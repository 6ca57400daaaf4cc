/*
 * peak.c - peak resident memory of a command, as a process of a job:
 *
 *     mpiexec -n 8 peak NPmpi --pattern ring
 *
 * Prints "peak KIB SECONDS" when the command has ended: the resident set of wait4(), and
 * the CPU time, user and system.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static double seconds(const struct timeval *time)
{
	return (double)time->tv_sec + 1e-6 * (double)time->tv_usec;
}

int main(int argc, char **argv)
{
	struct rusage usage;
	int status;

	if (argc < 2) {
		fputs("usage: peak COMMAND [ARGUMENT...]\n", stderr);
		return 2;
	}
	const pid_t child = fork();
	if (child == 0) {
		execv(argv[1], argv + 1);
		_exit(127);
	}
	if (child < 0 || wait4(child, &status, 0, &usage) != child)
		return 1;
	printf("peak %ld %.3f\n", usage.ru_maxrss,
	       seconds(&usage.ru_utime) + seconds(&usage.ru_stime));
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
