/*
 * core_latency.c - core-to-core latency: a token in one shared cache line.
 */
#include "endpoint/core_latency.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "stats/stats.h"

/* Rounds, of which the median counts; round trips of a round; timeout of one turn, ns. */
enum { ROUNDS = 9, TURNS = 64, TIMEOUT_NS = 20000000 };

struct np_core_latency {
	_Alignas(64) atomic_uint turn;
	char rest_of_page[4096 - 64];
};

static void format_name(const struct np_boot *boot, char *name, size_t size)
{
	int at = snprintf(name, size, "/netpong-");

	for (unsigned i = 0; i < 8; i++)
		at += snprintf(name + at, size - (size_t)at, "%02x", boot->token[i]);
}

static struct np_core_latency *map_line(int fd)
{
	void *line = mmap(NULL, sizeof(struct np_core_latency), PROT_READ | PROT_WRITE,
			  MAP_SHARED, fd, 0);

	close(fd);
	return line == MAP_FAILED ? NULL : line;
}

/* Rank 0 creates the line and rank 1 opens it; the name is needed between the two
 * only. */
static struct np_core_latency *create_line(const char *name)
{
	const int fd = shm_open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd < 0)
		return NULL;
	if (ftruncate(fd, sizeof(struct np_core_latency)) != 0) {
		close(fd);
		return NULL;
	}
	return map_line(fd);
}

static struct np_core_latency *open_line(const char *name)
{
	const int fd = shm_open(name, O_RDWR | O_CLOEXEC, 0);
	struct stat status;

	/* Unlinked at once: a killed run leaves nothing behind. */
	shm_unlink(name);
	if (fd < 0)
		return NULL;
	/* An access beyond the end of a shorter file would raise SIGBUS. */
	if (fstat(fd, &status) != 0 ||
	    status.st_size < (off_t)sizeof(struct np_core_latency)) {
		close(fd);
		return NULL;
	}
	return map_line(fd);
}

int np_core_latency_open(struct np_boot *boot, bool useful,
			 struct np_core_latency **core_latency, struct np_error *error)
{
	struct np_core_latency *line = NULL;
	unsigned char mine = useful, theirs = 0;
	char name[32];

	*core_latency = NULL;
	format_name(boot, name, sizeof(name));
	if (useful && boot->rank == 0) {
		line = create_line(name);
		mine = line != NULL;
	}
	int rc = np_boot_exchange(boot, &mine, &theirs, 1, error);
	if (rc == 0 && useful && boot->rank == 1 && theirs != 0)
		line = open_line(name);
	mine = line != NULL;
	if (rc == 0)
		rc = np_boot_exchange(boot, &mine, &theirs, 1, error);
	if (boot->rank == 0)
		shm_unlink(name);
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
