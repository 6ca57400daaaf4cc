/*
 * channel.h - control channel, as the driver uses it; modules use contract/boot.h.
 *
 * A control channel is two stream sockets between the processes: `control` carries
 * commands, replies and what modules exchange, in lock-step, used by the main thread
 * alone; `heartbeat` carries heartbeats and the final status of a process, used by the
 * watcher alone.  The sockets are made in three ways (np_boot_fork(), np_boot_dial(),
 * np_boot_job()); the protocol on them is the same.
 */
#pragma once

#include <netinet/in.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/types.h>

#include "boot/frame.h"
#include "contract/boot.h"

enum { NP_TOKEN_LENGTH = 16, NP_HEARTBEAT_MS = 500 };

struct np_boot {
	int rank;
	int control;
	int heartbeat;
	int listener; /* rank 1: accepts links; -1 if there is none yet */
	/* rank 0: address of the listener; AF_UNSPEC if not known yet */
	struct sockaddr_storage peer;
	socklen_t peer_length;
	/* rank 0: address that its links come from; of length 0: the kernel chooses */
	struct sockaddr_storage from;
	socklen_t from_length;
	/* Drawn by rank 0: identifies the links of this run. */
	unsigned char token[NP_TOKEN_LENGTH];
	/* Shared key that both sides of every link prove; NULL: none. */
	const unsigned char *key;
	/* rank 1 under --serve: socket that passes links accepted by another process; -1:
	 * links come through the listener. */
	int relay;
	bool same_host;
	/* Greeting, from the first link to the boot ids. */
	struct np_deadline greeting;
	uint64_t began_ns; /* when the plan or the command in progress was sent */
	/* The peer is a child of this process or a rank of the same job; others prove a
	 * shared key to be trusted. */
	bool related;
	/* Heartbeats of this process until the peer's answer is overdue, which the watcher
	 * counts down; 0: no answer is awaited.  A count instead of a time: a process that
	 * was itself stopped must not declare the answer overdue. */
	_Atomic unsigned answer_beats;
	/* Heartbeats left that the watcher does not count while the peer claims to get no
	 * processor. */
	_Atomic unsigned excused_beats;
};

/* Longest extension of a timeout, s, by the processor time that the peer claims to lack.  A
 * trusted peer gets the longer one; with the shorter one a lying peer is detected within
 * 10 s. */
enum { NP_EXCUSE_TRUSTED_S = 60, NP_EXCUSE_S = 2 };

/* Returns the longest extension of a timeout by the claims of this peer, s. */
unsigned np_boot_excuse_s(const struct np_boot *boot);

/* Initialises a closed channel, which np_boot_close() accepts at any time. */
void np_boot_init(struct np_boot *boot, int rank);

/* Closes the links to a peer; the listener stays open for another. */
void np_boot_hang_up(struct np_boot *boot);

/* Closes a channel, half-open ones too. */
void np_boot_close(struct np_boot *boot);

int np_boot_draw_token(struct np_boot *boot, struct np_error *error);

enum { NP_KERNEL_BOOT = 40 };

/* Reads the boot id of the running kernel, a UUID padded with zeros; all zero if it cannot
 * be read.  Processes of one host have the same id. */
void np_boot_kernel(char id[NP_KERNEL_BOOT]);

/* Split barrier: np_boot_arrive() enters, once; np_boot_peer_arrived() polls, and sets
 * *arrived once the peer has entered.  Both return 0 or -errno. */
int np_boot_arrive(struct np_boot *boot, struct np_error *error);
int np_boot_peer_arrived(struct np_boot *boot, bool *arrived, struct np_error *error);

/* Sends a plan or a command, which the peer then executes.  Returns 0 or -errno. */
int np_boot_send(struct np_boot *boot, enum np_frame_kind kind, const void *payload,
		 size_t length, struct np_error *error);

/*
 * Receives a frame of the given kind from the peer's main thread.  A reply in its place is
 * the peer's failure: the text goes to error.  Every kind but a command, which comes when
 * rank 0 decides, has a deadline at which the watcher ends the run.  Returns 0 and a frame
 * whose payload the caller frees, or -errno.
 */
int np_boot_receive(struct np_boot *boot, enum np_frame_kind kind, struct np_frame *frame,
		    struct np_error *error);

/*
 * Exchanges the outcomes of a step that may have failed in either process; pending
 * exchanges of the peer are dropped. *outcome: outcome of this process, on return the first
 * failure of both.  Returns 0, or -errno if the peer is lost.
 */
int np_boot_agree(struct np_boot *boot, struct np_error *outcome, struct np_error *error);

/*
 * Forks.  Returns 0 in both processes, with boot->rank 0 and the child's pid in *child
 * in the parent, rank 1 and 0 in the child; or -errno with a text.  To be called before
 * the watcher thread starts: threads do not survive a fork.  The child is killed when
 * its parent ends.
 */
int np_boot_fork(struct np_boot *boot, pid_t *child, struct np_error *error);
