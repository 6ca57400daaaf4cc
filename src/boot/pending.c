/*
 * pending.c - unauthenticated connections: accept, challenge, verify or drop.
 */
#include "boot/pending.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "boot/access.h"
#include "boot/frame.h"

/* Deadline of the complete handshake. */
enum { HELLO_TIMEOUT_MS = 3000 };

static void __attribute__((format(printf, 3, 4)))
log_drop(const struct np_link_wait *wait, const struct np_pending_connection *connection,
	 const char *format, ...)
{
	char address[64], text[200], line[300];
	va_list arguments;

	if (wait->notes == NULL)
		return;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	np_link_address_text((const struct sockaddr *)&connection->address, address,
			     sizeof(address));
	snprintf(line, sizeof(line), "dropped a connection from %s: %s", address, text);
	wait->notes->note(wait->notes->context, line);
}

static void remove_at(struct np_pending *pending, size_t index)
{
	pending->connections[index] = pending->connections[--pending->count];
}

static void drop(struct np_pending *pending, size_t index)
{
	close(pending->connections[index].fd);
	remove_at(pending, index);
}

/* Returns true if both connections come from one host: the same IPv4 address, or the same
 * IPv6 network of 64 bits, of which a host may use any address. */
static bool share_host(const struct np_pending_connection *a,
		       const struct np_pending_connection *b)
{
	const struct sockaddr_in *narrow_a = (const struct sockaddr_in *)&a->address,
				 *narrow_b = (const struct sockaddr_in *)&b->address;
	const struct sockaddr_in6 *wide_a = (const struct sockaddr_in6 *)&a->address,
				  *wide_b = (const struct sockaddr_in6 *)&b->address;

	if (a->address.ss_family != b->address.ss_family)
		return false;
	if (a->address.ss_family != AF_INET6)
		return narrow_a->sin_addr.s_addr == narrow_b->sin_addr.s_addr;
	return memcmp(&wide_a->sin6_addr, &wide_b->sin6_addr,
		      IN6_IS_ADDR_V4MAPPED(&wide_a->sin6_addr) ? 16 : 8) == 0;
}

static size_t count_host(const struct np_pending *pending, size_t index)
{
	size_t count = 0;

	for (size_t i = 0; i < pending->count; i++)
		count += share_host(&pending->connections[i], &pending->connections[index]);
	return count;
}

/* Returns the eviction victim: of the host with most connections, so that one host evicts
 * only its own; of these, one with the fewest bytes received; of these, any: in a flood
 * from its own address the oldest would be a client with a round trip of 100 ms. */
static size_t find_victim(const struct np_pending *pending)
{
	const size_t all = pending->count;
	uint32_t drawn = 0;

	if (getrandom(&drawn, sizeof(drawn), GRND_NONBLOCK) != (ssize_t)sizeof(drawn))
		drawn = (uint32_t)np_clock_ns();
	const size_t begin = (size_t)((uint64_t)drawn * all >> 32);
	size_t victim = begin, most = count_host(pending, begin);

	for (size_t i = 1; i < all; i++) {
		const size_t at = begin + i < all ? begin + i : begin + i - all;
		const size_t count = count_host(pending, at);

		if (count > most ||
		    (count == most && pending->connections[at].received <
					      pending->connections[victim].received)) {
			victim = at;
			most = count;
		}
	}
	return victim;
}

/* Most pending connections: a quarter of the descriptor limit, as a run needs the others.
 */
static size_t most_pending(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur / 4 >= NP_PENDING_MAX)
		return NP_PENDING_MAX;
	return limit.rlim_cur < 8 ? 1 : (size_t)limit.rlim_cur / 4;
}

void np_pending_add(struct np_pending *pending,
		    const struct np_pending_connection *connection)
{
	if (pending->count >= most_pending())
		drop(pending, find_victim(pending));
	pending->connections[pending->count] = *connection;
	pending->connections[pending->count].deadline_ns =
		np_clock_ns() + HELLO_TIMEOUT_MS * 1000000ull;
	pending->count++;
}

static bool is_scarce(int code)
{
	return code == EMFILE || code == ENFILE;
}

static int accept_one(struct np_pending *pending, int listener,
		      const struct np_link_wait *wait)
{
	struct np_pending_connection connection = { .received = 0 };
	socklen_t length = sizeof(connection.address);

	connection.fd = accept4(listener, (struct sockaddr *)&connection.address, &length,
				SOCK_CLOEXEC);
	if (connection.fd < 0 && is_scarce(errno) && pending->count != 0) {
		drop(pending, find_victim(pending));
		length = sizeof(connection.address);
		connection.fd = accept4(listener, (struct sockaddr *)&connection.address,
					&length, SOCK_CLOEXEC);
	}
	if (connection.fd < 0)
		return is_scarce(errno) ? -errno : 0;
	/* accept4() inherits no O_NONBLOCK on Linux, but may elsewhere. */
	fcntl(connection.fd, F_SETFL, fcntl(connection.fd, F_GETFL) & ~O_NONBLOCK);
	if (!np_allow_has(wait->allow, &connection.address)) {
		log_drop(wait, &connection, "its address is not in --allow");
		close(connection.fd);
		return 0;
	}
	if (pending->count >= most_pending()) {
		const size_t victim = find_victim(pending);

		log_drop(wait, &pending->connections[victim],
			 "too many connections await their greeting");
		drop(pending, victim);
	}
	np_pending_add(pending, &connection);
	return 0;
}

static void refuse(const struct np_pending_connection *connection,
		   const struct np_link_wait *wait, enum np_frame_kind kind,
		   const char *reason)
{
	np_frame_send(connection->fd, kind, reason, strlen(reason));
	log_drop(wait, connection, "%s", reason);
}

/* Completes the handshake, with the server's own proof.  Returns 1, or -1 on error. */
static int send_welcome(const struct np_pending_connection *connection,
			const struct np_link_wait *wait)
{
	unsigned char proof[NP_PROOF_LENGTH];
	const bool has_key = wait->key != NULL;

	if (has_key)
		np_hello_prove(wait->key, 1, connection->nonce, connection->hello, proof);
	if (np_frame_send(connection->fd, NP_FRAME_WELCOME, proof,
			  has_key ? sizeof(proof) : 0) != 0)
		return -1;
	if (np_hello_kind(connection->hello) == NP_LINK_CONTROL)
		memcpy(wait->token, np_hello_token(connection->hello), NP_TOKEN_LENGTH);
	return 1;
}

static int send_challenge(struct np_pending_connection *connection)
{
	connection->challenged = true;
	if (getrandom(connection->nonce, sizeof(connection->nonce), 0) !=
	    (ssize_t)sizeof(connection->nonce))
		return -1;
	return np_frame_send(connection->fd, NP_FRAME_CHALLENGE, connection->nonce,
			     sizeof(connection->nonce)) == 0 ?
		       0 :
		       -1;
}

/* Handles a complete hello.  Called again after the proof: another connection may have
 * begun a run meanwhile. */
static int handle_hello(struct np_pending_connection *connection,
			const struct np_link_wait *wait)
{
	char reason[160];

	switch (np_hello_check(connection->hello, wait, reason, sizeof(reason))) {
	case NP_HELLO_ACCEPTED:
		if (wait->key != NULL && !connection->challenged)
			return send_challenge(connection);
		return send_welcome(connection, wait);
	case NP_HELLO_BUSY:
		/* Not logged: a waiting client retries ten times a second. */
		np_frame_send(connection->fd, NP_FRAME_BUSY, reason, strlen(reason));
		return -1;
	case NP_HELLO_REFUSED:
		refuse(connection, wait, NP_FRAME_REFUSAL, reason);
		return -1;
	default:
		log_drop(wait, connection, "it sent another protocol");
		return -1;
	}
}

static int handle_proof(struct np_pending_connection *connection,
			const struct np_link_wait *wait)
{
	unsigned char right[NP_PROOF_FRAME] = { 'N', 'P', NP_FRAME_PROOF };

	np_put_u32(right + 4, NP_PROOF_LENGTH);
	np_hello_prove(wait->key, 0, connection->nonce, connection->hello, right + 8);
	if (np_token_same(connection->proof, right, sizeof(right)))
		return handle_hello(connection, wait);
	refuse(connection, wait, NP_FRAME_REFUSAL, "its token is wrong");
	return -1;
}

/* Reads from a connection.  Returns 1 if its handshake is complete, 0 to keep it, -1 to
 * drop it. */
static int read_connection(struct np_pending_connection *connection,
			   const struct np_link_wait *wait)
{
	unsigned char *at = connection->challenged ? connection->proof : connection->hello;
	size_t *have = connection->challenged ? &connection->proved : &connection->received;
	const size_t wanted = connection->challenged ? sizeof(connection->proof) :
						       sizeof(connection->hello);
	const ssize_t received =
		recv(connection->fd, at + *have, wanted - *have, MSG_DONTWAIT);

	if (received < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -1;
	if (received == 0) {
		log_drop(wait, connection,
			 connection->challenged ? "it has no token" :
						  "it closed without a hello");
		return -1;
	}
	*have += (size_t)received;
	/* Another protocol differs in the first bytes. */
	if (!np_hello_begins(connection->hello, connection->received)) {
		log_drop(wait, connection, "it sent another protocol");
		return -1;
	}
	if (*have < wanted)
		return 0;
	return connection->challenged ? handle_proof(connection, wait) :
					handle_hello(connection, wait);
}

static void drop_expired(struct np_pending *pending, const struct np_link_wait *wait)
{
	for (size_t i = pending->count; i-- > 0;) {
		if (np_clock_ns() >= pending->connections[i].deadline_ns) {
			log_drop(wait, &pending->connections[i], "it sent nothing for %d s",
				 HELLO_TIMEOUT_MS / 1000);
			drop(pending, i);
		}
	}
}

/* Reads from every readable connection until one completes its handshake. */
static bool read_ready(struct np_pending *pending, const struct pollfd *ready,
		       const struct np_link_wait *wait,
		       struct np_pending_connection *accepted)
{
	for (size_t i = pending->count; i-- > 0;) {
		if (ready[i].revents == 0)
			continue;
		const int verdict = read_connection(&pending->connections[i], wait);
		if (verdict < 0) {
			drop(pending, i);
		} else if (verdict > 0) {
			*accepted = pending->connections[i];
			remove_at(pending, i);
			return true;
		}
	}
	return false;
}

void np_pending_accept(struct np_pending *pending, int listener,
		       const struct np_link_wait *wait)
{
	struct pollfd incoming = { .fd = listener, .events = POLLIN };

	while (pending->count < most_pending() && poll(&incoming, 1, 0) > 0) {
		if (accept_one(pending, listener, wait) != 0)
			break;
	}
}

size_t np_pending_pollfds(const struct np_pending *pending, int listener,
			  struct pollfd *fds)
{
	for (size_t i = 0; i < pending->count; i++)
		fds[i] = (struct pollfd){ .fd = pending->connections[i].fd,
					  .events = POLLIN };
	fds[pending->count] = (struct pollfd){ .fd = listener, .events = POLLIN };
	return pending->count + 1;
}

int np_pending_handle(struct np_pending *pending, int listener, const struct pollfd *fds,
		      const struct np_link_wait *wait,
		      struct np_pending_connection *accepted, struct np_error *error)
{
	const bool incoming = fds[pending->count].revents != 0;

	if (read_ready(pending, fds, wait, accepted))
		return 1;
	drop_expired(pending, wait);
	const int rc = incoming ? accept_one(pending, listener, wait) : 0;
	return rc == 0 ? 0 : np_fail_errno(error, rc, "cannot accept the peer");
}

void np_pending_close(struct np_pending *pending)
{
	while (pending->count > 0)
		drop(pending, pending->count - 1);
}
