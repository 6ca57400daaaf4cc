/*
 * test_core_latency.c - the line that both processes write: a peer may cut off its memory,
 * or lead to that of another user.
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
#include <unistd.h>

#include "base/shared_memory.h"
#include "boot/channel.h"
#include "endpoint/core_latency.h"
#include "socket_pair.h"

static const unsigned char token[NP_TOKEN_LENGTH] = "core latency";

/* What rank 0 offers: a link to sealed memory, to memory that can be cut off, to sealed
 * memory without a length; sealed memory by a link of another user; a file. */
enum offer { SEALED, OPEN, EMPTY, FOREIGN, PLAIN };

struct peer {
	struct np_boot boot;
	enum offer offer;
	bool cut; /* the memory could be cut off while rank 1 had it mapped */
};

/* Returns a descriptor of what the link leads to, and its path. */
static int make_memory(enum offer offer, char path[NP_SHARED_PATH])
{
	if (offer != OPEN)
		return np_shared_memory_create(offer == EMPTY ? 0 : 4096, path);
	const int fd = memfd_create("open", MFD_CLOEXEC);

	snprintf(path, NP_SHARED_PATH, "/proc/%d/fd/%d", getpid(), fd);
	return ftruncate(fd, 4096) == 0 ? fd : -1;
}

static void *offer_line(void *context)
{
	struct peer *peer = context;
	struct np_error error = { .code = 0 };
	unsigned char mine = 1, theirs;
	char link[64], path[NP_SHARED_PATH];
	int at = snprintf(link, sizeof(link), "/dev/shm/netpong-");

	/* By the token of the run. */
	for (unsigned i = 0; i < 8; i++)
		at += snprintf(link + at, sizeof(link) - (size_t)at, "%02x", token[i]);
	const int fd = peer->offer == PLAIN ?
			       open(link, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600) :
			       make_memory(peer->offer, path);
	if (fd < 0 ||
	    (peer->offer == PLAIN ? ftruncate(fd, 4096) : symlink(path, link)) != 0)
		return NULL;
	if (peer->offer == FOREIGN && lchown(link, 65534, 65534) != 0)
		return NULL;
	np_boot_exchange(&peer->boot, &mine, &theirs, 1, &error);
	np_boot_exchange(&peer->boot, &mine, &theirs, 1, &error);
	peer->cut = ftruncate(fd, 0) == 0;
	unlink(link);
	close(fd);
	return NULL;
}

/* Returns whether rank 1 maps the line.  It then measures, with the peer silent. */
static bool opens(const int *ends, enum offer offer)
{
	const atomic_bool stop = true;
	struct np_core_latency *line = NULL;
	struct np_error error = { .code = 0 };
	struct np_boot boot;
	struct peer peer = { .offer = offer };
	pthread_t thread;

	np_boot_init(&boot, 1);
	np_boot_init(&peer.boot, 0);
	boot.control = ends[0];
	peer.boot.control = ends[1];
	memcpy(boot.token, token, sizeof(token));
	memcpy(peer.boot.token, token, sizeof(token));
	assert_int_equal(pthread_create(&thread, NULL, offer_line, &peer), 0);
	assert_int_equal(np_core_latency_open(&boot, true, &line, &error), 0);
	pthread_join(thread, NULL);
	const bool opened = line != NULL;
	assert_false(opened && peer.cut);
	np_core_latency_probe(line, 1, &stop);
	np_core_latency_close(line);
	return opened;
}

static void check_line_of_the_peer(void **state)
{
	assert_true(opens(*state, SEALED));
	assert_false(opens(*state, OPEN));
	assert_false(opens(*state, EMPTY));
	assert_false(opens(*state, PLAIN));
	if (geteuid() == 0)
		assert_false(opens(*state, FOREIGN));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(check_line_of_the_peer, open_pair,
						close_pair),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
