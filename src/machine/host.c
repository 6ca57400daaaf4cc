/*
 * host.c - facts of the host, from /proc and /sys; cost and resolution of the clock.
 */
#include "machine/host.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "base/clock.h"
#include "machine/control_group.h"
#include "machine/kernel_files.h"
#include "stats/stats.h"

#define governor_file "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"

void np_host_describe(struct np_facts *facts)
{
	struct utsname name;
	char text[256], date[32];
	const time_t now = time(NULL);
	struct tm utc;

	if (uname(&name) == 0) {
		np_facts_add(facts, "host", "%s", name.nodename);
		np_facts_add(facts, "kernel", "%s %s %s", name.sysname, name.release,
			     name.machine);
	}
	if (gmtime_r(&now, &utc) != NULL &&
	    strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%SZ", &utc) != 0)
		np_facts_add(facts, "date", "%s", date);
	np_facts_add(
		facts, "cpu", "%s",
		np_kernel_value("", "model name", text, sizeof(text), "/proc/cpuinfo") ?
			text :
			"not reported");
	np_facts_add(facts, "governor", "%s",
		     np_kernel_line("", text, sizeof(text), governor_file) ?
			     text :
			     "not reported");
	np_facts_add(facts, "clock_source", "%s",
		     np_kernel_line("", text, sizeof(text),
				    "/sys/devices/system/clocksource/clocksource0/"
				    "current_clocksource") ?
			     text :
			     "not reported");
	np_facts_add(facts, "transparent_huge_pages", "%s",
		     np_kernel_line("", text, sizeof(text),
				    "/sys/kernel/mm/transparent_hugepage/enabled") ?
			     text :
			     "not reported");
	if (np_kernel_line("", text, sizeof(text),
			   "/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages"))
		np_facts_add_number(facts, "huge_pages_free_bytes",
				    strtoull(text, NULL, 10) << 21, NP_UNIT_BYTES, NULL);
	np_facts_add_number(facts, "memory_available_bytes", np_host_memory_available(),
			    NP_UNIT_BYTES, NULL);
}

size_t np_host_memory_below(const char *root)
{
	char groups[NP_KERNEL_PATH], mount[NP_KERNEL_PATH], text[64];

	snprintf(groups, sizeof(groups), "%s/proc/self/cgroup", root);
	snprintf(mount, sizeof(mount), "%s/sys/fs/cgroup", root);
	const size_t group = np_memory_group_left(groups, mount);
	if (!np_kernel_value(root, "MemAvailable", text, sizeof(text), "/proc/meminfo"))
		return group == SIZE_MAX ? 0 : group;
	const size_t host = (size_t)strtoull(text, NULL, 10) * 1024;

	return host < group ? host : group;
}

size_t np_host_memory_available(void)
{
	return np_host_memory_below("");
}

bool np_host_ticks(const char *root, struct np_host_ticks *ticks)
{
	char text[256];
	char *at = text;

	if (!np_kernel_value(root, "cpu ", text, sizeof(text), "/proc/stat"))
		return false;
	*ticks = (struct np_host_ticks){ .busy = 0 };
	/* user nice system idle iowait irq softirq steal */
	for (unsigned field = 0; field < 8; field++) {
		const unsigned long long count = strtoull(at, &at, 10);

		ticks->total += count;
		if (field != 3 && field != 4)
			ticks->busy += count;
	}
	return true;
}

static void warn_quota(struct np_facts *facts, unsigned processes)
{
	char group[NP_KERNEL_PATH];
	const double cores = np_cpu_quota("", group, sizeof(group));

	if (cores < 0 || cores >= processes)
		return;
	np_facts_add(facts, "warning_quota",
		     "a CPU quota of %.2f cores for %u process%s (%.200s): the kernel "
		     "stops them when it is used up; lift it (docker --cpus, CPUQuota, "
		     "limits of a pod)",
		     cores, processes, processes == 1 ? "" : "es", group);
}

void np_host_warn(struct np_facts *facts, unsigned processes)
{
	const struct timespec interval = { .tv_nsec = 100000000 };
	struct np_host_ticks before, after;
	char text[128];

	if (np_kernel_line("", text, sizeof(text), governor_file) &&
	    strcmp(text, "performance") != 0)
		np_facts_add(facts, "warning_governor",
			     "the CPU governor is '%s': clock rates will wander; "
			     "'performance' keeps them still",
			     text);
	warn_quota(facts, processes);
	if (!np_host_ticks("", &before))
		return;
	nanosleep(&interval, NULL);
	if (!np_host_ticks("", &after) || after.total <= before.total)
		return;
	const unsigned long long share =
		(after.busy - before.busy) * 100 / (after.total - before.total);
	np_facts_add_number(facts, "load_before_percent", share, NP_UNIT_PERCENT, NULL);
	if (share > 20)
		np_facts_add(facts, "warning_load",
			     "the processors were %llu %% busy before the run: others "
			     "compute here, and the numbers will show it",
			     share);
}

/* ---- Clock ------------------------------------------------------------------ */

enum { ROUNDS = 31, READINGS = 1000, LEAST_ROUNDS = 3, LEAST_STEPS = 4 };

/* Readings of the clock, in order. */
struct readings {
	uint64_t last, step, back; /* smallest step forward, largest back; ns */
	uint64_t steps;		   /* steps forward */
	uint64_t divisor;	   /* greatest common divisor of the readings */
};

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
	while (b != 0) {
		const uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* Reads the clock READINGS times.  Returns the duration of a reading, ns. */
static double read_round(struct readings *readings)
{
	const uint64_t begin = np_clock_ns();

	readings->last = begin;
	for (size_t i = 0; i < READINGS; i++) {
		const uint64_t now = np_clock_ns();

		if (now < readings->last && readings->last - now > readings->back)
			readings->back = readings->last - now;
		if (now > readings->last) {
			readings->steps++;
			if (now - readings->last < readings->step)
				readings->step = now - readings->last;
		}
		readings->last = now;
	}
	readings->divisor = common_divisor(readings->divisor, readings->last % 1000000000u);
	return readings->last > begin ? (double)(readings->last - begin) / READINGS : 0;
}

/* Returns whether a clock that advanced less than LEAST_STEPS times may still do so: after
 * half a second of CPU time it stands still. */
static bool may_advance(clock_t since)
{
	const clock_t now = clock();

	return now != (clock_t)-1 && now - since < CLOCKS_PER_SEC / 2;
}

struct np_clock_quality np_clock_measure(void)
{
	const clock_t since = clock();
	struct readings readings = { .step = UINT64_MAX };
	double cost[ROUNDS], spent = 0;
	size_t rounds = 0;

	/* A slow clock is read for 50 ms. */
	while (rounds < ROUNDS && (rounds < LEAST_ROUNDS || spent < 5e7)) {
		cost[rounds] = read_round(&readings);
		spent += cost[rounds++] * READINGS;
	}
	while (readings.steps < LEAST_STEPS && may_advance(since))
		read_round(&readings);
	/* The smallest step between readings includes the cost of a reading; the step of
	 * the counter is the greatest common divisor of the readings. */
	for (size_t i = 0; i < READINGS; i++)
		readings.divisor =
			common_divisor(readings.divisor, np_clock_ns() % 1000000000u);
	return (struct np_clock_quality){
		.name = "CLOCK_MONOTONIC",
		.overhead_ns = np_median(cost, rounds),
		.resolution_ns =
			(double)(readings.divisor != 0 && readings.divisor < readings.step ?
					 readings.divisor :
					 readings.step),
		.back_ns = (double)readings.back,
		.stands_still = readings.steps == 0,
	};
}

int np_clock_check(const struct np_clock_quality *clock, struct np_error *error)
{
	static const char remedy[] = "set another clock source, or measure from the other "
				     "host (netpong doctor)";

	if (clock->back_ns > 0)
		return np_fail(error, NP_ERROR_FAILED, ERANGE,
			       "%s of this host went back by %.0f ns between two readings, "
			       "so no time is right: %s",
			       clock->name, clock->back_ns, remedy);
	if (clock->stands_still)
		return np_fail(error, NP_ERROR_FAILED, ERANGE,
			       "%s of this host stands still: %s", clock->name, remedy);
	return 0;
}
