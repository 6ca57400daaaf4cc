/*
 * ibv_private.h - what the files of the ibv module share.
 *
 * ibv.c is the module's table and life.  Before the clock runs: ibv_options.c
 * (the options and what excludes what), ibv_device.c (device, port, GID),
 * ibv_queue.c (queue pairs), ibv_connect.c (to the peer's, over the boot
 * channel) or ibv_rdmacm.c (through librdmacm), ibv_region.c (registration).
 * While it runs: ibv_hot.h and ibv_control.c, and the code paths made of them in
 * ibv_two_sided.c, ibv_write.c, ibv_step.c and ibv_register.c.  Beside it:
 * ibv_error.c, ibv_event.c, ibv_patience.c, ibv_facts.c and ibv_count.c.
 */
#ifndef NP_IBV_PRIVATE_H
#define NP_IBV_PRIVATE_H

#include <infiniband/verbs.h>
#include <stdatomic.h>

#include "contract/np_module.h"

/* -t; the order of the choices. */
enum np_ibv_transport {
	NP_IBV_SEND,	  /* RC send and receive */
	NP_IBV_SEND_IMM,  /* with immediate data */
	NP_IBV_WRITE,	  /* RC RDMA write, seen by its last byte */
	NP_IBV_WRITE_IMM, /* RC RDMA write that completes a receive */
	NP_IBV_READ,	  /* RC RDMA read */
	NP_IBV_UD,	  /* unreliable datagrams */
	NP_IBV_TRANSPORTS
};

/* -c: how an end waits. */
enum np_ibv_completion {
	NP_IBV_POLL,	   /* polling the completion queue */
	NP_IBV_LOCAL_POLL, /* polling the last byte of the message */
	NP_IBV_EVENT,	   /* asleep until the completion channel tells */
	NP_IBV_COMPLETIONS
};

/* --register; the order of the choices. */
enum np_ibv_registering {
	NP_IBV_REGISTER_POOL, /* before anything is timed */
	NP_IBV_REGISTER_EACH, /* around every message */
	NP_IBV_REGISTER_COST, /* nothing but registering is timed */
	NP_IBV_REGISTERINGS
};

/* Datagrams of this run know each other by it. */
enum { NP_IBV_QKEY = 0x4e50 };

/* A UD receive begins with the global routing header, 40 bytes: IBTA
 * specification volume 1, section 8.3. */
enum { NP_IBV_GRH = 40, NP_IBV_QPS_MAX = 64, NP_IBV_CONTROLS = 16 };

struct np_ibv_options {
	int transport;		/* enum np_ibv_transport */
	const char *completion; /* a list of names; empty: what fits the transport */
	size_t mtu;		/* bytes; 0: the port's active MTU */
	const char *device;	/* "dev", "dev:port", ":port"; empty: the first active */
	const char *gid_index;	/* "auto" or a number */
	uint64_t service_level, traffic_class, pkey_index;
	const char *inline_limit; /* "auto" or bytes */
	uint64_t send_depth;	  /* 0: what fits the device */
	uint64_t recv_depth;	  /* 0: what fits the device */
	uint64_t signal_every;	  /* 0: a quarter of the send depth, at most 32 */
	uint64_t retry, rnr_retry, rnr_timer, timeout;
	uint64_t qps;
	bool relaxed_ordering, on_demand, srq, rdmacm;
	const char *moderation; /* "COUNT,USEC"; empty: none */
	int registering;	/* enum np_ibv_registering */
};

/* A device and port in use (ibv_device.c). */
struct np_ibv_device {
	struct ibv_context *context;
	char name[64]; /* as -D takes it, without the port */
	uint8_t port;
	struct ibv_device_attr_ex limits;
	struct ibv_port_attr port_attr;
	enum ibv_mtu mtu; /* of this end; the path's is the smaller of both */
	bool global;	  /* messages need a GID: RoCE, or a router */
	int gid_index;	  /* meaningful if global */
	union ibv_gid gid;
	char gid_type[16]; /* "RoCE v2", "RoCE v1", "IB" */
};

/* What an end tells the other of itself; every field in network byte order on
 * the wire (ibv_queue.c). */
struct np_ibv_address {
	uint32_t lid;
	uint32_t mtu;	  /* enum ibv_mtu */
	uint32_t longest; /* message, bytes */
	uint32_t reads;	  /* RDMA reads that this end answers at a time */
	union ibv_gid gid;
	uint32_t numbers[NP_IBV_QPS_MAX];   /* of queue pairs */
	uint32_t sequences[NP_IBV_QPS_MAX]; /* first packet sequence numbers */
};

/* A queue pair with its completion queues. */
struct np_ibv_queue {
	struct ibv_qp *qp;
	struct ibv_cq *send_cq, *recv_cq;
	struct ibv_comp_channel *send_channel, *recv_channel; /* always there */
	uint32_t remote; /* the number of the peer's queue pair */
	/* Work requests of the send queue since connect(): a completion of the
	 * n-th says that all before it are over, too. */
	uint64_t posted, completed;
	uint64_t signalled; /* the last one that will tell; counted from 1 */
	uint64_t proven;    /* the peer has answered all up to this one */
};

/* What the pool is registered as (ibv_region.c). */
struct np_ibv_keys {
	unsigned char *base;
	uint64_t remote_base;
	/* A part's number is the page's times this, over 2^64; 0: one part. */
	uint64_t pages_to_part;
	uint32_t *local, *remote; /* [parts] */
	struct ibv_mr **regions;  /* [parts] */
	size_t parts;
};

struct np_ibv {
	struct np_endpoint endpoint;
	struct np_ibv_device device;
	enum np_ibv_transport transport;
	enum np_ibv_completion completion; /* of the choice that is armed */

	struct ibv_pd *pd;
	struct ibv_srq *srq;
	struct ibv_ah *peer_handle; /* UD */
	struct np_ibv_queue *queues;
	size_t queue_count;
	uint32_t send_depth, recv_depth, inline_limit;
	uint32_t signal_wish, signal_every; /* asked for; of what is armed */
	uint32_t send_limit; /* work requests under way at a time, <= send_depth */
	struct np_ibv_address mine, theirs;
	void *rdmacm; /* ibv_rdmacm.c's, or NULL */
	int wake;     /* eventfd: interrupt() to whoever sleeps on a channel */
	/* Polls of a completion queue, and of a last byte, between two looks at
	 * what else there is (ibv_patience.c). */
	uint32_t patience, byte_patience;

	bool controls_offered;

	struct np_ibv_keys keys;
	/* Acknowledgements and credits carry no bytes; UD receives need room for
	 * their header all the same. */
	unsigned char *control;
	struct ibv_mr *control_region;

	/* The work requests of the size that is armed; hooks fill in addresses. */
	struct ibv_sge send_part, recv_part;
	struct ibv_send_wr send_request;
	struct ibv_recv_wr recv_request;
	unsigned send_flags; /* IBV_SEND_INLINE, or nothing */
	size_t recv_lead;    /* bytes that arrive before a message: UD's header */

	size_t send_turn, recv_turn, post_turn; /* which queue is next */
	/* The flow control of a stream: the transmitter may send up to `allowed`
	 * messages of a block; the receiver grants more as it offers receives. */
	uint64_t sent, allowed;
	uint64_t offered, next_grant, grant_step, expected;
	uint64_t acks; /* that have arrived and nobody has asked for */
	/* All ones where a received message proves that what was sent before it has
	 * arrived (ping-pong, acknowledged messages), else 0. */
	uint64_t proves;
	/* RDMA writes seen by their last byte: messages of the block so far, the
	 * one that the peer said is there although its last byte does not show it,
	 * and completions taken of those that complete receives. */
	uint64_t received, unseen, drained;

	/* --register each and cost. */
	struct ibv_mr **kept; /* FIFO, or stack */
	size_t kept_room, kept_first, kept_count;

	/* ibv_facts.c: open counter files. */
	void *counters;
};

static inline struct np_ibv *np_ibv_of(struct np_endpoint *endpoint)
{
	return (struct np_ibv *)endpoint;
}

static inline const struct np_ibv_options *np_ibv_options_of(const struct np_ibv *ibv)
{
	return ibv->endpoint.options;
}

/* ---- ibv_options.c ---------------------------------------------------------- */

extern const struct np_option np_ibv_options_table[];
extern const char *const np_ibv_transport_names[NP_IBV_TRANSPORTS + 1];

/* The module's check(): np_module.h. */
int np_ibv_check(const void *options, struct np_request *request, struct np_error *error);

/* The completions that -c lists, in its order, or the transport's own.  `steps`:
 * the transmitter works alone, and nobody waits for messages.  Returns their
 * number, or -EINVAL with NP_ERROR_USAGE. */
int np_ibv_completions(const struct np_ibv_options *options, bool steps,
		       enum np_ibv_completion list[NP_IBV_COMPLETIONS],
		       struct np_error *error);

/* The way to wait that --why holds against this one, which is the first that -c lists;
 * NP_IBV_COMPLETIONS if there is none. */
enum np_ibv_completion np_ibv_other_wait(const struct np_ibv_options *options,
					 enum np_ibv_completion how);

/* ---- ibv_device.c ----------------------------------------------------------- */

/* Opens the device and port that the options name, with its limits, MTU and
 * GID.  Returns 0 or -errno; np_ibv_device_close() copes with either. */
int np_ibv_device_open(struct np_ibv_device *device, const struct np_ibv_options *options,
		       struct np_error *error);
void np_ibv_device_close(struct np_ibv_device *device);

/* The module's list() and node(). */
int np_ibv_list(const void *options, struct np_facts *facts, struct np_error *error);
int np_ibv_node(const void *options);

/* 256 ... 4096 and back; 0 for what is none. */
size_t np_ibv_mtu_bytes(enum ibv_mtu mtu);
enum ibv_mtu np_ibv_mtu_of(size_t bytes);

/* ---- ibv_queue.c, ibv_connect.c, ibv_rdmacm.c
 * ---------------------------------------------- */

/* Makes the queue pairs, local; and takes them to where they can send, with the
 * peer.  Return 0 or -errno with a text in the endpoint's error. */
int np_ibv_queues_make(struct np_ibv *ibv);
int np_ibv_queues_connect(struct np_ibv *ibv);
void np_ibv_queues_free(struct np_ibv *ibv);

/* The ends tell each other of themselves and agree on what is common: the path's
 * MTU becomes mine.mtu, and the endpoint's longest message is set. */
int np_ibv_introduce(struct np_ibv *ibv);

/* As np_ibv_queues_connect(), through librdmacm.  np_ibv_rdmacm_free() copes
 * with NULL. */
int np_ibv_rdmacm_connect(struct np_ibv *ibv);
void np_ibv_rdmacm_free(struct np_ibv *ibv);

/* ---- ibv_region.c ----------------------------------------------------------- */

/* The module's reg() and unreg(). */
int np_ibv_reg(struct np_endpoint *endpoint, struct np_region *region);
void np_ibv_unreg(struct np_endpoint *endpoint, struct np_region *region);

/* Registers bytes with the access that the options ask for; NULL with the text
 * in the endpoint's error, which for want of lockable memory has the limit and
 * the remedy. */
struct ibv_mr *np_ibv_register(struct np_ibv *ibv, void *address, size_t length);

/* Bytes that this process may lock: all, as ulimit -l has it, and for messages,
 * after what queues take.  0: no bound. */
size_t np_ibv_lock_limit(void);
size_t np_ibv_lockable(void);

/* ---- ibv_error.c, ibv_event.c, ibv_facts.c ---------------------------------- */

/* wr_id: which work request, and the slot it belongs to. */
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

/* The slots of what belongs to no message: acknowledgements, and fences. */
enum { NP_IBV_NO_SLOT = (1u << 26) - 1, NP_IBV_FENCE_SLOT = (1u << 26) - 2 };

/*
 * Writes what a failed completion means: its status by name, the operation, the
 * slot and the size.  A flushed one only echoes another: that one is looked for
 * in the queue's other completions first.  Returns -errno.
 */
int np_ibv_completion_failed(struct np_ibv *ibv, struct np_ibv_queue *queue,
			     const struct ibv_wc *completion, bool send)
	__attribute__((cold, noinline));

/* Writes what a refused ibv_post_send() or ibv_post_recv() means; code is what
 * it returned. */
int np_ibv_post_failed(struct np_ibv *ibv, const char *call, int code)
	__attribute__((cold, noinline));

/* Waits on a channel until a completion may be there; np_ibv_of()->wake ends
 * the wait.  Returns 0 or -errno (-ECANCELED without a text when stopped). */
int np_ibv_sleep(struct np_ibv *ibv, struct ibv_comp_channel *channel)
	__attribute__((noinline));

/* Finds out how often an end may poll between two looks around. */
void np_ibv_measure_patience(struct np_ibv *ibv);

/* The module's event_fd() and event(). */
int np_ibv_event_fd(struct np_endpoint *endpoint);
int np_ibv_event(struct np_endpoint *endpoint, struct np_error *error);

/* The module's describe() and count(); the counters' files are opened by
 * np_ibv_counters_open() after the device, and closed with it. */
void np_ibv_describe(struct np_endpoint *endpoint, struct np_facts *facts);
size_t np_ibv_count(struct np_endpoint *endpoint, struct np_counter *counters);
void np_ibv_counters_open(struct np_ibv *ibv);
void np_ibv_counters_close(struct np_ibv *ibv);

/* ---- the code paths ----------------------------------------------------------- */

const struct np_code_path *np_ibv_two_sided(const struct np_ibv *ibv);
const struct np_code_path *np_ibv_write(const struct np_ibv *ibv);
const struct np_code_path *np_ibv_one_sided(const struct np_ibv *ibv);
const struct np_code_path *np_ibv_register_each(const struct np_ibv *ibv);
const struct np_code_path *np_ibv_register_cost(const struct np_ibv *ibv);

/* Begins a block of registrations: the module's begin() for --register cost. */
int np_ibv_register_begin(struct np_ibv *ibv, uint64_t messages);
/* Gives back what --register each and cost still keep. */
void np_ibv_register_end(struct np_ibv *ibv);
/* Makes room for what --register each keeps of a size. */
int np_ibv_register_arm(struct np_ibv *ibv, const struct np_transfer *transfer);

/* Of RDMA writes with immediate data that were seen by their last byte: takes the
 * completions that have not been taken yet. */
int np_ibv_drain(struct np_ibv *ibv);

/* Hooks that all code paths share (ibv_control.c). */
int np_ibv_flush_polling(struct np_endpoint *endpoint);
int np_ibv_flush_sleeping(struct np_endpoint *endpoint);
int np_ibv_send_ack(struct np_endpoint *endpoint);
int np_ibv_recv_ack_polling(struct np_endpoint *endpoint);
int np_ibv_recv_ack_sleeping(struct np_endpoint *endpoint);

#endif
