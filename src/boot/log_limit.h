/*
 * log_limit.h - rate limit for log lines about rejected connections.
 *
 * The first 20 lines of every 10 s are printed and the others counted.
 */
#pragma once

#include <stdint.h>

#include "boot/link.h"

struct np_log_limit {
	const struct np_notes *out;
	uint64_t window_end_ns; /* end of the current window; UINT64_MAX: none has begun */
	unsigned passed;	/* lines printed in the window */
	unsigned long suppressed;
};

/* Makes `notes` a rate-limited front of `out`. limit and out must outlive `notes`. */
void np_log_limit_init(struct np_log_limit *limit, const struct np_notes *out,
		       struct np_notes *notes);

/* Prints the number of suppressed lines when their window is over; call it periodically. */
void np_log_limit_report(struct np_log_limit *limit);
