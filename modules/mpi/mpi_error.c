/*
 * mpi_error.c - errors of MPI calls, outside of the code of timed loops.
 */
#include <errno.h>
#include <string.h>

#include "mpi_private.h"

int np_mpi_fail(struct np_error *error, int code, const char *call)
{
	char text[MPI_MAX_ERROR_STRING + 1] = "unknown error";
	int length = 0;

	if (code == MPI_SUCCESS)
		return 0;
	MPI_Error_string(code, text, &length);
	/* Keep the first line only. */
	text[strcspn(text, "\n")] = '\0';
	return np_fail(error, NP_ERROR_FAILED, EIO, "%s: %.200s", call, text);
}

int np_mpi_failed(struct np_mpi *mpi, int code, const char *call)
{
	/* After a stop, a failed call is a consequence and is not reported. */
	if (np_should_stop(&mpi->endpoint))
		return -ECANCELED;
	return np_mpi_fail(&mpi->endpoint.error, code, call);
}
