/*
 * shm_ring.h - the lock-free ring: cells that one end fills and the other
 * empties, in memory that both see.
 *
 * Each direction has a ring of cells of equal stride.  A cell is a header of
 * eight bytes and a payload.  The header holds two numbers: the sequence number
 * of the cell (the first is 1), by which the reader knows that the payload is
 * there, and how many cells the writer of this header has itself taken from the
 * other direction, which saves a separate message in a ping-pong.  An end that
 * only takes says so now and then in a word of its own, `taken`.
 *
 * A port is what one end knows of both directions.  Exactly one thread uses a
 * port, so all that is not shared is plain.  Nothing in here waits: waiting is
 * in shm_wait.h.
 *
 * Which accesses order what:
 *
 * payload before header.  The writer copies the payload and then stores the
 *   header with release; the reader loads the header with acquire, and once the
 *   sequence number matches, the payload that it copies out is the one copied
 *   in.  Relaxed on either side would allow the copy out to see old bytes.
 *
 * copy out before reuse.  The reader copies the payload out and then tells how
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
 * The caller names the order.  It is release or acquire where the peer spins,
 * and sequentially consistent, which includes those, where it may be asleep:
 * shm_wait.h says why.
 */
#ifndef SHM_RING_H
#define SHM_RING_H

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "contract/np_loop.h"

/* Both ends are processes: an atomic word that hides a lock would not do. */
static_assert(ATOMIC_INT_LOCK_FREE == 2, "32-bit words have to be lock-free");
static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "64-bit words have to be lock-free");

enum {
	SHM_LINE = 64, /* bytes that caches move at once */
	/* Words that different ends write keep this distance: processors fetch
	 * lines in pairs. */
	SHM_APART = 128,
	SHM_HEADER = 8 /* bytes; payload may start right behind it */
};

/* The words of one end.  Only that end writes `taken`. */
struct shm_words {
	_Alignas(SHM_APART) _Atomic uint32_t taken; /* cells it has emptied */
	/* What it sleeps for, 0 while it is awake; see shm_wait.h. */
	_Alignas(SHM_APART) _Atomic uint32_t bell;
};

/* The direction that this end fills. */
struct shm_writer {
	unsigned char *next, *begin, *end; /* cells */
	size_t stride;			   /* bytes */
	uint32_t written;		   /* cells so far */
	uint32_t known;			   /* of these, known to be taken */
	uint32_t limit;			   /* most that may be on their way */
	_Atomic uint32_t *peer_taken;
};

/* The direction that it empties. */
struct shm_reader {
	unsigned char *next, *begin, *end;
	size_t stride;
	uint32_t taken;	    /* cells so far */
	uint32_t published; /* of these, told in *own_taken */
	uint32_t batch;	    /* how many to take before telling, <= limit */
	_Atomic uint32_t *own_taken;
};

struct shm_port {
	struct shm_writer writer;
	struct shm_reader reader;
};

/* What both ends must agree on: cells of `stride` bytes in each direction, of
 * which `limit` may be on their way. */
struct shm_shape {
	size_t stride;
	uint32_t cells;
	uint32_t limit; /* 1 to cells */
};

NP_ALWAYS_INLINE _Atomic uint64_t *shm_header(unsigned char *cell)
{
	return (_Atomic uint64_t *)(void *)cell;
}

/*
 * Starts a port anew.  Neither end may use its port meanwhile; what is stored
 * here reaches the peer by whatever tells it that the reset is over.  Each end
 * clears the headers that it writes and the word that it writes.
 */
static inline void shm_reset(struct shm_port *port, const struct shm_shape *shape,
			     unsigned char *outgoing, unsigned char *incoming,
			     struct shm_words *own, struct shm_words *peer)
{
	const size_t length = shape->stride * shape->cells;

	port->writer = (struct shm_writer){ .next = outgoing,
					    .begin = outgoing,
					    .end = outgoing + length,
					    .stride = shape->stride,
					    .limit = shape->limit,
					    .peer_taken = &peer->taken };
	/* A quarter: the writer learns of room long before it has none, and
	 * loads a line that the peer has written only once in so many cells. */
	port->reader =
		(struct shm_reader){ .next = incoming,
				     .begin = incoming,
				     .end = incoming + length,
				     .stride = shape->stride,
				     .batch = shape->limit < 4 ? 1 : shape->limit / 4,
				     .own_taken = &own->taken };
	atomic_store_explicit(&own->taken, 0, memory_order_relaxed);
	atomic_store_explicit(&own->bell, 0, memory_order_relaxed);
	for (unsigned char *cell = outgoing; cell != outgoing + length;
	     cell += shape->stride)
		atomic_store_explicit(shm_header(cell), 0, memory_order_relaxed);
}

/* True if a cell may be written, as far as this end knows. */
NP_ALWAYS_INLINE bool shm_has_room(const struct shm_port *port)
{
	return port->writer.written - port->writer.known < port->writer.limit;
}

/* A number that the peer told: newer than what is known, or the same, or, as
 * it tells them in two places, older. */
NP_ALWAYS_INLINE void shm_note_taken(struct shm_writer *writer, uint32_t taken)
{
	if (taken - writer->known <= writer->limit)
		writer->known = taken;
}

/* Asks the peer's word.  Acquire: what it has taken may be overwritten. */
NP_ALWAYS_INLINE void shm_ask_taken(struct shm_port *port, const memory_order order)
{
	shm_note_taken(&port->writer, atomic_load_explicit(port->writer.peer_taken, order));
}

/* True if all cells written are known to be taken. */
NP_ALWAYS_INLINE bool shm_is_drained(const struct shm_port *port)
{
	return port->writer.written == port->writer.known;
}

/* Fills the next cell; there must be room.  `offset` is where payload starts. */
NP_ALWAYS_INLINE void shm_put(struct shm_port *port, const void *payload, size_t length,
			      const size_t offset, const memory_order order)
{
	struct shm_writer *writer = &port->writer;
	unsigned char *cell = writer->next;

	memcpy(cell + offset, payload, length);
	writer->written++;
	/* Release: the payload before the header, and the copy out of the cells
	 * counted in the upper half before the peer hears of it. */
	atomic_store_explicit(shm_header(cell),
			      writer->written | (uint64_t)port->reader.taken << 32, order);
	cell += writer->stride;
	writer->next = cell == writer->end ? writer->begin : cell;
}

/* True if the next cell has come.  Acquire: its payload may be read, and what
 * the peer has taken may be overwritten. */
NP_ALWAYS_INLINE bool shm_has_come(struct shm_port *port, const memory_order order)
{
	const uint64_t header = atomic_load_explicit(shm_header(port->reader.next), order);

	if ((uint32_t)header != port->reader.taken + 1)
		return false;
	shm_note_taken(&port->writer, (uint32_t)(header >> 32));
	return true;
}

/* Gives the next cell back; it must have come and have been read.  True if the
 * peer was told: then it may have to be woken. */
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

/* Empties the next cell, as shm_release(). */
NP_ALWAYS_INLINE bool shm_take(struct shm_port *port, void *payload, size_t length,
			       const size_t offset, const memory_order order)
{
	memcpy(payload, port->reader.next + offset, length);
	return shm_release(port, order);
}

#endif
