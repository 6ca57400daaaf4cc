/*
 * frame.h - framed messages over a stream socket: all that the two ends say
 * beside the measured path travels in these.
 *
 * On the wire: "NP", kind (16 bit), length (32 bit), payload; little-endian.
 * Numbers inside payloads are little-endian too, so ends of different byte
 * order understand each other.
 */
#ifndef NP_FRAME_H
#define NP_FRAME_H

#include <stddef.h>
#include <stdint.h>

enum np_frame_kind {
	NP_FRAME_WELCOME = 1, /* the waiting end takes the link */
	NP_FRAME_REFUSAL,     /* it does not, and says why */
	NP_FRAME_PLAN,	      /* options as text, from the transmitter */
	NP_FRAME_COMMAND,     /* command.h */
	NP_FRAME_REPLY,	      /* code, kind, text of a command's end, and facts */
	NP_FRAME_EXCHANGE,    /* np_boot_exchange() */
	NP_FRAME_HEARTBEAT,   /* nothing but a sign of life */
	NP_FRAME_GOODBYE,     /* an end leaves: code, kind, text */
	NP_FRAME_CHALLENGE,   /* the waiting end wants to see that the token is known */
	NP_FRAME_PROOF,	      /* it is */
	NP_FRAME_BUSY	      /* a refusal that is over when the run in progress is */
};

/* No frame is longer: a length above it is a stranger's or a bug's. */
enum { NP_FRAME_MAX = 1 << 20 };

struct np_frame {
	enum np_frame_kind kind;
	size_t length;
	unsigned char *payload; /* length bytes and a zero byte; free() it */
};

/* Sends one frame, all of it.  Returns 0 or -errno.  SIGPIPE is not raised. */
int np_frame_send(int fd, enum np_frame_kind kind, const void *payload, size_t length);

/*
 * Waits for one frame.  timeout_ms below 0 waits for ever.  Returns 0 with a
 * payload that the caller frees, -ECONNRESET at the end of the stream,
 * -ETIMEDOUT, -EPROTO for what is no frame, or another -errno.
 */
int np_frame_receive(int fd, struct np_frame *frame, int timeout_ms);

/* Receives exactly length bytes before the deadline (CLOCK_MONOTONIC, ns).
 * Returns as np_frame_receive() does. */
int np_receive_bytes(int fd, void *buffer, size_t length, uint64_t deadline_ns);

void np_put_u32(unsigned char *at, uint32_t value);
void np_put_u64(unsigned char *at, uint64_t value);
uint32_t np_get_u32(const unsigned char *at);
uint64_t np_get_u64(const unsigned char *at);

#endif
