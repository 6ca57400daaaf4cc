/*
 * check.c - integrity check (-i), through the hooks that other runs time.
 */
#include "endpoint/check.h"

#include <errno.h>
#include <inttypes.h>

#include "base/clock.h"
#include "endpoint/pattern.h"
#include "endpoint/slots.h"

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
		.posted = np_block_first_receives(process, block),
		.error = error,
	};

	for (uint64_t i = 0; rc == 0 && i < check.posted; i++)
		rc = post_receive(&check, i);
	if (rc == 0)
		rc = np_block_barrier(process, error);
	if (rc != 0)
		return rc;
	np_block_deadline(process, block);
	rc = check_operation(&check, block->messages);
	if (rc == 0 && (rc = check.hot->flush(process->endpoint)) != 0)
		rc = failed(&check, rc, "finish a block");
	if (rc == 0)
		rc = np_process_settle(process, error);
	atomic_store(&process->watch->block_deadline, 0);
	return rc;
}
