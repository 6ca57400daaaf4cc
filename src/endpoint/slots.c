/*
 * slots.c - slots of a block: the table, and the state of the CPU cache before it.
 */
#include "endpoint/slots.h"

#include <errno.h>
#include <sys/mman.h>

#include "endpoint/process.h"
#include "machine/gpu.h"

bool np_slots_rotate(enum np_mode mode)
{
	return mode == NP_MODE_ROTATE || mode == NP_MODE_TOUCHED || mode == NP_MODE_SEND ||
	       mode == NP_MODE_RECV;
}

/* Returns true if the buffers of a side vary under the mode and axis of a block. */
static bool side_varies(const struct np_block *block, enum np_rotate_side side)
{
	const bool send = side == NP_ROTATE_SEND;

	return block->mode != (send ? NP_MODE_RECV : NP_MODE_SEND) &&
	       block->axis != (send ? NP_AXIS_RECV : NP_AXIS_SEND);
}

/* Returns true if the buffers of a side rotate in this block. */
static bool side_rotates(const struct np_process *process, const struct np_block *block,
			 enum np_rotate_side side)
{
	const enum np_rotate_side other =
		side == NP_ROTATE_SEND ? NP_ROTATE_RECV : NP_ROTATE_SEND;

	return np_slots_rotate(block->mode) && process->layout.rotate != other &&
	       side_varies(block, side);
}

/* Returns a slot with the buffers of the varying sides only: replaces the pointer of a side
 * that does not vary by that of the other. */
static struct np_slot varying_of(const struct np_block *block, struct np_slot slot)
{
	if (!side_varies(block, NP_ROTATE_SEND))
		slot.send = slot.recv;
	if (!side_varies(block, NP_ROTATE_RECV))
		slot.recv = slot.send;
	return slot;
}

/* Slots that a block rotates through: `buffers` of them, `step` slots apart. */
struct rotation {
	struct np_order order;
	uint64_t buffers, step;
};

static struct rotation rotation_of(const struct np_process *process,
				   const struct np_block *block)
{
	struct rotation rotation = { .order = process->order,
				     .buffers = process->cut.slots,
				     .step = 1 };

	if (block->axis == NP_AXIS_NONE)
		return rotation;
	const uint64_t max =
		np_layout_buffers(&process->layout, &process->cut, block->axis);

	rotation.step = np_layout_stride(&process->layout, &process->cut, block->axis);
	rotation.buffers = block->buffers < max ? block->buffers : max;
	rotation.order = np_order_make(rotation.buffers, process->key ^ process->cut.length,
				       process->layout.random);
	return rotation;
}

/* Returns the slot at a position of a rotation. The offset within its page or part varies,
 * or all buffers would map to the same few cache sets. */
static uint64_t slot_at(const struct rotation *rotation, uint64_t position)
{
	const uint64_t k = np_order_at(&rotation->order, position);

	return k * rotation->step + k * 7 % rotation->step;
}

static struct np_slot address_of(const struct np_process *process, uint64_t slot)
{
	const struct np_slot pair =
		np_layout_slot(&process->layout, &process->cut, process->region.base,
			       slot % process->cut.slots);

	return process->gpu != NULL ? np_gpu_place(process->gpu, pair) : pair;
}

/* Returns the number of bidirectional exchanges in flight. */
static uint64_t exchange_window(const struct np_process *process)
{
	return (process->request.capabilities & NP_CAN_WINDOW_BOTH) != 0 ?
		       process->transfer.window :
		       1;
}

uint64_t np_slots_receives(const struct np_process *process, const struct np_block *block)
{
	const bool exchanges = process->request.operation == NP_BIDIRECTIONAL;

	if ((process->request.capabilities & NP_POSTS_RECEIVES) == 0)
		return 1;
	if (process->options->burst)
		return block->messages * block->batches + (exchanges ? 1 : 0);
	if (process->request.operation == NP_STREAM)
		return process->transfer.window;
	return exchanges ? exchange_window(process) + 1 : 1;
}

/* Returns the length of the ring: slots that a block uses before it repeats them. */
static size_t ring_length(const struct np_process *process, const struct np_block *block,
			  uint64_t buffers)
{
	const uint64_t receives = np_slots_receives(process, block);
	/* The exchange that completes a bidirectional block has slots of its own beyond the
	 * messages; in a burst it uses one of the receives. */
	const uint64_t all = process->options->burst ?
				     receives :
				     block->messages * block->batches + receives;
	uint64_t length = receives;

	if (block->alternate || block->mode == NP_MODE_FRESH)
		length = all;
	else if (np_slots_rotate(block->mode))
		length = all < buffers ? all : buffers;
	return (size_t)(length < process->capacity ? length : process->capacity);
}

/* Returns true if message i of an alternating block is timed; samples 0, 2, ... are
 * warm-up. */
static bool is_timed(const struct np_block *block, uint64_t i)
{
	return block->alternate && i / block->messages % 2 == 1;
}

/* --why: fills the ring so that samples alternate between one reused slot and timed slots.
 * Timed buffers of a side that rotates are the next in the order of slots; others are
 * neighbours of the reused slot. */
static void fill_alternating(struct np_process *process, const struct np_block *block,
			     const struct rotation *rotation)
{
	const bool send = side_rotates(process, block, NP_ROTATE_SEND);
	const bool recv = side_rotates(process, block, NP_ROTATE_RECV);
	const uint64_t receives = np_slots_receives(process, block);
	uint64_t timed = 0;

	for (size_t i = 0; i < process->endpoint->ring_end; i++) {
		if (!is_timed(block, i)) {
			process->table[i] = address_of(
				process, block->fixed % process->cut.slots + i % receives);
			continue;
		}
		const struct np_slot rotating =
			address_of(process, slot_at(rotation, block->position + timed));
		const struct np_slot reused = address_of(
			process, block->fixed % process->cut.slots + receives + timed);

		process->table[i].send = send ? rotating.send : reused.send;
		process->table[i].recv = recv ? rotating.recv : reused.recv;
		timed++;
	}
}

static void fill_ring(struct np_process *process, const struct np_block *block,
		      const struct rotation *rotation)
{
	const bool send = side_rotates(process, block, NP_ROTATE_SEND);
	const bool recv = side_rotates(process, block, NP_ROTATE_RECV);
	const uint64_t receives = np_slots_receives(process, block);
	const uint64_t fixed = block->fixed % process->cut.slots;

	for (size_t i = 0; i < process->endpoint->ring_end; i++) {
		const struct np_slot rotating =
			send || recv ? address_of(process,
						  slot_at(rotation, block->position + i)) :
				       (struct np_slot){ .send = NULL };

		process->table[i].send =
			send ? rotating.send : address_of(process, fixed).send;
		process->table[i].recv =
			recv ? rotating.recv :
			       address_of(process, fixed + i % receives).recv;
	}
}

/* Returns the pointer of a slot from which a one-sided module computes the address of the
 * peer's bytes. */
static unsigned char **reached_buffer(const struct np_process *process,
				      struct np_slot *slot)
{
	return process->request.step == NP_ONE_SIDED_GET ? &slot->send : &slot->recv;
}

/* Returns whether the fresh buffers of a block have no pages.  In --replay a receive into
 * memory never used before takes the page faults; a send is from memory that was written.
 */
static bool has_no_pages(const struct np_process *process, const struct np_block *block)
{
	return block->axis == NP_AXIS_RECV && np_process_memory(process)->loadable;
}

/* Fresh mode: maps new memory for every slot of the ring. */
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

	const uint64_t receives = np_slots_receives(process, block);
	struct np_slot reused = address_of(process, block->fixed);

	for (size_t i = 0; i < count; i++) {
		struct np_slot *slot = &process->table[i];

		*slot = np_layout_slot(&layout, &cut, process->fresh.base,
				       np_order_at(&order, i));
		if (!side_varies(block, NP_ROTATE_SEND))
			slot->send = reused.send;
		if (!side_varies(block, NP_ROTATE_RECV))
			slot->recv = address_of(process, block->fixed + i % receives).recv;
		if (process->request.reaches_region)
			*reached_buffer(process, slot) = *reached_buffer(process, &reused);
	}
	if (has_no_pages(process, block) &&
	    madvise(process->fresh.base, process->fresh.length, MADV_DONTNEED) != 0)
		return np_fail_errno(error, errno, "cannot free the pages of new buffers");
	return 0;
}

int np_slots_fill(struct np_process *process, const struct np_block *block,
		  struct np_error *error)
{
	const struct rotation rotation = rotation_of(process, block);

	np_slots_release(process);
	process->endpoint->ring_begin = 0;
	process->endpoint->ring_end = ring_length(process, block, rotation.buffers);
	if (block->mode == NP_MODE_FRESH) {
		const int rc = fill_fresh(process, block, error);

		if (rc != 0)
			return rc;
	} else if (block->alternate) {
		fill_alternating(process, block, &rotation);
	} else {
		fill_ring(process, block, &rotation);
	}
	for (size_t i = 0; process->request.same_buffer && i < process->endpoint->ring_end;
	     i++)
		process->table[i].send = process->table[i].recv;
	return 0;
}

void np_slots_release(struct np_process *process)
{
	np_process_unmap_memory(process, &process->fresh);
}

static void touch(struct np_process *process, struct np_slot slot)
{
	np_process_memory(process)->touch(process->endpoint, &slot, process->cut.length);
}

static void evict(struct np_process *process, struct np_slot slot)
{
	np_process_memory(process)->evict(process->endpoint, &slot, process->cut.length);
}

/* Evicts the fresh buffers of a slot, which their fill left in the cache, but no buffer of
 * the pool. */
static void evict_fresh(struct np_process *process, const struct np_block *block,
			struct np_slot slot)
{
	slot = varying_of(block, slot);
	if (process->request.reaches_region)
		*reached_buffer(process, &slot) =
			process->request.step == NP_ONE_SIDED_GET ? slot.recv : slot.send;
	evict(process, slot);
}

/* Caches or evicts a timed slot as its mode requires; a side that rotates is left alone. */
static void prepare_timed(struct np_process *process, const struct np_block *block,
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

/* Touches every buffer of a capacity sweep in the order of messages, so that those that fit
 * are cached, however few a block uses. */
static void touch_rotation(struct np_process *process, const struct np_block *block)
{
	const struct rotation rotation = rotation_of(process, block);

	for (uint64_t i = 0; i < rotation.buffers; i++)
		touch(process,
		      varying_of(block, address_of(process, slot_at(&rotation,
								    block->position + i))));
}

void np_slots_prepare(struct np_process *process, const struct np_block *block)
{
	const size_t count = process->endpoint->ring_end;
	const bool all_touched = (process->options->buffers & NP_BUFFERS_TOUCHED) != 0 ||
				 block->mode == NP_MODE_TOUCHED;

	if (block->touch_all && np_slots_rotate(block->mode))
		touch_rotation(process, block);
	for (size_t i = 0; i < count; i++) {
		if (is_timed(block, i))
			prepare_timed(process, block, process->table[i]);
		else if (block->mode != NP_MODE_FRESH && (block->alternate || all_touched))
			touch(process, process->table[i]);
		else if (block->mode == NP_MODE_EVICTED)
			evict(process, process->table[i]);
		else if (block->mode == NP_MODE_FRESH && !has_no_pages(process, block))
			evict_fresh(process, block, process->table[i]);
	}
}
