/*
 * ucx_private.h - endpoint of the UCX module, and functions shared by its files.
 *
 * Setup: ucx.c (options, pool), ucx_config.c, ucx_endpoint.c (context, worker, endpoint,
 * facts).
 * Timed: ucx_hot.h, ucx_control.c, and the code paths in ucx_messages.c and
 * ucx_one_sided.c.
 */
#pragma once

#include <stdio.h>
#include <ucp/api/ucp.h>

#include "contract/np_module.h"

/* -t, in the order of its values. */
enum np_ucx_transfer {
	NP_UCX_AM,     /* active messages */
	NP_UCX_TAG,    /* messages matched by tag */
	NP_UCX_STREAM, /* byte stream */
	NP_UCX_PUT,    /* RMA write */
	NP_UCX_GET,    /* RMA read */
	NP_UCX_TRANSFERS
};

enum np_ucx_completion { NP_UCX_POLL, NP_UCX_EVENT, NP_UCX_COMPLETIONS };
enum np_ucx_protocol { NP_UCX_AUTO, NP_UCX_EAGER, NP_UCX_RNDV, NP_UCX_PROTOCOLS };
enum np_ucx_reply { NP_UCX_REPLY_LOOP, NP_UCX_REPLY_HANDLER, NP_UCX_REPLIES };
enum np_ucx_registering { NP_UCX_REGISTER_NONE, NP_UCX_REGISTER_POOL, NP_UCX_REGISTERINGS };
enum np_ucx_allocating { NP_UCX_ALLOCATE_PROGRAM, NP_UCX_ALLOCATE_UCX, NP_UCX_ALLOCATINGS };
enum np_ucx_like { NP_UCX_LIKE_NETPONG, NP_UCX_LIKE_PERFTEST, NP_UCX_LIKES };
enum np_ucx_errors {
	NP_UCX_ERRORS_AUTO,
	NP_UCX_ERRORS_PEER,
	NP_UCX_ERRORS_NONE,
	NP_UCX_ERRORS
};

struct np_ucx_options {
	int transfer;	     /* enum np_ucx_transfer */
	int completion;	     /* enum np_ucx_completion */
	int protocol;	     /* enum np_ucx_protocol */
	int reply;	     /* enum np_ucx_reply */
	int registering;     /* enum np_ucx_registering */
	int allocating;	     /* enum np_ucx_allocating */
	int errors;	     /* enum np_ucx_errors */
	int like;	     /* enum np_ucx_like */
	const char *tls;     /* list of transports; empty: UCX chooses */
	const char *devices; /* list of network devices; empty: UCX chooses */
	const char *config; /* settings of the context, separated by semicolons; or empty */
};

/* Maximum of posted receives, and of control messages in flight. */
enum { NP_UCX_RING = 4096, NP_UCX_CONTROLS = 64 };

/* Kinds of control messages. */
enum np_ucx_control_kind {
	NP_UCX_HELLO,	 /* first message over the endpoint, in each direction */
	NP_UCX_ACK,	 /* acknowledgement; the end of one-sided operations */
	NP_UCX_CREDIT,	 /* value: receives posted in this block so far */
	NP_UCX_ANNOUNCED /* value: number of an arrived put */
};

/* Control message: header of an active message without payload. */
struct np_ucx_control {
	uint32_t kind, block;
	uint64_t value;
};

struct np_ucx;

/* Posted receive; entries are in the order of posting. */
struct np_ucx_receive {
	struct np_ucx *ucx;
	unsigned char *buffer;
	size_t slot;
	ucs_status_t status; /* UCS_INPROGRESS until the message is in the buffer */
};

/* Memory handles of the registrations of the pool (ucx.c). */
struct np_ucx_keys {
	struct np_region pool; /* its registrations: those here */
	uint64_t remote_base;
	ucp_mem_h *local;   /* [pool.registrations], or NULL: not registered */
	ucp_rkey_h *remote; /* [pool.registrations], or NULL */
};

struct np_ucx {
	struct np_endpoint endpoint;
	ucp_context_h context;
	ucp_worker_h worker;
	ucp_ep_h peer;
	int event_fd;	  /* the worker's, or -1 */
	int wake;	  /* eventfd with which interrupt() ends a sleep */
	bool peer_errors; /* UCP_ERR_HANDLING_MODE_PEER */

	/* Set by callbacks. */
	ucs_status_t failure; /* error of the endpoint or an operation; UCS_OK: none */
	uint64_t pending;     /* incomplete operations */
	bool greeted;	      /* NP_UCX_HELLO was received */
	uint64_t acks;	      /* received and not consumed */
	uint64_t announced;   /* number of the last put that was announced */

	/* Current block: its number, its messages, messages sent so far. */
	uint32_t block;
	uint64_t expected, sent;
	/* Flow control of a stream of active messages: number of messages of the block that
	 * the transmitter may send; the receiver grants more as it posts receives. */
	uint64_t allowed, next_grant, grant_step;
	uint64_t flushed; /* puts complete at the peer */

	struct np_ucx_receive *receives; /* [NP_UCX_RING] */
	uint64_t posted, arrived, received;
	bool replies; /* the handler sends the reply */

	uint32_t polls, poll_interval; /* empty polls; most of them between checks of the
					  stop flag */
	uint64_t send_limit;	       /* maximum of pending operations */

	/* Parameters of the armed size. */
	ucp_request_param_t send_param, recv_param, plain_param;
	struct np_ucx_keys keys;
	/* Memory that UCX has allocated for the pool, and its aligned begin; or NULL. */
	ucp_mem_h allocated;
	unsigned char *allocated_base;

	struct np_ucx_control controls[NP_UCX_CONTROLS];
	uint64_t control_turn;
};

static inline struct np_ucx *np_ucx_of(struct np_endpoint *endpoint)
{
	return (struct np_ucx *)endpoint;
}

static inline const struct np_ucx_options *np_ucx_options_of(const struct np_ucx *ucx)
{
	return ucx->endpoint.options;
}

/* List of transports or devices; "all" if not given. */
static inline const char *np_ucx_or_all(const char *text)
{
	return text != NULL ? text : "all";
}

extern const char *const np_ucx_transfer_names[NP_UCX_TRANSFERS + 1];

/* ---- ucx_endpoint.c ------------------------------------------------------ */

/* np_module.open: context, worker, and descriptors to sleep on; .connect, to the peer's
 * worker; .close. */
int np_ucx_open(struct np_endpoint *endpoint);
int np_ucx_connect(struct np_endpoint *endpoint);
void np_ucx_close(struct np_endpoint *endpoint);

/* np_device_hooks.list; np_module.describe. */
int np_ucx_list(const void *options, struct np_facts *facts, struct np_error *error);
void np_ucx_describe(struct np_endpoint *endpoint, struct np_facts *facts);

/* Captures the output of print(stream, of) in a string, which the caller frees.  NULL
 * without memory. */
char *np_ucx_printed(void (*print)(FILE *, void *), void *of);

/* ---- ucx_config.c -------------------------------------------------------- */

/* np_module.check_variable. */
int np_ucx_check_variable(const char *name, struct np_error *error);

/* Reads the configuration of UCX and applies --config; adds the resulting values of changed
 * settings to facts, unless NULL.  Returns 0 and *config, which the caller releases, or
 * -errno with the error. */
int np_ucx_read_config(const struct np_ucx_options *options, ucp_config_t **config,
		       struct np_facts *facts, struct np_error *error);

/* Adds the settings of --config and their values as facts; facts NULL: only checks
 * --config.  Returns 0 or -errno with the error. */
int np_ucx_describe_config(const struct np_ucx_options *options, struct np_facts *facts,
			   struct np_error *error);

/* ---- ucx_control.c ------------------------------------------------------- */

/* Installs the handlers of active messages. */
int np_ucx_set_handlers(struct np_ucx *ucx);

/* Callback of an operation without local data: decrements `pending`. */
void np_ucx_on_complete(void *request, ucs_status_t status, void *ucx);

/* np_module.progress: UCX progresses only when called. */
int np_ucx_progress_once(struct np_endpoint *endpoint);

int np_ucx_send_control(struct np_ucx *ucx, enum np_ucx_control_kind kind, uint64_t value)
	__attribute__((noinline));

/* Sends credits for posted receives to the transmitter. */
int np_ucx_grant(struct np_ucx *ucx) __attribute__((noinline));

/* Sleeps until the worker has an event. */
int np_ucx_sleep(struct np_ucx *ucx) __attribute__((noinline));

/* Yields the CPU and checks the stop flag during a long wait. */
int np_ucx_pause(struct np_ucx *ucx) __attribute__((noinline));

/* Set the endpoint's error from ucx->failure, or from the result of a call. */
int np_ucx_report(struct np_ucx *ucx) __attribute__((cold, noinline));
int np_ucx_failed(struct np_ucx *ucx, ucs_status_t status, const char *call)
	__attribute__((cold, noinline));

/* Completes all operations, in the peer's memory as well. */
int np_ucx_flush_peer(struct np_ucx *ucx, bool sleeps);

/* np_hot.send_ack of all code paths. */
int np_ucx_send_ack(struct np_endpoint *endpoint);

/* ---- the code paths ------------------------------------------------------ */

/* Handlers of a message, ucx_messages.c: one that copies eager data to the receive buffer,
 * and one that leaves it where UCX has it. */
ucs_status_t np_ucx_on_message(void *ucx, const void *header, size_t header_length,
			       void *data, size_t length, const ucp_am_recv_param_t *param);
ucs_status_t np_ucx_on_message_left(void *ucx, const void *header, size_t header_length,
				    void *data, size_t length,
				    const ucp_am_recv_param_t *param);

/* True if UCX allocates the pool. */
static inline bool np_ucx_allocates(const struct np_ucx_options *options)
{
	return options->allocating == NP_UCX_ALLOCATE_UCX ||
	       options->like == NP_UCX_LIKE_PERFTEST;
}

/* Code paths: -t am, tag and stream; put in both directions; put or get by one process. */
const struct np_code_path *np_ucx_messages(struct np_ucx *ucx, bool sleeps);
const struct np_code_path *np_ucx_put(bool sleeps);
const struct np_code_path *np_ucx_one_sided(struct np_ucx *ucx, bool sleeps);
