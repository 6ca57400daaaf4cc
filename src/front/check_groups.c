/*
 * check_groups.c - examines the CPU quota of control groups: when it is used up, the kernel
 * stops every process of the group for the rest of the period.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "front/doctor.h"
#include "machine/control_group.h"
#include "machine/kernel_files.h"

/* The group with the smallest quota. */
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
		/* -1 is no limit, and not a number here. */
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

static void take_least(void *context, const char *folder, int version)
{
	struct quota *least = context;
	double processors;

	if (!read_quota(folder, version, &processors) ||
	    (least->processors >= 0 && processors >= least->processors))
		return;
	least->processors = processors;
	snprintf(least->folder, sizeof(least->folder), "%.255s", folder);
}

void np_check_cpu_quota(struct np_doctor *doctor)
{
	struct quota least = { .processors = -1 };
	char groups[NP_KERNEL_PATH], mount[NP_KERNEL_PATH];

	snprintf(groups, sizeof(groups), "%s/proc/self/cgroup", doctor->root);
	snprintf(mount, sizeof(mount), "%s/sys/fs/cgroup", doctor->root);
	np_control_groups(groups, mount, "cpu", take_least, &least);
	if (least.processors < 0)
		np_doctor_say(doctor, NP_GRADE_OK, "CPU quota", NULL,
			      "no control group limits CPU time");
	else
		np_doctor_say(
			doctor, NP_GRADE_CHANGE, "CPU quota",
			"run without a limit of CPU time (docker --cpus, CPUQuota of "
			"systemd, limits of a pod); whole processors are given by "
			"--cpuset-cpus",
			"%.2f processors, by %s: when the quota is used up, the kernel "
			"stops the processes for the rest of the period",
			least.processors, least.folder + strlen(doctor->root));
}
