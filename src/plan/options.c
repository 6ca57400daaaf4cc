/*
 * options.c - table of the options.  NetPIPE's letters keep their meaning; each has a long
 * name.
 */
#include "plan/options.h"

#include "plan/layout.h"
#include "plan/options_check.h"

static const char *const orders[] = { "random", "sequential", NULL };
static const char *const failings[] = { "nothing", "slower", NULL };

const char *const np_buffer_words[] = { "reuse",       "rotate", "rotate-send",
					"rotate-recv", "fresh",	 "touched",
					"same",	       "apart",	 NULL };
const char *const np_memory_words[] = { "host",	     "cuda",	  "rocm",      "cuda-send",
					"cuda-recv", "rocm-send", "rocm-recv", NULL };

#define AT(member) offsetof(struct np_options, member)

// clang-format off
const struct np_option np_driver_options[] = {
	{ 'h', "host", "HOST", NP_OPTION_TEXT, NP_SCOPE_LOCAL, AT(host), 0, 0, NULL, NULL,
	  "client: measure the path to the server at HOST",
	  .group = "The two processes", .brief = true, .needs = NP_HAS_SERVER | NP_HAS_NO_JOB },
	{ 'P', "port", "PORT", NP_OPTION_COUNT, NP_SCOPE_LOCAL, AT(port), 0, 65535, NULL, "5002",
	  "the server's port; 0: any free one",
	  .brief = true, .needs = NP_HAS_SERVER | NP_HAS_NO_JOB, .read_if = NP_READ_AT_PORT },
	{ 0, "local", NULL, NP_OPTION_FLAG, NP_SCOPE_LOCAL, AT(local), 0, 0, NULL, NULL,
	  "start both processes on this host",
	  .brief = true, .needs = NP_HAS_NO_JOB },
	{ 0, "connect-timeout", "TIME", NP_OPTION_SECONDS, NP_SCOPE_LOCAL, AT(connect_timeout), 0, 3600, NULL, "3",
	  "how long to try again while nobody listens at HOST, or another run goes on there",
	  .needs = NP_HAS_SERVER | NP_HAS_NO_JOB, .read_if = NP_READ_CONNECTING },
	{ 0, "bind", "WHERE", NP_OPTION_TEXT, NP_SCOPE_LOCAL, AT(bind), 0, 0, NULL, "auto",
	  "core of this process, with the memory near it: auto, none, a core number, or two as 0,1 for both processes" },

	{ 0, "remote", "HOST", NP_OPTION_TEXT, NP_SCOPE_LOCAL, AT(remote), 0, 0, NULL, NULL,
	  "start the server on HOST by ssh, and measure",
	  .brief = true, .needs = NP_HAS_SERVER | NP_HAS_NO_JOB },
	{ 0, "rsh", "COMMAND", NP_OPTION_TEXT, NP_SCOPE_LOCAL, AT(rsh), 0, 0, NULL, NULL,
	  "reach the other host by this command instead of ssh; %h in it is the host, which else is appended",
	  .needs = NP_HAS_SERVER | NP_HAS_NO_JOB },
	{ 0, "remote-program", "PATH", NP_OPTION_TEXT, NP_SCOPE_LOCAL, AT(remote_program), 0, 0, NULL, NULL,
	  "where this program is at the other host",
	  .needs = NP_HAS_SERVER | NP_HAS_NO_JOB },
	{ 0, "remote-options", "WORDS", NP_OPTION_TEXT, NP_SCOPE_LOCAL, AT(remote_options), 0, 0, NULL, NULL,
	  "options of the server that is started there, such as '--bind 1'",
	  .needs = NP_HAS_SERVER | NP_HAS_NO_JOB },
	{ 0, "fleet", NULL, NP_OPTION_FLAG, NP_SCOPE_LOCAL, AT(fleet), 0, 0, NULL, NULL,
	  NULL, /* given by NPfleet on its own host */
	  .needs = NP_HAS_SERVER | NP_HAS_NO_JOB },
	{ 0, "launched", NULL, NP_OPTION_FLAG, NP_SCOPE_LOCAL, AT(launched), 0, 0, NULL, NULL,
	  NULL }, /* given by --remote to the server that it starts */

	{ 0, "serve", NULL, NP_OPTION_FLAG, NP_SCOPE_LOCAL, AT(serve), 0, 0, NULL, NULL,
	  "server: one run after the other, until a signal",
	  .brief = true, .needs = NP_HAS_SERVER | NP_HAS_NO_JOB },
	{ 0, "token-file", "FILE", NP_OPTION_TEXT, NP_SCOPE_LOCAL, AT(token_file), 0, 0, NULL, NULL,
	  "deal only with a process that knows the token in FILE; the server makes a file that is missing",
	  .needs = NP_HAS_SERVER | NP_HAS_NO_JOB, .read_if = NP_READ_AT_PORT },
	{ 0, "bind-address", "ADDRESS", NP_OPTION_TEXT, NP_SCOPE_LOCAL, AT(bind_address), 0, 0, NULL, NULL,
	  "address of this host at which a server listens, or that a client connects from",
	  .needs = NP_HAS_SERVER | NP_HAS_NO_JOB },
	{ '4', "ipv4", NULL, NP_OPTION_FLAG, NP_SCOPE_LOCAL, AT(ipv4), 0, 0, NULL, NULL,
	  "client: connect by IPv4 alone",
	  .needs = NP_HAS_SERVER | NP_HAS_NO_JOB, .read_if = NP_READ_CONNECTING, .letter_only = true },
	{ '6', "ipv6", NULL, NP_OPTION_FLAG, NP_SCOPE_LOCAL, AT(ipv6), 0, 0, NULL, NULL,
	  "client: connect by IPv6 alone",
	  .needs = NP_HAS_SERVER | NP_HAS_NO_JOB, .read_if = NP_READ_CONNECTING, .letter_only = true },
	{ 0, "allow", "NETWORKS", NP_OPTION_TEXT, NP_SCOPE_LOCAL, AT(allow), 0, 0, NULL, NULL,
	  "server: let only addresses of these networks connect, such as 10.0.0.0/8,fd00::/8; all: every host without a token, whose plan may take a quarter of the memory, and an hour",
	  .needs = NP_HAS_SERVER | NP_HAS_NO_JOB },
	{ 0, "max-memory", "SIZE", NP_OPTION_SIZE, NP_SCOPE_LOCAL, AT(max_memory), 0, 0, NULL, NULL,
	  "refuse a plan that takes more memory than this here; 0 is no limit for a client, and for a server three quarters of what is available, 1 GiB without a token" },
	{ 0, "max-run-time", "TIME", NP_OPTION_SECONDS, NP_SCOPE_LOCAL, AT(max_run_time), 0, 31536000, NULL, NULL,
	  "end a run that takes longer than this; 0 is ten times what the plan takes, and an hour at least, or ten minutes for a server without a token" },

	{ 'l', "lower", "SIZE", NP_OPTION_SIZE, NP_SCOPE_PLAN, AT(lower), 0, 0, NULL, "1",
	  "smallest message; 0 adds the empty message",
	  .group = "Message sizes", .brief = true, .alias = "start", .read_if = NP_READ_SCHEDULING },
	{ 'u', "upper", "SIZE", NP_OPTION_SIZE, NP_SCOPE_PLAN, AT(upper), 1, 1ull << 40, NULL, "8M",
	  "largest message before perturbation",
	  .brief = true, .alias = "end", .read_if = NP_READ_SCHEDULING },
	{ 'p', "perturbation", "BYTES", NP_OPTION_SIZE, NP_SCOPE_PLAN, AT(perturbation), 0, 1ull << 30, NULL, "3",
	  "also measure each size less and plus BYTES; 0 turns that off",
	  .read_if = NP_READ_PERTURBING },
	{ 0, "sizes", "LIST", NP_OPTION_TEXT, NP_SCOPE_PLAN, AT(sizes), 0, 0, NULL, NULL,
	  "measure just these, such as 64,4K,4K+1,1M",
	  .brief = true },

	{ 's', "stream", NULL, NP_OPTION_FLAG, NP_SCOPE_PLAN, AT(stream), 0, 0, NULL, NULL,
	  "stream messages one way, then one acknowledgement",
	  .group = "What is measured", .brief = true, .needs = NP_CAN_STREAM },
	{ 0, "window", "N", NP_OPTION_COUNT, NP_SCOPE_PLAN, AT(window), 0, 65536, NULL, NULL,
	  "most messages in flight; 1: each of a stream is acknowledged before the next; 0 leaves it to the transport",
	  .needs = NP_CAN_STREAM },
	{ '2', "bidirectional", NULL, NP_OPTION_FLAG, NP_SCOPE_PLAN, AT(bidirectional), 0, 0, NULL, NULL,
	  "send in both directions at once",
	  .brief = true, .needs = NP_CAN_BIDIRECTIONAL },
	{ 'B', "burst", NULL, NP_OPTION_FLAG, NP_SCOPE_PLAN, AT(burst), 0, 0, NULL, NULL,
	  "post all receives of a block of samples before it starts",
	  .needs = NP_CAN_BURST },
	{ 'i', "integrity", NULL, NP_OPTION_FLAG, NP_SCOPE_PLAN, AT(integrity), 0, 0, NULL, NULL,
	  "check every byte instead of timing",
	  .brief = true, .needs = NP_HAS_BYTES },

	{ 'n', "messages", "N", NP_OPTION_COUNT, NP_SCOPE_PLAN, AT(messages), 0, 1ull << 32, NULL, NULL,
	  "messages per sample, and between two acknowledgements of a stream; 0 takes as many as fill --sample-time",
	  .group = "Sampling", .alias = "repeats" },
	{ 0, "sample-time", "USEC", NP_OPTION_NUMBER, NP_SCOPE_PLAN, AT(sample_time), 0, 10000000, NULL, NULL,
	  "length of a sample in microseconds; 0 takes 100, for streams 2000",
	  .read_if = NP_READ_IN_PASSES },
	{ 0, "quick", NULL, NP_OPTION_FLAG, NP_SCOPE_PLAN, AT(quick), 0, 0, NULL, NULL,
	  "no perturbation, and seconds instead of a minute",
	  .brief = true },
	{ 0, "time-budget", "TIME", NP_OPTION_SECONDS, NP_SCOPE_PLAN, AT(time_budget), 0, 604800, NULL, NULL,
	  "time limit; 0: 40 s per mode, 7 s with --quick",
	  .brief = true },
	{ 0, "watch", "TIME", NP_OPTION_SECONDS, NP_SCOPE_PLAN, AT(watch), 0, 604800, NULL, NULL,
	  "measure for so long, with a line a minute, and find slow minutes and the least rate",
	  .read_if = NP_READ_IN_PASSES },
	{ 0, "precision", "PERCENT", NP_OPTION_NUMBER, NP_SCOPE_PLAN, AT(precision), 0, 100, NULL, "3",
	  "stop at a size once its interval is within this of its median; 0 spends the whole budget",
	  .read_if = NP_READ_IN_PASSES },
	{ 0, "same-within", "PERCENT", NP_OPTION_NUMBER, NP_SCOPE_PLAN, AT(same_within), 0, 100, NULL, "2",
	  "call two times the same if the interval of their ratio is within this of 1",
	  .read_if = NP_READ_COMPARING },
	{ 0, "passes", "N", NP_OPTION_COUNT, NP_SCOPE_PLAN, AT(passes), 0, 10000, NULL, NULL,
	  "make this many passes over all sizes; 0 is 6 at least",
	  .read_if = NP_READ_IN_PASSES },
	{ 0, "runs", "N", NP_OPTION_COUNT, NP_SCOPE_PLAN, AT(runs), 1, 1000, NULL, "1",
	  "repeat everything in N new processes",
	  .brief = true },
	{ 0, "variant", "VARIANT", NP_OPTION_TEXTS, NP_SCOPE_PLAN, AT(variants), 0, 0, NULL, NULL,
	  "compare NAME:SETTING=VALUE,... with the first one given; a setting is an option, or env: and a variable" },
	{ 0, "tune", NULL, NP_OPTION_FLAG, NP_SCOPE_LOCAL, AT(tune), 0, 0, NULL, NULL,
	  "end in the lines to set: of the variants, or of the transport's own ones",
	  .read_if = NP_READ_BY_CLIENT },
	{ 0, "launcher", "COMMAND", NP_OPTION_TEXT, NP_SCOPE_LOCAL, AT(launcher), 0, 0, NULL, NULL,
	  "with --runs, start the processes of each run by this command and its options",
	  .needs = NP_HAS_JOB },
	{ 0, "per-message", NULL, NP_OPTION_FLAG, NP_SCOPE_PLAN, AT(per_message), 0, 0, NULL, NULL,
	  "latency of each message: percentiles, histogram",
	  .brief = true },
	{ 0, "refine", NULL, NP_OPTION_FLAG, NP_SCOPE_PLAN, AT(refine), 0, 0, NULL, NULL,
	  "find steps and dropouts to the byte",
	  .brief = true },
	{ 'r', "reset", NULL, NP_OPTION_FLAG, NP_SCOPE_PLAN, AT(reset), 0, 0, NULL, NULL,
	  "make the connection anew for each size, not only for each pass",
	  .needs = NP_CAN_RECONNECT },
	{ 0, "seed", "N", NP_OPTION_COUNT, NP_SCOPE_PLAN, AT(seed), 0, UINT64_MAX, NULL, NULL,
	  "seed of every random choice; 0 draws one and prints it" },

	{ 'I', "invalidate", NULL, NP_OPTION_FLAG, NP_SCOPE_PLAN, AT(invalidate), 0, 0, NULL, NULL,
	  "compare one reused buffer with cold buffers",
	  .group = "Buffers", .brief = true, .alias = "nocache" },
	{ 0, "buffers", "LIST", NP_OPTION_SET, NP_SCOPE_PLAN, AT(buffers), 0, 0, np_buffer_words, NULL,
	  "buffers of the messages; -I is reuse,rotate; with apart and --runs N each of them has N runs of its own, in turn" },
	{ 0, "capacity", "SIZE", NP_OPTION_SIZE, NP_SCOPE_PLAN, AT(capacity), 1, 1ull << 40, NULL, NULL,
	  "find how many buffers of SIZE stay fast",
	  .brief = true },
	{ 0, "why", "SIZE", NP_OPTION_SIZE, NP_SCOPE_PLAN, AT(why), 1, 1ull << 40, NULL, NULL,
	  "find what makes cold buffers slow at SIZE",
	  .brief = true },
	{ 0, "replay", "FILE", NP_OPTION_TEXT, NP_SCOPE_LOCAL, AT(replay), 0, 0, NULL, NULL,
	  "measure what the buffers of a program cost here: FILE is of netpong record",
	  .read_if = NP_READ_BY_CLIENT },
	{ 0, "replay-points", "LIST", NP_OPTION_TEXT, NP_SCOPE_PLAN, AT(points), 0, 0, NULL, NULL,
	  NULL }, /* made from FILE by --replay */
	{ 0, "memory", "KIND", NP_OPTION_CHOICE, NP_SCOPE_PLAN, AT(memory), 0, 0, np_memory_words, "host",
	  "where buffers lie: in memory of the host, or of a GPU, all or those of one side",
	  .needs = NP_CAN_GPU },
	{ 0, "pool", "SIZE", NP_OPTION_SIZE, NP_SCOPE_PLAN, AT(pool), 0, 1ull << 44, NULL, NULL,
	  "memory to rotate through, each process; 0 is four times the last-level cache" },
	{ 0, "slots", "N", NP_OPTION_COUNT, NP_SCOPE_PLAN, AT(slots), 0, 1ull << 32, NULL, NULL,
	  "most buffers to rotate through; 0 takes all that the pool holds" },
	{ 0, "order", "ORDER", NP_OPTION_CHOICE, NP_SCOPE_PLAN, AT(order), 0, 0, orders, "random",
	  "order of the buffers",
	  .read_if = NP_READ_ROTATING },
	{ 0, "pages", "SIZE", NP_OPTION_CHOICE, NP_SCOPE_PLAN, AT(pages), 0, 0, np_page_words, "4k",
	  "pages of the pool" },
	{ 0, "regions", "N", NP_OPTION_COUNT, NP_SCOPE_PLAN, AT(regions), 1, 1ull << 24, NULL, "1",
	  "register the pool in N parts",
	  .needs = NP_CAN_REGISTER },
	{ 0, "align", "BYTES", NP_OPTION_SIZE, NP_SCOPE_PLAN, AT(align), 1, 2 << 20, NULL, "64",
	  "alignment of every buffer, a power of two" },
	{ 'O', "offset", "BYTES[,BYTES]", NP_OPTION_SIZE_PAIR, NP_SCOPE_PLAN, AT(offsets), 0, 1ull << 30, NULL, "0",
	  "distance of the send and of the receive buffer from that alignment" },

	{ 'o', "output", "FILE", NP_OPTION_TEXT, NP_SCOPE_LOCAL, AT(output), 0, 0, NULL, NULL,
	  "write NetPIPE's three columns",
	  .group = "Results", .brief = true, .alias = "outfile", .read_if = NP_READ_OF_RESULTS },
	{ 0, "json", "FILE", NP_OPTION_TEXT, NP_SCOPE_LOCAL, AT(json), 0, 0, NULL, NULL,
	  "write everything as JSON Lines",
	  .brief = true, .read_if = NP_READ_BY_CLIENT },
	{ 0, "plot", "FILE", NP_OPTION_TEXT, NP_SCOPE_LOCAL, AT(plot), 0, 0, NULL, NULL,
	  "draw into FILE: .png, .svg, .pdf; --html: a page",
	  .brief = true, .read_if = NP_READ_BY_CLIENT },
	{ 0, "html", "FILE", NP_OPTION_TEXT, NP_SCOPE_LOCAL, AT(html), 0, 0, NULL, NULL,
	  "write summary, pictures and tables as one page",
	  .read_if = NP_READ_BY_CLIENT },
	{ 0, "force", NULL, NP_OPTION_FLAG, NP_SCOPE_LOCAL, AT(force), 0, 0, NULL, NULL,
	  "overwrite result files that exist; without it they are kept as FILE.~N~" },
	{ 0, "dry-run", NULL, NP_OPTION_FLAG, NP_SCOPE_LOCAL, AT(dry_run), 0, 0, NULL, NULL,
	  "print the plan, its memory and its time, and measure nothing" },
	{ 0, "list-devices", NULL, NP_OPTION_FLAG, NP_SCOPE_LOCAL, AT(list_devices), 0, 0, NULL, NULL,
	  "list what the transport can choose from on this host, and measure nothing",
	  .needs = NP_HAS_DEVICES },
	{ 0, "reference", "FILE", NP_OPTION_TEXT, NP_SCOPE_LOCAL, AT(reference), 0, 0, NULL, NULL,
	  "hold the host state against that of an earlier run, a file of --json",
	  .read_if = NP_READ_OF_RESULTS },
	{ 0, "fail-on", "VERDICT", NP_OPTION_CHOICE, NP_SCOPE_LOCAL, AT(fail_on), 0, 0, failings, "nothing",
	  "end with status 3 if with -I any size, or in a tournament any rank or pair, is significantly slower" },
	{ 0, "expect", "CLAUSES", NP_OPTION_TEXT, NP_SCOPE_PLAN, AT(expect), 0, 0, NULL, NULL,
	  "measure until each clause passes or fails, such as 'latency(8) <= 2us, bandwidth(1M) >= 10G'; @FILE: those that FILE has of this program" },
	{ 0, "quiet", NULL, NP_OPTION_FLAG, NP_SCOPE_LOCAL, AT(quiet), 0, 0, NULL, NULL,
	  "print the table and nothing else" },
	{ 'v', "verbose", NULL, NP_OPTION_FLAG, NP_SCOPE_LOCAL, AT(verbose), 0, 0, NULL, NULL,
	  "print the settings and more details as well" },
	{ 0, "all-rows", NULL, NP_OPTION_FLAG, NP_SCOPE_LOCAL, AT(all_rows), 0, 0, NULL, NULL,
	  "print a row for every size, not one a power of two" },
	{ 0, "run-pipe", "FD", NP_OPTION_TEXT, NP_SCOPE_LOCAL, AT(run_pipe), 0, 0, NULL, NULL,
	  NULL }, /* given by --runs to each run */
	{ 0 }
};
// clang-format on

bool np_options_rotate(const struct np_options *options)
{
	return options->invalidate || options->capacity != 0 || options->why != 0 ||
	       options->points != NULL || options->replay != NULL;
}

bool np_options_reuse(const struct np_options *options)
{
	return (options->buffers & NP_BUFFERS_REUSE) != 0 ||
	       (options->buffers &
		(NP_BUFFERS_ROTATE | NP_BUFFERS_ROTATE_SEND | NP_BUFFERS_ROTATE_RECV)) == 0;
}

enum np_rotate_side np_options_side(const struct np_options *options)
{
	if ((options->buffers & NP_BUFFERS_ROTATE_SEND) != 0)
		return NP_ROTATE_SEND;
	return (options->buffers & NP_BUFFERS_ROTATE_RECV) != 0 ? NP_ROTATE_RECV :
								  NP_ROTATE_BOTH;
}
