/*
 * output_live.c - progress of a run on a terminal: the growing table, redrawn in place, and
 * a line below it.
 *
 * Both are on standard error; the table is drawn only if standard output is a terminal,
 * too, and the window has room for it.  Nothing is drawn within a timed block.
 */
#include <math.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/wrap.h"
#include "output/output.h"

/* Least width of a table. */
enum { COLUMNS_LEAST = 80 };

/* Minimum seconds between two drawings of the line, and of the table; minimum of the table
 * as a share of the elapsed time. */
static const double line_every = 0.2, table_every = 0.5, table_share = 0.1;

/* Returns the number of lines that the window has above the line of progress; 0 if it is
 * too narrow for a table. */
static size_t room_of_window(void)
{
	struct winsize window;

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &window) != 0 || window.ws_row < 2 ||
	    window.ws_col < COLUMNS_LEAST)
		return 0;
	return window.ws_row - 2U;
}

/* Formats the table; the caller frees it.  Returns NULL without memory or room. */
static char *make_table(const struct np_output *output, const struct np_results *results,
			size_t *lines)
{
	struct np_table table;
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);

	if (file == NULL)
		return NULL;
	if (np_table_derive(results, &table) == 0)
		np_text_table(file, results, &table, output->options->all_rows);
	np_table_free(&table);
	fclose(file);
	*lines = 0;
	for (size_t i = 0; text != NULL && i < size; i++)
		*lines += text[i] == '\n';
	if (*lines <= room_of_window())
		return text;
	free(text);
	return NULL;
}

static void draw_table(struct np_output *output, const struct np_results *results)
{
	size_t lines;
	char *text = make_table(output, results, &lines);

	if (text == NULL)
		return;
	np_progress_clear(output);
	fputs(text, stderr);
	output->live_lines = lines;
	free(text);
}

void np_progress_show(struct np_output *output, const struct np_results *results,
		      const struct np_progress *progress)
{
	const double now = progress->share * progress->limit_s;
	char bytes[32];

	/* The elapsed time begins anew with --refine, which has a time limit of its own. */
	if (now < output->line_s)
		output->line_s = output->table_s = 0;
	if (!output->progress ||
	    (output->progress_shown && now < output->line_s + line_every))
		return;
	output->line_s = now;
	if (output->live && progress->table &&
	    now >= output->table_s + fmax(table_every, table_share * now)) {
		draw_table(output, results);
		output->table_s = now;
	}
	np_text_bytes(progress->length, bytes, sizeof(bytes));
	fprintf(stderr, "\rpass %u, %s: at most %.0f s left; Ctrl-C: results so far\033[K",
		progress->pass + 1, bytes,
		ceil(fmax(0, 1 - progress->share) * progress->limit_s));
	output->progress_shown = true;
}

void np_progress_clear(struct np_output *output)
{
	if (output->progress_shown && output->live_lines != 0)
		fprintf(stderr, "\r\033[%zuA\033[J", output->live_lines);
	else if (output->progress_shown)
		fputs("\r\033[K", stderr);
	output->progress_shown = false;
	output->live_lines = 0;
}
