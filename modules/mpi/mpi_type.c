/*
 * mpi_type.c - derived datatype for messages longer than INT_MAX elements.
 *
 * A count is an int.  A longer message is one element of a struct type of whole chunks
 * and a remainder, so that it is still a single message.
 */
#include "mpi_private.h"

static int make_type(size_t chunks, int chunk, int rest, MPI_Datatype of,
		     MPI_Datatype *type)
{
	MPI_Datatype one, whole;
	int code = MPI_Type_contiguous(chunk, of, &one);

	if (code != MPI_SUCCESS)
		return code;
	code = MPI_Type_contiguous((int)chunks, one, &whole);
	MPI_Type_free(&one);
	if (code != MPI_SUCCESS)
		return code;
	const int lengths[2] = { 1, rest };
	const MPI_Aint places[2] = { 0, (MPI_Aint)chunks * chunk };
	const MPI_Datatype types[2] = { whole, of };
	code = MPI_Type_create_struct(rest != 0 ? 2 : 1, lengths, places, types, type);
	MPI_Type_free(&whole);
	return code == MPI_SUCCESS ? MPI_Type_commit(type) : code;
}

int np_mpi_type_of(size_t length, int most, MPI_Datatype of, MPI_Datatype *type, int *count,
		   bool *made)
{
	*made = length > (size_t)most;
	*type = of;
	*count = *made ? 1 : (int)length;
	if (!*made)
		return MPI_SUCCESS;
	const int code = make_type(length / (size_t)most, most,
				   (int)(length % (size_t)most), of, type);

	*made = code == MPI_SUCCESS;
	return code;
}
