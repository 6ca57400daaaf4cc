/*
 * shm.c - NPshm, messages through shared memory: options, setup and module table.
 *
 * Three transfers between two processes of a host: a copy into and a copy out of a
 * shared ring, a single copy by the kernel, and, as their reference, a plain memcpy()
 * within one process.
 */
#include <unistd.h>

#include "shm_private.h"

enum { DEFAULT_WINDOW = 64, LEAST_CELLS = 2 };

static const char *const transfers[] = { "ring", "single", "memcpy", NULL };
static const char *const waits[] = { "auto", "spin", "futex", NULL };

#define AT(member) offsetof(struct shm_options, member)

static const char *const shortlist[] = { "single:transfer=single", "mailbox256:mailbox=256",
					 "mailbox4K:mailbox=4K",   "chunk8K:chunk=8K",
					 "chunk128K:chunk=128K",   NULL };

// clang-format off
static const struct np_option options[] = {
	{ 't', "transfer", "HOW", NP_OPTION_CHOICE, NP_SCOPE_PLAN, AT(transfer), 0, 0, transfers, "ring",
	  "how a message is copied",
	  .group = "The way through memory", .brief = true, .varies = true },
	{ 0, "wait", "HOW", NP_OPTION_CHOICE, NP_SCOPE_PLAN, AT(wait), 0, 0, waits, "auto",
	  "how to wait for the peer",
	  .brief = true, .varies = true },
	{ 0, "mailbox", "SIZE", NP_OPTION_SIZE, NP_SCOPE_PLAN, AT(mailbox), 0, 1u << 20, NULL, "1K",
	  "longest message that travels in one cell together with its header; longer ones are cut into chunks",
	  .varies = true },
	{ 0, "chunk", "SIZE", NP_OPTION_SIZE, NP_SCOPE_PLAN, AT(chunk), 64, 1u << 24, NULL, "32K",
	  "longest chunk of a message that is longer than --mailbox",
	  .varies = true },
	{ 0, "ring", "SIZE", NP_OPTION_SIZE, NP_SCOPE_PLAN, AT(ring), 4096, 1u << 30, NULL, "2M",
	  "shared memory of each direction",
	  .varies = true },
	{ 0 },
};
// clang-format on

/* Returns whether the completion mode that --why compares with --wait sleeps: futex beside
 * auto and spin, spin beside futex. */
static bool other_wait_sleeps(const struct shm_options *own)
{
	return own->wait != SHM_WAIT_FUTEX;
}

static int check(const void *values, struct np_request *request, struct np_error *error)
{
	const struct shm_options *own = values;
	const size_t cell = (own->mailbox > own->chunk ? own->mailbox : own->chunk) +
			    (size_t)2 * SHM_LINE;

	if (own->transfer == SHM_MEMCPY) {
		if (request->operation != NP_PINGPONG && request->operation != NP_ONE_SIDED)
			return np_refuse(error,
					 "--transfer memcpy copies within one process: it "
					 "cannot be measured as a %s",
					 request->operation_name);
		request->operation = NP_ONE_SIDED;
		request->operation_name = "memcpy";
		request->capabilities &= ~(unsigned)NP_CAN_SAME_BUFFER;
	} else if (own->ring / cell < LEAST_CELLS) {
		return np_refuse(
			error,
			"--ring %zu is too small: two messages of --mailbox %zu or two "
			"chunks of --chunk %zu bytes, with their headers, have to fit",
			own->ring, own->mailbox, own->chunk);
	}
	if (own->transfer != SHM_MEMCPY) {
		request->capabilities &= ~(unsigned)NP_CAN_GPU;
		request->waits[0] = waits[own->wait];
		request->waits[1] =
			waits[other_wait_sleeps(own) ? SHM_WAIT_FUTEX : SHM_WAIT_SPIN];
	}
	if (request->window == 0)
		request->window = DEFAULT_WINDOW;
	return 0;
}

static int open_endpoint(struct np_endpoint *ep)
{
	struct shm_endpoint *shm = shm_of(ep);
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);

	shm->ring_length = (shm_options_of(ep)->ring + page - 1) / page * page;
	return 0;
}

struct greeting {
	int64_t pid;
	int64_t share_core;
};

static int connect_endpoint(struct np_endpoint *ep)
{
	struct shm_endpoint *shm = shm_of(ep);
	const struct shm_options *own = shm_options_of(ep);
	const struct greeting mine = { .pid = getpid(), .share_core = ep->share_core };
	struct greeting theirs;
	int rc;

	if (own->transfer == SHM_MEMCPY)
		return 0;
	rc = np_boot_exchange(ep->boot, &mine, &theirs, sizeof(mine), &ep->error);
	if (rc != 0)
		return rc;
	shm->peer = (pid_t)theirs.pid;
	/* A sleeping process must be woken by its peer: both use futexes or neither. */
	shm->sleeps = own->wait == SHM_WAIT_FUTEX ||
		      (own->wait == SHM_WAIT_AUTO && (ep->share_core || theirs.share_core));
	rc = np_shm_map_segment(shm);
	if (rc == 0 && own->transfer == SHM_SINGLE)
		rc = np_shm_check_access(shm);
	return rc;
}

/*
 * Layout: divides a ring into cells for one message size; a pure function of the options
 * and the transfer, hence equal in both processes.
 *
 * Messages in flight: the window of a stream; 2 in a bidirectional exchange; else 1,
 * since the reply acknowledges the message.
 *
 * A mailbox has as many cells as messages in flight, so that a ping-pong reuses the
 * same cache lines.  A chunked ring cycles through all its cells: a line used recently
 * is still in the other core's private cache, which is slower to reach than the shared
 * cache.  At 64 KiB a ring of 2 MiB was three times as fast as one of 256 KiB.
 */

/* The division of a ring into cells. */
struct shm_layout {
	struct shm_geometry geometry;
	size_t chunk; /* longest payload of a cell, bytes */
	bool mailbox; /* a message is one cell; its payload follows the header */
};

enum {
	CHUNKS_LEAST = 4,  /* per message, unless below SMALL_CHUNK */
	SMALL_CHUNK = 2048 /* bytes; shortest chunk made for CHUNKS_LEAST */
};

static size_t round_up(size_t length, size_t unit)
{
	return (length + unit - 1) / unit * unit;
}

static size_t messages_in_flight(const struct np_transfer *transfer)
{
	switch (transfer->operation) {
	case NP_STREAM:
		return transfer->window;
	case NP_BIDIRECTIONAL:
		return 2;
	default:
		return 1;
	}
}

/* At most 2^30: sequence numbers are compared modulo 2^32. */
static size_t cells_in(size_t ring_length, size_t stride)
{
	const size_t cells = ring_length / stride;

	return cells < (1u << 30) ? cells : 1u << 30;
}

static struct shm_layout layout_mailbox(size_t length, size_t ring_length,
					const struct np_transfer *transfer)
{
	const size_t stride = round_up(SHM_HEADER + length, SHM_LINE);
	const size_t wanted = messages_in_flight(transfer);
	const size_t held = cells_in(ring_length, stride);
	const uint32_t cells = (uint32_t)(wanted < held ? wanted : held);

	return (struct shm_layout){
		.geometry = { .stride = stride, .cells = cells, .limit = cells },
		.chunk = length,
		.mailbox = true
	};
}

static struct shm_layout layout_chunks(size_t most, size_t ring_length,
				       const struct np_transfer *transfer)
{
	const size_t quarter = round_up(transfer->length / CHUNKS_LEAST + 1, SHM_LINE);
	const size_t part = quarter > SMALL_CHUNK ? quarter : SMALL_CHUNK;
	const size_t chunk = part < most ? part : most;
	const size_t stride = SHM_LINE + round_up(chunk, SHM_LINE);
	const size_t held = cells_in(ring_length, stride);
	const size_t chunks =
		transfer->length == 0 ? 1 : (transfer->length - 1) / chunk + 1;
	const size_t messages = messages_in_flight(transfer);
	/* A division, since messages * chunks may overflow. */
	const size_t limit = messages > held / chunks ? held : messages * chunks;

	return (struct shm_layout){ .geometry = { .stride = stride,
						  .cells = (uint32_t)held,
						  .limit = (uint32_t)limit },
				    .chunk = chunk };
}

static const struct np_code_path *choose(const struct shm_endpoint *shm,
					 const struct np_transfer *transfer, bool mailbox)
{
	const struct shm_options *own = shm_options_of(&shm->np);
	const bool sleeps = transfer->other_wait ? other_wait_sleeps(own) : shm->sleeps;

	if (own->transfer == SHM_SINGLE)
		return np_shm_path(SHM_PATH_SINGLE, sleeps);
	if (mailbox)
		return np_shm_path(SHM_PATH_MAILBOX, sleeps);
	return np_shm_path(transfer->operation == NP_BIDIRECTIONAL ? SHM_PATH_BOTH :
								     SHM_PATH_CHUNK,
			   sleeps);
}

/* The first exchange is a barrier before the reset: neither process uses its port.  The
 * second is one after it: both ports are ready.  An exchange goes through the kernel,
 * which orders memory. */
static int make_port(struct shm_endpoint *shm, const struct shm_geometry *geometry)
{
	struct np_endpoint *ep = &shm->np;
	struct shm_words *own = np_shm_words(shm, ep->rank);
	struct shm_words *peer = np_shm_words(shm, !ep->rank);
	int rc = np_boot_exchange(ep->boot, NULL, NULL, 0, &ep->error);

	if (rc != 0)
		return rc;
	shm_reset(&shm->port, geometry, np_shm_cells(shm, ep->rank),
		  np_shm_cells(shm, !ep->rank), own, peer);
	shm->own_futex = &own->futex;
	shm->peer_futex = &peer->futex;
	shm->rest = (struct shm_rest){ 0 };
	return np_boot_exchange(ep->boot, NULL, NULL, 0, &ep->error);
}

static int arm(struct np_endpoint *ep, const struct np_transfer *transfer)
{
	struct shm_endpoint *shm = shm_of(ep);
	const struct shm_options *own = shm_options_of(ep);
	struct shm_layout layout;
	int rc;

	shm->slots = transfer->slots;
	shm->length = transfer->length;
	if (own->transfer == SHM_MEMCPY) {
		ep->code_path = np_shm_copy_path(ep);
		return 0;
	}
	if (own->transfer == SHM_SINGLE)
		layout = layout_mailbox(sizeof(uintptr_t), shm->ring_length, transfer);
	else if (transfer->length <= own->mailbox)
		layout = layout_mailbox(transfer->length, shm->ring_length, transfer);
	else
		layout = layout_chunks(own->chunk, shm->ring_length, transfer);
	shm->chunk = layout.chunk;
	rc = make_port(shm, &layout.geometry);
	if (rc != 0)
		return rc;
	/* The release of a cell means that the copy is complete: publish every release. */
	if (own->transfer == SHM_SINGLE)
		shm->port.reader.batch = 1;
	ep->code_path = choose(shm, transfer, layout.mailbox);
	return 0;
}

static void close_endpoint(struct np_endpoint *ep)
{
	np_shm_unmap_segment(shm_of(ep));
}

static void describe(struct np_endpoint *ep, struct np_facts *facts)
{
	const struct shm_endpoint *shm = shm_of(ep);
	const struct shm_options *own = shm_options_of(ep);

	np_facts_add(facts, "transfer", "%s", transfers[own->transfer]);
	if (own->transfer == SHM_MEMCPY)
		return;
	np_facts_add(facts, "wait", "%s", shm->sleeps ? "futex" : "spin");
	if (own->transfer == SHM_SINGLE)
		return;
	np_facts_add_number(facts, "mailbox_limit_bytes", own->mailbox, NP_UNIT_BYTES,
			    NULL);
	np_facts_add_number(facts, "ring_bytes", shm->ring_length, NP_UNIT_BYTES, NULL);
	np_facts_add_number(facts, "chunk_limit_bytes", own->chunk, NP_UNIT_BYTES, NULL);
}

const struct np_module np_module_shm = {
	NP_MODULE_NAMED("shm"),
	.summary = "shared memory between two processes, and the memory copy",
	.capabilities = NP_CAN_STREAM | NP_CAN_BIDIRECTIONAL | NP_CAN_ZERO_BYTES |
			NP_CAN_RECONNECT | NP_CAN_WINDOW | NP_CAN_FRESH |
			NP_CAN_SAME_BUFFER | NP_CAN_GPU,
	.endpoint_size = sizeof(struct shm_endpoint),
	.options_size = sizeof(struct shm_options),
	.options = options,
	.shortlist = shortlist,
	.check = check,
	.open = open_endpoint,
	.connect = connect_endpoint,
	.arm = arm,
	.close = close_endpoint,
	.describe = describe,
};
