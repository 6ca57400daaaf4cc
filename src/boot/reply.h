/*
 * reply.h - replies: how a command, or a process, ended; numbers among the facts of a
 * reply.
 *
 * The driver plans memory, adds and divides with these numbers.  A number that no honest
 * peer sends is refused by its name instead of checked at each use.
 */
#pragma once

#include <stdint.h>

#include "base/error.h"
#include "base/facts.h"
#include "boot/frame.h"

/* Sets error to "connection to the peer lost", or to a protocol error for -EPROTO. Returns
 * code. */
int np_boot_lost(int code, struct np_error *error);

/*
 * Sends and reads a reply: the result of a command, and a text that the command returns
 * (may be NULL). np_reply_send() returns 0 or -errno. np_reply_read() returns the peer's
 * code and, if that is not 0, writes the peer's text to error; it copies the returned text
 * to a string that the caller frees (unless text is NULL).
 */
int np_reply_send(int fd, enum np_frame_kind kind, const struct np_error *error,
		  const char *text);
int np_reply_read(const struct np_frame *frame, char **text, struct np_error *error);

/* Reads a whole number of [0, most], with a unit.  Returns 0, or -EPROTO with
 * NP_ERROR_PEER, also if the fact is missing. */
int np_peer_count(const struct np_facts *facts, const char *name, uint64_t most,
		  uint64_t *count, struct np_error *error);

/* Reads a number of [0, most]; refuses "nan" and "inf".  Returns as np_peer_count(). */
int np_peer_number(const struct np_facts *facts, const char *name, double most,
		   double *number, struct np_error *error);
