/*
 * serve.h - --serve: the waiting end that stays.
 *
 * One process listens and answers whoever comes; each run has a process of its
 * own, so that nothing of it is left when it is over, and so that a run that
 * breaks breaks alone.
 */
#ifndef NP_SERVE_H
#define NP_SERVE_H

#include "boot/link.h"

struct np_serve {
	const struct np_identity *identity;
	const unsigned char *key;     /* NULL: open */
	const struct np_allow *allow; /* NULL: everybody */
	const char *address;	      /* to listen at; NULL: every one */
	int listener;		      /* np_serve() may replace it; the caller closes it */
	int signals;		      /* signalfd of the signals that end it */
	const struct np_notes *notes; /* of strangers, and of runs */
};

/*
 * Gives up what it does not need: descriptors, standard input, the right to gain
 * privileges.  Then serves until a signal comes.
 *
 * Returns 1 in the process of each run, with a rank 1 channel that stands; 0 in
 * the process of a run that did not begin; and -errno in the process that
 * listens, with the signal as the error, or with what keeps it from listening.
 */
int np_serve(struct np_serve *serve, struct np_boot *boot, struct np_error *error);

#endif
