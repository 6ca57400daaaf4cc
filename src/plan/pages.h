/*
 * pages.h - page sizes of the pool.
 */
#pragma once

#include <stddef.h>

#include "plan/options.h"

/* Values of --pages, in the order of enum np_page_kind; NULL ends them. */
extern const char *const np_page_words[];

/* Page size in bytes; for transparent huge pages the base size, as the kernel may not
 * provide them. */
size_t np_page_size(enum np_page_kind pages);
