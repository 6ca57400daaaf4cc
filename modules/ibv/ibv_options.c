/*
 * ibv_options.c - options of NPibv, their exclusions, and the request made from them.
 *
 * The client's options hold for both processes, except device, GID and partition key,
 * which each process selects for itself (NP_SCOPE_LOCAL).
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ibv_private.h"

const char *const np_ibv_transport_names[NP_IBV_TRANSPORTS + 1] = {
	[NP_IBV_SEND] = "send_recv",	      [NP_IBV_SEND_IMM] = "send_recv_with_imm",
	[NP_IBV_WRITE] = "rdma_write",	      [NP_IBV_WRITE_IMM] = "rdma_write_with_imm",
	[NP_IBV_READ] = "rdma_read",	      [NP_IBV_UD] = "ud",
	[NP_IBV_FETCH_ADD] = "fetch_and_add", [NP_IBV_COMPARE_SWAP] = "compare_and_swap",
};

static const char *const connection_names[NP_IBV_CONNECTIONS + 1] = {
	[NP_IBV_RC] = "rc",   [NP_IBV_UC] = "uc", [NP_IBV_RDMACM] = "rdmacm",
	[NP_IBV_XRC] = "xrc", [NP_IBV_DC] = "dc", [NP_IBV_SRD] = "srd",
};

const char *const np_ibv_registering_names[NP_IBV_REGISTERINGS + 1] = {
	[NP_IBV_REGISTER_POOL] = "pool",
	[NP_IBV_REGISTER_EACH] = "each",
	[NP_IBV_REGISTER_COST] = "cost",
	[NP_IBV_REGISTER_ODP] = "odp",
	[NP_IBV_REGISTER_IMPLICIT] = "odp-implicit",
};

static const char *const posting_names[NP_IBV_POSTINGS + 1] = {
	[NP_IBV_POST_SEND] = "send",
	[NP_IBV_POST_WR] = "wr",
};

static const char *const program_names[NP_IBV_PROGRAMS + 1] = {
	[NP_IBV_NETPONG] = "netpong",
	[NP_IBV_PERFTEST] = "perftest",
};

#define AT(member) offsetof(struct np_ibv_options, member)

// clang-format off
const struct np_option np_ibv_options_table[] = {
	{ 't', "transfer", "HOW", NP_OPTION_CHOICE, NP_SCOPE_PLAN, AT(transport), 0, 0, np_ibv_transport_names, "send_recv",
	  "operation that carries a message",
	  .group = "What carries a message", .brief = true },
	{ 0, "connection", "TYPE", NP_OPTION_CHOICE, NP_SCOPE_PLAN, AT(connection), 0, 0, connection_names, "rc",
	  "type of the queue pairs, except of -t ud: rc, reliable, which rdmacm connects through librdmacm, or uc, unreliable" },
	{ 'c', "wait", "LIST", NP_OPTION_TEXT, NP_SCOPE_PLAN, AT(completion), 0, 0, NULL, NULL,
	  "how to wait: poll, local_poll, event, or a list",
	  .brief = true, .varies = true },
	{ 'D', "device", "DEVICE[:PORT]", NP_OPTION_TEXT, NP_SCOPE_LOCAL, AT(device), 0, 0, NULL, NULL,
	  "device and port of this process",
	  .group = "The device and the path", .brief = true },
	{ 'm', "mtu", "BYTES", NP_OPTION_SIZE, NP_SCOPE_PLAN, AT(mtu), 0, 4096, NULL, NULL,
	  "path MTU: 256, 512, 1024, 2048 or 4096; 0 takes that of the ports",
	  .varies = true },
	{ 0, "gid-index", "INDEX", NP_OPTION_TEXT, NP_SCOPE_LOCAL, AT(gid_index), 0, 0, NULL, "auto",
	  "which GID of the port this process is addressed by; auto takes one for RoCE v2 where there is one" },
	{ 0, "service-level", "N", NP_OPTION_COUNT, NP_SCOPE_PLAN, AT(service_level), 0, 15, NULL, NULL,
	  "service level of every packet" },
	{ 0, "traffic-class", "N", NP_OPTION_COUNT, NP_SCOPE_PLAN, AT(traffic_class), 0, 255, NULL, NULL,
	  "traffic class of the global route, which RoCE v2 has as the IP header's" },
	{ 0, "hop-limit", "N", NP_OPTION_COUNT, NP_SCOPE_PLAN, AT(hop_limit), 0, 255, NULL, "64",
	  "routers that a packet may pass; with --connection rdmacm and RoCE the kernel decides" },
	{ 0, "flow-label", "N", NP_OPTION_COUNT, NP_SCOPE_PLAN, AT(flow_label), 0, 1048575, NULL, NULL,
	  "flow label of the global route, by which switches choose among paths" },
	{ 0, "rate-limit", "MBIT", NP_OPTION_NUMBER, NP_SCOPE_PLAN, AT(rate_limit), 0, 4294967, NULL, NULL,
	  "Mbit/s that the adapter sends at most by each queue pair; 0: no limit" },
	{ 0, "pkey-index", "INDEX", NP_OPTION_COUNT, NP_SCOPE_LOCAL, AT(pkey_index), 0, 65535, NULL, NULL,
	  "which partition key of the port this process uses" },
	{ 0, "retry", "N[,N]", NP_OPTION_SIZE_PAIR, NP_SCOPE_PLAN, AT(retry), 0, 7, NULL, "7",
	  "how often a packet without an answer, and a send that found no receive, are sent again; 7: of the latter no limit" },
	{ 0, "ack-timeout", "N", NP_OPTION_COUNT, NP_SCOPE_PLAN, AT(timeout), 0, 31, NULL, "14",
	  "a packet has no answer after 4.096 us times two to the N-th; 0: no limit" },
	{ 0, "inline", "BYTES", NP_OPTION_TEXT, NP_SCOPE_PLAN, AT(inline_limit), 0, 0, NULL, "auto",
	  "up to this size a message is copied into its work request; auto: what the device allows, at most what pays",
	  .group = "The queues", .varies = true },
	{ 0, "depth", "N[,N]", NP_OPTION_SIZE_PAIR, NP_SCOPE_PLAN, AT(depth), 0, 131072, NULL, "0",
	  "work requests that a send and a receive queue hold; 0 takes 128 and 512, or what the device holds" },
	{ 0, "signal-every", "N", NP_OPTION_COUNT, NP_SCOPE_PLAN, AT(signal_every), 0, 32768, NULL, NULL,
	  "every N-th send tells of its completion; 0 takes a quarter of the send depth, at most 32" },
	{ 0, "post", "CALLS", NP_OPTION_CHOICE, NP_SCOPE_PLAN, AT(posting), 0, 0, posting_names, "send",
	  "how messages are posted: send, by ibv_post_send, or wr, by ibv_wr_start to ibv_wr_complete",
	  .varies = true },
	{ 0, "post-list", "N", NP_OPTION_COUNT, NP_SCOPE_PLAN, AT(post_list), 1, 65536, NULL, "1",
	  "work requests of a stream that one call posts" },
	{ 0, "qps", "N", NP_OPTION_COUNT, NP_SCOPE_PLAN, AT(qps), 1, NP_IBV_QPS_MAX, NULL, "1",
	  "queue pairs, which carry the messages in turn" },
	{ 0, "like", "PROGRAM", NP_OPTION_CHOICE, NP_SCOPE_PLAN, AT(like), 0, 0, program_names, "netpong",
	  "whose defaults hold: perftest's inline data, signaling and relaxed ordering",
	  .varies = true },
	{ 0, "srq", NULL, NP_OPTION_FLAG, NP_SCOPE_PLAN, AT(srq), 0, 0, NULL, NULL,
	  "take receives from a shared receive queue" },
	{ 0, "comp-vector", "N", NP_OPTION_COUNT, NP_SCOPE_LOCAL, AT(vector), 0, 65535, NULL, NULL,
	  "which completion vector, and so which interrupt, this process's completion queues use" },
	{ 0, "cq-moderation", "COUNT,USEC", NP_OPTION_TEXT, NP_SCOPE_PLAN, AT(moderation), 0, 0, NULL, NULL,
	  "tell of completions when there are COUNT, or after USEC microseconds" },
	{ 0, "register", "WHAT", NP_OPTION_CHOICE, NP_SCOPE_PLAN, AT(registering), 0, 0, np_ibv_registering_names, "pool",
	  "register the pool before anything is timed, the buffer around each message (each), nothing but that (cost), the pool for on-demand paging (odp), or all addresses (odp-implicit)",
	  .group = "Registration" },
	{ 0, "relaxed-ordering", NULL, NP_OPTION_FLAG, NP_SCOPE_PLAN, AT(relaxed_ordering), 0, 0, NULL, NULL,
	  "let the device write to memory in any order" },
	{ 0, "prefetch", NULL, NP_OPTION_FLAG, NP_SCOPE_PLAN, AT(prefetch), 0, 0, NULL, NULL,
	  "with --register odp and odp-implicit: the adapter maps the pool before anything is timed",
	  .varies = true },
	{ 0 },
};
// clang-format on

/*
 * Completion modes (-c) of each operation.
 *
 * Most exclusions follow from where a completion is generated.  A send completes a
 * receive of the peer; an RDMA write completes nothing there, so the peer can only poll
 * its last byte; a read or a stream of writes involves the transmitter only.
 */

static const char *const completion_names[NP_IBV_COMPLETIONS] = {
	[NP_IBV_POLL] = "poll",
	[NP_IBV_LOCAL_POLL] = "local_poll",
	[NP_IBV_EVENT] = "event",
};

/* Why a transport excludes a completion mode; NULL if it does not. */
static const char *excludes(int transport, bool steps, enum np_ibv_completion how)
{
	const bool polls_byte = how == NP_IBV_LOCAL_POLL;

	if (steps)
		return polls_byte ?
			       "only the transmitter works, and in its memory no last byte "
			       "shows: -c poll or event" :
			       NULL;
	switch (transport) {
	case NP_IBV_WRITE:
		return polls_byte ? NULL :
				    "an RDMA write completes nothing at the receiver: -c "
				    "local_poll, or -t rdma_write_with_imm";
	case NP_IBV_WRITE_IMM:
		return NULL;
	default:
		return polls_byte ?
			       "a receive may not be complete when its last byte shows: -c "
			       "poll or event" :
			       NULL;
	}
}

/* The completion mode named by `length` characters, or NP_IBV_COMPLETIONS. */
static enum np_ibv_completion find_completion(const char *name, size_t length)
{
	static const char netpipe[] = "vapi_poll";

	if (length == strlen(netpipe) && strncmp(name, netpipe, length) == 0)
		return NP_IBV_POLL;
	for (int i = 0; i < NP_IBV_COMPLETIONS; i++) {
		if (length == strlen(completion_names[i]) &&
		    strncmp(name, completion_names[i], length) == 0)
			return (enum np_ibv_completion)i;
	}
	return NP_IBV_COMPLETIONS;
}

int np_ibv_completions(const struct np_ibv_options *options, bool steps,
		       enum np_ibv_completion list[NP_IBV_COMPLETIONS],
		       struct np_error *error)
{
	const bool polls_byte = options->transport == NP_IBV_WRITE && !steps;
	bool listed[NP_IBV_COMPLETIONS] = { false };
	int count = 0;

	if (options->completion == NULL) {
		list[0] = polls_byte ? NP_IBV_LOCAL_POLL : NP_IBV_POLL;
		return 1;
	}
	for (const char *at = options->completion;; at++) {
		const size_t length = strcspn(at, ",");
		const enum np_ibv_completion how = find_completion(at, length);
		char option[32];

		if (how == NP_IBV_COMPLETIONS)
			return np_refuse(error,
					 "-c: '%.*s' is none of poll, vapi_poll, "
					 "local_poll and event",
					 (int)(length < 32 ? length : 32), at);
		if (listed[how])
			return np_refuse(error, "-c: %s is listed twice: list it once",
					 completion_names[how]);
		snprintf(option, sizeof(option), "-c %s", completion_names[how]);
		if (excludes(options->transport, steps, how) != NULL)
			return np_ibv_refuse(error, option,
					     excludes(options->transport, steps, how));
		listed[how] = true;
		list[count++] = how;
		at += length;
		if (*at == '\0')
			return count;
	}
}

enum np_ibv_completion np_ibv_other_completion(const struct np_ibv_options *options,
					       enum np_ibv_completion how)
{
	if (how == NP_IBV_EVENT)
		return NP_IBV_POLL;
	/* A plain RDMA write generates no event. */
	return how == NP_IBV_LOCAL_POLL && options->transport == NP_IBV_WRITE ?
		       NP_IBV_COMPLETIONS :
		       NP_IBV_EVENT;
}

enum {
	MODERATION_MOST = 65535, /* 16-bit fields of struct ibv_moderate_cq */
	GID_INDEX_MOST = 255,	 /* 8-bit field of struct ibv_global_route */
	INLINE_MOST = 1 << 16
};

/* ---- values that no range expresses ------------------------------------------ */

static int check_moderation(const char *text, struct np_error *error)
{
	unsigned long count, microseconds = 0;
	char *end;

	if (text == NULL)
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

	if (text == NULL || strcmp(text, "auto") == 0)
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
	if (options->depth[0] != 0 && options->signal_every > options->depth[0] / 2)
		return np_refuse(error,
				 "--signal-every %" PRIu64
				 " is more than half of --depth %zu",
				 options->signal_every, options->depth[0]);
	return 0;
}

/* ---- exclusions -------------------------------------------------------------- */

static bool is_send(int transport)
{
	return transport == NP_IBV_SEND || transport == NP_IBV_SEND_IMM;
}

/* Unsupported types of queue pairs, exclusions of unreliable connections, and of resources
 * that a transport lacks. */
static int check_resources(const struct np_ibv_options *options, struct np_error *error)
{
	const int transport = options->transport;
	const bool uc = options->connection == NP_IBV_UC, ud = transport == NP_IBV_UD;
	const bool pool = np_ibv_registers_pool(options);
	const struct np_refusal refusals[] = {
		{ options->connection == NP_IBV_XRC, "--connection xrc",
		  "it saves queue pairs where a host has many processes, and here is one: "
		  "its path is that of rc" },
		{ options->connection == NP_IBV_DC, "--connection dc",
		  "libibverbs has no DC, only the library of mlx5 adapters has: rc or uc" },
		{ options->connection == NP_IBV_SRD, "--connection srd",
		  "libibverbs has no SRD, only the library of EFA adapters has, and it "
		  "keeps no order: -t ud" },
		{ uc && np_ibv_gets(transport), "--connection uc",
		  "it has no RDMA reads and no atomic operations" },
		{ uc && ud, "--connection uc", "-t ud has no connection" },
		{ uc && options->srq, "--connection uc",
		  "--srq is of reliable connections" },
		{ options->srq && !is_send(transport) && !ud, "--srq",
		  "only -t send_recv, send_recv_with_imm and ud take receives from a queue "
		  "that may be shared" },
		{ options->srq && options->qps != 1, "--srq",
		  "several queue pairs would take each other's receives, and messages "
		  "would land in the wrong buffers: --qps 1" },
		{ options->srq && !pool, "--srq", "--register each and cost go without" },
		{ options->connection == NP_IBV_RDMACM && ud, "--connection rdmacm",
		  "it connects, and datagrams have no connection: -t ud goes without it" },
		{ options->prefetch && !np_ibv_is_on_demand(options), "--prefetch",
		  "only memory that is registered for on-demand paging has pages to fetch: "
		  "--register odp or odp-implicit" },
		{ options->registering == NP_IBV_REGISTER_EACH && !is_send(transport),
		  "--register each",
		  "the remote key would have to travel before each message: -t send_recv "
		  "or send_recv_with_imm" },
		{ .option = NULL },
	};

	return np_refuse_first(refusals, "ibv", error);
}

/* Exclusions of --post-list: one call posts a full list, to one queue pair. */
static int check_post_list(const struct np_ibv_options *options,
			   const struct np_request *request, struct np_error *error)
{
	static const char *const option = "--post-list";

	if (options->post_list == 1)
		return 0;
	if (request->operation != NP_STREAM || !np_ibv_registers_pool(options))
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
			": module ibv: a list has at most half of --depth (%" PRIu64
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
	if (options->srq || !np_ibv_registers_pool(options))
		return np_ibv_refuse(error, "--post wr",
				     "it goes without --srq, --register each and cost");
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
				 " receives: --depth 0,%zu",
				 request->window, depth, request->window + 2);
	if (request->window == 0)
		request->window = most < NP_STREAM_WINDOW ? (size_t)most : NP_STREAM_WINDOW;
	return 0;
}

static int check_get(int transport, struct np_request *request, struct np_error *error)
{
	static const char *const names[NP_IBV_TRANSPORTS][2] = {
		[NP_IBV_READ] = { "get", "get_stream" },
		[NP_IBV_FETCH_ADD] = { "fetch_and_add", "fetch_and_add_stream" },
		[NP_IBV_COMPARE_SWAP] = { "compare_and_swap", "compare_and_swap_stream" },
	};

	request->one_size = np_ibv_is_atomic(transport);
	if (request->one_size)
		request->smallest = request->largest = sizeof(uint64_t);
	return np_request_reads(request, "ibv", names[transport][0], names[transport][1],
				error);
}

/* --register cost moves no messages: options about messages are refused. */
static int check_cost(const struct np_ibv_options *options, struct np_request *request,
		      struct np_error *error)
{
	static const char *const option = "--register cost";

	const struct np_refusal refusals[] = {
		{ request->operation != NP_PINGPONG, option,
		  "no message moves: it goes without -s and -2" },
		{ request->integrity, option, "no message moves: -i has nothing to check" },
		{ options->completion != NULL, option,
		  "nothing completes: it goes without -c" },
		{ .option = NULL },
	};
	const int rc = np_refuse_first(refusals, "ibv", error);

	if (rc != 0)
		return rc;
	request->variants[0] = "ibv_reg_mr";
	request->variants[1] = "ibv_dereg_mr";
	request->variant_count = 2;
	request->window = 1;
	np_request_one_sided(request, NP_ONE_SIDED_NONE, "registration");
	return 0;
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
		request->variants[i] = completion_names[list[i]];
	}
	request->variant_count = count > 1 ? (size_t)count : 0;
	if (count == 1 && np_ibv_other_completion(options, list[0]) != NP_IBV_COMPLETIONS) {
		request->waits[0] = completion_names[list[0]];
		request->waits[1] =
			completion_names[np_ibv_other_completion(options, list[0])];
	}
	const struct np_refusal refusals[] = {
		{ options->qps > 1, "-c local_poll",
		  "it relies on the order that one queue pair keeps: --qps 1" },
		{ np_ibv_relaxes(options, request->operation), "-c local_poll",
		  "with relaxed ordering (--relaxed-ordering, --like perftest) the last "
		  "byte may show before the others: -c "
		  "poll or event" },
		{ request->memory != NP_MEMORY_HOST, "-c local_poll",
		  "the CPU reads no last byte in memory of a GPU: -t rdma_write_with_imm "
		  "-c poll" },
		{ stream, "-c local_poll",
		  "in a stream the last byte of a message may be overwritten before it was "
		  "seen: -c poll or event" },
		{ request->smallest == 0, "-l 0",
		  "-c local_poll waits for the last byte, and such a message has none: -t "
		  "rdma_write_with_imm -c poll" },
		{ .option = NULL },
	};

	return polls_byte ? np_refuse_first(refusals, "ibv", error) : 0;
}

/* Exclusions of memory of a GPU. */
static int check_gpu(const struct np_ibv_options *options, const struct np_request *request,
		     struct np_error *error)
{
	const char *wish = options->inline_limit;
	uint64_t bytes = 0;

	const bool copies = wish != NULL && strcmp(wish, "auto") != 0 &&
			    np_parse_size(wish, &bytes) == 0 && bytes != 0;
	const struct np_refusal refusals[] = {
		{ request->host_send || request->host_recv, "--memory KIND-SIDE",
		  "a memory region holds buffers of both sides" },
		{ np_ibv_is_on_demand(options), "--register odp",
		  "memory of a GPU has no pages that the host could map on demand" },
		{ copies, "--inline",
		  "the CPU copies inline data, and reads no memory of a GPU: auto or 0" },
		{ .option = NULL },
	};

	return request->memory == NP_MEMORY_HOST ? 0 :
						   np_refuse_first(refusals, "ibv", error);
}

/* Bounds the pool by RLIMIT_MEMLOCK; two buffers of the largest size must fit. */
static int check_lockable(const struct np_ibv_options *options, struct np_request *request,
			  struct np_error *error)
{
	/* On-demand paging and memory of a GPU lock no pages of the host. */
	const bool free = np_ibv_is_on_demand(options) || request->memory != NP_MEMORY_HOST;
	const size_t lockable = free ? 0 : np_ibv_lockable(options);

	request->pool_most = lockable;
	if (lockable == 0 || request->largest <= lockable / 2)
		return 0;
	return np_fail(error, NP_ERROR_USAGE, ENOMEM,
		       "-u: module ibv: two buffers of %zu bytes do not fit: this user may "
		       "lock %zu KiB (ulimit -l), %zu KiB of it for messages: raise "
		       "memlock in /etc/security/limits.conf, or take a smaller -u",
		       request->largest, np_ibv_lock_limit() >> 10, lockable >> 10);
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
	if (!np_ibv_registers_pool(options) && request->smallest == 0)
		return np_ibv_refuse(error, "-l 0", "no bytes cannot be registered");
	if (options->like == NP_IBV_PERFTEST && request->operation != NP_PINGPONG &&
	    request->operation != NP_STREAM)
		return np_ibv_refuse(error, "--like perftest",
				     "ib_*_bw -b has a stream each way, and no program "
				     "acknowledges each message: leave out -2 and "
				     "--window 1");
	rc = check_gpu(options, request, error);
	if (rc == 0)
		rc = check_lockable(options, request, error);
	if (rc != 0)
		return rc;
	/* One memory region has all addresses. */
	if (options->registering == NP_IBV_REGISTER_IMPLICIT)
		request->capabilities &= ~(unsigned)NP_CAN_REGISTER;
	request->queue_pairs = (size_t)options->qps;
	request->head_room = options->transport == NP_IBV_UD ? NP_IBV_GRH : 0;
	/* An RDMA write or read takes no receive; a buffer that is registered for its
	 * message cannot be posted long before. */
	if (options->transport == NP_IBV_WRITE || np_ibv_gets(options->transport) ||
	    !np_ibv_registers_pool(options))
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
