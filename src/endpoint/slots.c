/*
 * slots.c - filling the table of a block.
 */
#include "endpoint/slots.h"

#include <errno.h>

#include "machine/cpu_cache.h"

bool np_slots_move(enum np_arm arm)
{
	return arm == NP_ARM_ROTATE || arm == NP_ARM_TOUCHED || arm == NP_ARM_SEND ||
	       arm == NP_ARM_RECV;
}

/* The sides that this arm rotates of those that the run does. */
static bool side_moves(const struct np_end *end, enum np_arm arm, enum np_rotate_side side)
{
	const enum np_rotate_side other =
		side == NP_ROTATE_SEND ? NP_ROTATE_RECV : NP_ROTATE_SEND;

	return np_slots_move(arm) && end->layout.rotate != other &&
	       arm != (side == NP_ROTATE_SEND ? NP_ARM_RECV : NP_ARM_SEND);
}

/* Which slots there are to rotate through. */
struct reach {
	struct np_order order;
	uint64_t buffers, step;
};

static struct reach reach_of(const struct np_end *end, const struct np_block *block)
{
	struct reach reach = { .order = end->order, .buffers = end->cut.slots, .step = 1 };

	if (block->axis == NP_AXIS_NONE)
		return reach;
	const uint64_t most = np_layout_buffers(&end->layout, &end->cut, block->axis);

	reach.step = np_layout_step(&end->layout, &end->cut, block->axis);
	reach.buffers = block->buffers < most ? block->buffers : most;
	reach.order = np_order_make(reach.buffers, end->key ^ end->cut.length,
				    end->layout.random);
	return reach;
}

/* The slot of the k-th buffer to rotate through.  Its place within its page or part
 * varies, or all would fall into the same few sets of the cache. */
static uint64_t slot_at(const struct reach *reach, uint64_t position)
{
	const uint64_t k = np_order_at(&reach->order, position);

	return k * reach->step + k * 7 % reach->step;
}

static struct np_slot address_of(const struct np_end *end, uint64_t slot)
{
	return np_layout_slot(&end->layout, &end->cut, end->region.base,
			      slot % end->cut.slots);
}

/* How many slots the block visits before they repeat. */
static size_t ring_length(const struct np_end *end, const struct np_block *block,
			  uint64_t buffers)
{
	const uint64_t receives = np_end_receives(end);
	const uint64_t total = block->messages * block->batches;
	uint64_t length = receives;

	/* One more than the messages: the closing exchange of a bidirectional
	 * block has a slot of its own. */
	if (block->alternate || block->arm == NP_ARM_FRESH)
		length = total + receives;
	else if (np_slots_move(block->arm))
		length = total + receives < buffers ? total + receives : buffers;
	return (size_t)(length < end->capacity ? length : end->capacity);
}

/* Every other batch is of one slot; those between meet neighbours of it, or the
 * next in the order. */
static void fill_alternating(struct np_end *end, const struct np_block *block,
			     const struct reach *reach)
{
	const bool send = side_moves(end, block->arm, NP_ROTATE_SEND);
	const bool recv = side_moves(end, block->arm, NP_ROTATE_RECV);
	const uint64_t receives = np_end_receives(end);
	uint64_t apart = 0;

	for (size_t i = 0; i < end->endpoint->ring_end; i++) {
		if (!np_slots_apart(block, i)) {
			end->table[i] = address_of(end, block->fixed % end->cut.slots +
								i % receives);
			continue;
		}
		const struct np_slot far =
			address_of(end, slot_at(reach, block->position + apart));
		const struct np_slot near =
			address_of(end, block->fixed % end->cut.slots + receives + apart);

		end->table[i].send = send ? far.send : near.send;
		end->table[i].recv = recv ? far.recv : near.recv;
		apart++;
	}
}

static void fill_ring(struct np_end *end, const struct np_block *block,
		      const struct reach *reach)
{
	const bool send = side_moves(end, block->arm, NP_ROTATE_SEND);
	const bool recv = side_moves(end, block->arm, NP_ROTATE_RECV);
	const uint64_t receives = np_end_receives(end);
	const uint64_t fixed = block->fixed % end->cut.slots;

	for (size_t i = 0; i < end->endpoint->ring_end; i++) {
		const struct np_slot far =
			send || recv ?
				address_of(end, slot_at(reach, block->position + i)) :
				(struct np_slot){ .send = NULL };

		end->table[i].send = send ? far.send : address_of(end, fixed).send;
		end->table[i].recv =
			recv ? far.recv : address_of(end, fixed + i % receives).recv;
	}
}

/* Memory of its own for every slot of the ring. */
static int fill_fresh(struct np_end *end, const struct np_block *block,
		      struct np_error *error)
{
	const size_t count = end->endpoint->ring_end;
	struct np_layout layout = end->layout;
	struct np_cut cut;

	layout.parts = 1;
	layout.half_unit = 1;
	layout.most_slots = count;
	const size_t bytes = np_layout_bytes(&layout, end->cut.length, count);
	int rc = np_end_map_memory(end, &end->fresh, bytes, end->key + block->position,
				   error);
	if (rc != 0)
		return rc;
	rc = np_layout_cut(&layout, end->fresh.length, end->cut.length, &cut);
	if (rc != 0)
		return np_fail_errno(error, rc, "cannot cut fresh buffers");
	const struct np_order order = np_order_make(count, end->key, layout.random);

	for (size_t i = 0; i < count; i++)
		end->table[i] = np_layout_slot(&layout, &cut, end->fresh.base,
					       np_order_at(&order, i));
	return 0;
}

int np_slots_lay(struct np_end *end, const struct np_block *block, struct np_error *error)
{
	const struct reach reach = reach_of(end, block);

	np_slots_release(end);
	end->endpoint->ring_begin = 0;
	end->endpoint->ring_end = ring_length(end, block, reach.buffers);
	if (block->arm == NP_ARM_FRESH)
		return fill_fresh(end, block, error);
	if (block->alternate)
		fill_alternating(end, block, &reach);
	else
		fill_ring(end, block, &reach);
	return 0;
}

void np_slots_release(struct np_end *end)
{
	np_end_unmap_memory(end, &end->fresh);
}

static void touch(struct np_end *end, struct np_slot slot)
{
	const size_t length = end->transfer.length;

	if (end->module->touch != NULL) {
		end->module->touch(end->endpoint, &slot, length);
		return;
	}
	np_cpu_cache_touch(slot.send, length);
	np_cpu_cache_touch(slot.recv, length);
}

static void evict(struct np_end *end, struct np_slot slot)
{
	const size_t length = end->transfer.length;

	if (end->module->evict != NULL) {
		end->module->evict(end->endpoint, &slot, length);
		return;
	}
	np_cpu_cache_evict(slot.send, length);
	np_cpu_cache_evict(slot.recv, length);
}

/* What is warm before an alternating block: all but what its arm is about. */
static void prepare_apart(struct np_end *end, const struct np_block *block,
			  struct np_slot slot)
{
	switch (block->arm) {
	case NP_ARM_EVICTED:
		evict(end, slot);
		break;
	case NP_ARM_ROTATE:
		break;
	case NP_ARM_SEND:
		touch(end, (struct np_slot){ slot.recv, slot.recv });
		break;
	case NP_ARM_RECV:
		touch(end, (struct np_slot){ slot.send, slot.send });
		break;
	default:
		touch(end, slot);
		break;
	}
}

/* Every buffer of a sweep once, in the order in which messages will meet them:
 * what fits the cache is then in it, however few of them a block uses. */
static void touch_all(struct np_end *end, const struct np_block *block)
{
	const struct reach reach = reach_of(end, block);

	for (uint64_t i = 0; i < reach.buffers; i++)
		touch(end, address_of(end, slot_at(&reach, block->position + i)));
}

void np_slots_prepare(struct np_end *end, const struct np_block *block)
{
	const size_t count = end->endpoint->ring_end;
	const bool all_touched = end->options->touch || block->arm == NP_ARM_TOUCHED;

	if (block->lap && np_slots_move(block->arm))
		touch_all(end, block);
	for (size_t i = 0; i < count; i++) {
		if (np_slots_apart(block, i))
			prepare_apart(end, block, end->table[i]);
		else if (block->arm != NP_ARM_FRESH && (block->alternate || all_touched))
			touch(end, end->table[i]);
		/* Filling fresh ones has warmed them. */
		else if (block->arm == NP_ARM_FRESH || block->arm == NP_ARM_EVICTED)
			evict(end, end->table[i]);
	}
}
