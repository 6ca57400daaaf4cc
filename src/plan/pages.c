/*
 * pages.c - page sizes of the pool.
 */
#include "plan/pages.h"

#include <unistd.h>

const char *const np_page_words[] = { "4k", "2m", "1g", "thp", NULL };

size_t np_page_size(enum np_page_kind pages)
{
	switch (pages) {
	case NP_PAGES_2M:
		return (size_t)2 << 20;
	case NP_PAGES_1G:
		return (size_t)1 << 30;
	default:
		return (size_t)sysconf(_SC_PAGESIZE);
	}
}
