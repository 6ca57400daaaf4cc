/*
 * slots.c - filling the table of a block.
 */
#include "endpoint/slots.h"

#include <errno.h>

#include "machine/cpu_cache.h"

bool np_slots_move(enum np_mode mode)
{
	return mode == NP_MODE_ROTATE || mode == NP_MODE_TOUCHED || mode == NP_MODE_SEND ||
	       mode == NP_MODE_RECV;
}

/* The sides that this mode rotates of those that the run does. */
static bool side_moves(const struct np_process *process, enum np_mode mode,
		       enum np_rotate_side side)
{
	const enum np_rotate_side other =
		side == NP_ROTATE_SEND ? NP_ROTATE_RECV : NP_ROTATE_SEND;

	return np_slots_move(mode) && process->layout.rotate != other &&
	       mode != (side == NP_ROTATE_SEND ? NP_MODE_RECV : NP_MODE_SEND);
}

/* Which slots there are to rotate through. */
struct reach {
	struct np_order order;
	uint64_t buffers, step;
};

static struct reach reach_of(const struct np_process *process, const struct np_block *block)
{
	struct reach reach = { .order = process->order,
			       .buffers = process->cut.slots,
			       .step = 1 };

	if (block->axis == NP_AXIS_NONE)
		return reach;
	const uint64_t most =
		np_layout_buffers(&process->layout, &process->cut, block->axis);

	reach.step = np_layout_stride(&process->layout, &process->cut, block->axis);
	reach.buffers = block->buffers < most ? block->buffers : most;
	reach.order = np_order_make(reach.buffers, process->key ^ process->cut.length,
				    process->layout.random);
	return reach;
}

/* The slot of the k-th buffer to rotate through.  Its place within its page or part
 * varies, or all would fall into the same few sets of the cache. */
static uint64_t slot_at(const struct reach *reach, uint64_t position)
{
	const uint64_t k = np_order_at(&reach->order, position);

	return k * reach->step + k * 7 % reach->step;
}

static struct np_slot address_of(const struct np_process *process, uint64_t slot)
{
	return np_layout_slot(&process->layout, &process->cut, process->region.base,
			      slot % process->cut.slots);
}

/* How many slots the block visits before they repeat. */
static size_t ring_length(const struct np_process *process, const struct np_block *block,
			  uint64_t buffers)
{
	const uint64_t receives = np_process_receives(process);
	const uint64_t total = block->messages * block->batches;
	uint64_t length = receives;

	/* One more than the messages: the closing exchange of a bidirectional
	 * block has a slot of its own. */
	if (block->alternate || block->mode == NP_MODE_FRESH)
		length = total + receives;
	else if (np_slots_move(block->mode))
		length = total + receives < buffers ? total + receives : buffers;
	return (size_t)(length < process->capacity ? length : process->capacity);
}

/* Every other batch is of one slot; those between meet neighbours of it, or the
 * next in the order. */
static void fill_alternating(struct np_process *process, const struct np_block *block,
			     const struct reach *reach)
{
	const bool send = side_moves(process, block->mode, NP_ROTATE_SEND);
	const bool recv = side_moves(process, block->mode, NP_ROTATE_RECV);
	const uint64_t receives = np_process_receives(process);
	uint64_t apart = 0;

	for (size_t i = 0; i < process->endpoint->ring_end; i++) {
		if (!np_slots_apart(block, i)) {
			process->table[i] = address_of(
				process, block->fixed % process->cut.slots + i % receives);
			continue;
		}
		const struct np_slot far =
			address_of(process, slot_at(reach, block->position + apart));
		const struct np_slot near = address_of(
			process, block->fixed % process->cut.slots + receives + apart);

		process->table[i].send = send ? far.send : near.send;
		process->table[i].recv = recv ? far.recv : near.recv;
		apart++;
	}
}

static void fill_ring(struct np_process *process, const struct np_block *block,
		      const struct reach *reach)
{
	const bool send = side_moves(process, block->mode, NP_ROTATE_SEND);
	const bool recv = side_moves(process, block->mode, NP_ROTATE_RECV);
	const uint64_t receives = np_process_receives(process);
	const uint64_t fixed = block->fixed % process->cut.slots;

	for (size_t i = 0; i < process->endpoint->ring_end; i++) {
		const struct np_slot far =
			send || recv ?
				address_of(process, slot_at(reach, block->position + i)) :
				(struct np_slot){ .send = NULL };

		process->table[i].send = send ? far.send : address_of(process, fixed).send;
		process->table[i].recv =
			recv ? far.recv : address_of(process, fixed + i % receives).recv;
	}
}

/* Memory of its own for every slot of the ring. */
static int fill_fresh(struct np_process *process, const struct np_block *block,
		      struct np_error *error)
{
	const size_t count = process->endpoint->ring_end;
	struct np_layout layout = process->layout;
	struct np_cut cut;

	layout.parts = 1;
	layout.half_unit = 1;
	layout.most_slots = count;
	const size_t bytes = np_layout_bytes(&layout, process->cut.length, count);
	int rc = np_process_map_memory(process, &process->fresh, bytes,
				       process->key + block->position, error);
	if (rc != 0)
		return rc;
	rc = np_layout_cut(&layout, process->fresh.length, process->cut.length, &cut);
	if (rc != 0)
		return np_fail_errno(error, rc, "cannot cut fresh buffers");
	const struct np_order order = np_order_make(count, process->key, layout.random);

	for (size_t i = 0; i < count; i++)
		process->table[i] = np_layout_slot(&layout, &cut, process->fresh.base,
						   np_order_at(&order, i));
	return 0;
}

int np_slots_lay(struct np_process *process, const struct np_block *block,
		 struct np_error *error)
{
	const struct reach reach = reach_of(process, block);

	np_slots_release(process);
	process->endpoint->ring_begin = 0;
	process->endpoint->ring_end = ring_length(process, block, reach.buffers);
	if (block->mode == NP_MODE_FRESH)
		return fill_fresh(process, block, error);
	if (block->alternate)
		fill_alternating(process, block, &reach);
	else
		fill_ring(process, block, &reach);
	return 0;
}

void np_slots_release(struct np_process *process)
{
	np_process_unmap_memory(process, &process->fresh);
}

static void touch(struct np_process *process, struct np_slot slot)
{
	const size_t length = process->transfer.length;

	if (process->module->touch != NULL) {
		process->module->touch(process->endpoint, &slot, length);
		return;
	}
	np_cpu_cache_touch(slot.send, length);
	np_cpu_cache_touch(slot.recv, length);
}

static void evict(struct np_process *process, struct np_slot slot)
{
	const size_t length = process->transfer.length;

	if (process->module->evict != NULL) {
		process->module->evict(process->endpoint, &slot, length);
		return;
	}
	np_cpu_cache_evict(slot.send, length);
	np_cpu_cache_evict(slot.recv, length);
}

/* What is warm before an alternating block: all but what its mode is about. */
static void prepare_apart(struct np_process *process, const struct np_block *block,
			  struct np_slot slot)
{
	switch (block->mode) {
	case NP_MODE_EVICTED:
		evict(process, slot);
		break;
	case NP_MODE_ROTATE:
		break;
	case NP_MODE_SEND:
		touch(process, (struct np_slot){ slot.recv, slot.recv });
		break;
	case NP_MODE_RECV:
		touch(process, (struct np_slot){ slot.send, slot.send });
		break;
	default:
		touch(process, slot);
		break;
	}
}

/* Every buffer of a sweep once, in the order in which messages will meet them:
 * what fits the cache is then in it, however few of them a block uses. */
static void touch_all(struct np_process *process, const struct np_block *block)
{
	const struct reach reach = reach_of(process, block);

	for (uint64_t i = 0; i < reach.buffers; i++)
		touch(process, address_of(process, slot_at(&reach, block->position + i)));
}

void np_slots_prepare(struct np_process *process, const struct np_block *block)
{
	const size_t count = process->endpoint->ring_end;
	const bool all_touched = process->options->touch || block->mode == NP_MODE_TOUCHED;

	if (block->lap && np_slots_move(block->mode))
		touch_all(process, block);
	for (size_t i = 0; i < count; i++) {
		if (np_slots_apart(block, i))
			prepare_apart(process, block, process->table[i]);
		else if (block->mode != NP_MODE_FRESH && (block->alternate || all_touched))
			touch(process, process->table[i]);
		/* Filling fresh ones has warmed them. */
		else if (block->mode == NP_MODE_FRESH || block->mode == NP_MODE_EVICTED)
			evict(process, process->table[i]);
	}
}
