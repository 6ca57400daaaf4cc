/*
 * names.h - buffer modes, axes of a capacity sweep, factors of --why, and their names.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Buffer modes: buffers that messages use. */
enum np_mode {
	NP_MODE_REUSE,	 /* one slot, another one at each visit */
	NP_MODE_ROTATE,	 /* all slots of the pool in turn */
	NP_MODE_CONTROL, /* reuse again, compared with reuse */
	NP_MODE_FRESH,	 /* never used before, mapped for the block */
	NP_MODE_EVICTED, /* a few slots, evicted from the CPU cache before use */
	NP_MODE_TOUCHED, /* rotate, loaded into the CPU cache before use */
	NP_MODE_SEND,	 /* rotate send buffers only */
	NP_MODE_RECV,	 /* rotate receive buffers only */
	NP_MODES
};

/* Axis of a capacity sweep: the resource whose number varies. */
enum np_axis {
	NP_AXIS_NONE,	       /* no sweep: the whole pool */
	NP_AXIS_LINES,	       /* packed: many lines in few pages */
	NP_AXIS_PAGES,	       /* one buffer a page */
	NP_AXIS_LARGE_PAGES,   /* one buffer in each 2 MiB */
	NP_AXIS_REGISTRATIONS, /* one buffer in each registered part */
	NP_AXIS_QUEUE_PAIRS,   /* one buffer, by each queue pair in turn */
	NP_AXIS_SEND,	       /* --replay: send buffers rotate, packed */
	NP_AXIS_RECV,	       /* --replay: receive buffers rotate, packed */
	NP_AXES
};

/* Factors of --why: the setting that a condition changes. */
enum np_factor {
	NP_FACTOR_NONE, /* the base */
	NP_FACTOR_REGISTRATIONS,
	NP_FACTOR_PAGES,
	NP_FACTOR_ALIGNMENT,
	NP_FACTOR_WAIT,
	NP_FACTORS
};

/* Names in result files: "reuse", "lines", "registrations". */
const char *np_mode_name(enum np_mode mode);
const char *np_axis_name(enum np_axis axis);

/* Returns whether points of this axis are those of --replay: one side's buffers rotate, and
 * one buffer means that each is used once. */
bool np_axis_is_replay(enum np_axis axis);
const char *np_factor_name(enum np_factor factor);

/* Returns the noun for `count` things along an axis, for the user: "buffers", "queue
 * pair". */
const char *np_axis_noun(enum np_axis axis, uint64_t count);
