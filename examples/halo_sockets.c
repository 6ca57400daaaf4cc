/*
 * halo_sockets.c - two processes exchange messages over TCP, from one buffer, a pool of
 * buffers, or memory that malloc() gives for each message.
 *
 *     cc -O2 -o halo_sockets halo_sockets.c
 *     netpong record -o pool.jsonl -- ./halo_sockets -b 256 -s 65536 -n 20000
 *
 * -b 1: one buffer; -b N: a pool of N; -b 0: malloc() for each message, of which the last
 * 64 are kept.  -s: bytes of a message; -n: messages each way.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { KEPT = 64 };

struct halo {
	size_t buffers, bytes, messages;
	char *pool, *kept[KEPT];
	double in_communication;
};

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void end(const char *what)
{
	perror(what);
	exit(1);
}

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
	if (*kept == NULL)
		end("malloc");
	compose(*kept, halo->bytes);
	return *kept;
}

static void send_all(int fd, const char *buffer, size_t bytes)
{
	while (bytes != 0) {
		const ssize_t sent = send(fd, buffer, bytes, 0);

		if (sent <= 0)
			end("send");
		buffer += sent;
		bytes -= (size_t)sent;
	}
}

static void receive_all(int fd, char *buffer, size_t bytes)
{
	while (bytes != 0) {
		const ssize_t received = recv(fd, buffer, bytes, 0);

		if (received <= 0)
			end("recv");
		buffer += received;
		bytes -= (size_t)received;
	}
}

/* One process sends first, the other receives first: no message waits for room. */
static void exchange(struct halo *halo, int fd, int first)
{
	const double began = seconds();

	for (size_t i = 0; i < halo->messages; i++) {
		char *buffer = buffer_of(halo, i);
		const double call = seconds();

		if (first)
			send_all(fd, buffer, halo->bytes);
		receive_all(fd, buffer + halo->bytes, halo->bytes);
		if (!first)
			send_all(fd, buffer, halo->bytes);
		halo->in_communication += seconds() - call;
	}
	if (first)
		printf("communication %.6f s of %.6f s, %zu messages of %zu bytes\n",
		       halo->in_communication, seconds() - began, 2 * halo->messages,
		       halo->bytes);
}

/* A TCP connection of two processes on this host. */
static int connected(int *is_parent, pid_t *child)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(address);
	const int listening = socket(AF_INET, SOCK_STREAM, 0), on = 1;
	int fd;

	if (bind(listening, (struct sockaddr *)&address, size) != 0 ||
	    listen(listening, 1) != 0 ||
	    getsockname(listening, (struct sockaddr *)&address, &size) != 0)
		end("listen");
	*child = fork();
	*is_parent = *child != 0;
	if (*is_parent) {
		fd = accept(listening, NULL, NULL);
	} else {
		fd = socket(AF_INET, SOCK_STREAM, 0);
		if (connect(fd, (struct sockaddr *)&address, size) != 0)
			end("connect");
	}
	close(listening);
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	return fd;
}

int main(int argc, char **argv)
{
	struct halo halo = { .buffers = 1, .bytes = 65536, .messages = 10000 };
	int option, is_parent, status = 0;
	pid_t child;

	while ((option = getopt(argc, argv, "b:s:n:")) != -1) {
		if (option == '?')
			return 2;
		*(option == 'b' ? &halo.buffers :
		  option == 's' ? &halo.bytes :
				  &halo.messages) = strtoul(optarg, NULL, 10);
	}
	halo.pool = calloc(halo.buffers != 0 ? halo.buffers : 1, 2 * halo.bytes);
	if (halo.pool == NULL)
		end("calloc");
	for (size_t i = 0; i < halo.buffers; i++)
		compose(halo.pool + i * 2 * halo.bytes, halo.bytes);
	const int fd = connected(&is_parent, &child);
	exchange(&halo, fd, is_parent);
	close(fd);
	for (size_t i = 0; i < KEPT; i++)
		free(halo.kept[i]);
	free(halo.pool);
	return is_parent && (waitpid(child, &status, 0) != child || status != 0);
}
