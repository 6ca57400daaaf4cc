/*
 * core_latency.c - core-to-core latency: a token in one shared cache line.
 */
#include "endpoint/core_latency.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/shared_memory.h"
#include "stats/stats.h"

/* Rounds, of which the median counts; round trips of a round; timeout of one turn, ns. */
enum { ROUNDS = 9, TURNS = 64, TIMEOUT_NS = 20000000 };

struct np_core_latency {
	_Alignas(64) atomic_uint turn;
	char rest_of_page[4096 - 64];
};

/* Path of a symbolic link to the line, by the token of the run: rank 0 creates it, rank 1
 * follows it. */
static void format_link(const struct np_boot *boot, char *link, size_t size)
{
	int at = snprintf(link, size, "/dev/shm/netpong-");

	for (unsigned i = 0; i < 8; i++)
		at += snprintf(link + at, size - (size_t)at, "%02x", boot->token[i]);
}

static int create_line(const char *link)
{
	char path[NP_SHARED_PATH];
	const int fd = np_shared_memory_create(sizeof(struct np_core_latency), path);

	if (fd < 0 || symlink(path, link) == 0)
		return fd;
	close(fd);
	return -1;
}

static int open_line(const char *link)
{
	struct stat status;
	/* A link of another user may lead anywhere. */
	if (lstat(link, &status) != 0 || !S_ISLNK(status.st_mode) ||
	    status.st_uid != geteuid())
		return -1;
	const int fd = np_shared_memory_open(link, sizeof(struct np_core_latency));

	/* Removed at once: a killed run leaves nothing behind. */
	unlink(link);
	return fd;
}

static struct np_core_latency *map_line(int fd)
{
	void *line = fd < 0 ? MAP_FAILED :
			      mmap(NULL, sizeof(struct np_core_latency),
				   PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	return line == MAP_FAILED ? NULL : line;
}

int np_core_latency_open(struct np_boot *boot, bool useful,
			 struct np_core_latency **core_latency, struct np_error *error)
{
	unsigned char mine = useful, theirs = 0;
	char link[40];
	int fd = -1;

	*core_latency = NULL;
	format_link(boot, link, sizeof(link));
	if (useful && boot->rank == 0) {
		fd = create_line(link);
		mine = fd >= 0;
	}
	int rc = np_boot_exchange(boot, &mine, &theirs, 1, error);
	if (rc == 0 && useful && boot->rank == 1 && theirs != 0)
		fd = open_line(link);
	struct np_core_latency *line = map_line(fd);
	mine = line != NULL;
	if (rc == 0)
		rc = np_boot_exchange(boot, &mine, &theirs, 1, error);
	if (fd >= 0)
		close(fd);
	if (useful && boot->rank == 0)
		unlink(link);
	if (rc != 0 || theirs == 0) {
		np_core_latency_close(line);
		line = NULL;
	}
	*core_latency = line;
	return rc;
}

/* Polls until the turn is `until`.  Returns false after TIMEOUT_NS or if *stop is set. */
static bool wait_turn(struct np_core_latency *core_latency, unsigned until,
		      const atomic_bool *stop)
{
	const uint64_t deadline = np_clock_ns() + TIMEOUT_NS;

	for (;;) {
		for (unsigned polls = 0; polls < 10000; polls++) {
			if (atomic_load_explicit(&core_latency->turn,
						 memory_order_acquire) == until)
				return true;
		}
		if (atomic_load_explicit(stop, memory_order_relaxed) ||
		    np_clock_ns() > deadline)
			return false;
	}
}

double np_core_latency_probe(struct np_core_latency *core_latency, int rank,
			     const atomic_bool *stop)
{
	double rounds[ROUNDS];
	bool answered = true;
	unsigned turn = 0;

	if (core_latency == NULL)
		return 0;
	/* Rank 0 writes odd numbers, rank 1 even ones; the line begins at 0. */
	for (unsigned round = 0; round < ROUNDS && answered; round++) {
		const uint64_t begin = np_clock_ns();

		for (unsigned i = 0; i < TURNS && answered; i++) {
			if (rank == 0)
				atomic_store_explicit(&core_latency->turn, turn + 1,
						      memory_order_release);
			answered =
				wait_turn(core_latency, turn + (rank == 0 ? 2 : 1), stop);
			if (rank == 1 && answered)
				atomic_store_explicit(&core_latency->turn, turn + 2,
						      memory_order_release);
			turn += 2;
		}
		const uint64_t end = np_clock_ns();

		rounds[round] = end > begin ? (double)(end - begin) / (2.0 * TURNS) : 0;
	}
	/* The peer is done, or has timed out: the next probe begins at 0. */
	if (rank == 0)
		atomic_store_explicit(&core_latency->turn, 0, memory_order_release);
	return answered ? np_median(rounds, ROUNDS) : 0;
}

void np_core_latency_close(struct np_core_latency *core_latency)
{
	if (core_latency != NULL)
		munmap(core_latency, sizeof(*core_latency));
}
