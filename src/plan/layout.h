/*
 * layout.h - layout of the pool: addresses of the buffers of a message size.
 *
 * The region is divided into a send half and a receive half.  Buffers are packed at the
 * alignment: the region has the same number of distinct cache lines for every message size.
 * With one small message a page, 2 MB of a pool of 128 MB would be touched, which fits in a
 * cache.
 *
 * A region that is registered in parts has two halves in each part.  Slots fill the first
 * part, then the next.  --why compares numbers of registrations with one layout: the same
 * buffers share a page, and have the same order.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "contract/np_module.h"
#include "plan/names.h"
#include "plan/options.h"
#include "plan/order.h"

/* Values of --pages, in the order of enum np_page_kind; NULL at the end. */
extern const char *const np_page_words[];

/* Returns the page size, bytes.  NP_PAGES_THP: the base size, as the kernel may provide
 * no huge pages. */
size_t np_page_size(enum np_page_kind pages);

/* Memory settings of the pool; conditions differ in them. */
struct np_memory {
	enum np_page_kind pages;
	uint64_t regions; /* registered parts, >= 1 */
	uint64_t parts;	  /* of the layout: regions, or more in one registration */
	size_t align;	  /* alignment of buffers, bytes, a power of two */
	size_t offsets[2];
};

/* Layout of all sizes of a condition, equal in both processes. */
struct np_layout {
	size_t align;	   /* bytes, a power of two */
	size_t offsets[2]; /* bytes past a multiple of align: send, receive */
	size_t guard;	   /* bytes before and after each buffer */
	uint64_t most_slots;
	uint64_t parts;	  /* >= 1 */
	size_t part_unit; /* page size in bytes: a part is whole pages */
	size_t half_unit; /* bytes: alignment of the receive half of a part */
	bool random;
	enum np_rotate_side rotate;
};

/* Division of a region into slots for one message size. */
struct np_cut {
	size_t length;
	size_t strides[2];   /* send, receive */
	size_t part_size;    /* bytes of a part */
	size_t recv_begin;   /* offset of the receive half in each part */
	uint64_t slots;	     /* slots of all parts, >= 1 */
	uint64_t part_slots; /* slots of each part; the last part may have fewer */
};

/* Returns the memory settings of the options. */
struct np_memory np_memory_of(const struct np_options *options);

/* Returns bytes of a buffer for messages of `length` bytes; SIZE_MAX on overflow. */
size_t np_layout_buffer(const struct np_request *request, size_t length);

/* Return the layout of the options, or of other memory settings.  room: bytes before each
 * receive buffer that the transport writes (head_room). */
struct np_layout np_layout_of(const struct np_options *options, size_t room);
struct np_layout np_layout_of_memory(const struct np_options *options,
				     const struct np_memory *memory, size_t room);

/* Returns the layout of the buffers that one process touches: only send or only receive
 * buffers, if bytes go one way. */
struct np_layout np_layout_touched(const struct np_layout *layout,
				   const struct np_request *request, int rank);

/* Returns bytes of a part of a region of region_length bytes. */
size_t np_layout_part_size(const struct np_layout *layout, size_t region_length);

/* Returns bytes of the smallest region for `slots` pairs of buffers of `length` bytes;
 * SIZE_MAX if it exceeds the address space. */
size_t np_layout_bytes(const struct np_layout *layout, size_t length, uint64_t slots);

/* Divides a region of region_length bytes into slots for buffers of `length` bytes. Returns
 * 0, or -ENOMEM if no part holds a pair of buffers. */
int np_layout_cut(const struct np_layout *layout, size_t region_length, size_t length,
		  struct np_cut *cut);

/* Returns the number of distinct cache lines of line_size bytes that one full rotation
 * touches in one process. */
uint64_t np_layout_lines(const struct np_layout *layout, const struct np_cut *cut,
			 size_t line_size);

/* Returns the distance of neighbouring buffers of a capacity sweep, in slots: on the axes
 * of pages and registrations no two buffers share a page or a registered part. */
uint64_t np_layout_stride(const struct np_layout *layout, const struct np_cut *cut,
			  enum np_axis axis);

/* Returns how many buffers the pool has at that distance; NP_AXIS_NONE: all slots. */
uint64_t np_layout_buffers(const struct np_layout *layout, const struct np_cut *cut,
			   enum np_axis axis);

struct np_slot np_layout_slot(const struct np_layout *layout, const struct np_cut *cut,
			      unsigned char *base, uint64_t index);
