/*
 * command_check.c - validation of the peer's commands against the state of this process.
 *
 * The states of a process are open, mapped and armed. A table lists the states that each
 * command needs and excludes.
 */
#include "endpoint/command_check.h"

#include <errno.h>

#include "plan/pages.h"

/* Upper bound of the bytes of a pool: --pool and -u are bounded, plus guards. */
static const uint64_t most_bytes = (uint64_t)1 << 46;

enum { OPEN = 1, MAPPED = 2, ARMED = 4 };

struct rule {
	const char *name;
	unsigned needs, excludes;
};

static const struct rule rules[] = {
	[NP_COMMAND_OPEN] = { "OPEN", 0, OPEN | ARMED },
	[NP_COMMAND_CLOSE] = { "CLOSE", OPEN, ARMED },
	[NP_COMMAND_MAP] = { "MAP", OPEN, MAPPED | ARMED },
	[NP_COMMAND_UNMAP] = { "UNMAP", OPEN | MAPPED, ARMED },
	[NP_COMMAND_ARM] = { "ARM", OPEN | MAPPED, ARMED },
	[NP_COMMAND_DISARM] = { "DISARM", ARMED, 0 },
	[NP_COMMAND_CORE_LATENCY] = { "CORE_LATENCY", 0, 0 },
	[NP_COMMAND_BLOCK] = { "BLOCK", ARMED, 0 },
	[NP_COMMAND_CHECK] = { "CHECK", ARMED, 0 },
	[NP_COMMAND_PROBE] = { "PROBE", OPEN | MAPPED, ARMED },
	[NP_COMMAND_END] = { "END", 0, 0 },
};

static const char *first_state(unsigned states)
{
	return states & OPEN ? "open" : states & MAPPED ? "mapped" : "armed";
}

static unsigned state_of(const struct np_process *process)
{
	return (process->opened ? OPEN : 0) | (process->registered ? MAPPED : 0) |
	       (process->armed ? ARMED : 0);
}

/* Registered memory cannot outlive its endpoint. */
static unsigned excluded_states(const struct np_process *process,
				const struct np_command *command)
{
	const bool renews =
		command->kind == NP_COMMAND_OPEN || command->kind == NP_COMMAND_CLOSE;

	return rules[command->kind].excludes |
	       (renews && process->module->reg != NULL ? MAPPED : 0);
}

static bool is_block(const struct np_process *process, const struct np_block *block)
{
	const uint64_t max = (uint64_t)1 << 40;

	/* Without a timeout a lost message would be waited for as long as a run may
	 * take. */
	return block->timeout_ns != 0 && block->mode < NP_MODES && block->messages != 0 &&
	       block->batches != 0 && block->messages <= max &&
	       block->batches <= max / block->messages && block->axis < NP_AXES &&
	       block->messages * block->batches <= np_process_block_most(process) &&
	       (block->axis == NP_AXIS_NONE ||
		(block->buffers != 0 &&
		 /* A small pool has no whole page or registration to itself. */
		 np_layout_buffers(&process->layout, &process->cut, block->axis) != 0)) &&
	       (block->mode != NP_MODE_FRESH ||
		(process->request.capabilities & NP_CAN_FRESH) != 0);
}

/* Returns true if the peer's options can have these values. */
static bool is_memory(const struct np_process *process, const struct np_command *command)
{
	const struct np_memory *memory = &command->memory;
	const size_t align_max = 2 << 20, offset_max = (size_t)1 << 30;

	if (command->length == 0 || command->length > most_bytes ||
	    memory->pages > NP_PAGES_THP || memory->align == 0 ||
	    memory->align > align_max || (memory->align & (memory->align - 1)) != 0 ||
	    memory->offsets[0] > offset_max || memory->offsets[1] > offset_max)
		return false;
	/* A part has a page at least. */
	const size_t page = np_page_size(memory->pages);
	const uint64_t pages = command->length / page + (command->length % page != 0);

	return memory->regions == 1 ||
	       (memory->regions != 0 && memory->regions <= pages &&
		(process->request.capabilities & NP_CAN_REGISTER) != 0);
}

/* The plan's sizes, and what the connection carries. */
static bool is_length(const struct np_process *process, uint64_t length)
{
	const size_t longest = np_process_longest(process);

	return length >= process->request.smallest && length <= process->request.largest &&
	       (longest == 0 || length <= longest);
}

static bool is_variant(const struct np_process *process, const struct np_command *command)
{
	return (command->variant == 0 ||
		(command->variant < process->request.variant_count &&
		 np_process_holds(process, command->variant))) &&
	       (!command->other_wait || process->request.waits[1] != NULL);
}

static bool has_valid_numbers(const struct np_process *process,
			      const struct np_command *command)
{
	switch (command->kind) {
	case NP_COMMAND_MAP:
		return is_memory(process, command);
	case NP_COMMAND_ARM:
		return is_length(process, command->length) && is_variant(process, command);
	case NP_COMMAND_PROBE:
		return is_length(process, command->length);
	case NP_COMMAND_BLOCK:
		return is_block(process, &command->block);
	case NP_COMMAND_CHECK:
		/* Without -i buffers have no guards. */
		return process->options->integrity && is_block(process, &command->block);
	default:
		return true;
	}
}

int np_command_check(const struct np_process *process, const struct np_command *command,
		     struct np_error *error)
{
	if (command->kind < NP_COMMAND_OPEN || command->kind > NP_COMMAND_END)
		return np_fail(error, NP_ERROR_PEER, EPROTO,
			       "the peer sent a command of no known kind, %d",
			       (int)command->kind);
	const char *name = rules[command->kind].name;
	const unsigned state = state_of(process);
	const unsigned missing = rules[command->kind].needs & ~state;
	const unsigned excluded = excluded_states(process, command) & state;

	if (missing != 0)
		return np_fail(error, NP_ERROR_PEER, EPROTO,
			       "the peer's command %s is out of order: nothing is %s", name,
			       first_state(missing));
	if (excluded != 0)
		return np_fail(error, NP_ERROR_PEER, EPROTO,
			       "the peer's command %s is out of order: it is %s", name,
			       first_state(excluded));
	if (!has_valid_numbers(process, command))
		return np_fail(error, NP_ERROR_PEER, EPROTO,
			       "the peer's command %s has a number that cannot be", name);
	return 0;
}
