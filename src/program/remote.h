/*
 * remote.h - processes that this program starts on other hosts.
 *
 * A command that reaches the host, ssh or that of --rsh, starts the process.  Standard
 * input of the process carries the token of the run and, for a client, the plan; standard
 * output the port of a server, or the results of a client; standard error the reason of a
 * failure.  The process exits when standard input closes, so it cannot outlive this one.
 * doc/protocol.md has the format.
 */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "base/files.h"
#include "program/program.h"

/* Length of the kept tail of standard error, bytes. */
enum { NP_REMOTE_STDERR = 2048 };

struct np_remote {
	const char *host;    /* as the user wrote it */
	const char *program; /* "NPtcp" */
	pid_t child;	     /* process of the command that reaches the host; 0: none */
	int in, err; /* pipes of its standard input and standard error; -1: closed */
	unsigned char token[NP_KEY_LENGTH]; /* shared key of its run */
	struct np_lines out;		    /* its standard output */
	const struct np_program *starter;   /* signals and deadline of this program */
	struct np_deadline started;	    /* time limit of its start, to its first line */
	bool begun;			    /* it has printed that line */
	char text[NP_REMOTE_STDERR + 1];    /* tail of its standard error */
	size_t text_length;		    /* length of text */
	bool stderr_printed;		    /* text is part of an error already */
	bool silent; /* the process no longer responds: end it by a signal */
};

/* Description of a process to start. */
struct np_remote_order {
	const struct np_program *program; /* program whose options apply */
	const unsigned char *token;	  /* shared key of the run, NP_KEY_LENGTH bytes */
	const char *host;		  /* [user@]host, which replaces %h in --rsh */
	const char *const *arguments;	  /* further ones, NULL at the end */
	const char *plan; /* "name=value" lines of the plan, for a client; may be NULL */
};

/* Starts a process.  Returns 0 or -errno.  The caller calls np_remote_end() in either case.
 */
int np_remote_start(struct np_remote *remote, const struct np_remote_order *order,
		    struct np_error *error);

/*
 * Draws a token into remote->token, starts a server for one run, and waits for the port
 * at which it listens.  Returns 0 and the port, -EINTR when a signal is readable at
 * program->signals, or -errno with the text of the remote process.  The caller calls
 * np_remote_end() in any case.
 */
int np_remote_serve(struct np_remote *remote, const struct np_program *program,
		    const char *host, uint16_t *port, struct np_error *error);

/*
 * Reads a line of standard output of the process, valid until the next call.  The first
 * line has to come within the time limit of its start.  After `partner`, the server of its
 * run (or NULL), has closed its standard output, the process has 2.5 s left to print a
 * line: its host may be unreachable.  Returns 1; 0 at the end; -EINTR when a signal is
 * readable; -ETIME when the time of the program is over; or another -errno with a text.
 */
int np_remote_line(struct np_remote *remote, const struct np_remote *partner, char **line,
		   struct np_error *error);

/* Ends the process, by signals if it does not exit by itself.  Returns the exit status, or
 * 128 plus the signal. */
int np_remote_end(struct np_remote *remote);

/* Sets error to the last line of the process's standard error, or to its exit status.
 * Returns -ECHILD. */
int np_remote_failed(struct np_remote *remote, int status, struct np_error *error);

/* Prints standard error of the process line by line, unless it is part of an error already.
 * why: result of the run in this process; lines that only repeat it are left out. */
void np_remote_print_stderr(struct np_remote *remote, const struct np_error *why,
			    const struct np_notes *notes);
