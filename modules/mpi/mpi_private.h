/*
 * mpi_private.h - the endpoint of the MPI module, and functions its files share.
 *
 * An endpoint owns a communicator of ranks 0 and 1, so that messages of two endpoints
 * of a process do not match, and, for one-sided operations, a window over the pool.
 */
#pragma once

#include <mpi.h>

#include "contract/np_loop.h"

enum np_mpi_transfer {
	NP_MPI_BLOCKING,
	NP_MPI_NONBLOCKING,
	NP_MPI_PERSISTENT,
	NP_MPI_PARTITIONED_CALLS,
	NP_MPI_PUT,
	NP_MPI_GET,
	NP_MPI_ACCUMULATE,
	NP_MPI_GET_ACCUMULATE,
	NP_MPI_FETCH_AND_OP,
	NP_MPI_COMPARE_AND_SWAP,
	NP_MPI_TRANSFERS
};

/* Send modes of MPI. */
enum np_mpi_send {
	NP_MPI_STANDARD,
	NP_MPI_SYNCHRONOUS,
	NP_MPI_BUFFERED,
	NP_MPI_READY,
	NP_MPI_SENDS
};

/* Epochs (synchronization) of one-sided operations. */
enum np_mpi_epoch {
	NP_MPI_FENCE,	 /* MPI_Win_fence() by both ranks */
	NP_MPI_PSCW,	 /* post, start, complete, wait */
	NP_MPI_LOCK,	 /* MPI_Win_lock() and MPI_Win_unlock() per epoch */
	NP_MPI_FLUSH,	 /* MPI_Win_flush() under a permanent MPI_Win_lock() */
	NP_MPI_LOCK_ALL, /* MPI_Win_flush() under a permanent MPI_Win_lock_all() */
	NP_MPI_EPOCHS
};

/* Source of the memory of a window. */
enum np_mpi_window {
	NP_MPI_ALLOCATE, /* MPI_Win_allocate() */
	NP_MPI_CREATE,	 /* MPI_Win_create() over memory of this program */
	NP_MPI_DYNAMIC,	 /* MPI_Win_create_dynamic(), MPI_Win_attach() of such memory */
	NP_MPI_SHARED,	 /* MPI_Win_allocate_shared() */
	NP_MPI_WINDOWS
};

/* Layout of a message in its buffer: --datatype. */
enum np_mpi_layout {
	NP_MPI_BYTES,	   /* elements of one byte */
	NP_MPI_CONTIGUOUS, /* one element of MPI_Type_contiguous() */
	NP_MPI_VECTOR,	   /* blocks of NP_MPI_BLOCK bytes, with gaps of that length */
	NP_MPI_LAYOUTS
};

enum { NP_MPI_BLOCK = 8 }; /* bytes */

/* Default of --partitions; maximum of --threads. */
enum { NP_MPI_PARTITIONS = 4, NP_MPI_THREADS_MOST = 64 };

/* Reductions of accumulate. */
enum np_mpi_reduction { NP_MPI_SUM, NP_MPI_REPLACE, NP_MPI_REDUCTIONS };

/* Value "none" of --pattern; values above it index np_mpi_patterns. */
enum { NP_MPI_NO_PATTERN };

/* Benchmark whose definition of an operation holds: --like. */
enum np_mpi_like { NP_MPI_LIKE_NETPONG, NP_MPI_LIKE_OSU, NP_MPI_LIKE_IMB, NP_MPI_LIKES };

/* Pairing of ranks: --partners. */
enum np_mpi_partners { NP_MPI_NEAR, NP_MPI_FAR, NP_MPI_RANDOM, NP_MPI_PARTNERS };

/* Thread levels of MPI_Init_thread(), ascending; auto is multiple with --threads, and else
 * single. */
enum np_mpi_thread_level {
	NP_MPI_AUTO,
	NP_MPI_SINGLE,
	NP_MPI_FUNNELED,
	NP_MPI_SERIALIZED,
	NP_MPI_MULTIPLE,
	NP_MPI_THREAD_LEVELS
};

struct np_mpi_options {
	uint64_t pairs; /* 0: all */
	uint64_t threads;
	uint64_t partitions;
	int pattern, partners, thread_level, like;
	int transfer, send, epoch, reduction, window, datatype;
	bool preposted, synchronous, any_source, get, polled, overlap, memory_force;
	const char *groups; /* file, or NULL */
	double slow;	    /* percent */
};

extern const char *const np_mpi_transfer_names[NP_MPI_TRANSFERS + 1];
extern const char *const np_mpi_send_names[NP_MPI_SENDS + 1];
extern const char *const np_mpi_like_names[NP_MPI_LIKES + 1];
extern const char *const np_mpi_partners_names[NP_MPI_PARTNERS + 1];
extern const char *const np_mpi_epoch_names[NP_MPI_EPOCHS + 1];
extern const char *const np_mpi_layout_names[NP_MPI_LAYOUTS + 1];
extern const char *const np_mpi_window_names[NP_MPI_WINDOWS + 1];
extern const char *const np_mpi_thread_level_names[NP_MPI_THREAD_LEVELS + 1];
extern const struct np_option np_mpi_options_table[];
extern const struct np_job_hooks np_mpi_job;
extern const struct np_memory_hooks np_mpi_memory;

/* The effective options: NetPIPE's letters are resolved. */
struct np_mpi_mode {
	enum np_mpi_transfer transfer;
	enum np_mpi_send send;
	enum np_mpi_epoch epoch;
	enum np_mpi_window window;
	int pattern;	/* NP_MPI_NO_PATTERN, or a value of --pattern (mpi_pattern.h) */
	bool preposted; /* receives are posted before their message is sent */
	bool one_sided;
	bool polled; /* the receiver polls the last byte of a put */
};

struct np_mpi_mode np_mpi_mode_of(const struct np_mpi_options *options);

/* np_module.check. */
int np_mpi_check(const void *options, struct np_request *request, struct np_error *error);

/* Ring buffer of requests, oldest first; its length, mask + 1, is a power of two. */
struct np_mpi_requests {
	MPI_Request *list;
	size_t mask, first, next; /* next - first are in flight */
};

/* Total time of `operations` operations. */
struct np_mpi_spent {
	uint64_t ns, operations;
};

/* State of a pattern (mpi_pattern.h) in one rank. */
struct np_mpi_ranks {
	int rank, size;
	int contents;	 /* offset of the rank in fill patterns; 0 except in threads */
	size_t parts;	 /* messages per buffer */
	int active;	 /* number of participating ranks */
	bool takes_part; /* this rank participates */
	int partner, next, previous;
	int *shares;	      /* elements per rank of MPI_Reduce_scatter() */
	MPI_Status *statuses; /* of MPI_Waitall(), one per message of the window */
	struct np_mpi_liveness *liveness; /* NULL: no heartbeats */
	unsigned char *base;		  /* of the region */
	uint64_t generation;		  /* serial number of the region */
	size_t received_from;	     /* lowest offset that receives may have overwritten */
	uint64_t messages;	     /* per block */
	uint64_t own_ns;	     /* time of this rank in the timed calls of the block */
	uint64_t clock_ns;	     /* sum over all samples; in rank 0 */
	bool fresh;		     /* the block's buffers lie outside the region */
	bool inspected;		     /* contents were verified for this length */
	struct np_mpi_spent pure[3]; /* time without computing; per buffer mode */
	size_t pure_length;	     /* message length of `pure` */
	struct np_mpi_slowest *slowest;	       /* NULL except in rank 0 */
	uint64_t least_ns, median_ns, most_ns; /* own_ns over all ranks; in rank 0 */
};

struct np_mpi {
	struct np_endpoint endpoint;
	MPI_Comm comm; /* ranks 0 and 1, or with a pattern all ranks; MPI_COMM_NULL before
			  connect() */
	bool one_node; /* all ranks of comm are in one MPI_COMM_TYPE_SHARED group */
	struct np_mpi_mode mode;
	int peer, source;  /* ranks in comm; source may be MPI_ANY_SOURCE */
	MPI_Datatype type; /* datatype of the `count` elements of a message */
	int count;
	int partitions; /* per message; each has `count` elements */
	bool made_type; /* `type` is derived and must be freed */
	size_t window;	/* maximum of sends in flight */

	struct np_mpi_requests sends, receives;
	/* Persistent requests, one per slot; slot of the oldest send in flight; sends in
	 * flight. */
	MPI_Request *slot_sends, *slot_receives;
	size_t slot_requests;
	size_t oldest, in_flight;
	size_t sendrecv_slot; /* source of the next MPI_Sendrecv() */
	void *attached;	      /* buffer of MPI_Bsend() */
	size_t attached_length;

	MPI_Win win;	       /* or MPI_WIN_NULL */
	const char *model;     /* memory model of the window; or NULL */
	const char *component; /* of Open MPI, which has the window; or NULL */
	MPI_Group group;       /* of the peer only */
	MPI_Op reduction;      /* of MPI_Accumulate() */
	unsigned char *base;   /* of the region */
	MPI_Aint peer_base;    /* displacement of the peer's region in its window */
	struct np_mpi_ranks ranks;
	struct np_mpi_threads *threads; /* NULL: one thread per rank */
};

enum { NP_MPI_TAG = 17, NP_MPI_TAG_ACK = 18 };

static inline struct np_mpi *np_mpi_of(struct np_endpoint *endpoint)
{
	return (struct np_mpi *)endpoint;
}

static inline const struct np_mpi_options *np_mpi_options_of(const struct np_mpi *mpi)
{
	return mpi->endpoint.options;
}

/* Sets the endpoint's error from the result of an MPI call.  Returns -errno, or
 * -ECANCELED without an error if the run was stopped. */
int np_mpi_failed(struct np_mpi *mpi, int code, const char *call)
	__attribute__((cold, noinline));

/* Sets *error from the result of an MPI call.  Returns -EIO, or 0 for MPI_SUCCESS. */
int np_mpi_fail(struct np_error *error, int code, const char *call) __attribute__((cold));

/* Converts the result of an MPI call to that of a hook. */
NP_ALWAYS_INLINE int np_mpi_check_call(struct np_mpi *mpi, int code, const char *call)
{
	return NP_UNLIKELY(code != MPI_SUCCESS) ? np_mpi_failed(mpi, code, call) : 0;
}

/*
 * Describes `length` elements of the one-byte type `of` as *count elements of *type, with
 * *count <= most.  If *made, *type is a derived type, which the caller frees by
 * MPI_Type_free().  Returns an MPI error code.
 */
int np_mpi_type_of(size_t length, int most, MPI_Datatype of, MPI_Datatype *type, int *count,
		   bool *made);

/* Acknowledgement: an empty message with its own tag. */
int np_mpi_send_ack(struct np_endpoint *endpoint);
int np_mpi_recv_ack(struct np_endpoint *endpoint);

/* True if several exchanges of -2 are in flight at once. */
static inline bool np_mpi_has_window_both(const struct np_mpi *mpi)
{
	return mpi->window > 1 && mpi->endpoint.transfer->operation == NP_BIDIRECTIONAL;
}

/* Code paths, selected by arm(). */
const struct np_code_path *np_mpi_blocking(const struct np_mpi *mpi);
const struct np_code_path *np_mpi_nonblocking(const struct np_mpi *mpi);
const struct np_code_path *np_mpi_one_sided(const struct np_mpi *mpi);
const struct np_code_path *np_mpi_polled(const struct np_mpi *mpi);

/* Code path beyond INT_MAX elements (MPI-4 large counts), or NULL. */
const struct np_code_path *np_mpi_large(const struct np_mpi *mpi);

/* Allocates a ring buffer for `most` requests in flight.  Returns 0 or -ENOMEM. */
int np_mpi_requests_make(struct np_mpi_requests *requests, size_t most);
void np_mpi_requests_free(struct np_mpi_requests *requests);

/* Allocate the buffer of MPI_Bsend() for `messages` messages; attach it; detach and free
 * it.  Return 0 or -errno with the error. */
int np_mpi_buffer_make(struct np_mpi *mpi, size_t messages);
int np_mpi_attach(struct np_mpi *mpi);
void np_mpi_buffer_free(struct np_mpi *mpi);

/* np_module.reg and .unreg: make and free the window. */
int np_mpi_reg(struct np_endpoint *endpoint, struct np_region *region);
void np_mpi_unreg(struct np_endpoint *endpoint, struct np_region *region);

/* Makes and frees a small window of the requested kind; sets `model` and `component`.
 * Returns 0, or -errno with the error if these processes cannot have such a window. */
int np_mpi_window_try(struct np_mpi *mpi);

/* Name of the component of Open MPI that has the window; NULL if not certain. */
const char *np_mpi_window_component(MPI_Win win);

/* Memory barrier between loads and stores of this process in its window and operations of
 * the peer, for epochs that have none.  Returns 0 or -errno with the error. */
int np_mpi_window_sync(struct np_mpi *mpi);

/* Displacement in the peer's window of the buffer at the same offset of its region. */
static inline MPI_Aint np_mpi_at_peer(const struct np_mpi *mpi, const unsigned char *at)
{
	return mpi->peer_base + (at - mpi->base);
}

/* Sets one_node.  Collective over comm.  Returns 0 or -errno with the error. */
int np_mpi_find_node(struct np_mpi *mpi);

void np_mpi_describe(struct np_endpoint *endpoint, struct np_facts *facts);
void np_mpi_library(char *name, size_t size);
