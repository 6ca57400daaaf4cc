/*
 * shared_memory.h - memory that two processes of one user map, by path.
 *
 * The memory is sealed: neither process, nor anything else, can cut it off, so an access
 * raises no SIGBUS.
 */
#pragma once

#include <stddef.h>

enum { NP_SHARED_PATH = 48 };

/* Creates memory of `length` bytes, zeros.  path: where a process of the same user opens
 * it, as long as the descriptor is open here.  Returns the descriptor, or -errno. */
int np_shared_memory_create(size_t length, char path[NP_SHARED_PATH]);

/* Opens memory of np_shared_memory_create() by its path, or by a symbolic link to it.
 * Returns a descriptor, or -errno: EPERM for a file that can be cut off, EMSGSIZE for less
 * than `length` bytes. */
int np_shared_memory_open(const char *path, size_t length);
