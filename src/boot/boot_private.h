/*
 * boot_private.h - the driver's side of a boot channel; modules use boot.h.
 */
#ifndef NP_BOOT_PRIVATE_H
#define NP_BOOT_PRIVATE_H

#include "contract/boot.h"
#include "boot/frame.h"

/* An empty channel; np_boot_close() copes with it at any time after. */
void np_boot_init(struct np_boot *boot, int rank);

int np_boot_draw_token(struct np_boot *boot, struct np_error *error);

/*
 * Receives a frame of the given kind from the peer's main thread.  A reply
 * that comes instead is the peer's failure: its text goes to error.  Returns 0
 * and a frame whose payload the caller frees, or -errno.
 */
int np_boot_receive(struct np_boot *boot, enum np_frame_kind kind, struct np_frame *frame,
		    struct np_error *error);

/* Records that the peer was lost.  Returns the code. */
int np_boot_lost(int code, struct np_error *error);

/*
 * A reply: how a command ended at the receiver.  payload, which may be NULL,
 * is text that the command brings back.  np_reply_read() returns the code,
 * puts the peer's words into error if it is not 0, and copies the payload to a
 * string that the caller frees (unless text is NULL).
 */
int np_reply_send(int fd, enum np_frame_kind kind, const struct np_error *error,
		  const char *text);
int np_reply_read(const struct np_frame *frame, char **text, struct np_error *error);

#endif
