/*
 * mpi_facts.c - facts: MPI library, its device and limits, environment, cores of this rank,
 * and transfer mode.
 */
#include <dlfcn.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi_library.h"
#include "mpi_pattern.h"

/* MPI_Get_library_version() may be called before MPI_Init(). */
void np_mpi_library(char *name, size_t size)
{
	char text[MPI_MAX_LIBRARY_VERSION_STRING + 1] = "";
	int length = 0;

	if (MPI_Get_library_version(text, &length) != MPI_SUCCESS)
		text[0] = '\0';
	np_mpi_name_library(text, name, size);
}

static void describe_library(struct np_facts *facts)
{
	char text[MPI_MAX_LIBRARY_VERSION_STRING + 1];
	int version = 0, subversion = 0;

	np_mpi_library(text, sizeof(text));
	np_facts_add(facts, "mpi_library", "%s", text);
	if (MPI_Get_version(&version, &subversion) == MPI_SUCCESS)
		np_facts_add(facts, "mpi_version", "%d.%d", version, subversion);
}

/* ---- Environment variables that configure the libraries ------------------ */

extern char **environ;

enum { VARIABLES_MAX = 200 };

static bool starts_with(const char *text, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (strncmp(text, list[i], strlen(list[i])) == 0)
			return true;
	}
	return false;
}

/* True for variables that configure a library; not for those that a launcher passes to
 * its processes, which differ from job to job. */
static bool is_setting(const char *variable)
{
	static const char *const taken[] = { "UCX_",   "OMPI_MCA_", "MPIR_CVAR_", "FI_",
					     "I_MPI_", "MV2_",	    "PSM" };
	static const char *const left[] = { "OMPI_MCA_orte_",
					    "OMPI_MCA_prte_",
					    "OMPI_MCA_ess",
					    "OMPI_MCA_pmix",
					    "OMPI_MCA_initial_wdir",
					    "OMPI_MCA_mpi_oversubscribe",
					    "OMPI_MCA_shmem_RUNTIME_QUERY_hint",
					    "MPIR_CVAR_CH3_INTERFACE_HOSTNAME",
					    "I_MPI_HYDRA_",
					    "I_MPI_INFO_",
					    "I_MPI_MPIRUN" };

	return strchr(variable, '=') != NULL &&
	       starts_with(variable, taken, sizeof(taken) / sizeof(*taken)) &&
	       !starts_with(variable, left, sizeof(left) / sizeof(*left));
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void describe_environment(struct np_facts *facts)
{
	const char *found[VARIABLES_MAX] = { NULL };
	char name[128];
	size_t count = 0;

	for (char **at = environ; *at != NULL && count < VARIABLES_MAX; at++) {
		if (is_setting(*at))
			found[count++] = *at;
	}
	qsort(found, count, sizeof(*found), compare_texts);
	for (size_t i = 0; i < count; i++) {
		const size_t length = strcspn(found[i], "=");

		if (length >= sizeof(name))
			continue;
		memcpy(name, found[i], length);
		name[length] = '\0';
		np_facts_add(facts, name, "%.400s", found[i] + length + 1);
	}
}

/*
 * ---- Thresholds of UCX ------------------------------------------------------
 *
 * MPI_T does not list them.  Public functions of UCX are looked up in the library that MPI
 * has loaded, so that no build depends on UCX.
 */

enum { PRINT_CONFIG = 1 }; /* UCS_CONFIG_PRINT_CONFIG */

/* Functions of UCP, with its opaque types as void *. */
typedef int read_function(const char *prefix, const char *file, void **config);
typedef void print_function(const void *config, FILE *, const char *title, int flags);
typedef void release_function(void *config);

static const char *const thresholds[][2] = {
	{ "UCX_RNDV_THRESH", "rndv_limit_bytes" },
	{ "UCX_ZCOPY_THRESH", "zero_copy_limit_bytes" },
};

/* Configuration as "NAME=value" lines, which the caller frees; or NULL. */
static char *read_configuration(void *library)
{
	/* POSIX allows conversion of a symbol's address to a function pointer. */
	union {
		void *symbol;
		read_function *read;
		print_function *print;
		release_function *release;
	} begin = { .symbol = dlsym(library, "ucp_config_read") },
	  print = { .symbol = dlsym(library, "ucp_config_print") },
	  end = { .symbol = dlsym(library, "ucp_config_release") };
	void *config = NULL;
	char *text = NULL;
	size_t size = 0;

	if (begin.symbol == NULL || print.symbol == NULL || end.symbol == NULL ||
	    begin.read(NULL, NULL, &config) != 0)
		return NULL;
	FILE *stream = open_memstream(&text, &size);
	if (stream != NULL) {
		print.print(config, stream, NULL, PRINT_CONFIG);
		if (fclose(stream) != 0) {
			free(text);
			text = NULL;
		}
	}
	end.release(config);
	return text;
}

/* Bytes of "16K", "5000" or "256KB"; 0 for "auto" and "inf". */
static uint64_t read_bytes(const char *text)
{
	static const char units[] = "KMG";
	char *end = NULL;
	const uint64_t value = strtoull(text, &end, 10);
	const char *unit = *end != '\0' ? strchr(units, *end) : NULL;
	const unsigned shift = unit != NULL ? 10 * (unsigned)(unit - units + 1) : 0;

	return value < (uint64_t)1 << 32 ? value << shift : 0;
}

static void add_threshold(struct np_facts *facts, const char *fact, const char *name,
			  const char *value)
{
	const uint64_t bytes = read_bytes(value);

	if (bytes != 0)
		np_facts_add_number(facts, fact, bytes, NP_UNIT_BYTES, name);
	else
		np_facts_add(facts, fact, "%s (%s)", value, name);
}

/* Adds the protocol thresholds of UCX, if MPI has loaded it. */
static void describe_ucx(struct np_facts *facts)
{
	void *library = dlopen("libucp.so.0", RTLD_NOLOAD | RTLD_LAZY);
	char *text = library != NULL ? read_configuration(library) : NULL;
	char *rest = NULL;

	for (char *line = text != NULL ? strtok_r(text, "\n", &rest) : NULL; line != NULL;
	     line = strtok_r(NULL, "\n", &rest)) {
		char *equals = strchr(line, '=');

		if (equals == NULL)
			continue;
		*equals = '\0';
		for (size_t i = 0; i < sizeof(thresholds) / sizeof(*thresholds); i++) {
			if (strcmp(line, thresholds[i][0]) == 0)
				add_threshold(facts, thresholds[i][1], line, equals + 1);
		}
	}
	free(text);
	if (library != NULL)
		dlclose(library);
}

/*
 * ---- Device and limits, from MPI_T control variables ------------------------
 *
 * A library also lists variables of devices that it does not use.  A variable is read only
 * if the device in use is known and uses it; otherwise "not reported".
 */

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

/* Control variables by fact; the first variable found sets the fact. */
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
	/* ch4:ucx sends through the shared memory of UCX instead of these cells. */
	{ "fragment_limit_bytes", "ch4:ofi", true,
	  "MPIR_CVAR_CH4_SHM_POSIX_IQUEUE_CELL_SIZE" },
};

/* Variables of Open MPI's shared memory: single-copy mechanism and fragment size.  Long
 * messages are fragmented only without single copy. */
static const char *const copies[][2] = {
	{ "btl_vader_single_copy_mechanism", "btl_vader_max_send_size" },
	{ "btl_smsc", "btl_sm_max_send_size" },
};

/* Component of Open MPI that carries bytes: a window's by its keys, a message's by ob1 as
 * the only open BTL that reaches the peer.  Shared memory excludes other BTLs on one node.
 * No fact where that is not certain. */
static void add_component(const struct np_mpi *mpi, const char *device,
			  struct np_facts *facts)
{
	static const char *const local[] = { "vader", "sm" };
	static const char *const remote[] = {
		"tcp", "openib", "uct", "ofi", "ugni", "usnic"
	};
	const char *const *names = mpi->one_node ? local : remote;
	const size_t count = mpi->one_node ? 2 : sizeof(remote) / sizeof(*remote);
	const char *found = NULL;

	if (mpi->mode.one_sided) {
		if (mpi->component != NULL)
			np_facts_add(facts, "component", "osc %s", mpi->component);
		return;
	}
	for (size_t i = 0; strcmp(device, "ob1") == 0 && i < count; i++) {
		struct variable unused;
		char name[VARIABLE_NAME];

		snprintf(name, sizeof(name), "btl_%s_eager_limit", names[i]);
		if (!find_variable(name, &unused))
			continue;
		if (found != NULL)
			return;
		found = names[i];
	}
	if (found != NULL)
		np_facts_add(facts, "component", "btl %s", found);
}

/* Component sm sets blocking_fence, component rdma of Open MPI 4 no_locks. */
const char *np_mpi_window_component(MPI_Win win)
{
	char library[MPI_MAX_LIBRARY_VERSION_STRING + 1] = "", value[MPI_MAX_INFO_VAL + 1];
	const char *component = NULL;
	int length = 0, set = 0;
	MPI_Info info;

	if (MPI_Get_library_version(library, &length) != MPI_SUCCESS ||
	    strncmp(library, "Open MPI", strlen("Open MPI")) != 0 ||
	    MPI_Win_get_info(win, &info) != MPI_SUCCESS)
		return NULL;
	if (MPI_Info_get(info, "blocking_fence", MPI_MAX_INFO_VAL, value, &set) ==
		    MPI_SUCCESS &&
	    set)
		component = "sm";
	else if (strncmp(library, "Open MPI v4", strlen("Open MPI v4")) == 0 &&
		 MPI_Info_get(info, "no_locks", MPI_MAX_INFO_VAL, value, &set) ==
			 MPI_SUCCESS &&
		 set)
		component = "rdma";
	MPI_Info_free(&info);
	return component;
}

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

/* Adds the library's message layer (device of MPICH, PML of Open MPI) and its eager, inline
 * and fragment limits, where known. */
static void describe_limits(const struct np_mpi *mpi, struct np_facts *facts)
{
	const bool one_node = mpi->one_node;
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
	add_component(mpi, device, facts);
	if (one_node && strcmp(device, "ob1") == 0)
		add_copy(facts);
	if (strstr(device, "ucx") != NULL)
		describe_ucx(facts);
	if (readable)
		MPI_T_finalize();
}

/* ---- Rank and transfer mode ---------------------------------------------- */

static void describe_thread_level(struct np_facts *facts)
{
	int level = MPI_THREAD_SINGLE;

	if (MPI_Query_thread(&level) != MPI_SUCCESS)
		return;
	/* The standard defines the order of the levels, not their values. */
	np_facts_add(
		facts, "mpi_thread_level", "%s",
		np_mpi_thread_level_names[NP_MPI_SINGLE + (level >= MPI_THREAD_FUNNELED) +
					  (level >= MPI_THREAD_SERIALIZED) +
					  (level >= MPI_THREAD_MULTIPLE)]);
}

/* CPU affinity of this process, such as "0-3,7". */
static void list_cores(char *list, size_t size)
{
	cpu_set_t set;
	size_t at = 0;

	list[0] = '\0';
	if (sched_getaffinity(0, sizeof(set), &set) != 0)
		return;
	for (size_t core = 0; core < CPU_SETSIZE && at + 24 < size; core++) {
		size_t last = core;

		if (!CPU_ISSET(core, &set))
			continue;
		while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, &set))
			last++;
		at += (size_t)snprintf(list + at, size - at, "%s%zu", at != 0 ? "," : "",
				       core);
		if (last > core)
			at += (size_t)snprintf(list + at, size - at, "-%zu", last);
		core = last;
	}
}

static void describe_place(struct np_facts *facts)
{
	char name[MPI_MAX_PROCESSOR_NAME + 1] = "", cores[256];
	int length = 0;

	if (MPI_Get_processor_name(name, &length) != MPI_SUCCESS)
		name[0] = '\0';
	list_cores(cores, sizeof(cores));
	np_facts_add(facts, "processor", "%s", name[0] != '\0' ? name : "not reported");
	np_facts_add(facts, "cores_allowed", "%s",
		     cores[0] != '\0' ? cores : "not reported");
}

/* Participating pairs, such as "0-1 2-3 4-5", cut off if too long. */
static void describe_pairs(const struct np_mpi *mpi, struct np_facts *facts)
{
	const enum np_mpi_partners how =
		(enum np_mpi_partners)np_mpi_options_of(mpi)->partners;
	const int size = mpi->ranks.size, pairs = mpi->ranks.active / 2;
	char text[200] = "";
	size_t at = 0;

	for (int rank = 0, found = 0;
	     rank < size && found < pairs && at + 32 < sizeof(text); rank++) {
		const int partner = np_mpi_partner(how, rank, size);

		if (rank > partner)
			continue;
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%d-%d",
				       at != 0 ? " " : "", rank, partner);
		found++;
	}
	np_facts_add(facts, "partners", "%s%s", text, at + 32 < sizeof(text) ? "" : " ...");
	np_facts_add_number(facts, "pairs", (uint64_t)pairs, NP_UNIT_COUNT, NULL);
}

/* Pattern, number of processes, pairs and threads. */
static void describe_pattern(const struct np_mpi *mpi, struct np_facts *facts)
{
	np_facts_add(facts, "pattern", "%s", np_mpi_pattern_of(&mpi->mode)->name);
	np_facts_add_number(facts, "processes", (uint64_t)mpi->ranks.size, NP_UNIT_COUNT,
			    NULL);
	if (np_mpi_pattern_of(&mpi->mode)->paired)
		describe_pairs(mpi, facts);
	if (np_mpi_pattern_of(&mpi->mode)->threads != NULL)
		np_mpi_threads_describe(mpi, facts);
}

/* Elements of the calls: their type, by the standard's name. */
static const char *element_name(const struct np_mpi *mpi)
{
	const struct np_mpi_pattern *pattern = np_mpi_pattern_of(&mpi->mode);
	const enum np_mpi_transfer transfer = mpi->mode.transfer;

	if (pattern != NULL && pattern->no_bytes)
		return "none";
	if (pattern != NULL)
		return pattern->sums ? np_mpi_element_of(np_mpi_options_of(mpi)).name :
				       "MPI_BYTE";
	if (transfer >= NP_MPI_FETCH_AND_OP)
		return "MPI_UINT64_T";
	return transfer >= NP_MPI_ACCUMULATE ? "MPI_UINT8_T" : "MPI_BYTE";
}

/* Definition of the figures, where those of other benchmarks differ: element, rank whose
 * time counts, drain of a stream, exchange, owner of the buffers. */
static void describe_definition(const struct np_mpi *mpi, struct np_facts *facts)
{
	const struct np_mpi_mode *mode = &mpi->mode;
	const struct np_mpi_pattern *pattern = np_mpi_pattern_of(mode);
	const bool collective = pattern != NULL && pattern->alone != NULL;
	const bool of_library =
		pattern == NULL && mode->one_sided &&
		(mode->window == NP_MPI_ALLOCATE || mode->window == NP_MPI_SHARED);

	np_facts_add(facts, "element", "%s", element_name(mpi));
	np_facts_add(facts, "time_of", "%s",
		     pattern == NULL ? "rank 0" : "mean of the ranks; of -s the slowest");
	if (collective)
		np_facts_add(facts, "between_operations", "barrier; of -s nothing");
	else if (pattern != NULL && pattern->paired)
		np_facts_add(facts, "stream_drained", "after each window");
	else if (pattern == NULL && mode->one_sided)
		np_facts_add(facts, "stream_drained", "at the end of a sample");
	else if (pattern == NULL)
		np_facts_add(facts, "stream_drained",
			     "at the end of a sample, of -n messages");
	if (pattern == NULL && !mode->one_sided)
		np_facts_add(facts, "exchange", "%s",
			     mode->transfer != NP_MPI_BLOCKING ?
				     "--window sends and receives each way" :
			     mode->preposted ? "one at a time, its receive posted before" :
					       "one MPI_Sendrecv at a time");
	np_facts_add(facts, "allocated_by", "%s", of_library ? "MPI" : "program");
}

void np_mpi_describe(struct np_endpoint *endpoint, struct np_facts *facts)
{
	const struct np_mpi *mpi = np_mpi_of(endpoint);
	const struct np_mpi_mode *mode = &mpi->mode;

	describe_library(facts);
	describe_thread_level(facts);
	describe_environment(facts);
	describe_limits(mpi, facts);
	describe_place(facts);
	describe_definition(mpi, facts);
	if (mode->pattern != NP_MPI_NO_PATTERN) {
		describe_pattern(mpi, facts);
		return;
	}
	np_facts_add(facts, "transfer", "%s", np_mpi_transfer_names[mode->transfer]);
	np_facts_add(facts, "datatype", "%s",
		     np_mpi_layout_names[np_mpi_options_of(mpi)->datatype]);
	if (mode->one_sided) {
		np_facts_add(facts, "rma_window", "%s", np_mpi_window_names[mode->window]);
		np_facts_add(facts, "memory_model", "%s",
			     mpi->model != NULL ? mpi->model : "not reported");
		np_facts_add(facts, "epoch", "%s",
			     mode->polled ? "lock_all, polled" :
					    np_mpi_epoch_names[mode->epoch]);
		return;
	}
	np_facts_add(facts, "send", "%s", np_mpi_send_names[mode->send]);
	np_facts_add(facts, "receives", "%s",
		     mode->preposted ? "preposted" : "as they come");
	np_facts_add(facts, "source", "%s",
		     mpi->source == MPI_ANY_SOURCE ? "MPI_ANY_SOURCE" : "the peer");
}
