/*
 * conform_data.c - tests that messages arrive.
 *
 * Each length is sent through the hooks one by one, as by -i, which verifies every byte and
 * the bytes around a message; then through the timed loops, which a module may compile
 * itself, and the contents are verified afterwards.
 */
#include "conform.h"

#include "endpoint/block.h"
#include "endpoint/pattern.h"
#include "results/results.h"

static const size_t small_sizes[] = { 1, 2, 3, 7, 8, 63, 64, 65, 1000, 4095, 4096, 4097 };
static const size_t large_sizes[] = { 65537, 1 << 20 | 3 };

static size_t count_of_small(void)
{
	return sizeof(small_sizes) / sizeof(*small_sizes);
}

/* Number of large sizes that differ after the cut to the longest message. */
static size_t count_of_large(const struct two_ends *pair)
{
	return pair->longest != 0 && pair->longest <= large_sizes[0] ? 1 : 2;
}

static bool one_way(enum np_operation operation)
{
	return operation == NP_STREAM || operation == NP_STREAM_ACKED;
}

static bool moves_nothing(const struct np_process *process)
{
	return process->request.operation == NP_ONE_SIDED &&
	       process->request.step == NP_ONE_SIDED_NONE;
}

/* Rank whose messages are in the receive buffers of this process after a block; -1: it
 * receives none. */
static int sender_for(const struct np_process *process)
{
	const int rank = process->boot->rank;

	if (process->request.operation == NP_ONE_SIDED) {
		switch (process->request.step) {
		case NP_ONE_SIDED_COPY:
			return rank == 0 ? 0 : -1;
		case NP_ONE_SIDED_PUT:
			return rank == 1 ? 0 : -1;
		case NP_ONE_SIDED_GET:
			return rank == 0 ? 1 : -1;
		default:
			return -1;
		}
	}
	if (one_way(process->request.operation))
		return rank == 1 ? 0 : -1;
	return 1 - rank;
}

static struct np_slot slot_at(const struct np_process *process, uint64_t index)
{
	return np_layout_slot(&process->layout, &process->cut, process->region.base, index);
}

static struct np_contents message_of(const struct np_process *process, uint64_t slot,
				     int sender)
{
	return (struct np_contents){ .is_message = true,
				     .seed = process->key,
				     .sequence = 2 * slot + (uint64_t)sender };
}

/* Writes a message into each send buffer, and poison into each receive buffer. */
static int fill_slots(struct np_process *process, struct np_error *error)
{
	const struct np_contents poisoned = { .is_message = false };
	const size_t length = process->cut.length;
	int rc = 0;

	for (uint64_t i = 0; rc == 0 && i < process->cut.slots; i++) {
		const struct np_slot slot = slot_at(process, i);
		const struct np_contents mine = message_of(process, i, process->boot->rank);

		rc = np_contents_write(process, slot.send, length, &mine, error);
		if (rc == 0)
			rc = np_contents_write(process, slot.recv, length, &poisoned,
					       error);
	}
	return rc;
}

static int inspect_slots(struct np_process *process, int sender, struct np_error *error)
{
	int rc = 0;

	for (uint64_t i = 0; rc == 0 && i < process->cut.slots; i++) {
		const struct np_contents theirs = message_of(process, i, sender);
		struct np_wrong_byte wrong;

		rc = np_contents_compare(process, slot_at(process, i).recv,
					 process->cut.length, &theirs, &wrong, error);
		if (rc == 0 && wrong.found)
			rc = two_ends_fail(
				error,
				"after the timed loop byte %zu of slot %llu is wrong",
				wrong.at, (unsigned long long)i);
	}
	return rc;
}

/* Limits a block to one message per slot in a burst, which posts each receive once. */
static struct np_block fit_burst(const struct np_process *process, struct np_block block)
{
	const uint64_t most = np_process_block_most(process);

	if (block.messages * block.batches > most) {
		block.messages = most;
		block.batches = 1;
	}
	return block;
}

/* Runs the timed loops over all slots and verifies each afterwards. */
static int run_timed(struct two_ends *pair, struct np_process *process,
		     struct np_error *error)
{
	const struct np_block all = { .mode = NP_MODE_ROTATE,
				      .position = 5,
				      .messages = process->cut.slots / 2 + 1,
				      .batches = 3,
				      .timeout_ns = TWO_ENDS_PATIENCE_NS };
	const struct np_block block = fit_burst(process, all);
	struct np_counts counts = { .count = 0 };
	uint64_t ns[3];
	int rc = fill_slots(process, error);

	if (rc == 0)
		rc = two_ends_meet(pair, error);
	if (rc == 0)
		rc = np_block_run(process, &block, ns, &counts, error);
	if (rc == 0 && sender_for(process) >= 0)
		rc = inspect_slots(process, sender_for(process), error);
	return rc;
}

/* Runs a block as -i does, if any bytes move. */
static int run_checked(struct np_process *process, enum np_mode arm, struct np_error *error)
{
	const struct np_block all = { .mode = arm,
				      .position = 3,
				      .fixed = 1,
				      .messages = 3,
				      .batches = 2,
				      .timeout_ns = TWO_ENDS_PATIENCE_NS };
	const struct np_block block = fit_burst(process, all);

	return moves_nothing(process) ? 0 : np_check_run(process, &block, 10, error);
}

/* Modes that differ in addresses; others differ in the state of caches only. */
static bool is_checked(const struct np_process *process, enum np_mode arm)
{
	return arm == NP_MODE_REUSE || arm == NP_MODE_ROTATE ||
	       (arm == NP_MODE_FRESH &&
		(process->request.capabilities & NP_CAN_FRESH) != 0);
}

int conform_size(struct two_ends *pair, size_t length, uint64_t slots,
		 struct np_error *error)
{
	struct np_process *process = &pair->process;
	int rc = two_ends_arm(pair, process, length, slots, error);

	for (enum np_mode arm = 0; arm < NP_MODES && rc == 0; arm++) {
		if (!is_checked(process, arm))
			continue;
		two_ends_say(pair, "%zu bytes, %llu slots, checked, %s", length,
			     (unsigned long long)slots, np_mode_name(arm));
		rc = run_checked(process, arm, error);
	}
	two_ends_say(pair, "%zu bytes, %llu slots, timed, rotate", length,
		     (unsigned long long)slots);
	if (rc == 0)
		rc = run_timed(pair, process, error);
	/* Barrier, as in the driver: the device of a process must answer while the peer
	 * still waits. */
	if (rc == 0)
		rc = two_ends_meet(pair, error);
	two_ends_disarm(process);
	return rc;
}

/* True if a part of a sweep has the size.  With the default settings each part has every
 * size; with others each size is in one part of three, which saves two thirds of the time:
 * settings select other code, not other sizes. */
static bool is_swept(const struct two_ends *pair, size_t size, size_t part)
{
	return pair->longest == 0 || size % 3 == part % 3;
}

/* As is_swept(), for a large size.  A module that needs a buffer for each message of the
 * window has as many in every part: 256 buffers of 1 MiB are swept once. */
static bool is_large_swept(const struct two_ends *pair, enum np_operation operation,
			   size_t size, size_t part)
{
	if (one_way(operation) && pair->longest == 0 && size != 0)
		return part == 2;
	return is_swept(pair, size + 1, part);
}

static int sweep(struct two_ends *pair, enum np_operation operation, struct np_error *error)
{
	static const uint64_t small_slots[] = { 1, 3, 17 }, large_slots[] = { 1, 3, 7 };
	int rc = two_ends_open(pair, &pair->process, operation, 1, large_sizes[1], error);

	for (size_t i = 0; i < 3; i++) {
		for (size_t k = 0; rc == 0 && k < count_of_small(); k++)
			if (is_swept(pair, k, i))
				rc = conform_size(pair, small_sizes[k], small_slots[i],
						  error);
		for (size_t k = 0; rc == 0 && k < count_of_large(pair); k++)
			if (is_large_swept(pair, operation, k, i))
				rc = conform_size(pair, large_sizes[k], large_slots[i],
						  error);
	}
	return rc;
}

int conform_pingpong(struct two_ends *pair, struct np_error *error)
{
	return sweep(pair, NP_PINGPONG, error);
}

int conform_stream(struct two_ends *pair, struct np_error *error)
{
	return sweep(pair, NP_STREAM, error);
}

int conform_stream_window(struct two_ends *pair, struct np_error *error)
{
	pair->options.window = CONFORM_WINDOW;
	return sweep(pair, NP_STREAM, error);
}

int conform_acked(struct two_ends *pair, struct np_error *error)
{
	return sweep(pair, NP_STREAM_ACKED, error);
}

/* Buffers at odd offsets, which differ between the two processes. */
int conform_offsets(struct two_ends *pair, struct np_error *error)
{
	static const size_t cases[][3] = {
		{ 64, 0, 1 }, { 64, 1, 0 }, { 1, 0, 0 }, { 64, 3, 5 }, { 4096, 63, 4095 },
	};
	int rc = two_ends_open(pair, &pair->process, NP_PINGPONG, 1, 100003, error);

	/* Settings other than the default have the last two cases. */
	for (size_t i = pair->longest == 0 ? 0 : 3;
	     rc == 0 && i < sizeof(cases) / sizeof(*cases); i++) {
		const struct np_request *request = &pair->process.request;

		pair->options.align = cases[i][0];
		pair->options.offsets[0] = cases[i][1];
		pair->options.offsets[1] = cases[i][2];
		pair->process.layout = np_layout_of(&pair->options, request->head_room);
		for (size_t k = 0; rc == 0 && k < count_of_small(); k++)
			if (is_swept(pair, k, i))
				rc = conform_size(pair, small_sizes[k], 3, error);
		if (rc == 0)
			rc = conform_size(pair, 100003, 3, error);
		if (rc != 0)
			np_fail(error, NP_ERROR_FAILED, rc, "offsets %zu,%zu from %zu",
				cases[i][1], cases[i][2], cases[i][0]);
	}
	return rc;
}

/* Both processes send before they receive, also more than any buffer between them
 * holds. */
int conform_bidirectional(struct two_ends *pair, struct np_error *error)
{
	static const size_t sizes[] = {
		1,     2,      3,	64,	 1000,	   4096,
		65536, 262147, 1 << 20, 3000001, 4u << 20, 16u << 20
	};
	int rc = two_ends_open(pair, &pair->process, NP_BIDIRECTIONAL, 1, 16u << 20, error);

	for (size_t i = 0; rc == 0 && i < sizeof(sizes) / sizeof(*sizes); i++) {
		/* Longer sizes are cut to the same length. */
		if (pair->longest != 0 && i != 0 && sizes[i - 1] >= pair->longest)
			break;
		rc = conform_size(pair, sizes[i], 1, error);
		if (rc == 0 && sizes[i] <= 1 << 20)
			rc = conform_size(pair, sizes[i], 5, error);
	}
	return rc;
}

static int try_nothing(struct two_ends *pair, enum np_operation operation,
		       struct np_error *error)
{
	int rc = two_ends_open(pair, &pair->process, operation, 0, 64, error);

	/* Messages with bytes before and after reveal a lost or doubled one. */
	if (rc == 0)
		rc = conform_size(pair, 64, 3, error);
	if (rc == 0)
		rc = conform_size(pair, 0, 3, error);
	return rc != 0 ? rc : conform_size(pair, 64, 3, error);
}

int conform_zero_bytes(struct two_ends *pair, struct np_error *error)
{
	return try_nothing(pair, NP_PINGPONG, error);
}

int conform_zero_bytes_stream(struct two_ends *pair, struct np_error *error)
{
	return try_nothing(pair, NP_STREAM, error);
}
