/*
 * mpi_pattern.h - communication patterns of all ranks of a job.
 *
 * Ranks 0 and 1 are client and server, as in every run.  Before each block rank 0
 * broadcasts its buffers' offsets and the number of operations; then all ranks run the
 * same loop.
 */
#pragma once

#include <time.h>

#include "mpi_private.h"

/* Values of --pattern besides "none", in the order of --help. */
#define NP_MPI_EACH_PATTERN(X)                                                             \
	X(exchange)                                                                        \
	X(ring)                                                                            \
	X(pairs)                                                                           \
	X(barrier)                                                                         \
	X(bcast)                                                                           \
	X(reduce)                                                                          \
	X(allreduce)                                                                       \
	X(reduce_scatter)                                                                  \
	X(gather)                                                                          \
	X(scatter)                                                                         \
	X(allgather)                                                                       \
	X(alltoall)                                                                        \
	X(tournament)

/* A pattern; np_mpi_pattern_ID of each in mpi_pattern.c, mpi_pairs.c or mpi_job.c. */
struct np_mpi_pattern {
	const char *name;
	const char *stream_name; /* operation of -s; NULL: -s is refused */
	/* Code paths of blocking calls; of --threads; of non-blocking calls, alone and
	 * beside computing.  NULL: not supported. */
	const struct np_code_path *blocking, *threads, *alone, *beside;
	/* Offset of the first wrong byte of the message received at `at`, or -1; origin:
	 * offset of the slot's send buffer in the region.  NULL: nothing is received. */
	long (*find_wrong)(const struct np_mpi *mpi, const unsigned char *at,
			   size_t origin);
	bool paired;	  /* between pairs of ranks */
	bool round_trips; /* two messages per operation */
	bool parts;	  /* a buffer has a message for each rank */
	bool sums;	  /* MPI_SUM */
	bool shares;	  /* needs np_mpi_ranks.shares */
	bool no_bytes;	  /* without message */
	bool rounds;	  /* measured in rounds, by np_job_hooks.meet */
};

/* Type of the elements of a sum. */
struct np_mpi_element {
	const char *name;
	MPI_Datatype type;
	size_t size; /* bytes */
};

/* The type that --like gives. */
struct np_mpi_element np_mpi_element_of(const struct np_mpi_options *options);

extern const struct np_mpi_pattern np_mpi_pattern_exchange, np_mpi_pattern_ring,
	np_mpi_pattern_pairs, np_mpi_pattern_tournament;

/* By value of --pattern; NULL for "none". */
extern const struct np_mpi_pattern *const np_mpi_patterns[];
extern const char *const np_mpi_pattern_names[];

/* Pattern of a mode, or NULL. */
static inline const struct np_mpi_pattern *np_mpi_pattern_of(const struct np_mpi_mode *mode)
{
	return np_mpi_patterns[mode->pattern];
}

/* Messages per buffer in a job of `size` ranks. */
static inline size_t np_mpi_pattern_parts(const struct np_mpi_pattern *pattern, int size)
{
	return pattern->parts ? (size_t)size : 1;
}

/* Hooks of all patterns: np_mpi_pattern_end() after a block. */
extern const struct np_hot np_mpi_pattern_hot;

/* Code path of --pattern and that variant. */
const struct np_code_path *np_mpi_pattern_path(const struct np_mpi *mpi, size_t variant);

/* Runs one block on a rank other than 0 and 1, and np_mpi_pattern_end().  Returns 0 or
 * -errno with the error. */
int np_mpi_pattern_run(struct np_mpi *mpi, uint64_t messages, uint64_t batches);

/* Sets datatype, count and window of a pattern for messages of `length` bytes; frees them.
 * Returns 0 or -errno with the error. */
int np_mpi_pattern_arm(struct np_mpi *mpi, size_t length, size_t window);
void np_mpi_pattern_disarm(struct np_mpi *mpi);

/* Ends a sample in which this rank spent spent_ns; collective.  Adds the time of the
 * sample to clock_ns of rank 0.  Returns 0 or -errno with the error. */
int np_mpi_pattern_sample(struct np_mpi *mpi, uint64_t spent_ns);

/* np_code_path.now: returns clock_ns. */
uint64_t np_mpi_pattern_clock(struct np_endpoint *endpoint);

/* ---- mpi_pairs.c --------------------------------------------------------- */

/* The partner of `rank` among `size` ranks. */
int np_mpi_partner(enum np_mpi_partners how, int rank, int size);

/* Sets partner, takes_part and active.  The first `pairs` pairs in the order of their
 * lower ranks take part; 0: all. */
void np_mpi_take_part(struct np_mpi_ranks *ranks, enum np_mpi_partners how, size_t pairs);

/* ---- mpi_contents.c ------------------------------------------------------ */

/* Fills memory with doubles that depend on rank and offset and whose sums are exact;
 * `origin` is the offset of `at` in bytes. */
void np_mpi_pattern_fill(unsigned char *at, size_t length, size_t origin, int rank);

/* Makes [base, base + length) the region of the ranks, and fills it. */
void np_mpi_pattern_fill_region(struct np_mpi_ranks *ranks, unsigned char *base,
				size_t length);

/* Refills the region of ranks 0 and 1 if pointer chases of the driver have overwritten
 * it. */
void np_mpi_pattern_restore(struct np_mpi *mpi, size_t length);

/* Refills send buffers where messages of another size were received: the border between
 * send and receive buffers depends on the size.  Called before each block on every rank. */
void np_mpi_pattern_renew(struct np_mpi *mpi);

/* Verify bytes of the fill pattern of `rank`; sums of `count` elements over all ranks; a
 * buffer with one message of each rank, in the order of ranks.  Return the offset of the
 * first wrong byte, or -1. */
long np_mpi_wrong_bytes(const unsigned char *at, size_t length, size_t origin, int rank);
long np_mpi_wrong_sums(const struct np_mpi *mpi, const unsigned char *at, size_t count,
		       size_t origin);
long np_mpi_wrong_parts(const struct np_mpi *mpi, const unsigned char *at, size_t origin);

/* Verifies the last message of a block, once per size.  Returns the offset of the first
 * wrong byte, or -1. */
long np_mpi_verify(struct np_mpi *mpi);

/* ---- mpi_times.c --------------------------------------------------------- */

/*
 * Ends a block; collective.  Verifies the last message, once per size, and gathers the
 * times of all ranks in rank 0, which adds up minimum, median and maximum.  Returns 0 or
 * -errno with the error: in rank 0 also if any rank has received wrong data.
 */
int np_mpi_pattern_end(struct np_endpoint *endpoint);

/* Begins, collectively, and ends the record of the slowest rank in rank 0. */
int np_mpi_slowest_begin(struct np_mpi *mpi);
void np_mpi_slowest_end(struct np_mpi *mpi);

/* np_job_hooks.slowest. */
bool np_mpi_slowest_find(const struct np_endpoint *endpoint, struct np_job_slowest *found);

/* ---- mpi_ranks.c: ranks other than 0 and 1 ------------------------------- */

/* Duplicates MPI_COMM_WORLD and sets `ranks`.  Collective.  Returns 0 or -errno with the
 * error. */
int np_mpi_join_ranks(struct np_mpi *mpi);

/* Broadcast a block, or the end of the run, to the other ranks.  Called by ranks 0 and 1.
 */
int np_mpi_announce_block(struct np_mpi *mpi, uint64_t messages, uint64_t batches);
void np_mpi_announce_end(struct np_mpi *mpi);

/* np_job_hooks.serve_rank: command loop of ranks other than 0 and 1. */
int np_mpi_follow(const struct np_job *job, const void *options, struct np_error *error);

/*
 * Mirror of the buffers of rank 0, in another rank or in a thread.
 *
 * Rank 0 announces a block by a command and by the offsets of its buffers.  A mirror has a
 * region of the same length, and its own requests and datatype.
 */

/* Sent as bytes: all processes of a job run the same program. */
struct np_mpi_command {
	uint64_t kind, length, messages, batches;
	uint64_t slots, region_length, generation, fresh;
	uint64_t operation, window, variant;
	uint64_t pages, page_size; /* of the region */
};

/* Offsets of a slot's buffers in the region. */
struct np_mpi_place {
	uint64_t send, recv;
};

struct np_mpi_mirror {
	struct np_mpi mpi; /* set by the caller: options, ranks, comm, stop */
	struct np_transfer transfer;
	struct np_region region, fresh;
	struct np_slot *slots;
	uint64_t capacity; /* entries of slots */
};

/* Sets up buffers and message size of the next block.  Returns 0, or -errno with the
 * error of the endpoint. */
int np_mpi_mirror_adopt(struct np_mpi_mirror *mirror, const struct np_mpi_command *command,
			const struct np_mpi_place *places);

void np_mpi_mirror_free(struct np_mpi_mirror *mirror);

/*
 * ---- mpi_threads.c: several threads in each rank, --threads -----------------
 *
 * Thread k of a rank exchanges messages with thread k of its partner over a communicator
 * of that pair of threads, so that no thread matches messages of another.  The main thread
 * is thread 0; the others start when the ranks join.  Each maps its own mirror of the main
 * thread's buffers, on its NUMA node.
 *
 * The main thread starts jobs by a counter.  The others poll it, yielding their core, for
 * some milliseconds before they sleep: between blocks and not between samples.  A sample
 * begins when its job starts, and each thread reads the clock at the end of its own part,
 * so that no time includes waiting for other threads.
 */

/* Starts the threads and makes their communicators, if --threads exceeds 1; collective over
 * mpi->comm.  Returns 0 or -errno with the error.  np_mpi_threads_end() must follow in any
 * case, before mpi->comm is freed; in_peace: all ranks call it, and the communicators are
 * freed. */
int np_mpi_threads_begin(struct np_mpi *mpi);
void np_mpi_threads_end(struct np_mpi *mpi, bool in_peace);

/* np_mpi_mirror_adopt() in all threads but the main one. */
int np_mpi_threads_adopt(struct np_mpi *mpi, const struct np_mpi_command *command,
			 const struct np_mpi_place *places);

/* Part of a sample that a thread executes: run() returns the MPI error code of `call`. */
struct np_mpi_share {
	int (*run)(struct np_mpi *mpi, size_t slot, uint64_t messages);
	const char *call;
};

/* Runs the samples of a block in all threads.  Returns as a loop of np_code_path. */
int np_mpi_threads_loop(struct np_mpi *mpi, size_t slot, uint64_t messages,
			uint64_t batches, const struct np_mpi_share *share);

/* State of thread k > 0; NULL if there is no such thread. */
struct np_mpi *np_mpi_threads_at(const struct np_mpi *mpi, size_t k);

void np_mpi_threads_describe(const struct np_mpi *mpi, struct np_facts *facts);

/*
 * ---- mpi_liveness.c: heartbeats of ranks other than 0 and 1 -----------------
 *
 * Ranks 0 and 1 watch each other over the control channel.  Any other rank that stops
 * would block all ranks inside MPI for ever.  Each therefore sends rank 0 a datagram twice
 * a second, and rank 0 ends the run when they cease.  Datagrams need no connection per
 * rank; a rank whose datagrams never arrive, behind a firewall, is not watched.
 */

/* Begins to receive in rank 0, and to send in ranks >= 2; collective over mpi->comm.
 * Returns 0 or -errno with the error.  np_mpi_liveness_end() must follow in any case. */
int np_mpi_liveness_begin(struct np_mpi *mpi);
void np_mpi_liveness_end(struct np_mpi *mpi);

/* Hooks event_fd() and event() for the watcher of rank 0. */
extern const struct np_device_hooks np_mpi_liveness;

/*
 * ---- Timed loops, inlined around one operation ------------------------------
 *
 * The time of a rank is that of its calls.  As in OSU's benchmarks, an untimed barrier
 * separates two collective operations: a rank that leaves early, such as the root of a
 * broadcast, cannot start the next one.  Therefore the clock is read around each operation,
 * which no other code path does.  Back-to-back operations are timed as one.
 */

/* Timed function that is no loop of a code path: tests/house/hot_loop.sh checks the
 * functions of this section as well. */
#define NP_MPI_TIMED __attribute__((section(".text.np_timed")))

#define SENT(mpi, slot)	    ((mpi)->endpoint.transfer->slots[slot].send)
#define RECEIVED(mpi, slot) ((mpi)->endpoint.transfer->slots[slot].recv)

static inline uint64_t np_mpi_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* One operation of all ranks between two barriers. */
NP_ALWAYS_INLINE int np_mpi_loop_apart(struct np_endpoint *ep, size_t slot,
				       uint64_t messages, uint64_t batches,
				       int (*operation)(struct np_mpi *, size_t),
				       const char *call)
{
	const size_t begin = ep->ring_begin, end = ep->ring_end;
	struct np_mpi *mpi = np_mpi_of(ep);

	for (; batches != 0; batches--) {
		uint64_t spent = 0;

		for (uint64_t left = messages; left != 0; left--) {
			int code = MPI_Barrier(mpi->comm);
			const uint64_t since = np_mpi_now();

			if (code == MPI_SUCCESS)
				code = operation(mpi, slot);
			spent += np_mpi_now() - since;
			if (NP_UNLIKELY(code != MPI_SUCCESS))
				return np_mpi_failed(mpi, code, call);
			slot = np_next_slot(slot, begin, end);
		}
		const int rc = np_mpi_pattern_sample(mpi, spent);

		if (NP_UNLIKELY(rc != 0))
			return rc;
	}
	return 0;
}

/* Operations back to back, with slots from *slot on. */
NP_ALWAYS_INLINE int np_mpi_repeat(struct np_mpi *mpi, size_t *slot, uint64_t messages,
				   int (*operation)(struct np_mpi *, size_t))
{
	const size_t begin = mpi->endpoint.ring_begin, end = mpi->endpoint.ring_end;
	int code = MPI_SUCCESS;

	for (uint64_t left = messages; left != 0 && code == MPI_SUCCESS; left--) {
		code = operation(mpi, *slot);
		*slot = np_next_slot(*slot, begin, end);
	}
	return code;
}

/* Operations back to back, between the barriers of a sample. */
NP_ALWAYS_INLINE int np_mpi_loop_joined(struct np_endpoint *ep, size_t slot,
					uint64_t messages, uint64_t batches,
					int (*operation)(struct np_mpi *, size_t),
					const char *call)
{
	struct np_mpi *mpi = np_mpi_of(ep);
	const bool takes_part = mpi->ranks.takes_part;

	for (; batches != 0; batches--) {
		int code = MPI_Barrier(mpi->comm);
		const uint64_t since = np_mpi_now();

		if (code == MPI_SUCCESS)
			code = np_mpi_repeat(mpi, &slot, takes_part ? messages : 0,
					     operation);
		if (NP_UNLIKELY(code != MPI_SUCCESS))
			return np_mpi_failed(mpi, code, call);
		const int rc = np_mpi_pattern_sample(mpi, np_mpi_now() - since);

		if (NP_UNLIKELY(rc != 0))
			return rc;
	}
	return 0;
}

/* Defines the code path of an operation from its loop and the loop of its streams. */
#define NP_MPI_PATH(id, alone, streamed)                                                   \
	static const struct np_code_path id##_path = {                                     \
		.name = #id,                                                               \
		.hot = &np_mpi_pattern_hot,                                                \
		.loops = { [NP_ONE_SIDED] = { alone, alone },                              \
			   [NP_STREAM] = { streamed, streamed } },                         \
		.now = np_mpi_pattern_clock,                                               \
	}

#define NP_MPI_LOOP(name, loop, operation, call)                                           \
	static int name(struct np_endpoint *ep, size_t slot, uint64_t messages,            \
			uint64_t batches)                                                  \
	{                                                                                  \
		return loop(ep, slot, messages, batches, operation, call);                 \
	}
