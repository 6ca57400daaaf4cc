/*
 * names.h - what visits differ in: buffer modes, axes of a capacity sweep and factors of
 * --why, and their names.
 */
#ifndef NP_NAMES_H
#define NP_NAMES_H

/* Which buffers messages use. */
enum np_mode {
	NP_MODE_REUSE,	 /* one pair, drawn anew at each visit */
	NP_MODE_ROTATE,	 /* all of the pool in turn */
	NP_MODE_CONTROL, /* reuse once more: what a ratio is where nothing differs */
	NP_MODE_FRESH,	 /* buffers never seen before, mapped for the block alone */
	NP_MODE_EVICTED, /* few, flushed from the CPU cache before they are used */
	NP_MODE_TOUCHED, /* all in turn, brought into the CPU cache before */
	NP_MODE_SEND,	 /* as rotate, of the buffers that are sent from alone */
	NP_MODE_RECV,	 /* as rotate, of the buffers that are received into alone */
	NP_MODES
};

/* Axis of a capacity sweep: the resource that each buffer takes one more of. */
enum np_axis {
	NP_AXIS_NONE,	       /* no sweep: the whole pool */
	NP_AXIS_LINES,	       /* packed: many lines in few pages */
	NP_AXIS_PAGES,	       /* one buffer a page */
	NP_AXIS_LARGE_PAGES,   /* one buffer in each 2 MiB */
	NP_AXIS_REGISTRATIONS, /* one buffer in each registered part */
	NP_AXES
};

/* What differs from the base in a condition of --why. */
enum np_factor {
	NP_FACTOR_NONE, /* the base */
	NP_FACTOR_REGISTRATIONS,
	NP_FACTOR_PAGES,
	NP_FACTOR_ALIGNMENT,
	NP_FACTOR_WAIT,
	NP_FACTORS
};

/* Name in result files: "reuse", "lines", "registrations". */
const char *np_mode_name(enum np_mode mode);
const char *np_axis_name(enum np_axis axis);
const char *np_factor_name(enum np_factor factor);

#endif
