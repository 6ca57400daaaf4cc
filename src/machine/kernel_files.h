/*
 * kernel_files.h - reads small files of proc(5) and sysfs(5), of this machine or of a copy
 * of them.
 *
 * root: folder that has /proc and /sys; "" for this machine.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { NP_KERNEL_PATH = 1024 };

/* Reads the first line of a file without its newline.  Returns false if there is no file,
 * or the line is empty. */
bool np_kernel_line(const char *root, char *line, size_t size, const char *path, ...)
	__attribute__((format(printf, 4, 5)));

/* Reads a whole number from a file.  Returns false for any other text. */
bool np_kernel_number(const char *root, unsigned long long *number, const char *path, ...)
	__attribute__((format(printf, 3, 4)));

/* Reads the value from the first line that begins with `key`: "key : value" or "key value".
 * Returns false if there is none. */
bool np_kernel_value(const char *root, const char *key, char *value, size_t size,
		     const char *path, ...) __attribute__((format(printf, 5, 6)));

/* Calls each(context, name) for the entries of a folder whose names begin with `begin`, in
 * version order.  Returns the number of calls. */
size_t np_kernel_each(const char *root, const char *path, const char *begin,
		      void (*each)(void *context, const char *name), void *context);
