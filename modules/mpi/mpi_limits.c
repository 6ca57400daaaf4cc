/*
 * mpi_limits.c - device of the library and its limits, from MPI_T control variables.
 *
 * A library also lists variables of devices that it does not use.  A variable is read only
 * if the device in use is known and uses it; otherwise "not reported".
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "mpi_library.h"
#include "mpi_private.h"

enum { VARIABLE_NAME = 128 };

struct variable {
	int index;
	MPI_Datatype type;
	MPI_T_enum words; /* names of its values, or MPI_T_ENUM_NULL */
};

/* Returns false if no variable has that name. */
static bool find_variable(const char *wanted, struct variable *variable)
{
	int count = 0;

	if (MPI_T_cvar_get_num(&count) != MPI_SUCCESS)
		return false;
	for (variable->index = 0; variable->index < count; variable->index++) {
		char name[VARIABLE_NAME];
		int length = sizeof(name), none = 0, verbosity, binding, scope;

		if (MPI_T_cvar_get_info(variable->index, name, &length, &verbosity,
					&variable->type, &variable->words, NULL, &none,
					&binding, &scope) == MPI_SUCCESS &&
		    strcmp(name, wanted) == 0)
			return true;
	}
	return false;
}

/* Value of an integer control variable; -1 if it is no integer. */
static int64_t read_number(const struct variable *variable)
{
	MPI_T_cvar_handle handle;
	union {
		int small;
		uint64_t large;
	} value = { .large = 0 };
	int size = 0, count;

	if (MPI_T_cvar_handle_alloc(variable->index, NULL, &handle, &count) != MPI_SUCCESS)
		return -1;
	const bool readable =
		count == 1 && MPI_Type_size(variable->type, &size) == MPI_SUCCESS &&
		(size == (int)sizeof(value.small) || size == (int)sizeof(value.large)) &&
		MPI_T_cvar_read(handle, &value) == MPI_SUCCESS;
	MPI_T_cvar_handle_free(&handle);
	if (!readable)
		return -1;
	return size == (int)sizeof(value.small) ? value.small : (int64_t)value.large;
}

/* Name of the value of an enumeration variable; false if the variable is none. */
static bool read_word(const struct variable *variable, char *word, int size)
{
	const int64_t value = read_number(variable);
	char name[VARIABLE_NAME];
	int count = 0, length = sizeof(name);

	if (variable->words == MPI_T_ENUM_NULL ||
	    MPI_T_enum_get_info(variable->words, &count, name, &length) != MPI_SUCCESS)
		return false;
	for (int i = 0; i < count; i++) {
		int item = 0;

		length = size;
		if (MPI_T_enum_get_item(variable->words, i, &item, word, &length) ==
			    MPI_SUCCESS &&
		    item == value)
			return true;
	}
	return false;
}

/* Open MPI lists control variables only of the selected PML. */
static void find_device(char *device, size_t size)
{
	char text[MPI_MAX_LIBRARY_VERSION_STRING + 1] = "";
	int length = 0;

	device[0] = '\0';
	if (MPI_Get_library_version(text, &length) != MPI_SUCCESS)
		return;
	np_mpi_name_device(text, device, size);
	if (strncmp(text, "Open MPI", strlen("Open MPI")) == 0) {
		struct variable unused;
		const bool ob1 = find_variable("pml_ob1_priority", &unused);
		const bool ucx = find_variable("pml_ucx_priority", &unused);

		if (ob1 != ucx)
			snprintf(device, size, "%s", ob1 ? "ob1" : "ucx");
	}
}

/* Variables by fact; the first one found sets it. */
static const struct limit {
	const char *fact;
	const char *device; /* prefix of the device's name */
	bool one_node;
	const char *variable;
} limits[] = {
	{ "eager_limit_bytes", "ch3:nemesis", true, "MPIR_CVAR_NEMESIS_SHM_EAGER_MAX_SZ" },
	{ "eager_limit_bytes", "ch3:nemesis", false, "MPIR_CVAR_CH3_EAGER_MAX_MSG_SIZE" },
	{ "eager_limit_bytes", "ch4:ofi", false, "MPIR_CVAR_CH4_OFI_EAGER_MAX_MSG_SIZE" },
	{ "eager_limit_bytes", "ob1", true, "btl_vader_eager_limit" },
	{ "eager_limit_bytes", "ob1", true, "btl_sm_eager_limit" },
	{ "eager_limit_bytes", "ob1", false, "btl_tcp_eager_limit" },
	{ "inline_limit_bytes", "ob1", true, "btl_vader_max_inline_send" },
	{ "inline_limit_bytes", "ob1", true, "btl_sm_max_inline_send" },
	/* ch4:ucx uses the shared memory of UCX instead of these cells. */
	{ "fragment_limit_bytes", "ch4:ofi", true,
	  "MPIR_CVAR_CH4_SHM_POSIX_IQUEUE_CELL_SIZE" },
};

/* Variables of Open MPI's shared memory: single-copy mechanism and fragment size.  Long
 * messages are fragmented only without single copy. */
static const char *const copies[][2] = {
	{ "btl_vader_single_copy_mechanism", "btl_vader_max_send_size" },
	{ "btl_smsc", "btl_sm_max_send_size" },
};

static bool add_limit(struct np_facts *facts, const char *fact, const char *name)
{
	struct variable variable;
	const int64_t value = find_variable(name, &variable) ? read_number(&variable) : -1;

	if (value > 0)
		np_facts_add_number(facts, fact, (uint64_t)value, NP_UNIT_BYTES, name);
	return value > 0;
}

static void add_copy(struct np_facts *facts)
{
	for (size_t i = 0; i < sizeof(copies) / sizeof(*copies); i++) {
		struct variable variable;
		char word[VARIABLE_NAME];

		if (!find_variable(copies[i][0], &variable) ||
		    !read_word(&variable, word, sizeof(word)))
			continue;
		np_facts_add(facts, "single_copy", "%s (%s)", word, copies[i][0]);
		if (strcmp(word, "none") == 0)
			add_limit(facts, "fragment_limit_bytes", copies[i][1]);
		return;
	}
}

void np_mpi_describe_limits(bool one_node, struct np_facts *facts)
{
	char device[64] = "";
	int level;
	const bool readable = MPI_T_init_thread(MPI_THREAD_SINGLE, &level) == MPI_SUCCESS;

	if (readable)
		find_device(device, sizeof(device));
	np_facts_add(facts, "mpi_device", "%s",
		     device[0] != '\0' ? device : "not reported");
	np_facts_add(facts, "eager_limit_bytes", "not reported");
	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
		if (device[0] != '\0' && limits[i].one_node == one_node &&
		    strncmp(device, limits[i].device, strlen(limits[i].device)) == 0 &&
		    np_facts_number(facts, limits[i].fact) == 0)
			add_limit(facts, limits[i].fact, limits[i].variable);
	}
	if (one_node && strcmp(device, "ob1") == 0)
		add_copy(facts);
	if (strstr(device, "ucx") != NULL)
		np_mpi_describe_ucx(facts);
	if (readable)
		MPI_T_finalize();
}
