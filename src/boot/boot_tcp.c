/*
 * boot_tcp.c - a boot channel over TCP.
 */
#include "boot/boot_tcp.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "boot/boot_private.h"
#include "base/clock.h"
#include "boot/frame.h"

enum {
	SECOND_LINK_TIMEOUT_MS = 5000,
	CONNECT_TIMEOUT_MS = 5000,
	RETRY_MS = 100,
	UNHEARD_MS = 6000 /* a little longer than the watcher's own patience */
};

/* Commands and replies are short and waited for. */
static void send_at_once(int fd)
{
	const int on = 1;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

/* Where packets get lost on the way from here alone, the peer's beats go on coming for
 * a while, as its TCP repeats them: what it does not acknowledge ends the watch link. */
static void expect_to_be_heard(int watch)
{
	const unsigned ms = UNHEARD_MS;

	setsockopt(watch, IPPROTO_TCP, TCP_USER_TIMEOUT, &ms, sizeof(ms));
}

/* Two ends share a host if they share a boot of a kernel: a name would do for
 * neither containers nor clones. */
int np_boot_compare_hosts(struct np_boot *boot, struct np_error *error)
{
	char mine[40] = { 0 };
	struct np_frame frame;
	const int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);

	if (fd >= 0) {
		if (read(fd, mine, sizeof(mine) - 1) < 0)
			mine[0] = '\0';
		close(fd);
	}
	/* Nobody watches yet, and a peer that says no more than hello must not
	 * keep the wait from going on: not np_boot_exchange(), which is patient. */
	int rc = np_frame_send(boot->control, NP_FRAME_EXCHANGE, mine, sizeof(mine));
	if (rc == 0)
		rc = np_frame_receive(boot->control, &frame, SECOND_LINK_TIMEOUT_MS);
	if (rc != 0)
		return np_boot_lost(rc, error);
	const bool understood =
		frame.kind == NP_FRAME_EXCHANGE && frame.length == sizeof(mine);
	boot->same_host = understood && mine[0] != '\0' &&
			  memcmp(mine, frame.payload, sizeof(mine)) == 0;
	free(frame.payload);
	return understood ? 0 : np_boot_lost(-EPROTO, error);
}

int np_boot_complete(struct np_boot *boot, const struct np_link_wait *how,
		     struct np_error *error)
{
	struct np_link_wait wait = *how;

	send_at_once(boot->control);
	wait.kinds = np_link_bit(NP_LINK_WATCH);
	wait.token = boot->token;
	wait.timeout_ms = SECOND_LINK_TIMEOUT_MS;
	/* It says nothing there before the second link stands: if it shows, it
	 * has left, and must not keep others waiting. */
	wait.wake = boot->control;
	const int rc = boot->door >= 0 ?
			       np_link_take(boot->door, &wait, &boot->watch, error) :
			       np_link_accept(boot->listener, &wait, &boot->watch, error);
	if (rc == -EINTR)
		return np_fail(error, NP_ERROR_PEER, ECONNRESET,
			       "a peer left before its run began");
	if (rc == 0)
		expect_to_be_heard(boot->watch);
	return rc;
}

int np_boot_wait(struct np_boot *boot, const struct np_link_wait *how,
		 struct np_error *error)
{
	struct np_link_wait wait = *how;

	boot->key = how->key;
	/* Nothing of one who came before, and left before the run began. */
	boot->same_host = false;
	wait.kinds = np_link_bit(NP_LINK_CONTROL);
	wait.token = boot->token;
	const int rc = np_link_accept(boot->listener, &wait, &boot->control, error);
	return rc != 0 ? rc : np_boot_complete(boot, how, error);
}

/* One link to one address.  Returns 0 or -errno, without a text where another
 * address or another try may still succeed. */
static int dial_link(struct np_boot *boot, const struct np_dial *dial,
		     enum np_link_kind kind, const struct addrinfo *to, int *fd,
		     struct np_error *error)
{
	const int link = socket(to->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	const struct np_greeting greeting = { .identity = dial->identity,
					      .kind = kind,
					      .token = boot->token,
					      .key = dial->key };
	int rc;

	if (link < 0)
		return -errno;
	rc = np_link_connect(link, to->ai_addr, to->ai_addrlen, CONNECT_TIMEOUT_MS);
	if (rc == 0) {
		send_at_once(link);
		rc = np_link_greet(link, &greeting, error);
	}
	if (rc != 0) {
		close(link);
		return rc;
	}
	*fd = link;
	return 0;
}

static int dial_any(struct np_boot *boot, const struct np_dial *dial,
		    const struct addrinfo *list, const struct addrinfo **reached,
		    struct np_error *error)
{
	int rc = -EHOSTUNREACH;

	for (const struct addrinfo *at = list; at != NULL; at = at->ai_next) {
		rc = dial_link(boot, dial, NP_LINK_CONTROL, at, &boot->control, error);
		if (rc == 0) {
			*reached = at;
			return 0;
		}
		if (error->code != 0)
			return rc;
	}
	return rc;
}

/* Nobody listens yet; another run goes on; or one has just ended, and who
 * listens is about to do so anew. */
static bool may_pass(int code)
{
	return code == -ECONNREFUSED || code == -EBUSY || code == -ECONNRESET;
}

static int dial_patiently(struct np_boot *boot, const struct np_dial *dial,
			  const struct addrinfo *list, const struct addrinfo **reached,
			  struct np_error *error)
{
	const uint64_t deadline = np_clock_ns() + (uint64_t)dial->patience_ms * 1000000;
	const struct timespec pause = { .tv_nsec = RETRY_MS * 1000000L };
	int rc;

	for (;;) {
		rc = dial_any(boot, dial, list, reached, error);
		/* A refusal in words is for good, unless it says "busy". */
		const bool final = error->code != 0 && rc == -ECONNREFUSED;

		if (rc == 0 || final || !may_pass(rc) || np_clock_ns() >= deadline)
			return rc;
		*error = (struct np_error){ .code = 0 };
		nanosleep(&pause, NULL);
	}
}

int np_boot_dial_list(struct np_boot *boot, const struct np_dial *dial,
		      const struct addrinfo *list, struct np_error *error)
{
	const struct addrinfo *reached = NULL;
	int rc = dial_patiently(boot, dial, list, &reached, error);

	if (rc != 0)
		return rc;
	memcpy(&boot->peer, reached->ai_addr, reached->ai_addrlen);
	boot->peer_length = reached->ai_addrlen;
	rc = dial_link(boot, dial, NP_LINK_WATCH, reached, &boot->watch, error);
	if (rc == 0)
		expect_to_be_heard(boot->watch);
	return rc;
}

int np_boot_dial(struct np_boot *boot, const struct np_dial *dial, struct np_error *error)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
	struct addrinfo *list = NULL;
	char service[8];

	np_boot_init(boot, 0);
	boot->key = dial->key;
	int rc = np_boot_draw_token(boot, error);
	if (rc != 0)
		return rc;
	snprintf(service, sizeof(service), "%u", (unsigned)dial->port);
	const int failure = getaddrinfo(dial->host, service, &hints, &list);
	if (failure != 0)
		return np_fail(error, NP_ERROR_PEER, EHOSTUNREACH,
			       "unknown host '%.200s': %s", dial->host,
			       gai_strerror(failure));
	rc = np_boot_dial_list(boot, dial, list, error);
	freeaddrinfo(list);
	if (rc != 0)
		return np_fail(error, NP_ERROR_PEER, rc, "cannot reach %.200s port %u: %s",
			       dial->host, (unsigned)dial->port, strerror(-rc));
	return 0;
}
