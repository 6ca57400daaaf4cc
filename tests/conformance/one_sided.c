/*
 * one_sided.c - operations of the transmitter alone: put, get, and steps that move nothing.
 *
 * The module under test is defined here: it accesses the memory of the peer by
 * process_vm_readv(2) and process_vm_writev(2), as a one-sided transport does by a device,
 * with an error if --flaw is set.  Without a flaw -i and the timed loops must pass at every
 * size; a flaw must be found, in the right process.
 */
#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "endpoint/block.h"
#include "conform.h"
#include "plan/plan.h"
#include "tests/lib/tap.h"

enum { TIMEOUT_SECONDS = 60 };

enum flaw { NO_FLAW, ONE_BYTE_LESS, ONE_BYTE_MORE, ONE_BYTE_BEFORE, NO_THIRD };

struct reach_options {
	int step, flaw;
	size_t head; /* bytes before a message that it declares to write */
};

/* The endpoint: process and memory of the peer. */
struct reach {
	struct np_endpoint np;
	uint64_t peer, here, there; /* process id, bases of the regions of both */
	size_t length;
	unsigned steps;
};

static struct reach *reach_of(struct np_endpoint *ep)
{
	return (struct reach *)ep;
}

static const struct reach_options *options_of(const struct np_endpoint *ep)
{
	return ep->options;
}

static int check(const void *values, struct np_request *request, struct np_error *error)
{
	const struct reach_options *options = values;

	(void)error;
	request->operation = NP_ONE_SIDED;
	request->step = (enum np_one_sided_kind)options->step;
	request->head_room = options->head;
	return 0;
}

static int connect_endpoint(struct np_endpoint *ep)
{
	struct reach *reach = reach_of(ep);
	const uint64_t mine = (uint64_t)getpid();
	int fd = -1;
	int rc = np_boot_exchange(ep->boot, &mine, &reach->peer, sizeof(mine), &ep->error);

	if (rc == 0)
		rc = np_boot_link(ep->boot, NULL, NULL, &fd, &ep->error);
	atomic_store(&ep->socket, fd);
	return rc;
}

static int reg(struct np_endpoint *ep, struct np_region *region)
{
	struct reach *reach = reach_of(ep);

	reach->here = (uintptr_t)region->base;
	return np_boot_exchange(ep->boot, &reach->here, &reach->there, sizeof(reach->here),
				&ep->error);
}

static void close_endpoint(struct np_endpoint *ep)
{
	close(atomic_load(&ep->socket));
}

/* A step, with the flaw of the options. */
static int step(struct np_endpoint *ep, size_t slot)
{
	struct reach *reach = reach_of(ep);
	const struct np_slot *mine = &ep->transfer->slots[slot];
	const int flaw = options_of(ep)->flaw;
	const bool put = options_of(ep)->step == NP_ONE_SIDED_PUT;
	const uint64_t before = flaw == ONE_BYTE_BEFORE ? 1 : 0;
	uint64_t local = (uintptr_t)(put ? mine->send : mine->recv);
	uint64_t remote =
		reach->there - reach->here + (uintptr_t)(put ? mine->recv : mine->send);
	size_t length = reach->length;

	reach->steps++;
	if (options_of(ep)->step == NP_ONE_SIDED_NONE ||
	    (flaw == NO_THIRD && reach->steps == 3))
		return 0;
	local -= before;
	remote -= before;
	length += before + (flaw == ONE_BYTE_MORE ? 1 : 0) - (flaw == ONE_BYTE_LESS);
	const struct iovec here = { .iov_base = (void *)(uintptr_t)local,
				    .iov_len = length };
	const struct iovec there = { .iov_base = (void *)(uintptr_t)remote,
				     .iov_len = length };
	const ssize_t moved =
		put ? process_vm_writev((pid_t)reach->peer, &here, 1, &there, 1, 0) :
		      process_vm_readv((pid_t)reach->peer, &here, 1, &there, 1, 0);
	return moved == (ssize_t)length ? 0 :
					  np_fail_errno(&ep->error, moved < 0 ? errno : EIO,
							"cannot reach the peer's memory");
}

static int send_ack(struct np_endpoint *ep)
{
	return write(atomic_load(&ep->socket), "", 1) == 1 ? 0 : -EPIPE;
}

static int recv_ack(struct np_endpoint *ep)
{
	char byte;

	return read(atomic_load(&ep->socket), &byte, 1) == 1 ? 0 : -ECONNRESET;
}

static const struct np_hot hooks = {
	.post_recv = np_no_hook_slot,
	.send = np_no_hook_slot,
	.recv = np_no_hook_slot,
	.flush = np_no_hook,
	.send_ack = send_ack,
	.recv_ack = recv_ack,
	.step = step,
};

static const struct np_code_path variant = { .name = "reaching", .hot = &hooks };

static int arm(struct np_endpoint *ep, const struct np_transfer *transfer)
{
	reach_of(ep)->length = transfer->length;
	reach_of(ep)->steps = 0;
	ep->code_path = &variant;
	return 0;
}

static const char *const steps[] = { "copy", "put", "get", "none", NULL };
static const char *const flaws[] = { "no", "less", "more", "before", "third", NULL };

static const struct np_option table[] = {
	{ .name = "step",
	  .type = NP_OPTION_CHOICE,
	  .offset = offsetof(struct reach_options, step),
	  .choices = steps,
	  .initial = "put",
	  .help = "what a step does" },
	{ .name = "flaw",
	  .type = NP_OPTION_CHOICE,
	  .offset = offsetof(struct reach_options, flaw),
	  .choices = flaws,
	  .initial = "no",
	  .help = "what is wrong with it" },
	{ .name = "head",
	  .argument = "BYTES",
	  .type = NP_OPTION_SIZE,
	  .offset = offsetof(struct reach_options, head),
	  .help = "what it writes before a message" },
	{ 0 },
};

static const struct np_module module = {
	NP_MODULE_NAMED("reach"),
	.summary = "the memory of the other process",
	.endpoint_size = sizeof(struct reach),
	.options_size = sizeof(struct reach_options),
	.options = table,
	.check = check,
	.connect = connect_endpoint,
	.reg = reg,
	.arm = arm,
	.close = close_endpoint,
};

static int some_steps(struct two_ends *pair, struct np_error *error)
{
	const struct np_block block = { .mode = NP_MODE_ROTATE,
					.messages = 6,
					.batches = 1,
					.timeout_ns = TWO_ENDS_PATIENCE_NS };
	int rc = two_ends_open(pair, &pair->process, NP_PINGPONG, 1, 1000, error);

	if (rc == 0)
		rc = two_ends_arm(pair, &pair->process, 1000, 4, error);
	two_ends_say(pair, "six steps");
	return rc != 0 ? rc : np_check_run(&pair->process, &block, 0, error);
}

static const struct step_case {
	const char *name;
	const char *const settings[4];
	two_ends_test *run;
	int rank;	  /* that has to find the damage; -1: no damage */
	const char *text; /* contained in its error */
} cases[] = {
	{ "a put", { "step=put" }, conform_pingpong, -1, "" },
	{ "a put at odd offsets", { "step=put" }, conform_offsets, -1, "" },
	{ "a get", { "step=get" }, conform_pingpong, -1, "" },
	{ "a get at odd offsets", { "step=get" }, conform_offsets, -1, "" },
	{ "a put into parts", { "step=put", "regions=4" }, conform_pingpong, -1, "" },
	{ "a get from parts", { "step=get", "regions=3" }, conform_pingpong, -1, "" },
	{ "no bytes at all", { "step=none" }, conform_pingpong, -1, "" },
	{ "a put too short",
	  { "step=put", "flaw=less" },
	  some_steps,
	  1,
	  "message 0 of 1000 bytes: first wrong byte at byte 999" },
	{ "a get too short",
	  { "step=get", "flaw=less" },
	  some_steps,
	  0,
	  "message 0 of 1000 bytes: first wrong byte at byte 999" },
	{ "a put too long",
	  { "step=put", "flaw=more" },
	  some_steps,
	  1,
	  "a byte behind it was overwritten at byte 1000" },
	{ "a get too long",
	  { "step=get", "flaw=more" },
	  some_steps,
	  0,
	  "a byte behind it was overwritten at byte 1000" },
	{ "a put that begins too early",
	  { "step=put", "flaw=before" },
	  some_steps,
	  1,
	  "a byte before it was overwritten at byte -1" },
	{ "a get that begins too early",
	  { "step=get", "flaw=before" },
	  some_steps,
	  0,
	  "a byte before it was overwritten at byte -1" },
	{ "what is written before a put, as announced",
	  { "step=put", "flaw=before", "head=40" },
	  some_steps,
	  -1,
	  "" },
	{ "what is announced before, and written behind",
	  { "step=put", "flaw=more", "head=40" },
	  some_steps,
	  1,
	  "a byte behind it was overwritten at byte 1000" },
	{ "a put left out", { "step=put", "flaw=third" }, some_steps, 1, "message 2 of" },
	{ "a get left out", { "step=get", "flaw=third" }, some_steps, 0, "message 2 of" },
};

static bool as_expected(const struct step_case *it, const struct two_ends_note *note)
{
	const struct np_error *said = &note->failure[it->rank > 0];

	if (it->rank < 0)
		return note->failure[0].code == 0 && note->failure[1].code == 0;
	return said->kind == NP_ERROR_DATA && strstr(said->text, it->text) != NULL &&
	       strncmp(said->text, "wrong data", 10) == 0;
}

static void try_case(struct tap *tap, const struct step_case *it,
		     struct two_ends_note *note)
{
	const struct subject subject = { .module = &module, .settings = it->settings };

	two_ends_run(&subject, it->run, TIMEOUT_SECONDS, note);
	if (strstr(note->failure[0].text, strerror(EPERM)) != NULL) {
		tap_skip(tap, "steps", it->name,
			 "the kernel lets no process reach another");
		return;
	}
	const bool ok = as_expected(it, note);
	tap_result(tap, ok, "steps", it->name);
	for (unsigned rank = 0; rank < 2 && !ok; rank++)
		tap_comment("rank %u: %s; %s", rank, note->doing[rank],
			    note->failure[rank].text);
}

/* -i is refused if no bytes move. */
static void try_refusal(struct tap *tap)
{
	const struct np_request none = { .operation = NP_ONE_SIDED,
					 .step = NP_ONE_SIDED_NONE,
					 .smallest = 1 };
	const struct np_request put = { .operation = NP_ONE_SIDED,
					.step = NP_ONE_SIDED_PUT,
					.smallest = 1 };
	struct np_options options = { .integrity = true };
	struct np_error error = { .code = 0 };

	tap_result(tap,
		   np_plan_refuse(&options, &module, &put, &error) == 0 &&
			   np_plan_refuse(&options, &module, &none, &error) != 0 &&
			   error.kind == NP_ERROR_USAGE &&
			   strcmp(error.text,
				  "-i is not supported with these options: they move no "
				  "bytes that could be checked") == 0,
		   "steps", "-i is refused where nothing moves");
}

int main(void)
{
	struct two_ends_note *note = two_ends_make_note();
	struct tap tap = { .count = 0 };

	if (note == NULL) {
		puts("Bail out! no memory");
		return 1;
	}
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		try_case(&tap, &cases[i], note);
	try_refusal(&tap);
	return tap_done(&tap);
}
