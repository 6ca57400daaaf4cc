/*
 * channel.h - control channel, the functions for the driver; modules use boot.h.
 */
#ifndef NP_CHANNEL_H
#define NP_CHANNEL_H

#include "contract/boot.h"
#include "boot/frame.h"

/* Initialises a closed channel, which np_boot_close() accepts at any time after. */
void np_boot_init(struct np_boot *boot, int rank);

/* Closes the links to a peer; the listener stays, for another. */
void np_boot_hang_up(struct np_boot *boot);

/* Closes a channel, half-open ones too. */
void np_boot_close(struct np_boot *boot);

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

#endif
