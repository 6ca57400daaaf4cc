/*
 * check_memory.c - examines memory for the pools, the limit of locked memory, and huge
 * pages.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "front/front.h"
#include "machine/host.h"
#include "machine/kernel_files.h"

enum {
	/* Memory that -I needs, in last-level caches: two pools of four caches each, and a
	 * fifth of the total for other uses. */
	CACHES = 10,
	UNKNOWN_CACHE = 64 << 20,
	/* The default pool of an RDMA device with a cache of 64 MiB. */
	LOCKED = 256 << 20
};

static void check_available(struct np_doctor *doctor)
{
	const size_t available = np_host_memory_below(doctor->root);
	const size_t cache =
		doctor->topology != NULL && doctor->topology->last_level_cache != 0 ?
			doctor->topology->last_level_cache :
			UNKNOWN_CACHE;

	if (available == 0)
		np_doctor_print(doctor, NP_GRADE_UNKNOWN, "memory", NULL,
				"/proc/meminfo is not there");
	else if (available / CACHES < cache)
		np_doctor_print(doctor, NP_GRADE_CHANGE, "memory",
				"end what uses memory, or raise the limit of the control "
				"group; --pool makes the pool smaller, and not cold",
				"%zu MiB are available within the limits of all control "
				"groups: -I needs %zu MiB, for two pools of four times the "
				"last-level cache",
				available >> 20, CACHES * cache >> 20);
	else
		np_doctor_print(doctor, NP_GRADE_OK, "memory", NULL,
				"%zu MiB are available within the limits of all control "
				"groups",
				available >> 20);
}

static void check_locked(struct np_doctor *doctor)
{
	char text[128];

	if (!np_kernel_value(doctor->root, "Max locked memory", text, sizeof(text),
			     "/proc/self/limits")) {
		np_doctor_print(doctor, NP_GRADE_UNKNOWN, "locked memory", NULL,
				"/proc/self/limits is not there");
		return;
	}
	const unsigned long long limit = strtoull(text, NULL, 10);
	if (strncmp(text, "unlimited", 9) == 0)
		np_doctor_print(doctor, NP_GRADE_OK, "locked memory", NULL, "no limit");
	else if (np_doctor_has_rdma(doctor) && limit < LOCKED)
		np_doctor_print(doctor, NP_GRADE_CHANGE, "locked memory",
				"ulimit -l unlimited; for good in /etc/security/limits.d, "
				"and LimitMEMLOCK=infinity in the unit of sshd or slurmd",
				"%llu KiB may be locked: registering the pool will fail",
				limit >> 10);
	else
		np_doctor_print(
			doctor, NP_GRADE_OK, "locked memory", NULL, "%llu KiB%s",
			limit >> 10,
			np_doctor_has_rdma(doctor) ? "" : "; only RDMA devices need more");
}

static void check_huge_pages(struct np_doctor *doctor)
{
	unsigned long long reserved = 0;
	char text[128];

	np_kernel_number(doctor->root, &reserved,
			 "/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages");
	if (!np_kernel_line(doctor->root, text, sizeof(text),
			    "/sys/kernel/mm/transparent_hugepage/enabled"))
		np_doctor_print(doctor, NP_GRADE_UNKNOWN, "huge pages", NULL,
				"no transparent huge pages; %llu of 2 MiB are reserved",
				reserved);
	else if (strstr(text, "[never]") != NULL && reserved == 0)
		np_doctor_print(
			doctor, NP_GRADE_CHANGE, "huge pages",
			"echo madvise >/sys/kernel/mm/transparent_hugepage/enabled, "
			"or sysctl vm.nr_hugepages=512",
			"none can be had: --pages and --why cannot separate page walks "
			"from cache misses");
	else
		np_doctor_print(doctor, NP_GRADE_OK, "huge pages", NULL,
				"transparent: %s; %llu of 2 MiB are reserved", text,
				reserved);
}

void np_check_memory(struct np_doctor *doctor)
{
	check_available(doctor);
	check_locked(doctor);
	check_huge_pages(doctor);
}
