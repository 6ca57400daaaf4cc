/*
 * hush.h - notes that do not flood: of a crowd of strangers some are named, the
 * rest is counted.
 */
#ifndef NP_HUSH_H
#define NP_HUSH_H

#include <stdint.h>

#include "boot/link.h"

struct np_hush {
	const struct np_notes *to;
	uint64_t until_ns; /* when the present while is over */
	unsigned said;	   /* in it */
	unsigned long held;
};

/* Makes `notes` pass on to `to` as many notes as a log can bear.  Both and hush
 * outlive the use of `notes`. */
void np_hush_init(struct np_hush *hush, const struct np_notes *to, struct np_notes *notes);

/* From time to time: says how many notes were held back, once their while is over. */
void np_hush_look(struct np_hush *hush);

#endif
