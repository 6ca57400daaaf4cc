/*
 * shm_private.h - the endpoint of the shared memory module, and functions its files share.
 */
#pragma once

#include <sys/types.h>

#include "contract/np_module.h"
#include "shm_ring.h"

enum shm_transfer { SHM_RING, SHM_SINGLE, SHM_MEMCPY };
enum shm_wait { SHM_WAIT_AUTO, SHM_WAIT_SPIN, SHM_WAIT_FUTEX };

struct shm_options {
	int transfer;	/* enum shm_transfer */
	int wait;	/* enum shm_wait */
	size_t mailbox; /* longest message that is sent in one cell, bytes */
	size_t chunk;	/* longest payload of a cell of a longer message, bytes */
	size_t ring;	/* ring of one direction, bytes */
};

/* The unsent part of a message, which recv() and flush() push. */
struct shm_rest {
	const unsigned char *next;
	size_t length;
	bool pending; /* separate from length: an empty message has a cell as well */
};

struct shm_endpoint {
	struct np_endpoint np; /* first: the driver's part */

	/* Used by the hot hooks, set by arm(). */
	struct shm_port port;
	const struct np_slot *slots;
	size_t length, chunk;
	_Atomic uint32_t *own_futex, *peer_futex;
	struct shm_rest rest;
	pid_t peer;

	/* Set by open() and connect(). */
	bool sleeps; /* waits by futex, not by spinning */
	unsigned char *memory;
	size_t memory_length, ring_length;
};

/* The cast back is sound because np is the first member. */
NP_ALWAYS_INLINE struct shm_endpoint *shm_of(struct np_endpoint *ep)
{
	return (struct shm_endpoint *)(void *)ep;
}

NP_ALWAYS_INLINE const struct shm_options *shm_options_of(const struct np_endpoint *ep)
{
	return ep->options;
}

/* Maps the shared memory object, and has unlinked its name when it returns.  Returns 0 or
 * -errno with the error; collective. */
int np_shm_map_segment(struct shm_endpoint *shm);
void np_shm_unmap_segment(struct shm_endpoint *shm);

/* Code paths between processes.  Chunked ring: CHUNK if one process sends at a time, BOTH
 * for bidirectional messages. */
enum shm_path {
	SHM_PATH_MAILBOX,
	SHM_PATH_CHUNK,
	SHM_PATH_BOTH,
	SHM_PATH_SINGLE,
	SHM_PATHS
};
const struct np_code_path *np_shm_path(enum shm_path path, bool sleeps);
/* The code path of a copy within this process. */
const struct np_code_path *np_shm_copy_path(const struct np_endpoint *ep);
