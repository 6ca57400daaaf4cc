/*
 * ibv_options.c - options of NPibv; ibv_check.c checks them.
 *
 * The client's options hold for both processes, except device, GID and partition key,
 * which each process selects for itself (NP_SCOPE_LOCAL).
 */
#include <stddef.h>

#include "ibv_options.h"

const char *const np_ibv_transport_names[NP_IBV_TRANSPORTS + 1] = {
	[NP_IBV_SEND] = "send_recv",	      [NP_IBV_SEND_IMM] = "send_recv_with_imm",
	[NP_IBV_WRITE] = "rdma_write",	      [NP_IBV_WRITE_IMM] = "rdma_write_with_imm",
	[NP_IBV_READ] = "rdma_read",	      [NP_IBV_UD] = "ud",
	[NP_IBV_FETCH_ADD] = "fetch_and_add", [NP_IBV_COMPARE_SWAP] = "compare_and_swap",
};

static const char *const connection_names[NP_IBV_CONNECTIONS + 1] = {
	[NP_IBV_RC] = "rc", [NP_IBV_UC] = "uc",	  [NP_IBV_XRC] = "xrc",
	[NP_IBV_DC] = "dc", [NP_IBV_SRD] = "srd",
};

static const char *const registering_names[NP_IBV_REGISTERINGS + 1] = {
	[NP_IBV_REGISTER_POOL] = "pool",
	[NP_IBV_REGISTER_EACH] = "each",
	[NP_IBV_REGISTER_COST] = "cost",
};

static const char *const posting_names[NP_IBV_POSTINGS + 1] = {
	[NP_IBV_POST_SEND] = "send",
	[NP_IBV_POST_WR] = "wr",
};

#define AT(member) offsetof(struct np_ibv_options, member)

// clang-format off
const struct np_option np_ibv_options_table[] = {
	{ 't', "transport", "HOW", NP_OPTION_CHOICE, NP_SCOPE_PLAN, AT(transport), 0, 0, np_ibv_transport_names, "send_recv",
	  "operation that carries a message",
	  .group = "What carries a message", .brief = true },
	{ 0, "connection", "TYPE", NP_OPTION_CHOICE, NP_SCOPE_PLAN, AT(connection), 0, 0, connection_names, "rc",
	  "type of the queue pairs, except of -t ud: rc, reliable, or uc, unreliable" },
	{ 'c', "completion", "LIST", NP_OPTION_TEXT, NP_SCOPE_PLAN, AT(completion), 0, 0, NULL, NULL,
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
	  "routers that a packet may pass; with --rdmacm and RoCE the kernel decides" },
	{ 0, "flow-label", "N", NP_OPTION_COUNT, NP_SCOPE_PLAN, AT(flow_label), 0, 1048575, NULL, NULL,
	  "flow label of the global route, by which switches choose among paths" },
	{ 0, "rate-limit", "MBIT", NP_OPTION_NUMBER, NP_SCOPE_PLAN, AT(rate_limit), 0, 4294967, NULL, NULL,
	  "Mbit/s that the adapter sends at most by each queue pair; 0: no limit" },
	{ 0, "pkey-index", "INDEX", NP_OPTION_COUNT, NP_SCOPE_LOCAL, AT(pkey_index), 0, 65535, NULL, NULL,
	  "which partition key of the port this process uses" },
	{ 0, "retry", "N", NP_OPTION_COUNT, NP_SCOPE_PLAN, AT(retry), 0, 7, NULL, "7",
	  "how often a packet without an answer is sent again" },
	{ 0, "rnr-retry", "N", NP_OPTION_COUNT, NP_SCOPE_PLAN, AT(rnr_retry), 0, 7, NULL, "7",
	  "how often a send that found no receive is sent again; 7: no limit" },
	{ 0, "rnr-timer", "CODE", NP_OPTION_COUNT, NP_SCOPE_PLAN, AT(rnr_timer), 0, 31, NULL, "12",
	  "pause before that, as coded by InfiniBand: 1 is 10 us, 12 is 640 us, 31 is 491 ms" },
	{ 0, "ack-timeout", "N", NP_OPTION_COUNT, NP_SCOPE_PLAN, AT(timeout), 0, 31, NULL, "14",
	  "a packet has no answer after 4.096 us times two to the N-th; 0: no limit" },
	{ 0, "rdmacm", NULL, NP_OPTION_FLAG, NP_SCOPE_PLAN, AT(rdmacm), 0, 0, NULL, NULL,
	  "connect the queue pairs through librdmacm" },
	{ 0, "inline", "BYTES", NP_OPTION_TEXT, NP_SCOPE_PLAN, AT(inline_limit), 0, 0, NULL, "auto",
	  "up to this size a message is copied into its work request; auto: what the device allows, at most what pays",
	  .group = "The queues", .varies = true },
	{ 0, "send-depth", "N", NP_OPTION_COUNT, NP_SCOPE_PLAN, AT(send_depth), 0, 65536, NULL, NULL,
	  "work requests that a send queue holds; 0 takes what fits the device" },
	{ 0, "recv-depth", "N", NP_OPTION_COUNT, NP_SCOPE_PLAN, AT(recv_depth), 0, 131072, NULL, NULL,
	  "work requests that a receive queue holds; 0 takes 512, or what the device holds" },
	{ 0, "signal-every", "N", NP_OPTION_COUNT, NP_SCOPE_PLAN, AT(signal_every), 0, 32768, NULL, NULL,
	  "every N-th send tells of its completion; 0 takes a quarter of the send depth, at most 32" },
	{ 0, "post", "CALLS", NP_OPTION_CHOICE, NP_SCOPE_PLAN, AT(posting), 0, 0, posting_names, "send",
	  "how messages are posted: send, by ibv_post_send, or wr, by ibv_wr_start to ibv_wr_complete",
	  .varies = true },
	{ 0, "post-list", "N", NP_OPTION_COUNT, NP_SCOPE_PLAN, AT(post_list), 1, 65536, NULL, "1",
	  "work requests of a stream that one call posts" },
	{ 0, "qps", "N", NP_OPTION_COUNT, NP_SCOPE_PLAN, AT(qps), 1, NP_IBV_QPS_MAX, NULL, "1",
	  "queue pairs, which carry the messages in turn" },
	{ 0, "srq", NULL, NP_OPTION_FLAG, NP_SCOPE_PLAN, AT(srq), 0, 0, NULL, NULL,
	  "take receives from a shared receive queue" },
	{ 0, "comp-vector", "N", NP_OPTION_COUNT, NP_SCOPE_LOCAL, AT(vector), 0, 65535, NULL, NULL,
	  "which completion vector, and so which interrupt, this process's completion queues use" },
	{ 0, "cq-moderation", "COUNT,USEC", NP_OPTION_TEXT, NP_SCOPE_PLAN, AT(moderation), 0, 0, NULL, NULL,
	  "tell of completions when there are COUNT, or after USEC microseconds" },
	{ 0, "register", "WHAT", NP_OPTION_CHOICE, NP_SCOPE_PLAN, AT(registering), 0, 0, registering_names, "pool",
	  "register the pool before anything is timed, the buffer around each message, or time nothing but registering (cost)",
	  .group = "Registration" },
	{ 0, "relaxed-ordering", NULL, NP_OPTION_FLAG, NP_SCOPE_PLAN, AT(relaxed_ordering), 0, 0, NULL, NULL,
	  "let the device write to memory in any order" },
	{ 0, "odp", NULL, NP_OPTION_FLAG, NP_SCOPE_PLAN, AT(on_demand), 0, 0, NULL, NULL,
	  "register for on-demand paging: no page is locked" },
	{ 0 },
};
// clang-format on
