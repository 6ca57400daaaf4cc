/*
 * doctor.c - "netpong doctor": examines a host and prints settings to change before
 * measurements.
 */
#include "front/front.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/wrap.h"

enum { TEXT_COLUMN = 26 };

void np_doctor_print(struct np_doctor *doctor, enum np_grade grade, const char *topic,
		     const char *advice, const char *format, ...)
{
	static const char *const words[NP_GRADES] = {
		[NP_GRADE_OK] = "ok",
		[NP_GRADE_NOTE] = "note",
		[NP_GRADE_UNKNOWN] = "unknown",
		[NP_GRADE_CHANGE] = "CHANGE",
	};
	char text[600];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	doctor->count[grade]++;
	printf("  %-8s%-16s", words[grade], topic);
	np_wrap(stdout, TEXT_COLUMN, TEXT_COLUMN, text);
	if (advice != NULL) {
		printf("%*s%-*s", TEXT_COLUMN - 4, "", 4, "do:");
		np_wrap(stdout, TEXT_COLUMN, TEXT_COLUMN, advice);
	}
}

/* Opens the topology of this host, or of the copy of /proc and /sys (HWLOC_FSROOT). */
static int open_topology(struct np_doctor *doctor, struct np_topology *topology)
{
	struct np_error error = { .code = 0 };

	if (doctor->planted)
		setenv("HWLOC_FSROOT", doctor->root, 1);
	const int rc = np_topology_open(topology, &error);
	if (rc == 0)
		doctor->topology = topology;
	else
		np_doctor_print(doctor, NP_GRADE_UNKNOWN, "topology", NULL, "%s",
				error.text);
	return rc;
}

size_t np_front_doctor(const char *root)
{
	struct np_doctor doctor = { .root = root, .planted = root[0] != '\0' };
	struct np_topology topology = { .handle = NULL };

	open_topology(&doctor, &topology);
	np_check_cpu(&doctor);
	np_check_memory(&doctor);
	np_check_network(&doctor);
	np_check_clock(&doctor);
	np_topology_close(&topology);
	printf("\n%zu to change, %zu in order, %zu to know, %zu not reported\n",
	       doctor.count[NP_GRADE_CHANGE], doctor.count[NP_GRADE_OK],
	       doctor.count[NP_GRADE_NOTE], doctor.count[NP_GRADE_UNKNOWN]);
	return doctor.count[NP_GRADE_CHANGE];
}
