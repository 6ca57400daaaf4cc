/*
 * mpi_gpu.c - GPU support of the MPI library.
 *
 * The standard has no query function.  Queries of single libraries are looked up by name,
 * since the headers that declare them differ.
 */
#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#include "mpi_private.h"

/* Queries of Open MPI and MPICH; the one for ROCm has two names. */
static const char *const queries[][3] = {
	[NP_MEMORY_CUDA] = { "MPIX_Query_cuda_support" },
	[NP_MEMORY_ROCM] = { "MPIX_Query_rocm_support", "MPIX_Query_hip_support" },
};

static bool is_supported(const char *const *query)
{
	int (*supports)(void) = NULL;

	for (; *query != NULL; query++) {
		void *function = dlsym(RTLD_DEFAULT, *query);

		memcpy(&supports, &function, sizeof(supports));
		if (supports != NULL && supports() == 1)
			return true;
	}
	return false;
}

int np_mpi_check_gpu(struct np_mpi *mpi)
{
	const char *const *query = queries[mpi->endpoint.memory];

	if (np_mpi_options_of(mpi)->memory_force || is_supported(query))
		return 0;
	return np_fail(
		&mpi->endpoint.error, NP_ERROR_USAGE, ENOTSUP,
		"--memory: this MPI does not report by %s that it takes addresses of "
		"a GPU; --memory-force gives them to it all the same",
		*query);
}
