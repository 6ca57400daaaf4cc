/*
 * fault.c - NPfault, fault injection into another module; for tests only.
 *
 * Tests use NPfault for a transport that fails, delays, loses or corrupts a message, and
 * for a process that stops or dies.  The module passes every hook on to the module that
 * --wrap names, with default options, and injects one fault, in one call of one hook of
 * one rank; a lag in each call from that one on, or a cold start in each up to it.  Calls
 * are counted from open() on; without NP_CAN_RECONNECT there is one open() per run.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "fault_private.h"

struct fault {
	struct np_endpoint endpoint;
	struct np_endpoint *inner; /* NULL before open() */
	void *inner_options;
	bool inner_opened;
	uint64_t calls[PLACES];
	uint64_t posts;
	unsigned char *old; /* content of the buffer before a stale message */
};

static struct fault *fault_of(struct np_endpoint *endpoint)
{
	return (struct fault *)endpoint;
}

/* Counts the call; true if the fault is to be injected into it. */
static bool is_due(struct fault *fault, enum fault_place place)
{
	const struct fault_options *options = fault->endpoint.options;

	if (options->kind == FAULT_NONE || options->place != (int)place ||
	    options->rank != (uint64_t)fault->endpoint.rank)
		return false;
	const uint64_t call = ++fault->calls[place];

	return call == options->at || (options->kind == FAULT_LAG && call > options->at) ||
	       (options->kind == FAULT_COLD && call < options->at);
}

/* Uses the CPU for twice the lag, which is that of one way, as a slow layer. */
static void lag(const struct fault_options *options)
{
	const uint64_t end = np_clock_ns() + 2 * options->lag_us * 1000;

	while (np_clock_ns() < end)
		;
}

/* Injects the fault before a hook is passed on, if due; *kind is for faults that the
 * caller injects.  Returns nonzero if the hook is to return that. */
static int inject(struct fault *fault, enum fault_place place, enum fault_kind *kind)
{
	const struct fault_options *options = fault->endpoint.options;
	const struct timespec late = { .tv_nsec = 50000000 };

	*kind = is_due(fault, place) ? (enum fault_kind)options->kind : FAULT_NONE;
	switch (*kind) {
	case FAULT_FAIL:
		return np_fail(&fault->endpoint.error, NP_ERROR_FAILED, EIO,
			       "call %llu of %s fails, as asked for",
			       (unsigned long long)options->at,
			       np_fault_place_names[place]);
	case FAULT_DELAY:
		nanosleep(&late, NULL);
		return 0;
	case FAULT_LAG:
	case FAULT_COLD:
		lag(options);
		return 0;
	case FAULT_STALL:
		raise(SIGSTOP);
		return 0;
	case FAULT_DIE:
		raise(SIGKILL);
		return 0;
	default:
		return 0;
	}
}

/* Copies the error of the wrapped module. */
static int pass(struct fault *fault, int code)
{
	const struct np_error *said = &fault->inner->error;

	if (code != 0 && said->code != 0)
		np_fail(&fault->endpoint.error, said->kind, said->code, "%s", said->text);
	return code;
}

static int open_endpoint(struct np_endpoint *endpoint)
{
	struct fault *fault = fault_of(endpoint);
	const struct fault_options *options = endpoint->options;
	const struct np_module *module = NULL;
	enum fault_kind kind;
	int rc = np_fault_find_inner(options, &module, &fault->inner_options,
				     &endpoint->error);

	if (rc == 0)
		rc = inject(fault, IN_OPEN, &kind);
	if (rc != 0)
		return rc;
	fault->inner = calloc(1, module->endpoint_size);
	if (fault->inner == NULL)
		return np_fail_errno(&endpoint->error, ENOMEM,
				     "cannot allocate an endpoint");
	*fault->inner = (struct np_endpoint){
		.module = module,
		.options = fault->inner_options,
		.boot = endpoint->boot,
		.rank = endpoint->rank,
		.share_core = endpoint->share_core,
		.stop = endpoint->stop,
		.socket = -1,
		.wake = endpoint->wake,
	};
	fault->inner_opened = true;
	return module->open != NULL ? pass(fault, module->open(fault->inner)) : 0;
}

static int connect_endpoint(struct np_endpoint *endpoint)
{
	struct fault *fault = fault_of(endpoint);
	enum fault_kind kind;
	int rc = inject(fault, IN_CONNECT, &kind);

	if (rc == 0)
		rc = pass(fault, fault->inner->module->connect(fault->inner));
	endpoint->longest = fault->inner->longest;
	return rc;
}

static void close_endpoint(struct np_endpoint *endpoint)
{
	struct fault *fault = fault_of(endpoint);

	if (fault->inner_opened)
		fault->inner->module->close(fault->inner);
	fault->inner_opened = false;
	free(fault->inner);
	free(fault->inner_options);
	free(fault->old);
	fault->inner = NULL;
	fault->inner_options = NULL;
	fault->old = NULL;
}

static int reg(struct np_endpoint *endpoint, struct np_region *region)
{
	struct fault *fault = fault_of(endpoint);
	enum fault_kind kind;
	const int rc = inject(fault, IN_REG, &kind);

	if (rc != 0 || fault->inner->module->reg == NULL)
		return rc;
	return pass(fault, fault->inner->module->reg(fault->inner, region));
}

static void unreg(struct np_endpoint *endpoint, struct np_region *region)
{
	struct np_endpoint *inner = fault_of(endpoint)->inner;

	if (inner != NULL && inner->module->unreg != NULL)
		inner->module->unreg(inner, region);
}

/* ---- The hot hooks -------------------------------------------------------- */

static const struct np_hot *inner_hot(const struct fault *fault)
{
	return fault->inner->code_path->hot;
}

/* Receives are posted in the order of the messages, and a posted buffer may change at any
 * time: the content for the n-th message is copied here. */
static int post_recv(struct np_endpoint *endpoint, size_t slot)
{
	struct fault *fault = fault_of(endpoint);
	const struct fault_options *options = endpoint->options;

	if (fault->old != NULL && ++fault->posts == options->at)
		memcpy(fault->old, endpoint->transfer->slots[slot].recv,
		       endpoint->transfer->length);
	return pass(fault, inner_hot(fault)->post_recv(fault->inner, slot));
}

static int send_message(struct np_endpoint *endpoint, size_t slot)
{
	struct fault *fault = fault_of(endpoint);
	enum fault_kind kind;
	const int rc = inject(fault, IN_SEND, &kind);

	if (rc != 0 || kind == FAULT_DROP)
		return rc;
	return pass(fault, inner_hot(fault)->send(fault->inner, slot));
}

static int recv_message(struct np_endpoint *endpoint, size_t slot)
{
	struct fault *fault = fault_of(endpoint);
	const size_t length = endpoint->transfer->length;
	unsigned char *buffer = endpoint->transfer->slots[slot].recv;
	enum fault_kind kind;
	int rc = inject(fault, IN_RECV, &kind);

	if (rc == 0)
		rc = pass(fault, inner_hot(fault)->recv(fault->inner, slot));
	if (rc != 0 || length == 0)
		return rc;
	if (kind == FAULT_CORRUPT)
		buffer[length / 2] ^= 0x10;
	if (kind == FAULT_STALE)
		memcpy(buffer, fault->old, length);
	return 0;
}

static int flush(struct np_endpoint *endpoint)
{
	struct fault *fault = fault_of(endpoint);

	return pass(fault, inner_hot(fault)->flush(fault->inner));
}

static int send_ack(struct np_endpoint *endpoint)
{
	struct fault *fault = fault_of(endpoint);

	return pass(fault, inner_hot(fault)->send_ack(fault->inner));
}

static int recv_ack(struct np_endpoint *endpoint)
{
	struct fault *fault = fault_of(endpoint);

	return pass(fault, inner_hot(fault)->recv_ack(fault->inner));
}

static int step(struct np_endpoint *endpoint, size_t slot)
{
	struct fault *fault = fault_of(endpoint);

	return pass(fault, inner_hot(fault)->step(fault->inner, slot));
}

static const struct np_hot hot = {
	.post_recv = post_recv,
	.send = send_message,
	.recv = recv_message,
	.flush = flush,
	.send_ack = send_ack,
	.recv_ack = recv_ack,
	.step = step,
};

/* No loops: the driver runs the generic ones over these hooks. */
static const struct np_code_path wrapped = { .name = "wrapped", .hot = &hot };

/* ---- Around the loops ------------------------------------------------------- */

/* Allocates `old` if a stale message is to be injected. */
static int allocate_old(struct fault *fault, size_t length)
{
	const struct fault_options *options = fault->endpoint.options;

	if (options->kind != FAULT_STALE || options->rank != (uint64_t)fault->endpoint.rank)
		return 0;
	free(fault->old);
	fault->old = calloc(1, length + 1);
	return fault->old != NULL ? 0 :
				    np_fail_errno(&fault->endpoint.error, ENOMEM,
						  "cannot keep a message");
}

static int arm(struct np_endpoint *endpoint, const struct np_transfer *transfer)
{
	struct fault *fault = fault_of(endpoint);
	enum fault_kind kind;
	int rc = inject(fault, IN_ARM, &kind);

	if (rc == 0)
		rc = allocate_old(fault, transfer->length);
	if (rc != 0)
		return rc;
	endpoint->transfer = transfer;
	endpoint->code_path = &wrapped;
	fault->inner->transfer = transfer;
	if (fault->inner->module->arm == NULL)
		return 0;
	return pass(fault, fault->inner->module->arm(fault->inner, transfer));
}

static void disarm(struct np_endpoint *endpoint)
{
	struct np_endpoint *inner = fault_of(endpoint)->inner;

	if (inner != NULL && inner->module->disarm != NULL)
		inner->module->disarm(inner);
}

static int begin(struct np_endpoint *endpoint, uint64_t messages, uint64_t batches)
{
	struct fault *fault = fault_of(endpoint);
	struct np_endpoint *inner = fault->inner;

	inner->ring_begin = endpoint->ring_begin;
	inner->ring_end = endpoint->ring_end;
	inner->queue_pairs = endpoint->queue_pairs;
	inner->queue_pair = endpoint->queue_pair;
	if (inner->module->begin == NULL)
		return 0;
	return pass(fault, inner->module->begin(inner, messages, batches));
}

static int progress(struct np_endpoint *endpoint)
{
	struct fault *fault = fault_of(endpoint);
	struct np_endpoint *inner = fault->inner;

	return inner->module->progress == NULL ?
		       np_no_hook(inner) :
		       pass(fault, inner->module->progress(inner));
}

static void interrupt(struct np_endpoint *endpoint)
{
	np_interrupt(fault_of(endpoint)->inner);
}

static void describe(struct np_endpoint *endpoint, struct np_facts *facts)
{
	struct np_endpoint *inner = fault_of(endpoint)->inner;

	np_facts_add(facts, "wrapped_module", "%s", inner->module->name);
	if (inner->module->describe != NULL)
		inner->module->describe(inner, facts);
}

static size_t count(struct np_endpoint *endpoint, struct np_counter *counters)
{
	struct np_endpoint *inner = fault_of(endpoint)->inner;

	return inner->module->count != NULL ? inner->module->count(inner, counters) : 0;
}

const struct np_module np_module_fault = {
	NP_MODULE_NAMED("fault"),
	.summary = "another module, with one fault in it; for tests",
	.capabilities = NP_CAN_STREAM | NP_CAN_BIDIRECTIONAL | NP_CAN_ZERO_BYTES |
			NP_POSTS_RECEIVES,
	.endpoint_size = sizeof(struct fault),
	.options_size = sizeof(struct fault_options),
	.options = np_fault_options,
	.check = np_fault_check,
	.open = open_endpoint,
	.connect = connect_endpoint,
	.reg = reg,
	.unreg = unreg,
	.arm = arm,
	.disarm = disarm,
	.begin = begin,
	.progress = progress,
	.close = close_endpoint,
	.interrupt = interrupt,
	.describe = describe,
	.count = count,
};
