/*
 * conform.c - runs the tests of the module contract over every module of the build.
 *
 *     conform [MODULE [WORDS]]     all modules, or one; with WORDS only the settings
 *                                  whose name contains them
 *     conform MODULE NAME=VALUE... one module with these options
 *     conform --job MODULE NUMBER  one of the two processes of a module that has a
 *                                  launcher, with the settings of that number
 *
 * A module that is not in the build is skipped with configure's reason; it is a failure if
 * NP_REQUIRE in the environment names it.
 */
#include "conform.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "boot/boot_tcp.h"
#include "boot/channel.h"
#include "tests/lib/registry.h"
#include "tests/lib/tap.h"

/* Requirements of a test beyond the capabilities of the module. */
enum need {
	ALWAYS = 0,
	TWO_SIDED = 1, /* a process is killed or interrupted: a copy has no peer, and a
			  launcher ends the whole job if a process dies */
	OPTIONAL = 2,  /* with the default settings only */
	UNSEEN = 4     /* verifies no byte: possible with a model, which moves none */
};

static const struct test {
	const char *name;
	two_ends_test *run;
	unsigned seconds; /* until it is killed; many times its usual duration */
	unsigned need;
	unsigned capabilities;
	enum np_operation operation;
	size_t smallest;
	size_t window; /* --window; 0: the default of the transport */
} tests[] = {
	{ "ping-pong", conform_pingpong, 120, ALWAYS, 0, NP_PINGPONG, 1 },
	{ "ping-pong at odd offsets", conform_offsets, 60, ALWAYS, 0, NP_PINGPONG, 1 },
	{ "stream", conform_stream, 120, ALWAYS, NP_CAN_STREAM, NP_STREAM, 1 },
	{ "stream with a window of 5", conform_stream_window, 120, ALWAYS,
	  NP_CAN_STREAM | NP_CAN_WINDOW, NP_STREAM, 1, CONFORM_WINDOW },
	{ "stream, each message acknowledged", conform_acked, 120, ALWAYS, NP_CAN_STREAM,
	  NP_STREAM_ACKED, 1 },
	{ "both directions at once to 16 MiB", conform_bidirectional, 180, ALWAYS,
	  NP_CAN_BIDIRECTIONAL, NP_BIDIRECTIONAL, 1 },
	{ "no bytes, ping-pong", conform_zero_bytes, 60, ALWAYS, NP_CAN_ZERO_BYTES,
	  NP_PINGPONG, 0 },
	{ "no bytes, stream", conform_zero_bytes_stream, 60, ALWAYS,
	  NP_CAN_ZERO_BYTES | NP_CAN_STREAM, NP_STREAM, 0 },
	{ "opened 100 times", conform_reopen, 120, OPTIONAL, NP_CAN_RECONNECT, NP_PINGPONG,
	  1 },
	{ "two endpoints in a process", conform_two_endpoints, 60, UNSEEN, 0, NP_PINGPONG,
	  1 },
	{ "hooks, facts and counters", conform_facts, 60, UNSEEN, 0, NP_PINGPONG, 1 },
	{ "closed after open()", conform_close_after_open, 60, UNSEEN, 0, NP_PINGPONG, 1 },
	{ "unreg() without reg()", conform_unreg_without_reg, 60, UNSEEN, 0, NP_PINGPONG,
	  1 },
	{ "no receiver to connect to", conform_connect_fails_at_0, 60, TWO_SIDED | UNSEEN,
	  0, NP_PINGPONG, 1 },
	{ "no transmitter to connect to", conform_connect_fails_at_1, 60,
	  TWO_SIDED | UNSEEN, 0, NP_PINGPONG, 1 },
	{ "the peer dies during recv()", conform_peer_dies, 60, TWO_SIDED, 0, NP_PINGPONG,
	  1 },
	{ "interrupted in recv()", conform_interrupt_recv, 60, TWO_SIDED, 0, NP_PINGPONG,
	  1 },
	{ "interrupted in send()", conform_interrupt_send, 60, TWO_SIDED, NP_CAN_STREAM,
	  NP_STREAM, 1 },
};

/* Maximum length of messages, bytes.  The longest messages take most of the time and select
 * no other code, so only the default settings have them.  LONG exceeds every limit of a
 * library and every buffer of these settings.  MEDIUM is several packets, the last one not
 * full: software verbs in an emulated processor need seconds for a few messages of LONG. */
enum { LONG = 262147, MEDIUM = 20001 };

/* Descriptors that librdmacm opens for each device, once, and keeps open. */
enum { OF_LIBRDMACM = 2 };

#define VERBS_KEEPING(kept, group, ...)                                                    \
	{                                                                                  \
		MEDIUM, kept, "ibv", "ibv, " group,                                        \
		{                                                                          \
			__VA_ARGS__                                                        \
		}                                                                          \
	}
#define VERBS(group, ...) VERBS_KEEPING(0, group, __VA_ARGS__)

/* A transport of UCX, --transfer, and the completion mode. */
#define UCX(longest, tls, transfer, completion)                                            \
	{                                                                                  \
		longest, 0, "ucx", "ucx, " tls ", " transfer ", " completion,              \
		{                                                                          \
			"tls=" tls, "transfer=" transfer, "wait=" completion               \
		}                                                                          \
	}
/* A provider of libfabric, the type of its endpoint, and other settings. */
#define OFI(longest, provider, type, group, ...)                                           \
	{                                                                                  \
		longest, 0, "ofi", "ofi, " provider ", " type ", " group,                  \
		{                                                                          \
			"provider=" provider, "connection=" type, __VA_ARGS__              \
		}                                                                          \
	}
#define UCX_WITH(group, ...)                                                               \
	{                                                                                  \
		MEDIUM, 0, "ucx", "ucx, " group,                                           \
		{                                                                          \
			__VA_ARGS__                                                        \
		}                                                                          \
	}

/* Maximum length of messages with the default settings, 0: all lengths.  Longer messages
 * are tested elsewhere: those of a wrapper in the wrapped module, those of a sanitizer's
 * build in the plain build, those of an emulated adapter in test_ibv_data.c. */
static size_t longest_by_default(const struct np_module *module)
{
	const char *sanitizers = getenv("NP_SANITIZERS");
	const bool plain = sanitizers == NULL || strcmp(sanitizers, "no") == 0;

	return plain && strcmp(module->name, "fault") != 0 &&
			       strcmp(module->name, "ibv") != 0 ?
		       0 :
		       LONG;
}

/* Settings that select other code than the default settings. */
static const struct {
	size_t longest, kept; /* as in struct subject */
	const char *module, *group;
	const char *const settings[6];
} variants[] = {
	{ LONG, 0, "tcp", "tcp, polling", { "wait=poll" } },
	{ LONG, 0, "tcp", "tcp, epoll", { "wait=epoll" } },
	{ LONG, 0, "tcp", "tcp, small buffers", { "buffer-size=8K", "nagle=yes" } },
	{ LONG, 0, "shm", "shm, single copy", { "transfer=single" } },
	{ LONG, 0, "shm", "shm, memory copy", { "transfer=memcpy" } },
	{ LONG, 0, "shm", "shm, futex", { "wait=futex" } },
	{ LONG, 0, "shm", "shm, single copy, futex", { "transfer=single", "wait=futex" } },
	{ LONG, 0, "shm", "shm, tiny ring", { "mailbox=0", "chunk=64" } },
	/* Each value of an option once, several in one group: test_ibv_data.c has all
	 * combinations, and an emulated adapter takes seconds a group. */
	VERBS("send, event", "wait=event"),
	VERBS("write with immediate, last byte", "transfer=rdma_write_with_imm",
	      "wait=local_poll"),
	VERBS("read, event, many regions", "transfer=rdma_read", "wait=event", "regions=7"),
	VERBS("unreliable, write, event", "connection=uc", "transfer=rdma_write_with_imm",
	      "wait=event"),
	VERBS("newer calls, three queue pairs", "post=wr", "qps=3", "signal-every=1"),
	VERBS("newer calls, write, many regions", "post=wr", "transfer=rdma_write",
	      "regions=7"),
	VERBS("newer calls, read", "post=wr", "transfer=rdma_read"),
	VERBS("newer calls, write with immediate, event", "post=wr",
	      "transfer=rdma_write_with_imm", "wait=event"),
	VERBS("newer calls, datagrams", "post=wr", "transfer=ud", "qps=2"),
	VERBS("immediate, shared receives, event", "transfer=send_recv_with_imm", "srq=yes",
	      "wait=event"),
	VERBS("datagrams, shared receives, event", "transfer=ud", "srq=yes", "wait=event"),
	/* Settings that iWARP supports, too. */
	VERBS_KEEPING(OF_LIBRDMACM, "librdmacm", "connection=rdmacm", "qps=2",
		      "wait=event"),
	VERBS_KEEPING(OF_LIBRDMACM, "librdmacm, read", "connection=rdmacm",
		      "transfer=rdma_read"),
	VERBS("burst, three queue pairs, event", "burst=yes", "qps=3", "wait=event"),
	VERBS("burst, datagrams", "burst=yes", "transfer=ud"),
	VERBS("burst, write with immediate, last byte", "burst=yes",
	      "transfer=rdma_write_with_imm", "wait=local_poll"),
	VERBS("burst, shared receives", "burst=yes", "srq=yes"),
	VERBS("registered each, event", "register=each", "wait=event"),
	VERBS("registration alone", "register=cost"),
	VERBS("queues of one", "depth=1,16", "window=8", "mtu=256", "inline=0"),
	{ LONG, 0, "mpi", "mpi, preposted", { "preposted=yes" } },
	{ LONG, 0, "mpi", "mpi, nonblocking", { "transfer=nonblocking" } },
	{ LONG, 0, "mpi", "mpi, persistent", { "transfer=persistent", "any-source=yes" } },
	{ LONG, 0, "mpi", "mpi, partitioned", { "transfer=partitioned" } },
	{ LONG, 0, "mpi", "mpi, synchronous", { "send=synchronous", "preposted=yes" } },
	{ LONG, 0, "mpi", "mpi, buffered", { "send=buffered" } },
	{ LONG, 0, "mpi", "mpi, ready", { "send=ready", "preposted=yes" } },
	{ LONG, 0, "mpi", "mpi, burst", { "burst=yes" } },
	{ LONG,
	  0,
	  "mpi",
	  "mpi, burst, nonblocking",
	  { "burst=yes", "transfer=nonblocking" } },
	{ LONG,
	  0,
	  "mpi",
	  "mpi, burst, persistent",
	  { "burst=yes", "transfer=persistent" } },
	{ LONG,
	  0,
	  "mpi",
	  "mpi, burst, partitioned",
	  { "burst=yes", "transfer=partitioned" } },
	{ LONG, 0, "mpi", "mpi, burst, buffered", { "burst=yes", "send=buffered" } },
	{ LONG, 0, "mpi", "mpi, put, fence", { "transfer=put", "epoch=fence" } },
	{ LONG,
	  0,
	  "mpi",
	  "mpi, put, pscw",
	  { "transfer=put", "epoch=pscw", "rma-window=create" } },
	{ LONG,
	  0,
	  "mpi",
	  "mpi, put, lock",
	  { "transfer=put", "epoch=lock", "rma-window=dynamic" } },
	{ LONG,
	  0,
	  "mpi",
	  "mpi, put, flush",
	  { "transfer=put", "epoch=flush", "rma-window=shared" } },
	{ LONG, 0, "mpi", "mpi, get, fence", { "transfer=get", "epoch=fence" } },
	{ LONG, 0, "mpi", "mpi, get, lock_all", { "transfer=get", "epoch=lock_all" } },
	{ LONG,
	  0,
	  "mpi",
	  "mpi, accumulate, lock_all",
	  { "transfer=accumulate", "reduction=replace" } },
	{ LONG, 0, "mpi", "mpi, polled puts", { "polled=yes" } },
	/* Each transfer in each completion mode, each mode over one transport: the other
	 * combinations would double the time and select no other code. */
	UCX(LONG, "posix", "am", "poll"),
	UCX(MEDIUM, "tcp", "am", "event"),
	UCX(MEDIUM, "posix", "tag", "poll"),
	UCX(MEDIUM, "tcp", "tag", "event"),
	UCX(MEDIUM, "posix", "stream", "poll"),
	UCX(MEDIUM, "tcp", "stream", "event"),
	UCX(MEDIUM, "posix", "put", "poll"),
	UCX(MEDIUM, "tcp", "put", "event"),
	UCX(MEDIUM, "posix", "get", "poll"),
	UCX(MEDIUM, "tcp", "get", "event"),
	UCX_WITH("handler, rendezvous", "reply=handler", "protocol=rndv"),
	UCX_WITH("put into parts", "transfer=put", "regions=7"),
	OFI(MEDIUM, "tcp", "rdm", "tagged, event", "transfer=tagged", "wait=event"),
	OFI(LONG, "tcp", "msg", "registered pool", "register=pool", "regions=7"),
	OFI(LONG, "shm", "rdm", "no inject", "inline=no"),
	OFI(MEDIUM, "tcp", "rdm", "counter", "wait=counter"),
	OFI(MEDIUM, "tcp", "msg", "write", "transfer=rma_write"),
	OFI(MEDIUM, "tcp", "rdm", "write, event", "transfer=rma_write", "wait=event"),
	OFI(MEDIUM, "shm", "rdm", "write", "transfer=rma_write"),
	OFI(MEDIUM, "shm", "rdm", "read", "transfer=rma_read"),
	OFI(MEDIUM, "tcp", "msg", "read, counter", "transfer=rma_read", "wait=counter"),
	OFI(MEDIUM, "tcp", "rdm", "registered each", "register=each"),
	{ LONG, 0, "fault", "fault around skeleton", { "wrap=skeleton" } },
	{ LONG, 0, "fault", "fault around tcp", { "wrap=tcp" } },
};

#undef OFI
#undef UCX
#undef UCX_WITH
#undef VERBS
#undef VERBS_KEEPING

/* NP_REQUIRE is a list of names with commas or blanks between. */
static bool is_required(const char *name)
{
	const char *list = getenv("NP_REQUIRE");
	const size_t length = strlen(name);

	while (list != NULL && *list != '\0') {
		const size_t word = strcspn(list, ", ");

		if (word == length && strncmp(list, name, length) == 0)
			return true;
		list += word + strspn(list + word, ", ");
	}
	return false;
}

static void report_failure(const struct two_ends_note *note)
{
	for (unsigned rank = 0; rank < 2; rank++) {
		const char *text = note->failure[rank].code != 0 ?
					   note->failure[rank].text :
					   "no failure of its own";

		tap_comment("rank %u: %s; %s", rank, note->doing[rank], text);
	}
}

/* True for a model of a transport, which moves no bytes. */
static bool moves_none(const struct subject *subject)
{
	const struct subject silent = { .module = subject->module,
					.settings = subject->settings,
					.moves_none = true };
	enum np_operation operation = NP_PINGPONG;
	struct np_error refusal = { .code = 0 };

	return two_ends_consider(subject, 1, &operation, &refusal) != 0 &&
	       two_ends_consider(&silent, 1, &operation, &refusal) == 0;
}

/* Returns the subject of a test: without bytes if the test verifies none. */
static struct subject subject_of(const struct subject *all, const struct test *test)
{
	struct subject subject = *all;

	subject.moves_none = (test->need & UNSEEN) != 0 && moves_none(all);
	subject.window = test->window;
	return subject;
}

static void run_one(struct tap *tap, const struct subject *all, const char *group,
		    const struct test *test, struct two_ends_note *note)
{
	const struct subject one = subject_of(all, test), *subject = &one;
	enum np_operation operation = test->operation;
	struct np_error refusal = { .code = 0 };

	if ((subject->module->capabilities & test->capabilities) != test->capabilities ||
	    (subject->settings != NULL && (test->need & OPTIONAL) != 0))
		return;
	if (two_ends_consider(subject, test->smallest, &operation, &refusal) != 0) {
		/* What settings exclude is left out; but not everything. */
		if (subject->settings == NULL && operation == NP_PINGPONG &&
		    is_required(subject->module->name)) {
			tap_result(tap, false, group, test->name);
			tap_comment("required, but: %s", refusal.text);
		} else {
			tap_skip(tap, group, test->name, refusal.text);
		}
		return;
	}
	if (operation != test->operation && (test->need & TWO_SIDED) != 0)
		return;
	const bool ok = two_ends_run(subject, test->run, test->seconds, note);
	tap_result(tap, ok, group, test->name);
	if (!ok)
		report_failure(note);
}

/*
 * Jobs: the tests of a module whose processes only a launcher can start.
 *
 * The processes of such a test are not forked: the launcher starts this program twice, for
 * all tests of a group of settings, and rank 0 prints a line for each.
 */

/* First argument of a process that the launcher starts. */
static const char job_word[] = "--job";

static const struct np_identity identity = { .program = "conform", .version = "1" };

/* "VERDICT NAME" or "VERDICT NAME: TEXT".  Returns true at the last line. */
static bool take_line(struct tap *tap, const char *group, char *line)
{
	char *name = strchr(line, ' ');
	char *text;

	line[strcspn(line, "\n")] = '\0';
	if (strcmp(line, "done") == 0)
		return true;
	if (name == NULL)
		return false;
	*name++ = '\0';
	text = strstr(name, ": ");
	if (text != NULL) {
		*text = '\0';
		text += 2;
	}
	if (strcmp(line, "skipped") == 0)
		tap_skip(tap, group, name, text != NULL ? text : "");
	else if (strcmp(line, "passed") == 0 || strcmp(line, "failed") == 0)
		tap_result(tap, strcmp(line, "passed") == 0, group, name);
	if (strcmp(line, "failed") == 0 && text != NULL)
		tap_comment("%s", text);
	return false;
}

/* Starts "PROGRAM --job MODULE NUMBER" by the launcher and reports its lines.  The launcher
 * with its options is the environment's NP_JOB_COMMAND, else the module's. */
static void launch_job(struct tap *tap, const char *program, const struct np_module *module,
		       const char *group, int number)
{
	const char *launcher = getenv("NP_JOB_COMMAND");
	char command[1000], start[100], line[1000];
	bool done = false;

	fflush(stdout);
	/* Libraries keep memory until the process exits. */
	setenv("ASAN_OPTIONS", "detect_leaks=0", 0);
	snprintf(start, sizeof(start), "%s 2", module->job->launcher);
	snprintf(command, sizeof(command), "%s '%s' %s %s %d </dev/null",
		 launcher != NULL ? launcher : start, program, job_word, module->name,
		 number);
	FILE *output = popen(command, "re");
	while (output != NULL && fgets(line, sizeof(line), output) != NULL)
		done = take_line(tap, group, line) || done;
	const int status = output != NULL ? pclose(output) : -1;
	if (done && status == 0)
		return;
	tap_result(tap, false, group, "the job");
	tap_comment("it ended early, with status %#x: %s", (unsigned)status, command);
}

/* In a started process: joins the job, connects to its peer and starts the watcher.
 * Returns 0 or -errno; leave_job() takes either. */
static int join_job(struct two_ends *pair, const struct np_module *module,
		    struct np_error *error)
{
	struct np_job job = { .rank = 0 };
	bool all_know;

	np_boot_init(&pair->boot, 0);
	pair->module = module;
	int rc = two_ends_prepare_watch(pair, error);
	if (rc >= 0)
		rc = module->job->start(&job, NULL, error);
	if (rc == 0)
		rc = np_boot_job(&pair->boot, module->job, &job, &identity, 0, &all_know,
				 error);
	pair->boot.same_host = true;
	return rc != 0 ? rc : np_watch_begin(&pair->watch, error);
}

/* Returns true in both processes, or false in both. */
static bool both_passed(struct two_ends *pair, bool well, struct np_error *error)
{
	unsigned char mine = well, theirs = 0;

	return np_boot_exchange(&pair->boot, &mine, &theirs, 1, error) == 0 && well &&
	       theirs != 0;
}

/* Runs a test in this process.  Returns true if it passed in both. */
static bool test_in_job(struct two_ends *pair, const struct subject *subject,
			two_ends_test *test, unsigned seconds, struct np_error *error)
{
	alarm(seconds);
	pair->longest = subject->longest;
	memset(&pair->options, 0, sizeof(pair->options));
	int rc = two_ends_set_options(pair, subject->settings, error);
	if (rc == 0)
		rc = test(pair, error);
	if (rc != 0)
		np_watch_stopped(&pair->watch, error);
	np_process_finish(&pair->process);
	memset(&pair->process, 0, sizeof(pair->process));
	free(pair->module_options);
	pair->module_options = NULL;
	if (rc != 0)
		fprintf(stderr, "# rank %d: %s; %s\n", pair->boot.rank,
			pair->note->doing[pair->boot.rank], error->text);
	const bool well = both_passed(pair, rc == 0, error);
	alarm(0);
	return well;
}

/* Rank 0 prints the verdict; text may be NULL. */
static void print_verdict(const struct two_ends *pair, const char *verdict,
			  const char *name, const char *text)
{
	if (pair->boot.rank != 0)
		return;
	printf("%s %s%s%s\n", verdict, name, text != NULL ? ": " : "",
	       text != NULL ? text : "");
	fflush(stdout);
}

/* Leaves the job, by MPI_Abort() or its like unless `well`.  Returns an exit status. */
static int leave_job(struct two_ends *pair, bool well)
{
	const struct np_error none = { .code = 0 };
	const struct np_job job = { .rank = pair->boot.rank };

	np_watch_end(&pair->watch, &none);
	np_boot_close(&pair->boot);
	if (well && pair->boot.rank == 0)
		puts("done");
	fflush(stdout);
	pair->module->job->finish(&job, well ? 0 : 1);
	return well ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* As run_one(), in a process that a launcher has started.  Returns false if no further
 * test can run. */
static bool run_in_job(struct two_ends *pair, const struct subject *all,
		       const struct test *test)
{
	const struct subject one = subject_of(all, test), *subject = &one;
	enum np_operation operation = test->operation;
	struct np_error error = { .code = 0 };

	if ((subject->module->capabilities & test->capabilities) != test->capabilities ||
	    (test->need & TWO_SIDED) != 0 ||
	    (subject->settings != NULL && (test->need & OPTIONAL) != 0))
		return true;
	if (two_ends_consider(subject, test->smallest, &operation, &error) != 0) {
		print_verdict(pair, "skipped", test->name, error.text);
		return true;
	}
	const bool ok = test_in_job(pair, subject, test->run, test->seconds, &error);
	print_verdict(pair, ok ? "passed" : "failed", test->name,
		      error.code != 0 ? error.text : NULL);
	return ok;
}

static void run_all(struct tap *tap, const struct subject *subject, const char *group,
		    struct two_ends_note *note)
{
	for (size_t i = 0; i < sizeof(tests) / sizeof(*tests); i++)
		run_one(tap, subject, group, &tests[i], note);
}

/* True if the module lists devices and this host has none. */
static bool lacks_device(const struct np_module *module)
{
	struct np_facts devices = { .count = 0 };
	struct np_error error = { .code = 0 };
	bool none;

	if (module->device == NULL || module->device->list == NULL)
		return false;
	none = module->device->list(NULL, &devices, &error) == 0 && devices.count == 0;
	np_facts_free(&devices);
	return none;
}

static bool is_group(size_t index, const struct np_module *module, const char *words)
{
	return strcmp(variants[index].module, module->name) == 0 &&
	       (words == NULL || strstr(variants[index].group, words) != NULL);
}

/* Runs the jobs of a module; number -1: the default settings. */
static void run_jobs(struct tap *tap, const char *program, const struct np_module *module,
		     const char *words, bool table)
{
	if (words == NULL)
		launch_job(tap, program, module, module->name, -1);
	for (size_t i = 0; table && i < sizeof(variants) / sizeof(*variants); i++) {
		if (is_group(i, module, words))
			launch_job(tap, program, module, variants[i].group, (int)i);
	}
}

/* One of the two processes that the launcher starts for run_jobs(). */
static int run_as_rank(const char *name, const char *number, struct two_ends_note *note)
{
	const long index = strtol(number, NULL, 10);
	struct two_ends pair = { .note = note };
	struct np_error error = { .code = 0 };
	const struct np_module *module = NULL;

	for (size_t i = 0; np_registry_built[i] != NULL; i++) {
		if (strcmp(name, np_registry_built[i]->name) == 0)
			module = np_registry_built[i];
	}
	if (module == NULL)
		return 2;
	const struct subject subject = {
		.module = module,
		.settings = index < 0 ? NULL : variants[index].settings,
		.longest = index < 0 ? 0 : variants[index].longest
	};
	bool well = join_job(&pair, module, &error) == 0;
	if (!well)
		print_verdict(&pair, "failed", "joining", error.text);
	for (size_t i = 0; well && i < sizeof(tests) / sizeof(*tests); i++)
		well = run_in_job(&pair, &subject, &tests[i]);
	return leave_job(&pair, well);
}

/* settings: of the only subject; NULL: the default settings and, if `table`, the variants
 * whose name contains the words. */
static void run_module(struct tap *tap, const struct np_module *module, const char *words,
		       const char *const *settings, bool table, const char *program,
		       struct two_ends_note *note)
{
	struct subject subject = { .module = module,
				   .settings = settings,
				   .kept = settings != NULL ? OF_LIBRDMACM : 0,
				   .longest = settings != NULL ?
						      MEDIUM :
						      longest_by_default(module) };
	struct np_error error = { .code = 0 };
	const bool ok = conform_table(module, &error) == 0;

	tap_result(tap, ok, module->name, "its table");
	if (!ok) {
		tap_comment("%s", error.text);
		return;
	}
	if (module->job != NULL) {
		run_jobs(tap, program, module, words, table);
		return;
	}
	/* Required modules are not searched for devices: libibverbs does not survive a
	 * fork() after it has opened one. */
	if (!is_required(module->name) && lacks_device(module)) {
		tap_skip(tap, module->name, "all the rest", "no device on this host");
		return;
	}
	if (words == NULL)
		run_all(tap, &subject, settings != NULL ? settings[0] : module->name, note);
	for (size_t i = 0;
	     settings == NULL && table && i < sizeof(variants) / sizeof(*variants); i++) {
		if (!is_group(i, module, words))
			continue;
		subject.settings = variants[i].settings;
		subject.longest = variants[i].longest;
		subject.kept = variants[i].kept;
		run_all(tap, &subject, variants[i].group, note);
	}
}

static void report_absent(struct tap *tap, const char *name, const char *reason)
{
	if (!is_required(name)) {
		tap_skip(tap, name, "", reason);
		return;
	}
	tap_result(tap, false, name, "required, but not in this build");
	tap_comment("%s", reason);
}

int main(int argc, char **argv)
{
	struct two_ends_note *note = two_ends_make_note();
	const char *only = argc > 1 ? argv[1] : NULL;
	const bool sets = argc > 2 && strchr(argv[2], '=') != NULL;
	const char *const *settings = sets ? (const char *const *)argv + 2 : NULL;
	const char *words = argc > 2 && !sets ? argv[2] : NULL;
	const bool table = only != NULL || getenv("NP_ALL_TESTS") != NULL;
	struct tap tap = { .count = 0 };

	/* Buffers of libfabric's ofi_rxm: zeroed for each endpoint.  With the default of
	 * 16 KiB that took most of the time of 100 endpoints under a sanitizer.  Longer
	 * messages go in segments. */
	setenv("FI_OFI_RXM_BUFFER_SIZE", "1024", 0);
	/* libfabric initializes every provider in each process, which takes most of a
	 * second; the settings above name these three. */
	if (settings == NULL)
		setenv("FI_PROVIDER", "tcp,shm,ofi_rxm", 0);
	if (note != NULL && argc == 4 && strcmp(argv[1], job_word) == 0)
		return run_as_rank(argv[2], argv[3], note);
	if (note == NULL) {
		puts("Bail out! no memory");
		return 1;
	}
	for (size_t i = 0; np_registry_built[i] != NULL; i++) {
		if (only == NULL || strcmp(only, np_registry_built[i]->name) == 0)
			run_module(&tap, np_registry_built[i], words, settings, table,
				   argv[0], note);
	}
	for (size_t i = 0; np_registry_absent[i].name != NULL; i++) {
		if (only == NULL || strcmp(only, np_registry_absent[i].name) == 0)
			report_absent(&tap, np_registry_absent[i].name,
				      np_registry_absent[i].reason);
	}
	return tap_done(&tap);
}
