/*
 * error.h - one error of a process, written once.
 *
 * Every function that can fail returns 0 or a negative errno value and leaves the text in a
 * struct np_error.  The function that finds the cause writes the text; its callers pass it
 * on.  main.c alone prints it and turns the kind into an exit status; the watcher thread
 * does so if the main thread is in a call that does not return.
 */
#pragma once

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Kinds of errors: the exit status of netpong(7), EXIT STATUS. */
enum np_error_kind {
	NP_ERROR_FAILED = 1,	 /* the run failed */
	NP_ERROR_USAGE = 2,	 /* the command line is wrong */
	NP_ERROR_VERDICT = 3,	 /* a verdict that --fail-on or --expect names */
	NP_ERROR_PEER = 4,	 /* the peer was lost, or refused */
	NP_ERROR_DATA = 5,	 /* a message arrived damaged */
	NP_ERROR_UNDECIDED = 6,	 /* an expectation neither holds nor fails */
	NP_ERROR_INTERRUPT = 130 /* SIGINT; SIGTERM is 143 */
};

struct np_error {
	int code; /* negative errno, 0 while nothing has failed */
	enum np_error_kind kind;
	char text[400]; /* one line, without a newline */
};

/*
 * Records an error, unless one is recorded: the first cause wins.  code is an errno value
 * of either sign.  Returns the negative code, for "return np_fail(...)".
 */
int np_fail(struct np_error *error, enum np_error_kind kind, int code, const char *format,
	    ...) __attribute__((format(printf, 4, 5), cold));

/* np_fail() for a wrong command line, and for malformed input. */
#define np_refuse(error, ...)	 np_fail((error), NP_ERROR_USAGE, EINVAL, __VA_ARGS__)
#define np_malformed(error, ...) np_fail((error), NP_ERROR_FAILED, EBADMSG, __VA_ARGS__)

/* Option that others exclude: an entry of a table, which ends with a zero entry. */
struct np_refusal {
	bool applies;
	const char *option, *reason;
};

/* np_refuse() by the first entry that applies: "OPTION: module MODULE: REASON".  module
 * NULL: "OPTION: REASON".  Returns 0 if none applies. */
int np_refuse_first(const struct np_refusal *list, const char *module,
		    struct np_error *error);

/* np_fail() with NP_ERROR_FAILED and ": strerror(code)" behind the text. */
int np_fail_errno(struct np_error *error, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4), cold));

/* Prints "PROGRAM: TEXT", and a hint at --help after an error of the command line. */
void np_error_print(FILE *file, const char *program, const struct np_error *error);

/*
 * Copies at most size - 1 bytes of text for a message of one line: control characters
 * become "?", a longer text ends in "...".  size is at least 4.  Returns buffer.
 */
char *np_quote(const char *text, char *buffer, size_t size);
