/*
 * check_idle.c - examines idle states of the processors: the exit latency is part of every
 * message for which a process sleeps.
 */
#include <stdio.h>

#include "front/doctor.h"
#include "machine/kernel_files.h"

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

void np_check_idle(struct np_doctor *doctor)
{
	struct idle idle = { .root = doctor->root };

	np_kernel_each(doctor->root, "/sys/devices/system/cpu", "cpu", take_processor,
		       &idle);
	if (idle.states == 0)
		np_doctor_say(doctor, NP_GRADE_UNKNOWN, "idle states", NULL,
			      "no cpuidle: the host of a virtual machine, or the firmware, "
			      "chooses them");
	else if (idle.longest > IDLE_US)
		np_doctor_say(doctor, NP_GRADE_CHANGE, "idle states",
			      "cpupower idle-set -D 11",
			      "%s takes %llu us to leave: a process that sleeps until a "
			      "message comes waits so much longer",
			      idle.name, idle.longest);
	else
		np_doctor_say(doctor, NP_GRADE_OK, "idle states", NULL,
			      "%llu us to leave at most", idle.longest);
}
