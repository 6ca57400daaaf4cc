/*
 * boot_tcp.h - control channel over TCP: the server listens at a port, the client dials
 * it; ranks 0 and 1 of a job that an MPI launcher started do so by themselves.
 */
#pragma once

#include <netdb.h>

#include "boot/channel.h"
#include "boot/link.h"
#include "contract/job.h"

/*
 * Waits for a client. criteria: for the control link, whose token goes to boot.  Links
 * arrive at boot->listener, which np_link_listen() opened.  Returns 0 with a rank 1
 * channel, -EINTR when criteria->wake became readable, or -errno with a text.
 */
int np_boot_wait(struct np_boot *boot, const struct np_link_wait *criteria,
		 struct np_error *error);

/*
 * Second half of np_boot_wait(): accepts the heartbeat link that follows the control link.
 */
int np_boot_complete(struct np_boot *boot, const struct np_link_wait *criteria,
		     struct np_error *error);

/* The server to dial. */
struct np_dial {
	const struct np_identity *identity;
	const char *host; /* a name, an IPv4 or an IPv6 address */
	uint16_t port;
	const char *from; /* numeric address of this host to connect from, or NULL */
	int family;	  /* AF_INET or AF_INET6 alone; AF_UNSPEC: either */
	int retry_ms;	  /* retries while the port is closed or the server busy */
	const unsigned char *key;    /* shared key, proved by both sides; NULL: none */
	struct np_deadline deadline; /* of the whole dial */
};

/*
 * Dials, with retries for retry_ms: the server may be starting, or busy with another
 * run.  Returns 0 with a rank 0 channel, or -errno with a text.
 */
int np_boot_dial(struct np_boot *boot, const struct np_dial *dial, struct np_error *error);

/* Compares boot ids with the peer and sets boot->same_host.  Both processes call it first
 * on a new channel.  Returns 0 or -errno. */
int np_boot_compare_hosts(struct np_boot *boot, struct np_error *error);

/*
 * Connects ranks 0 and 1 of a job; collective over the job.  failure: error kind with which
 * this process failed before, 0 if it is ready.  If all are ready, ranks 0 and 1 connect
 * over TCP, at an address of rank 1 that was exchanged through the job, and boot becomes
 * their channel.
 *
 * Returns 0 or -errno.  *all_know is true if the failures were exchanged and every process
 * returns an error here: its kind is that of the lowest failed rank, and the process that
 * failed prints the text.  np_boot_close() accepts the channel in either case.
 */
int np_boot_job(struct np_boot *boot, const struct np_job_hooks *hooks,
		const struct np_job *job, const struct np_identity *identity, int failure,
		bool *all_know, struct np_error *error);
