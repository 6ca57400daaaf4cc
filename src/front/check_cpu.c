/*
 * check_cpu.c - examines the processors: frequency governors, number, SMT, NUMA, idle
 * states, CPU quota, load, clock source and counters.
 */
#include <hwloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "front/front.h"
#include "machine/counters.h"
#include "machine/host.h"
#include "machine/kernel_files.h"

/* Cpufreq governors of all processors. */
struct governors {
	const char *root;
	size_t all, others; /* others: not set to performance */
	char name[32];	    /* governor of the first of the others */
};

static void count_governor(void *context, const char *cpu)
{
	struct governors *governors = context;
	char name[32];

	if (cpu[3] < '0' || cpu[3] > '9' ||
	    !np_kernel_line(governors->root, name, sizeof(name),
			    "/sys/devices/system/cpu/%s/cpufreq/scaling_governor", cpu))
		return;
	governors->all++;
	if (strcmp(name, "performance") == 0)
		return;
	if (governors->others++ == 0)
		snprintf(governors->name, sizeof(governors->name), "%s", name);
}

static void check_governor(struct np_doctor *doctor)
{
	struct governors governors = { .root = doctor->root };

	np_kernel_each(doctor->root, "/sys/devices/system/cpu", "cpu", count_governor,
		       &governors);
	if (governors.all == 0)
		np_doctor_print(
			doctor, NP_GRADE_UNKNOWN, "CPU governor", NULL,
			"no cpufreq: the host of a virtual machine, or the firmware, "
			"sets the clock rate");
	else if (governors.others != 0)
		np_doctor_print(
			doctor, NP_GRADE_CHANGE, "CPU governor",
			"cpupower frequency-set -g performance",
			"%s on %zu of %zu processors: the clock rate changes during a "
			"run",
			governors.name, governors.others, governors.all);
	else
		np_doctor_print(doctor, NP_GRADE_OK, "CPU governor", NULL,
				"performance on all %zu processors", governors.all);
}

static void count_processor(void *context, const char *cpu)
{
	unsigned *const count = context;

	*count += cpu[3] >= '0' && cpu[3] <= '9';
}

static void check_cores(struct np_doctor *doctor)
{
	unsigned all = 0;

	if (doctor->topology == NULL)
		return;
	np_kernel_each(doctor->root, "/sys/devices/system/cpu", "cpu", count_processor,
		       &all);
	if (doctor->topology->cores < 2)
		np_doctor_print(doctor, NP_GRADE_CHANGE, "processors",
				"give this process two or more: taskset(1), the job's "
				"--cpus-per-task, or the size of the container or virtual "
				"machine",
				"1 of %u: two processes on this host would take turns, and "
				"interrupts stop the one that measures",
				all);
	else
		np_doctor_print(doctor, NP_GRADE_OK, "processors", NULL,
				"%u of %u may be used", doctor->topology->cores, all);
}

static void check_smt(struct np_doctor *doctor)
{
	if (doctor->topology == NULL)
		return;
	const int cores =
		hwloc_get_nbobjs_by_type(doctor->topology->handle, HWLOC_OBJ_CORE);
	if (cores <= 0)
		np_doctor_print(doctor, NP_GRADE_UNKNOWN, "SMT", NULL,
				"the system does not report cores");
	else if (doctor->topology->cores > (unsigned)cores)
		np_doctor_print(
			doctor, NP_GRADE_NOTE, "SMT", NULL,
			"on, %u threads on %d cores: the programs bind to different "
			"cores; what else runs on these slows them down",
			doctor->topology->cores, cores);
	else
		np_doctor_print(doctor, NP_GRADE_OK, "SMT", NULL, "one thread a core");
}

static void check_numa(struct np_doctor *doctor)
{
	unsigned long long balancing = 0;

	if (doctor->topology == NULL)
		return;
	const int nodes =
		hwloc_get_nbobjs_by_type(doctor->topology->handle, HWLOC_OBJ_NUMANODE);
	np_kernel_number(doctor->root, &balancing, "/proc/sys/kernel/numa_balancing");
	if (nodes > 1 && balancing != 0)
		np_doctor_print(
			doctor, NP_GRADE_CHANGE, "NUMA", "sysctl kernel.numa_balancing=0",
			"%d nodes with automatic balancing: the kernel unmaps pages "
			"to see who uses them, which costs page faults during a run",
			nodes);
	else
		np_doctor_print(doctor, NP_GRADE_OK, "NUMA", NULL, "%d node%s", nodes,
				nodes == 1 ? "" : "s, no automatic balancing");
}

/* ---- Idle states: the exit latency is part of every message for which a process sleeps */

/* Exit latency below which an idle state does not matter, us: a sleep in the kernel costs
 * as much. */
enum { IDLE_US = 10 };

/* The enabled idle state with the longest exit latency. */
struct idle {
	const char *root, *cpu;
	unsigned long long longest;
	char name[32];
	size_t states;
};

static void take_state(void *context, const char *state)
{
	static const char folder[] = "/sys/devices/system/cpu";
	struct idle *idle = context;
	unsigned long long latency, disabled = 0;

	if (!np_kernel_number(idle->root, &latency, "%s/%s/cpuidle/%s/latency", folder,
			      idle->cpu, state))
		return;
	np_kernel_number(idle->root, &disabled, "%s/%s/cpuidle/%s/disable", folder,
			 idle->cpu, state);
	idle->states++;
	if (disabled != 0 || latency <= idle->longest)
		return;
	idle->longest = latency;
	if (!np_kernel_line(idle->root, idle->name, sizeof(idle->name),
			    "%s/%s/cpuidle/%s/name", folder, idle->cpu, state))
		snprintf(idle->name, sizeof(idle->name), "%.31s", state);
}

static void take_processor(void *context, const char *cpu)
{
	struct idle *idle = context;
	char folder[256];

	snprintf(folder, sizeof(folder), "/sys/devices/system/cpu/%.100s/cpuidle", cpu);
	idle->cpu = cpu;
	np_kernel_each(idle->root, folder, "state", take_state, idle);
}

static void check_idle(struct np_doctor *doctor)
{
	struct idle idle = { .root = doctor->root };

	np_kernel_each(doctor->root, "/sys/devices/system/cpu", "cpu", take_processor,
		       &idle);
	if (idle.states == 0)
		np_doctor_print(
			doctor, NP_GRADE_UNKNOWN, "idle states", NULL,
			"no cpuidle: the host of a virtual machine, or the firmware, "
			"chooses them");
	else if (idle.longest > IDLE_US)
		np_doctor_print(doctor, NP_GRADE_CHANGE, "idle states",
				"cpupower idle-set -D 11",
				"%s takes %llu us to leave: a process that sleeps until a "
				"message comes waits so much longer",
				idle.name, idle.longest);
	else
		np_doctor_print(doctor, NP_GRADE_OK, "idle states", NULL,
				"%llu us to leave at most", idle.longest);
}

/* ---- CPU quota: once used up, the kernel stops the group until the period ends ---- */

static void check_quota(struct np_doctor *doctor)
{
	char group[NP_KERNEL_PATH];
	const double processors = np_cpu_quota(doctor->root, group, sizeof(group));

	if (processors < 0)
		np_doctor_print(doctor, NP_GRADE_OK, "CPU quota", NULL,
				"no control group limits CPU time");
	else
		np_doctor_print(
			doctor, NP_GRADE_CHANGE, "CPU quota",
			"run without a limit of CPU time (docker --cpus, CPUQuota of "
			"systemd, limits of a pod); whole processors are given by "
			"--cpuset-cpus",
			"%.2f processors, by %s: when the quota is used up, the kernel "
			"stops the processes for the rest of the period",
			processors, group);
}

/* ---- Load of a fifth of a second: the load average includes the minute before ---- */

enum {
	LOOK_MS = 200,
	NAMED = 3,   /* processes named in the finding */
	MOST = 8192, /* processes read */
	BUSY = 5     /* percent of all processors, from which the load is to be changed */
};

/* CPU time of a process, in ticks since its start. */
struct process {
	long pid;
	unsigned long long ticks;
	char name[32];
};

struct processes {
	const char *root;
	size_t count;
	struct process list[MOST];
};

/* Returns the text behind `count` fields, with the blanks before the next. */
static const char *skip_fields(const char *text, unsigned count)
{
	for (; count != 0; count--) {
		text += strspn(text, " ");
		text += strcspn(text, " ");
	}
	return text;
}

/* Reads "PID (NAME) STATE ..." of proc_pid_stat(5); a name may have blanks and brackets. */
static void take_process(void *context, const char *name)
{
	struct processes *processes = context;
	char line[1024], *rest;

	if (processes->count == MOST || name[0] < '0' || name[0] > '9' ||
	    !np_kernel_line(processes->root, line, sizeof(line), "/proc/%s/stat", name))
		return;
	const char *begin = strchr(line, '('), *end = strrchr(line, ')');
	if (begin == NULL || end == NULL || end < begin)
		return;
	struct process *process = &processes->list[processes->count++];
	process->pid = strtol(name, NULL, 10);
	/* Fields 14 and 15, utime and stime; field 3 follows the name. */
	process->ticks = strtoull(skip_fields(end + 1, 11), &rest, 10);
	process->ticks += strtoull(rest, NULL, 10);
	snprintf(process->name, sizeof(process->name), "%.*s", (int)(end - begin - 1),
		 begin + 1);
}

static bool look(const char *root, struct processes *processes, struct np_host_ticks *all)
{
	processes->root = root;
	processes->count = 0;
	np_kernel_each(root, "/proc", "", take_process, processes);
	return np_host_ticks(root, all);
}

/* Returns the CPU time of a process between both readings, ticks; 0 if it is new. */
static unsigned long long ticks_since(const struct processes *before,
				      const struct process *process)
{
	for (size_t i = 0; i < before->count; i++) {
		if (before->list[i].pid == process->pid)
			return process->ticks - before->list[i].ticks;
	}
	return 0;
}

static int compare_ticks(const void *a, const void *b)
{
	const struct process *one = a, *other = b;

	return (one->ticks < other->ticks) - (one->ticks > other->ticks);
}

/* Writes the busiest processes as "cc1 (4242), ld (4243)". */
static void name_busiest(const struct processes *before, struct processes *after,
			 char *text, size_t size)
{
	size_t used = 0;

	for (size_t i = 0; i < after->count; i++)
		after->list[i].ticks = after->list[i].pid == (long)getpid() ?
					       0 :
					       ticks_since(before, &after->list[i]);
	qsort(after->list, after->count, sizeof(*after->list), compare_ticks);
	text[0] = '\0';
	for (size_t i = 0; i < after->count && i < NAMED && after->list[i].ticks != 0; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%s (%ld)",
					 i != 0 ? ", " : "", after->list[i].name,
					 after->list[i].pid);
}

/* Reads all processes twice, LOOK_MS apart.  A copy of /proc has the second reading in its
 * folder "later". */
static bool look_twice(const struct np_doctor *doctor, struct processes *before,
		       struct processes *after, unsigned long long *percent)
{
	const struct timespec interval = { .tv_nsec = LOOK_MS * 1000000l };
	struct np_host_ticks first, second;
	char later[NP_KERNEL_PATH];

	snprintf(later, sizeof(later), "%s%s", doctor->root,
		 doctor->planted ? "/later" : "");
	if (!look(doctor->root, before, &first))
		return false;
	if (!doctor->planted)
		nanosleep(&interval, NULL);
	if (!look(later, after, &second) || second.total <= first.total)
		return false;
	*percent = (second.busy - first.busy) * 100 / (second.total - first.total);
	return true;
}

static void check_load(struct np_doctor *doctor)
{
	struct processes *looks = calloc(2, sizeof(*looks));
	unsigned long long percent;
	char names[256];

	if (looks == NULL || !look_twice(doctor, &looks[0], &looks[1], &percent)) {
		np_doctor_print(doctor, NP_GRADE_UNKNOWN, "load", NULL,
				"/proc/stat is not there or does not count");
	} else if (percent > BUSY) {
		name_busiest(&looks[0], &looks[1], names, sizeof(names));
		np_doctor_print(doctor, NP_GRADE_CHANGE, "load",
				"stop it, or measure when it is done",
				"the processors are %llu %% busy%s%s", percent,
				names[0] != '\0' ? ": " : "", names);
	} else {
		np_doctor_print(doctor, NP_GRADE_OK, "load", NULL,
				"the processors are %llu %% busy", percent);
	}
	free(looks);
}

/* ---- Clock source and counters -------------------------------------------------- */

/* Clock sources that need a system call and read a slow device. */
static bool is_slow(const char *source)
{
	static const char *const slow[] = { "hpet", "acpi_pm", "jiffies", "refined-jiffies",
					    "pit" };

	for (size_t i = 0; i < sizeof(slow) / sizeof(*slow); i++) {
		if (strcmp(source, slow[i]) == 0)
			return true;
	}
	return false;
}

/* Error of a reading, ns, beyond which a sample of the default length, 100 us, has to
 * become longer. */
enum { GRAIN_MOST = 1000 };

static void check_source(struct np_doctor *doctor)
{
	static const char change[] =
		"write the best of available_clocksource, which lies beside, into "
		"/sys/devices/system/clocksource/clocksource0/current_clocksource; dmesg "
		"says why the kernel left tsc";
	struct np_clock_quality clock = { .name = NULL };
	char source[64], cost[96] = "";

	if (!np_kernel_line(doctor->root, source, sizeof(source),
			    "/sys/devices/system/clocksource/clocksource0/"
			    "current_clocksource")) {
		np_doctor_print(doctor, NP_GRADE_UNKNOWN, "clock source", NULL,
				"the system does not report it");
		return;
	}
	if (!doctor->planted) {
		clock = np_clock_measure();
		snprintf(cost, sizeof(cost), ", %.0f ns a reading, in steps of %.0f ns",
			 clock.overhead_ns, clock.resolution_ns);
	}
	if (clock.back_ns > 0)
		np_doctor_print(doctor, NP_GRADE_CHANGE, "clock source", change,
				"%s: the clock went back by %.0f ns between two readings: "
				"no program can measure here",
				source, clock.back_ns);
	else if (clock.stands_still)
		np_doctor_print(doctor, NP_GRADE_CHANGE, "clock source", change,
				"%s: the clock stands still", source);
	else if (is_slow(source) || np_clock_grain(&clock) > GRAIN_MOST)
		np_doctor_print(
			doctor, NP_GRADE_CHANGE, "clock source", change,
			"%s%s: much of a short sample, so samples become longer and "
			"fewer",
			source, cost);
	else
		np_doctor_print(doctor, NP_GRADE_OK, "clock source", NULL, "%s%s", source,
				cost);
}

/* Returns true if this process can count cache or TLB misses, for --why and the header. */
static bool can_count(void)
{
	struct np_counters counters = { .open = false };

	np_counters_open(&counters);
	const bool counts = counters.events[NP_COUNTERS_LLC_MISSES] >= 0 ||
			    counters.events[NP_COUNTERS_DTLB_MISSES] >= 0;
	np_counters_close(&counters);
	return counts;
}

static void check_counters(struct np_doctor *doctor)
{
	char text[32];

	if (!np_kernel_line(doctor->root, text, sizeof(text),
			    "/proc/sys/kernel/perf_event_paranoid"))
		np_doctor_print(doctor, NP_GRADE_UNKNOWN, "counters", NULL,
				"this kernel has no perf events");
	else if (!doctor->planted && can_count())
		np_doctor_print(doctor, NP_GRADE_OK, "counters", NULL,
				"cache or TLB misses can be counted");
	else if (strtol(text, NULL, 10) > 2)
		np_doctor_print(
			doctor, NP_GRADE_CHANGE, "counters",
			"sysctl kernel.perf_event_paranoid=2",
			"kernel.perf_event_paranoid is %s: cache and TLB misses are "
			"not counted",
			text);
	else if (!doctor->planted)
		np_doctor_print(doctor, NP_GRADE_NOTE, "counters", NULL,
				"permitted, but the processor has none for cache and TLB "
				"misses, as in many virtual machines");
	else
		np_doctor_print(doctor, NP_GRADE_OK, "counters", NULL,
				"kernel.perf_event_paranoid is %s", text);
}

void np_check_cpu(struct np_doctor *doctor)
{
	check_governor(doctor);
	check_idle(doctor);
	check_cores(doctor);
	check_smt(doctor);
	check_numa(doctor);
	check_load(doctor);
	check_quota(doctor);
}

void np_check_clock(struct np_doctor *doctor)
{
	check_counters(doctor);
	check_source(doctor);
}
