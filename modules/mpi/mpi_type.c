/*
 * mpi_type.c - derived datatypes: for messages beyond INT_MAX elements, and of --datatype.
 *
 * Counts are ints.  A longer message is one element of a struct type, of whole chunks and
 * a remainder.
 */
#include <limits.h>

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

static int make_vector(size_t length, MPI_Datatype of, MPI_Datatype *type)
{
	const size_t blocks = length / NP_MPI_BLOCK;

	/* MPI_Type_vector() counts blocks by an int. */
	if (blocks > INT_MAX)
		return MPI_ERR_COUNT;
	return MPI_Type_vector((int)blocks, NP_MPI_BLOCK, 2 * NP_MPI_BLOCK, of, type);
}

int np_mpi_type_laid(size_t length, enum np_mpi_layout layout, MPI_Datatype of,
		     MPI_Datatype *type, int *count, bool *made)
{
	int code;

	if (layout == NP_MPI_BYTES || (layout == NP_MPI_CONTIGUOUS && length > INT_MAX))
		return np_mpi_type_of(length, INT_MAX, of, type, count, made);
	*count = 1;
	code = layout == NP_MPI_VECTOR ? make_vector(length, of, type) :
					 MPI_Type_contiguous((int)length, of, type);
	*made = code == MPI_SUCCESS;
	return *made ? MPI_Type_commit(type) : code;
}
