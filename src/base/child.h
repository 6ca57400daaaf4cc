/*
 * child.h - end of a child process: wait, signal, SIGKILL, waitpid(2); drain of pipes
 * before the own end.
 *
 * No wait here is interrupted by a handler: the programs block the signals that end them
 * and read these from a descriptor (signalfd).
 */
#pragma once

#include <sys/types.h>

/* Steps of the end.  All fields 0: SIGKILL at once. */
struct np_child_end {
	int wait_ms;  /* for an end without a signal; below 0: no limit */
	int signal;   /* sent then; 0: none, and no grace */
	int grace_ms; /* from that signal to SIGKILL */
	/* Pipe from the child, or NULL.  The wait reads it, since a child that writes
	 * into a full pipe does not end.  The hook reads it once, and sets *pipe to -1
	 * at its end. */
	const int *pipe;
	void (*read)(void *context);
	void *context;
};

/* Ends and reaps the child, and reads the rest of the pipe.  Returns the status of
 * waitpid(2). */
int np_child_end(pid_t child, const struct np_child_end *how);

/* Waits until the reader of standard output and error has emptied them, where these are
 * pipes; a second at most each.  A launcher may end before it has read the output of its
 * processes, as soon as one of them aborts the job or fails: MPICH's lost the error of
 * every sixteenth job on busy cores. */
void np_drain_output(void);
