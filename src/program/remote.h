/*
 * remote.h - ends that this program starts at other hosts.
 *
 * An end is started by a command that reaches the host, ssh or what --rsh names.
 * Over its standard input it hears a token that is good for this run alone, over
 * its standard output comes the port where it waits, or what it measures, over
 * its standard error what went wrong.  It ends when its standard input does, so
 * that it cannot outlive who started it.  doc/protocol.md has the words.
 */
#ifndef NP_REMOTE_H
#define NP_REMOTE_H

#include <stdint.h>
#include <sys/types.h>

#include "boot/link.h"
#include "plan/options.h"

/* What it said on its standard error: the last of it. */
enum { NP_REMOTE_WORDS = 2048 };

struct np_remote {
	const char *host;    /* as the user calls it */
	const char *program; /* "NPtcp" */
	const char *hint;    /* for who cannot start it; may be empty */
	pid_t child;	     /* the command that reaches it; 0: none */
	int in, out, err;    /* to and from it; -1 */
	unsigned patience_ms;
	char words[NP_REMOTE_WORDS + 1];
	size_t word_count; /* bytes of words */
	bool told;	   /* what it said is in an error already */
	bool silent;	   /* it no longer answers: no use in letting it end by itself */
};

/* What to start, and how. */
struct np_remote_order {
	const struct np_options *options; /* rsh, remote_program, remote_options */
	const struct np_identity *identity;
	const char *host;	  /* [user@]host, or what stands for %h in --rsh */
	const unsigned char *key; /* of NP_KEY_LENGTH bytes */
	/* More arguments, NULL at the end; may be NULL. */
	const char *const *arguments;
	/* "name=value" lines of the plan, for an end that transmits; may be NULL. */
	const char *plan;
};

/* Starts it.  Returns 0 or -errno.  np_remote_end() copes with both. */
int np_remote_start(struct np_remote *remote, const struct np_remote_order *order,
		    struct np_error *error);

/*
 * Waits until it says at which port it waits.  Returns 0 and the port, -EINTR when
 * wake became readable, or -errno with its own words.
 */
int np_remote_port(struct np_remote *remote, const struct np_identity *identity, int wake,
		   uint16_t *port, struct np_error *error);

/*
 * Reads what it says on its standard output.  partner, which may be NULL, is the end
 * that it measures with: once that has ended, this one has a moment left to say
 * something or to end, too; its host may be beyond reach.  Returns the number of bytes,
 * 0 at the end, -EINTR when wake became readable, or -errno with a text.
 */
ssize_t np_remote_read(struct np_remote *remote, const struct np_remote *partner, int wake,
		       char *buffer, size_t size, struct np_error *error);

/* Ends it, by force if it does not otherwise.  Returns its exit status, or 128
 * and the signal. */
int np_remote_end(struct np_remote *remote);

/* Records that it ended with `status`, by its own last words. */
int np_remote_failed(struct np_remote *remote, int status, struct np_error *error);

/* Hands out, line by line, what it said and nobody has told yet.  why: how the
 * run ended here; what only repeats that is left out. */
void np_remote_tell(struct np_remote *remote, const struct np_error *why,
		    const struct np_notes *notes);

/* The host's name or address in "[user@]host". */
const char *np_remote_address(const char *host);

#endif
