/*
 * tcp_private.h - the endpoint of the TCP module, and functions its files share.
 */
#pragma once

#include <net/if.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "contract/np_module.h"

/* Completion modes, in the order of the values of --wait. */
enum np_tcp_receive {
	NP_TCP_BLOCKING, /* sleeps in recv(2) */
	NP_TCP_POLL,	 /* polls by recv(2) with MSG_DONTWAIT, never sleeps */
	NP_TCP_EPOLL,	 /* sleeps in epoll_wait(2), as event-driven servers do */
	NP_TCP_RECEIVES
};

struct np_tcp_options {
	size_t buffer_size; /* SO_SNDBUF and SO_RCVBUF, bytes; 0: autotuned */
	int receive;	    /* enum np_tcp_receive */
	bool nagle;
	const char *congestion; /* NULL or empty: the kernel's default */
	size_t mss;		/* bytes; 0: the kernel's default */
};

struct np_tcp {
	struct np_endpoint endpoint;
	int fd;
	int epoll;		  /* only with NP_TCP_EPOLL */
	char interface[IFNAMSIZ]; /* of the local address; "": not known */
	int dropped[2]; /* counts of packets that it dropped on receipt; -1: none */
	/* Bidirectional: the unsent part of the current message. */
	const unsigned char *unsent;
	size_t unsent_length;
	unsigned char ack; /* buffer of acknowledgements */
};

/* Hooks and loops of a mode. */
const struct np_code_path *np_tcp_code_path(enum np_tcp_receive receive,
					    bool bidirectional);
