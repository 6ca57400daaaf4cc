/*
 * gpu_memory.h - buffers in memory of a GPU.
 */
#pragma once

#include "contract/np_module.h"

/* A slot of the pool, with the side that lies in the host's memory put there. */
struct np_slot np_gpu_place(const struct np_gpu *gpu, struct np_slot slot);
