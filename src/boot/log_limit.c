/*
 * log_limit.c - rate limit for log lines about rejected connections.
 */
#include "boot/log_limit.h"

#include <stdio.h>

#include "base/clock.h"

enum { LINES_PER_WINDOW = 20 };
static const uint64_t window_ns = 10000000000u;

void np_log_limit_report(struct np_log_limit *limit)
{
	char line[80];

	if (np_clock_ns() < limit->window_end_ns)
		return;
	if (limit->suppressed != 0) {
		snprintf(line, sizeof(line), "and %lu more like these", limit->suppressed);
		limit->out->note(limit->out->context, line);
	}
	limit->suppressed = 0;
	limit->passed = 0;
	limit->window_end_ns = UINT64_MAX;
}

static void note(void *context, const char *text)
{
	struct np_log_limit *limit = context;

	np_log_limit_report(limit);
	if (limit->passed == 0)
		limit->window_end_ns = np_clock_ns() + window_ns;
	if (limit->passed < LINES_PER_WINDOW) {
		limit->passed++;
		limit->out->note(limit->out->context, text);
	} else {
		limit->suppressed++;
	}
}

void np_log_limit_init(struct np_log_limit *limit, const struct np_notes *out,
		       struct np_notes *notes)
{
	*limit = (struct np_log_limit){ .out = out, .window_end_ns = UINT64_MAX };
	*notes = (struct np_notes){ .note = note, .context = limit };
}
