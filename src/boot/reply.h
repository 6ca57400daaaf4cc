/*
 * reply.h - replies: how a command, or a process, ended.
 */
#pragma once

#include "base/error.h"
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
