/*
 * conform.h - tests of the module contract.
 */
#pragma once

#include "two_ends.h"

/* Checks the table of a module without calling it.  Returns 0, or -errno with a text. */
int conform_table(const struct np_module *module, struct np_error *error);

/* Sends messages of one length in `slots` buffers, by -i and by the timed loops, in one
 * buffer and in all.  The endpoint is open; collective. */
int conform_size(struct two_ends *pair, size_t length, uint64_t slots,
		 struct np_error *error);

/* Window of conform_stream_window(), messages. */
enum { CONFORM_WINDOW = 5 };

/* Messages of every length arrive complete and in order. */
int conform_pingpong(struct two_ends *pair, struct np_error *error);
int conform_offsets(struct two_ends *pair, struct np_error *error);
int conform_stream(struct two_ends *pair, struct np_error *error);
int conform_stream_window(struct two_ends *pair, struct np_error *error);
int conform_acked(struct two_ends *pair, struct np_error *error);
int conform_bidirectional(struct two_ends *pair, struct np_error *error);
int conform_zero_bytes(struct two_ends *pair, struct np_error *error);
int conform_zero_bytes_stream(struct two_ends *pair, struct np_error *error);

/* Open, close, failures and interrupts. */
int conform_reopen(struct two_ends *pair, struct np_error *error);
int conform_two_endpoints(struct two_ends *pair, struct np_error *error);
int conform_facts(struct two_ends *pair, struct np_error *error);
int conform_close_after_open(struct two_ends *pair, struct np_error *error);
int conform_unreg_without_reg(struct two_ends *pair, struct np_error *error);
int conform_connect_fails_at_0(struct two_ends *pair, struct np_error *error);
int conform_connect_fails_at_1(struct two_ends *pair, struct np_error *error);
int conform_peer_dies(struct two_ends *pair, struct np_error *error);
int conform_interrupt_recv(struct two_ends *pair, struct np_error *error);
int conform_interrupt_send(struct two_ends *pair, struct np_error *error);
