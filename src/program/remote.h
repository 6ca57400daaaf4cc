/*
 * remote.h - processes that this program starts on other hosts.
 *
 * A process is started by a command that reaches the host, ssh or that of --rsh.  Its
 * standard input carries the token of the run and, for a client, the plan; its standard
 * output the port of a server, or the results of a client; its standard error the
 * reason of a failure.  It exits when its standard input closes, so it cannot outlive
 * this process.  doc/protocol.md has the format.
 */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "base/lines.h"
#include "program/program.h"

/* Size of the last part of its standard error that is kept. */
enum { NP_REMOTE_WORDS = 2048 };

struct np_remote {
	const char *host;		 /* as the user calls it */
	const char *program;		 /* "NPtcp" */
	pid_t child;			 /* the command that reaches it; 0: none */
	int in, err;			 /* its standard input and standard error; -1 */
	struct np_lines out;		 /* its standard output */
	unsigned patience_ms;		 /* for its start */
	char words[NP_REMOTE_WORDS + 1]; /* of its standard error */
	size_t word_count;		 /* bytes of words */
	bool told;			 /* words are in an error already */
	bool silent;			 /* it no longer answers: end it by a signal */
};

/* What to start, and where. */
struct np_remote_order {
	const struct np_program *program; /* its options and its secret */
	const char *host;		  /* [user@]host, or what stands for %h in --rsh */
	const char *const *arguments;	  /* further ones, NULL at the end */
	const char *plan; /* "name=value" lines of the plan, for a client; may be NULL */
};

/* Starts it.  Returns 0 or -errno.  np_remote_end() copes with both. */
int np_remote_start(struct np_remote *remote, const struct np_remote_order *order,
		    struct np_error *error);

/*
 * Draws a token into program->secret, starts a server for one run, and waits for the
 * port at which it listens.  Returns 0 and the port, -EINTR when a signal is readable
 * at program->signals, or -errno with the text of the remote process.  np_remote_end()
 * copes with all.
 */
int np_remote_serve(struct np_remote *remote, struct np_program *program, const char *host,
		    uint16_t *port, struct np_error *error);

/*
 * Reads a line of its standard output, a string that lives until the next call.  Once
 * `partner`, the server that it measures with (or NULL), has closed its standard output,
 * the process has 2.5 s left to say something: its host may be beyond reach.  Returns 1;
 * 0 at the end; -EINTR when wake became readable; or -errno with a text.
 */
int np_remote_line(struct np_remote *remote, const struct np_remote *partner, int wake,
		   char **line, struct np_error *error);

/* Ends it, by signals if it does not exit by itself.  Returns its exit status, or 128
 * and the signal. */
int np_remote_end(struct np_remote *remote);

/* Records that it ended with `status`, with the last line of its standard error. */
int np_remote_failed(struct np_remote *remote, int status, struct np_error *error);

/* Passes on, line by line, its standard error as far as it is in no error yet.  why: the
 * result of the run here; lines that only repeat it are left out. */
void np_remote_tell(struct np_remote *remote, const struct np_error *why,
		    const struct np_notes *notes);

/* The host's name or address in "[user@]host". */
const char *np_remote_address(const char *host);
