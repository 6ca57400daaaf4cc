/*
 * child.h - ending a child process: it is waited for, asked by a signal, killed, and
 * reaped.
 *
 * The programs block the signals that end them and read these from a descriptor
 * (signalfd), so no wait here is interrupted by a handler.
 */
#pragma once

#include <sys/types.h>

/* The steps.  All fields 0: SIGKILL at once. */
struct np_child_end {
	int wait_ms;  /* to end by itself; below 0: for ever */
	int signal;   /* sent after that; 0: none, and no grace */
	int grace_ms; /* from that signal to SIGKILL */
	/* A pipe from the child, read meanwhile: a child that writes into a full pipe
	 * does not end.  hear() reads it once, and sets *pipe to -1 at its end.  NULL:
	 * none. */
	const int *pipe;
	void (*hear)(void *context);
	void *context;
};

/* Ends and reaps the child, and reads what is left in the pipe.  Returns the status of
 * waitpid(2). */
int np_child_end(pid_t child, const struct np_child_end *how);
