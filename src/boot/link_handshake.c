/*
 * link_handshake.c - the connecting side of the handshake: hello, proof, welcome.
 */
#include "boot/link_handshake.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "boot/frame.h"
#include "boot/link_hello.h"
#include "boot/token.h"

/* Timeout of each answer: a peer that has stopped is detected within 10 s. */
enum { WELCOME_TIMEOUT_MS = 8000 };

static int receive_answer(int fd, struct np_frame *answer, struct np_error *error)
{
	const int rc = np_frame_receive(fd, answer, WELCOME_TIMEOUT_MS);

	switch (rc) {
	case 0:
		return 0;
	case -ETIMEDOUT:
		return np_fail(error, NP_ERROR_PEER, rc,
			       "the peer did not answer within %d s",
			       WELCOME_TIMEOUT_MS / 1000);
	case -EPROTO:
		return np_fail(error, NP_ERROR_PEER, rc,
			       "what listens there is not NetPong");
	default:
		return np_fail(error, NP_ERROR_PEER, rc,
			       "the peer closed the connection before it began");
	}
}

/* Sends the HMAC proof of the shared key and receives the answer. */
static int answer_challenge(int fd, const struct np_handshake *handshake,
			    const unsigned char *hello, const unsigned char *nonce,
			    struct np_frame *answer, struct np_error *error)
{
	unsigned char proof[NP_PROOF_LENGTH];

	if (handshake->key == NULL)
		return np_fail(error, NP_ERROR_PEER, EACCES,
			       "the server requires a token: --token-file");
	np_hello_prove(handshake->key, 0, nonce, hello, proof);
	const int rc = np_frame_send(fd, NP_FRAME_PROOF, proof, sizeof(proof));
	if (rc != 0)
		return np_fail(error, NP_ERROR_PEER, rc, "cannot greet the peer: %s",
			       strerror(-rc));
	return receive_answer(fd, answer, error);
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
			       "the server does not know the token");
	return 0;
}

int np_link_handshake(int fd, const struct np_handshake *handshake, struct np_error *error)
{
	unsigned char hello[NP_HELLO_LENGTH], nonce[NP_NONCE_LENGTH];
	struct np_frame answer = { .payload = NULL };
	bool challenged = false;

	np_hello_write(hello, handshake->identity, handshake->kind, handshake->token);
	if (send(fd, hello, sizeof(hello), MSG_NOSIGNAL) != (ssize_t)sizeof(hello))
		return np_fail(error, NP_ERROR_PEER, errno, "cannot greet the peer: %s",
			       strerror(errno));
	int rc = receive_answer(fd, &answer, error);
	if (rc == 0 && answer.kind == NP_FRAME_CHALLENGE &&
	    answer.length == sizeof(nonce)) {
		challenged = true;
		memcpy(nonce, answer.payload, sizeof(nonce));
		free(answer.payload);
		answer.payload = NULL;
		rc = answer_challenge(fd, handshake, hello, nonce, &answer, error);
	}
	if (rc == 0)
		rc = check_answer(handshake, hello, challenged ? nonce : NULL, &answer,
				  error);
	free(answer.payload);
	return rc;
}
