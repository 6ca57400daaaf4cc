/*
 * shm_ring.h - lock-free single-producer, single-consumer ring buffers in shared
 * memory, one per direction.
 *
 * A ring consists of cells of equal stride.  A cell is a header of eight bytes and a
 * payload.  The header holds two numbers: the sequence number of the cell (the first is
 * 1), which marks the payload as valid, and the number of cells that the
 * writer has taken from the other direction, which saves a separate acknowledgement in a
 * ping-pong.  A process that only reads publishes that number from time to time in a
 * word of its own, `taken`.
 *
 * A port is one process's private state of both directions.  Exactly one thread uses
 * it, so it needs no atomics.  Nothing in here waits: see shm_wait.h.
 *
 * Memory ordering:
 *
 * payload before header.  The writer copies the payload and then stores the
 *   header with release; the reader loads the header with acquire, and once the
 *   sequence number matches, the payload that it copies out is the one copied
 *   in.  Relaxed on either side would allow the copy out to see old bytes.
 *
 * copy out before reuse.  The reader copies the payload out and then publishes how
 *   many cells it has taken, in `taken` or in the header of a cell of its own,
 *   with release; the writer loads that number with acquire before it copies
 *   into the cell again.  So the reader's loads come before the writer's
 *   stores, and the payload needs no atomic access.
 *
 * Both numbers count modulo 2^32 and are compared by their difference, which is
 * at most the number of cells, a number far below 2^31.  A header left from the
 * round before holds a sequence number smaller by the number of cells, so it
 * never matches; payload bytes never lie where a header is read, because the
 * stride is fixed between two resets, and a reset clears all headers.
 *
 * The caller passes the memory order: release or acquire where the peer spins,
 * sequentially consistent where it may sleep; shm_wait.h has the reason.
 */
#pragma once

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "contract/np_loop.h"

/* Atomics with a hidden lock do not work between processes. */
static_assert(ATOMIC_INT_LOCK_FREE == 2, "32-bit words have to be lock-free");
static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "64-bit words have to be lock-free");

enum {
	SHM_LINE = 64, /* bytes of a cache line */
	/* Distance of words written by different processes: the adjacent-line
	 * prefetcher fetches lines in pairs (false sharing). */
	SHM_APART = 128,
	SHM_HEADER = 8 /* bytes; the payload may follow directly */
};

/* Words of one process in shared memory; `taken` is written by this process only. */
struct shm_words {
	_Alignas(SHM_APART) _Atomic uint32_t taken; /* cells read */
	/* Events that the process sleeps for; 0: awake (shm_wait.h). */
	_Alignas(SHM_APART) _Atomic uint32_t futex;
};

/* The outgoing direction. */
struct shm_writer {
	unsigned char *next, *begin, *end; /* cells */
	size_t stride;			   /* bytes */
	uint32_t written;		   /* cells, modulo 2^32 */
	uint32_t known;			   /* cells known to be taken by the peer */
	uint32_t limit;			   /* most cells in flight */
	_Atomic uint32_t *peer_taken;
};

/* The incoming direction. */
struct shm_reader {
	unsigned char *next, *begin, *end;
	size_t stride;
	uint32_t taken;	    /* cells, modulo 2^32 */
	uint32_t published; /* cells published in *own_taken */
	uint32_t batch;	    /* cells between two publications, <= limit */
	_Atomic uint32_t *own_taken;
};

struct shm_port {
	struct shm_writer writer;
	struct shm_reader reader;
};

/* Geometry of a ring; must be equal in both processes. */
struct shm_geometry {
	size_t stride;
	uint32_t cells;
	uint32_t limit; /* most cells in flight, 1 to cells */
};

NP_ALWAYS_INLINE _Atomic uint64_t *shm_header(unsigned char *cell)
{
	return (_Atomic uint64_t *)(void *)cell;
}

/*
 * Resets a port.  Each process clears the headers and the words that it writes.  Neither
 * may use its port meanwhile; the stores are relaxed, so the caller synchronizes with
 * the peer afterwards.
 */
static inline void shm_reset(struct shm_port *port, const struct shm_geometry *geometry,
			     unsigned char *outgoing, unsigned char *incoming,
			     struct shm_words *own, struct shm_words *peer)
{
	const size_t length = geometry->stride * geometry->cells;

	port->writer = (struct shm_writer){ .next = outgoing,
					    .begin = outgoing,
					    .end = outgoing + length,
					    .stride = geometry->stride,
					    .limit = geometry->limit,
					    .peer_taken = &peer->taken };
	/* A quarter: the writer learns of free cells before it runs out, and loads the
	 * line of `taken`, which the peer writes, only once per quarter. */
	port->reader =
		(struct shm_reader){ .next = incoming,
				     .begin = incoming,
				     .end = incoming + length,
				     .stride = geometry->stride,
				     .batch = geometry->limit < 4 ? 1 : geometry->limit / 4,
				     .own_taken = &own->taken };
	atomic_store_explicit(&own->taken, 0, memory_order_relaxed);
	atomic_store_explicit(&own->futex, 0, memory_order_relaxed);
	for (unsigned char *cell = outgoing; cell != outgoing + length;
	     cell += geometry->stride)
		atomic_store_explicit(shm_header(cell), 0, memory_order_relaxed);
}

/* True if a cell is known to be free. */
NP_ALWAYS_INLINE bool shm_has_room(const struct shm_port *port)
{
	return port->writer.written - port->writer.known < port->writer.limit;
}

/* Accepts the peer's count unless it is older than the known one: the peer publishes it
 * in two places. */
NP_ALWAYS_INLINE void shm_note_taken(struct shm_writer *writer, uint32_t taken)
{
	if (taken - writer->known <= writer->limit)
		writer->known = taken;
}

/* Loads the peer's word.  Acquire: the cells it has taken may be overwritten. */
NP_ALWAYS_INLINE void shm_load_taken(struct shm_port *port, const memory_order order)
{
	shm_note_taken(&port->writer, atomic_load_explicit(port->writer.peer_taken, order));
}

/* True if all cells written are known to be taken. */
NP_ALWAYS_INLINE bool shm_is_drained(const struct shm_port *port)
{
	return port->writer.written == port->writer.known;
}

/* Fills the next cell, which must be free; the payload begins at `offset` of the cell. */
NP_ALWAYS_INLINE void shm_put(struct shm_port *port, const void *payload, size_t length,
			      const size_t offset, const memory_order order)
{
	struct shm_writer *writer = &port->writer;
	unsigned char *cell = writer->next;

	memcpy(cell + offset, payload, length);
	writer->written++;
	/* Release: the payload before the header, and the copy out of the cells
	 * counted in the upper half before their reuse by the peer. */
	atomic_store_explicit(shm_header(cell),
			      writer->written | (uint64_t)port->reader.taken << 32, order);
	cell += writer->stride;
	writer->next = cell == writer->end ? writer->begin : cell;
}

/* True if the next cell has arrived.  Acquire: its payload may be read, and the cells
 * that the peer has taken may be overwritten. */
NP_ALWAYS_INLINE bool shm_has_cell(struct shm_port *port, const memory_order order)
{
	const uint64_t header = atomic_load_explicit(shm_header(port->reader.next), order);

	if ((uint32_t)header != port->reader.taken + 1)
		return false;
	shm_note_taken(&port->writer, (uint32_t)(header >> 32));
	return true;
}

/* Releases the next cell, which must have arrived and been read.  True if the count was
 * published: then the peer may have to be woken. */
NP_ALWAYS_INLINE bool shm_release(struct shm_port *port, const memory_order order)
{
	struct shm_reader *reader = &port->reader;
	unsigned char *cell = reader->next + reader->stride;

	reader->next = cell == reader->end ? reader->begin : cell;
	reader->taken++;
	if (reader->taken - reader->published < reader->batch)
		return false;
	reader->published = reader->taken;
	/* Release: the copy out before the peer's next copy in. */
	atomic_store_explicit(reader->own_taken, reader->taken, order);
	return true;
}

/* Copies the payload out of the next cell and releases it, as shm_release(). */
NP_ALWAYS_INLINE bool shm_take(struct shm_port *port, void *payload, size_t length,
			       const size_t offset, const memory_order order)
{
	memcpy(payload, port->reader.next + offset, length);
	return shm_release(port, order);
}
