/*
 * frame.h - control protocol: framed messages over a stream socket.
 *
 * On the wire: "NP", kind (16 bit), length (32 bit), payload.  All integers are
 * little-endian, those in payloads too.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/deadline.h"

enum np_frame_kind {
	NP_FRAME_WELCOME = 1, /* the handshake is complete */
	NP_FRAME_REFUSAL,     /* the link is refused: reason as text */
	NP_FRAME_PLAN,	      /* options as text, from the client */
	NP_FRAME_COMMAND,     /* command.h */
	NP_FRAME_REPLY,	      /* result of a command: reply.c */
	NP_FRAME_EXCHANGE,    /* np_boot_exchange() */
	NP_FRAME_HEARTBEAT,   /* nanoseconds for which the sender's main thread waited for a
				 CPU */
	NP_FRAME_GOODBYE,     /* last message of a process: code, kind, text */
	NP_FRAME_CHALLENGE,   /* nonce: the client has to prove the shared key */
	NP_FRAME_PROOF,	      /* HMAC proof of the shared key */
	NP_FRAME_BUSY	      /* refusal while another run is in progress: retry */
};

/* Upper limit of a frame's length in bytes: a longer one is not of this protocol. */
enum { NP_FRAME_MAX = 1 << 20 };

struct np_frame {
	enum np_frame_kind kind;
	size_t length;
	unsigned char *payload; /* length bytes and a zero byte; free() it */
};

/* Sends one frame completely; SIGPIPE is not raised.  Returns 0 or -errno. */
int np_frame_send(int fd, enum np_frame_kind kind, const void *payload, size_t length);

/*
 * Receives one frame.  Returns 0 with a payload that
 * the caller frees, -ECONNRESET at the end of the stream, -ETIMEDOUT, -EPROTO for an
 * invalid header, or another -errno.
 */
int np_frame_receive(int fd, struct np_frame *frame, struct np_deadline deadline);

void np_put_u32(unsigned char *at, uint32_t value);
void np_put_u64(unsigned char *at, uint64_t value);
uint32_t np_get_u32(const unsigned char *at);
uint64_t np_get_u64(const unsigned char *at);
