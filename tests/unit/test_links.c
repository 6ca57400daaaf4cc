/*
 * test_links.c - sockets of links: a port that is never closed, links that are opened
 * again, slots of the greeting.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "boot/frame.h"
#include "boot/link.h"
#include "boot/link_handshake.h"
#include "boot/pending.h"
#include "socket_pair.h"

static const unsigned char token[NP_TOKEN_LENGTH] = "0123456789abcde";

static struct sockaddr_in loopback(uint16_t port)
{
	return (struct sockaddr_in){ .sin_family = AF_INET,
				     .sin_port = htons(port),
				     .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
}

/* Binds and listens as another server would.  Returns 0 or errno. */
static int take_port(uint16_t port)
{
	const struct sockaddr_in address = loopback(port);
	const int fd = socket(AF_INET, SOCK_STREAM, 0), on = 1;
	int code = 0;

	assert_true(fd >= 0);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(fd, (const struct sockaddr *)&address, sizeof(address)) != 0 ||
	    listen(fd, 1) != 0)
		code = errno;
	close(fd);
	return code;
}

static int receive_buffer(int fd)
{
	socklen_t length = sizeof(int);
	int size = 0;

	assert_int_equal(getsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, &length), 0);
	return size;
}

static void check_listens_beside(void **state)
{
	struct np_error error = { .code = 0 };
	int old, fresh;
	const int size = 12345;

	(void)state;
	assert_int_equal(np_link_listen("127.0.0.1", 0, &old, &error), 0);
	const uint16_t port = np_link_port(old);
	setsockopt(old, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	for (unsigned run = 0; run < 3; run++) {
		assert_int_equal(take_port(port), EADDRINUSE);
		assert_int_equal(np_link_listen_beside(old, &fresh, &error), 0);
		assert_int_equal(np_link_port(fresh), port);
		assert_int_equal(take_port(port), EADDRINUSE);
		close(old);
		assert_int_equal(take_port(port), EADDRINUSE);
		/* Options of the old socket do not apply. */
		assert_int_not_equal(receive_buffer(fresh), 2 * size);
		old = fresh;
	}
	/* It listens. */
	const struct sockaddr_in address = loopback(port);
	const int fd = socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(np_link_connect(fd, (const struct sockaddr *)&address,
					 sizeof(address), np_deadline_in(PATIENCE_MS)),
			 0);
	close(fd);
	close(old);
	assert_int_equal(np_link_listen_beside(-1, &fresh, &error), -EBADF);
}

/* A server that drops the first connections and welcomes the next. */
struct dropping {
	int listener;
	unsigned drops;
};

static void *drop_and_welcome(void *context)
{
	struct dropping *server = context;

	for (unsigned i = 0;; i++) {
		unsigned char hello[NP_HELLO_LENGTH];
		const int fd = accept(server->listener, NULL, NULL);

		if (fd < 0)
			return NULL;
		const bool whole = recv(fd, hello, sizeof(hello), MSG_WAITALL) ==
				   (ssize_t)sizeof(hello);
		if (whole && i >= server->drops)
			np_frame_send(fd, NP_FRAME_WELCOME, NULL, 0);
		close(fd);
		if (i >= server->drops)
			return NULL;
	}
}

static struct np_link_order order_to(const struct sockaddr_in *address, int control,
				     uint64_t ms)
{
	return (struct np_link_order){ .address = (const struct sockaddr *)address,
				       .length = sizeof(*address),
				       .handshake = { .identity = &np_link_data_identity,
						      .kind = NP_LINK_DATA,
						      .token = token },
				       .control = control,
				       .connected = np_deadline_never(),
				       .deadline = np_deadline_in(ms) };
}

/* A link that the server drops among many others is opened again, as long as the control
 * link is there. */
static void check_opens_again(void **state)
{
	struct np_error error = { .code = 0 };
	struct dropping server = { .drops = 2 };
	int *ends = *state, fd = -1;
	pthread_t thread;

	server.listener = socket(AF_INET, SOCK_STREAM, 0);
	struct sockaddr_in address = loopback(0);
	assert_int_equal(
		bind(server.listener, (const struct sockaddr *)&address, sizeof(address)),
		0);
	assert_int_equal(listen(server.listener, 8), 0);
	address = loopback(np_link_port(server.listener));
	assert_int_equal(pthread_create(&thread, NULL, drop_and_welcome, &server), 0);

	struct np_link_order order = order_to(&address, -1, PATIENCE_MS);
	assert_int_not_equal(np_link_open(&order, &fd, &error), 0);
	error = (struct np_error){ .code = 0 };
	order = order_to(&address, ends[0], PATIENCE_MS);
	assert_int_equal(np_link_open(&order, &fd, &error), 0);
	assert_int_equal(error.code, 0);
	pthread_join(thread, NULL);
	close(fd);
	close(server.listener);

	/* Nobody listens any more: the peer that leaves ends the retries, as does time. */
	order = order_to(&address, ends[0], 50);
	assert_int_equal(np_link_open(&order, &fd, &error), -ECONNREFUSED);
	close_end(&ends[1]);
	order = order_to(&address, ends[0], 1000 * PATIENCE_MS);
	assert_int_equal(np_link_open(&order, &fd, &error), -ECONNREFUSED);
}

/* A server that challenges and says nothing more: the greeting has one deadline. */
static void check_greeting_ends(void **state)
{
	const struct np_handshake handshake = { .identity = &np_link_data_identity,
						.kind = NP_LINK_CONTROL,
						.token = token,
						.key = token };
	struct np_error error = { .code = 0 };
	const int *ends = *state;

	assert_int_equal(np_frame_send(ends[1], NP_FRAME_CHALLENGE, token, NP_NONCE_LENGTH),
			 0);
	assert_int_equal(
		np_link_handshake(ends[0], &handshake, np_deadline_in(200), &error),
		-ETIMEDOUT);
	assert_int_equal(error.kind, NP_ERROR_PEER);
}

static struct np_pending_connection connect_from(const char *address)
{
	struct np_pending_connection connection = { .received = 0 };
	struct sockaddr_in6 *wide = (struct sockaddr_in6 *)&connection.address;

	wide->sin6_family = AF_INET6;
	assert_int_equal(inet_pton(AF_INET6, address, &wide->sin6_addr), 1);
	connection.fd = dup(STDERR_FILENO);
	assert_true(connection.fd >= 0);
	return connection;
}

static bool is_pending(const struct np_pending *pending, int fd)
{
	for (size_t i = 0; i < pending->count; i++) {
		if (pending->connections[i].fd == fd)
			return true;
	}
	return false;
}

/* One host cannot evict the connections of others, also with whole hellos, and also from
 * many addresses of its network. */
static void check_slots_are_shared(void **state)
{
	struct np_pending pending = { .count = 0 };
	const struct np_pending_connection far = connect_from("2001:db8::1"),
					   narrow = connect_from("::ffff:10.0.0.1");

	(void)state;
	np_pending_add(&pending, &far);
	np_pending_add(&pending, &narrow);
	for (unsigned i = 0; i < 5 * NP_PENDING_MAX; i++) {
		char address[40];

		snprintf(address, sizeof(address),
			 i % 2 == 0 ? "::ffff:10.0.0.2" : "2001:db8:1::%x", i + 1);
		struct np_pending_connection flood = connect_from(address);
		flood.received = NP_HELLO_LENGTH;
		np_pending_add(&pending, &flood);
	}
	assert_true(pending.count <= NP_PENDING_MAX);
	assert_true(is_pending(&pending, far.fd));
	assert_true(is_pending(&pending, narrow.fd));
	np_pending_close(&pending);
}

/* A connection that awaits a proof from far away is not evicted for being the oldest. */
static void check_old_may_stay(void **state)
{
	struct np_pending pending = { .count = 0 };
	unsigned old = 0;

	(void)state;
	for (unsigned i = 0; i < 2 * NP_PENDING_MAX; i++) {
		struct np_pending_connection flood = connect_from("::ffff:10.0.0.2");

		flood.received = NP_HELLO_LENGTH;
		flood.challenged = i < NP_PENDING_MAX;
		np_pending_add(&pending, &flood);
	}
	/* Of 64, 23 are expected; that none is has a chance of 1e-16. */
	for (size_t i = 0; i < pending.count; i++)
		old += pending.connections[i].challenged;
	assert_true(pending.count < NP_PENDING_MAX || old > 0);
	np_pending_close(&pending);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_listens_beside),
		cmocka_unit_test_setup_teardown(check_opens_again, open_pair, close_pair),
		cmocka_unit_test_setup_teardown(check_greeting_ends, open_pair, close_pair),
		cmocka_unit_test(check_slots_are_shared),
		cmocka_unit_test(check_old_may_stay),
	};

	return cmocka_run_group_tests_name("links", tests, NULL, NULL);
}
