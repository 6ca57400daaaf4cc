/*
 * link_handshake.c - the first bytes of a link, and the connecting side of the handshake:
 * hello, proof, welcome.
 *
 * Hello:
 *      0  "NetPong\n"        8 bytes
 *      8  protocol           32 bit, little-endian
 *     12  kind of link       32 bit, little-endian
 *     16  token              16 bytes
 *     32  program            16 bytes, zero-padded
 *     48  version            16 bytes, zero-padded
 */
#include "boot/link_handshake.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/sha256.h"
#include "boot/access.h"
#include "boot/frame.h"

/* Interval of retries, ms. */
enum { RETRY_MS = 100 };

static const char magic[8] = "NetPong\n";

enum { AT_PROTOCOL = 8, AT_KIND = 12, AT_TOKEN = 16, AT_PROGRAM = 32, AT_VERSION = 48 };
enum { NAME_LENGTH = 16 };

static void put_name(unsigned char *at, const char *name)
{
	memcpy(at, name, strnlen(name, NAME_LENGTH - 1));
}

void np_hello_write(unsigned char *hello, const struct np_identity *identity,
		    enum np_link_kind kind, const unsigned char *token)
{
	memset(hello, 0, NP_HELLO_LENGTH);
	memcpy(hello, magic, sizeof(magic));
	np_put_u32(hello + AT_PROTOCOL, NP_PROTOCOL);
	np_put_u32(hello + AT_KIND, kind);
	memcpy(hello + AT_TOKEN, token, NP_TOKEN_LENGTH);
	put_name(hello + AT_PROGRAM, identity->program);
	put_name(hello + AT_VERSION, identity->version);
}

bool np_hello_begins(const unsigned char *hello, size_t received)
{
	return memcmp(hello, magic, received < sizeof(magic) ? received : sizeof(magic)) ==
	       0;
}

static bool name_is(const unsigned char *at, const char *name)
{
	unsigned char padded[NAME_LENGTH] = { 0 };

	put_name(padded, name);
	return memcmp(at, padded, NAME_LENGTH) == 0;
}

/* Copies a name with unprintable bytes replaced: errors print it on a terminal. */
static void get_name(const unsigned char *at, char *name)
{
	memcpy(name, at, NAME_LENGTH - 1);
	name[NAME_LENGTH - 1] = '\0';
	for (char *c = name; *c != '\0'; c++) {
		if (*c < ' ' || *c > '~')
			*c = '?';
	}
}

static const char busy[] = "the server is busy with another run";

enum np_hello_verdict np_hello_check(const unsigned char *hello,
				     const struct np_link_wait *wait, char *reason,
				     size_t size)
{
	const enum np_link_kind kind = np_hello_kind(hello);
	const struct np_identity *identity =
		kind == NP_LINK_DATA ? &np_link_data_identity : wait->identity;
	const bool begins = kind == NP_LINK_CONTROL;
	char program[NAME_LENGTH], version[NAME_LENGTH];

	if (!np_hello_begins(hello, NP_HELLO_LENGTH))
		return NP_HELLO_UNAUTHENTICATED;
	/* Before the comparison of names: during a run wait->identity is not that of
	 * control links. */
	if (begins && (wait->kinds & np_link_bit(kind)) == 0) {
		snprintf(reason, size, "%s", busy);
		return NP_HELLO_BUSY;
	}
	get_name(hello + AT_PROGRAM, program);
	get_name(hello + AT_VERSION, version);
	if (np_get_u32(hello + AT_PROTOCOL) != NP_PROTOCOL ||
	    !name_is(hello + AT_PROGRAM, identity->program) ||
	    !name_is(hello + AT_VERSION, identity->version)) {
		snprintf(reason, size,
			 "the server is %s %s (protocol %d), the client is %s %s "
			 "(protocol %u)",
			 identity->program, identity->version, NP_PROTOCOL, program,
			 version, np_get_u32(hello + AT_PROTOCOL));
		return NP_HELLO_REFUSED;
	}
	if ((wait->kinds & np_link_bit(kind)) == 0 ||
	    (!begins &&
	     !np_token_same(np_hello_token(hello), wait->token, NP_TOKEN_LENGTH))) {
		snprintf(reason, size, "%s", busy);
		return NP_HELLO_REFUSED;
	}
	return NP_HELLO_ACCEPTED;
}

enum np_link_kind np_hello_kind(const unsigned char *hello)
{
	const uint32_t kind = np_get_u32(hello + AT_KIND);

	return kind <= NP_LINK_DATA ? (enum np_link_kind)kind : NP_LINK_NONE;
}

const unsigned char *np_hello_token(const unsigned char *hello)
{
	return hello + AT_TOKEN;
}

void np_hello_prove(const unsigned char *key, int rank, const unsigned char *nonce,
		    const unsigned char *hello, unsigned char *proof)
{
	/* The rank is hashed, so that a proof reflected to its sender is not valid. */
	const unsigned char whose = (unsigned char)rank;
	const struct np_bytes pieces[] = { { magic, sizeof(magic) },
					   { &whose, 1 },
					   { nonce, NP_NONCE_LENGTH },
					   { hello, NP_HELLO_LENGTH } };

	np_hmac_sha256(key, NP_KEY_LENGTH, pieces, 4, proof);
}

/* Returns whether the server is NetPIPE's, of a program with the same name, which sends its
 * greeting first.  Leaves the data in the socket. */
static bool is_netpipe(int fd, struct np_deadline deadline)
{
	static const char greeting[] = "SyncMe";
	struct pollfd wait = { .fd = fd, .events = POLLIN };
	char begin[sizeof(greeting) - 1];

	return poll(&wait, 1, np_deadline_left_ms(deadline, -1)) > 0 &&
	       recv(fd, begin, sizeof(begin), MSG_PEEK | MSG_DONTWAIT) ==
		       (ssize_t)sizeof(begin) &&
	       memcmp(begin, greeting, sizeof(begin)) == 0;
}

static int receive_answer(int fd, struct np_deadline deadline, struct np_frame *answer,
			  struct np_error *error)
{
	if (is_netpipe(fd, deadline))
		return np_fail(
			error, NP_ERROR_PEER, EPROTO,
			"the program at that port is NetPIPE's, as Debian's "
			"netpipe-tcp has one of the same name: start NetPong's there");
	const int rc = np_frame_receive(fd, answer, deadline);

	switch (rc) {
	case 0:
		return 0;
	case -ETIMEDOUT:
		return np_fail(error, NP_ERROR_PEER, rc,
			       "the peer did not answer within %u s", deadline.seconds);
	case -EPROTO:
		return np_fail(error, NP_ERROR_PEER, rc,
			       "the program at that port is not NetPong; -P gives "
			       "NetPong's port");
	default:
		return np_fail(error, NP_ERROR_PEER, rc,
			       "the peer closed the connection before it began");
	}
}

/* Sends the HMAC proof of the shared key and receives the answer. */
static int answer_challenge(int fd, const struct np_handshake *handshake,
			    const unsigned char *hello, const unsigned char *nonce,
			    struct np_deadline deadline, struct np_frame *answer,
			    struct np_error *error)
{
	unsigned char proof[NP_PROOF_LENGTH];

	if (handshake->key == NULL)
		return np_fail(error, NP_ERROR_PEER, EACCES,
			       "the server requires a token: --token-file");
	np_hello_prove(handshake->key, 0, nonce, hello, proof);
	const int rc = np_frame_send(fd, NP_FRAME_PROOF, proof, sizeof(proof));
	if (rc != 0)
		return np_fail(error, NP_ERROR_PEER, rc, "cannot send to the peer: %s",
			       strerror(-rc));
	return receive_answer(fd, deadline, answer, error);
}

/* nonce NULL: the server sent no challenge. */
static int check_answer(const struct np_handshake *handshake, const unsigned char *hello,
			const unsigned char *nonce, const struct np_frame *answer,
			struct np_error *error)
{
	unsigned char proof[NP_PROOF_LENGTH];

	if (answer->kind != NP_FRAME_WELCOME)
		return np_fail(error, NP_ERROR_PEER,
			       answer->kind == NP_FRAME_BUSY ? EBUSY : ECONNREFUSED,
			       "the peer refused: %.200s", answer->payload);
	if (handshake->key == NULL)
		return 0;
	/* A client with a key requires the server's proof: without it any process that
	 * listens there could pose as the server. */
	if (nonce != NULL)
		np_hello_prove(handshake->key, 1, nonce, hello, proof);
	if (nonce == NULL || answer->length != sizeof(proof) ||
	    !np_token_same(answer->payload, proof, sizeof(proof)))
		return np_fail(error, NP_ERROR_PEER, EACCES,
			       "the server does not have the token: --token-file");
	return 0;
}

int np_link_handshake(int fd, const struct np_handshake *handshake,
		      struct np_deadline deadline, struct np_error *error)
{
	unsigned char hello[NP_HELLO_LENGTH], nonce[NP_NONCE_LENGTH];
	struct np_frame answer = { .payload = NULL };
	bool challenged = false;

	np_hello_write(hello, handshake->identity, handshake->kind, handshake->token);
	if (send(fd, hello, sizeof(hello), MSG_NOSIGNAL) != (ssize_t)sizeof(hello))
		return np_fail(error, NP_ERROR_PEER, errno, "cannot send to the peer: %s",
			       strerror(errno));
	int rc = receive_answer(fd, deadline, &answer, error);
	if (rc == 0 && answer.kind == NP_FRAME_CHALLENGE &&
	    answer.length == sizeof(nonce)) {
		challenged = true;
		memcpy(nonce, answer.payload, sizeof(nonce));
		free(answer.payload);
		answer.payload = NULL;
		rc = answer_challenge(fd, handshake, hello, nonce, deadline, &answer,
				      error);
	}
	if (rc == 0)
		rc = check_answer(handshake, hello, challenged ? nonce : NULL, &answer,
				  error);
	free(answer.payload);
	return rc;
}

bool np_link_may_retry(int code, const struct np_error *error)
{
	/* A refusal with a text is final. */
	return code == -EBUSY || code == -ECONNRESET || code == -EPIPE ||
	       (code == -ECONNREFUSED && error->code == 0);
}

static int open_once(const struct np_link_order *order, int *fd, struct np_error *error)
{
	const int link = socket(order->address->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	const int on = 1;

	if (link < 0)
		return -errno;
	int rc = order->prepare != NULL ? order->prepare(link, order->context, error) : 0;
	if (rc == 0 && order->from_length != 0 &&
	    bind(link, order->from, order->from_length) != 0)
		rc = np_fail(
			error, NP_ERROR_USAGE, errno,
			"--bind-address: cannot connect from this address: %s; give an "
			"address of this host",
			strerror(errno));
	if (rc == 0)
		rc = np_link_connect(link, order->address, order->length,
				     np_deadline_of(order->connected, order->deadline));
	if (rc == 0) {
		/* Commands and replies are short, and the peer waits for them. */
		setsockopt(link, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
		rc = np_link_handshake(link, &order->handshake, order->deadline, error);
	}
	if (rc == 0)
		*fd = link;
	else
		close(link);
	return rc;
}

int np_link_open(const struct np_link_order *order, int *fd, struct np_error *error)
{
	struct pollfd hang_up = { .fd = order->control, .events = POLLRDHUP };
	int rc;

	while ((rc = open_once(order, fd, error)) != 0 && order->control >= 0 &&
	       np_link_may_retry(rc, error)) {
		if (poll(&hang_up, 1, np_deadline_left_ms(order->deadline, RETRY_MS)) > 0 ||
		    np_deadline_is_over(order->deadline))
			break;
		*error = (struct np_error){ .code = 0 };
	}
	return rc;
}
