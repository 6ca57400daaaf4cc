/*
 * floor_mpi.c - what a hand-written ping-pong or stream of plain MPI calls costs,
 * between two processes of a job.  -s streams by MPI_Send, with one byte back at
 * each round's end.  Prints bytes, seconds (half a round trip; -s: a message;
 * median over rounds) and MB/s.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

/* Short ones: what interrupts a round on a busy machine must not be in the median. */
enum { ROUNDS = 2001 };

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int order(const void *a, const void *b)
{
	return *(const double *)a < *(const double *)b ? -1 : 1;
}

static void ping_pong(int rank, char *from, char *to, int bytes, long messages)
{
	for (long i = 0; i < messages; i++) {
		if (rank == 0)
			MPI_Send(from, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
		MPI_Recv(to, bytes, MPI_BYTE, !rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		if (rank == 1)
			MPI_Send(from, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
	}
}

static void stream(int rank, char *from, char *to, int bytes, long messages)
{
	for (long i = 0; i < messages; i++) {
		if (rank == 0)
			MPI_Send(from, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
		else
			MPI_Recv(to, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD,
				 MPI_STATUS_IGNORE);
	}
	if (rank == 1)
		MPI_Send(from, 0, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
	else
		MPI_Recv(to, 0, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
	double each[ROUNDS] = { 0 };
	int rank, size;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	const int streams = argc > 1 && strcmp(argv[1], "-s") == 0;
	if (argc != 3 + streams || size != 2) {
		fputs("usage: mpiexec -n 2 floor_mpi [-s] BYTES MESSAGES\n", stderr);
		MPI_Abort(MPI_COMM_WORLD, 2);
		return 2;
	}
	const int bytes = (int)strtol(argv[1 + streams], NULL, 10);
	const long messages = strtol(argv[2 + streams], NULL, 10) / ROUNDS + 1;
	const size_t room = ((size_t)bytes | 4095) + 1;
	char *from = mmap(NULL, 2 * room, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (from == MAP_FAILED)
		MPI_Abort(MPI_COMM_WORLD, 1);
	memset(from, 1, room); /* no page of zeros that all share */
	for (int round = -5; round < ROUNDS; round++) { /* five to warm up */
		const double begin = now();

		(streams ? stream : ping_pong)(rank, from, from + room, bytes, messages);
		if (round >= 0)
			each[round] =
				(now() - begin) / (double)messages / (streams ? 1 : 2);
	}
	qsort(each, ROUNDS, sizeof(*each), order);
	if (rank == 0)
		printf("%d %.9g %g\n", bytes, each[ROUNDS / 2],
		       1e-6 * bytes / each[ROUNDS / 2]);
	MPI_Finalize();
	return 0;
}
