/*
 * host.c - facts of the host, from /proc and /sys.
 */
#include "machine/host.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "machine/memory_group.h"

/* Reads the first line of a file without its newline.  False if there is none. */
static bool read_line(const char *path, char *line, int size)
{
	FILE *file = fopen(path, "re");
	bool found = false;

	if (file == NULL)
		return false;
	if (fgets(line, size, file) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		found = line[0] != '\0';
	}
	fclose(file);
	return found;
}

/* Reads the value of "key : value" or "key value" in a /proc file. */
static bool read_value(const char *path, const char *key, char *value, size_t size)
{
	FILE *file = fopen(path, "re");
	char line[512];
	bool found = false;

	if (file == NULL)
		return false;
	while (!found && fgets(line, sizeof(line), file) != NULL) {
		if (strncmp(line, key, strlen(key)) != 0)
			continue;
		char *at = line + strlen(key);

		at += strspn(at, " \t:");
		at[strcspn(at, "\n")] = '\0';
		snprintf(value, size, "%s", at);
		found = true;
	}
	fclose(file);
	return found;
}

static const char governor_file[] = "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor";

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
	np_facts_add(facts, "cpu", "%s",
		     read_value("/proc/cpuinfo", "model name", text, sizeof(text)) ?
			     text :
			     "not reported");
	np_facts_add(facts, "governor", "%s",
		     read_line(governor_file, text, sizeof(text)) ? text : "not reported");
	np_facts_add(facts, "clock_source", "%s",
		     read_line("/sys/devices/system/clocksource/clocksource0/"
			       "current_clocksource",
			       text, sizeof(text)) ?
			     text :
			     "not reported");
	np_facts_add(facts, "transparent_huge_pages", "%s",
		     read_line("/sys/kernel/mm/transparent_hugepage/enabled", text,
			       sizeof(text)) ?
			     text :
			     "not reported");
	if (read_line("/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages", text,
		      sizeof(text)))
		np_facts_add_number(facts, "huge_pages_free_bytes",
				    strtoull(text, NULL, 10) << 21, NP_UNIT_BYTES, NULL);
	np_facts_add_number(facts, "memory_available_bytes", np_host_memory_available(),
			    NP_UNIT_BYTES, NULL);
}

size_t np_host_memory_available(void)
{
	const size_t group = np_memory_group_left("/proc/self/cgroup", "/sys/fs/cgroup");
	char text[64];

	if (!read_value("/proc/meminfo", "MemAvailable", text, sizeof(text)))
		return group == SIZE_MAX ? 0 : group;
	const size_t host = (size_t)strtoull(text, NULL, 10) * 1024;

	return host < group ? host : group;
}

/* Busy and total time of all processors since boot, in ticks. */
static bool read_ticks(unsigned long long *busy, unsigned long long *total)
{
	char text[256];
	char *at = text;

	if (!read_value("/proc/stat", "cpu ", text, sizeof(text)))
		return false;
	*busy = *total = 0;
	/* user nice system idle iowait irq softirq steal */
	for (unsigned field = 0; field < 8; field++) {
		const unsigned long long ticks = strtoull(at, &at, 10);

		*total += ticks;
		if (field != 3 && field != 4)
			*busy += ticks;
	}
	return true;
}

void np_host_warn(struct np_facts *facts)
{
	const struct timespec interval = { .tv_nsec = 100000000 };
	unsigned long long busy[2], total[2];
	char text[128];

	if (read_line(governor_file, text, sizeof(text)) &&
	    strcmp(text, "performance") != 0)
		np_facts_add(facts, "warning_governor",
			     "the CPU governor is '%s': clock rates will wander; "
			     "'performance' keeps them still",
			     text);
	if (!read_ticks(&busy[0], &total[0]))
		return;
	nanosleep(&interval, NULL);
	if (!read_ticks(&busy[1], &total[1]) || total[1] <= total[0])
		return;
	const unsigned long long share = (busy[1] - busy[0]) * 100 / (total[1] - total[0]);
	np_facts_add_number(facts, "load_before_percent", share, NP_UNIT_PERCENT, NULL);
	if (share > 20)
		np_facts_add(facts, "warning_load",
			     "the processors were %llu %% busy before the run: others "
			     "compute here, and the numbers will show it",
			     share);
}
