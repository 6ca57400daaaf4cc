/*
 * conform_life.c - tests of opening, closing, failing and stopping an endpoint.
 */
#include "conform.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "endpoint/block.h"
#include "results/results.h"

enum { PAUSE_US = 50 * 1000, STAY_MS = 20000, STOP_TIMEOUT_MS = 15000 };

static int exchange_some(struct np_process *process, struct np_error *error)
{
	const struct np_block block = { .mode = NP_MODE_ROTATE,
					.messages = 2,
					.batches = 1,
					.timeout_ns = TWO_ENDS_PATIENCE_NS };

	if (process->request.operation == NP_ONE_SIDED &&
	    process->request.step == NP_ONE_SIDED_NONE)
		return 0;
	struct np_counts counts = { .count = 0 };
	uint64_t ns;
	const int rc = process->request.integrity ?
			       np_check_run(process, &block, 0, error) :
			       np_block_run(process, &block, &ns, &counts, error);

	/* A process must not exit while the peer waits for its device. */
	return rc != 0 ? rc : np_block_barrier(process, error);
}

/* Leftovers of an endpoint must not disturb the next. */
int conform_reopen(struct two_ends *pair, struct np_error *error)
{
	int rc = 0;

	for (unsigned i = 0; rc == 0 && i < 100; i++) {
		two_ends_say(pair, "round %u", i);
		rc = two_ends_open(pair, &pair->process, NP_PINGPONG, 1, 100, error);
		if (rc == 0)
			rc = two_ends_arm(pair, &pair->process, 100, 2, error);
		if (rc == 0)
			rc = exchange_some(&pair->process, error);
		np_process_finish(&pair->process);
	}
	return rc;
}

/* Two endpoints share any state that is outside struct np_endpoint. */
int conform_two_endpoints(struct two_ends *pair, struct np_error *error)
{
	struct np_process other = { .opened = false };
	int rc = two_ends_open(pair, &pair->process, NP_PINGPONG, 1, 5000, error);

	two_ends_say(pair, "opening the second");
	if (rc == 0)
		rc = two_ends_open(pair, &other, NP_PINGPONG, 1, 5000, error);
	if (rc == 0)
		rc = two_ends_arm(pair, &pair->process, 100, 3, error);
	if (rc == 0)
		rc = two_ends_arm(pair, &other, 5000, 3, error);
	for (unsigned i = 0; rc == 0 && i < 5; i++) {
		two_ends_say(pair, "round %u of both", i);
		rc = exchange_some(&pair->process, error);
		if (rc == 0)
			rc = exchange_some(&other, error);
	}
	two_ends_say(pair, "the first after the second is closed");
	np_process_finish(&other);
	return rc != 0 ? rc : exchange_some(&pair->process, error);
}

static int check_counters(struct two_ends *pair, struct np_error *error)
{
	struct np_counter first[NP_COUNTERS_MAX], second[NP_COUNTERS_MAX];
	const size_t count = pair->module->count(pair->process.endpoint, first);

	if (count > NP_COUNTERS_MAX)
		return two_ends_fail(error, "count() gives %zu counters", count);
	int rc = exchange_some(&pair->process, error);
	if (rc != 0)
		return rc;
	if (pair->module->count(pair->process.endpoint, second) != count)
		return two_ends_fail(error, "count() gives another number of counters");
	for (size_t i = 0; i < count; i++) {
		if (strcmp(first[i].name, second[i].name) != 0)
			return two_ends_fail(error, "counter %s became %s", first[i].name,
					     second[i].name);
		if (second[i].value < first[i].value)
			return two_ends_fail(error, "counter %s went down", first[i].name);
	}
	return 0;
}

/* Loops call hot hooks without a test for NULL. */
static int check_variant(const struct np_code_path *variant, struct np_error *error)
{
	const struct np_hot *hot = variant != NULL ? variant->hot : NULL;

	if (hot == NULL || variant->name == NULL || variant->name[0] == '\0')
		return two_ends_fail(error,
				     "arm() has set no variant, or one without a name");
	if (strlen(variant->name) >= NP_WORD)
		return two_ends_fail(error, "the name of variant %s is too long",
				     variant->name);
	if (hot->post_recv == NULL || hot->send == NULL || hot->recv == NULL ||
	    hot->flush == NULL || hot->send_ack == NULL || hot->recv_ack == NULL ||
	    hot->step == NULL)
		return two_ends_fail(error, "a hot hook of variant %s is NULL",
				     variant->name);
	return 0;
}

/* A limit given as text, as "4096", cannot name a break of a curve. */
static bool is_number_as_text(const struct np_fact *fact)
{
	return fact->unit == NP_UNIT_NONE && fact->text[0] != '\0' &&
	       fact->text[strspn(fact->text, "0123456789")] == '\0' &&
	       strstr(fact->name, "_bytes") != NULL;
}

/* Letters of names of facts; environment variables are facts, too. */
static const char name_letters[] = "abcdefghijklmnopqrstuvwxyz"
				   "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

/* Facts and counters have names, and values of one line. */
int conform_facts(struct two_ends *pair, struct np_error *error)
{
	struct np_facts facts = { .count = 0 };
	int rc = two_ends_open(pair, &pair->process, NP_PINGPONG, 1, 100, error);

	if (rc != 0)
		return rc;
	if (pair->module->describe != NULL)
		pair->module->describe(pair->process.endpoint, &facts);
	for (size_t i = 0; rc == 0 && i < facts.count; i++) {
		if (strspn(facts.list[i].name, name_letters) !=
			    strlen(facts.list[i].name) ||
		    strchr(facts.list[i].text, '\n') != NULL)
			rc = two_ends_fail(error, "fact \"%s\" is not a name and one line",
					   facts.list[i].name);
		else if (is_number_as_text(&facts.list[i]))
			rc = two_ends_fail(error, "fact \"%s\" is a text, not a number",
					   facts.list[i].name);
	}
	np_facts_free(&facts);
	if (rc == 0)
		rc = two_ends_arm(pair, &pair->process, 100, 3, error);
	if (rc == 0)
		rc = check_variant(pair->process.endpoint->code_path, error);
	if (rc == 0 && pair->module->count != NULL)
		rc = check_counters(pair, error);
	return rc;
}

/* Each process alone, with an endpoint as np_process_open() sets it up. */
int conform_close_after_open(struct two_ends *pair, struct np_error *error)
{
	struct np_endpoint *ep = calloc(1, pair->module->endpoint_size);

	if (ep == NULL)
		return np_fail_errno(error, ENOMEM, "cannot allocate an endpoint");
	int rc = two_ends_request(pair, &pair->process, NP_PINGPONG, 1, 100, error);
	for (unsigned i = 0; rc == 0 && i < 3; i++) {
		memset(ep, 0, pair->module->endpoint_size);
		ep->module = pair->module;
		ep->options = pair->module_options;
		ep->boot = &pair->boot;
		ep->rank = pair->boot.rank;
		ep->stop = &pair->watch.stop;
		atomic_init(&ep->socket, -1);
		rc = pair->module->open != NULL ? pair->module->open(ep) : 0;
		if (rc != 0)
			np_fail(error, NP_ERROR_FAILED, rc, "open(): %s", ep->error.text);
		pair->module->close(ep);
	}
	free(ep);
	return rc;
}

int conform_unreg_without_reg(struct two_ends *pair, struct np_error *error)
{
	struct np_region region = { .registrations = 1 };
	int rc = two_ends_open(pair, &pair->process, NP_PINGPONG, 1, 100, error);

	if (rc == 0 && pair->module->unreg != NULL)
		pair->module->unreg(pair->process.endpoint, &region);
	return rc;
}

/* Connects to a peer that has exited: must fail, and close in that state. */
static int open_alone(struct two_ends *pair, struct np_error *error)
{
	struct np_error refusal = { .code = 0 };

	two_ends_say(pair, "connecting to a peer that is gone");
	if (two_ends_open(pair, &pair->process, NP_PINGPONG, 1, 100, &refusal) == 0)
		return two_ends_fail(error, "connect() succeeded without a peer");
	if (refusal.code >= 0 || refusal.text[0] == '\0')
		return two_ends_fail(error, "connect() failed without a text");
	np_process_finish(&pair->process);
	return 0;
}

int conform_connect_fails_at_0(struct two_ends *pair, struct np_error *error)
{
	if (pair->boot.rank == 1)
		raise(SIGKILL);
	pair->child_leaves = true;
	return open_alone(pair, error);
}

int conform_connect_fails_at_1(struct two_ends *pair, struct np_error *error)
{
	if (pair->boot.rank == 1)
		return open_alone(pair, error);
	shutdown(pair->boot.control, SHUT_RDWR);
	shutdown(pair->boot.heartbeat, SHUT_RDWR);
	return 0;
}

/* Waits until the watcher has stopped the run. */
static int wait_for_stop(struct two_ends *pair, struct np_error *why,
			 struct np_error *error)
{
	for (unsigned ms = 0; ms < STOP_TIMEOUT_MS; ms += 10) {
		if (np_watch_stopped(&pair->watch, why))
			return 0;
		usleep(10000);
	}
	return two_ends_fail(error, "the watcher has noticed nothing");
}

static int enter_pingpong(struct two_ends *pair, struct np_error *error)
{
	int rc = two_ends_open(pair, &pair->process, NP_PINGPONG, 1, 4096, error);

	if (rc == 0)
		rc = two_ends_arm(pair, &pair->process, 4096, 2, error);
	return rc != 0 ? rc : two_ends_enter(pair, error);
}

/* Waits in recv() for a message that never comes; the stop must end the wait. */
static int receive_nothing(struct two_ends *pair, struct np_error *error)
{
	struct np_endpoint *ep = pair->process.endpoint;

	two_ends_say(pair, "waiting in recv()");
	if (ep->code_path->hot->recv(ep, 0) == 0)
		return two_ends_fail(error, "recv() returned 0, and nothing was sent");
	two_ends_say(pair, "recv() has returned");
	return 0;
}

int conform_peer_dies(struct two_ends *pair, struct np_error *error)
{
	struct np_error why = { .code = 0 };
	int rc = enter_pingpong(pair, error);

	if (rc != 0)
		return rc;
	if (pair->boot.rank == 1) {
		usleep(PAUSE_US);
		raise(SIGKILL);
	}
	pair->child_leaves = true;
	rc = receive_nothing(pair, error);
	if (rc == 0)
		rc = wait_for_stop(pair, &why, error);
	if (rc == 0 && why.kind != NP_ERROR_PEER)
		rc = two_ends_fail(error, "the reason is not the peer: %s", why.text);
	return rc;
}

/* Checks that the watcher of rank 0 reports the SIGTERM that rank 1 has sent. */
static int check_signal(struct two_ends *pair, struct np_error *error)
{
	struct np_error why = { .code = 0 };
	int rc = wait_for_stop(pair, &why, error);

	if (rc == 0 && pair->boot.rank == 0 && (int)why.kind != 128 + SIGTERM)
		rc = two_ends_fail(error, "the reason is not the signal: %s", why.text);
	return rc;
}

int conform_interrupt_recv(struct two_ends *pair, struct np_error *error)
{
	int rc = enter_pingpong(pair, error);

	if (rc != 0)
		return rc;
	if (pair->boot.rank == 1) {
		usleep(PAUSE_US);
		kill(getppid(), SIGTERM);
	}
	rc = receive_nothing(pair, error);
	return rc != 0 ? rc : check_signal(pair, error);
}

/* A stream without a receiver fills all buffers and then blocks. */
int conform_interrupt_send(struct two_ends *pair, struct np_error *error)
{
	int rc = two_ends_open(pair, &pair->process, NP_STREAM, 1, 1 << 20, error);

	if (rc == 0)
		rc = two_ends_arm(pair, &pair->process, 1 << 20, 2, error);
	if (rc == 0)
		rc = two_ends_enter(pair, error);
	if (rc != 0)
		return rc;
	if (pair->boot.rank == 1) {
		usleep(PAUSE_US);
		kill(getppid(), SIGTERM);
		/* The exit of this process would wake the sender. */
		for (unsigned ms = 0; ms < STAY_MS; ms += 10) {
			if (atomic_load(&pair->note->returned))
				break;
			usleep(10000);
		}
		return check_signal(pair, error);
	}
	struct np_endpoint *ep = pair->process.endpoint;
	two_ends_say(pair, "sending to nobody");
	while (rc == 0) {
		rc = ep->code_path->hot->send(ep, 0);
		if (rc == 0)
			rc = ep->code_path->hot->flush(ep);
	}
	atomic_store(&pair->note->returned, true);
	return check_signal(pair, error);
}
