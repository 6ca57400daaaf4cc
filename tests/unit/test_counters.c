/*
 * test_counters.c - what the machine counts of a thread, between two moments.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "machine/counters.h"

static bool find(const struct np_counts *counts, const char *name, uint64_t *value)
{
	for (size_t i = 0; i < counts->count; i++) {
		if (strcmp(counts->list[i].name, name) == 0) {
			*value = counts->list[i].value;
			return true;
		}
	}
	return false;
}

static void begin(struct np_counters *counters)
{
	np_counters_prepare(counters);
	np_counters_start(counters);
}

/* The thread may be on this processor alone. */
static void stay_on(size_t processor)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(processor, &set);
	assert_int_equal(sched_setaffinity(0, sizeof(set), &set), 0);
}

/* Two that it may be on; false if there are not so many. */
static bool find_two(const cpu_set_t *allowed, size_t *two)
{
	size_t found = 0;

	for (size_t i = 0; i < CPU_SETSIZE && found < 2; i++) {
		if (CPU_ISSET(i, allowed))
			two[found++] = i;
	}
	return found == 2;
}

static void counts_migrations(void **state)
{
	(void)state;
	struct np_counters counters = { .open = false };
	struct np_counts still = { .count = 0 }, moved = { .count = 0 };
	cpu_set_t before;
	uint64_t value;
	size_t two[2];

	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	if (!find_two(&before, two))
		skip();
	np_counters_open(&counters);
	stay_on(two[0]);
	begin(&counters);
	np_counters_finish(&counters, &still);
	begin(&counters);
	for (int i = 1; i <= 5; i++)
		stay_on(two[i % 2]);
	np_counters_finish(&counters, &moved);
	np_counters_close(&counters);
	assert_int_equal(sched_setaffinity(0, sizeof(before), &before), 0);
	if (!find(&still, "migrations", &value))
		skip();
	assert_int_equal(value, 0);
	assert_true(find(&moved, "migrations", &value));
	assert_int_equal(value, 5);
}

/* As they are wherever the kernel tells of them without an event, which it would have to
 * begin and stop at each switch of context. */
static void counts_migrations_without_events(void **state)
{
	(void)state;
	struct np_counters counters = { .open = true, .events = { -1, -1, -1 } };
	struct np_counters usual = { .open = false };
	struct np_counts counts = { .count = 0 };
	char text[8192] = "";
	uint64_t value;
	cpu_set_t before;
	size_t two[2] = { 0, 0 };
	FILE *file = fopen("/proc/thread-self/sched", "r");

	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	if (file != NULL) {
		text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
		fclose(file);
	}
	if (!np_counters_migrations(text, &value) || !find_two(&before, two))
		skip();
	np_counters_open(&usual);
	assert_true(usual.events[NP_COUNTERS_MIGRATIONS] < 0);
	np_counters_close(&usual);
	counters.sched = open("/proc/thread-self/sched", O_RDONLY | O_CLOEXEC);
	stay_on(two[0]);
	begin(&counters);
	stay_on(two[1]);
	stay_on(two[0]);
	np_counters_finish(&counters, &counts);
	np_counters_close(&counters);
	assert_int_equal(sched_setaffinity(0, sizeof(before), &before), 0);
	assert_true(find(&counts, "migrations", &value));
	assert_int_equal(value, 2);
	assert_false(find(&counts, "llc_misses", &value));
	assert_false(find(&counts, "dtlb_misses", &value));
}

static void reads_migrations(void **state)
{
	(void)state;
	uint64_t value = 0;

	assert_true(np_counters_migrations("sh (12, #threads: 1)\n"
					   "se.exec_start        :   38690845.382600\n"
					   "se.nr_migrations     :               17\n"
					   "numa_pages_migrated  :                3\n",
					   &value));
	assert_int_equal(value, 17);
	assert_true(np_counters_migrations("nr_migrations:0\n", &value));
	assert_int_equal(value, 0);
	assert_false(np_counters_migrations("", &value));
	assert_false(np_counters_migrations("numa_pages_migrated : 3\n", &value));
	assert_false(np_counters_migrations("nr_migrations_cold : 3\n", &value));
	assert_false(np_counters_migrations("nr_migrations :", &value));
	assert_false(np_counters_migrations("nr_migrations : 99999999999999999999999\n",
					    &value));
}

/* Writes here and there, also where nobody reads it. */
static void write_each(unsigned char *memory, size_t bytes, size_t stride)
{
	volatile unsigned char *written = memory;

	for (size_t at = 0; at < bytes; at += stride)
		written[at]++;
}

/* Without anything open, as for an end that was never made ready. */
static void counts_what_needs_no_opening(void **state)
{
	(void)state;
	enum { PAGES = 32 };
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const struct timespec moment = { .tv_nsec = 1 };
	struct np_counters counters = { .open = false };
	struct np_counts counts = { .count = 0 };
	uint64_t value;
	unsigned char *memory = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(memory != MAP_FAILED);
	madvise(memory, PAGES * page, MADV_NOHUGEPAGE);
	begin(&counters);
	write_each(memory, PAGES * page, page);
	nanosleep(&moment, NULL);
	np_counters_finish(&counters, &counts);
	assert_true(find(&counts, "page_faults", &value));
	assert_true(value >= PAGES);
	assert_true(find(&counts, "voluntary_switches", &value));
	assert_true(value >= 1);
	assert_true(find(&counts, "involuntary_switches", &value));
	assert_false(find(&counts, "migrations", &value));
	munmap(memory, PAGES * page);
	np_counters_close(&counters);
}

/* Many pages and many lines, where misses are counted. */
/* Whether the system counts misses of this kind of cache at all, user space alone. */
static bool is_granted(uint64_t cache)
{
	struct perf_event_attr attributes = {
		.type = PERF_TYPE_HW_CACHE,
		.size = sizeof(attributes),
		.config = cache | (uint64_t)PERF_COUNT_HW_CACHE_OP_READ << 8 |
			  (uint64_t)PERF_COUNT_HW_CACHE_RESULT_MISS << 16,
		.exclude_kernel = true,
		.exclude_hv = true,
	};
	const long fd =
		syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd >= 0)
		close((int)fd);
	return fd >= 0;
}

/* On a machine without such counters what is held is that the names are absent. */
static void counts_misses_where_it_can(void **state)
{
	(void)state;
	enum { BYTES = 64 << 20, STRIDE = 4096 + 64 };
	struct np_counters counters = { .open = false };
	struct np_counts counts = { .count = 0 };
	unsigned char *memory = test_calloc(BYTES, 1);
	uint64_t value = 1;

	np_counters_open(&counters);
	begin(&counters);
	write_each(memory, BYTES, STRIDE);
	np_counters_finish(&counters, &counts);
	assert_int_equal(find(&counts, "llc_misses", &value),
			 is_granted(PERF_COUNT_HW_CACHE_LL));
	assert_true(value > 0);
	value = 1;
	assert_int_equal(find(&counts, "dtlb_misses", &value),
			 is_granted(PERF_COUNT_HW_CACHE_DTLB));
	assert_true(value > 0);
	np_counters_close(&counters);
	test_free(memory);
}

/* Of an event that has to share what counts it, as much as it would have counted. */
static void makes_up_for_sharing(void **state)
{
	(void)state;
	const struct np_counters_reading begun = { 1000, 500, 400 };
	const struct np_counters_reading always = { 1060, 600, 500 },
					 half = { 1060, 700, 500 },
					 never = { 1000, 700, 400 };
	uint64_t value;

	assert_true(np_counters_between(&begun, &always, &value));
	assert_int_equal(value, 60);
	assert_true(np_counters_between(&begun, &half, &value));
	assert_int_equal(value, 120);
	assert_false(np_counters_between(&begun, &never, &value));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_migrations),
		cmocka_unit_test(counts_migrations_without_events),
		cmocka_unit_test(reads_migrations),
		cmocka_unit_test(counts_what_needs_no_opening),
		cmocka_unit_test(counts_misses_where_it_can),
		cmocka_unit_test(makes_up_for_sharing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
