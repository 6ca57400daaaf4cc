/*
 * fake_gpu.h - memory of a GPU that is not there, for fake_gpu.c.  Functions return the
 * codes of the interfaces; what these forbid ends the process.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { FAKE_GPU_INVALID_VALUE = 1 };

/* Ends the process, and names the function of the interface that was called. */
__attribute__((noreturn)) void fake_gpu_violated(const char *what);

int fake_gpu_allocate(void **address, size_t length);
int fake_gpu_free(void *address);
int fake_gpu_copy_to(void *to, const void *from, size_t length);
int fake_gpu_copy_from(void *to, const void *from, size_t length);
int fake_gpu_copy_within(void *to, const void *from, size_t length);
int fake_gpu_wait(void);
int fake_gpu_lock_pages(void *address, size_t length, unsigned flags);
int fake_gpu_unlock_pages(void *address);

/* A descriptor of the allocation that holds a range, and where in that file it begins. */
int fake_gpu_open_dmabuf(const void *at, size_t length, int *descriptor, uint64_t *begin);

/* Counts of what is left, and of copies, as words of a line. */
void fake_gpu_log_left(FILE *file);
void fake_gpu_log_copies(FILE *file);
