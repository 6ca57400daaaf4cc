/*
 * block.c - block: runs the timed loop of one process, or the integrity check (-i) through
 * the same hooks.
 */
#include "endpoint/block.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/clock.h"
#include "endpoint/pattern.h"
#include "endpoint/slots.h"

static uint64_t read_clock(struct np_endpoint *endpoint)
{
	(void)endpoint;
	return np_clock_ns();
}

/* Adds the module's counters: negated before a block, as read after it, so that each sum is
 * an increase.  A counter that was reset meanwhile adds 0. */
static void add_module_counts(struct np_process *process, struct np_counts *counts,
			      bool after)
{
	const uint64_t sign = after ? 1 : UINT64_MAX;
	struct np_counter own[NP_COUNTERS_MAX];

	if (process->module->count == NULL)
		return;
	const size_t found = process->module->count(process->endpoint, own);
	for (size_t i = 0; i < found; i++)
		np_counts_add(counts, own[i].name, sign * own[i].value);
	for (size_t i = 0; after && i < counts->count; i++) {
		if (counts->list[i].value > INT64_MAX)
			counts->list[i].value = 0;
	}
}

int np_block_post_receives(struct np_process *process, uint64_t count,
			   struct np_error *error)
{
	struct np_endpoint *ep = process->endpoint;

	for (uint64_t i = 0; i < count; i++) {
		const int rc = ep->code_path->hot->post_recv(ep, (size_t)i % ep->ring_end);

		if (rc != 0)
			return np_process_failed(process, rc, "post a receive", error);
	}
	return 0;
}

int np_block_barrier(struct np_process *process, struct np_error *error)
{
	/* A module that models the peer needs no barrier. */
	if (process->module->model != NULL)
		return 0;
	return np_boot_exchange(process->boot, NULL, NULL, 0, error);
}

/* Sets the first queue pair of a block and their number.  Queue pairs take turns, message
 * by message, over all blocks. A capacity sweep uses one, or as many as its point has, and
 * continues with the next in its next block. */
static void turn_queue_pairs(struct np_process *process, const struct np_block *block)
{
	const uint64_t all =
		process->request.queue_pairs > 1 ? process->request.queue_pairs : 1;
	const bool turns =
		block->axis == NP_AXIS_QUEUE_PAIRS && np_slots_rotate(block->mode);
	uint64_t count = block->axis == NP_AXIS_NONE ? all : 1;

	if (turns && block->buffers > 1)
		count = block->buffers < all ? block->buffers : all;
	process->endpoint->queue_pairs = (size_t)count;
	process->endpoint->queue_pair =
		(size_t)((turns ? block->position : process->messages) % count);
	process->messages += block->messages * block->batches;
}

/* Returns the block whose mode and axis choose the buffers: a sweep of queue pairs uses one
 * buffer for all messages. */
static struct np_block buffers_of(const struct np_block *block)
{
	struct np_block of = *block;

	if (block->axis == NP_AXIS_QUEUE_PAIRS) {
		of.axis = NP_AXIS_NONE;
		of.mode = NP_MODE_REUSE;
	}
	return of;
}

int np_block_enter(struct np_process *process, const struct np_block *block,
		   struct np_error *error)
{
	struct np_endpoint *ep = process->endpoint;
	const struct np_block buffers = buffers_of(block);
	const int filled = np_slots_fill(process, &buffers, error);

	if (filled != 0)
		return filled;
	np_slots_prepare(process, &buffers);
	turn_queue_pairs(process, block);
	if (process->module->begin != NULL) {
		const int rc = process->module->begin(ep, block->messages, block->batches);
		if (rc != 0)
			return np_process_failed(process, rc, "begin a block", error);
	}
	return 0;
}

/* Returns the number of receives that this process posts before the first message of a
 * block. */
static uint64_t first_receives(const struct np_process *process,
			       const struct np_block *block)
{
	const uint64_t total = block->messages * block->batches;
	const uint64_t receives = np_slots_receives(process, block);
	const enum np_operation operation = process->request.operation;
	const bool burst = process->options->burst;

	switch (operation) {
	case NP_BIDIRECTIONAL:
		return burst ? total : 1;
	case NP_ONE_SIDED:
		return 0;
	default:
		if (process->boot->rank == 0)
			return burst && operation == NP_PINGPONG ? total : 0;
		return total < receives ? total : receives;
	}
}

static np_loop *find_loop(const struct np_process *process)
{
	const struct np_code_path *generic =
		process->options->burst ? &np_generic_burst : &np_generic_path;
	const enum np_operation operation = process->request.operation;
	const int rank = process->boot->rank;
	np_loop *loop = process->endpoint->code_path->loops[operation][rank];

	return loop != NULL ? loop : generic->loops[operation][rank];
}

/* Completes a block: one exchange for the receive that a bidirectional loop leaves
 * posted, or the notification that one-sided operations are done. */
static int finish_block(struct np_process *process, size_t slot, struct np_error *error)
{
	struct np_endpoint *ep = process->endpoint;
	const struct np_hot *hot = ep->code_path->hot;
	int rc = 0;

	if (process->request.operation == NP_BIDIRECTIONAL) {
		rc = hot->send(ep, slot);
		if (rc == 0)
			rc = hot->recv(ep, slot);
	} else if (process->request.operation == NP_ONE_SIDED && process->boot->rank == 0) {
		rc = hot->send_ack(ep);
	}
	if (rc == 0)
		rc = hot->flush(ep);
	return rc == 0 ? np_process_settle(process, error) :
			 np_process_failed(process, rc, "move messages", error);
}

/* Starts the timeout of a block: sets the deadline that the watcher checks. */
static void start_timeout(struct np_process *process, const struct np_block *block)
{
	const uint64_t now = np_clock_ns();
	/* The peer chose the timeout: the sum must not wrap. */
	const uint64_t deadline =
		block->timeout_ns > UINT64_MAX - now ? UINT64_MAX : now + block->timeout_ns;

	atomic_store(&process->watch->block_length, process->transfer.length);
	atomic_store(&process->watch->block_deadline,
		     block->timeout_ns == 0 ? 0 : deadline);
}

static uint64_t (*find_clock(const struct np_process *process))(struct np_endpoint *)
{
	const struct np_code_path *code_path = process->endpoint->code_path;

	if (process->module->model != NULL)
		return process->module->model->now;
	return code_path->now != NULL ? code_path->now : read_clock;
}

/* Refuses durations below 0, which a clock that went back leaves.  Not checked between
 * samples. */
static int check_durations(struct np_endpoint *ep, const uint64_t *ns, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		if (ns[i] > INT64_MAX)
			return np_fail(
				&ep->error, NP_ERROR_FAILED, ERANGE,
				"the clock of this host went back by %llu ns in a sample, "
				"so durations are wrong: set another clock source, or "
				"measure from the other host (netpong doctor)",
				(unsigned long long)-ns[i]);
	}
	return 0;
}

static int time_batches(struct np_process *process, const struct np_block *block,
			uint64_t *ns, size_t *slot)
{
	struct np_endpoint *ep = process->endpoint;
	uint64_t (*now)(struct np_endpoint *) = find_clock(process);
	np_loop *loop = find_loop(process);
	const size_t step = (size_t)(block->messages % ep->ring_end);
	uint64_t last = now(ep);
	const uint64_t first = last, since = np_clock_ns();

	for (uint64_t batch = 0; batch < block->batches; batch++) {
		const int rc = loop(ep, *slot, block->messages, 1);

		if (rc != 0)
			return rc;
		const uint64_t time = now(ep);

		ns[batch] = time - last;
		last = time;
		*slot = (*slot + step) % ep->ring_end;
	}
	process->passed_ns =
		ep->code_path->now != NULL ? np_clock_ns() - since : last - first;
	return check_durations(ep, ns, block->batches);
}

/* A bidirectional loop needs one more receive, which completes the block. The loop posts
 * it, except in a burst (-B). */
static int post_first_receives(struct np_process *process, const struct np_block *block,
			       struct np_error *error)
{
	const bool one_more =
		process->options->burst && process->request.operation == NP_BIDIRECTIONAL;
	const uint64_t first = first_receives(process, block);

	return np_block_post_receives(process, one_more ? first + 1 : first, error);
}

int np_block_run(struct np_process *process, const struct np_block *block, uint64_t *ns,
		 struct np_counts *counts, struct np_error *error)
{
	size_t slot = 0;
	int rc = np_block_enter(process, block, error);

	if (rc == 0)
		rc = post_first_receives(process, block, error);
	if (rc != 0)
		return rc;
	/* Before the barrier: reading an adapter's counters is slow, and the delay
	 * would be part of the first sample. */
	add_module_counts(process, counts, false);
	/* Host counters do not describe a module that has a model of its own. */
	const bool counted = process->module->model == NULL;
	if (counted)
		np_counters_prepare(&process->counters);
	rc = np_block_barrier(process, error);
	if (rc != 0)
		return rc;

	start_timeout(process, block);
	if (counted)
		np_counters_start(&process->counters);
	if (process->boot->rank == 0) {
		rc = time_batches(process, block, ns, &slot);
	} else {
		rc = find_loop(process)(process->endpoint, 0, block->messages,
					block->batches);
		slot = (size_t)(block->messages * block->batches %
				process->endpoint->ring_end);
	}
	rc = rc == 0 ? finish_block(process, slot, error) :
		       np_process_failed(process, rc, "move messages", error);
	if (counted)
		np_counters_finish(&process->counters, counts);
	add_module_counts(process, counts, true);
	atomic_store(&process->watch->block_deadline, 0);
	if (rc != 0)
		np_watch_name_size(process->watch, error);
	else if (process->transfer.length > atomic_load(&process->watch->arrived))
		atomic_store(&process->watch->arrived, process->transfer.length);
	return rc;
}

/* ---- integrity check ----------------------------------------------------------------- */

/* Arguments and state of a check. */
struct checking {
	struct np_process *process;
	const struct np_hot *hot;
	const struct np_slot *slots;
	size_t length, guard, ring;
	size_t before; /* guard bytes before a message that nothing may write */
	uint64_t seed, sequence, total;
	uint64_t receives; /* most receives that are posted at the same time */
	uint64_t posted;   /* receives posted before the first message */
	struct np_error *error;
};

/* Sequence numbers: even from rank 0, odd from rank 1. */
static uint64_t sequence_of(const struct checking *check, uint64_t message, int sender)
{
	return 2 * (check->sequence + message) + (uint64_t)sender;
}

static int failed(const struct checking *check, int code, const char *doing)
{
	return np_process_failed(check->process, code, doing, check->error);
}

static size_t slot_of(const struct checking *check, uint64_t message)
{
	return (size_t)(message % check->ring);
}

static struct np_contents message_of(const struct checking *check, uint64_t message,
				     int sender)
{
	return (struct np_contents){ .is_message = true,
				     .seed = check->seed,
				     .sequence = sequence_of(check, message, sender) };
}

static const struct np_contents poisoned = { .is_message = false };

/* Poisons the receive buffer of a message and its guards. */
static int poison(const struct checking *check, uint64_t message)
{
	return np_contents_write(check->process,
				 check->slots[slot_of(check, message)].recv - check->guard,
				 check->length + 2 * check->guard, &poisoned, check->error);
}

static int write_message(const struct checking *check, uint64_t message)
{
	const struct np_contents mine =
		message_of(check, message, check->process->boot->rank);

	return np_contents_write(check->process, check->slots[slot_of(check, message)].send,
				 check->length, &mine, check->error);
}

static int post_receive(const struct checking *check, uint64_t message)
{
	int rc = poison(check, message);

	if (rc != 0)
		return rc;
	rc = check->hot->post_recv(check->process->endpoint, slot_of(check, message));
	return rc == 0 ? 0 : failed(check, rc, "post a receive");
}

/* Posts the receive of a message unless it is posted already or beyond the block. */
static int post_next(const struct checking *check, uint64_t message)
{
	if (message < check->posted || message >= check->total)
		return 0;
	return post_receive(check, message);
}

static int send_message(const struct checking *check, uint64_t message, bool finish)
{
	struct np_endpoint *ep = check->process->endpoint;

	int rc = write_message(check, message);
	if (rc != 0)
		return rc;
	rc = check->hot->send(ep, slot_of(check, message));
	if (rc == 0 && finish)
		rc = check->hot->flush(ep);
	return rc == 0 ? 0 : failed(check, rc, "send");
}

/* Compares the range [begin, begin + length), relative to the message, with its expected
 * contents. */
static int compare(const struct checking *check, uint64_t message, ptrdiff_t begin,
		   size_t length, const struct np_contents *contents, const char *what)
{
	const unsigned char *at = check->slots[slot_of(check, message)].recv + begin;
	struct np_wrong_byte wrong;
	const int rc = np_contents_compare(check->process, at, length, contents, &wrong,
					   check->error);

	if (rc != 0 || !wrong.found)
		return rc;
	return np_fail(check->error, NP_ERROR_DATA, EBADMSG,
		       "wrong data: message %" PRIu64
		       " of %zu bytes: %s at byte %td (0x%02x)",
		       check->sequence + message, check->length, what,
		       begin + (ptrdiff_t)wrong.at, wrong.value);
}

/* Checks a message and its guards; the transport may write in the part of a guard next
 * to the message. */
static int verify(const struct checking *check, uint64_t message, int sender)
{
	const struct np_contents theirs = message_of(check, message, sender);
	int rc = compare(check, message, 0, check->length, &theirs, "first wrong byte");

	if (rc == 0)
		rc = compare(check, message, -(ptrdiff_t)check->guard, check->before,
			     &poisoned, "a byte before it was overwritten");
	return rc != 0 ? rc :
			 compare(check, message, (ptrdiff_t)check->length, check->guard,
				 &poisoned, "a byte behind it was overwritten");
}

static int receive_message(const struct checking *check, uint64_t message)
{
	struct np_endpoint *ep = check->process->endpoint;
	const int rc = check->hot->recv(ep, slot_of(check, message));

	if (rc != 0)
		return failed(check, rc, "receive");
	return verify(check, message, 1 - ep->rank);
}

static int check_ping(const struct checking *check)
{
	int rc = 0;

	for (uint64_t i = 0; i < check->total && rc == 0; i++) {
		rc = post_next(check, i);
		if (rc == 0)
			rc = send_message(check, i, true);
		if (rc == 0)
			rc = receive_message(check, i);
	}
	return rc;
}

static int check_pong(const struct checking *check)
{
	int rc = 0;

	for (uint64_t i = 0; i < check->total && rc == 0; i++) {
		rc = receive_message(check, i);
		if (rc == 0)
			rc = post_next(check, i + 1);
		if (rc == 0)
			rc = send_message(check, i, true);
	}
	return rc;
}

/* Sender of a stream, with an acknowledgement every `batch` messages. */
static int check_out(const struct checking *check, uint64_t batch)
{
	struct np_endpoint *ep = check->process->endpoint;
	int rc = 0;

	for (uint64_t i = 0; i < check->total && rc == 0; i++) {
		rc = send_message(check, i, true);
		if (rc == 0 && (i + 1) % batch == 0 && (rc = check->hot->recv_ack(ep)) != 0)
			rc = failed(check, rc, "receive an acknowledgement");
	}
	return rc;
}

static int check_in(const struct checking *check, uint64_t batch)
{
	struct np_endpoint *ep = check->process->endpoint;
	int rc = 0;

	for (uint64_t i = 0; i < check->total && rc == 0; i++) {
		rc = receive_message(check, i);
		if (rc == 0)
			rc = post_next(check, i + check->receives);
		if (rc == 0 && (i + 1) % batch == 0 && (rc = check->hot->send_ack(ep)) != 0)
			rc = failed(check, rc, "send an acknowledgement");
	}
	if (rc == 0 && (rc = check->hot->flush(ep)) != 0)
		rc = failed(check, rc, "finish sending");
	return rc;
}

static int check_exchange(const struct checking *check)
{
	struct np_endpoint *ep = check->process->endpoint;
	int rc = 0;

	for (uint64_t i = 0; i < check->total && rc == 0; i++) {
		if (check->receives > 1)
			rc = post_next(check, i + check->posted);
		if (rc == 0)
			rc = send_message(check, i, false);
		if (rc == 0)
			rc = receive_message(check, i);
		if (rc == 0 && (rc = check->hot->flush(ep)) != 0)
			rc = failed(check, rc, "finish sending");
		/* With one receive buffer, the next receive is posted once this message is
		 * verified. */
		if (rc == 0 && check->receives == 1)
			rc = post_next(check, i + 1);
	}
	return rc;
}

static int do_step(const struct checking *check, uint64_t message)
{
	struct np_endpoint *ep = check->process->endpoint;
	int rc = check->hot->step(ep, slot_of(check, message));

	if (rc == 0)
		rc = check->hot->flush(ep);
	return rc == 0 ? 0 : failed(check, rc, "do a step");
}

static int send_done(const struct checking *check)
{
	struct np_endpoint *ep = check->process->endpoint;
	int rc = check->hot->send_ack(ep);

	if (rc == 0)
		rc = check->hot->flush(ep);
	return rc == 0 ? np_process_settle(check->process, check->error) :
			 failed(check, rc, "send an acknowledgement");
}

static int wait_for_done(const struct checking *check)
{
	struct np_endpoint *ep = check->process->endpoint;
	int rc = check->hot->recv_ack(ep);

	if (rc == 0)
		rc = check->hot->flush(ep);
	return rc == 0 ? np_process_settle(check->process, check->error) :
			 failed(check, rc, "receive an acknowledgement");
}

/* Copies within rank 0: rank 1 is notified once, at the end. */
static int check_copies(const struct checking *check)
{
	int rc = 0;

	if (check->process->boot->rank == 1)
		return wait_for_done(check);
	for (uint64_t i = 0; i < check->total && rc == 0; i++) {
		rc = poison(check, i);
		if (rc == 0)
			rc = write_message(check, i);
		if (rc == 0)
			rc = do_step(check, i);
		if (rc == 0)
			rc = verify(check, i, 0);
	}
	return rc == 0 ? send_done(check) : rc;
}

/* Puts and gets: rank 0 alone moves the bytes; rank 1 reads its buffer only when
 * notified. */
static int check_remote_steps(const struct checking *check, int sender)
{
	const int rank = check->process->boot->rank;
	int rc = 0;

	for (uint64_t i = 0; i < check->total && rc == 0; i++) {
		rc = rank == sender ? write_message(check, i) : poison(check, i);
		if (rc == 0)
			rc = np_block_barrier(check->process, check->error);
		if (rc == 0)
			rc = rank == 0 ? do_step(check, i) : wait_for_done(check);
		if (rc == 0 && rank != sender)
			rc = verify(check, i, sender);
		if (rc == 0 && rank == 0)
			rc = send_done(check);
	}
	return rc;
}

static int check_steps(const struct checking *check)
{
	switch (check->process->request.step) {
	case NP_ONE_SIDED_COPY:
		return check_copies(check);
	case NP_ONE_SIDED_PUT:
		return check_remote_steps(check, 0);
	case NP_ONE_SIDED_GET:
		return check_remote_steps(check, 1);
	default:
		return np_refuse(check->error,
				 "-i: the operation moves no bytes that could be checked: "
				 "leave out -i");
	}
}

static int check_operation(const struct checking *check, uint64_t batch)
{
	const bool first = check->process->boot->rank == 0;

	switch (check->process->request.operation) {
	case NP_PINGPONG:
		return first ? check_ping(check) : check_pong(check);
	case NP_STREAM:
		return first ? check_out(check, batch) : check_in(check, batch);
	case NP_STREAM_ACKED:
		return first ? check_out(check, 1) : check_in(check, 1);
	case NP_BIDIRECTIONAL:
		return check_exchange(check);
	default:
		return check_steps(check);
	}
}

int np_check_run(struct np_process *process, const struct np_block *block,
		 uint64_t sequence, struct np_error *error)
{
	int rc = np_block_enter(process, block, error);
	const struct checking check = {
		.process = process,
		.hot = process->endpoint->code_path->hot,
		.slots = process->table,
		.length = process->transfer.length,
		.guard = process->layout.guard,
		.before = process->layout.guard - process->request.head_room,
		.ring = process->endpoint->ring_end,
		.seed = process->key,
		.sequence = sequence,
		.total = block->messages * block->batches,
		.receives = np_slots_receives(process, block),
		.posted = first_receives(process, block),
		.error = error,
	};

	for (uint64_t i = 0; rc == 0 && i < check.posted; i++)
		rc = post_receive(&check, i);
	if (rc == 0)
		rc = np_block_barrier(process, error);
	if (rc != 0)
		return rc;
	start_timeout(process, block);
	rc = check_operation(&check, block->messages);
	if (rc == 0 && (rc = check.hot->flush(process->endpoint)) != 0)
		rc = failed(&check, rc, "finish a block");
	if (rc == 0)
		rc = np_process_settle(process, error);
	atomic_store(&process->watch->block_deadline, 0);
	return rc;
}
