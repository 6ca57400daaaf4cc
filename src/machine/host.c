/*
 * host.c - limits of the control groups and facts of the host, from /proc and /sys; cost
 * and resolution of the clock.
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
#include "machine/kernel_files.h"
#include "stats/stats.h"

/* ---- control groups ------------------------------------------------------------------ */

/*
 * A group's own limit may be "max" and its parent's not: the kernel charges every ancestor.
 * In a container the path of the group may be the host's, which does not exist below the
 * container's mount; the group itself is then the root of the mount, which is visited last.
 *
 * The lowest limit counts: the OOM killer acts in any group that is full, an ancestor
 * included.
 */

/* Visitor of a group. folder: folder of its files; version: 1 or 2. */
typedef void visit_group(void *context, const char *folder, int version);

/* Visits a group and its ancestors; overwrites `group`. */
static void go_up(const char *mount, const char *below, char *group, int version,
		  visit_group *each, void *context)
{
	for (;;) {
		char folder[3 * NP_KERNEL_PATH];
		char *last = strrchr(group, '/');

		snprintf(folder, sizeof(folder), "%s%s%s%s", mount,
			 *below != '\0' ? "/" : "", below, group);
		each(context, folder, version);
		if (last == NULL)
			return;
		*last = '\0';
	}
}

/* Returns true if a comma-separated list of controllers contains `name`. */
static bool has_controller(const char *list, size_t length, const char *name)
{
	const size_t own = strlen(name);

	for (size_t at = 0; at + own <= length; at++) {
		if (strncmp(list + at, name, own) == 0 &&
		    (at == 0 || list[at - 1] == ',') &&
		    (at + own == length || list[at + own] == ','))
			return true;
	}
	return false;
}

/*
 * Calls each() for the group of this process in the hierarchy of a controller ("memory",
 * "cpu"), and for each ancestor of the group.
 */
static void control_groups(const char *root, const char *controller, visit_group *each,
			   void *context)
{
	char groups[NP_KERNEL_PATH], mount[NP_KERNEL_PATH], line[NP_KERNEL_PATH];

	snprintf(groups, sizeof(groups), "%s/proc/self/cgroup", root);
	snprintf(mount, sizeof(mount), "%s/sys/fs/cgroup", root);
	FILE *file = fopen(groups, "re");
	if (file == NULL)
		return;
	/* cgroup v2: "0::/group"; v1: "4:cpu,memory:/group". */
	while (fgets(line, sizeof(line), file) != NULL) {
		char *list = strchr(line, ':');
		char *group = list != NULL ? strchr(list + 1, ':') : NULL;

		if (group == NULL)
			continue;
		group++;
		group[strcspn(group, "\n")] = '\0';
		const size_t length = (size_t)(group - 1 - (list + 1));
		if (length == 0)
			go_up(mount, "", group, 2, each, context);
		else if (has_controller(list + 1, length, controller))
			go_up(mount, controller, group, 1, each, context);
	}
	fclose(file);
}

static void take_least(void *context, const char *folder, int version)
{
	size_t *const least = context;
	unsigned long long limit, used;

	/* "max" is no number. */
	if (!np_kernel_number("", &limit, "%s/%s", folder,
			      version == 2 ? "memory.max" : "memory.limit_in_bytes") ||
	    !np_kernel_number("", &used, "%s/%s", folder,
			      version == 2 ? "memory.current" : "memory.usage_in_bytes"))
		return;
	const size_t left = limit > used ? (size_t)(limit - used) : 0;

	*least = left < *least ? left : *least;
}

/* Control group with the smallest CPU quota. */
struct quota {
	double processors; /* below 0: no limit was found */
	char folder[256];
};

/* Reads the quota of a group, in processors.  Returns false without a limit. */
static bool read_quota(const char *folder, int version, double *processors)
{
	unsigned long long quota, period;
	char line[64], *end;

	if (version == 1)
		/* -1, for no limit, is refused as a number. */
		return np_kernel_number("", &quota, "%s/cpu.cfs_quota_us", folder) &&
		       np_kernel_number("", &period, "%s/cpu.cfs_period_us", folder) &&
		       period != 0 && (*processors = (double)quota / (double)period, true);
	/* "200000 100000", or "max 100000". */
	if (!np_kernel_line("", line, sizeof(line), "%s/cpu.max", folder) ||
	    line[0] < '0' || line[0] > '9')
		return false;
	quota = strtoull(line, &end, 10);
	period = strtoull(end, NULL, 10);
	if (period == 0)
		return false;
	*processors = (double)quota / (double)period;
	return true;
}

static void take_quota(void *context, const char *folder, int version)
{
	struct quota *least = context;
	double processors;

	if (!read_quota(folder, version, &processors) ||
	    (least->processors >= 0 && processors >= least->processors))
		return;
	least->processors = processors;
	snprintf(least->folder, sizeof(least->folder), "%.255s", folder);
}

double np_cpu_quota(const char *root, char *group, size_t size)
{
	struct quota least = { .processors = -1 };

	control_groups(root, "cpu", take_quota, &least);
	snprintf(group, size, "%s",
		 least.processors < 0 ? "" : least.folder + strlen(root));
	return least.processors;
}

size_t np_host_memory_available(const char *root)
{
	size_t group = SIZE_MAX;
	char text[64];

	control_groups(root, "memory", take_least, &group);
	if (!np_kernel_value(root, "MemAvailable", text, sizeof(text), "/proc/meminfo"))
		return group == SIZE_MAX ? 0 : group;
	const size_t host = (size_t)strtoull(text, NULL, 10) * 1024;

	return host < group ? host : group;
}

/* ---- facts and warnings -------------------------------------------------------------- */

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
	np_facts_add_number(facts, "memory_available_bytes", np_host_memory_available(""),
			    NP_UNIT_BYTES, NULL);
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
			     "compute here and change the results",
			     share);
}

/* ---- clock --------------------------------------------------------------------------- */

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
			       "so durations are wrong: %s",
			       clock->name, clock->back_ns, remedy);
	if (clock->stands_still)
		return np_fail(error, NP_ERROR_FAILED, ERANGE,
			       "%s of this host stands still: %s", clock->name, remedy);
	return 0;
}
