/*
 * fake_verbs.h - a small RDMA device in memory, behind the functions of
 * libibverbs: linked in their place, it serves both ends of a test, which are
 * threads of one process.
 *
 * A strict device: keys are checked against registrations and their access flags, a queue
 * holds the requested number of entries and not one more, an entry is free again once the
 * completion that covers it was polled, a receive has to be posted before the message
 * arrives.  A test can inject faults of all kinds.
 *
 * There are two devices, fake0 and fake1, one for each process, so that a fault hits one
 * process only.
 */
#pragma once

#include <infiniband/verbs.h>
#include <pthread.h>
#include <rdma/rdma_cma.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FAKE_DEVICES = 2 };

/* Calls that can be refused. */
enum fake_call {
	FAKE_ANY_CALL, /* whichever of those that acquire something */
	FAKE_OPEN_DEVICE,
	FAKE_ALLOC_PD,
	FAKE_REG_MR,
	FAKE_CREATE_CHANNEL,
	FAKE_CREATE_CQ,
	FAKE_CREATE_QP,
	FAKE_CREATE_SRQ,
	FAKE_CREATE_AH,
	/* Calls that acquire nothing. */
	FAKE_QUERY_DEVICE,
	FAKE_QUERY_PORT,
	FAKE_MODIFY_TO_INIT,
	FAKE_MODIFY_TO_RTR,
	FAKE_MODIFY_TO_RTS,
	FAKE_MODIFY_CQ,
	FAKE_RATE_LIMIT,
	FAKE_REQ_NOTIFY,
	FAKE_POST_SEND,
	FAKE_POST_RECV,
	FAKE_CALLS
};

/* The nth such call, counted from 1, fails with this errno; 0: none does.
 * for_good: so do all after it. */
struct fake_refusal {
	enum fake_call call;
	unsigned nth;
	int code;
	bool for_good;
};

/* The nth work request that this device carries out, counted from 1, completes
 * with this status; 0: none does. */
struct fake_failure {
	unsigned nth;
	enum ibv_wc_status status;
	uint32_t vendor;
};

/* Kinds of objects of the library. */
enum fake_kind {
	FAKE_LIST,
	FAKE_CONTEXT,
	FAKE_PD,
	FAKE_MR,
	FAKE_CHANNEL,
	FAKE_CQ,
	FAKE_QP,
	FAKE_SRQ,
	FAKE_AH,
	FAKE_CM_CHANNEL,
	FAKE_CM_ID,
	FAKE_CM_EVENT,
	FAKE_KINDS
};

/* An event of librdmacm that another takes the place of; none if the status is 0. */
struct fake_cm_fault {
	enum rdma_cm_event_type instead_of, event;
	int status;
};

/* One device.  Everything but the counts is a test's to change, before an end
 * opens it. */
struct fake_device {
	struct ibv_device device;
	enum ibv_port_state port_state;
	bool ethernet;
	bool unspecified; /* neither transport nor link layer are reported */
	bool no_v2;	  /* no GIDs for RoCE v2 */
	bool bonded;	  /* its network interface is a bond */
	bool elsewhere;	  /* its network interface is in another namespace */
	bool no_gids;
	enum ibv_mtu mtu;
	uint32_t inline_most; /* bytes; a queue pair with more is refused */
	bool inline_clamps;   /* it gets that much instead */
	uint32_t inline_unit; /* bytes: work requests are multiples of it, and the rest */
	uint32_t inline_head; /* bytes of a work request before inline data */
	bool no_connections;  /* RC queue pairs are refused */
	bool no_inline;	      /* one with any is */
	bool no_atomics;
	bool no_wr;	  /* no ibv_create_qp_ex(), and so no ibv_wr_start() */
	bool no_dmabuf;	  /* no ibv_reg_dmabuf_mr() */
	bool peer_memory; /* ibv_reg_mr() takes memory that the CPU may not load from */
	bool stalls;	  /* it carries out none of its work requests */
	bool scatters;	  /* as libmlx5: short messages arrive in completions */
	bool skips_page;  /* as libsiw: fake_map() */
	unsigned access_lacks; /* access flags that no memory region may have */
	int max_qp_wr, max_cqe, max_srq_wr, max_mr, max_qp;
	uint64_t max_mr_size;
	uint16_t moderation_most;
	struct ibv_packet_pacing_caps pacing;
	struct ibv_odp_caps odp;
	bool no_advice;	     /* no ibv_advise_mr() */
	unsigned cq_entries; /* true capacity of completion queues; 0: as requested */
	struct fake_refusal refusal;
	struct fake_failure failure[2]; /* of receives, of sends */

	bool removed;
	unsigned calls, carried_out[2]; /* that count for refusal and failure */
	unsigned registrations, posts;	/* that there were; posts: calls */
	unsigned wr_posts;		/* of ibv_wr_complete() */
	/* Pages mapped on demand, at the access to one, and before. */
	unsigned faults, prefetched;
	int vector; /* of the newest completion queue */
	/* Events of completion queues: reads that found none, or one; and calls that
	 * acknowledged some. */
	unsigned event_reads[2], acknowledgements;
};

struct fake_verbs {
	pthread_mutex_t lock; /* of all below, and of all objects */
	size_t device_count;  /* that the list has */
	struct fake_device devices[FAKE_DEVICES];
	/* Work is done when somebody polls or arms a completion queue, as late as a
	 * device may; false: when it is posted, as early as one may. */
	bool lazy;
	uint32_t last_number; /* of queue pairs and keys */
	struct fake_context *contexts;
	struct fake_qp *qps;
	struct fake_mr *mrs;
	/* librdmacm: identifiers, the newest port, the MTU of the path (0: the device's).
	 */
	struct fake_cm_id *cm_ids;
	uint16_t last_port;
	enum ibv_mtu path_mtu;
	struct fake_cm_fault cm_fault;

	size_t live[FAKE_KINDS];
	unsigned dropped; /* datagrams that found no receive */
	/* Text of the first misuse, at which a library may hang or crash; or NULL. */
	const char *misuse;
};

/* The one that there is.  A library's functions are given nothing to find it by,
 * so this is the one variable of file scope that the tests have. */
struct fake_verbs *fake_verbs(void);

/* Two healthy devices, and nothing alive. */
void fake_verbs_reset(void);

/* Adapters whose limits a device can have, by the names of their drivers. */
enum fake_adapter {
	FAKE_MLX5,
	FAKE_IRDMA,
	FAKE_I40IW,
	FAKE_BNXT_RE,
	FAKE_EFA,
	FAKE_HNS,
	FAKE_SIW,
	FAKE_ADAPTERS
};

/* Gives a device the limits of an adapter, and its name. */
void fake_verbs_become(size_t device, enum fake_adapter adapter);

/* Entry `index` of the table of GIDs of a device's port. */
void fake_verbs_gid(size_t device, uint32_t index, union ibv_gid *gid);

/* Objects that were not given back, of all kinds. */
size_t fake_verbs_live(void);

/* Sends an asynchronous event to every open context of the device.  Called while processes
 * run. */
void fake_verbs_tell(size_t device, enum ibv_event_type type);

/* The device is pulled out: IBV_EVENT_DEVICE_FATAL, and then every verb fails. */
void fake_verbs_remove(size_t device);
