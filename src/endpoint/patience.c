/*
 * patience.c - how long a block may take.
 */
#include "endpoint/patience.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const uint64_t least_ns = 7000000000u;

uint64_t np_patience_unknown(size_t length, uint64_t messages)
{
	return least_ns + messages * (10000000 + (uint64_t)length * 2 * 10000);
}

uint64_t np_patience_expected(double expected_ns)
{
	return least_ns + (uint64_t)(50 * expected_ns);
}

bool np_patience_is_over(struct np_patience *patience, uint64_t deadline, uint64_t now,
			 const uint64_t starved[2])
{
	uint64_t longest = 0;

	if (deadline != patience->deadline) {
		memcpy(patience->starved, patience->seen, sizeof(patience->starved));
		patience->deadline = deadline;
		patience->over = false;
	}
	memcpy(patience->seen, starved, sizeof(patience->seen));
	for (int end = 0; end < 2; end++) {
		const uint64_t before = patience->starved[end];
		const uint64_t waited = starved[end] > before ? starved[end] - before : 0;

		longest = waited > longest ? waited : longest;
	}
	const bool was_over = patience->over;
	/* A difference: what a peer tells may be any number. */
	patience->over = deadline != 0 && now >= deadline && now - deadline >= longest;
	return patience->over && was_over;
}

int np_starved_open(void)
{
	return open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
}

/* "time on a processor, time waiting for one, times it got one": proc_pid_schedstat
 * in the kernel's Documentation/scheduler/sched-stats.rst. */
uint64_t np_starved_ns(int fd)
{
	char text[80];
	char *at;
	const ssize_t length = fd >= 0 ? pread(fd, text, sizeof(text) - 1, 0) : 0;

	if (length <= 0)
		return 0;
	text[length] = '\0';
	(void)strtoull(text, &at, 10);
	return strtoull(at, NULL, 10);
}
