/*
 * fake_verbs_private.h - the objects of the device in memory.
 *
 * Each begins with what the library shows of it.  fake_verbs->lock guards them.
 */
#pragma once

#include "fake_verbs.h"

enum { FAKE_PAGES = 1024 };

/* Pages of a queue in a process's mappings. */
struct fake_pages {
	size_t first, count;
};

struct fake_context {
	struct fake_device *device;
	int events[2]; /* a pipe of struct ibv_async_event */
	unsigned users;
	bool mapped[FAKE_PAGES]; /* pages of queues, with skips_page */
	struct fake_context *next;
	struct verbs_context verbs; /* last: it ends with what is shown */
};

struct fake_pd {
	struct ibv_pd pd;
	unsigned users;
};

struct fake_mr {
	struct ibv_mr mr;
	unsigned access;
	unsigned char *at;    /* where the CPU has its bytes */
	unsigned char *pages; /* mapped for that; or NULL */
	size_t pages_length;
	uint64_t *present; /* on-demand paging: numbers of the pages that are mapped */
	size_t present_count;
	struct fake_mr *next;
};

struct fake_channel {
	struct ibv_comp_channel channel;
	int events[2]; /* a pipe of struct ibv_cq * */
	unsigned users;
};

/* Receives of a queue pair, or of a shared queue: a ring. */
struct fake_receive {
	uint64_t id;
	struct ibv_sge part;
	bool has_part;
};

struct fake_receives {
	struct fake_receive *ring;
	uint32_t capacity;
	uint64_t posted, taken, freed;
};

struct fake_srq {
	struct ibv_srq srq;
	struct fake_receives receives;
	unsigned users;
};

/* A completion, and what its being polled makes free. */
struct fake_entry {
	struct ibv_wc wc;
	struct fake_qp *qp;
	uint64_t number; /* of the send that is over; 0: a receive is */
};

struct fake_cq {
	struct ibv_cq cq;
	struct fake_entry *ring;
	unsigned capacity, first, count, users;
	unsigned taken, acknowledged; /* events */
	bool armed, overrun;
	struct fake_pages pages;
};

struct fake_send {
	struct ibv_send_wr wr;
	struct ibv_sge part;
	unsigned char *copy; /* of an inline message */
};

/* A request of ibv_wr_post(3), and those between its start and complete. */
struct fake_built {
	struct ibv_send_wr wr;
	struct ibv_sge part;
	bool has_data, has_address;
	unsigned char *copy; /* of inline data */
};

enum { FAKE_BATCH = 64 };

struct fake_batch {
	struct fake_built built[FAKE_BATCH];
	size_t count;
	bool open;
	int code; /* that its complete will fail with */
};

struct fake_qp {
	union {
		struct ibv_qp qp;
		struct ibv_qp_ex ex; /* begins with the same */
	};
	uint64_t send_ops; /* that it was made for; 0: ibv_post_send() alone */
	struct fake_batch batch;
	struct ibv_qp_cap cap;
	struct ibv_qp_attr attr;
	struct fake_send *ring; /* [cap.max_send_wr] */
	uint64_t posted, done, freed;
	struct fake_receives receives;
	struct fake_pages pages[2]; /* of sends, of receives */
	bool scatters;
	struct fake_qp *next;
};

struct fake_ah {
	struct ibv_ah ah;
	struct ibv_ah_attr attr;
};

static inline struct fake_context *fake_context_of(struct ibv_context *context)
{
	return (struct fake_context *)((char *)context -
				       offsetof(struct fake_context, verbs.context));
}

static inline struct fake_device *fake_device_of(struct ibv_context *context)
{
	return fake_context_of(context)->device;
}

/* Reads, and atomic operations. */
static inline bool fake_reads(enum ibv_wr_opcode opcode)
{
	return opcode == IBV_WR_RDMA_READ || opcode == IBV_WR_ATOMIC_FETCH_AND_ADD ||
	       opcode == IBV_WR_ATOMIC_CMP_AND_SWP;
}

/* ---- fake_verbs.c ------------------------------------------------------------ */

void fake_lock(void);
void fake_unlock(void);

/* 0, or the errno that such a call has to fail with. */
int fake_refuses(struct fake_device *device, enum fake_call call);

/* Zeroed memory for an object that is alive from now on; and its end. */
void *fake_make(enum fake_kind kind, size_t size);
void fake_free(enum fake_kind kind, void *object);

/* Records what a program must not do. */
void fake_misuse(const char *what);

/* Result of releasing an object, which is released in any case: 0, or EIO if the device was
 * removed. */
int fake_released(struct ibv_context *context);

/* ---- fake_verbs_memory.c ----------------------------------------------------- */

/* Where the CPU has these bytes, if a key opens them for this access in this domain; else
 * NULL. */
unsigned char *fake_reach(const struct ibv_pd *pd, uint32_t key, bool remote,
			  uint64_t address, size_t length, unsigned access);

/* The function of struct verbs_context. */
int fake_advise_mr(struct ibv_pd *pd, enum ibv_advise_mr_advice advice, uint32_t flags,
		   struct ibv_sge *list, uint32_t count);

/* True if an address leads to this device. */
bool fake_leads_to(const struct ibv_ah *ah, const struct fake_device *device);

/* ---- fake_verbs_adapters.c --------------------------------------------------- */

/* Maps `entries` of `size` bytes, a power of two of them, and `rest` bytes, to the first
 * free pages.  Returns false, without an errno, where libsiw takes the place for a failure.
 */
bool fake_map(struct ibv_context *context, uint32_t entries, size_t size, size_t rest,
	      struct fake_pages *pages);
void fake_unmap(struct ibv_context *context, struct fake_pages *pages);

/* ---- fake_verbs_device.c ------------------------------------------------------- */

/* Number of GIDs of a device's port. */
uint32_t fake_count_gids(const struct fake_device *device);

/* ---- fake_verbs_queue.c ------------------------------------------------------ */

struct fake_qp *fake_find_qp(uint32_t number);
int fake_limit_rate(struct ibv_qp *qp, struct ibv_qp_rate_limit_attr *attr);

/* ---- fake_verbs_cq.c --------------------------------------------------------- */

void fake_complete(struct fake_cq *cq, const struct fake_entry *entry);
/* Drops what a queue pair has in a completion queue. */
void fake_forget(struct fake_cq *cq, const struct fake_qp *qp);

/* The functions of struct ibv_context_ops. */
int fake_poll_cq(struct ibv_cq *cq, int count, struct ibv_wc *wc);
int fake_req_notify_cq(struct ibv_cq *cq, int solicited);
int fake_modify_cq(struct ibv_cq *cq, struct ibv_modify_cq_attr *attr);

/* ---- fake_verbs_post.c, fake_verbs_wire.c ------------------------------------ */

int fake_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad);
int fake_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad);
int fake_post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr,
		       struct ibv_recv_wr **bad);

/* Posts all of a list, or none of it.  With the lock held. */
int fake_post_all(struct fake_qp *qp, const struct ibv_send_wr *wr);

/* ---- fake_verbs_wr.c */
struct ibv_qp *fake_create_qp_ex(struct ibv_context *context,
				 struct ibv_qp_init_attr_ex *attr);

/* Carries out all that can be. */
void fake_progress(void);

/* Everything that a queue pair holds is flushed, and whatever it is given. */
void fake_break(struct fake_qp *qp);

/* ---- fake_verbs_device.c ----------------------------------------------------- */

/* Sends an event to every open context of the device.  With the lock held. */
void fake_tell(const struct fake_device *device, const struct ibv_async_event *event);
