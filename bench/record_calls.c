/*
 * record_calls.c - CPU time of a message that a process sends to itself, over MPI or TCP,
 * for the overhead of netpong record.
 *
 *     record_calls mpi|tcp MESSAGES BUFFERS      prints ns a message
 *
 * Over MPI a message is an MPI_Sendrecv(), over TCP a send() and a recv(): two calls with a
 * buffer each.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BYTES = 64, APART = 256 };

static double cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* Makes a TCP connection of the process to itself.  Returns less than 0 on failure. */
static int connect_to_self(int ends[2])
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(address);
	const int listening = socket(AF_INET, SOCK_STREAM, 0);

	ends[0] = socket(AF_INET, SOCK_STREAM, 0);
	if (bind(listening, (struct sockaddr *)&address, size) != 0 ||
	    listen(listening, 1) != 0 ||
	    getsockname(listening, (struct sockaddr *)&address, &size) != 0 ||
	    connect(ends[0], (struct sockaddr *)&address, size) != 0)
		return -1;
	ends[1] = accept(listening, NULL, NULL);
	return ends[1];
}

static int message_over_tcp(const int ends[2], char *sent, char *received)
{
	return send(ends[0], sent, BYTES, 0) == BYTES &&
			       recv(ends[1], received, BYTES, MSG_WAITALL) == BYTES ?
		       0 :
		       -1;
}

static int message_over_mpi(char *sent, char *received)
{
	return MPI_Sendrecv(sent, BYTES, MPI_BYTE, 0, 0, received, BYTES, MPI_BYTE, 0, 0,
			    MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
	const int is_mpi = argc == 4 && strcmp(argv[1], "mpi") == 0;
	const size_t messages = argc == 4 ? strtoul(argv[2], NULL, 10) : 0;
	const size_t buffers = argc == 4 ? strtoul(argv[3], NULL, 10) : 0;
	char *pool = buffers != 0 ? calloc(2 * buffers, APART) : NULL;
	int ends[2] = { -1, -1 }, rc = 0;

	if (pool == NULL ||
	    (is_mpi ? MPI_Init(&argc, &argv) != 0 : connect_to_self(ends) < 0)) {
		free(pool);
		return 2;
	}
	const double began = cpu_ns();
	for (size_t i = 0; i < messages && rc == 0; i++) {
		char *sent = pool + i % buffers * 2 * APART;

		rc = is_mpi ? message_over_mpi(sent, sent + APART) :
			      message_over_tcp(ends, sent, sent + APART);
	}
	printf("%.1f\n", (cpu_ns() - began) / (double)messages);
	if (is_mpi)
		MPI_Finalize();
	free(pool);
	return rc != 0;
}
