/*
 * watch_signals.h - the signals that end a run, read from a descriptor: no handler runs.
 */
#pragma once

#include <stdbool.h>

#include "base/error.h"

/* Blocks the signals that end a run (SIGINT, SIGTERM, SIGHUP, SIGXCPU, SIGUSR1, SIGALRM)
 * in the caller and in threads created later.  Returns a signalfd, or -errno. */
int np_watch_signals(struct np_error *error);

/* Unblocks these signals, or blocks them again: for a wait in which the signalfd is not
 * read. */
void np_watch_block_signals(bool block);

/* Unblocks SIGALRM in the calling thread, for a timer of this process. */
void np_watch_allow_alarm(void);

/* For a child before exec: unblocks all signals and restores SIGPIPE and SIGXFSZ. */
void np_watch_default_signals(void);

/* Reads the signal that arrived at the signalfd into error: text and kind. */
void np_watch_read_signal(int signals, struct np_error *error);
