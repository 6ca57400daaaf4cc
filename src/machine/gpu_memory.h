/*
 * gpu_memory.h - buffers in memory of a GPU.
 */
#pragma once

#include "contract/np_module.h"

/* Returns the slot with the side that is in host memory moved to the twin. */
struct np_slot np_gpu_place(const struct np_gpu *gpu, struct np_slot slot);
