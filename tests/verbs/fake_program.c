/*
 * fake_program.c - NPibv itself over the fake ConnectX: its main() twice, as a server and
 * as a client, in two threads, since the device is in the memory of this process.
 *
 * usage: fake_program [OPTION]..., options of NPibv.  Environment: NP_FAKE_PORT, the
 * server's TCP port; NP_FAKE_NO_DMABUF, NP_FAKE_PEER_MEMORY, as in struct fake_device.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fake_verbs.h"

#undef main

int np_main(int argc, char **argv);

enum { MOST = 64 };

/* Appends copies, as main() may write to its arguments.  They live as long as the process.
 */
static int append(char **arguments, int count, const char *const *added)
{
	for (; *added != NULL && count < MOST - 1; added++) {
		arguments[count++] = strdup(*added);
		if (arguments[count - 1] == NULL)
			abort();
	}
	arguments[count] = NULL;
	return count;
}

static void *serve(void *port)
{
	const char *const all[] = { "NPibv", "--port", port, "-D", "mlx5_1", NULL };
	static char *arguments[MOST];

	np_main(append(arguments, 0, all), arguments);
	return NULL;
}

static bool lists_port(const char *table, const char *text)
{
	const unsigned port = (unsigned)strtoul(text, NULL, 10);
	FILE *file = fopen(table, "re");
	char line[256], listening[64];
	bool found = false;

	if (file == NULL)
		return false;
	snprintf(listening, sizeof(listening), ":%04X ", port);
	while (!found && fgets(line, sizeof(line), file) != NULL)
		found = strstr(line, listening) != NULL &&
			strstr(line, ":0000 0A ") != NULL;
	fclose(file);
	return found;
}

static bool listens(const char *port)
{
	return lists_port("/proc/net/tcp", port) || lists_port("/proc/net/tcp6", port);
}

/* Options are read by getopt_long(3), of which a process has one: the client begins when
 * the server has read its own.  Whoever starts this program limits the time. */
static void await_server(const char *port)
{
	const struct timespec step = { .tv_nsec = 2000000 };

	while (!listens(port))
		nanosleep(&step, NULL);
}

static int measure(int argc, char **argv, char *port)
{
	const char *const added[] = { "-h", "127.0.0.1",	 "--port",
				      port, "--connect-timeout", "20",
				      NULL };
	static char *arguments[MOST];
	pthread_t server;

	if (pthread_create(&server, NULL, serve, port) != 0)
		return EXIT_FAILURE;
	await_server(port);
	argc = append(arguments, 0, (const char *const *)argv);
	const int code = np_main(append(arguments, argc, added), arguments);
	/* A server that had a client ends, and gives back what it has; while it does, it
	 * may listen still.  One that had none listens for ever. */
	if (code == EXIT_SUCCESS || !listens(port))
		pthread_join(server, NULL);
	return code;
}

int main(int argc, char **argv)
{
	struct fake_verbs *fake = fake_verbs();

	fake_verbs_reset();
	for (size_t i = 0; i < FAKE_DEVICES; i++) {
		fake_verbs_become(i, FAKE_MLX5);
		snprintf(fake->devices[i].device.name, sizeof(fake->devices[i].device.name),
			 "mlx5_%zu", i);
		fake->devices[i].mtu = IBV_MTU_4096;
		fake->devices[i].max_qp_wr = 8192;
		fake->devices[i].no_dmabuf = getenv("NP_FAKE_NO_DMABUF") != NULL;
		fake->devices[i].peer_memory = getenv("NP_FAKE_PEER_MEMORY") != NULL;
	}
	char *port = getenv("NP_FAKE_PORT");

	return port != NULL ? measure(argc, argv, port) : np_main(argc, argv);
}
