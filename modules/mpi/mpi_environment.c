/*
 * mpi_environment.c - facts: environment variables that configure the libraries.
 */
#include <stdlib.h>
#include <string.h>

#include "mpi_private.h"

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

void np_mpi_describe_environment(struct np_facts *facts)
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
