/*
 * tap.h - the few words that a test program without cmocka needs to write TAP.
 */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

struct tap {
	unsigned count, failed;
};

/* One test.  The name may not hold "#", which TAP reads as a directive. */
static inline void tap_result(struct tap *tap, bool ok, const char *group, const char *name)
{
	tap->count++;
	tap->failed += ok ? 0 : 1;
	printf("%sok %u - %s: %s\n", ok ? "" : "not ", tap->count, group, name);
	fflush(stdout);
}

static inline void tap_skip(struct tap *tap, const char *group, const char *name,
			    const char *reason)
{
	tap->count++;
	printf("ok %u - %s%s%s # SKIP %s\n", tap->count, group, name[0] != '\0' ? ": " : "",
	       name, reason);
	fflush(stdout);
}

/* A line that the harness shows and does not read. */
static inline void tap_comment(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

static inline void tap_comment(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	fputs("# ", stdout);
	vprintf(format, arguments);
	putchar('\n');
	va_end(arguments);
	fflush(stdout);
}

/* Returns the exit status of the program. */
static inline int tap_done(const struct tap *tap)
{
	printf("1..%u\n", tap->count);
	return tap->failed != 0;
}
