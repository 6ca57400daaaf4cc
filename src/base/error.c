/*
 * error.c - recording an error: the first cause wins, later ones are echoes.
 */
#include "base/error.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The bytes of the character that text begins with, in UTF-8 (RFC 3629); 0 if it is
 * none, or one of the controls of ISO 6429 (C1), with which a terminal can be told
 * things, too. */
static size_t length_of_character(const unsigned char *text)
{
	const unsigned char first = text[0];
	const size_t length = first < 0x80 ? 1 :
			      first < 0xc2 ? 0 :
			      first < 0xe0 ? 2 :
			      first < 0xf0 ? 3 :
			      first < 0xf5 ? 4 :
					     0;
	/* Overlong, of UTF-16's halves, beyond the last. */
	const unsigned char least = first == 0xc2 || first == 0xe0 ? 0xa0 :
				    first == 0xf0		   ? 0x90 :
								     0x80;
	const unsigned char most = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;

	if (length > 1 && (text[1] < least || text[1] > most))
		return 0;
	for (size_t i = 2; i < length; i++) {
		if (text[i] < 0x80 || text[i] > 0xbf)
			return 0;
	}
	return length;
}

/* Words of peers, files and users end up on a terminal, and on one line. */
static void make_harmless(char *text)
{
	while (*text != '\0') {
		const size_t length = length_of_character((const unsigned char *)text);

		if (length == 0 || (unsigned char)*text < ' ' || *text == 0x7f)
			*text++ = '?';
		else
			text += length;
	}
}

int np_fail(struct np_error *error, enum np_error_kind kind, int code, const char *format,
	    ...)
{
	va_list arguments;

	code = -abs(code);
	if (error->code != 0)
		return code;
	error->code = code;
	error->kind = kind;
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

char *np_quote(const char *text, char *buffer, size_t size)
{
	size_t length = 0;

	while (length < size - 1 && text[length] != '\0') {
		unsigned char character = (unsigned char)text[length];
		bool control = character < ' ' || character == 0x7f;
		buffer[length++] = control ? '?' : (char)character;
	}
	buffer[length] = '\0';
	if (text[length] != '\0')
		memcpy(buffer + length - 3, "...", 3);
	return buffer;
}
