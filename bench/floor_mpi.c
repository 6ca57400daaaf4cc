/*
 * floor_mpi.c - hand-written ping-pong, stream or pattern of plain MPI calls.  -s streams
 * by MPI_Send, with one byte back at each round's end; -r passes vectors around a ring of
 * all processes, -e adds vectors of doubles up for all (MPI_Allreduce) and -a exchanges
 * parts of them between all (MPI_Alltoall), with a barrier at each round's end.  Prints
 * bytes, seconds (half a round trip, or else one call; median over rounds) and MB/s.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

/* Rounds are many and short: an interrupt on a busy machine does not move the median. */
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

/* Pattern of all ranks: to the rank above and from the one below, or a collective call. */
static void pattern(char which, char *from, char *to, int bytes, long messages)
{
	int rank, size;

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (long i = 0; i < messages; i++) {
		if (which == 'r')
			MPI_Sendrecv(from, bytes, MPI_BYTE, (rank + 1) % size, 0, to, bytes,
				     MPI_BYTE, (rank + size - 1) % size, 0, MPI_COMM_WORLD,
				     MPI_STATUS_IGNORE);
		else if (which == 'e')
			MPI_Allreduce(from, to, bytes / 8, MPI_DOUBLE, MPI_SUM,
				      MPI_COMM_WORLD);
		else
			MPI_Alltoall(from, bytes / size, MPI_BYTE, to, bytes / size,
				     MPI_BYTE, MPI_COMM_WORLD);
	}
	MPI_Barrier(MPI_COMM_WORLD);
}

static void work(char which, int rank, char *from, char *to, int bytes, long messages)
{
	if (which == 0)
		ping_pong(rank, from, to, bytes, messages);
	else if (which == 's')
		stream(rank, from, to, bytes, messages);
	else
		pattern(which, from, to, bytes, messages);
}

int main(int argc, char **argv)
{
	double each[ROUNDS] = { 0 };
	int rank, size;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	const int named = argc > 1 && argv[1][0] == '-';
	const char which = named ? argv[1][1] : (char)0;
	if (argc != 3 + named || (named && strchr("srea", which) == NULL) ||
	    (size != 2 && (which == 0 || which == 's'))) {
		fputs("usage: mpiexec -n 2 floor_mpi [-s] BYTES MESSAGES\n"
		      "       mpiexec -n N floor_mpi -r|-e|-a BYTES MESSAGES\n",
		      stderr);
		MPI_Abort(MPI_COMM_WORLD, 2);
		return 2;
	}
	const int bytes = (int)strtol(argv[1 + named], NULL, 10);
	const long wanted = strtol(argv[2 + named], NULL, 10);
	/* Few calls are one round each. */
	const int rounds = wanted < 1 ? 1 : wanted < ROUNDS ? (int)wanted : ROUNDS;
	const long messages = wanted / ROUNDS + 1;
	const size_t room = ((size_t)bytes | 4095) + 1;
	char *from = mmap(NULL, 2 * room, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (from == MAP_FAILED)
		MPI_Abort(MPI_COMM_WORLD, 1);
	memset(from, 1, room); /* in place of the shared page of zeros */
	for (int round = rounds > 100 ? -5 : 0; round < rounds; round++) {
		const double begin = now();

		work(which, rank, from, from + room, bytes, messages);
		if (round >= 0)
			each[round] =
				(now() - begin) / (double)messages / (which == 0 ? 2 : 1);
	}
	qsort(each, (size_t)rounds, sizeof(*each), order);
	const double median = each[rounds / 2];
	if (rank == 0)
		printf("%d %.9g %g\n", bytes, median, 1e-6 * bytes / median);
	MPI_Finalize();
	return 0;
}
