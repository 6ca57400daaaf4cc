/*
 * doctor.c - "netpong doctor": examines a host and prints settings to change before
 * measurements; here those of network and memory.
 *
 * RDMA: permission to open devices, state and GID of their ports, and speed of their PCI
 * Express link.  MPI: whether a launcher in PATH belongs to the MPI library of NPmpi; a
 * launcher of another MPI starts two jobs of one process.  Memory: what is available for
 * the pools, the limit of locked memory, and huge pages.
 */
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/child.h"
#include "base/wrap.h"
#include "front/front.h"
#include "machine/host.h"
#include "machine/kernel_files.h"

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

#define CLASS "/sys/class/infiniband"

/* A device or port under examination. */
struct examined {
	struct np_doctor *doctor;
	const char *device, *port;
	bool has_gid; /* the port has an assigned GID */
	bool opened;  /* /dev has a file for the device */
};

static void count_device(void *context, const char *name)
{
	(void)name;
	(*(size_t *)context)++;
}

static bool has_rdma(const struct np_doctor *doctor)
{
	size_t count = 0;

	return np_kernel_each(doctor->root, CLASS, "", count_device, &count) != 0;
}

/* Records an assigned GID: the interface identifier (low 64 bits) of others is zero. */
static void take_gid(void *context, const char *index)
{
	struct examined *examined = context;
	char gid[64];

	if (np_kernel_line(examined->doctor->root, gid, sizeof(gid),
			   CLASS "/%s/ports/%s/gids/%s", examined->device, examined->port,
			   index) &&
	    strlen(gid) == 39 && strcmp(gid + 20, "0000:0000:0000:0000") != 0)
		examined->has_gid = true;
}

/* Returns advice for an inactive port, by its state and its physical state. */
static const char *inactive_advice(const char *state, const char *physical, bool ethernet)
{
	if (strstr(state, "INIT") != NULL || strstr(state, "ARMED") != NULL)
		return ethernet ? "ip link set up, of its network interface" :
				  "start a subnet manager on the fabric (opensm)";
	if (strstr(physical, "Disabled") != NULL)
		return ethernet ? "ip link set up, of its network interface" :
				  "ibportstate enable, of this port";
	return "plug in the cable, or check the port of the switch";
}

static void examine_port(void *context, const char *port)
{
	struct examined *examined = context;
	struct np_doctor *doctor = examined->doctor;
	char state[64] = "", physical[64] = "", layer[64] = "", rate[64] = "", topic[64];
	char folder[300];

	snprintf(folder, sizeof(folder), CLASS "/%.100s/ports/%.100s", examined->device,
		 port);
	np_kernel_line(doctor->root, state, sizeof(state), "%s/state", folder);
	np_kernel_line(doctor->root, physical, sizeof(physical), "%s/phys_state", folder);
	np_kernel_line(doctor->root, layer, sizeof(layer), "%s/link_layer", folder);
	np_kernel_line(doctor->root, rate, sizeof(rate), "%s/rate", folder);
	const bool ethernet = strcmp(layer, "Ethernet") == 0;

	snprintf(topic, sizeof(topic), "%.10s:%.3s", examined->device, port);
	if (strstr(state, "ACTIVE") == NULL) {
		np_doctor_print(doctor, NP_GRADE_CHANGE, topic,
				inactive_advice(state, physical, ethernet),
				"the port is not active: state %s, physical state %s",
				state[0] != '\0' ? state : "not reported",
				physical[0] != '\0' ? physical : "not reported");
		return;
	}
	snprintf(folder, sizeof(folder), CLASS "/%.100s/ports/%.100s/gids",
		 examined->device, port);
	examined->port = port;
	examined->has_gid = false;
	np_kernel_each(doctor->root, folder, "", take_gid, examined);
	if (!examined->has_gid)
		np_doctor_print(doctor, NP_GRADE_CHANGE, topic,
				ethernet ? "ip address add, to its network interface" :
					   "restart the subnet manager",
				"the port is active and has no GID: nobody can address it");
	else
		np_doctor_print(doctor, NP_GRADE_OK, topic, NULL, "active, %s, %s",
				layer[0] != '\0' ? layer : "link layer not reported",
				rate[0] != '\0' ? rate : "rate not reported");
}

static void examine_slot(struct np_doctor *doctor, const char *device)
{
	char speed[64], fastest[64], width[16], widest[16], topic[32];
	const char *root = doctor->root;

	if (!np_kernel_line(root, speed, sizeof(speed),
			    CLASS "/%s/device/current_link_speed", device) ||
	    !np_kernel_line(root, fastest, sizeof(fastest),
			    CLASS "/%s/device/max_link_speed", device) ||
	    !np_kernel_line(root, width, sizeof(width),
			    CLASS "/%s/device/current_link_width", device) ||
	    !np_kernel_line(root, widest, sizeof(widest), CLASS "/%s/device/max_link_width",
			    device))
		return;
	if (strcmp(speed, fastest) == 0 && strcmp(width, widest) == 0)
		return;
	snprintf(topic, sizeof(topic), "%.14s", device);
	np_doctor_print(doctor, NP_GRADE_CHANGE, topic,
			"put it into a faster slot, or look at the firmware's settings of "
			"this one",
			"its PCI Express link runs at %s x%s, and could at %s x%s", speed,
			width, fastest, widest);
}

static void find_device_file(void *context, const char *name)
{
	struct examined *examined = context;
	char device[64], path[NP_KERNEL_PATH];

	if (!np_kernel_line(examined->doctor->root, device, sizeof(device),
			    "/sys/class/infiniband_verbs/%s/ibdev", name) ||
	    strcmp(device, examined->device) != 0)
		return;
	snprintf(path, sizeof(path), "%s/dev/infiniband/%.100s", examined->doctor->root,
		 name);
	FILE *file = fopen(path, "r+e");
	examined->opened = file != NULL;
	if (file != NULL)
		fclose(file);
}

static void examine_device(void *context, const char *device)
{
	struct np_doctor *doctor = context;
	struct examined examined = { .doctor = doctor, .device = device };
	char folder[300], topic[32];

	np_kernel_each(doctor->root, "/sys/class/infiniband_verbs", "uverbs",
		       find_device_file, &examined);
	if (!examined.opened) {
		snprintf(topic, sizeof(topic), "%.14s", device);
		np_doctor_print(doctor, NP_GRADE_CHANGE, topic,
				"modprobe ib_uverbs; in a container, --device "
				"/dev/infiniband",
				"the device cannot be opened in /dev/infiniband");
	}
	examine_slot(doctor, device);
	snprintf(folder, sizeof(folder), CLASS "/%.100s/ports", device);
	np_kernel_each(doctor->root, folder, "", examine_port, &examined);
}

static void check_rdma(struct np_doctor *doctor)
{
	if (np_kernel_each(doctor->root, CLASS, "", examine_device, doctor) == 0)
		np_doctor_print(doctor, NP_GRADE_NOTE, "RDMA devices", NULL, "none");
}

/* ---- MPI launchers -------------------------------------------------------------- */

enum mpi { MPI_UNKNOWN, MPI_MPICH, MPI_OPEN };

static const char *const mpi_names[] = { "an unknown MPI", "MPICH", "Open MPI" };

/* Identifies a launcher by its --version: "HYDRA build details", "mpiexec (OpenRTE) 4.1.4",
 * "mpirun (Open MPI) 5.0.1". */
static enum mpi identify_launcher(const char *name)
{
	char command[128], text[4096];
	enum mpi found = MPI_UNKNOWN;

	snprintf(command, sizeof(command), "%s --version 2>/dev/null </dev/null", name);
	FILE *answer = popen(command, "re");
	if (answer == NULL)
		return found;
	while (fgets(text, sizeof(text), answer) != NULL) {
		if (strstr(text, "HYDRA") != NULL)
			found = MPI_MPICH;
		else if (strstr(text, "OpenRTE") != NULL ||
			 strstr(text, "Open MPI") != NULL)
			found = MPI_OPEN;
	}
	pclose(answer);
	return found;
}

/* Identifies the MPI library of a program, by the names of needed libraries in its file. */
static enum mpi find_mpi(const char *path)
{
	static const char mpich[] = "libmpich.so", mpich_abi[] = "libmpi.so.12",
			  open[] = "libmpi.so";
	enum mpi found = MPI_UNKNOWN;
	FILE *file = fopen(path, "re");
	long size;

	if (file == NULL)
		return found;
	if (fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) > 0) {
		char *text = malloc((size_t)size);

		rewind(file);
		if (text != NULL && fread(text, 1, (size_t)size, file) == (size_t)size) {
			if (memmem(text, (size_t)size, mpich, strlen(mpich)) != NULL ||
			    memmem(text, (size_t)size, mpich_abi, strlen(mpich_abi)) !=
				    NULL)
				found = MPI_MPICH;
			else if (memmem(text, (size_t)size, open, strlen(open)) != NULL)
				found = MPI_OPEN;
		}
		free(text);
	}
	fclose(file);
	return found;
}

static void check_launchers(struct np_doctor *doctor)
{
	static const char *const names[] = { "mpiexec", "mpirun", "mpiexec.mpich",
					     "mpiexec.hydra", "mpiexec.openmpi" };
	enum mpi first = MPI_UNKNOWN;
	char path[PATH_MAX];

	if (!np_program_find("NPmpi", NP_LIBEXEC, path, sizeof(path))) {
		np_doctor_print(doctor, NP_GRADE_NOTE, "MPI launcher", NULL,
				"there is no NPmpi");
		return;
	}
	const enum mpi wanted = find_mpi(path);
	if (wanted == MPI_UNKNOWN) {
		np_doctor_print(doctor, NP_GRADE_UNKNOWN, "MPI launcher", NULL,
				"cannot identify the MPI library of %s", path);
		return;
	}
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const enum mpi launcher = identify_launcher(names[i]);

		first = i == 0 ? launcher : first;
		if (launcher != wanted)
			continue;
		if (first != MPI_UNKNOWN && first != wanted)
			np_doctor_print(doctor, NP_GRADE_NOTE, "MPI launcher", NULL,
					"%s is of %s, as NPmpi is; mpiexec is of %s",
					names[i], mpi_names[wanted], mpi_names[first]);
		else
			np_doctor_print(doctor, NP_GRADE_OK, "MPI launcher", NULL,
					"%s is of %s, as NPmpi is", names[i],
					mpi_names[wanted]);
		return;
	}
	np_doctor_print(doctor, NP_GRADE_CHANGE, "MPI launcher",
			wanted == MPI_MPICH ? "install mpich, or load its module" :
					      "install openmpi-bin, or load its module",
			"NPmpi is of %s, and no launcher in PATH is; mpiexec is of %s",
			mpi_names[wanted], mpi_names[first]);
}

static void check_network(struct np_doctor *doctor)
{
	check_rdma(doctor);
	check_launchers(doctor);
}

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
	const size_t available = np_host_memory_available(doctor->root);
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
	else if (has_rdma(doctor) && limit < LOCKED)
		np_doctor_print(doctor, NP_GRADE_CHANGE, "locked memory",
				"ulimit -l unlimited; for good in /etc/security/limits.d, "
				"and LimitMEMLOCK=infinity in the unit of sshd or slurmd",
				"%llu KiB may be locked: registering the pool will fail",
				limit >> 10);
	else
		np_doctor_print(doctor, NP_GRADE_OK, "locked memory", NULL, "%llu KiB%s",
				limit >> 10,
				has_rdma(doctor) ? "" : "; only RDMA devices need more");
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

static void check_memory(struct np_doctor *doctor)
{
	check_available(doctor);
	check_locked(doctor);
	check_huge_pages(doctor);
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
	check_memory(&doctor);
	check_network(&doctor);
	np_check_clock(&doctor);
	np_topology_close(&topology);
	printf("\n%zu to change, %zu in order, %zu to know, %zu not reported\n",
	       doctor.count[NP_GRADE_CHANGE], doctor.count[NP_GRADE_OK],
	       doctor.count[NP_GRADE_NOTE], doctor.count[NP_GRADE_UNKNOWN]);
	return doctor.count[NP_GRADE_CHANGE];
}
