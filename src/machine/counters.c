/*
 * counters.c - counters of the measuring thread: getrusage, perf_event_open, sched.
 */
#include "machine/counters.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Events: cache and TLB misses of loads only, as not every processor counts misses of
 * stores. */
static const struct {
	const char *name;
	uint32_t type;
	uint64_t config;
} kinds[NP_COUNTERS_KINDS] = {
	[NP_COUNTERS_MIGRATIONS] = { "migrations", PERF_TYPE_SOFTWARE,
				     PERF_COUNT_SW_CPU_MIGRATIONS },
	[NP_COUNTERS_LLC_MISSES] = { "llc_misses", PERF_TYPE_HW_CACHE,
				     PERF_COUNT_HW_CACHE_LL |
					     (uint64_t)PERF_COUNT_HW_CACHE_OP_READ << 8 |
					     (uint64_t)PERF_COUNT_HW_CACHE_RESULT_MISS
						     << 16 },
	[NP_COUNTERS_DTLB_MISSES] = { "dtlb_misses", PERF_TYPE_HW_CACHE,
				      PERF_COUNT_HW_CACHE_DTLB |
					      (uint64_t)PERF_COUNT_HW_CACHE_OP_READ << 8 |
					      (uint64_t)PERF_COUNT_HW_CACHE_RESULT_MISS
						      << 16 },
};

static int open_event(size_t kind, bool without_kernel)
{
	struct perf_event_attr attributes = {
		.type = kinds[kind].type,
		.size = sizeof(attributes),
		.config = kinds[kind].config,
		.read_format =
			PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
		.exclude_kernel = without_kernel,
		.exclude_hv = 1,
	};

	return (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1,
			    PERF_FLAG_FD_CLOEXEC);
}

void np_counters_close(struct np_counters *counters)
{
	if (!counters->open)
		return;
	for (size_t kind = 0; kind < NP_COUNTERS_KINDS; kind++) {
		if (counters->events[kind] >= 0)
			close(counters->events[kind]);
	}
	if (counters->sched >= 0)
		close(counters->sched);
	*counters = (struct np_counters){ .open = false };
}

bool np_counters_migrations(const char *text, uint64_t *value)
{
	static const char name[] = "nr_migrations";
	const char *at = strstr(text, name);
	char *end;

	if (at == NULL)
		return false;
	at += strlen(name);
	at += strspn(at, " \t");
	if (*at != ':')
		return false;
	errno = 0;
	*value = strtoull(at + 1, &end, 10);
	return errno == 0 && end != at + 1;
}

static bool read_sched(const struct np_counters *counters,
		       struct np_counters_reading *reading)
{
	char text[8192];

	if (counters->sched < 0)
		return false;
	const ssize_t length = pread(counters->sched, text, sizeof(text) - 1, 0);
	if (length <= 0)
		return false;
	text[length] = '\0';
	*reading = (struct np_counters_reading){ .enabled = 1, .running = 1 };
	return np_counters_migrations(text, &reading->value);
}

/* Opens proc_pid_sched(5) of the thread; returns -1 if it has no count of migrations. */
static int open_sched(void)
{
	struct np_counters opened = { .sched = open("/proc/thread-self/sched",
						    O_RDONLY | O_CLOEXEC) };
	struct np_counters_reading reading;

	if (opened.sched >= 0 && !read_sched(&opened, &reading)) {
		close(opened.sched);
		return -1;
	}
	return opened.sched;
}

void np_counters_open(struct np_counters *counters)
{
	/* Migrations come from sched if possible: the kernel stops and starts a perf event
	 * at each context switch, which is part of a message where the kernel moves it. */
	counters->sched = open_sched();
	for (size_t kind = 0; kind < NP_COUNTERS_KINDS; kind++) {
		const bool migrations = kind == NP_COUNTERS_MIGRATIONS;
		int event =
			migrations && counters->sched >= 0 ? -1 : open_event(kind, false);

		/* Without permission to count in kernel mode (perf_event_paranoid),
		 * user mode only; migrations happen in the kernel. */
		if (event < 0 && !migrations)
			event = open_event(kind, true);
		counters->events[kind] = event;
	}
	counters->open = true;
}

static bool read_kind(const struct np_counters *counters, size_t kind,
		      struct np_counters_reading *reading)
{
	if (!counters->open)
		return false;
	if (counters->events[kind] < 0)
		return kind == NP_COUNTERS_MIGRATIONS && read_sched(counters, reading);
	return read(counters->events[kind], reading, sizeof(*reading)) ==
	       (ssize_t)sizeof(*reading);
}

static struct np_counters_usage read_usage(void)
{
	struct rusage usage;

	if (getrusage(RUSAGE_THREAD, &usage) != 0)
		return (struct np_counters_usage){ .known = false };
	return (struct np_counters_usage){
		.page_faults = (uint64_t)(usage.ru_minflt + usage.ru_majflt),
		.voluntary_switches = (uint64_t)usage.ru_nvcsw,
		.involuntary_switches = (uint64_t)usage.ru_nivcsw,
		.known = true
	};
}

void np_counters_prepare(struct np_counters *counters)
{
	const size_t kind = NP_COUNTERS_MIGRATIONS;

	counters->has_start[kind] = read_kind(counters, kind, &counters->start[kind]);
}

void np_counters_start(struct np_counters *counters)
{
	for (size_t kind = NP_COUNTERS_MIGRATIONS + 1; kind < NP_COUNTERS_KINDS; kind++)
		counters->has_start[kind] =
			read_kind(counters, kind, &counters->start[kind]);
	counters->usage = read_usage();
}

bool np_counters_between(const struct np_counters_reading *start,
			 const struct np_counters_reading *now, uint64_t *value)
{
	const uint64_t counted = now->value - start->value,
		       enabled = now->enabled - start->enabled,
		       running = now->running - start->running;

	*value = counted;
	if (running >= enabled)
		return true;
	if (running == 0)
		return false;
	*value = (uint64_t)((double)counted * (double)enabled / (double)running + 0.5);
	return true;
}

void np_counters_finish(struct np_counters *counters, struct np_counts *counts)
{
	const struct np_counters_usage *before = &counters->usage, now = read_usage();
	struct np_counters_reading reading;
	uint64_t value;

	if (before->known && now.known) {
		np_counts_add(counts, "page_faults", now.page_faults - before->page_faults);
		np_counts_add(counts, "voluntary_switches",
			      now.voluntary_switches - before->voluntary_switches);
		np_counts_add(counts, "involuntary_switches",
			      now.involuntary_switches - before->involuntary_switches);
	}
	for (size_t kind = NP_COUNTERS_KINDS; kind-- > 0;) {
		if (counters->has_start[kind] && read_kind(counters, kind, &reading) &&
		    np_counters_between(&counters->start[kind], &reading, &value))
			np_counts_add(counts, kinds[kind].name, value);
	}
}
