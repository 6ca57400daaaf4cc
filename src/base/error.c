/*
 * error.c - record of an error: the first cause wins, later ones are consequences.
 */
#include "base/error.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/sanitize_text.h"

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
	np_sanitize_text(error->text, '?');
	return code;
}

int np_refuse_first(const struct np_refusal *list, const char *module,
		    struct np_error *error)
{
	for (; list->option != NULL; list++) {
		if (list->applies && module == NULL)
			return np_refuse(error, "%s: %s", list->option, list->reason);
		if (list->applies)
			return np_refuse(error, "%s: module %s: %s", list->option, module,
					 list->reason);
	}
	return 0;
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

void np_error_print(FILE *file, const char *program, const struct np_error *error)
{
	fprintf(file, "%s: %s\n", program, error->text);
	if (error->kind == NP_ERROR_USAGE)
		fprintf(file, "Try '%s --help'.\n", program);
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
