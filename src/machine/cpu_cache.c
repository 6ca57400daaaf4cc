/*
 * cpu_cache.c - CPU cache: loading lines and evicting them.
 */
#include "machine/cpu_cache.h"

#include <stdint.h>

/* Smallest cache line of the supported processors. */
enum { LINE = 64 };

void np_cpu_cache_touch(const unsigned char *base, size_t length)
{
	for (size_t at = 0; at < length; at += LINE) {
		__builtin_prefetch(base + at, 1);
		/* A prefetch may be dropped, a load may not. */
		(void)*(volatile const unsigned char *)(base + at);
	}
	/* The last line, if base is not aligned to a line. */
	if (length != 0)
		(void)*(volatile const unsigned char *)(base + length - 1);
}

#if defined(__x86_64__) || defined(__i386__)
static void flush_line(const unsigned char *line)
{
	__asm__ volatile("clflush %0" : : "m"(*line) : "memory");
}

static void wait_for_flushes(void)
{
	__asm__ volatile("mfence" : : : "memory");
}

bool np_cpu_cache_can_evict(void)
{
	return true;
}
#elif defined(__aarch64__)
static void flush_line(const unsigned char *line)
{
	__asm__ volatile("dc civac, %0" : : "r"(line) : "memory");
}

static void wait_for_flushes(void)
{
	__asm__ volatile("dsb sy" : : : "memory");
}

bool np_cpu_cache_can_evict(void)
{
	return true;
}
#else
static void flush_line(const unsigned char *line)
{
	(void)line;
}

static void wait_for_flushes(void)
{
}

bool np_cpu_cache_can_evict(void)
{
	return false;
}
#endif

void np_cpu_cache_evict(const unsigned char *base, size_t length)
{
	const unsigned char *line = base - (uintptr_t)base % LINE;

	for (; line < base + length; line += LINE)
		flush_line(line);
	wait_for_flushes();
}
