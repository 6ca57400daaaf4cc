/*
 * options.c - table of the options, and the checks between them.  NetPIPE's letters
 * keep their meaning; each has a long name.
 */
#include "plan/options.h"

#include "plan/pages.h"
#include "plan/traits.h"

static const char *const orders[] = { "random", "sequential", NULL };
static const char *const failings[] = { "nothing", "slower", NULL };
static const char *const sides[] = { "both", "send", "recv", NULL };

#define AT(member) offsetof(struct np_options, member)

// clang-format off
const struct np_option np_driver_options[] = {
	{ 'h', "host", "HOST", NP_OPTION_TEXT, NP_SCOPE_LOCAL, AT(host), 0, 0, NULL, NULL,
	  "client: measure the path to the server at HOST",
	  .group = "The two processes", .brief = true, .needs = NP_HAS_SERVER | NP_HAS_NO_JOB },
	{ 'P', "port", "PORT", NP_OPTION_COUNT, NP_SCOPE_LOCAL, AT(port), 0, 65535, NULL, "5002",
	  "the server's port; 0: any free one",
	  .brief = true, .needs = NP_HAS_SERVER | NP_HAS_NO_JOB },
	{ 0, "local", NULL, NP_OPTION_FLAG, NP_SCOPE_LOCAL, AT(local), 0, 0, NULL, NULL,
	  "start both processes on this host",
	  .brief = true, .needs = NP_HAS_NO_JOB },
	{ 0, "connect-timeout", "TIME", NP_OPTION_SECONDS, NP_SCOPE_LOCAL, AT(connect_timeout), 0, 3600, NULL, "3",
	  "how long to try again while nobody listens at HOST, or another run goes on there",
	  .needs = NP_HAS_SERVER | NP_HAS_NO_JOB },
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
	{ 0, "hostfile", "FILE", NP_OPTION_TEXT, NP_SCOPE_LOCAL, AT(hostfile), 0, 0, NULL, NULL,
	  "the hosts of --all-pairs, a line each, perhaps with the address to measure",
	  .needs = NP_HAS_SERVER | NP_HAS_NO_JOB },
	{ 0, "all-pairs", NULL, NP_OPTION_FLAG, NP_SCOPE_LOCAL, AT(all_pairs), 0, 0, NULL, NULL,
	  "measure each pair of the hosts of --hostfile, as many at once as there can be, and name what is slow",
	  .needs = NP_HAS_SERVER | NP_HAS_NO_JOB },
	{ 0, "groups", "FILE", NP_OPTION_TEXT, NP_SCOPE_LOCAL, AT(groups), 0, 0, NULL, NULL,
	  "of all pairs, what each host belongs to, such as its rack: lines HOST GROUP",
	  .needs = NP_HAS_FLEET },
	{ 0, "slow", "PERCENT", NP_OPTION_NUMBER, NP_SCOPE_LOCAL, AT(slow), 0, 1000, NULL, "7",
	  "of all pairs, how much slower than the others is slow",
	  .needs = NP_HAS_FLEET },
	{ 0, "launched", NULL, NP_OPTION_FLAG, NP_SCOPE_LOCAL, AT(launched), 0, 0, NULL, NULL,
	  NULL }, /* given by --remote to the server that it starts */

	{ 0, "once", NULL, NP_OPTION_FLAG, NP_SCOPE_LOCAL, AT(once), 0, 0, NULL, NULL,
	  "wait for one run and end with it, as without any option",
	  .needs = NP_HAS_SERVER | NP_HAS_NO_JOB },
	{ 0, "serve", NULL, NP_OPTION_FLAG, NP_SCOPE_LOCAL, AT(serve), 0, 0, NULL, NULL,
	  "server: one run after the other, until a signal",
	  .brief = true, .needs = NP_HAS_SERVER | NP_HAS_NO_JOB },
	{ 0, "token-file", "FILE", NP_OPTION_TEXT, NP_SCOPE_LOCAL, AT(token_file), 0, 0, NULL, NULL,
	  "deal only with a process that knows the token in FILE; the server makes a file that is missing",
	  .needs = NP_HAS_SERVER | NP_HAS_NO_JOB },
	{ 0, "bind-address", "ADDRESS", NP_OPTION_TEXT, NP_SCOPE_LOCAL, AT(bind_address), 0, 0, NULL, NULL,
	  "server: listen at this address of the host only",
	  .needs = NP_HAS_SERVER | NP_HAS_NO_JOB },
	{ 0, "allow", "NETWORKS", NP_OPTION_TEXT, NP_SCOPE_LOCAL, AT(allow), 0, 0, NULL, NULL,
	  "server: let only addresses of these networks connect, such as 10.0.0.0/8,fd00::/8",
	  .needs = NP_HAS_SERVER | NP_HAS_NO_JOB },
	{ 0, "open", NULL, NP_OPTION_FLAG, NP_SCOPE_LOCAL, AT(open), 0, 0, NULL, NULL,
	  "with --serve, let every host connect without a token",
	  .needs = NP_HAS_SERVER | NP_HAS_NO_JOB },
	{ 0, "max-memory", "SIZE", NP_OPTION_SIZE, NP_SCOPE_LOCAL, AT(max_memory), 0, 0, NULL, NULL,
	  "refuse a plan that takes more memory than this here; 0 is three quarters of what is available, a quarter without a token" },
	{ 0, "max-run-time", "TIME", NP_OPTION_SECONDS, NP_SCOPE_LOCAL, AT(max_run_time), 0, 31536000, NULL, NULL,
	  "end a run that takes longer than this; 0 is ten times what the plan takes, and an hour at least" },

	{ 'l', "lower", "SIZE", NP_OPTION_SIZE, NP_SCOPE_PLAN, AT(lower), 0, 0, NULL, "1",
	  "smallest message; 0 adds the empty message",
	  .group = "Message sizes", .brief = true, .alias = "start" },
	{ 'u', "upper", "SIZE", NP_OPTION_SIZE, NP_SCOPE_PLAN, AT(upper), 1, 1ull << 40, NULL, "8M",
	  "largest message before perturbation",
	  .brief = true, .alias = "end" },
	{ 'p', "perturbation", "BYTES", NP_OPTION_SIZE, NP_SCOPE_PLAN, AT(perturbation), 0, 1ull << 30, NULL, "3",
	  "also measure each size less and plus BYTES; 0 turns that off" },
	{ 0, "sizes", "LIST", NP_OPTION_TEXT, NP_SCOPE_PLAN, AT(sizes), 0, 0, NULL, NULL,
	  "measure just these, such as 64,4K,4K+1,1M",
	  .brief = true },

	{ 's', "stream", NULL, NP_OPTION_FLAG, NP_SCOPE_PLAN, AT(stream), 0, 0, NULL, NULL,
	  "stream messages one way, then one acknowledgement",
	  .group = "What is measured", .brief = true, .needs = NP_CAN_STREAM },
	{ 0, "stream-count", "N", NP_OPTION_COUNT, NP_SCOPE_PLAN, AT(stream_count), 0, 1ull << 32, NULL, NULL,
	  "messages between two acknowledgements; 0 chooses by time",
	  .needs = NP_CAN_STREAM },
	{ 0, "stream-volume", "SIZE", NP_OPTION_SIZE, NP_SCOPE_PLAN, AT(stream_volume), 0, 1ull << 40, NULL, NULL,
	  "bytes between two acknowledgements, whatever the message size",
	  .needs = NP_CAN_STREAM },
	{ 0, "each-acked", NULL, NP_OPTION_FLAG, NP_SCOPE_PLAN, AT(each_acked), 0, 0, NULL, NULL,
	  "acknowledge every message of a stream before the next",
	  .needs = NP_CAN_STREAM },
	{ 0, "window", "N", NP_OPTION_COUNT, NP_SCOPE_PLAN, AT(window), 0, 65536, NULL, NULL,
	  "most messages in flight; 0 leaves it to the transport",
	  .needs = NP_CAN_WINDOW },
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
	  "messages per sample; 0 takes as many as fill --sample-time",
	  .group = "Sampling", .alias = "repeats" },
	{ 0, "sample-time", "USEC", NP_OPTION_NUMBER, NP_SCOPE_PLAN, AT(sample_time), 0, 10000000, NULL, NULL,
	  "length of a sample in microseconds; 0 takes 100, for streams 2000" },
	{ 0, "quick", NULL, NP_OPTION_FLAG, NP_SCOPE_PLAN, AT(quick), 0, 0, NULL, NULL,
	  "no perturbation, and seconds instead of a minute",
	  .brief = true },
	{ 0, "time-budget", "TIME", NP_OPTION_SECONDS, NP_SCOPE_PLAN, AT(time_budget), 0, 604800, NULL, NULL,
	  "time limit; 0: 40 s per mode, 7 s with --quick",
	  .brief = true },
	{ 0, "precision", "PERCENT", NP_OPTION_NUMBER, NP_SCOPE_PLAN, AT(precision), 0, 100, NULL, "3",
	  "stop at a size once its interval is within this of its median; 0 spends the whole budget" },
	{ 0, "same-within", "PERCENT", NP_OPTION_NUMBER, NP_SCOPE_PLAN, AT(same_within), 0, 100, NULL, "2",
	  "call two times the same if the interval of their ratio is within this of 1" },
	{ 0, "passes", "N", NP_OPTION_COUNT, NP_SCOPE_PLAN, AT(passes), 0, 10000, NULL, NULL,
	  "at least this many passes over all sizes; 0 is 6" },
	{ 0, "runs", "N", NP_OPTION_COUNT, NP_SCOPE_PLAN, AT(runs), 1, 1000, NULL, "1",
	  "repeat everything in N new processes",
	  .brief = true },
	{ 0, "modes-apart", NULL, NP_OPTION_FLAG, NP_SCOPE_LOCAL, AT(modes_apart), 0, 0, NULL, NULL,
	  "with -I and --runs, each mode in N runs of its own, in turn" },
	{ 0, "variant", "VARIANT", NP_OPTION_TEXTS, NP_SCOPE_PLAN, AT(variants), 0, 0, NULL, NULL,
	  "compare NAME:SETTING=VALUE,... with the first one given; a setting is an option, or env: and a variable" },
	{ 0, "tune", NULL, NP_OPTION_FLAG, NP_SCOPE_LOCAL, AT(tune), 0, 0, NULL, NULL,
	  "end in the lines to set: of the variants, or of the transport's own ones" },
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
	{ 0, "rotate-only", NULL, NP_OPTION_FLAG, NP_SCOPE_PLAN, AT(rotate_only), 0, 0, NULL, NULL,
	  "with -I, leave the reused buffer out" },
	{ 0, "fresh", NULL, NP_OPTION_FLAG, NP_SCOPE_PLAN, AT(fresh), 0, 0, NULL, NULL,
	  "with -I or --capacity, also measure buffers never used before",
	  .needs = NP_CAN_FRESH },
	{ 0, "capacity", "SIZE", NP_OPTION_SIZE, NP_SCOPE_PLAN, AT(capacity), 0, 1ull << 40, NULL, NULL,
	  "find how many buffers of SIZE stay fast",
	  .brief = true },
	{ 0, "why", "SIZE", NP_OPTION_SIZE, NP_SCOPE_PLAN, AT(why), 0, 1ull << 40, NULL, NULL,
	  "find what makes cold buffers slow at SIZE",
	  .brief = true },
	{ 0, "rotate", "SIDE", NP_OPTION_CHOICE, NP_SCOPE_PLAN, AT(rotate), 0, 0, sides, "both",
	  "which buffers rotate" },
	{ 0, "same-buffer", NULL, NP_OPTION_FLAG, NP_SCOPE_PLAN, AT(same_buffer), 0, 0, NULL, NULL,
	  "send from the buffer that a message was received in",
	  .needs = NP_CAN_SAME_BUFFER },
	{ 0, "touch", NULL, NP_OPTION_FLAG, NP_SCOPE_PLAN, AT(touch), 0, 0, NULL, NULL,
	  "rotate addresses but warm the CPU cache before each sample" },
	{ 0, "pool", "SIZE", NP_OPTION_SIZE, NP_SCOPE_PLAN, AT(pool), 0, 1ull << 44, NULL, NULL,
	  "memory to rotate through, each process; 0 is four times the last-level cache" },
	{ 0, "slots", "N", NP_OPTION_COUNT, NP_SCOPE_PLAN, AT(slots), 0, 1ull << 32, NULL, NULL,
	  "most buffers to rotate through; 0 takes all that the pool holds" },
	{ 0, "order", "ORDER", NP_OPTION_CHOICE, NP_SCOPE_PLAN, AT(order), 0, 0, orders, "random",
	  "order of the buffers" },
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
	  .group = "Results", .brief = true, .alias = "outfile" },
	{ 0, "json", "FILE", NP_OPTION_TEXT, NP_SCOPE_LOCAL, AT(json), 0, 0, NULL, NULL,
	  "write everything as JSON Lines",
	  .brief = true },
	{ 0, "force", NULL, NP_OPTION_FLAG, NP_SCOPE_LOCAL, AT(force), 0, 0, NULL, NULL,
	  "overwrite result files that exist; without it they are kept as FILE.~N~" },
	{ 0, "dry-run", NULL, NP_OPTION_FLAG, NP_SCOPE_LOCAL, AT(dry_run), 0, 0, NULL, NULL,
	  "print the plan, its memory and its time, and measure nothing" },
	{ 0, "list-devices", NULL, NP_OPTION_FLAG, NP_SCOPE_LOCAL, AT(list_devices), 0, 0, NULL, NULL,
	  "list what the transport can choose from on this host, and measure nothing",
	  .needs = NP_HAS_DEVICES },
	{ 0, "reference", "FILE", NP_OPTION_TEXT, NP_SCOPE_LOCAL, AT(reference), 0, 0, NULL, NULL,
	  "hold the host state against that of an earlier run, a file of --json" },
	{ 0, "fail-on", "VERDICT", NP_OPTION_CHOICE, NP_SCOPE_LOCAL, AT(fail_on), 0, 0, failings, "nothing",
	  "with -I, end with status 3 if buffers that are not reused are significantly slower at any size" },
	{ 0, "expect", "CLAUSES", NP_OPTION_TEXT, NP_SCOPE_PLAN, AT(expect), 0, 0, NULL, NULL,
	  "measure until each clause passes or fails, such as 'latency(8) <= 2us, bandwidth(1M) >= 10G'" },
	{ 0, "expect-file", "FILE", NP_OPTION_TEXT, NP_SCOPE_LOCAL, AT(expect_file), 0, 0, NULL, NULL,
	  "--expect with the clauses that FILE has of this program, in lines such as 'PROGRAM: latency(8) <= 20us'" },
	{ 0, "expect-error", "PERCENT", NP_OPTION_NUMBER, NP_SCOPE_LOCAL, AT(expect_error), 0, 20, NULL, "1",
	  "chance at most that --expect passes wrongly, and that it fails wrongly" },
	{ 0, "indifference", "PERCENT", NP_OPTION_NUMBER, NP_SCOPE_LOCAL, AT(indifference), 0, 50, NULL, "2",
	  "distance from a bound of --expect within which passing and failing are both right" },
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

static int check_modes(const struct np_options *options, struct np_error *error)
{
	const bool stream_detail = options->stream_count != 0 ||
				   options->stream_volume != 0 || options->each_acked;

	if (options->stream && options->bidirectional)
		return np_refuse(error, "-s and -2 exclude each other");
	if (options->burst && options->window != 0)
		return np_refuse(error, "-B posts all receives of a block: it excludes "
					"--window, which bounds them");
	if (stream_detail && !options->stream)
		return np_refuse(
			error, "--stream-count, --stream-volume and --each-acked need -s");
	if (options->window != 0 &&
	    ((!options->stream && !options->bidirectional) || options->each_acked))
		return np_refuse(error,
				 "--window bounds the messages in flight one behind the "
				 "other: it needs -s or -2, and excludes --each-acked");
	if ((options->stream_count != 0) + (options->stream_volume != 0) +
		    (options->messages != 0) + options->each_acked >
	    1)
		return np_refuse(error, "-n, --stream-count, --stream-volume and "
					"--each-acked exclude each other");
	if (options->per_message && options->stream && !options->each_acked)
		return np_refuse(error, "--per-message cannot time the messages of a "
					"stream; with --each-acked it can");
	if (options->per_message && (options->messages != 0 || options->touch))
		return np_refuse(error, "--per-message excludes -n and --touch");
	if (options->integrity && (options->per_message || options->touch))
		return np_refuse(error,
				 "-i times nothing: it excludes --per-message and --touch");
	return 0;
}

static int check_refine(const struct np_options *options, struct np_error *error)
{
	if (!options->refine)
		return 0;
	if (options->integrity || options->reset || options->runs > 1)
		return np_refuse(error, "--refine searches within one connection of one "
					"run: it excludes -i, -r and --runs");
	if (options->capacity != 0 || options->why != 0)
		return np_refuse(error, "--refine searches between sizes: it excludes "
					"--capacity and --why");
	return 0;
}

bool np_options_rotate(const struct np_options *options)
{
	return options->invalidate || options->capacity != 0 || options->why != 0;
}

/* Options of --capacity and --why, which measure one size. */
static int check_questions(const struct np_options *options, struct np_error *error)
{
	if ((options->capacity != 0) + (options->why != 0) + options->invalidate > 1)
		return np_refuse(error, "-I, --capacity and --why exclude each other");
	if (options->capacity == 0 && options->why == 0)
		return 0;
	if (options->sizes != NULL || options->output != NULL || options->integrity ||
	    options->per_message || options->touch || options->rotate_only)
		return np_refuse(
			error, "--capacity and --why have a size of their own and exclude "
			       "--sizes, -o, -i, --per-message, --touch and --rotate-only");
	/* Both choose the buffers of a block; a burst needs one for each message. */
	if (options->burst)
		return np_refuse(error, "--capacity and --why exclude -B");
	if (options->why != 0 && (options->fresh || options->rotate != NP_ROTATE_BOTH ||
				  options->messages != 0 || options->stream_count != 0 ||
				  options->stream_volume != 0))
		return np_refuse(error, "--why excludes --fresh, --rotate, -n, "
					"--stream-count and --stream-volume");
	return 0;
}

static int check_buffers(const struct np_options *options, struct np_error *error)
{
	if (options->same_buffer &&
	    (options->stream || options->bidirectional || options->integrity ||
	     options->burst || options->why != 0 || options->rotate != NP_ROTATE_BOTH))
		return np_refuse(error, "--same-buffer sends a message back: it excludes "
					"-s, -2, -B, -i, --why and --rotate");
	if ((options->align & (options->align - 1)) != 0)
		return np_refuse(error, "--align %zu is not a power of two",
				 options->align);
	if (!np_options_rotate(options) &&
	    (options->rotate_only || options->touch || options->fresh ||
	     options->pool != 0 || options->slots != 0 ||
	     options->rotate != NP_ROTATE_BOTH))
		return np_refuse(error, "--rotate-only, --rotate, --touch, --fresh, --pool "
					"and --slots need -I");
	if (options->modes_apart &&
	    (!options->invalidate || options->rotate_only || options->integrity))
		return np_refuse(
			error, "--modes-apart needs -I, and excludes --rotate-only and -i");
	if (options->fail_on != NP_FAIL_ON_NOTHING && !options->all_pairs &&
	    (!options->invalidate || options->rotate_only || options->integrity))
		return np_refuse(error, "--fail-on needs the ratios of -I, which "
					"--rotate-only and -i leave out");
	return check_questions(options, error);
}

/* Options of a server started on another host, and of --all-pairs. */
static int check_remote(const struct np_options *options, struct np_error *error)
{
	const bool here = options->local || options->token_file != NULL || options->once ||
			  options->serve;

	if (options->remote != NULL && here)
		return np_refuse(
			error,
			"--remote excludes --local, --token-file, --once and --serve");
	if (options->all_pairs != (options->hostfile != NULL))
		return np_refuse(error, "--all-pairs and --hostfile need each other");
	if (options->all_pairs &&
	    (here || options->remote != NULL || options->host != NULL))
		return np_refuse(error,
				 "--all-pairs starts both processes itself: it excludes "
				 "--remote, -h, --local, --once, --serve and --token-file");
	if (options->all_pairs &&
	    (options->runs > 1 || options->integrity || options->output != NULL))
		return np_refuse(error, "--all-pairs excludes --runs, -i and -o");
	/* Within a run of --runs its number is sent to the peer. */
	if (options->launcher != NULL && options->runs < 2 && options->run_pipe == NULL)
		return np_refuse(error, "--launcher starts the runs of --runs, and "
					"needs two of them at least");
	if (options->remote == NULL && !options->all_pairs &&
	    (options->rsh != NULL || options->remote_program != NULL ||
	     options->remote_options != NULL))
		return np_refuse(error, "--rsh, --remote-program and --remote-options need "
					"--remote or --all-pairs");
	return 0;
}

static int check_server(const struct np_options *options, struct np_error *error)
{
	if (options->once && options->serve)
		return np_refuse(error, "--once and --serve exclude each other");
	if (options->open && (options->token_file != NULL || options->allow != NULL))
		return np_refuse(error, "--open lets every host connect: it excludes "
					"--token-file and --allow");
	if ((options->once || options->serve || options->bind_address != NULL ||
	     options->allow != NULL || options->open) &&
	    (options->host != NULL || options->local))
		return np_refuse(error, "--once, --serve, --bind-address, --allow and "
					"--open are for the server");
	return 0;
}

int np_options_check(const struct np_options *options, struct np_error *error)
{
	int rc;

	if (options->host != NULL && options->local)
		return np_refuse(error, "-h and --local exclude each other");
	if (options->expect != NULL && options->expect_error <= 0)
		return np_refuse(error, "--expect-error has to be above 0: nothing that is "
					"measured is certain");
	rc = check_remote(options, error);
	if (rc == 0)
		rc = check_server(options, error);
	if (rc != 0)
		return rc;
	if (options->sizes == NULL && options->lower > options->upper)
		return np_refuse(error, "-l %zu is above -u %zu", options->lower,
				 options->upper);
	rc = check_modes(options, error);
	if (rc == 0)
		rc = check_refine(options, error);
	return rc != 0 ? rc : check_buffers(options, error);
}
