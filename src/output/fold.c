/*
 * fold.c - text in lines of 80 columns.
 */
#include "output/fold.h"

#include <stdlib.h>
#include <string.h>

#include "output/say.h"

enum { TITLE_MOST = 32, FURTHER = 4 };

FILE *np_fold_begin(struct np_fold *fold, FILE *to)
{
	*fold = (struct np_fold){ .to = to };
	fold->text = open_memstream(&fold->memory, &fold->size);
	if (fold->text == NULL)
		fold->text = to;
	return fold->text;
}

/* Returns the indentation of continuation lines. */
static int indent_of(const char *line)
{
	const size_t begin = strspn(line, " ");

	for (size_t at = begin; at < TITLE_MOST && line[at] != '\0'; at++) {
		if (line[at] == ' ' && line[at + 1] == ' ')
			return (int)(at + strspn(line + at, " "));
	}
	return (int)begin + FURTHER;
}

void np_fold_end(struct np_fold *fold)
{
	if (fold->text == fold->to)
		return;
	if (fclose(fold->text) == 0) {
		for (char *line = fold->memory, *end; *line != '\0'; line = end) {
			end = strchrnul(line, '\n');
			if (*end != '\0')
				*end++ = '\0';
			np_say_line(fold->to, indent_of(line), line);
		}
	}
	free(fold->memory);
	fold->memory = NULL;
}
