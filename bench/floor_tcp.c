/*
 * floor_tcp.c - hand-written ping-pong or stream over loopback TCP, on a connection of its
 * own and for as long as an application would run.
 * -p polls instead of sleeping; -s streams, one byte back after each 20 messages.
 * Prints bytes, seconds (half a round trip; -s: a message; median of 101 equal times,
 * without the first two) and MB/s.
 */
#include <err.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 101, WARM = 2, STREAM = 20 };
static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int order(const void *a, const void *b)
{
	return *(const double *)a < *(const double *)b ? -1 : 1;
}

static void require(int condition, const char *what)
{
	if (!condition)
		err(1, "%s", what);
}

/* Returns 0 if the other process has closed the connection. */
static int move(int fd, char *at, size_t left, int flags, int out)
{
	for (ssize_t n; left != 0; at += n, left -= (size_t)n) {
		while ((n = out ? send(fd, at, left, flags | MSG_NOSIGNAL) :
				  recv(fd, at, left, flags | MSG_WAITALL)) < 0)
			require(errno == EAGAIN, out ? "send" : "recv");
		if (n == 0)
			return 0;
	}
	return 1;
}

/* Forks and connects both processes, on core 0 (parent) and 1 (child). */
static int fork_ends(int *child)
{
	struct sockaddr_in at = { .sin_family = AF_INET };
	socklen_t length = sizeof(at);
	cpu_set_t core = { 0 };
	int on = 1, fd = socket(AF_INET, SOCK_STREAM, 0);
	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	require(bind(fd, (void *)&at, length) == 0 && listen(fd, 1) == 0, "listen");
	getsockname(fd, (void *)&at, &length);
	require((*child = fork()) >= 0, "fork");
	fd = *child == 0 ? accept(fd, NULL, NULL) : socket(AF_INET, SOCK_STREAM, 0);
	require(*child == 0 || connect(fd, (void *)&at, length) == 0, "connect");
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	CPU_SET(*child == 0 ? 1 : 0, &core);
	require(sched_setaffinity(0, sizeof(core), &core) == 0, "sched_setaffinity");
	return fd;
}

/* Echoes messages until the other process closes the connection; stream: returns a byte
 * after each STREAM messages. */
static int echo(int fd, char *from, size_t bytes, size_t room, int flags, int stream)
{
	for (long i = 1; move(fd, from + room, bytes, flags, 0); i++) {
		if (!stream || i % STREAM == 0)
			move(fd, from, stream ? 1 : bytes, flags, 1);
	}
	return 0;
}

int main(int argc, char **argv)
{
	int flags = 0, stream = 0, child;

	for (int option; (option = getopt(argc, argv, "ps")) != -1;)
		option == 'p' ? (flags = MSG_DONTWAIT) : (stream = 1);
	require(argc - optind == 2, "usage: floor_tcp [-p] [-s] BYTES SECONDS");
	const size_t bytes = strtoull(argv[optind], NULL, 10), room = (bytes | 4095) + 1;
	const double slice = strtod(argv[optind + 1], NULL) / (ROUNDS + WARM);
	const int fd = fork_ends(&child);
	/* Messages between two readings of the clock: 0.1 % of their time at most. */
	const long batch = stream ? STREAM : bytes < 65536 ? 8 : 1;
	char *from = mmap(NULL, 2 * room, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	double each[ROUNDS] = { 0 };

	require(from != MAP_FAILED, "mmap");
	if (child == 0)
		return echo(fd, from, bytes, room, flags, stream);
	for (int round = -WARM; round < ROUNDS; round++) {
		const double begin = now();
		double end;
		long messages = 0;

		do {
			for (long i = 0; i < batch; i++) {
				move(fd, from, bytes, flags, 1);
				if (!stream)
					move(fd, from + room, bytes, flags, 0);
			}
			if (stream)
				move(fd, from + room, 1, flags, 0);
			messages += batch;
			end = now();
		} while (end - begin < slice);
		if (round >= 0)
			each[round] = (end - begin) / (double)messages / (stream ? 1 : 2);
	}
	qsort(each, ROUNDS, sizeof(*each), order);
	const double half = each[ROUNDS / 2];
	return printf("%zu %.9g %g\n", bytes, half, 1e-6 * (double)bytes / half) < 0;
}
