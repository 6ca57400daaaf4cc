/*
 * layout.h - where the buffers of a message size lie in the region.
 *
 * The region is cut into a send half and a receive half.  Buffers are packed
 * at the alignment asked for, so that the distinct cache lines touched are as
 * many as the region holds whatever the message size: one small message a page
 * would touch 2 MB of a 128 MB pool and call it cold.
 *
 * A region that is registered in parts has two halves in each part: the first
 * slots lie in the first part, as many again in the next.
 */
#ifndef NP_LAYOUT_H
#define NP_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "contract/np_module.h"
#include "plan/options.h"
#include "plan/order.h"

/* How the pool is mapped, registered and cut: what differs between conditions. */
struct np_memory {
	enum np_page_kind pages;
	uint64_t regions; /* that are registered, >= 1 */
	size_t align;	  /* of buffers, bytes, a power of two */
	size_t offsets[2];
};

/* The same for all sizes of a condition, and on both ends. */
struct np_layout {
	size_t align;	   /* bytes, a power of two */
	size_t offsets[2]; /* of the send and the receive buffer from that */
	size_t guard;	   /* untouched bytes before and after each buffer */
	uint64_t most_slots;
	uint64_t parts;	  /* >= 1 */
	size_t part_unit; /* bytes: parts are whole pages, of this size */
	size_t half_unit; /* bytes: the receive half of a part begins at a multiple */
	bool random;
	enum np_rotate_side rotate;
};

/* One size within a region. */
struct np_cut {
	size_t length;
	size_t strides[2];   /* send, receive */
	size_t part_size;    /* bytes from one part to the next */
	size_t recv_begin;   /* first byte of the receive half, in each part */
	uint64_t slots;	     /* >= 1, in all parts together */
	uint64_t part_slots; /* of each part; those of the last may be fewer */
};

/* What the options have. */
struct np_memory np_memory_of(const struct np_options *options);

/* Bytes beside each buffer that the module writes. */
size_t np_layout_room(const struct np_request *request);

/* As the options have it, or with another memory. */
struct np_layout np_layout_of(const struct np_options *options, size_t room);
struct np_layout np_layout_of_memory(const struct np_options *options,
				     const struct np_memory *memory, size_t room);

/* What one end touches of it: both sides; or one alone, where bytes go one way. */
struct np_layout np_layout_touched(const struct np_layout *layout,
				   const struct np_request *request, int rank);

/* Bytes of a part of a region of that length: all of it if there is one. */
size_t np_layout_part_size(const struct np_layout *layout, size_t region_length);

/* The least region that holds `slots` pairs of buffers of this length; SIZE_MAX
 * where it exceeds the address space. */
size_t np_layout_bytes(const struct np_layout *layout, size_t length, uint64_t slots);

/* Cuts region_length bytes.  Returns 0, or -ENOMEM if no part holds a pair. */
int np_layout_cut(const struct np_layout *layout, size_t region_length, size_t length,
		  struct np_cut *cut);

/* Distinct cache lines of line_size bytes that one lap touches, at one end. */
uint64_t np_layout_lines(const struct np_layout *layout, const struct np_cut *cut,
			 size_t line_size);

/* In what the buffers of a capacity sweep are many. */
enum np_axis {
	NP_AXIS_NONE,	       /* no sweep: all of the pool */
	NP_AXIS_LINES,	       /* packed: many lines in few pages */
	NP_AXIS_PAGES,	       /* each in a page of its own */
	NP_AXIS_LARGE_PAGES,   /* each in 2 MiB of its own */
	NP_AXIS_REGISTRATIONS, /* each in the next registered part */
	NP_AXES
};

/* Slots from one buffer of the axis to the next: whole pages or parts, so that no
 * two share one. */
uint64_t np_layout_stride(const struct np_layout *layout, const struct np_cut *cut,
			  enum np_axis axis);

/* Buffers that there are along an axis; along none, all slots. */
uint64_t np_layout_buffers(const struct np_layout *layout, const struct np_cut *cut,
			   enum np_axis axis);

/* The addresses of slot `index`, 0 <= index < cut->slots. */
struct np_slot np_layout_slot(const struct np_layout *layout, const struct np_cut *cut,
			      unsigned char *base, uint64_t index);

#endif
