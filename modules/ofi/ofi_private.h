/*
 * ofi_private.h - endpoint of the libfabric module, and functions shared by its files.
 *
 * Setup: ofi.c (options, provider, facts), ofi_endpoint.c (endpoint, peer, memory).  Timed:
 * ofi_paths.c.
 */
#pragma once

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <rdma/fi_tagged.h>

#include "contract/np_module.h"

/* -t, in the order of its values, and one more kind of operation. */
enum np_ofi_kind {
	NP_OFI_MSG,    /* messages matched in order */
	NP_OFI_TAGGED, /* messages matched by tag */
	NP_OFI_WRITE,  /* RMA write; with remote completion data if the peer waits */
	NP_OFI_READ,   /* RMA read */
	NP_OFI_TRANSFERS,
	NP_OFI_PUT = NP_OFI_TRANSFERS, /* RMA write of a process alone */
	NP_OFI_KINDS
};

enum np_ofi_completion { NP_OFI_POLL, NP_OFI_EVENT, NP_OFI_COUNTER, NP_OFI_COMPLETIONS };
enum np_ofi_registering {
	NP_OFI_REGISTER_NONE,
	NP_OFI_REGISTER_POOL,
	NP_OFI_REGISTER_EACH,
	NP_OFI_REGISTERINGS
};

struct np_ofi_options {
	int transfer;	      /* enum np_ofi_kind */
	int completion;	      /* enum np_ofi_completion */
	int registering;      /* enum np_ofi_registering */
	int endpoint;	      /* 0: FI_EP_RDM, 1: FI_EP_MSG */
	int inject;	      /* 0: up to the limit of the provider, 1: never */
	const char *provider; /* empty: libfabric chooses */
	const char *domain;   /* of this process; empty: libfabric chooses */
};

/* Maximum of posted receives and of sends in flight, for which the ring and the pool have
 * entries. */
enum { NP_OFI_RING = 1024 };

/* Operation in flight: its context, in which a provider may keep state. */
struct np_ofi_op {
	struct fi_context2 context;
	struct np_ofi_op *next; /* next free operation of the pool of sends */
	struct fid_mr *region;	/* --register each: registration of a receive buffer */
	bool sends;
	bool done;
};

/* Registrations of the pool.  Both processes divide their pools equally: a buffer is in the
 * part of the same index in both. */
struct np_ofi_keys {
	struct np_region pool;
	struct fid_mr **local; /* [pool.registrations], or NULL: not registered */
	void **descriptors;    /* [pool.registrations], or NULL: the provider registers by
				  itself */
	struct np_ofi_remote {
		uint64_t base, key;
	} * remote; /* [pool.registrations], or NULL */
};

struct np_ofi {
	struct np_endpoint endpoint;
	struct fi_info *info;
	struct fid_fabric *fabric;
	struct fid_eq *events;	  /* of connections; FI_EP_MSG only */
	struct fid_pep *listener; /* rank 1 of FI_EP_MSG */
	struct fid_domain *domain;
	struct fid_av *addresses; /* FI_EP_RDM only */
	struct fid_cq *queue;
	struct fid_cntr *sends, *receives; /* NP_OFI_COUNTER only */
	struct fid_ep *ep;
	fi_addr_t peer;
	int event_fd; /* of the queue, or -1 */

	/* In flight: `started` and `pending` count sends and RMA operations, of the run and
	 * incomplete.  rx_read and rx_taken: completed receives of the run, read from their
	 * counter, and consumed. */
	uint64_t started, pending;
	uint64_t rx_read, rx_taken;
	uint64_t arrived; /* remote writes that were notified, in this block */
	struct np_ofi_op *free;

	uint64_t posted, received;     /* receives of this block */
	uint32_t polls, poll_interval; /* empty polls; most of them between checks of the
					  stop flag */
	uint64_t send_limit;	       /* maximum of pending operations */
	uint64_t next_key;
	bool ack_posted;

	struct np_ofi_keys keys;
	struct np_ofi_op *ring; /* [NP_OFI_RING], receives in the order of posting */
	struct np_ofi_op *pool; /* [NP_OFI_RING], sends */
	struct np_ofi_op ack;
	unsigned char byte; /* where acknowledgements of no bytes are received */
};

static inline struct np_ofi *np_ofi_of(struct np_endpoint *endpoint)
{
	return (struct np_ofi *)endpoint;
}

static inline const struct np_ofi_options *np_ofi_options_of(const struct np_ofi *ofi)
{
	return ofi->endpoint.options;
}

/* True for reads and writes of the peer's memory. */
static inline bool np_ofi_is_remote(int kind)
{
	return kind >= NP_OFI_WRITE;
}

/* ---- ofi.c --------------------------------------------------------------- */

/* Sets `info` to the endpoint of this host that serves the options.  Returns 0, or -errno
 * with the error: why no provider does. */
int np_ofi_choose(struct np_ofi *ofi);

/* ---- ofi_endpoint.c: hooks of the module, and ---------------------------- */

int np_ofi_open(struct np_endpoint *endpoint);
int np_ofi_connect(struct np_endpoint *endpoint);
void np_ofi_close(struct np_endpoint *endpoint);
int np_ofi_reg(struct np_endpoint *endpoint, struct np_region *region);
void np_ofi_unreg(struct np_endpoint *endpoint, struct np_region *region);

/* Registers a range with the access that -t needs.  Returns NULL with the error. */
struct fid_mr *np_ofi_register(struct np_ofi *ofi, void *base, size_t length);

/* ---- ofi_paths.c --------------------------------------------------------- */

/* Sets the endpoint's error from the result of a call, unless that is 0.  Returns 0 or
 * -errno. */
int np_ofi_checked(struct np_ofi *ofi, ssize_t result, const char *call)
	__attribute__((cold, noinline));

/* Posts the receive of an acknowledgement, unless one is posted. */
int np_ofi_expect_ack(struct np_ofi *ofi);

/* Sends a message of no bytes and receives the peer's, which connects the endpoints. */
int np_ofi_greet(struct np_ofi *ofi);

/* np_module.progress: most providers progress only when called. */
int np_ofi_progress_once(struct np_endpoint *endpoint);

/* Code path of the armed size. */
const struct np_code_path *np_ofi_path(const struct np_ofi *ofi);
