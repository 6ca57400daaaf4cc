/*
 * test_core_latency.c - the line that both processes write: a peer's file may have no
 * length.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "boot/channel.h"
#include "endpoint/core_latency.h"
#include "socket_pair.h"

static const unsigned char token[NP_TOKEN_LENGTH] = "core latency";

/* Rank 0, with a file of so many bytes. */
struct peer {
	struct np_boot boot;
	off_t length;
};

static void *offer_file(void *context)
{
	struct peer *peer = context;
	struct np_error error = { .code = 0 };
	unsigned char mine = 1, theirs;
	char name[32];

	int at = snprintf(name, sizeof(name), "/netpong-");

	/* By the token of the run. */
	for (unsigned i = 0; i < 8; i++)
		at += snprintf(name + at, sizeof(name) - (size_t)at, "%02x", token[i]);
	const int fd = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
	if (fd < 0 || ftruncate(fd, peer->length) != 0)
		return NULL;
	np_boot_exchange(&peer->boot, &mine, &theirs, 1, &error);
	np_boot_exchange(&peer->boot, &mine, &theirs, 1, &error);
	shm_unlink(name);
	close(fd);
	return NULL;
}

static bool opens(const int *ends, off_t length)
{
	const atomic_bool stop = true;
	struct np_core_latency *line = NULL;
	struct np_error error = { .code = 0 };
	struct np_boot boot;
	struct peer peer = { .length = length };
	pthread_t thread;

	np_boot_init(&boot, 1);
	np_boot_init(&peer.boot, 0);
	boot.control = ends[0];
	peer.boot.control = ends[1];
	memcpy(boot.token, token, sizeof(token));
	memcpy(peer.boot.token, token, sizeof(token));
	assert_int_equal(pthread_create(&thread, NULL, offer_file, &peer), 0);
	assert_int_equal(np_core_latency_open(&boot, true, &line, &error), 0);
	pthread_join(thread, NULL);
	const bool opened = line != NULL;
	np_core_latency_probe(line, 1, &stop);
	np_core_latency_close(line);
	return opened;
}

static void check_file_of_the_peer(void **state)
{
	assert_true(opens(*state, 4096));
	assert_false(opens(*state, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(check_file_of_the_peer, open_pair,
						close_pair),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
