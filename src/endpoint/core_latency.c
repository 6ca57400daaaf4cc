/*
 * core_latency.c - a token on one shared cache line.
 */
#include "endpoint/core_latency.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "stats/stats.h"

enum { ROUNDS = 9, TURNS = 64, PATIENCE_NS = 20000000 };

struct np_core_latency {
	_Alignas(64) atomic_uint turn;
	char rest_of_page[4096 - 64];
};

static void name_of(const struct np_boot *boot, char *name, size_t size)
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

/* Rank 0 makes the line, rank 1 opens it; between the two the name must exist,
 * after them nobody needs it. */
static struct np_core_latency *make_line(const char *name)
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

static struct np_core_latency *find_line(const char *name)
{
	const int fd = shm_open(name, O_RDWR | O_CLOEXEC, 0);

	/* Once both have it nobody needs the name, and a killed run leaves none. */
	shm_unlink(name);
	return fd >= 0 ? map_line(fd) : NULL;
}

int np_core_latency_open(struct np_boot *boot, bool useful,
			 struct np_core_latency **core_latency, struct np_error *error)
{
	struct np_core_latency *line = NULL;
	unsigned char mine = useful, theirs = 0;
	char name[32];

	*core_latency = NULL;
	name_of(boot, name, sizeof(name));
	if (useful && boot->rank == 0) {
		line = make_line(name);
		mine = line != NULL;
	}
	int rc = np_boot_exchange(boot, &mine, &theirs, 1, error);
	if (rc == 0 && useful && boot->rank == 1 && theirs != 0)
		line = find_line(name);
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

/* Waits until the turn is `until`.  Returns false when patience ends. */
static bool await(struct np_core_latency *core_latency, unsigned until,
		  const atomic_bool *stop)
{
	const uint64_t deadline = np_clock_ns() + PATIENCE_NS;

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
	bool met = true;
	unsigned turn = 0;

	if (core_latency == NULL)
		return 0;
	/* Rank 0 writes odd numbers, rank 1 even ones; 0 is where both begin. */
	for (unsigned round = 0; round < ROUNDS && met; round++) {
		const uint64_t begin = np_clock_ns();

		for (unsigned i = 0; i < TURNS && met; i++) {
			if (rank == 0)
				atomic_store_explicit(&core_latency->turn, turn + 1,
						      memory_order_release);
			met = await(core_latency, turn + (rank == 0 ? 2 : 1), stop);
			if (rank == 1 && met)
				atomic_store_explicit(&core_latency->turn, turn + 2,
						      memory_order_release);
			turn += 2;
		}
		rounds[round] = (double)(np_clock_ns() - begin) / (2.0 * TURNS);
	}
	/* Rank 0 has seen the last even number, or given up: start afresh. */
	if (rank == 0)
		atomic_store_explicit(&core_latency->turn, 0, memory_order_release);
	return met ? np_median(rounds, ROUNDS) : 0;
}

void np_core_latency_close(struct np_core_latency *core_latency)
{
	if (core_latency != NULL)
		munmap(core_latency, sizeof(*core_latency));
}
