/*
 * mpi_limits.c - the library's device and its eager limit, from MPI_T control variables.
 *
 * A library also lists the variables of devices that it does not use, so a variable is
 * read only if the device in use is known and obeys it; otherwise "not reported".
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "mpi_private.h"

enum { VARIABLE_NAME = 128 };

/* The index of a control variable, or -1. */
static int find_variable(const char *wanted)
{
	int count = 0;

	if (MPI_T_cvar_get_num(&count) != MPI_SUCCESS)
		return -1;
	for (int i = 0; i < count; i++) {
		char name[VARIABLE_NAME];
		int length = sizeof(name), none = 0, verbosity, binding, scope;
		MPI_Datatype type;

		if (MPI_T_cvar_get_info(i, name, &length, &verbosity, &type, NULL, NULL,
					&none, &binding, &scope) == MPI_SUCCESS &&
		    strcmp(name, wanted) == 0)
			return i;
	}
	return -1;
}

/* The value of an integer control variable; -1 if there is none. */
static int64_t read_number(const char *name)
{
	const int index = find_variable(name);
	MPI_T_cvar_handle handle;
	union {
		int small;
		uint64_t large;
	} value = { .large = 0 };
	char found[VARIABLE_NAME];
	int length = sizeof(found), none = 0, size = 0, count, verbosity, binding, scope;
	MPI_Datatype type;

	if (index < 0 || MPI_T_cvar_get_info(index, found, &length, &verbosity, &type, NULL,
					     NULL, &none, &binding, &scope) != MPI_SUCCESS)
		return -1;
	if (MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) != MPI_SUCCESS)
		return -1;
	const bool readable =
		count == 1 && MPI_Type_size(type, &size) == MPI_SUCCESS &&
		(size == (int)sizeof(value.small) || size == (int)sizeof(value.large)) &&
		MPI_T_cvar_read(handle, &value) == MPI_SUCCESS;
	MPI_T_cvar_handle_free(&handle);
	if (!readable)
		return -1;
	return size == (int)sizeof(value.small) ? value.small : (int64_t)value.large;
}

/* MPICH's version string names its device; Open MPI has control variables only of the
 * PML that it selected. */
static void find_device(char *device, size_t size)
{
	char text[MPI_MAX_LIBRARY_VERSION_STRING + 1] = "";
	int length = 0;

	device[0] = '\0';
	if (MPI_Get_library_version(text, &length) != MPI_SUCCESS)
		return;
	const char *line = strstr(text, "Device:");
	if (line != NULL) {
		line += strlen("Device:");
		line += strspn(line, " \t");
		snprintf(device, size, "%.*s", (int)strcspn(line, " \t\n"), line);
	} else if (strncmp(text, "Open MPI", strlen("Open MPI")) == 0) {
		const bool ob1 = find_variable("pml_ob1_priority") >= 0;
		const bool ucx = find_variable("pml_ucx_priority") >= 0;

		if (ob1 != ucx)
			snprintf(device, size, "%s", ob1 ? "ob1" : "ucx");
	}
}

static const struct limit {
	const char *device; /* prefix of its name */
	bool one_node;
	const char *variable;
} limits[] = {
	{ "ch3", true, "MPIR_CVAR_NEMESIS_SHM_EAGER_MAX_SZ" },
	{ "ch3", false, "MPIR_CVAR_CH3_EAGER_MAX_MSG_SIZE" },
	{ "ch4:ofi", false, "MPIR_CVAR_CH4_OFI_EAGER_MAX_MSG_SIZE" },
	{ "ob1", true, "btl_vader_eager_limit" },
	{ "ob1", true, "btl_sm_eager_limit" },
	{ "ob1", false, "btl_tcp_eager_limit" },
};

/* Fragment sizes: not message limits, but visible as steps in the times. */
static const struct limit fragments[] = {
	{ "ch4", true, "MPIR_CVAR_CH4_SHM_POSIX_IQUEUE_CELL_SIZE" },
	{ "ob1", true, "btl_vader_max_send_size" },
};

static void report(const struct limit *list, size_t count, const char *device,
		   bool one_node, const char *fact, struct np_facts *facts)
{
	for (size_t i = 0; i < count; i++) {
		if (device[0] == '\0' || list[i].one_node != one_node ||
		    strncmp(device, list[i].device, strlen(list[i].device)) != 0)
			continue;
		const int64_t value = read_number(list[i].variable);

		if (value > 0) {
			np_facts_add_number(facts, fact, (uint64_t)value, NP_UNIT_BYTES,
					    list[i].variable);
			return;
		}
	}
	np_facts_add(facts, fact, "not reported");
}

void np_mpi_describe_limits(bool one_node, struct np_facts *facts)
{
	char device[64];
	int level;

	if (MPI_T_init_thread(MPI_THREAD_SINGLE, &level) != MPI_SUCCESS) {
		np_facts_add(facts, "mpi_device", "not reported");
		np_facts_add(facts, "eager_limit_bytes", "not reported");
		return;
	}
	find_device(device, sizeof(device));
	np_facts_add(facts, "mpi_device", "%s",
		     device[0] != '\0' ? device : "not reported");
	report(limits, sizeof(limits) / sizeof(*limits), device, one_node,
	       "eager_limit_bytes", facts);
	report(fragments, sizeof(fragments) / sizeof(*fragments), device, one_node,
	       "fragment_limit_bytes", facts);
	MPI_T_finalize();
}
