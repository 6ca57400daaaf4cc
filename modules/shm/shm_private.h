/*
 * shm_private.h - what the files of this module share.
 */
#ifndef SHM_PRIVATE_H
#define SHM_PRIVATE_H

#include <sys/types.h>

#include "contract/np_module.h"
#include "shm_ring.h"

enum shm_transfer { SHM_RING, SHM_SINGLE, SHM_MEMCPY };
enum shm_wait { SHM_WAIT_AUTO, SHM_WAIT_SPIN, SHM_WAIT_FUTEX };

struct shm_options {
	int transfer;	/* enum shm_transfer */
	int wait;	/* enum shm_wait */
	size_t mailbox; /* longest message that travels in one cell, bytes */
	size_t chunk;	/* most payload of a cell otherwise, bytes */
	size_t ring;	/* all cells of one direction, bytes */
};

/* What the rest of a message is, while recv() and flush() push it. */
struct shm_rest {
	const unsigned char *next;
	size_t length;
	bool pending; /* a message of no bytes is something to push, too */
};

struct shm_endpoint {
	struct np_endpoint np; /* first: the driver sees this part alone */

	/* Used by the hot hooks, set by arm(). */
	struct shm_port port;
	const struct np_slot *slots;
	size_t length, chunk;
	_Atomic uint32_t *own_bell, *peer_bell;
	struct shm_rest rest;
	pid_t peer;

	/* Set by open() and connect(). */
	bool sleeps; /* futex rather than spinning */
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

/* shm_segment.c: the shared memory object.  It has no name any more when
 * np_shm_map_segment() returns. */
int np_shm_map_segment(struct shm_endpoint *shm);
void np_shm_unmap_segment(struct shm_endpoint *shm);
/* Words and cells within it, by rank of the end that writes them. */
struct shm_words *np_shm_words(const struct shm_endpoint *shm, int rank);
unsigned char *np_shm_cells(const struct shm_endpoint *shm, int rank);

/* shm_reach.c: may this process read the memory of its peer? */
int np_shm_reach_peer(struct shm_endpoint *shm);

/* shm_shape.c: how cells are cut for a transfer. */
struct shm_cut {
	struct shm_shape shape;
	size_t chunk; /* most payload of a cell */
	bool mailbox; /* a message is one cell, payload behind the header */
};
struct shm_cut np_shm_cut_mailbox(size_t length, size_t ring_length,
				  const struct np_transfer *transfer);
struct shm_cut np_shm_cut_chunks(size_t most, size_t ring_length,
				 const struct np_transfer *transfer);

/* The code paths, one file each. */
const struct np_code_path *np_shm_mailbox_path(bool sleeps);
const struct np_code_path *np_shm_chunk_path(bool sleeps);
const struct np_code_path *np_shm_chunk_both_path(bool sleeps);
const struct np_code_path *np_shm_single_path(bool sleeps);
const struct np_code_path *np_shm_copy_path(void);

#endif
