/*
 * list.h - lists that grow by an item.
 */
#pragma once

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Appends a copy of an item of `size` bytes.  list points to a pointer to the items,
 * NULL or of malloc(), of any type.  Returns 0, or -ENOMEM and leaves the list as it is. */
static inline int np_list_add(void *list, size_t *count, const void *item, size_t size)
{
	void *items, *longer;

	/* Copied as bytes: C forbids access to a pointer of unknown type as void *. */
	memcpy(&items, list, sizeof(items));
	longer = reallocarray(items, *count + 1, size);
	if (longer == NULL)
		return -ENOMEM;
	memcpy((char *)longer + *count * size, item, size);
	memcpy(list, &longer, sizeof(longer));
	++*count;
	return 0;
}

/* Appends an item of `size` bytes, not initialized, and returns it; NULL without memory,
 * when the list stays as it is.  The capacity doubles whenever count is a power of two:
 * never grow the same list by np_list_add(). */
static inline void *np_list_extend(void *list, size_t *count, size_t size)
{
	void *items;

	memcpy(&items, list, sizeof(items));
	if ((*count & (*count - 1)) == 0) {
		void *grown = reallocarray(items, *count != 0 ? 2 * *count : 1, size);

		if (grown == NULL)
			return NULL;
		items = grown;
		memcpy(list, &items, sizeof(items));
	}
	return (char *)items + (*count)++ * size;
}
