/*
 * layout.c - layout of the pool: page sizes; sizes, strides and addresses of buffers.
 */
#include "plan/layout.h"

#include <errno.h>
#include <unistd.h>

const char *const np_page_words[] = { "4k", "2m", "1g", "thp", NULL };

size_t np_page_size(enum np_page_kind pages)
{
	switch (pages) {
	case NP_PAGES_2M:
		return (size_t)2 << 20;
	case NP_PAGES_1G:
		return (size_t)1 << 30;
	default:
		return (size_t)sysconf(_SC_PAGESIZE);
	}
}

/* Guard beside each buffer, bytes: whole cache lines, so that the buffer stays aligned. */
enum { GUARD_BYTES = 64 };

struct np_memory np_memory_of(const struct np_options *options)
{
	const uint64_t regions = options->regions > 1 ? options->regions : 1;

	return (struct np_memory){
		.pages = (enum np_page_kind)options->pages,
		.regions = regions,
		.parts = regions,
		.align = options->align,
		.offsets = { options->offsets[0], options->offsets[1] },
	};
}

size_t np_layout_buffer(const struct np_request *request, size_t length)
{
	const size_t messages =
		request->messages_in_buffer != 0 ? request->messages_in_buffer : 1;
	size_t bytes;

	return __builtin_mul_overflow(length, messages, &bytes) ? SIZE_MAX : bytes;
}

struct np_layout np_layout_of(const struct np_options *options, size_t room)
{
	const struct np_memory memory = np_memory_of(options);

	return np_layout_of_memory(options, &memory, room);
}

/* Returns the side whose buffers rotate. */
static enum np_rotate_side rotating_side(const struct np_options *options)
{
	if ((options->buffers & NP_BUFFERS_ROTATE_SEND) != 0)
		return NP_ROTATE_SEND;
	return (options->buffers & NP_BUFFERS_ROTATE_RECV) != 0 ? NP_ROTATE_RECV :
								  NP_ROTATE_BOTH;
}

struct np_layout np_layout_of_memory(const struct np_options *options,
				     const struct np_memory *memory, size_t room)
{
	size_t guard = options->integrity ? GUARD_BYTES : 0;

	if (room != 0)
		guard += (room + GUARD_BYTES - 1) / GUARD_BYTES * GUARD_BYTES;

	return (struct np_layout){
		.align = memory->align,
		.offsets = { memory->offsets[0], memory->offsets[1] },
		/* Rounded up to a multiple of the alignment. */
		.guard = (guard + memory->align - 1) & ~(memory->align - 1),
		.most_slots = options->slots != 0 ? options->slots : UINT64_MAX,
		.parts = memory->parts,
		/* Parts of one registration are alike whatever pages they lie in. */
		.part_unit = np_page_size(memory->parts > memory->regions ?
						  (enum np_page_kind)options->pages :
						  memory->pages),
		/* A capacity sweep counts pages: send and receive buffers share none. */
		.half_unit = options->capacity != 0 ? np_page_size(memory->pages) : 1,
		.random = options->order == NP_ORDER_RANDOM,
		.rotate = rotating_side(options),
	};
}

/* Returns the rank that sends the bytes of all messages; -1 if both send, or one process
 * has both buffers. */
static int find_sender(const struct np_request *request)
{
	switch (request->operation) {
	case NP_STREAM:
	case NP_STREAM_ACKED:
		return 0;
	case NP_ONE_SIDED:
		return request->step == NP_ONE_SIDED_PUT ? 0 :
		       request->step == NP_ONE_SIDED_GET ? 1 :
							   -1;
	default:
		return -1;
	}
}

struct np_layout np_layout_touched(const struct np_layout *layout,
				   const struct np_request *request, int rank)
{
	const int sender = find_sender(request);
	struct np_layout touched = *layout;

	if (request->same_buffer)
		touched.rotate = NP_ROTATE_RECV;
	else if (sender >= 0)
		touched.rotate = rank == sender ? NP_ROTATE_SEND : NP_ROTATE_RECV;
	return touched;
}

/* Returns bytes from one buffer of a side (0: send, 1: receive) to the next; SIZE_MAX on
 * overflow.  An empty message takes a byte, so that it has an address of its own. */
static size_t stride_of(const struct np_layout *layout, size_t length, unsigned side)
{
	const size_t extra =
		2 * layout->guard + layout->offsets[side] + (length == 0 ? 1 : 0);

	if (length > SIZE_MAX - extra - layout->align)
		return SIZE_MAX;
	return (length + extra + layout->align - 1) & ~(layout->align - 1);
}

/* Returns bytes of a pair of buffers; SIZE_MAX on overflow. */
static size_t pair_of(const struct np_layout *layout, size_t length)
{
	const size_t send = stride_of(layout, length, 0),
		     recv = stride_of(layout, length, 1);
	size_t pair;

	if (send == SIZE_MAX || recv == SIZE_MAX ||
	    __builtin_add_overflow(send, recv, &pair))
		return SIZE_MAX;
	return pair;
}

static uint64_t divide_up(uint64_t count, uint64_t by)
{
	return count / by + (count % by != 0 ? 1 : 0);
}

size_t np_layout_part_size(const struct np_layout *layout, size_t region_length)
{
	const size_t part = region_length / (size_t)layout->parts;

	return layout->parts == 1 ? region_length : part - part % layout->part_unit;
}

size_t np_layout_bytes(const struct np_layout *layout, size_t length, uint64_t slots)
{
	const size_t pair = pair_of(layout, length), unit = layout->part_unit;
	size_t total;

	if (pair == SIZE_MAX ||
	    __builtin_mul_overflow(pair, divide_up(slots, layout->parts), &total) ||
	    __builtin_add_overflow(total, layout->half_unit - 1, &total))
		return SIZE_MAX;
	if (layout->parts == 1)
		return total;
	if (__builtin_mul_overflow(divide_up(total, unit), unit, &total) ||
	    __builtin_mul_overflow(total, layout->parts, &total))
		return SIZE_MAX;
	return total;
}

int np_layout_cut(const struct np_layout *layout, size_t region_length, size_t length,
		  struct np_cut *cut)
{
	const size_t part = np_layout_part_size(layout, region_length);
	const size_t pair = pair_of(layout, length);
	/* Slots of --slots are divided among all parts. */
	const uint64_t share = divide_up(layout->most_slots, layout->parts);
	const size_t lost = layout->half_unit - 1;

	if (pair == SIZE_MAX || part <= lost || pair > part - lost)
		return -ENOMEM;
	*cut = (struct np_cut){ .length = length, .part_size = part };
	cut->part_slots = (part - lost) / pair < share ? (part - lost) / pair : share;
	/* Cannot overflow: all slots fit in the region. */
	cut->slots = cut->part_slots * layout->parts;
	if (cut->slots > layout->most_slots)
		cut->slots = layout->most_slots;
	cut->strides[0] = stride_of(layout, length, 0);
	cut->strides[1] = stride_of(layout, length, 1);
	cut->recv_begin = cut->strides[0] * (size_t)cut->part_slots + lost;
	cut->recv_begin -= cut->recv_begin % layout->half_unit;
	return 0;
}

/* Send buffers, or receive buffers, of a registered part: `slots` buffers of `length`
 * bytes, the first at offset `begin`, each `stride` bytes after the previous one. */
struct buffers {
	size_t begin, stride, length;
	uint64_t slots;
};

static struct buffers buffers_of(const struct np_layout *layout, const struct np_cut *cut,
				 unsigned side, uint64_t slots)
{
	return (struct buffers){ .begin = (side == 0 ? 0 : cut->recv_begin) +
					  layout->guard + layout->offsets[side],
				 .stride = cut->strides[side],
				 .length = cut->length,
				 .slots = slots };
}

static uint64_t last_line(const struct buffers *buffers, uint64_t slot, size_t line_size)
{
	return (buffers->begin + slot * buffers->stride + buffers->length - 1) / line_size;
}

/* Returns the number of cache lines that the buffer of this slot touches and that of the
 * previous slot does not. */
static uint64_t new_lines(const struct buffers *buffers, uint64_t slot, size_t line_size)
{
	const uint64_t first = (buffers->begin + slot * buffers->stride) / line_size;
	const bool shared = slot > 0 && last_line(buffers, slot - 1, line_size) == first;

	return last_line(buffers, slot, line_size) - first + (shared ? 0 : 1);
}

/* Returns the number of distinct cache lines of the buffers.  The offset of a buffer within
 * its line repeats after at most line_size slots: the lines of one cycle are counted and
 * multiplied. */
static uint64_t count_lines(const struct buffers *buffers, size_t line_size)
{
	const uint64_t cycles = (buffers->slots - 1) / line_size;
	const uint64_t rest = (buffers->slots - 1) % line_size;
	uint64_t lines = new_lines(buffers, 0, line_size), cycle = 0;

	for (uint64_t slot = 1; slot <= rest || (cycles != 0 && slot <= line_size);
	     slot++) {
		const uint64_t added = new_lines(buffers, slot, line_size);

		cycle += added;
		lines += slot <= rest ? added : 0;
	}
	return lines + cycles * cycle;
}

/* Returns the number of distinct cache lines that messages touch in the first `slots` slots
 * of a registered part. */
static uint64_t count_part_lines(const struct np_layout *layout, const struct np_cut *cut,
				 uint64_t slots, size_t line_size)
{
	const struct buffers send = buffers_of(layout, cut, 0, slots),
			     recv = buffers_of(layout, cut, 1, slots);

	if (slots == 0)
		return 0;
	if (layout->rotate == NP_ROTATE_SEND)
		return count_lines(&send, line_size);
	if (layout->rotate == NP_ROTATE_RECV)
		return count_lines(&recv, line_size);
	/* The last send buffer and the first receive buffer may share a cache line. */
	const bool shared =
		last_line(&send, send.slots - 1, line_size) == recv.begin / line_size;
	return count_lines(&send, line_size) + count_lines(&recv, line_size) -
	       (shared ? 1 : 0);
}

uint64_t np_layout_lines(const struct np_layout *layout, const struct np_cut *cut,
			 size_t line_size)
{
	/* Parts are whole pages and share no line. */
	const uint64_t whole = cut->slots / cut->part_slots;
	const uint64_t rest = cut->slots % cut->part_slots;

	if (cut->length == 0)
		return 0;
	return whole * count_part_lines(layout, cut, cut->part_slots, line_size) +
	       count_part_lines(layout, cut, rest, line_size);
}

uint64_t np_layout_stride(const struct np_layout *layout, const struct np_cut *cut,
			  enum np_axis axis)
{
	const size_t large = (size_t)2 << 20;
	const size_t stride =
		cut->strides[0] < cut->strides[1] ? cut->strides[0] : cut->strides[1];

	switch (axis) {
	case NP_AXIS_PAGES:
		return divide_up(np_page_size(NP_PAGES_4K), stride);
	case NP_AXIS_LARGE_PAGES:
		return divide_up(layout->part_unit < large ? large : layout->part_unit,
				 stride);
	case NP_AXIS_REGISTRATIONS:
		return cut->part_slots;
	default:
		return 1;
	}
}

uint64_t np_layout_buffers(const struct np_layout *layout, const struct np_cut *cut,
			   enum np_axis axis)
{
	return cut->slots / np_layout_stride(layout, cut, axis);
}

struct np_slot np_layout_slot(const struct np_layout *layout, const struct np_cut *cut,
			      unsigned char *base, uint64_t index)
{
	const size_t part = (size_t)(index / cut->part_slots) * cut->part_size;
	const size_t within = (size_t)(index % cut->part_slots);

	return (struct np_slot){
		.send = base + part + layout->guard + layout->offsets[0] +
			within * cut->strides[0],
		.recv = base + part + cut->recv_begin + layout->guard + layout->offsets[1] +
			within * cut->strides[1],
	};
}
