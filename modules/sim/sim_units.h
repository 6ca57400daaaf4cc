/*
 * sim_units.h - parses numbers with a unit.
 *
 * Each function parses the whole text; blanks around the number and the unit are
 * allowed.  On a mismatch it returns false and does not set the value.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* "900 ns", "1.5us", "3 ms", "2 s": nanoseconds, any sign, at
 * most a thousand seconds; 0 needs no unit. */
bool np_sim_read_time(const char *text, double *ns);

/* "870 MB/s", "3.2 GB/s", "10 Gbit/s", decimal, at least 1 B/s: nanoseconds per byte. */
bool np_sim_read_rate(const char *text, double *byte_ns);

/* "4096", "4K", "1M", "64 B", binary: bytes. */
bool np_sim_read_size(const char *text, size_t *bytes);

/* "8 %": 0.08; above -100 %, at most 1e6 %. */
bool np_sim_read_percent(const char *text, double *share);

/* "4K" (first = last) or "4000-5000". */
bool np_sim_read_range(char *text, size_t *first, size_t *last);

/* A plain count. */
bool np_sim_read_count(const char *text, uint64_t *count);
