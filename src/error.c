/*
 * error.c - recording an error: the first cause wins, later ones are echoes.
 */
#include "error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Words of peers, files and users end up on a terminal, and on one line. */
static void make_harmless(char *text)
{
	for (; *text != '\0'; text++) {
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			*text = '?';
	}
}

int np_fail(struct np_error *error, enum np_error_kind kind, int code, const char *format,
	    ...)
{
	code = -abs(code);
	if (error->code != 0)
		return code;
	error->code = code;
	error->kind = kind;

	va_list arguments;
	va_start(arguments, format);
	vsnprintf(error->text, sizeof(error->text), format, arguments);
	va_end(arguments);
	make_harmless(error->text);
	return code;
}

int np_fail_errno(struct np_error *error, int code, const char *format, ...)
{
	char text[sizeof(error->text)];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	return np_fail(error, NP_ERROR_FAILED, code, "%.250s: %s", text,
		       strerror(abs(code)));
}
