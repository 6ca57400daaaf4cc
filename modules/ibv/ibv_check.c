/*
 * ibv_check.c - checks the options for exclusions, and sets the request from them.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ibv_private.h"

enum {
	STREAM_WINDOW = 128,	 /* messages; covers a round trip */
	MODERATION_MOST = 65535, /* 16-bit fields of struct ibv_moderate_cq */
	GID_INDEX_MOST = 255,	 /* 8-bit field of struct ibv_global_route */
	INLINE_MOST = 1 << 16
};

/* ---- values that no range expresses ------------------------------------------ */

static int check_moderation(const char *text, struct np_error *error)
{
	unsigned long count, microseconds = 0;
	char *end;

	if (!np_ibv_is_given(text))
		return 0;
	const char *comma = strchrnul(text, ',');

	count = strtoul(text, &end, 10);
	if (end == comma && *comma == ',')
		microseconds = strtoul(comma + 1, &end, 10);
	/* strtoul() also accepts signs, blanks and an empty string. */
	if (*comma == '\0' || *end != '\0' || !isdigit((unsigned char)text[0]) ||
	    !isdigit((unsigned char)comma[1]))
		return np_refuse(
			error, "--cq-moderation: '%.32s' is not two numbers as 16,8", text);
	if (count > MODERATION_MOST || microseconds > MODERATION_MOST)
		return np_refuse(error,
				 "--cq-moderation: %lu,%lu is out of range (0 to %d each)",
				 count, microseconds, MODERATION_MOST);
	return 0;
}

/* "auto" or a number up to `most`. */
static int check_automatic(const char *option, const char *text, uint64_t most,
			   struct np_error *error)
{
	uint64_t value = 0;

	if (!np_ibv_is_given(text) || strcmp(text, "auto") == 0)
		return 0;
	if (np_parse_size(text, &value) != 0)
		return np_refuse(error, "%s: '%.32s' is neither auto nor a number", option,
				 text);
	if (value > most)
		return np_refuse(error,
				 "%s: %" PRIu64 " is out of range (auto, or 0 to %" PRIu64
				 ")",
				 option, value, most);
	return 0;
}

static int check_values(const struct np_ibv_options *options, struct np_error *error)
{
	int rc = check_moderation(options->moderation, error);

	if (rc == 0)
		rc = check_automatic("--gid-index", options->gid_index, GID_INDEX_MOST,
				     error);
	if (rc == 0)
		rc = check_automatic("--inline", options->inline_limit, INLINE_MOST, error);
	if (rc != 0)
		return rc;
	if (options->mtu != 0 && np_ibv_mtu_of(options->mtu) == 0)
		return np_refuse(error, "-m: %zu is none of 256, 512, 1024, 2048 and 4096",
				 options->mtu);
	/* A queue full of unsignalled requests would never drain; half a queue leaves
	 * the other half for posting. */
	if (options->send_depth != 0 && options->signal_every > options->send_depth / 2)
		return np_refuse(error,
				 "--signal-every %" PRIu64
				 " is more than half of --send-depth %" PRIu64,
				 options->signal_every, options->send_depth);
	return 0;
}

/* ---- exclusions -------------------------------------------------------------- */

static bool is_send(int transport)
{
	return transport == NP_IBV_SEND || transport == NP_IBV_SEND_IMM;
}

/* Unsupported types of queue pairs, and exclusions of unreliable connections. */
static int check_connection(const struct np_ibv_options *options, struct np_error *error)
{
	switch (options->connection) {
	case NP_IBV_XRC:
		return np_ibv_refuse(
			error, "--connection xrc",
			"it saves queue pairs where a host has many processes, and here "
			"is one: its path is that of rc");
	case NP_IBV_DC:
		return np_ibv_refuse(
			error, "--connection dc",
			"libibverbs has no DC, only the library of mlx5 adapters has: "
			"rc or uc");
	case NP_IBV_SRD:
		return np_ibv_refuse(
			error, "--connection srd",
			"libibverbs has no SRD, only the library of EFA adapters has, "
			"and it keeps no order: -t ud");
	case NP_IBV_RC:
		return 0;
	default:
		break;
	}
	if (np_ibv_gets(options->transport))
		return np_ibv_refuse(error, "--connection uc",
				     "it has no RDMA reads and no atomic operations");
	if (options->transport == NP_IBV_UD)
		return np_ibv_refuse(error, "--connection uc", "-t ud has no connection");
	if (options->srq || options->rdmacm)
		return np_ibv_refuse(error, "--connection uc",
				     "--srq and --rdmacm are of reliable connections");
	return 0;
}

static int check_resources(const struct np_ibv_options *options, struct np_error *error)
{
	const int transport = options->transport;
	const int rc = check_connection(options, error);

	if (rc != 0)
		return rc;
	if (options->srq && !is_send(transport) && transport != NP_IBV_UD)
		return np_ibv_refuse(
			error, "--srq",
			"only -t send_recv, send_recv_with_imm and ud take receives "
			"from a queue that may be shared");
	if (options->srq && options->qps != 1)
		return np_ibv_refuse(
			error, "--srq",
			"several queue pairs would take each other's receives, and "
			"messages would land in the wrong buffers: --qps 1");
	if (options->srq && options->registering != NP_IBV_REGISTER_POOL)
		return np_ibv_refuse(error, "--srq", "it goes with --register pool only");
	if (options->rdmacm && transport == NP_IBV_UD)
		return np_ibv_refuse(error, "--rdmacm",
				     "it connects, and datagrams have no "
				     "connection: -t ud goes without it");
	if (options->registering == NP_IBV_REGISTER_EACH && !is_send(transport))
		return np_ibv_refuse(
			error, "--register each",
			"the remote key would have to travel before each message: -t "
			"send_recv or send_recv_with_imm");
	return 0;
}

/* A list is posted to one queue pair, once it is full. */
static int check_post_list(const struct np_ibv_options *options,
			   const struct np_request *request, struct np_error *error)
{
	static const char *const option = "--post-list";

	if (options->post_list == 1)
		return 0;
	if (request->operation != NP_STREAM || options->registering != NP_IBV_REGISTER_POOL)
		return np_ibv_refuse(error, option,
				     "only a stream of registered buffers has several "
				     "messages to post at once: -s");
	if (options->qps != 1)
		return np_ibv_refuse(error, option,
				     "a list is posted to one queue pair: --qps 1");
	if (options->post_list > np_ibv_send_depth(options) / 2 ||
	    options->post_list > request->window / 2)
		return np_refuse(
			error,
			"--post-list %" PRIu64
			": module ibv: a list has at most half of --send-depth (%" PRIu64
			") and of --window (%zu)",
			options->post_list, np_ibv_send_depth(options), request->window);
	return 0;
}

/* Exclusions of --post wr: code paths that do not exist. */
static int check_posting(const struct np_ibv_options *options, struct np_request *request,
			 struct np_error *error)
{
	if (options->posting != NP_IBV_POST_WR)
		return 0;
	if (options->srq || options->registering != NP_IBV_REGISTER_POOL)
		return np_ibv_refuse(
			error, "--post wr",
			"it goes without --srq, and only with --register pool");
	request->capabilities &= ~(unsigned)NP_CAN_BURST;
	return 0;
}

/* Each message in flight of a stream needs a posted receive; where a sweep has blocks by
 * one queue pair, a receive of that queue pair. */
static int check_window(const struct np_ibv_options *options, struct np_request *request,
			struct np_error *error)
{
	const uint64_t depth = np_ibv_recv_depth(options);
	const bool fits = !request->sweeps || options->qps == 1 ||
			  options->transport == NP_IBV_WRITE ||
			  np_ibv_gets(options->transport);
	const uint64_t most = fits ? UINT64_MAX : depth > 3 ? depth - 2 : 1;

	if (request->operation != NP_STREAM)
		return 0;
	if (request->window > most)
		return np_refuse(error,
				 "--window %zu: module ibv: --capacity sends by one of the "
				 "queue pairs, too, which has %" PRIu64
				 " receives: --recv-depth %zu",
				 request->window, depth, request->window + 2);
	if (request->window == 0)
		request->window = most < STREAM_WINDOW ? (size_t)most : STREAM_WINDOW;
	return 0;
}

static int check_get(int transport, struct np_request *request, struct np_error *error)
{
	static const char *const names[NP_IBV_TRANSPORTS][2] = {
		[NP_IBV_READ] = { "get", "get_stream" },
		[NP_IBV_FETCH_ADD] = { "fetch_and_add", "fetch_and_add_stream" },
		[NP_IBV_COMPARE_SWAP] = { "compare_and_swap", "compare_and_swap_stream" },
	};
	const bool stream = request->operation == NP_STREAM;

	if (request->operation == NP_BIDIRECTIONAL)
		return np_ibv_refuse(error, "-2",
				     "a read or atomic operation is one-sided: only the "
				     "transmitter works");
	if (request->operation == NP_STREAM_ACKED)
		return np_ibv_refuse(
			error, "--each-acked",
			"a read or atomic operation is one-sided: nobody is there to "
			"acknowledge");
	request->one_size = np_ibv_is_atomic(transport);
	if (request->one_size)
		request->smallest = request->largest = sizeof(uint64_t);
	if (request->smallest == 0)
		return np_ibv_refuse(error, "-l 0",
				     "an RDMA read of no bytes reads nothing");
	/* Latency of a get: one read at a time. */
	if (!stream && request->window > 1)
		return np_ibv_refuse(error, "--window",
				     "without -s each operation waits for the one before");
	if (request->window == 0)
		request->window = stream ? STREAM_WINDOW : 1;
	np_request_one_sided(request, NP_ONE_SIDED_GET, names[transport][stream]);
	return 0;
}

/* --register cost moves no messages: options about messages are refused. */
static int check_cost(const struct np_ibv_options *options, struct np_request *request,
		      struct np_error *error)
{
	static const char *const option = "--register cost";

	if (request->operation != NP_PINGPONG)
		return np_ibv_refuse(error, option,
				     "no message moves: it goes without -s and -2");
	if (request->integrity)
		return np_ibv_refuse(error, option,
				     "no message moves: -i has nothing to check");
	if (np_ibv_is_given(options->completion))
		return np_ibv_refuse(error, option,
				     "nothing completes: it goes without -c");
	request->variants[0] = "ibv_reg_mr";
	request->variants[1] = "ibv_dereg_mr";
	request->variant_count = 2;
	request->window = 1;
	np_request_one_sided(request, NP_ONE_SIDED_NONE, "registration");
	return 0;
}

/* Memory poll needs a last byte. */
static int check_empty(bool polls_byte, struct np_error *error)
{
	return polls_byte ?
		       np_ibv_refuse(
			       error, "-l 0",
			       "-c local_poll waits for the last byte, and such a message "
			       "has none: -t rdma_write_with_imm -c poll") :
		       0;
}

static int check_completion_modes(const struct np_ibv_options *options,
				  struct np_request *request, struct np_error *error)
{
	enum np_ibv_completion list[NP_IBV_COMPLETIONS] = { NP_IBV_POLL };
	const bool stream = request->operation == NP_STREAM;
	const int count = np_ibv_completions(options, request->operation == NP_ONE_SIDED,
					     list, error);
	bool polls_byte = false;

	if (count < 0)
		return count;
	for (int i = 0; i < count; i++) {
		polls_byte |= list[i] == NP_IBV_LOCAL_POLL;
		request->variants[i] = np_ibv_completion_names[list[i]];
	}
	request->variant_count = count > 1 ? (size_t)count : 0;
	if (count == 1 && np_ibv_other_completion(options, list[0]) != NP_IBV_COMPLETIONS) {
		request->waits[0] = np_ibv_completion_names[list[0]];
		request->waits[1] =
			np_ibv_completion_names[np_ibv_other_completion(options, list[0])];
	}
	if (polls_byte && options->qps > 1)
		return np_ibv_refuse(
			error, "-c local_poll",
			"it relies on the order that one queue pair keeps: --qps 1");
	if (polls_byte && options->relaxed_ordering)
		return np_ibv_refuse(
			error, "-c local_poll",
			"with --relaxed-ordering the last byte may show before the "
			"others: -c poll or event");
	if (polls_byte && request->memory != NP_MEMORY_HOST)
		return np_ibv_refuse(error, "-c local_poll",
				     "the CPU reads no last byte in memory of a GPU: -t "
				     "rdma_write_with_imm -c poll");
	if (polls_byte && stream)
		return np_ibv_refuse(
			error, "-c local_poll",
			"in a stream the last byte of a message may be overwritten "
			"before it was seen: -c poll or event");
	return request->smallest == 0 ? check_empty(polls_byte, error) : 0;
}

int np_ibv_check(const void *values, struct np_request *request, struct np_error *error)
{
	const struct np_ibv_options *options = values;
	const bool cost = options->registering == NP_IBV_REGISTER_COST;
	int rc = check_values(options, error);

	if (rc == 0)
		rc = check_resources(options, error);
	if (rc != 0)
		return rc;
	if (options->registering != NP_IBV_REGISTER_POOL && request->smallest == 0)
		return np_ibv_refuse(error, "-l 0", "no bytes cannot be registered");
	rc = np_ibv_check_gpu(options, request, error);
	if (rc == 0)
		rc = np_ibv_check_lockable(options, request, error);
	if (rc != 0)
		return rc;
	request->queue_pairs = (size_t)options->qps;
	request->head_room = options->transport == NP_IBV_UD ? NP_IBV_GRH : 0;
	/* An RDMA write or read takes no receive; a buffer that is registered for its
	 * message cannot be posted long before. */
	if (options->transport == NP_IBV_WRITE || np_ibv_gets(options->transport) ||
	    options->registering != NP_IBV_REGISTER_POOL)
		request->capabilities &= ~(unsigned)NP_CAN_BURST;
	rc = check_window(options, request, error);
	if (rc == 0)
		rc = check_post_list(options, request, error);
	if (rc == 0)
		rc = check_posting(options, request, error);
	if (rc != 0)
		return rc;
	if (cost)
		return check_cost(options, request, error);
	if (np_ibv_gets(options->transport))
		rc = check_get(options->transport, request, error);
	/* A receiver that polls last bytes would be overrun: a stream of RDMA writes is
	 * one-sided. */
	if (request->operation == NP_STREAM && options->transport == NP_IBV_WRITE)
		np_request_one_sided(request, NP_ONE_SIDED_PUT, "put_stream");
	return rc != 0 ? rc : check_completion_modes(options, request, error);
}
