/*
 * command.c - commands: encoding, validation, results, execution in both processes.
 *
 * A command on the wire is 64-bit numbers, little-endian, in the order of numbers[].
 */
#include "endpoint/command.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "boot/channel.h"
#include "boot/reply.h"
#include "endpoint/block.h"
#include "endpoint/process.h"
#include "plan/layout.h"

/* ---- Numbers on the wire --------------------------------------------------- */

enum wire_type { NUMBER, SIZE, FLAG, ENUMERATOR };

#define AT(member) offsetof(struct np_command, member)

/* The numbers of a command in their order on the wire, and their members. */
static const struct {
	enum wire_type type;
	size_t offset;
} numbers[] = {
	{ ENUMERATOR, AT(kind) },
	{ NUMBER, AT(length) },
	{ NUMBER, AT(key) },
	{ ENUMERATOR, AT(block.mode) },
	{ NUMBER, AT(block.position) },
	{ NUMBER, AT(block.fixed) },
	{ NUMBER, AT(block.messages) },
	{ NUMBER, AT(block.batches) },
	{ NUMBER, AT(block.timeout_ns) },
	{ NUMBER, AT(sequence) },
	{ NUMBER, AT(variant) },
	{ ENUMERATOR, AT(block.axis) },
	{ NUMBER, AT(block.buffers) },
	{ FLAG, AT(block.alternate) },
	{ FLAG, AT(block.touch_all) },
	{ ENUMERATOR, AT(memory.pages) },
	{ NUMBER, AT(memory.regions) },
	{ NUMBER, AT(memory.parts) },
	{ SIZE, AT(memory.align) },
	{ SIZE, AT(memory.offsets[0]) },
	{ SIZE, AT(memory.offsets[1]) },
	{ FLAG, AT(other_wait) },
};

enum { NUMBERS = sizeof(numbers) / sizeof(*numbers), WIRE_LENGTH = NUMBERS * 8 };

/* Members of an enumeration are copied by memcpy(): the compiler assumes that an access as
 * unsigned does not change them. */
static void write_command(const struct np_command *command, unsigned char *wire)
{
	for (size_t i = 0; i < NUMBERS; i++) {
		const void *member = (const char *)command + numbers[i].offset;
		unsigned enumerator;

		switch (numbers[i].type) {
		case NUMBER:
			np_put_u64(wire + 8 * i, *(const uint64_t *)member);
			break;
		case SIZE:
			np_put_u64(wire + 8 * i, *(const size_t *)member);
			break;
		case FLAG:
			np_put_u64(wire + 8 * i, *(const bool *)member);
			break;
		case ENUMERATOR:
			memcpy(&enumerator, member, sizeof(enumerator));
			np_put_u64(wire + 8 * i, enumerator);
			break;
		}
	}
}

static struct np_command read_command(const unsigned char *wire)
{
	struct np_command command = { .kind = 0 };

	for (size_t i = 0; i < NUMBERS; i++) {
		const uint64_t number = np_get_u64(wire + 8 * i);
		/* An enumerator that is too large stays out of range, and is refused
		 * later. */
		const unsigned enumerator =
			number <= INT8_MAX ? (unsigned)number : INT8_MAX;
		void *member = (char *)&command + numbers[i].offset;

		switch (numbers[i].type) {
		case NUMBER:
			*(uint64_t *)member = number;
			break;
		case SIZE:
			*(size_t *)member = (size_t)number;
			break;
		case FLAG:
			*(bool *)member = number != 0;
			break;
		case ENUMERATOR:
			memcpy(member, &enumerator, sizeof(enumerator));
			break;
		}
	}
	return command;
}

/* ---- Validation ------------------------------------------------------------ */

/* Upper bound of a pool in a command, bytes: the ranges of --pool and -u, plus guards. */
static const uint64_t most_bytes = (uint64_t)1 << 46;

/* States of a process.  `rules` lists the states that each command needs and excludes. */
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

/* Returns the states that a command excludes: MAPPED for OPEN and CLOSE, too, if the module
 * registers memory, as a registration cannot outlive its endpoint. */
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

	/* Without a timeout a lost message would block until the end of the run. */
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

/* Returns true if the memory settings of a MAP command are in the ranges of the options. */
static bool is_memory(const struct np_process *process, const struct np_command *command)
{
	const struct np_memory *memory = &command->memory;
	const size_t align_max = 2 << 20, offset_max = (size_t)1 << 30;

	if (command->length == 0 || command->length > most_bytes ||
	    memory->pages > NP_PAGES_THP || memory->align == 0 ||
	    memory->align > align_max || (memory->align & (memory->align - 1)) != 0 ||
	    memory->offsets[0] > offset_max || memory->offsets[1] > offset_max)
		return false;
	/* Smallest part: a page if each is registered, a small page of a common
	 * registration. */
	const size_t page = np_page_size(memory->regions != memory->parts ? NP_PAGES_4K :
									    memory->pages);
	const uint64_t pages = command->length / page + (command->length % page != 0);

	if (memory->regions != 1 && memory->regions != memory->parts)
		return false;
	return memory->parts == 1 ||
	       (memory->parts != 0 && memory->parts <= pages &&
		(process->request.capabilities & NP_CAN_REGISTER) != 0);
}

/* Returns true if a message length lies within the plan's sizes and the connections carry
 * it. */
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
		/* CHECK reads the guards beside buffers, which exist only with -i. */
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
			       "the peer sent unknown command %d: are the versions equal?",
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
			       "the peer's command %s has a number out of range", name);
	return 0;
}

/* ---- Results, as facts in a reply ------------------------------------------ */

static void pack_outcome(struct np_process *process, const struct np_command *command,
			 const struct np_outcome *outcome, struct np_facts *facts)
{
	const struct np_cold_probe *probe = &outcome->probes[1];

	switch (command->kind) {
	case NP_COMMAND_OPEN:
		np_process_describe(process, facts);
		break;
	case NP_COMMAND_MAP:
		np_facts_add(facts, "huge_share", "%.6f", outcome->huge_share);
		break;
	case NP_COMMAND_BLOCK:
		for (size_t i = 0; i < outcome->counts.count; i++)
			np_facts_add_number(facts, outcome->counts.list[i].name,
					    outcome->counts.list[i].value, NP_UNIT_COUNT,
					    NULL);
		break;
	case NP_COMMAND_PROBE:
		np_facts_add(facts, "reuse_ns", "%.17g", probe->reuse_ns);
		np_facts_add(facts, "rotate_ns", "%.17g", probe->rotate_ns);
		np_facts_add(facts, "translation_ns", "%.17g", probe->translation_ns);
		np_facts_add(facts, "cache_ns", "%.17g", probe->cache_ns);
		np_facts_add_number(facts, "lines", probe->lines, NP_UNIT_COUNT, NULL);
		np_facts_add_number(facts, "verdict", probe->verdict, NP_UNIT_COUNT, NULL);
		break;
	default:
		break;
	}
}

/* Upper bounds of results that a peer may send: a load time of a year, ns, and the cache
 * lines of an address space. */
static const double longest_ns = 3.2e16;
static const uint64_t most_lines = (uint64_t)1 << 58;

/* Upper bound of a count of one block: bytes of a week at 100 GB/s.  Any bound will do
 * whose sums fit a result file. */
static const uint64_t most_events = (uint64_t)1 << 56;

static int read_probe(const struct np_facts *facts, struct np_cold_probe *probe,
		      struct np_error *error)
{
	uint64_t verdict;
	int rc = np_peer_number(facts, "reuse_ns", longest_ns, &probe->reuse_ns, error);

	if (rc == 0)
		rc = np_peer_number(facts, "rotate_ns", longest_ns, &probe->rotate_ns,
				    error);
	if (rc == 0)
		rc = np_peer_number(facts, "translation_ns", longest_ns,
				    &probe->translation_ns, error);
	if (rc == 0)
		rc = np_peer_number(facts, "cache_ns", longest_ns, &probe->cache_ns, error);
	if (rc == 0)
		rc = np_peer_count(facts, "lines", most_lines, &probe->lines, error);
	if (rc == 0)
		rc = np_peer_count(facts, "verdict", NP_COLD_BOTH, &verdict, error);
	if (rc == 0)
		probe->verdict = (enum np_coldness)verdict;
	return rc;
}

static int add_peer_counts(struct np_counts *counts, const struct np_facts *facts,
			   struct np_error *error)
{
	for (size_t i = 0; i < facts->count; i++) {
		const char *name = facts->list[i].name;
		uint64_t value;

		if (!np_counts_is_name(name))
			return np_boot_lost(-EPROTO, error);
		const int rc = np_peer_count(facts, name, most_events, &value, error);
		if (rc != 0)
			return rc;
		np_counts_add(counts, name, value);
	}
	return 0;
}

int np_outcome_unpack(const struct np_command *command, struct np_facts *facts,
		      struct np_outcome *outcome, struct np_error *error)
{
	double share;
	int rc = 0;

	switch (command->kind) {
	case NP_COMMAND_OPEN:
		np_facts_free(&outcome->facts);
		outcome->facts = *facts;
		*facts = (struct np_facts){ .list = NULL };
		break;
	case NP_COMMAND_MAP:
		rc = np_peer_number(facts, "huge_share", 1, &share, error);
		if (rc == 0)
			outcome->huge_share = fmin(outcome->huge_share, share);
		break;
	case NP_COMMAND_BLOCK:
		rc = add_peer_counts(&outcome->counts, facts, error);
		break;
	case NP_COMMAND_PROBE:
		rc = read_probe(facts, &outcome->probes[1], error);
		break;
	default:
		break;
	}
	return rc;
}

/* ---- Execution ------------------------------------------------------------- */

/* Measures load times along the slot order of this size (probe.h), which overwrites the
 * pool, and fills the pool again. */
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
	/* Pointer chasing needs memory that the CPU can load from. */
	if (!np_process_memory(process)->loadable)
		return probe;
	probe = np_probe_cold(&touched, &cut, &process->region, &order, process->topology);
	np_host_memory_fill(process->region.base, process->region.length, process->key);
	return probe;
}

/* Maps the pool, and reports the share that the kernel provided in huge pages: rank 0 drops
 * the condition of huge pages if it is too small. */
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
	return np_fail(error, NP_ERROR_PEER, EPROTO,
		       "the peer sent unknown command %d: are the versions equal?",
		       (int)command->kind);
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

/* Returns true if rank 0 executes a command alone: a module that models the peer computes
 * its blocks, too, and a round trip for each would be most of their cost. */
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
		pack_outcome(process, &command, &outcome, &facts);
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
