/*
 * check_cpu.c - examines frequency governors, the processors of this process, SMT and NUMA.
 */
#include <hwloc.h>
#include <stdio.h>
#include <string.h>

#include "front/doctor.h"
#include "machine/kernel_files.h"

/* Governors of all processors. */
struct governors {
	const char *root;
	size_t all, others; /* others: those not set to performance */
	char name[32];	    /* governor of the first of these */
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

void np_check_governor(struct np_doctor *doctor)
{
	struct governors governors = { .root = doctor->root };

	np_kernel_each(doctor->root, "/sys/devices/system/cpu", "cpu", count_governor,
		       &governors);
	if (governors.all == 0)
		np_doctor_say(doctor, NP_GRADE_UNKNOWN, "CPU governor", NULL,
			      "no cpufreq: the host of a virtual machine, or the firmware, "
			      "sets the clock rate");
	else if (governors.others != 0)
		np_doctor_say(
			doctor, NP_GRADE_CHANGE, "CPU governor",
			"cpupower frequency-set -g performance",
			"%s on %zu of %zu processors: the clock rate changes during a "
			"run",
			governors.name, governors.others, governors.all);
	else
		np_doctor_say(doctor, NP_GRADE_OK, "CPU governor", NULL,
			      "performance on all %zu processors", governors.all);
}

static void count_processor(void *context, const char *cpu)
{
	unsigned *const count = context;

	*count += cpu[3] >= '0' && cpu[3] <= '9';
}

void np_check_cores(struct np_doctor *doctor)
{
	unsigned all = 0;

	if (doctor->topology == NULL)
		return;
	np_kernel_each(doctor->root, "/sys/devices/system/cpu", "cpu", count_processor,
		       &all);
	if (doctor->topology->cores < 2)
		np_doctor_say(doctor, NP_GRADE_CHANGE, "processors",
			      "give this process two or more: taskset(1), the job's "
			      "--cpus-per-task, or the size of the container or virtual "
			      "machine",
			      "1 of %u: two processes on this host would take turns, and "
			      "interrupts stop the one that measures",
			      all);
	else
		np_doctor_say(doctor, NP_GRADE_OK, "processors", NULL,
			      "%u of %u may be used", doctor->topology->cores, all);
}

void np_check_smt(struct np_doctor *doctor)
{
	if (doctor->topology == NULL)
		return;
	const int cores =
		hwloc_get_nbobjs_by_type(doctor->topology->handle, HWLOC_OBJ_CORE);
	if (cores <= 0)
		np_doctor_say(doctor, NP_GRADE_UNKNOWN, "SMT", NULL,
			      "the system does not report cores");
	else if (doctor->topology->cores > (unsigned)cores)
		np_doctor_say(doctor, NP_GRADE_NOTE, "SMT", NULL,
			      "on, %u threads on %d cores: the programs bind to different "
			      "cores; what else runs on these slows them down",
			      doctor->topology->cores, cores);
	else
		np_doctor_say(doctor, NP_GRADE_OK, "SMT", NULL, "one thread a core");
}

void np_check_numa(struct np_doctor *doctor)
{
	unsigned long long balancing = 0;

	if (doctor->topology == NULL)
		return;
	const int nodes =
		hwloc_get_nbobjs_by_type(doctor->topology->handle, HWLOC_OBJ_NUMANODE);
	np_kernel_number(doctor->root, &balancing, "/proc/sys/kernel/numa_balancing");
	if (nodes > 1 && balancing != 0)
		np_doctor_say(doctor, NP_GRADE_CHANGE, "NUMA",
			      "sysctl kernel.numa_balancing=0",
			      "%d nodes with automatic balancing: the kernel unmaps pages "
			      "to see who uses them, which costs page faults during a run",
			      nodes);
	else
		np_doctor_say(doctor, NP_GRADE_OK, "NUMA", NULL, "%d node%s", nodes,
			      nodes == 1 ? "" : "s, no automatic balancing");
}
