/*
 * np_module.h - contract between the driver and a transport.
 *
 * A module is one constant table, struct np_module, in a folder of its own.  Modules have
 * no file-scope variables, never exit and never print.  The table holds the hooks of every
 * transport; optional hooks are in tables of their own: device.h, job.h, memory.h and
 * model.h.  doc/adding-a-module.md explains the least module.
 *
 * Two processes run a module.  Rank 0 has the plan, the clock and the results; rank 1
 * executes the commands of rank 0.  Both call the same hooks in the same order at the same
 * time, so that hooks may exchange data by np_boot_exchange().
 *
 *     check                                        before anything opens
 *     open  connect                                once, again after close
 *       reg                                        once a pass
 *         arm  { begin loops }...  disarm          once a measurement of a size
 *       unreg
 *     close
 *
 * A hook may block, is called from the main thread, and returns 0, or -errno after
 * np_fail() on ep->error.  Exceptions are in the comments of hooks.
 */
#pragma once

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/facts.h"
#include "base/error.h"
#include "contract/boot.h"
#include "contract/device.h"
#include "contract/job.h"
#include "contract/memory.h"
#include "contract/model.h"
#include "option/option.h"

/* Version of the contract, checked when a program starts. */
enum { NP_MODULE_ABI = 13 };

/*
 * Capabilities of a module.  The driver refuses a plan that needs another one before
 * anything opens, with the option, the module and the missing capability.
 */
enum np_capability {
	NP_CAN_STREAM = 1u << 0,	/* many messages one way, then a reply */
	NP_CAN_BIDIRECTIONAL = 1u << 1, /* both processes send at once */
	NP_CAN_ZERO_BYTES = 1u << 2,	/* a message of no bytes arrives as one */
	NP_CAN_RECONNECT = 1u << 3,	/* close and open again within a run */
	NP_CAN_REGISTER = 1u << 4,	/* reg() honours region->registrations */
	NP_CAN_WINDOW = 1u << 5,	/* arm() honours transfer->window */
	NP_CAN_SPAN_HOSTS = 1u << 6,	/* the processes may run on two hosts, and do
					   by default; without it one command
					   starts both */
	NP_CAN_BURST = 1u << 7,		/* connect() honours endpoint->burst */
	NP_POSTS_RECEIVES = 1u << 8,	/* post_recv() hands the buffer over at once:
					   receives that are posted at the same time
					   get different addresses, in the reuse mode
					   too */
	NP_CAN_FRESH = 1u << 9,		/* buffers may lie outside the region, in
					   memory that reg() did not get */
	NP_CAN_WINDOW_BOTH = 1u << 10,	/* arm() honours transfer->window with
					   NP_BIDIRECTIONAL, too */
	NP_CAN_SAME_BUFFER = 1u << 11,	/* a message may be sent from a buffer that a
					   later one is received in */
	NP_CAN_GPU = 1u << 12		/* buffers may be memory of a GPU: no code of
					   the module loads or stores there */
};

/* Operation of the timed loop, fixed for a run. */
enum np_operation {
	NP_PINGPONG,	  /* one message there, one back; time is half of that */
	NP_STREAM,	  /* messages one way, one acknowledgement at the end */
	NP_STREAM_ACKED,  /* every message is acknowledged before the next */
	NP_BIDIRECTIONAL, /* each process sends a message and receives one */
	NP_ONE_SIDED,	  /* rank 0 works alone: put, get, copy */
	NP_OPERATIONS
};

/* Source and destination of the bytes of a step of NP_ONE_SIDED. */
enum np_one_sided_kind {
	NP_ONE_SIDED_COPY, /* from slots[k].send to slots[k].recv, both here */
	NP_ONE_SIDED_PUT,  /* from slots[k].send to the peer's slots[k].recv */
	NP_ONE_SIDED_GET,  /* from the peer's slots[k].send to slots[k].recv */
	NP_ONE_SIDED_NONE  /* no bytes move: a registration, a barrier */
};

/* One message size, fixed between arm() and disarm(). */
struct np_transfer {
	enum np_operation operation;
	size_t length; /* bytes of every message; 0 only with NP_CAN_ZERO_BYTES */
	size_t window; /* most receives posted and not yet consumed; >= 1 */
	const struct np_region *region;
	/*
	 * Buffers in the order of the messages.  Hooks read slots[k] for each message: the
	 * driver changes the table between two blocks, never during one.
	 */
	const struct np_slot *slots;
	size_t variant;	 /* index of the variant to arm; 0 without variants */
	bool other_wait; /* completion mode: request.waits[1] instead of [0] */
};

struct np_endpoint;

/*
 * Hooks within timed loops.  They take a slot index and nothing else: no length, no flag,
 * no mode; arm() chooses the code path by those.  None is ever NULL (np_no_hook_*, below,
 * do nothing).  Each returns 0 or -errno.  A hook that spins calls np_give_way() every
 * thousand polls or so and returns -ECANCELED if it is true; a hook that blocks in the
 * kernel is ended by ep->socket, ep->wake or interrupt().
 */
struct np_hot {
	/* Posts slots[slot].recv for the message behind those already posted for. */
	int (*post_recv)(struct np_endpoint *, size_t slot);
	/* Sends slots[slot].send.  May return before the bytes have left: the driver
	 * does not touch the buffer before flush().  In ping-pong, acked and
	 * bidirectional loops the peer has posted its receive by now; in a stream the
	 * module waits for that itself where it has to. */
	int (*send)(struct np_endpoint *, size_t slot);
	/* Waits until the next message is complete in slots[slot].recv, and progresses
	 * own sends meanwhile.  Messages arrive in order; a transport without order
	 * sorts them inside. */
	int (*recv)(struct np_endpoint *, size_t slot);
	/* Waits until every send so far is complete locally. */
	int (*flush)(struct np_endpoint *);
	/* Acknowledgement: the shortest message of the transport.  The module keeps a
	 * receive for it posted, in a buffer of its own. */
	int (*send_ack)(struct np_endpoint *);
	int (*recv_ack)(struct np_endpoint *);
	/* Does one one-sided or local operation on the slot.  May only start it:
	 * flush() at the end of each batch completes it. */
	int (*step)(struct np_endpoint *, size_t slot);
};

/*
 * A loop runs `batches` batches of `messages` messages and returns 0 or the
 * first error.  The slot index starts at `slot` and wraps from ring_end to
 * ring_begin.  np_loop.h holds every one of them.
 */
typedef int np_loop(struct np_endpoint *endpoint, size_t slot, uint64_t messages,
		    uint64_t batches);

/*
 * Hooks with the loops compiled around them, [operation][rank].  NP_CODE_PATH() in
 * np_loop.h makes one with inlined hooks; for a loop that is NULL the driver runs that of
 * np_generic_path, or of np_generic_burst.  Rank 1 of NP_ONE_SIDED waits in recv_ack() for
 * the send_ack() of rank 0 at the end of a block; transports with collective one-sided
 * operations bring their own loop.
 */
struct np_code_path {
	const char *name; /* for the user: "blocking", "polling", "ring" */
	const struct np_hot *hot;
	np_loop *loops[NP_OPERATIONS][2];
	/* Returns the total duration of all samples so far at rank 0, ns, never
	 * decreasing, for loops that contain more than the timed operation: a barrier
	 * between operations.  NULL: the driver's clock. */
	uint64_t (*now)(struct np_endpoint *);
};

/*
 * State of the transport in one process.  A module's own state embeds it as first member;
 * the driver allocates module->endpoint_size zeroed bytes and fills this in.
 */
struct np_endpoint {
	const struct np_module *module;
	const void *options; /* the module's option struct, parsed */
	struct np_boot *boot;
	int rank;
	bool share_core; /* fewer cores than processes: no spinning */
	/*
	 * All receives of a block are posted before it begins.  The driver calls
	 * post_recv() for each before the barrier; loops of the code path, made by
	 * NP_CODE_PATH_BURST(), do not.
	 */
	bool burst;
	struct np_error error;
	enum np_operation operation; /* of the request, as check() left it */
	enum np_memory_kind memory;  /* kind of memory, as in the request */
	struct np_gpu *gpu;	     /* GPU of the buffers; NULL: host memory */
	const atomic_bool *stop;     /* set by the watcher; see np_should_stop() */

	/* Socket that hooks block on, or -1, the driver's initial value.  The watcher
	 * shuts it down to end them.  The module sets it and closes it. */
	atomic_int socket;
	/* Descriptor that is readable once the run has to end, for a module that sleeps on
	 * descriptors of its own: np_sleep_on().  The driver's. */
	int wake;
	/* Longest message of the connection, bytes, equal in both processes; 0: no
	 * limit.  Set by connect().  The driver omits longer sizes, with a warning. */
	size_t longest;
	/* Most receives posted at a time in a burst, equal in both processes; 0: no
	 * limit.  Set by connect().  The driver makes blocks no longer. */
	size_t receives_most;

	const struct np_code_path *code_path; /* set by connect() or arm() */
	const struct np_transfer *transfer;   /* set by the driver before arm() */
	size_t ring_begin, ring_end;	      /* the driver's, set between blocks */
	/* Number of queue pairs, of request.queue_pairs, that carry the messages of a
	 * block in turn, and the first of them.  Set by the driver before begin(), equal
	 * in both processes. */
	size_t queue_pairs, queue_pair;
};

/* Settings that one run compares, in turn, at each size.  A module in which a change
 * takes time keeps all of them ready from connect() to close(): queue pairs of two
 * sizes, connections by two protocols. */
enum { NP_VARIANTS_MAX = 8 };

/* Request that the driver derives from the options; check() reads and changes it before
 * anything opens. */
struct np_request {
	enum np_operation operation;
	enum np_one_sided_kind step; /* of NP_ONE_SIDED */
	const char *operation_name;  /* in rows: "pingpong", "put" ... */
	size_t smallest, largest;    /* message lengths of the plan, bytes */
	size_t window;		     /* 0: the module puts its default here */
	bool integrity;
	bool sweeps;	  /* --capacity: some blocks go by one of the queue pairs */
	bool prepares;	  /* --why: the CPU prepares the buffers of some blocks */
	bool same_buffer; /* a message is sent from the buffer it was received in */
	/* --memory, and the sides that lie in host memory in spite of a GPU. */
	enum np_memory_kind memory;
	bool host_send, host_recv;
	/* Capabilities of the module; check() removes those that its options exclude. */
	unsigned capabilities;
	/* Number of messages in a buffer of the operation, one for each of many
	 * processes; 0 is 1.  Set by the module. */
	size_t messages_in_buffer;
	/* Unit of sizes, bytes: others are omitted with a warning; 0 is 1.  Set by the
	 * module. */
	size_t multiple_of;
	/* The operation has one size, `smallest`: 0 bytes of a barrier, a word of an
	 * atomic operation.  Set by the module. */
	bool one_size;
	/* The bytes of the other process must lie in the region: in the fresh mode only
	 * the active process has buffers outside.  Set by the module. */
	bool reaches_region;
	/* --pages is not supported.  Set by the module. */
	bool own_pages;
	/* The processes of a job are compared pair by pair, by np_job_hooks.meet,
	 * instead of a run of two.  Set by the module. */
	bool tournament;
	const char *groups; /* of a tournament: file, or NULL */
	double slow;	    /* of a tournament: margin, percent */
	/* Bytes that the transport writes before each receive buffer. */
	size_t head_room;
	/* Limit of registered memory of this process (lockable memory), bytes; 0: no
	 * limit.  The driver reduces a larger pool to it. */
	size_t pool_most;
	/* Number of queue pairs, by which messages go in turn and whose state an adapter
	 * keeps; 0 is 1.  Set by the module. */
	size_t queue_pairs;
	/* Names of the variants, for the user.  arm() is called for each in turn, and
	 * each is compared with the first.  0 or 1: no comparison. */
	const char *variants[NP_VARIANTS_MAX];
	size_t variant_count;
	/* Completion modes, by names for the user: "poll", "event".  [1] is that of
	 * transfer.other_wait.  NULL if the options leave no other. */
	const char *waits[2];
};

/* Default window of streams, messages: covers a round trip. */
enum { NP_STREAM_WINDOW = 128 };

/* For check(): makes the request a one-sided operation of that kind; name is the
 * operation's in rows. */
static inline void np_request_one_sided(struct np_request *request,
					enum np_one_sided_kind kind, const char *name)
{
	request->operation = NP_ONE_SIDED;
	request->step = kind;
	request->operation_name = name;
}

/* For check(): makes the request one of reads of the peer's memory by rank 0, one at a time
 * or in a stream, by their names in rows; refuses options that such reads exclude.  Returns
 * 0 or -errno with NP_ERROR_USAGE. */
int np_request_reads(struct np_request *, const char *module, const char *alone,
		     const char *stream, struct np_error *);

/* Identity of a module: "tcp" makes "NPtcp" of it. */
#define NP_MODULE_NAMED(word) .abi = NP_MODULE_ABI, .name = (word), .program = "NP" word

struct np_module {
	unsigned abi;
	const char *name;    /* NAME of --enable-NAME */
	const char *program; /* "NP" and the name */
	const char *summary; /* one line for --help */
	unsigned capabilities;
	size_t endpoint_size, options_size; /* bytes; the driver allocates both */
	const struct np_option *options;    /* ends with a zero entry; may be NULL */
	/* Optional tables, or NULL. */
	const struct np_device_hooks *device; /* an adapter */
	const struct np_job_hooks *job;	      /* launcher that starts all processes */
	const struct np_memory_hooks *memory; /* buffers outside host memory */
	const struct np_model_hooks *model;   /* modelled clock and caches */

	/* May be NULL.  Refuses, with NP_ERROR_USAGE, combinations of options that the
	 * transport does not support, or changes the operation (a copy has no peer).
	 * Does not block and opens nothing.  Called in both processes with the same
	 * request. */
	int (*check)(const void *options, struct np_request *, struct np_error *);
	/* May be NULL.  Acquires resources that need no peer: devices, queues.  The
	 * endpoint is zeroed before each open(). */
	int (*open)(struct np_endpoint *);
	/* Connects to the peer.  May use np_boot_exchange() and np_boot_link(). */
	int (*connect)(struct np_endpoint *);
	/* May be NULL.  Register the region with the transport, and undo that.  unreg()
	 * accepts a region for which reg() failed half-way or never ran. */
	int (*reg)(struct np_endpoint *, struct np_region *);
	void (*unreg)(struct np_endpoint *, struct np_region *);
	/* May be NULL if connect() sets ep->code_path.  Prepares one message size: sets
	 * ep->code_path.  May exchange. */
	int (*arm)(struct np_endpoint *, const struct np_transfer *);
	/* May be NULL.  Undoes arm(), also one that failed half-way. */
	void (*disarm)(struct np_endpoint *);
	/* May be NULL.  Called before a block of `batches` batches of `messages`
	 * messages, which starts at ring_begin: the slots' addresses are set, no receive
	 * is posted and nothing is timed. */
	int (*begin)(struct np_endpoint *, uint64_t messages, uint64_t batches);
	/* NULL if messages move without calls of the library.  Calls it once, without
	 * sleeping.  The driver calls this in a barrier behind connect(), and behind each
	 * block outside of its samples: a process that left earlier would neither reply
	 * nor send what its library has buffered. */
	int (*progress)(struct np_endpoint *);
	/* May be NULL.  Variants of --tune without --variant, as that option takes them,
	 * NP_VARIANTS_MAX less one at most, NULL at the end; the base changes nothing. */
	const char *const *shortlist;
	/* May be NULL.  For --variant: refuses an environment variable with a prefix of
	 * the transport's library that the library does not support.  Called before
	 * anything opens. */
	int (*check_variable)(const char *name, struct np_error *);
	/* May be NULL.  Writes name and version of the transport's library, for
	 * --version.  No other hook is called then. */
	void (*library)(char *text, size_t size);
	/* Releases everything.  Called exactly once after each open(), whatever failed
	 * in between.  Neither close() nor unreg() nor disarm() may exchange: the peer
	 * may be gone. */
	void (*close)(struct np_endpoint *);

	/* May be NULL.  Ends a hook that is blocked in the kernel on anything but
	 * ep->socket and ep->wake.  Called from the watcher thread after the stop flag is
	 * set, every 100 ms until the main thread has returned, between open() and close()
	 * and never during either.  Reads atomics only and records no error. */
	void (*interrupt)(struct np_endpoint *);
	/* May be NULL.  Adds facts to the header, after connect(): the device, its
	 * limits, effective settings of the kernel. */
	void (*describe)(struct np_endpoint *, struct np_facts *);
	/* May be NULL.  Sets at most NP_COUNTERS_MAX counters that only grow: the same
	 * names in the same order each time.  Returns their number. */
	size_t (*count)(struct np_endpoint *, struct np_counter *);
};

/* Returns true once the run has to end: the hook returns -ECANCELED.  A relaxed load,
 * not free: for every thousandth poll. */
static inline bool np_should_stop(const struct np_endpoint *endpoint)
{
	return atomic_load_explicit(endpoint->stop, memory_order_relaxed);
}

/* Yields, then returns np_should_stop().  For hooks that spin, every thousand polls or
 * so: with fewer cores than processes the peer may need this core, and would otherwise
 * wait until the end of the time slice. */
static inline bool np_give_way(const struct np_endpoint *endpoint)
{
	sched_yield();
	return np_should_stop(endpoint);
}

/* Sleeps until a descriptor is readable, the run has to end, or a second has passed, as a
 * safeguard against lost events.  Returns 1 if it is readable, 0, -ECANCELED, or -errno. */
int np_sleep_on(struct np_endpoint *endpoint, int fd);

/* Ends a blocked hook: for the watcher, and for modules that wrap another. */
static inline void np_interrupt(struct np_endpoint *endpoint)
{
	const int socket = atomic_load(&endpoint->socket);
	const uint64_t one = 1;

	/* Not read by sleepers, so that later sleeps end at once as well. */
	(void)!write(endpoint->wake, &one, sizeof(one));
	if (socket >= 0)
		shutdown(socket, SHUT_RDWR);
	if (endpoint->module->interrupt != NULL)
		endpoint->module->interrupt(endpoint);
}

/* Hooks that do nothing; inline, as a call costs time. */
static inline int np_no_hook_slot(struct np_endpoint *endpoint, size_t slot)
{
	(void)endpoint;
	(void)slot;
	return 0;
}

static inline int np_no_hook(struct np_endpoint *endpoint)
{
	(void)endpoint;
	return 0;
}

/* Loops that call hooks through the table: for code paths without loops of their own,
 * and for modules that wrap another.  They cost about 1.5 ns more for each call of a
 * hook. */
extern const struct np_code_path np_generic_path;
extern const struct np_code_path np_generic_burst;
