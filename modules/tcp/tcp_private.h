/*
 * tcp_private.h - what the files of the tcp module share.
 *
 * tcp.c opens and closes the connection, tcp_facts.c reports on it, and the
 * timed hooks are in tcp_one_way.c and tcp_both_ways.c, which share the few
 * system calls of tcp_move.h.
 */
#ifndef NP_TCP_PRIVATE_H
#define NP_TCP_PRIVATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "contract/np_module.h"

/* How an end waits for bytes; the order of the choices of --receive. */
enum np_tcp_receive {
	NP_TCP_BLOCKING, /* asleep in recv(2) */
	NP_TCP_POLL,	 /* asking again and again, never asleep */
	NP_TCP_EPOLL,	 /* asleep in epoll_wait(2), as event-driven servers are */
	NP_TCP_RECEIVES
};

struct np_tcp_options {
	size_t buffer_size; /* bytes asked of both socket buffers; 0: the kernel's */
	int receive;	    /* enum np_tcp_receive */
	bool nagle;
	const char *congestion; /* NULL or empty: the kernel's */
	size_t mss;		/* bytes; 0: the kernel's */
};

struct np_tcp {
	struct np_endpoint endpoint;
	int fd;
	int epoll;		  /* only with NP_TCP_EPOLL */
	atomic_int interruptible; /* fd as the watcher's thread may know it, or -1 */
	/* Both ways: what of the message under way has not been sent yet. */
	const unsigned char *unsent;
	size_t unsent_length;
	unsigned char ack; /* what acknowledgements are sent from and read to */
};

/* How this end really waits: spinning on a core that the peer needs would
 * measure the scheduler, so such an end blocks. */
enum np_tcp_receive np_tcp_receive_mode(const struct np_endpoint *endpoint);

extern const char *const np_tcp_receive_names[NP_TCP_RECEIVES + 1];

/* The compiled loops and hooks of a mode. */
const struct np_code_path *np_tcp_one_way(enum np_tcp_receive receive);
const struct np_code_path *np_tcp_both_ways(enum np_tcp_receive receive);

/*
 * What a system call that moved nothing means.  n is what recv(2) or send(2)
 * returned, errno as it left it; `done` of `length` bytes of the message had
 * been moved before.  Returns -ECANCELED without a text if the run was stopped,
 * otherwise -errno with the text.
 */
int np_tcp_receive_failed(struct np_tcp *tcp, ssize_t n, size_t done, size_t length)
	__attribute__((cold, noinline));
int np_tcp_send_failed(struct np_tcp *tcp, size_t done, size_t length)
	__attribute__((cold, noinline));
int np_tcp_wait_failed(struct np_tcp *tcp) __attribute__((cold, noinline));

void np_tcp_describe(struct np_endpoint *endpoint, struct np_facts *facts);
size_t np_tcp_count(struct np_endpoint *endpoint, struct np_counter *counters);

#endif
