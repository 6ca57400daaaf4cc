/*
 * laid_out.h - options and addresses that tests of the layout make up.
 *
 * Included after cmocka.h.
 */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "plan/layout.h"

static inline struct np_options plain_options(void)
{
	return (struct np_options){ .align = 64 };
}

/* An address to count from; nothing is read or written there. */
static inline unsigned char *far_base(void)
{
	return (unsigned char *)(uintptr_t)(UINT64_C(1) << 40);
}

static inline size_t distance(const unsigned char *from, const unsigned char *to)
{
	return (size_t)((uintptr_t)to - (uintptr_t)from);
}
