/*
 * plural.h - the ending of a counted noun: "1 size", "2 sizes".
 */
#pragma once

#include <stdint.h>

static inline const char *np_plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}
