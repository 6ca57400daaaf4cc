/*
 * names.c - names of modes, axes and factors in result files.
 */
#include "plan/names.h"

const char *np_mode_name(enum np_mode mode)
{
	static const char *const names[NP_MODES] = {
		[NP_MODE_REUSE] = "reuse",	[NP_MODE_ROTATE] = "rotate",
		[NP_MODE_CONTROL] = "control",	[NP_MODE_FRESH] = "fresh",
		[NP_MODE_EVICTED] = "evicted",	[NP_MODE_TOUCHED] = "touched",
		[NP_MODE_SEND] = "rotate_send", [NP_MODE_RECV] = "rotate_recv",
	};

	return names[mode];
}

const char *np_axis_name(enum np_axis axis)
{
	static const char *const names[NP_AXES] = {
		[NP_AXIS_NONE] = "none",
		[NP_AXIS_LINES] = "lines",
		[NP_AXIS_PAGES] = "pages",
		[NP_AXIS_LARGE_PAGES] = "large_pages",
		[NP_AXIS_REGISTRATIONS] = "registrations",
		[NP_AXIS_QUEUE_PAIRS] = "queue_pairs",
		[NP_AXIS_SEND] = "send",
		[NP_AXIS_RECV] = "receive",
	};

	return names[axis];
}

bool np_axis_is_replay(enum np_axis axis)
{
	return axis == NP_AXIS_SEND || axis == NP_AXIS_RECV;
}

const char *np_axis_noun(enum np_axis axis, uint64_t count)
{
	if (axis == NP_AXIS_QUEUE_PAIRS)
		return count == 1 ? "queue pair" : "queue pairs";
	return count == 1 ? "buffer" : "buffers";
}

const char *np_factor_name(enum np_factor factor)
{
	static const char *const names[NP_FACTORS] = {
		[NP_FACTOR_NONE] = "none",   [NP_FACTOR_REGISTRATIONS] = "registrations",
		[NP_FACTOR_PAGES] = "pages", [NP_FACTOR_ALIGNMENT] = "alignment",
		[NP_FACTOR_WAIT] = "wait",
	};

	return names[factor];
}
