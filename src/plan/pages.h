/*
 * pages.h - page sizes of the pool.
 */
#pragma once

#include <stddef.h>

#include "plan/options.h"

/* Values of --pages, in the order of enum np_page_kind; NULL at the end. */
extern const char *const np_page_words[];

/* Returns the page size, bytes.  NP_PAGES_THP: the base size, as the kernel may provide
 * no huge pages. */
size_t np_page_size(enum np_page_kind pages);
