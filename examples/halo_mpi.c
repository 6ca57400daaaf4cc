/*
 * halo_mpi.c - processes in a ring exchange messages over MPI, from one buffer, a pool of
 * buffers, or memory that malloc() gives for each message.
 *
 *     mpicc -O2 -o halo_mpi halo_mpi.c
 *     netpong record -o pool.jsonl -- mpiexec -n 2 ./halo_mpi -b 256 -s 65536 -n 20000
 *
 * -b 1: one buffer; -b N: a pool of N; -b 0: malloc() for each message, of which the last
 * 64 are kept.  -s: bytes of a message; -n: messages to the right neighbour.  -c: calls:
 * 0 blocking, 1 non-blocking, 2 persistent, 3 MPI_Sendrecv.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { KEPT = 64, BLOCKING = 0, NON_BLOCKING, PERSISTENT, SENDRECV };

struct halo {
	size_t buffers, bytes, messages, calls;
	int rank, left, right;
	char *pool, *kept[KEPT];
};

/* Writes to each page of what is sent: memory that was never written is the kernel's one
 * page of zeros. */
static void compose(char *buffer, size_t bytes)
{
	for (size_t at = 0; at < bytes; at += 4096)
		buffer[at] = 1;
}

/* Buffer of a message: what is sent, and behind it what is received. */
static char *buffer_of(struct halo *halo, size_t message)
{
	char **kept = &halo->kept[message % KEPT];

	if (halo->buffers != 0)
		return halo->pool + message % halo->buffers * 2 * halo->bytes;
	free(*kept);
	*kept = malloc(2 * halo->bytes);
	if (*kept != NULL)
		compose(*kept, halo->bytes);
	else
		MPI_Abort(MPI_COMM_WORLD, 1);
	return *kept;
}

/* Even ranks send first, odd ones receive first. */
static void exchange_blocking(const struct halo *halo, char *sent, char *received)
{
	const int bytes = (int)halo->bytes;

	if (halo->rank % 2 == 0)
		MPI_Send(sent, bytes, MPI_BYTE, halo->right, 0, MPI_COMM_WORLD);
	MPI_Recv(received, bytes, MPI_BYTE, halo->left, 0, MPI_COMM_WORLD,
		 MPI_STATUS_IGNORE);
	if (halo->rank % 2 != 0)
		MPI_Send(sent, bytes, MPI_BYTE, halo->right, 0, MPI_COMM_WORLD);
}

static void exchange_started(const struct halo *halo, char *sent, char *received)
{
	const int bytes = (int)halo->bytes;
	MPI_Request requests[2];
	MPI_Status statuses[2];

	if (halo->calls == NON_BLOCKING) {
		MPI_Irecv(received, bytes, MPI_BYTE, halo->left, 0, MPI_COMM_WORLD,
			  &requests[0]);
		MPI_Isend(sent, bytes, MPI_BYTE, halo->right, 0, MPI_COMM_WORLD,
			  &requests[1]);
		MPI_Waitall(2, requests, statuses);
		return;
	}
	MPI_Recv_init(received, bytes, MPI_BYTE, halo->left, 0, MPI_COMM_WORLD,
		      &requests[0]);
	MPI_Send_init(sent, bytes, MPI_BYTE, halo->right, 0, MPI_COMM_WORLD, &requests[1]);
	MPI_Startall(2, requests);
	// NOLINTNEXTLINE(clang-analyzer-optin.mpi.MPI-Checker): they are persistent
	MPI_Waitall(2, requests, statuses);
	MPI_Request_free(&requests[0]);
	MPI_Request_free(&requests[1]);
}

static void exchange(const struct halo *halo, char *buffer)
{
	char *received = buffer + halo->bytes;

	if (halo->calls == BLOCKING)
		exchange_blocking(halo, buffer, received);
	else if (halo->calls == SENDRECV)
		MPI_Sendrecv(buffer, (int)halo->bytes, MPI_BYTE, halo->right, 0, received,
			     (int)halo->bytes, MPI_BYTE, halo->left, 0, MPI_COMM_WORLD,
			     MPI_STATUS_IGNORE);
	else
		exchange_started(halo, buffer, received);
}

static void run(struct halo *halo)
{
	double in_communication = 0, began, sum = 0;

	MPI_Barrier(MPI_COMM_WORLD);
	began = MPI_Wtime();
	for (size_t i = 0; i < halo->messages; i++) {
		char *buffer = buffer_of(halo, i);
		const double call = MPI_Wtime();

		exchange(halo, buffer);
		in_communication += MPI_Wtime() - call;
	}
	MPI_Allreduce(&in_communication, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	if (halo->rank == 0)
		printf("communication %.6f s of %.6f s, %zu messages of %zu bytes\n",
		       in_communication, MPI_Wtime() - began, halo->messages, halo->bytes);
}

int main(int argc, char **argv)
{
	struct halo halo = { .buffers = 1, .bytes = 65536, .messages = 10000 };
	int option, size;

	MPI_Init(&argc, &argv);
	while ((option = getopt(argc, argv, "b:s:n:c:")) != -1) {
		size_t *value = option == 'b' ? &halo.buffers :
				option == 's' ? &halo.bytes :
				option == 'n' ? &halo.messages :
						&halo.calls;

		if (option == '?')
			MPI_Abort(MPI_COMM_WORLD, 2);
		*value = strtoul(optarg, NULL, 10);
	}
	MPI_Comm_rank(MPI_COMM_WORLD, &halo.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	halo.left = (halo.rank + size - 1) % size;
	halo.right = (halo.rank + 1) % size;
	halo.pool = calloc(halo.buffers != 0 ? halo.buffers : 1, 2 * halo.bytes);
	if (halo.pool == NULL)
		MPI_Abort(MPI_COMM_WORLD, 1);
	for (size_t i = 0; i < halo.buffers; i++)
		compose(halo.pool + i * 2 * halo.bytes, halo.bytes);
	run(&halo);
	for (size_t i = 0; i < KEPT; i++)
		free(halo.kept[i]);
	free(halo.pool);
	MPI_Finalize();
	return 0;
}
