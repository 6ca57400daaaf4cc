/*
 * block_timeout.c - block timeout, not counting the time that a thread waited for a
 * CPU.
 */
#include "endpoint/block_timeout.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const uint64_t min_ns = 7000000000u,
		      max_starved_ns = NP_STARVED_MOST_S * 1000000000ull,
		      stop_ns = 2000000000u; /* four times the interval of checks */

uint64_t np_block_timeout_unknown(size_t length, uint64_t messages)
{
	return min_ns + messages * (10000000 + (uint64_t)length * 2 * 10000);
}

uint64_t np_block_timeout_expected(double expected_ns)
{
	return min_ns + (uint64_t)(50 * expected_ns);
}

bool np_block_timeout_is_over(struct np_block_timeout *timeout, uint64_t deadline,
			      uint64_t now, const uint64_t starved[2])
{
	const uint64_t unchecked = timeout->checked_ns != 0 ? now - timeout->checked_ns : 0;
	uint64_t waited = 0;

	if (deadline != timeout->deadline) {
		memcpy(timeout->starved, timeout->seen, sizeof(timeout->starved));
		timeout->deadline = deadline;
		timeout->over = false;
		timeout->stopped_ns = 0;
	}
	if (unchecked > stop_ns)
		timeout->stopped_ns += unchecked;
	timeout->checked_ns = now;
	memcpy(timeout->seen, starved, sizeof(timeout->seen));
	const uint64_t most[2] = { max_starved_ns, timeout->excuse_ns };
	for (int process = 0; process < 2; process++) {
		const uint64_t before = timeout->starved[process];
		const uint64_t more =
			starved[process] > before ? starved[process] - before : 0;

		const uint64_t excused = more < most[process] ? more : most[process];

		waited = excused > waited ? excused : waited;
	}
	waited += timeout->stopped_ns;
	const bool was_over = timeout->over;
	/* Compared as a difference: deadline + waited could overflow, as the peer sends
	 * both. */
	timeout->over = deadline != 0 && now >= deadline && now - deadline >= waited;
	return timeout->over && was_over;
}

int np_starved_open(void)
{
	return open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
}

/* schedstat has three numbers: ns on a CPU, ns waiting for one, number of time slices; see
 * Documentation/scheduler/sched-stats.rst of the kernel. */
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
