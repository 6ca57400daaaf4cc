/*
 * sim_units.h - numbers with a unit, as a profile has them.
 *
 * Each reads the whole text, blanks around it and before the unit allowed, and
 * returns false where it is no such number; the value is then as it was.
 */
#ifndef NP_SIM_UNITS_H
#define NP_SIM_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* "900 ns", "1.5us", "3 ms", "2 s": nanoseconds, any sign, at
 * most a thousand seconds; 0 needs no unit. */
bool np_sim_read_time(const char *text, double *ns);

/* "870 MB/s", "3.2 GB/s", "10 Gbit/s", decimal, at least a byte a
 * second: nanoseconds a byte. */
bool np_sim_read_rate(const char *text, double *byte_ns);

/* "4096", "4K", "1M", "64 B", binary: bytes. */
bool np_sim_read_size(const char *text, size_t *bytes);

/* "8 %": 0.08, from above -100 % to a million. */
bool np_sim_read_percent(const char *text, double *share);

/* "4K", or "4000-5000": the first and the last that are meant. */
bool np_sim_read_range(char *text, size_t *first, size_t *last);

/* A plain count. */
bool np_sim_read_count(const char *text, uint64_t *count);

/* A plain number above 0. */
bool np_sim_read_factor(const char *text, double *factor);

#endif
