/*
 * ucx_options.c - options of NPucx, and options that exclude each other.
 */
#include <stddef.h>

#include "ucx_private.h"

enum { STREAM_WINDOW = 128 };

const char *const np_ucx_transfer_names[NP_UCX_TRANSFERS + 1] = {
	[NP_UCX_AM] = "am",   [NP_UCX_TAG] = "tag", [NP_UCX_STREAM] = "stream",
	[NP_UCX_PUT] = "put", [NP_UCX_GET] = "get",
};

static const char *const completion_names[NP_UCX_COMPLETIONS + 1] = { "poll", "event" };
static const char *const protocol_names[NP_UCX_PROTOCOLS + 1] = { "auto", "eager", "rndv" };
static const char *const reply_names[NP_UCX_REPLIES + 1] = { "loop", "handler" };
static const char *const registering_names[NP_UCX_REGISTERINGS + 1] = { "none", "pool" };
static const char *const error_names[NP_UCX_ERRORS + 1] = { "auto", "peer", "none" };

#define AT(member) offsetof(struct np_ucx_options, member)

// clang-format off
const struct np_option np_ucx_options_table[] = {
	{ 't', "transfer", "HOW", NP_OPTION_CHOICE, NP_SCOPE_PLAN, AT(transfer), 0, 0, np_ucx_transfer_names, "am",
	  "what carries a message",
	  .group = "What carries a message", .brief = true, .varies = true },
	{ 'c', "completion", "MODE", NP_OPTION_CHOICE, NP_SCOPE_PLAN, AT(completion), 0, 0, completion_names, "poll",
	  "how a process waits",
	  .brief = true, .varies = true },
	{ 0, "protocol", "NAME", NP_OPTION_CHOICE, NP_SCOPE_PLAN, AT(protocol), 0, 0, protocol_names, "auto",
	  "protocol of active messages: as UCX chooses by size, or always the same one",
	  .varies = true },
	{ 0, "reply", "FROM", NP_OPTION_CHOICE, NP_SCOPE_PLAN, AT(reply), 0, 0, reply_names, "loop",
	  "what answers in a ping-pong of active messages: the loop that waits for them or, at the server, their handler",
	  .varies = true },
	{ 0, "register", "WHAT", NP_OPTION_CHOICE, NP_SCOPE_PLAN, AT(registering), 0, 0, registering_names, "none",
	  "what is registered by ucp_mem_map() before anything is timed; put and get always register the pool",
	  .varies = true },
	{ 0, "tls", "LIST", NP_OPTION_TEXT, NP_SCOPE_PLAN, AT(tls), 0, 0, NULL, NULL,
	  "transports that UCX may use, as in UCX_TLS; without it UCX chooses",
	  .group = "The transports", .varies = true },
	{ 'D', "device", "LIST", NP_OPTION_TEXT, NP_SCOPE_LOCAL, AT(devices), 0, 0, NULL, NULL,
	  "network devices that UCX may use in this process, as in UCX_NET_DEVICES" },
	{ 0, "config", "LIST", NP_OPTION_TEXT, NP_SCOPE_PLAN, AT(config), 0, 0, NULL, NULL,
	  "settings of UCX's context, as RNDV_THRESH=8K, with semicolons between",
	  .varies = true },
	{ 0, "error-mode", "MODE", NP_OPTION_CHOICE, NP_SCOPE_PLAN, AT(errors), 0, 0, error_names, "auto",
	  "whether UCX tells of a lost peer: auto asks it to except in shared memory, which cannot",
	  .varies = true },
	{ 0 },
};
// clang-format on

/* Refuses the first exclusion that applies. */
static int check_exclusions(const struct np_ucx_options *options,
			    const struct np_request *request, struct np_error *error)
{
	const enum np_operation operation = request->operation;
	const bool am = options->transfer == NP_UCX_AM,
		   get = options->transfer == NP_UCX_GET;
	const bool handler = options->reply == NP_UCX_REPLY_HANDLER;
	const bool empty = request->smallest == 0;
	const struct {
		bool excluded;
		const char *option, *reason;
	} exclusions[] = {
		{ !am && options->protocol != NP_UCX_AUTO, "--protocol",
		  "UCX takes a protocol for active messages only: -t am; for others the "
		  "environment's UCX_RNDV_THRESH moves the limit" },
		{ !am && handler, "--reply handler",
		  "only active messages have a handler: -t am" },
		{ handler && operation != NP_PINGPONG, "--reply handler",
		  "only a ping-pong has replies: it goes without -s and -2" },
		{ empty && options->transfer == NP_UCX_STREAM, "-l 0",
		  "in a stream of bytes a message of none is not seen: -t am or tag" },
		{ empty && options->transfer >= NP_UCX_PUT, "-l 0",
		  "a put or get of no bytes moves none, and none shows its arrival: -t am "
		  "or tag" },
		{ request->window > NP_UCX_RING / 2, "--window", "it is at most 2048" },
		{ get && operation == NP_BIDIRECTIONAL, "-2",
		  "a get is one-sided: only the client works" },
		{ get && operation == NP_STREAM_ACKED, "--each-acked",
		  "a get is one-sided: nobody is there to acknowledge" },
		{ get && operation != NP_STREAM && request->window > 1, "--window",
		  "without -s each get waits for the one before" },
	};

	for (size_t i = 0; i < sizeof(exclusions) / sizeof(*exclusions); i++) {
		if (exclusions[i].excluded)
			return np_refuse(error, "%s: module ucx: %s", exclusions[i].option,
					 exclusions[i].reason);
	}
	return 0;
}

/* Gets and streams of puts are one-sided: a receiver that polls last bytes would be
 * overrun. */
static void choose_one_sided(int transfer, struct np_request *request)
{
	const bool stream = request->operation == NP_STREAM;

	if (transfer == NP_UCX_GET && !stream)
		request->window = 1;
	if (transfer == NP_UCX_GET)
		np_request_one_sided(request, NP_ONE_SIDED_GET,
				     stream ? "get_stream" : "get");
	else if (stream)
		np_request_one_sided(request, NP_ONE_SIDED_PUT, "put_stream");
}

int np_ucx_check(const void *values, struct np_request *request, struct np_error *error)
{
	const struct np_ucx_options *options = values;
	const bool one_sided = options->transfer >= NP_UCX_PUT;
	const bool pool = options->registering == NP_UCX_REGISTER_POOL;
	int rc = check_exclusions(options, request, error);

	if (rc == 0)
		rc = np_ucx_tell_config(options, NULL, error);
	if (rc != 0)
		return rc;
	/* Only the pools of both processes are registered. */
	if (one_sided || pool)
		request->capabilities &= ~(unsigned)NP_CAN_FRESH;
	else
		request->capabilities &= ~(unsigned)NP_CAN_REGISTER;
	if (one_sided)
		choose_one_sided(options->transfer, request);
	if (request->window == 0 &&
	    (request->operation == NP_STREAM || request->operation == NP_ONE_SIDED))
		request->window = STREAM_WINDOW;
	return 0;
}
