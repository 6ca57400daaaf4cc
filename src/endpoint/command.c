/*
 * command.c - commands: encoding, execution in this process and in the peer.
 *
 * On the wire a command is 21 64-bit numbers, little-endian, in the order of
 * write_command().
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "boot/channel.h"
#include "boot/reply.h"
#include "endpoint/check.h"
#include "endpoint/command_check.h"
#include "endpoint/command_outcome.h"
#include "endpoint/process_memory.h"

enum { NUMBERS = 21, WIRE_LENGTH = NUMBERS * 8 };

static void write_command(const struct np_command *command, unsigned char *wire)
{
	const struct np_block *block = &command->block;
	const uint64_t numbers[NUMBERS] = {
		command->kind,
		command->length,
		command->key,
		block->mode,
		block->position,
		block->fixed,
		block->messages,
		block->batches,
		block->timeout_ns,
		command->sequence,
		command->variant,
		block->axis,
		block->buffers,
		block->alternate,
		block->touch_all,
		command->memory.pages,
		command->memory.regions,
		command->memory.align,
		command->memory.offsets[0],
		command->memory.offsets[1],
		command->other_wait,
	};

	for (size_t i = 0; i < NUMBERS; i++)
		np_put_u64(wire + 8 * i, numbers[i]);
}

/* Clamps a received number to the range of an enumerator; invalid values stay invalid. */
static int read_enumerator(uint64_t number)
{
	return number <= INT8_MAX ? (int)number : INT8_MAX;
}

static struct np_command read_command(const unsigned char *wire)
{
	uint64_t n[NUMBERS];

	for (size_t i = 0; i < NUMBERS; i++)
		n[i] = np_get_u64(wire + 8 * i);
	return (struct np_command){
		.kind = (enum np_command_kind)read_enumerator(n[0]),
		.length = n[1],
		.key = n[2],
		.block = { .mode = (enum np_mode)read_enumerator(n[3]),
			   .position = n[4],
			   .fixed = n[5],
			   .messages = n[6],
			   .batches = n[7],
			   .timeout_ns = n[8],
			   .axis = (enum np_axis)read_enumerator(n[11]),
			   .buffers = n[12],
			   .alternate = n[13] != 0,
			   .touch_all = n[14] != 0 },
		.sequence = n[9],
		.variant = n[10],
		.other_wait = n[20] != 0,
		.memory = { .pages = (enum np_page_kind)read_enumerator(n[15]),
			    .regions = n[16],
			    .align = n[17],
			    .offsets = { n[18], n[19] } },
	};
}

/* Probes with the slot order of this size, then fills the pool again. */
static struct np_cold_probe probe_size(struct np_process *process, size_t length)
{
	struct np_cold_probe probe = { .lines = 0 };
	struct np_cut cut;

	if (np_layout_cut(&process->layout, process->region.length,
			  np_layout_buffer(&process->request, length), &cut) != 0)
		return probe;
	const struct np_order order =
		np_order_make(cut.slots, process->key ^ length, process->layout.random);
	const struct np_layout touched =
		np_layout_touched(&process->layout, &process->request, process->boot->rank);
	if (process->module->model != NULL) {
		struct np_load_times times = { .reuse_ns = 0 };

		probe.lines = np_layout_lines(&touched, &cut, process->topology->line_size);
		process->module->model->probe(process->endpoint, length, probe.lines,
					      &times);
		np_probe_judge(&probe, &times, &cut, process->topology);
		return probe;
	}
	/* The CPU loads from no other memory. */
	if (!np_process_memory(process)->loadable)
		return probe;
	probe = np_probe_cold(&touched, &cut, &process->region, &order, process->topology);
	np_host_memory_fill(process->region.base, process->region.length, process->key);
	return probe;
}

/* The share of huge pages is known only after the mapping. */
static int map_pool(struct np_process *process, const struct np_command *command,
		    struct np_outcome *outcome, struct np_error *error)
{
	np_process_use_memory(process, &command->memory);
	const struct np_memory_hooks *memory = np_process_memory(process);
	const int rc = np_process_map(process, command->length, command->key, error);

	if (rc == 0 && command->memory.pages != NP_PAGES_4K)
		outcome->huge_share =
			memory->huge_share != NULL ?
				memory->huge_share(process->endpoint, &process->region) :
				1;
	return rc;
}

static double probe_cores(struct np_process *process)
{
	const struct np_model_hooks *model = process->module->model;

	if (model != NULL)
		return model->core_latency != NULL ?
			       model->core_latency(process->endpoint) :
			       0;
	return np_core_latency_probe(process->core_latency, process->boot->rank,
				     &process->watch->stop);
}

static int execute(struct np_process *process, const struct np_command *command,
		   struct np_outcome *outcome, struct np_error *error)
{
	switch (command->kind) {
	case NP_COMMAND_OPEN:
		return np_process_open(process, error);
	case NP_COMMAND_CLOSE:
		np_process_close(process);
		return 0;
	case NP_COMMAND_MAP:
		return map_pool(process, command, outcome, error);
	case NP_COMMAND_UNMAP:
		np_process_unmap(process);
		return 0;
	case NP_COMMAND_ARM:
		return np_process_arm(process, command->length, command->variant,
				      command->other_wait, error);
	case NP_COMMAND_DISARM:
		np_process_disarm(process);
		return 0;
	case NP_COMMAND_CORE_LATENCY:
		outcome->core_latency_ns = probe_cores(process);
		return 0;
	case NP_COMMAND_BLOCK:
		return np_block_run(process, &command->block, outcome->ns, &outcome->counts,
				    error);
	case NP_COMMAND_CHECK:
		return np_check_run(process, &command->block, command->sequence, error);
	case NP_COMMAND_PROBE:
		outcome->probes[process->boot->rank] = probe_size(process, command->length);
		return 0;
	case NP_COMMAND_END:
		return 0;
	}
	return np_fail(error, NP_ERROR_PEER, EPROTO, "the peer asks for what is not known");
}

static int receive_reply(struct np_process *process, const struct np_command *command,
			 struct np_outcome *outcome, struct np_error *error)
{
	struct np_facts facts = { .list = NULL };
	struct np_frame frame;
	char *text = NULL;
	int rc = np_boot_receive(process->boot, NP_FRAME_REPLY, &frame, error);

	if (rc != 0)
		return rc;
	rc = np_reply_read(&frame, &text, error);
	free(frame.payload);
	if (rc == 0) {
		np_facts_from_text(&facts, text);
		rc = np_outcome_unpack(command, &facts, outcome, error);
	}
	np_facts_free(&facts);
	free(text);
	return rc;
}

/* A module that models the peer computes its blocks: a round trip for each would be most of
 * their cost. */
static bool is_local(const struct np_process *process, const struct np_command *command)
{
	return process->module->model != NULL &&
	       (command->kind == NP_COMMAND_ARM || command->kind == NP_COMMAND_BLOCK ||
		command->kind == NP_COMMAND_DISARM ||
		command->kind == NP_COMMAND_CORE_LATENCY);
}

static int execute_both(struct np_process *process, const struct np_command *command,
			struct np_outcome *outcome, struct np_error *error)
{
	unsigned char wire[WIRE_LENGTH];
	int rc;

	write_command(command, wire);
	if (command->kind == NP_COMMAND_END)
		atomic_store(&process->watch->ending, true);
	rc = np_boot_send(process->boot, NP_FRAME_COMMAND, wire, sizeof(wire), error);
	if (rc == 0)
		rc = execute(process, command, outcome, error);
	return rc == 0 ? receive_reply(process, command, outcome, error) : rc;
}

int np_command_both(struct np_process *process, const struct np_command *command,
		    struct np_outcome *outcome, struct np_error *error)
{
	struct np_outcome ignored = { .ns = NULL };
	int rc;

	if (outcome == NULL)
		outcome = &ignored;
	rc = is_local(process, command) ? execute(process, command, outcome, error) :
					  execute_both(process, command, outcome, error);
	np_facts_free(&ignored.facts);
	/* The watcher has the cause of a cancelled hook or a closed socket. */
	if (rc != 0)
		np_watch_stopped(process->watch, error);
	return rc;
}

static int execute_frame(struct np_process *process, const struct np_frame *frame,
			 bool *over, struct np_error *error)
{
	struct np_outcome outcome = { .ns = NULL };
	struct np_facts facts = { .list = NULL };
	char *text = NULL;
	int rc;

	if (frame->length != WIRE_LENGTH)
		return np_boot_lost(-EPROTO, error);
	const struct np_command command = read_command(frame->payload);
	rc = np_command_check(process, &command, error);
	if (rc != 0)
		return rc;
	*over = command.kind == NP_COMMAND_END;
	if (*over)
		atomic_store(&process->watch->ending, true);
	rc = execute(process, &command, &outcome, error);
	if (rc != 0 && error->code == 0)
		np_fail_errno(error, rc, "the receiver failed");
	if (rc == 0) {
		np_outcome_pack(process, &command, &outcome, &facts);
		text = np_facts_to_text(&facts);
	}
	np_facts_free(&facts);
	const int sent = np_reply_send(process->boot->control, NP_FRAME_REPLY, error, text);
	free(text);
	if (rc == 0 && sent != 0)
		rc = np_boot_lost(sent, error);
	return rc;
}

int np_command_follow(struct np_process *process, struct np_error *error)
{
	bool over = false;
	int rc = 0;

	while (!over && rc == 0) {
		struct np_frame frame;

		rc = np_boot_receive(process->boot, NP_FRAME_COMMAND, &frame, error);
		if (rc == 0) {
			rc = execute_frame(process, &frame, &over, error);
			free(frame.payload);
		}
	}
	if (rc != 0)
		np_watch_stopped(process->watch, error);
	return rc;
}
