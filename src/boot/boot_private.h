/*
 * boot_private.h - boot channel, the functions for the driver; modules use boot.h.
 */
#ifndef NP_BOOT_PRIVATE_H
#define NP_BOOT_PRIVATE_H

#include "contract/boot.h"
#include "boot/frame.h"

/* Initialises a closed channel, which np_boot_close() accepts at any time after. */
void np_boot_init(struct np_boot *boot, int rank);

int np_boot_draw_token(struct np_boot *boot, struct np_error *error);

enum { NP_KERNEL_BOOT = 40 };

/* The boot id of the running kernel, a UUID padded with zeros; all zero if it cannot be
 * read.  Processes of one host have the same. */
void np_boot_kernel(char id[NP_KERNEL_BOOT]);

/*
 * Receives a frame of the given kind from the peer's main thread.  A reply instead is
 * the peer's failure: its text goes to error.  Returns 0 and a frame whose payload the
 * caller frees, or -errno.
 */
int np_boot_receive(struct np_boot *boot, enum np_frame_kind kind, struct np_frame *frame,
		    struct np_error *error);

/* Writes the error "peer lost" for code, which it returns. */
int np_boot_lost(int code, struct np_error *error);

/*
 * A reply: the result of a command at the peer, and a text that it returns (may be
 * NULL).  np_reply_read() returns the peer's code and, if that is not 0, writes the
 * peer's text to error; it copies the returned text to a string that the caller frees
 * (unless text is NULL).
 */
int np_reply_send(int fd, enum np_frame_kind kind, const struct np_error *error,
		  const char *text);
int np_reply_read(const struct np_frame *frame, char **text, struct np_error *error);

#endif
