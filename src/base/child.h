/*
 * child.h - end of a child process: wait, signal, SIGKILL, waitpid(2); drain of output
 * pipes before this process exits; search for a program.
 *
 * No wait here is interrupted by a handler: the programs block the signals that end them
 * and read these from a descriptor (signalfd).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Finds an executable beside the running one, in `folder` unless that is empty, or in PATH,
 * in this order, and writes its path.  Returns false if there is none. */
bool np_program_find(const char *name, const char *folder, char *path, size_t size);

/* Finds an executable in PATH, as execvp(3) does, and writes its path.  Returns false if
 * there is none. */
bool np_program_in_path(const char *name, char *path, size_t size);

/* Steps by which np_child_end() ends a child.  All fields 0: SIGKILL at once. */
struct np_child_end {
	int wait_ms;  /* time to exit by itself */
	int signal;   /* sent after wait_ms; 0: none, SIGKILL follows at once */
	int grace_ms; /* from that signal to SIGKILL */
	/* Pipe from the child, or NULL.  Read during the wait, since a child that writes
	 * into a full pipe does not end.  read() reads it once, and sets *pipe to -1 at end
	 * of file. */
	const int *pipe;
	void (*read)(void *context);
	void *context;
};

/* Ends and reaps the child, and reads the rest of the pipe.  Returns the status of
 * waitpid(2), or SIGKILL for a child that not even this signal has ended. */
int np_child_end(pid_t child, const struct np_child_end *how);

/* Waits until the reader of standard output and error has emptied them, where these are
 * pipes; a second at most each.  An MPI launcher may exit before it has read the output of
 * its processes, as soon as one of them aborts the job or fails: MPICH's lost the error of
 * every sixteenth job on busy cores. */
void np_drain_output(void);
