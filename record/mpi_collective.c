/*
 * mpi_collective.c - collective calls of MPI, blocking and not, for the preloaded library.
 */
#include "record/mpi.h"

/* Collective calls: blocking functions ignore the surplus argument, the request. */
typedef int bcast_call(void *, int, np_handle, int, np_handle, void *);
typedef int reduce_call(const void *, void *, int, np_handle, np_handle, int, np_handle,
			void *);
typedef int allreduce_call(const void *, void *, int, np_handle, np_handle, np_handle,
			   void *);
typedef int scatter_call(const void *, int, np_handle, void *, int, np_handle, int,
			 np_handle, void *);
typedef int alltoall_call(const void *, int, np_handle, void *, int, np_handle, np_handle,
			  void *);
typedef int parts_call(const void *, void *, const int *, np_handle, np_handle, np_handle,
		       void *);

static uint64_t processes_of(const struct mpi *it, np_handle comm)
{
	int size = 1;

	it->comm_size(comm, &size);
	return (uint64_t)size;
}

/* Buffers of a collective call; bytes 0: no such buffer in this process. */
struct collective {
	const void *sent, *received;
	uint64_t sent_bytes, received_bytes;
	const void *site;
	void *request; /* NULL: blocking */
};

static void count_collective(unsigned operation, const struct collective *call,
			     uint64_t took)
{
	const uintptr_t in_place = np_mpi()->family->in_place;
	const bool sends = call->sent_bytes != 0 && (uintptr_t)call->sent != in_place;
	const bool receives =
		call->received_bytes != 0 && (uintptr_t)call->received != in_place;
	const uint64_t half = sends && receives ? took / 2 : took;
	const struct request request = {
		.cells = { sends ? np_mpi_count(operation, NP_SENT, call->sent,
						call->sent_bytes, call->site, half) :
				   0,
			   receives ? np_mpi_count(operation, NP_RECEIVED, call->received,
						   call->received_bytes, call->site, half) :
				      0 }
	};

	if (call->request != NULL)
		np_mpi_add_request(call->request, &request);
}

static int bcast_by(unsigned operation, void *buffer, int count, np_handle type, int root,
		    np_handle comm, void *request, const void *site)
{
	bcast_call *next = (bcast_call *)np_mpi_next(operation);
	const uint64_t began = np_mpi_begin();
	const int code = next(buffer, count, type, root, comm, request);

	if (np_mpi()->recorder == NULL)
		return code;
	const struct request started = { .cells = { np_mpi_count(
						 operation, NP_BOTH, buffer,
						 np_mpi_bytes(np_mpi(), count, type), site,
						 np_mpi_took(began)) } };
	if (request != NULL)
		np_mpi_add_request(request, &started);
	return code;
}

int MPI_Bcast(void *buffer, int count, np_handle type, int root, np_handle comm)
{
	return bcast_by(NP_OP_MPI_BCAST, buffer, count, type, root, comm, NULL, CALLER);
}

int MPI_Ibcast(void *buffer, int count, np_handle type, int root, np_handle comm,
	       void *request)
{
	return bcast_by(NP_OP_MPI_IBCAST, buffer, count, type, root, comm, request, CALLER);
}

static bool is_rank(const struct mpi *it, np_handle comm, int root)
{
	int rank = -1;

	it->comm_rank(comm, &rank);
	return rank == root;
}

static int reduce_by(unsigned operation, const void *sent, void *buffer, int count,
		     np_handle type, np_handle op, int root, np_handle comm, void *request,
		     const void *site)
{
	reduce_call *next = (reduce_call *)np_mpi_next(operation);
	const uint64_t began = np_mpi_begin();
	const int code = next(sent, buffer, count, type, op, root, comm, request);
	const struct mpi *it = np_mpi();

	if (it->recorder == NULL)
		return code;
	const uint64_t bytes = np_mpi_bytes(it, count, type);
	count_collective(operation,
			 &(const struct collective){ sent, buffer, bytes,
						     is_rank(it, comm, root) ? bytes : 0,
						     site, request },
			 np_mpi_took(began));
	return code;
}

int MPI_Reduce(const void *sent, void *buffer, int count, np_handle type, np_handle op,
	       int root, np_handle comm)
{
	return reduce_by(NP_OP_MPI_REDUCE, sent, buffer, count, type, op, root, comm, NULL,
			 CALLER);
}

int MPI_Ireduce(const void *sent, void *buffer, int count, np_handle type, np_handle op,
		int root, np_handle comm, void *request)
{
	return reduce_by(NP_OP_MPI_IREDUCE, sent, buffer, count, type, op, root, comm,
			 request, CALLER);
}

static int allreduce_by(unsigned operation, const void *sent, void *buffer, int count,
			np_handle type, np_handle op, np_handle comm, void *request,
			const void *site)
{
	allreduce_call *next = (allreduce_call *)np_mpi_next(operation);
	const uint64_t began = np_mpi_begin();
	const int code = next(sent, buffer, count, type, op, comm, request);

	if (np_mpi()->recorder == NULL)
		return code;
	const uint64_t bytes = np_mpi_bytes(np_mpi(), count, type);
	count_collective(
		operation,
		&(const struct collective){ sent, buffer, bytes, bytes, site, request },
		np_mpi_took(began));
	return code;
}

int MPI_Allreduce(const void *sent, void *buffer, int count, np_handle type, np_handle op,
		  np_handle comm)
{
	return allreduce_by(NP_OP_MPI_ALLREDUCE, sent, buffer, count, type, op, comm, NULL,
			    CALLER);
}

int MPI_Iallreduce(const void *sent, void *buffer, int count, np_handle type, np_handle op,
		   np_handle comm, void *request)
{
	return allreduce_by(NP_OP_MPI_IALLREDUCE, sent, buffer, count, type, op, comm,
			    request, CALLER);
}

static int reduce_scatter_by(unsigned operation, const void *sent, void *buffer,
			     const int *counts, np_handle type, np_handle op,
			     np_handle comm, void *request, const void *site)
{
	parts_call *next = (parts_call *)np_mpi_next(operation);
	const uint64_t began = np_mpi_begin();
	const int code = next(sent, buffer, counts, type, op, comm, request);
	const struct mpi *it = np_mpi();
	uint64_t all = 0;
	int rank = 0;

	if (it->recorder == NULL)
		return code;
	it->comm_rank(comm, &rank);
	for (uint64_t i = 0; i < processes_of(it, comm); i++)
		all += np_mpi_bytes(it, counts[i], type);
	count_collective(operation,
			 &(const struct collective){ sent, buffer, all,
						     np_mpi_bytes(it, counts[rank], type),
						     site, request },
			 np_mpi_took(began));
	return code;
}

int MPI_Reduce_scatter(const void *sent, void *buffer, const int *counts, np_handle type,
		       np_handle op, np_handle comm)
{
	return reduce_scatter_by(NP_OP_MPI_REDUCE_SCATTER, sent, buffer, counts, type, op,
				 comm, NULL, CALLER);
}

int MPI_Ireduce_scatter(const void *sent, void *buffer, const int *counts, np_handle type,
			np_handle op, np_handle comm, void *request)
{
	return reduce_scatter_by(NP_OP_MPI_IREDUCE_SCATTER, sent, buffer, counts, type, op,
				 comm, request, CALLER);
}

/* Gather and scatter: a buffer of all parts at the root alone. */
static int rooted_by(unsigned operation, const void *sent, int send_count,
		     np_handle send_type, void *buffer, int count, np_handle type, int root,
		     np_handle comm, void *request, const void *site)
{
	scatter_call *next = (scatter_call *)np_mpi_next(operation);
	const uint64_t began = np_mpi_begin();
	const int code =
		next(sent, send_count, send_type, buffer, count, type, root, comm, request);
	const struct mpi *it = np_mpi();

	if (it->recorder == NULL)
		return code;
	const bool gathers =
		operation == NP_OP_MPI_GATHER || operation == NP_OP_MPI_IGATHER;
	const uint64_t parts = is_rank(it, comm, root) ? processes_of(it, comm) : 0;
	struct collective call = { sent, buffer, 0, 0, site, request };
	/* Type and count are significant where the buffer is. */
	if (gathers ? (uintptr_t)sent != it->family->in_place : parts != 0)
		call.sent_bytes =
			np_mpi_bytes(it, send_count, send_type) * (gathers ? 1 : parts);
	if (gathers ? parts != 0 : (uintptr_t)buffer != it->family->in_place)
		call.received_bytes = np_mpi_bytes(it, count, type) * (gathers ? parts : 1);
	count_collective(operation, &call, np_mpi_took(began));
	return code;
}

int MPI_Gather(const void *sent, int send_count, np_handle send_type, void *buffer,
	       int count, np_handle type, int root, np_handle comm)
{
	return rooted_by(NP_OP_MPI_GATHER, sent, send_count, send_type, buffer, count, type,
			 root, comm, NULL, CALLER);
}

int MPI_Igather(const void *sent, int send_count, np_handle send_type, void *buffer,
		int count, np_handle type, int root, np_handle comm, void *request)
{
	return rooted_by(NP_OP_MPI_IGATHER, sent, send_count, send_type, buffer, count,
			 type, root, comm, request, CALLER);
}

int MPI_Scatter(const void *sent, int send_count, np_handle send_type, void *buffer,
		int count, np_handle type, int root, np_handle comm)
{
	return rooted_by(NP_OP_MPI_SCATTER, sent, send_count, send_type, buffer, count,
			 type, root, comm, NULL, CALLER);
}

int MPI_Iscatter(const void *sent, int send_count, np_handle send_type, void *buffer,
		 int count, np_handle type, int root, np_handle comm, void *request)
{
	return rooted_by(NP_OP_MPI_ISCATTER, sent, send_count, send_type, buffer, count,
			 type, root, comm, request, CALLER);
}

/* Allgather and alltoall: every process has all parts. */
static int all_by(unsigned operation, bool sends_parts, const void *sent, int send_count,
		  np_handle send_type, void *buffer, int count, np_handle type,
		  np_handle comm, void *request, const void *site)
{
	alltoall_call *next = (alltoall_call *)np_mpi_next(operation);
	const uint64_t began = np_mpi_begin();
	const int code =
		next(sent, send_count, send_type, buffer, count, type, comm, request);
	const struct mpi *it = np_mpi();

	if (it->recorder == NULL)
		return code;
	const uint64_t parts = processes_of(it, comm);
	struct collective call = { sent, buffer, 0, np_mpi_bytes(it, count, type) * parts,
				   site, request };
	if ((uintptr_t)sent != it->family->in_place)
		call.sent_bytes =
			np_mpi_bytes(it, send_count, send_type) * (sends_parts ? parts : 1);
	count_collective(operation, &call, np_mpi_took(began));
	return code;
}

int MPI_Allgather(const void *sent, int send_count, np_handle send_type, void *buffer,
		  int count, np_handle type, np_handle comm)
{
	return all_by(NP_OP_MPI_ALLGATHER, false, sent, send_count, send_type, buffer,
		      count, type, comm, NULL, CALLER);
}

int MPI_Iallgather(const void *sent, int send_count, np_handle send_type, void *buffer,
		   int count, np_handle type, np_handle comm, void *request)
{
	return all_by(NP_OP_MPI_IALLGATHER, false, sent, send_count, send_type, buffer,
		      count, type, comm, request, CALLER);
}

int MPI_Alltoall(const void *sent, int send_count, np_handle send_type, void *buffer,
		 int count, np_handle type, np_handle comm)
{
	return all_by(NP_OP_MPI_ALLTOALL, true, sent, send_count, send_type, buffer, count,
		      type, comm, NULL, CALLER);
}

int MPI_Ialltoall(const void *sent, int send_count, np_handle send_type, void *buffer,
		  int count, np_handle type, np_handle comm, void *request)
{
	return all_by(NP_OP_MPI_IALLTOALL, true, sent, send_count, send_type, buffer, count,
		      type, comm, request, CALLER);
}
