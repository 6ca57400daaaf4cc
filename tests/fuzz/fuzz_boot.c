/*
 * fuzz_boot.c - either end of a run, before whatever may come over the boot
 * channel: a target of libFuzzer.  The first byte chooses who listens, the rest is
 * what it hears, after which the line is dead.
 *
 *     h  the server, to a hello; "hk" with a token
 *     w  the transmitter, to the answer; "wk" with a token
 *     p  the receiver, to a plan
 *     c  the receiver, to commands
 *     r  the transmitter, to the reply to a command
 *     s  the receiver, to commands that are whole: the state machine
 *     t  the transmitter of a whole run, to its replies
 *
 * For "s" and "t" the rest is what differs from an honest peer, so that a run gets past
 * its first command: fuzz_script.h.
 *
 * Built and run by fuzz.sh.
 */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "plan/options_check.h"
#include "boot/channel.h"
#include "boot/link_handshake.h"
#include "endpoint/command.h"
#include "plan/plan.h"
#include "boot/pending.h"
#include "boot/access.h"
#include "tests/fuzz/fuzz_script.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct np_identity ours = { .program = "NPfuzz", .version = "1" };

/* A line that says `data` and is dead then; what is said into it is lost. */
static int open_line(int *line, const uint8_t *data, size_t size)
{
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, line) != 0)
		return -1;
	/* Less than the socket holds: fuzz.sh bounds it. */
	if (send(line[1], data, size, MSG_DONTWAIT) != (ssize_t)size)
		return -1;
	return shutdown(line[1], SHUT_WR);
}

static void close_line(const int *line)
{
	close(line[0]);
	close(line[1]);
}

static const unsigned char key[NP_KEY_LENGTH] = "fuzz";

static void hear_hello(int fd, bool keyed)
{
	unsigned char token[NP_TOKEN_LENGTH] = "fuzz";
	struct np_pending pending = { .count = 0 };
	const struct np_pending_connection connection = {
		.fd = dup(fd), .address = { .ss_family = AF_UNSPEC }
	};
	struct np_link_wait wait = { .identity = &ours,
				     .kinds = np_link_bit(NP_LINK_CONTROL),
				     .token = token,
				     .key = keyed ? key : NULL,
				     .wake = -1 };
	struct np_error error = { .code = 0 };

	if (connection.fd < 0)
		return;
	np_pending_add(&pending, &connection);
	/* Each round reads what there is; two that bring nothing are the end. */
	for (unsigned round = 0; round < 8 && pending.count != 0; round++) {
		struct pollfd fds[NP_PENDING_FDS];
		struct np_pending_connection fits;
		const size_t count = np_pending_pollfds(&pending, -1, fds);

		poll(fds, count, 0);
		if (np_pending_handle(&pending, -1, fds, &wait, &fits, &error) == 1)
			close(fits.fd);
	}
	np_pending_close(&pending);
}

static void hear_answer(int fd, bool keyed)
{
	static const unsigned char token[NP_TOKEN_LENGTH] = "fuzz";
	const struct np_handshake handshake = { .identity = &ours,
						.kind = NP_LINK_CONTROL,
						.token = token,
						.key = keyed ? key : NULL };
	struct np_error error = { .code = 0 };

	np_link_handshake(fd, &handshake, np_deadline_in(1000), &error);
}

/* ---- A module without a transport, that gives up after some messages ------ */

struct toy {
	struct np_endpoint endpoint;
	unsigned calls;
};

static int give_up(struct np_endpoint *endpoint)
{
	struct toy *this = (struct toy *)endpoint;

	return ++this->calls > 200 ? -ECONNRESET : 0;
}

static int move_slot(struct np_endpoint *endpoint, size_t slot)
{
	const struct np_slot *at = &endpoint->transfer->slots[slot];

	/* Where a message would go there has to be room for one. */
	memset(at->recv, 1, endpoint->transfer->length);
	memset(at->send, 2, endpoint->transfer->length);
	return give_up(endpoint);
}

static const struct np_hot toy_hot = { .post_recv = move_slot,
				       .send = move_slot,
				       .recv = move_slot,
				       .flush = give_up,
				       .send_ack = give_up,
				       .recv_ack = give_up,
				       .step = move_slot };
static const struct np_code_path toy_path = { .name = "toy", .hot = &toy_hot };

static int toy_open(struct np_endpoint *endpoint)
{
	(void)endpoint;
	return 0;
}

static int toy_arm(struct np_endpoint *endpoint, const struct np_transfer *transfer)
{
	(void)transfer;
	endpoint->code_path = &toy_path;
	return 0;
}

static void toy_close(struct np_endpoint *endpoint)
{
	(void)endpoint;
}

static const struct np_module toy = {
	.abi = NP_MODULE_ABI,
	.name = "toy",
	.program = "NPfuzz",
	.capabilities = NP_CAN_STREAM | NP_CAN_BIDIRECTIONAL | NP_CAN_ZERO_BYTES |
			NP_CAN_RECONNECT | NP_CAN_REGISTER | NP_CAN_WINDOW |
			NP_CAN_SPAN_HOSTS | NP_CAN_BURST,
	.endpoint_size = sizeof(struct toy),
	.open = toy_open,
	.connect = toy_open,
	.arm = toy_arm,
	.close = toy_close,
};

static void hear_plan(int fd)
{
	struct np_options options = { .port = 0 };
	const struct np_option_set set = { .table = np_driver_options, .values = &options };
	struct np_boot boot;
	struct np_error error = { .code = 0 };
	struct np_request request = { .operation = NP_PINGPONG,
				      .capabilities = toy.capabilities };
	struct np_frame frame;
	size_t *sizes = NULL, count;

	np_boot_init(&boot, 1);
	boot.control = fd;
	if (np_options_default(&set, 1, &error) != 0 ||
	    np_boot_receive(&boot, NP_FRAME_PLAN, &frame, &error) != 0)
		return;
	if (np_options_from_text(&set, 1, NP_SCOPE_PLAN, (char *)frame.payload, &error) ==
		    0 &&
	    np_options_check(&options, &error) == 0 &&
	    np_plan_sizes(&options, &sizes, &count, &error) == 0) {
		request.operation = np_plan_operation(&options);
		np_plan_refuse(&options, &toy, &request, &error);
	}
	free(sizes);
	free(frame.payload);
}

enum { TABLE_LENGTH = 64, MEMORY_MOST = 1 << 19 };

static void prepare_end(struct np_process *process, struct np_boot *boot,
			struct np_watch *watch, struct np_options *options,
			struct np_topology *topology)
{
	const struct np_option_set set = { .table = np_driver_options, .values = options };
	struct np_error error = { .code = 0 };

	if (np_options_default(&set, 1, &error) != 0)
		abort();
	*watch = (struct np_watch){ .boot = boot, .signals = -1 };
	*process = (struct np_process){ .module = &toy,
					.options = options,
					.boot = boot,
					.watch = watch,
					.topology = topology,
					.request = { .capabilities = toy.capabilities,
						     .largest = MEMORY_MOST },
					.memory_most = MEMORY_MOST };
}

static void hear_commands(int fd, int operation)
{
	struct np_options options;
	struct np_topology topology = { .line_size = 64 };
	struct np_watch watch;
	struct np_boot boot;
	struct np_process process;
	struct np_error error = { .code = 0 };

	np_boot_init(&boot, 1);
	boot.control = fd;
	prepare_end(&process, &boot, &watch, &options, &topology);
	process.request.operation = (enum np_operation)(operation % NP_OPERATIONS);
	options.integrity = operation / NP_OPERATIONS % 2 != 0;
	if (np_process_prepare(&process, TABLE_LENGTH, &error) == 0)
		np_command_follow(&process, &error);
	np_process_finish(&process);
}

static void hear_reply(int fd, int kind)
{
	static uint64_t ns[4];
	const struct np_command command = { .kind = kind % 2 != 0 ? NP_COMMAND_OPEN :
								    NP_COMMAND_PROBE,
					    .length = 64 };
	struct np_outcome outcome = { .ns = ns };
	struct np_options options;
	struct np_topology topology = { .line_size = 64 };
	struct np_watch watch;
	struct np_boot boot;
	struct np_process process;
	struct np_error error = { .code = 0 };

	np_boot_init(&boot, 0);
	boot.control = fd;
	prepare_end(&process, &boot, &watch, &options, &topology);
	if (np_process_prepare(&process, TABLE_LENGTH, &error) == 0)
		np_command_both(&process, &command, &outcome, &error);
	np_facts_free(&outcome.facts);
	np_process_finish(&process);
}

/* All commands of a short run, to replies of the script. */
static void hear_run(int fd, int operation)
{
	static uint64_t ns[4];
	const struct np_memory memory = { .regions = 1, .parts = 1, .align = 64 };
	const struct np_block block = { .messages = 2, .batches = 2, .timeout_ns = 1 };
	const struct np_command commands[] = {
		{ .kind = NP_COMMAND_OPEN },
		{ .kind = NP_COMMAND_MAP, .length = 1 << 16, .memory = memory },
		{ .kind = NP_COMMAND_PROBE, .length = 64 },
		{ .kind = NP_COMMAND_ARM, .length = 64 },
		{ .kind = NP_COMMAND_BLOCK, .block = block },
		{ .kind = NP_COMMAND_DISARM },
		{ .kind = NP_COMMAND_UNMAP },
		{ .kind = NP_COMMAND_END },
	};
	struct np_options options;
	struct np_topology topology = { .line_size = 64 };
	struct np_watch watch;
	struct np_boot boot;
	struct np_process process;
	struct np_error error = { .code = 0 };
	int rc;

	np_boot_init(&boot, 0);
	boot.control = fd;
	prepare_end(&process, &boot, &watch, &options, &topology);
	process.request.operation = (enum np_operation)(operation % NP_OPERATIONS);
	rc = np_process_prepare(&process, TABLE_LENGTH, &error);
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands) && rc == 0; i++) {
		struct np_outcome outcome = { .ns = ns };

		rc = np_command_both(&process, &commands[i], &outcome, &error);
		np_facts_free(&outcome.facts);
	}
	np_process_finish(&process);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t script[NP_SCRIPT_MAX];
	int line[2];

	if (size >= 2 && (data[0] == 's' || data[0] == 't')) {
		const size_t length =
			data[0] == 's' ? np_script_commands(data + 2, size - 2, script) :
					 np_script_replies(data + 2, size - 2, script);

		if (open_line(line, script, length) != 0)
			return 0;
		if (data[0] == 's')
			hear_commands(line[0], data[1]);
		else
			hear_run(line[0], data[1]);
		close_line(line);
		return 0;
	}
	if (size < 2 || open_line(line, data + 2, size - 2) != 0)
		return 0;
	switch (data[0]) {
	case 'h':
		hear_hello(line[0], data[1] == 'k');
		break;
	case 'w':
		hear_answer(line[0], data[1] == 'k');
		break;
	case 'p':
		hear_plan(line[0]);
		break;
	case 'c':
		hear_commands(line[0], data[1]);
		break;
	case 'r':
		hear_reply(line[0], data[1]);
		break;
	default:
		break;
	}
	close_line(line);
	return 0;
}
