/*
 * ibv_private.h - options and endpoint of the verbs module, and functions its files share.
 *
 * Setup: ibv_options.c, ibv_device.c and ibv_gid.c (device, port, GID), ibv_queue.c (queue
 * pairs), ibv_connect.c (connection over the control channel) or ibv_rdmacm.c (through
 * librdmacm), ibv_region.c (memory).
 * Timed: ibv_hot.h, ibv_control.c, and the code paths in ibv_paths.c.
 */
#pragma once

#include <ifaddrs.h>
#include <infiniband/verbs.h>
#include <net/if.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "base/units.h"
#include "contract/np_module.h"
#include "base/facts.h"

/* ---- options, and values derived from them ------------------------------------ */

/* RNR timer: InfiniBand's code of 640 us, the pause before a send that found no receive is
 * repeated.  Streams avoid it by credits. */
enum { NP_IBV_RNR_TIMER = 12 };

/* More queue pairs than NP_IBV_QPS_FEW have shorter queues by default. */
enum { NP_IBV_QPS_FEW = 64, NP_IBV_QPS_MAX = 16384 };

/* -t, in the order of its values. */
enum np_ibv_transport {
	NP_IBV_SEND,	  /* RC send and receive */
	NP_IBV_SEND_IMM,  /* with immediate data */
	NP_IBV_WRITE,	  /* RC RDMA write; the receiver polls its last byte */
	NP_IBV_WRITE_IMM, /* RC RDMA write that completes a receive */
	NP_IBV_READ,	  /* RC RDMA read */
	NP_IBV_UD,	  /* unreliable datagrams */
	NP_IBV_FETCH_ADD, /* RC atomic operations, of 8 bytes */
	NP_IBV_COMPARE_SWAP,
	NP_IBV_TRANSPORTS
};

static inline bool np_ibv_is_atomic(int transport)
{
	return transport == NP_IBV_FETCH_ADD || transport == NP_IBV_COMPARE_SWAP;
}

/* True for operations that fetch the peer's bytes. */
static inline bool np_ibv_gets(int transport)
{
	return transport == NP_IBV_READ || np_ibv_is_atomic(transport);
}

/* Access flags of a connected queue pair.  A fence is an RDMA write, and the first message
 * over iWARP a read, whatever the operation. */
static inline int np_ibv_pair_access(int transport)
{
	return IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
	       (np_ibv_is_atomic(transport) ? IBV_ACCESS_REMOTE_ATOMIC : 0);
}

/* --connection, in the order of its values; the last three are refused by name. */
enum np_ibv_connection {
	NP_IBV_RC,
	NP_IBV_UC,
	NP_IBV_RDMACM, /* rc, connected through librdmacm */
	NP_IBV_XRC,
	NP_IBV_DC,
	NP_IBV_SRD,
	NP_IBV_CONNECTIONS
};

/* --post, in the order of its values. */
enum np_ibv_posting {
	NP_IBV_POST_SEND, /* ibv_post_send() */
	NP_IBV_POST_WR,	  /* ibv_wr_start() to ibv_wr_complete() */
	NP_IBV_POSTINGS
};

/* -c: completion modes. */
enum np_ibv_completion {
	NP_IBV_POLL,	   /* polls the completion queue */
	NP_IBV_LOCAL_POLL, /* polls the last byte of the message (memory poll) */
	NP_IBV_EVENT,	   /* sleeps on the completion channel */
	NP_IBV_COMPLETIONS
};

/* --register, in the order of its values. */
enum np_ibv_registering {
	NP_IBV_REGISTER_POOL,	  /* the pool, before the timed blocks */
	NP_IBV_REGISTER_EACH,	  /* each message's buffer, in the timed block */
	NP_IBV_REGISTER_COST,	  /* the blocks time registration only */
	NP_IBV_REGISTER_ODP,	  /* the pool, for on-demand paging */
	NP_IBV_REGISTER_IMPLICIT, /* the whole address space, for on-demand paging */
	NP_IBV_REGISTERINGS
};

/* --like, in the order of its values: program whose settings are the defaults. */
enum np_ibv_program { NP_IBV_NETPONG, NP_IBV_PERFTEST, NP_IBV_PROGRAMS };

struct np_ibv_options {
	int transport;		/* enum np_ibv_transport */
	int connection;		/* enum np_ibv_connection; ignored with UD */
	const char *completion; /* a list of modes; empty: the transport's default */
	size_t mtu;		/* bytes; 0: the port's active MTU */
	const char *device;	/* "dev", "dev:port", ":port"; empty: the first active */
	const char *gid_index;	/* "auto" or a number */
	uint64_t service_level, traffic_class, hop_limit, flow_label, pkey_index;
	double rate_limit;	  /* per queue pair, Mbit/s; 0: none */
	const char *inline_limit; /* "auto" or bytes */
	size_t depth[2]; /* of send and receive queues; 0: 128, 512, or the device's limit
			  */
	uint64_t signal_every; /* 0: a quarter of the send depth, at most 32 */
	size_t retry[2];       /* without an answer, without a receive */
	uint64_t timeout;
	uint64_t qps, vector;
	int posting;	    /* enum np_ibv_posting */
	uint64_t post_list; /* work requests of one call */
	bool relaxed_ordering, prefetch, srq;
	const char *moderation; /* "COUNT,USEC"; empty: none */
	int registering;	/* enum np_ibv_registering */
	int like;		/* enum np_ibv_program */
};

static inline uint64_t np_ibv_send_depth(const struct np_ibv_options *options)
{
	const uint64_t usual = options->qps > NP_IBV_QPS_FEW ? 16 : 128;

	return options->depth[0] != 0 ? options->depth[0] : usual;
}

static inline uint64_t np_ibv_recv_depth(const struct np_ibv_options *options)
{
	const uint64_t usual = options->qps > NP_IBV_QPS_FEW ? 32 : 512;

	return options->depth[1] != 0 ? options->depth[1] : usual;
}

/* True if the pool is registered before the timed blocks. */
static inline bool np_ibv_registers_pool(const struct np_ibv_options *options)
{
	return options->registering != NP_IBV_REGISTER_EACH &&
	       options->registering != NP_IBV_REGISTER_COST;
}

static inline bool np_ibv_is_on_demand(const struct np_ibv_options *options)
{
	return options->registering == NP_IBV_REGISTER_ODP ||
	       options->registering == NP_IBV_REGISTER_IMPLICIT;
}

/* True for relaxed ordering: the adapter may write in any order.  Default of perftest,
 * except in ib_write_lat. */
static inline bool np_ibv_relaxes(const struct np_ibv_options *options,
				  enum np_operation operation)
{
	return options->relaxed_ordering ||
	       (options->like == NP_IBV_PERFTEST &&
		(options->transport != NP_IBV_WRITE || operation != NP_PINGPONG));
}

/* ---- ibv_options.c ---------------------------------------------------------- */

extern const struct np_option np_ibv_options_table[];
extern const char *const np_ibv_transport_names[NP_IBV_TRANSPORTS + 1];
extern const char *const np_ibv_registering_names[NP_IBV_REGISTERINGS + 1];

static inline int np_ibv_refuse(struct np_error *error, const char *option,
				const char *reason)
{
	return np_refuse(error, "%s: module ibv: %s", option, reason);
}

/* The module's check(): np_module.h. */
int np_ibv_check(const void *options, struct np_request *request, struct np_error *error);

/* The completion modes that -c lists, in its order, or the transport's default.
 * `steps`: one-sided operation, no receiver waits.  Returns their number, or -EINVAL
 * with NP_ERROR_USAGE. */
int np_ibv_completions(const struct np_ibv_options *options, bool steps,
		       enum np_ibv_completion list[NP_IBV_COMPLETIONS],
		       struct np_error *error);

/* The completion mode that --why compares with `how`; NP_IBV_COMPLETIONS if there is
 * none. */
enum np_ibv_completion np_ibv_other_completion(const struct np_ibv_options *options,
					       enum np_ibv_completion how);

/* ---- network interfaces (ibv_gid.c) ------------------------------------------- */

struct np_ibv_network {
	struct ifaddrs *list;		 /* NULL: not known */
	struct sockaddr_storage control; /* of this process; AF_UNSPEC: none */
};

/* `control`: the local address of the control connection, or NULL. */
void np_ibv_network_open(struct np_ibv_network *network,
			 const struct sockaddr_storage *control);
void np_ibv_network_close(struct np_ibv_network *network);

/* Name of the interface that has the GID as an address or derived from its hardware
 * address; NULL if there is none in this namespace. */
const char *np_ibv_network_interface(const struct np_ibv_network *network,
				     const union ibv_gid *gid);

/* As np_ibv_network_interface(), if the interface is a bond of several. */
const char *np_ibv_network_bond(const struct np_ibv_network *network,
				const union ibv_gid *gid);

/* Finds an IP address of that interface, as a GID, and the interface's index.  Order of
 * preference: the GID itself, the address of the control connection, an IPv4 address.
 * Returns false if there is none. */
bool np_ibv_network_address(const struct np_ibv_network *network, const union ibv_gid *gid,
			    union ibv_gid *address, unsigned *index);

/* How a GID is related to the control connection. */
enum np_ibv_relation {
	NP_IBV_UNRELATED,
	NP_IBV_SAME_INTERFACE, /* another address of its interface */
	NP_IBV_SAME_ADDRESS
};

/* ---- the endpoint ---------------------------------------------------------------- */

/* The Q_Key of all datagrams. */
enum { NP_IBV_QKEY = 0x4e50 };

/* A UD receive begins with the global routing header, 40 bytes: IBTA
 * specification volume 1, section 8.3. */
enum { NP_IBV_GRH = 40 };

/* Control messages that may be outstanding, and bytes of the buffer of each. */
enum { NP_IBV_CONTROLS = 16, NP_IBV_CONTROL_LINE = 64 };

/* Time limit of each answer of the peer while queue pairs are connected, ns. */
#define NP_IBV_ANSWER_NS UINT64_C(5000000000)

/* Kind of network of a port. */
enum np_ibv_fabric {
	NP_IBV_INFINIBAND,
	NP_IBV_ROCE,
	NP_IBV_UNSPECIFIED, /* of the vendor's own, addressed by GID: Amazon EFA */
	NP_IBV_IWARP /* no immediate data, datagrams or partition keys; librdmacm only */
};

/* The device and port in use (ibv_device.c). */
struct np_ibv_device {
	struct ibv_context *context;
	char name[64]; /* as -D takes it, without the port */
	uint8_t port;
	struct ibv_device_attr_ex limits;
	struct ibv_port_attr port_attr;
	enum np_ibv_fabric fabric;
	enum ibv_mtu mtu; /* of this port; the path MTU is the smaller of both ports' */
	bool global;	  /* global route (GRH) needed: not InfiniBand, or a router */
	int gid_index;	  /* valid if global */
	union ibv_gid gid;
	bool gid_is_v2;	   /* RoCE v2 */
	char gid_type[16]; /* name by np_ibv_gid_type() */
	/* Number of usable ports if the first was chosen by guess, since none carries the
	 * control connection; 0: no guess. */
	unsigned guessed;
	char bond[IF_NAMESIZE]; /* bonded interface of the GID (RoCE LAG); or "" */
};

/* Address of a process; big-endian on the wire (ibv_connect.c). */
struct np_ibv_address {
	uint32_t lid;
	uint32_t mtu;	   /* enum ibv_mtu */
	uint32_t longest;  /* message, bytes */
	uint32_t reads;	   /* RDMA reads that it can respond to at a time */
	uint32_t receives; /* most posted at a time */
	uint32_t fabric;   /* enum np_ibv_fabric */
	uint32_t routed;   /* the GID's type: 1 for RoCE v2 */
	union ibv_gid gid;
};

/* A queue pair with its completion queues. */
struct np_ibv_queue {
	struct ibv_qp *qp;
	struct ibv_qp_ex *extended; /* the queue pair for --post wr; else NULL */
	struct ibv_cq *send_cq, *recv_cq;
	unsigned send_events, recv_events; /* read from the channel, not acknowledged yet */
	uint32_t remote;		   /* number of the peer's queue pair */
	/* Work requests of the send queue, counted from 1 since connect().  The
	 * completion of the n-th implies that of all before it. */
	uint64_t posted, completed;
	uint64_t signalled; /* last request with IBV_SEND_SIGNALED */
	uint64_t proven;    /* last request that a reply of the peer proves complete */
};

/* The memory regions of the pool (ibv_region.c). */
struct np_ibv_keys {
	unsigned char *base;
	uint64_t remote_base;
	/* Index of a memory region: page number times this, divided by 2^64; 0: one
	 * region. */
	uint64_t pages_to_part;
	uint32_t *local, *remote; /* [parts] */
	struct ibv_mr **regions;  /* [parts] */
	size_t parts;
};

/* Registration of memory of a GPU (ibv_region.c). */
struct np_ibv_dmabuf {
	bool used;		   /* as a dmabuf; else by ibv_reg_mr() */
	const unsigned char *base; /* start of the exported memory; NULL: closed */
	int descriptor;
	uint64_t offset; /* of the base in the dmabuf, bytes */
};

struct np_ibv {
	struct np_endpoint endpoint;
	struct np_ibv_device device;
	int transport; /* enum np_ibv_transport */
	enum ibv_qp_type type;
	enum np_ibv_completion completion; /* of the armed variant */

	struct ibv_pd *pd;
	struct ibv_srq *srq;
	struct ibv_ah *peer_handle; /* UD */
	struct np_ibv_queue *queues;
	size_t queue_count;
	/* Shared by the completion queues of all queue pairs: two descriptors in all. */
	struct ibv_comp_channel *send_channel, *recv_channel;
	uint32_t send_depth, recv_depth, inline_limit;
	uint32_t signal_wish, signal_every; /* as configured; of the armed size */
	uint32_t send_limit; /* most work requests in flight, <= send_depth */
	struct np_ibv_address mine, theirs;
	void *rdmacm; /* state of ibv_rdmacm.c, or NULL */
	/* Polls of a completion queue, and of a last byte, between two calls of
	 * np_ibv_pause(). */
	uint32_t cq_poll_interval, byte_poll_interval;

	bool control_receives_posted;

	struct np_ibv_keys keys;
	struct np_ibv_dmabuf dmabuf;
	/* Buffers of control messages, a cache line each: NP_IBV_CONTROLS receives, then
	 * as many sends. */
	unsigned char *control;
	struct ibv_mr *control_region;
	uint64_t controls_sent;

	/* Work requests of the armed size; the hooks set addresses and keys. */
	struct ibv_sge send_part, recv_part;
	struct ibv_send_wr send_request;
	uint32_t *remote_key; /* the rkey within send_request */
	struct ibv_recv_wr recv_request;
	unsigned send_flags; /* IBV_SEND_INLINE or 0 */
	size_t recv_lead;    /* bytes received before a message: UD's GRH */

	/* Round robin over the first `turns` queues. */
	size_t turns;
	size_t send_turn, recv_turn, post_turn, pause_turn;
	uint64_t unflushed; /* sends since the last flush */
	/* Credit-based flow control of a stream: the transmitter may send `allowed`
	 * messages of a block; the receiver grants more as it posts receives. */
	uint64_t sent, allowed;
	uint64_t offered, next_grant, grant_step, expected;
	uint64_t acks; /* received and not yet consumed */
	/* Mask: all ones where a received message proves that all sent before it have
	 * arrived (ping-pong, acknowledged messages), else 0. */
	uint64_t proves;
	/* Memory poll: messages received in the block, and receive completions
	 * consumed. */
	uint64_t received, drained;

	/* --post-list: list of requests for one call, its capacity and its length. */
	struct np_ibv_listed *list;
	size_t list_length, listed;

	/* --register each and cost. */
	struct ibv_mr **kept; /* ring buffer of registered buffers */
	size_t kept_capacity, kept_first, kept_count;

	void *counters; /* open files of ibv_count.c, or NULL */
};

static inline struct np_ibv *np_ibv_of(struct np_endpoint *endpoint)
{
	return (struct np_ibv *)endpoint;
}

static inline const struct np_ibv_options *np_ibv_options_of(const struct np_ibv *ibv)
{
	return ibv->endpoint.options;
}

static inline unsigned char *np_ibv_control_buffer(const struct np_ibv *ibv, size_t index)
{
	return ibv->control + index * NP_IBV_CONTROL_LINE;
}

static inline bool np_ibv_uses_rdmacm(const struct np_ibv *ibv)
{
	return np_ibv_options_of(ibv)->connection == NP_IBV_RDMACM ||
	       ibv->device.fabric == NP_IBV_IWARP;
}

/* ---- ibv_device.c ----------------------------------------------------------- */

/* Opens the device and port that the options name, or the one that suits the local
 * address of the control connection (NULL: none), and queries limits, MTU and GID.
 * Returns 0 or -errno; np_ibv_device_close() is to be called in both cases. */
int np_ibv_device_open(struct np_ibv_device *device, const struct np_ibv_options *options,
		       const struct sockaddr_storage *control, struct np_error *error);
void np_ibv_device_close(struct np_ibv_device *device);

/* ---- ibv_gid.c -------------------------------------------------------------- */

enum np_ibv_gids { NP_IBV_NO_GID, NP_IBV_GIDS_ELSEWHERE, NP_IBV_GID_FOUND };

/* Reads one entry of a port's GID table; false if it is empty. */
bool np_ibv_gid_read(struct ibv_context *context, unsigned port, int index,
		     struct ibv_gid_entry *entry);

/* True for ports whose GIDs are addresses of network interfaces. */
bool np_ibv_gid_has_interface(enum np_ibv_fabric fabric);

/* Sets the device's GID to the best one of its port, and `relation` to that GID's relation
 * to the control connection. */
enum np_ibv_gids np_ibv_gid_choose(struct np_ibv_device *device,
				   const struct np_ibv_network *network,
				   enum np_ibv_relation *relation);

/* Sets `global`, and the GID of --gid-index if it is given.  Returns 0 or -errno. */
int np_ibv_gid_settle(struct np_ibv_device *device, const struct np_ibv_options *options,
		      struct np_error *error);

/* The module's list() and node(). */
int np_ibv_list(const void *options, struct np_facts *facts, struct np_error *error);
int np_ibv_node(const void *options);

/* Kind of network of a port of an open device. */
enum np_ibv_fabric np_ibv_fabric_of(const struct ibv_context *context,
				    const struct ibv_port_attr *port);

/* MTU in bytes (256 to 4096) and back; 0 if invalid. */
size_t np_ibv_mtu_bytes(enum ibv_mtu mtu);
enum ibv_mtu np_ibv_mtu_of(size_t bytes);

/* ---- ibv_queue.c, ibv_connect.c, ibv_rdmacm.c --------------------------------- */

/* Makes the queue pairs; connects them to the peer's (RTS).  Return 0 or -errno with
 * the endpoint's error. */
int np_ibv_queues_make(struct np_ibv *ibv);
int np_ibv_queues_connect(struct np_ibv *ibv);
void np_ibv_queues_free(struct np_ibv *ibv);

/* Exchanges addresses with the peer; sets mine.mtu to the path MTU and the endpoint's
 * longest message. */
int np_ibv_exchange_addresses(struct np_ibv *ibv);

/* Both addresses and the path MTU, as the end of an error message: "; here GID ...". */
enum { NP_IBV_ADDRESS_TEXT = 96 };
void np_ibv_path_text(const struct np_ibv *ibv, char *text, size_t size);

/* As np_ibv_queues_connect(), through librdmacm. */
int np_ibv_rdmacm_connect(struct np_ibv *ibv);
void np_ibv_rdmacm_free(struct np_ibv *ibv);

/* --rate-limit in the unit of libibverbs, kbit/s; 0: none. */
uint32_t np_ibv_rate_kbps(const struct np_ibv *ibv);

/* Refuses a rate that the open device does not support; sets the rate of all queue pairs,
 * which are in state RTS.  Return 0 or -errno. */
int np_ibv_check_rate(struct np_ibv *ibv);
int np_ibv_limit_rate(struct np_ibv *ibv);

/* ---- ibv_region.c ----------------------------------------------------------- */

/* The module's reg() and unreg(). */
int np_ibv_reg(struct np_endpoint *endpoint, struct np_region *region);
void np_ibv_unreg(struct np_endpoint *endpoint, struct np_region *region);

/* Registers a memory region with the access flags of the options.  Returns NULL with the
 * endpoint's error. */
struct ibv_mr *np_ibv_register(struct np_ibv *ibv, void *address, size_t length);

/* Selects dmabuf or ibv_reg_mr() for memory of the endpoint's GPU.  Returns 0 or -errno. */
int np_ibv_gpu_try(struct np_ibv *ibv);

/* RLIMIT_MEMLOCK of this process, bytes; 0: no limit. */
size_t np_ibv_lock_limit(void);
/* Bytes pinned by now. */
size_t np_ibv_locked(void);
/* Upper bound of the bytes that the queues pin; bytes left for messages (0: no limit). */
size_t np_ibv_queue_share(const struct np_ibv_options *options);
size_t np_ibv_lockable(const struct np_ibv_options *options);

/* ---- ibv_error.c, ibv_control.c, ibv_facts.c, ibv_count.c --------------------- */

/* wr_id of a request: its number in the queue, and the slot of its message. */
static inline uint64_t np_ibv_id(uint64_t number, size_t slot)
{
	return number << 26 | slot;
}

static inline uint64_t np_ibv_id_number(uint64_t id)
{
	return id >> 26;
}

static inline size_t np_ibv_id_slot(uint64_t id)
{
	return (size_t)(id & ((1u << 26) - 1));
}

/* Slots of requests without a message: acknowledgements, and fences. */
enum { NP_IBV_NO_SLOT = (1u << 26) - 1, NP_IBV_FENCE_SLOT = (1u << 26) - 2 };

/*
 * Sets the endpoint's error from a failed completion: status, operation, slot, size.
 * For a flushed request, searches the queue's other completions for the failure that
 * caused the flush.  Returns -errno.
 */
int np_ibv_completion_failed(struct np_ibv *ibv, struct np_ibv_queue *queue,
			     const struct ibv_wc *completion, bool send)
	__attribute__((cold, noinline));

/* Sets the endpoint's error from the result of ibv_post_send(), ibv_post_recv(), ...
 * Returns -errno. */
int np_ibv_post_failed(struct np_ibv *ibv, const char *call, int code)
	__attribute__((cold, noinline));

/* True if the port is not active; `text` is a suffix for an error message. */
bool np_ibv_port_is_down(const struct np_ibv *ibv, char *text, size_t size);

/* Sleeps on a channel until an event of any completion queue, an interrupt() or a timeout.
 * Returns 0 or -errno (-ECANCELED without a text when stopped). */
int np_ibv_sleep(struct np_ibv *ibv, bool send) __attribute__((noinline));

/* The module's describe() and count(); the counter files are open as long as the
 * device. */
void np_ibv_describe(struct np_endpoint *endpoint, struct np_facts *facts);
size_t np_ibv_count(struct np_endpoint *endpoint, struct np_counter *counters);
void np_ibv_counters_open(struct np_ibv *ibv);
void np_ibv_counters_close(struct np_ibv *ibv);

/* ---- ibv_paths.c -------------------------------------------------------------- */

/* Code path of the armed size. */
const struct np_code_path *np_ibv_path(const struct np_ibv *ibv);

/* --post-list, for rank 0 of a stream. */
int np_ibv_list_make(struct np_ibv *ibv);
void np_ibv_list_arm(struct np_ibv *ibv);
void np_ibv_list_free(struct np_ibv *ibv);

/* begin() for --register cost. */
int np_ibv_register_begin(struct np_ibv *ibv, uint64_t messages);
/* Deregisters the buffers still in `kept`. */
void np_ibv_register_end(struct np_ibv *ibv);
/* arm() for --register each: allocates `kept`. */
int np_ibv_register_arm(struct np_ibv *ibv, const struct np_transfer *transfer);

/* RDMA writes with immediate data, received by memory poll: consumes the outstanding
 * receive completions. */
int np_ibv_drain(struct np_ibv *ibv);

/* iWARP: the active side sends first, and the passive side not before that has arrived
 * (RFC 5044, section 7.1.2).  Rank 0 posts a read of 0 bytes to each queue pair and waits
 * for its completion. */
int np_ibv_send_first(struct np_ibv *ibv, uint64_t within_ns);

/* Posts a receive of control buffer `index` to the first queue pair. */
int np_ibv_post_control_receive(struct np_ibv *ibv, size_t index);

/* Hooks shared by all code paths (ibv_control.c). */
int np_ibv_flush_polling(struct np_endpoint *endpoint);
int np_ibv_flush_sleeping(struct np_endpoint *endpoint);
int np_ibv_send_ack(struct np_endpoint *endpoint);
int np_ibv_recv_ack_polling(struct np_endpoint *endpoint);
int np_ibv_recv_ack_sleeping(struct np_endpoint *endpoint);

/* ---- names of libibverbs' enumerations (ibv_facts.c) --------------------------- */

enum { NP_IBV_GID_TEXT = 48 /* an IPv6 address, or an IPv4 one mapped into it */ };

/* "active", "down" ... */
const char *np_ibv_port_state(enum ibv_port_state state);

/* "InfiniBand", "RoCE", "iWARP", "an unspecified link layer". */
const char *np_ibv_fabric_name(uint32_t fabric);

/* "RC", "UC", "UD". */
const char *np_ibv_pair_type(enum ibv_qp_type type);

/* "RoCE v2", "RoCE v1", "IB", "iWARP", "unspecified". */
const char *np_ibv_gid_type(uint32_t fabric, uint32_t type);

/* The GID as an address; an IPv4 one as ::ffff:192.0.2.1. */
const char *np_ibv_gid_text(const union ibv_gid *gid, char text[static NP_IBV_GID_TEXT]);

/* True for an IPv4-mapped GID, ::ffff:0:0/96 (RoCE v2 over IPv4). */
bool np_ibv_gid_is_ipv4(const union ibv_gid *gid);

/* ---- hardware counters by rdma netlink (ibv_count.c) --------------------------- */

struct np_ibv_netlink;

/* Returns NULL where the kernel has no statistics for the port. */
struct np_ibv_netlink *np_ibv_netlink_open(const char *device, unsigned port);
/* Parses the attributes of a reply, `length` bytes, into at most `most` counters.  Returns
 * their number. */
size_t np_ibv_netlink_parse(const void *attributes, size_t length,
			    struct np_counter *counters, size_t most);
