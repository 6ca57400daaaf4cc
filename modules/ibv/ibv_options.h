/*
 * ibv_options.h - the options of NPibv, and what follows from them alone.
 */
#pragma once

#include <infiniband/verbs.h>

#include "contract/np_module.h"

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

/* Access flags of a queue pair and a memory region. */
static inline int np_ibv_access(int transport)
{
	return IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
	       (np_ibv_is_atomic(transport) ? IBV_ACCESS_REMOTE_ATOMIC : 0);
}

/* --connection, in the order of its values; the last three are refused by name. */
enum np_ibv_connection {
	NP_IBV_RC,
	NP_IBV_UC,
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
	NP_IBV_REGISTER_POOL, /* the pool, before the timed blocks */
	NP_IBV_REGISTER_EACH, /* each buffer, around its message */
	NP_IBV_REGISTER_COST, /* the blocks time registration only */
	NP_IBV_REGISTERINGS
};

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
	uint64_t send_depth;	  /* 0: 128, or the device's limit */
	uint64_t recv_depth;	  /* 0: 512, or the device's limit */
	uint64_t signal_every;	  /* 0: a quarter of the send depth, at most 32 */
	uint64_t retry, rnr_retry, rnr_timer, timeout;
	uint64_t qps, vector;
	int posting;	    /* enum np_ibv_posting */
	uint64_t post_list; /* work requests of one call */
	bool relaxed_ordering, on_demand, srq, rdmacm;
	const char *moderation; /* "COUNT,USEC"; empty: none */
	int registering;	/* enum np_ibv_registering */
};

static inline uint64_t np_ibv_send_depth(const struct np_ibv_options *options)
{
	const uint64_t usual = options->qps > NP_IBV_QPS_FEW ? 16 : 128;

	return options->send_depth != 0 ? options->send_depth : usual;
}

static inline uint64_t np_ibv_recv_depth(const struct np_ibv_options *options)
{
	const uint64_t usual = options->qps > NP_IBV_QPS_FEW ? 32 : 512;

	return options->recv_depth != 0 ? options->recv_depth : usual;
}

/* True if a text option was given. */
static inline bool np_ibv_is_given(const char *text)
{
	return text != NULL && text[0] != '\0';
}

/* ---- ibv_options.c ---------------------------------------------------------- */

extern const struct np_option np_ibv_options_table[];
extern const char *const np_ibv_transport_names[NP_IBV_TRANSPORTS + 1];

static inline int np_ibv_refuse(struct np_error *error, const char *option,
				const char *reason)
{
	return np_refuse(error, "%s: module ibv: %s", option, reason);
}

/* The module's check(): np_module.h. */
int np_ibv_check(const void *options, struct np_request *request, struct np_error *error);

/* ---- ibv_lock.c, ibv_gpu.c: parts of it ------------------------------------------ */

/* RLIMIT_MEMLOCK bounds the pool, which must hold at least one buffer pair. */
int np_ibv_check_lockable(const struct np_ibv_options *options, struct np_request *request,
			  struct np_error *error);
/* Exclusions of memory of a GPU. */
int np_ibv_check_gpu(const struct np_ibv_options *options, const struct np_request *request,
		     struct np_error *error);

/* ---- ibv_completion.c --------------------------------------------------------- */

extern const char *const np_ibv_completion_names[NP_IBV_COMPLETIONS];

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
