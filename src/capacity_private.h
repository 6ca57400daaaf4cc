/*
 * capacity_private.h - what the parts of capacity.h share.
 */
#ifndef NP_CAPACITY_PRIVATE_H
#define NP_CAPACITY_PRIVATE_H

#include "capacity.h"

/* Which sizes of the machine could show on which axis, and where. */
void np_capacity_seek(struct np_capacity *capacity);

/* Says of each knee what it agrees with, what it comes from and why; and of each size
 * sought what became of it. */
void np_capacity_explain(struct np_capacity *capacity);

#endif
