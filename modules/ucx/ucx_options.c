/*
 * ucx_options.c - options of NPucx, and which of them exclude each other.
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

static int refuse(struct np_error *error, const char *option, const char *reason)
{
	return np_refuse(error, "%s: module ucx: %s", option, reason);
}

static int check_active(const struct np_ucx_options *options,
			const struct np_request *request, struct np_error *error)
{
	if (options->transfer != NP_UCX_AM && options->protocol != NP_UCX_AUTO)
		return refuse(error, "--protocol",
			      "UCX takes a protocol for active messages only: -t am; for "
			      "others the environment's UCX_RNDV_THRESH moves the limit");
	if (options->reply != NP_UCX_REPLY_HANDLER)
		return 0;
	if (options->transfer != NP_UCX_AM)
		return refuse(error, "--reply handler",
			      "only active messages have a handler: -t am");
	return request->operation == NP_PINGPONG ?
		       0 :
		       refuse(error, "--reply handler",
			      "only a ping-pong has replies: it goes without -s and -2");
}

static int check_get(struct np_request *request, struct np_error *error)
{
	const bool stream = request->operation == NP_STREAM;

	if (request->operation == NP_BIDIRECTIONAL)
		return refuse(error, "-2", "a get is one-sided: only the client works");
	if (request->operation == NP_STREAM_ACKED)
		return refuse(error, "--each-acked",
			      "a get is one-sided: nobody is there to acknowledge");
	if (!stream && request->window > 1)
		return refuse(error, "--window",
			      "without -s each get waits for the one before");
	if (request->window == 0)
		request->window = stream ? STREAM_WINDOW : 1;
	np_request_one_sided(request, NP_ONE_SIDED_GET, stream ? "get_stream" : "get");
	return 0;
}

static int check_one_sided(const struct np_ucx_options *options, struct np_request *request,
			   struct np_error *error)
{
	/* The peer's memory beyond the pool is not registered. */
	request->capabilities &= ~(unsigned)NP_CAN_FRESH;
	if (request->smallest == 0)
		return refuse(error, "-l 0",
			      "a put or get of no bytes moves none, and none shows its "
			      "arrival: -t am or tag");
	if (options->transfer == NP_UCX_GET)
		return check_get(request, error);
	if (request->operation != NP_STREAM)
		return 0;
	/* A receiver that polls last bytes would be overrun. */
	np_request_one_sided(request, NP_ONE_SIDED_PUT, "put_stream");
	return 0;
}

int np_ucx_check(const void *values, struct np_request *request, struct np_error *error)
{
	const struct np_ucx_options *options = values;
	const bool one_sided = options->transfer >= NP_UCX_PUT;
	int rc = check_active(options, request, error);

	if (rc == 0)
		rc = np_ucx_tell_config(options, NULL, error);
	if (rc != 0)
		return rc;
	if (options->transfer == NP_UCX_STREAM && request->smallest == 0)
		return refuse(
			error, "-l 0",
			"in a stream of bytes a message of none is not seen: -t am or "
			"tag");
	if (request->window > NP_UCX_RING / 2)
		return refuse(error, "--window", "it is at most 2048");
	if (one_sided)
		rc = check_one_sided(options, request, error);
	else if (options->registering == NP_UCX_REGISTER_POOL)
		request->capabilities &= ~(unsigned)NP_CAN_FRESH;
	else
		request->capabilities &= ~(unsigned)NP_CAN_REGISTER;
	if (request->window == 0 &&
	    (request->operation == NP_STREAM || request->operation == NP_ONE_SIDED))
		request->window = STREAM_WINDOW;
	return rc;
}
