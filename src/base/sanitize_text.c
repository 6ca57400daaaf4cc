/*
 * sanitize_text.c - replacement of bytes that are not printable UTF-8.
 *
 * JSON has no bytes outside UTF-8, a control character moves the cursor, and a
 * bidirectional control reorders a name.
 */
#include "base/sanitize_text.h"

#include <stdbool.h>
#include <stddef.h>

/* Embeddings, overrides and isolates: U+202A to U+202E, U+2066 to U+2069. */
static bool is_bidirectional_control(const unsigned char *text)
{
	return text[0] == 0xe2 &&
	       ((text[1] == 0x80 && text[2] >= 0xaa && text[2] <= 0xae) ||
		(text[1] == 0x81 && text[2] >= 0xa6 && text[2] <= 0xa9));
}

/* Length in bytes of the first character of text, UTF-8 (RFC 3629).  Returns 0 for an
 * invalid sequence and for a character that directs a terminal. */
static size_t length_of_character(const unsigned char *text)
{
	const unsigned char first = text[0];
	const size_t length = first < 0x80 ? 1 :
			      first < 0xc2 ? 0 :
			      first < 0xe0 ? 2 :
			      first < 0xf0 ? 3 :
			      first < 0xf5 ? 4 :
					     0;
	/* Bounds against overlong forms, UTF-16 surrogates and values beyond U+10FFFF. */
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
	return is_bidirectional_control(text) ? 0 : length;
}

void np_sanitize_text(char *text, char control)
{
	while (*text != '\0') {
		const unsigned char first = (unsigned char)*text;
		const size_t length = length_of_character((const unsigned char *)text);

		if (length == 0)
			*text++ = '?';
		else if (first < ' ' || first == 0x7f)
			*text++ = control;
		else
			text += length;
	}
}
