/*
 * check_clock.c - examines the clock source and the counters of the processor.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "front/doctor.h"
#include "machine/host.h"
#include "machine/counters.h"
#include "machine/kernel_files.h"

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

void np_check_clock(struct np_doctor *doctor)
{
	char source[64], cost[64] = "";

	if (!np_kernel_line(doctor->root, source, sizeof(source),
			    "/sys/devices/system/clocksource/clocksource0/"
			    "current_clocksource")) {
		np_doctor_say(doctor, NP_GRADE_UNKNOWN, "clock source", NULL,
			      "the system does not report it");
		return;
	}
	if (!doctor->planted)
		snprintf(cost, sizeof(cost), ", %.0f ns a reading",
			 np_clock_measure().overhead_ns);
	if (is_slow(source))
		np_doctor_say(
			doctor, NP_GRADE_CHANGE, "clock source",
			"write the best of available_clocksource, which lies beside, "
			"into /sys/devices/system/clocksource/clocksource0/"
			"current_clocksource; dmesg says why the kernel left tsc",
			"%s%s: a reading is a system call, and much of a short sample",
			source, cost);
	else
		np_doctor_say(doctor, NP_GRADE_OK, "clock source", NULL, "%s%s", source,
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

void np_check_counters(struct np_doctor *doctor)
{
	char text[32];

	if (!np_kernel_line(doctor->root, text, sizeof(text),
			    "/proc/sys/kernel/perf_event_paranoid"))
		np_doctor_say(doctor, NP_GRADE_UNKNOWN, "counters", NULL,
			      "this kernel has no perf events");
	else if (!doctor->planted && can_count())
		np_doctor_say(doctor, NP_GRADE_OK, "counters", NULL,
			      "cache or TLB misses can be counted");
	else if (strtol(text, NULL, 10) > 2)
		np_doctor_say(doctor, NP_GRADE_CHANGE, "counters",
			      "sysctl kernel.perf_event_paranoid=2",
			      "kernel.perf_event_paranoid is %s: cache and TLB misses are "
			      "not counted",
			      text);
	else if (!doctor->planted)
		np_doctor_say(doctor, NP_GRADE_NOTE, "counters", NULL,
			      "permitted, but the processor has none for cache and TLB "
			      "misses, as in many virtual machines");
	else
		np_doctor_say(doctor, NP_GRADE_OK, "counters", NULL,
			      "kernel.perf_event_paranoid is %s", text);
}
