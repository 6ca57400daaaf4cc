/*
 * faults.c - errors of runs with a fault.
 *
 * Each case injects one fault into a checked ping-pong and verifies the error of one
 * process, which also proves that -i detects the fault.
 */
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "endpoint/block.h"
#include "tests/lib/registry.h"
#include "tests/lib/tap.h"
#include "two_ends.h"

enum { TIMEOUT_SECONDS = 60 };

static const struct fault_case {
	const char *name;
	const char *const settings[6];
	/* Expected error of this rank. */
	unsigned rank;
	enum np_error_kind kind; /* 0: no error in either process */
	const char *text;	 /* contained in the error */
} cases[] = {
	{ "nothing", { "wrap=skeleton" }, 0, 0, "" },
	{ "a late message", { "wrap=skeleton", "fault=delay", "fault-at=3" }, 0, 0, "" },
	{ "a call that never comes",
	  { "wrap=skeleton", "fault=fail", "fault-at=1000" },
	  0,
	  0,
	  "" },
	{ "send() fails",
	  { "wrap=skeleton", "fault=fail", "fault-at=3" },
	  0,
	  NP_ERROR_FAILED,
	  "call 3 of send fails" },
	{ "the peer hears why",
	  { "wrap=skeleton", "fault=fail", "fault-at=3" },
	  1,
	  NP_ERROR_PEER,
	  "" },
	{ "recv() fails",
	  { "wrap=skeleton", "fault=fail", "fault-in=recv", "fault-rank=1" },
	  1,
	  NP_ERROR_FAILED,
	  "call 1 of recv fails" },
	{ "open() fails",
	  { "wrap=skeleton", "fault=fail", "fault-in=open", "fault-rank=1" },
	  1,
	  NP_ERROR_FAILED,
	  "call 1 of open fails" },
	{ "connect() fails",
	  { "wrap=skeleton", "fault=fail", "fault-in=connect" },
	  0,
	  NP_ERROR_FAILED,
	  "call 1 of connect fails" },
	{ "reg() fails",
	  { "wrap=skeleton", "fault=fail", "fault-in=reg" },
	  0,
	  NP_ERROR_FAILED,
	  "call 1 of reg fails" },
	{ "arm() fails",
	  { "wrap=skeleton", "fault=fail", "fault-in=arm", "fault-rank=1" },
	  1,
	  NP_ERROR_FAILED,
	  "call 1 of arm fails" },
	{ "a bit flips on the way there",
	  { "wrap=skeleton", "fault=corrupt", "fault-in=recv", "fault-at=4",
	    "fault-rank=1" },
	  1,
	  NP_ERROR_DATA,
	  "message 3 of 1000 bytes: first wrong byte at byte 500" },
	{ "a bit flips on the way back",
	  { "wrap=skeleton", "fault=corrupt", "fault-in=recv", "fault-at=2" },
	  0,
	  NP_ERROR_DATA,
	  "message 1 of 1000 bytes: first wrong byte at byte 500" },
	{ "a stale buffer at the receiver",
	  { "wrap=skeleton", "fault=stale", "fault-in=recv", "fault-at=3", "fault-rank=1" },
	  1,
	  NP_ERROR_DATA,
	  "message 2 of 1000 bytes" },
	{ "a stale buffer at the transmitter",
	  { "wrap=skeleton", "fault=stale", "fault-in=recv", "fault-at=6" },
	  0,
	  NP_ERROR_DATA,
	  "message 5 of 1000 bytes" },
	{ "a message is lost",
	  { "wrap=skeleton", "fault=drop", "fault-at=2" },
	  0,
	  NP_ERROR_PEER,
	  "message lost" },
	{ "the receiver dies",
	  { "wrap=skeleton", "fault=die", "fault-at=2", "fault-rank=1" },
	  0,
	  NP_ERROR_PEER,
	  "" },
	{ "the receiver stops",
	  { "wrap=skeleton", "fault=stall", "fault-in=recv", "fault-at=2", "fault-rank=1" },
	  0,
	  NP_ERROR_PEER,
	  "has not answered" },
};

/* Impossible faults, refused before open(). */
static const struct {
	const char *name;
	const char *const settings[6];
} refused[] = {
	{ "receiving cannot be left out",
	  { "wrap=skeleton", "fault=drop", "fault-in=recv" } },
	{ "what is sent stays whole", { "wrap=skeleton", "fault=corrupt" } },
	{ "what is sent is not stale", { "wrap=skeleton", "fault=stale", "fault-in=arm" } },
	{ "open() is called once",
	  { "wrap=skeleton", "fault=fail", "fault-in=open", "fault-at=2" } },
	{ "no module is called so", { "wrap=nothing" } },
	{ "it does not wrap itself", { "wrap=fault" } },
};

static int ping_pong(struct two_ends *pair, struct np_error *error)
{
	const struct np_block block = { .mode = NP_MODE_REUSE,
					.messages = 6,
					.batches = 1,
					.timeout_ns = TWO_ENDS_PATIENCE_NS };
	int rc = two_ends_open(pair, &pair->process, NP_PINGPONG, 1, 1000, error);

	if (rc == 0)
		rc = two_ends_arm(pair, &pair->process, 1000, 1, error);
	two_ends_say(pair, "a ping-pong of 6 messages");
	return rc != 0 ? rc : np_check_run(&pair->process, &block, 0, error);
}

static bool as_expected(const struct fault_case *it, const struct two_ends_note *note)
{
	const struct np_error *said = &note->failure[it->rank];

	if (it->kind == 0)
		return note->failure[0].code == 0 && note->failure[1].code == 0;
	return said->code < 0 && said->kind == it->kind &&
	       strstr(said->text, it->text) != NULL;
}

static void try_case(struct tap *tap, const struct np_module *module,
		     const struct fault_case *it, struct two_ends_note *note)
{
	const struct subject subject = { .module = module, .settings = it->settings };

	two_ends_run(&subject, ping_pong, TIMEOUT_SECONDS, note);
	const bool ok = as_expected(it, note);
	tap_result(tap, ok, "fault", it->name);
	for (unsigned rank = 0; rank < 2 && !ok; rank++)
		tap_comment("rank %u: %s; %d, kind %d: %s", rank, note->doing[rank],
			    note->failure[rank].code, (int)note->failure[rank].kind,
			    note->failure[rank].text);
}

static void try_refusal(struct tap *tap, const struct np_module *module, size_t index)
{
	const struct subject subject = { .module = module,
					 .settings = refused[index].settings };
	enum np_operation operation = NP_PINGPONG;
	struct np_error error = { .code = 0 };
	const int rc = two_ends_consider(&subject, 1, &operation, &error);

	tap_result(tap, rc != 0 && error.kind == NP_ERROR_USAGE, "fault, refused",
		   refused[index].name);
}

int main(void)
{
	const struct np_module *module = np_registry_find("fault");
	struct two_ends_note *note = two_ends_make_note();
	struct tap tap = { .count = 0 };

	if (module == NULL || np_registry_find("skeleton") == NULL || note == NULL) {
		puts("1..0 # SKIP this build has not both fault and skeleton");
		return 0;
	}
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		try_case(&tap, module, &cases[i], note);
	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++)
		try_refusal(&tap, module, i);
	return tap_done(&tap);
}
