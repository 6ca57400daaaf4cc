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

	/* The pointer's type is unknown: copied as bytes. */
	memcpy(&items, list, sizeof(items));
	longer = reallocarray(items, *count + 1, size);
	if (longer == NULL)
		return -ENOMEM;
	memcpy((char *)longer + *count * size, item, size);
	memcpy(list, &longer, sizeof(longer));
	++*count;
	return 0;
}
