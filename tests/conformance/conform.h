/*
 * conform.h - what every module is held to.
 */
#pragma once

#include "two_ends.h"

/* The table itself, without running it.  Returns 0, or -errno with a text. */
int conform_table(const struct np_module *module, struct np_error *error);

/* Messages of one length in `slots` buffers arrive, by -i and by the timed loops,
 * in one buffer and in all.  The end is open; the peer does the same. */
int conform_size(struct two_ends *pair, size_t length, uint64_t slots,
		 struct np_error *error);

/* Of conform_stream_window(). */
enum { CONFORM_WINDOW = 5 };

/* Messages of every length arrive, each with every byte, in order. */
int conform_pingpong(struct two_ends *pair, struct np_error *error);
int conform_offsets(struct two_ends *pair, struct np_error *error);
int conform_stream(struct two_ends *pair, struct np_error *error);
int conform_stream_window(struct two_ends *pair, struct np_error *error);
int conform_acked(struct two_ends *pair, struct np_error *error);
int conform_bidirectional(struct two_ends *pair, struct np_error *error);
int conform_zero_bytes(struct two_ends *pair, struct np_error *error);
int conform_zero_bytes_stream(struct two_ends *pair, struct np_error *error);

/* Life and death. */
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
