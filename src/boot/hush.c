/*
 * hush.c - holding back notes that come too thick.
 */
#include "boot/hush.h"

#include <stdio.h>

#include "base/clock.h"

/* That many in so long a while. */
enum { SAID_MOST = 20 };
static const uint64_t while_ns = 10000000000u;

void np_hush_look(struct np_hush *hush)
{
	char line[80];

	if (np_clock_ns() < hush->until_ns)
		return;
	if (hush->held != 0) {
		snprintf(line, sizeof(line), "and %lu more like these", hush->held);
		hush->to->note(hush->to->context, line);
	}
	hush->held = 0;
	hush->said = 0;
	hush->until_ns = UINT64_MAX;
}

static void note(void *context, const char *text)
{
	struct np_hush *hush = context;

	np_hush_look(hush);
	if (hush->said == 0)
		hush->until_ns = np_clock_ns() + while_ns;
	if (hush->said < SAID_MOST) {
		hush->said++;
		hush->to->note(hush->to->context, text);
	} else {
		hush->held++;
	}
}

void np_hush_init(struct np_hush *hush, const struct np_notes *to, struct np_notes *notes)
{
	*hush = (struct np_hush){ .to = to, .until_ns = UINT64_MAX };
	*notes = (struct np_notes){ .note = note, .context = hush };
}
