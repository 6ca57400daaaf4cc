/*
 * output_matrix.c - matrix of --all-pairs on the terminal.
 */

#include <string.h>

#include "output/output.h"

enum { NAME_WIDTH = 14 };

static const char *name_of(const struct np_matrix *matrix, size_t host)
{
	return matrix->hosts->hosts[host].name;
}

static void print_figure(FILE *file, const struct np_host_pair_figure *figure, bool rate)
{
	char text[32];

	if (figure == NULL) {
		fprintf(file, " %13s ", "-");
		return;
	}
	snprintf(text, sizeof(text), rate ? "%.4g" : "%.3f",
		 rate ? figure->mbps : figure->median_s * 1e6);
	fprintf(file, " %13s%s", text, figure->slow ? "*" : " ");
}

static void print_table(FILE *file, const struct np_matrix *matrix, size_t bytes, bool rate,
			const char *what)
{
	const size_t count = matrix->hosts->count;
	char size[32];

	np_text_bytes(bytes, size, sizeof(size));
	fprintf(file, "# %s of %s%s\n%-*s", what, size,
		matrix->one_way ? ", from the host of the line to that of the column" : "",
		NAME_WIDTH, "");
	for (size_t to = 0; to < count; to++)
		fprintf(file, " %13.13s ", name_of(matrix, to));
	fputc('\n', file);
	for (size_t from = 0; from < count; from++) {
		fprintf(file, "%-*.*s", NAME_WIDTH, NAME_WIDTH, name_of(matrix, from));
		for (size_t to = 0; to < count; to++)
			print_figure(file, np_matrix_find(matrix, from, to, bytes), rate);
		fputc('\n', file);
	}
	fputc('\n', file);
}

static void print_links(FILE *file, const struct np_matrix *matrix)
{
	char size[32];
	size_t slow = 0, measured = 0;

	for (size_t i = 0; i < matrix->link_count; i++) {
		const struct np_host_pair *link = &matrix->links[i];

		measured += link->measured;
		for (size_t k = 0; k < link->figure_count; k++) {
			const struct np_host_pair_figure *figure = &link->figures[k];

			if (!figure->slow)
				continue;
			slow++;
			np_text_bytes(figure->bytes, size, sizeof(size));
			fprintf(file,
				"slow: %s - %s: %.3f us, %.4g Mbit/s at %s, %.3g times the "
				"median of all pairs\n",
				name_of(matrix, link->from), name_of(matrix, link->to),
				figure->median_s * 1e6, figure->mbps, size, figure->times);
		}
		if (!link->measured && link->reason[0] != '\0')
			fprintf(file, "not measured: %s - %s: %s\n",
				name_of(matrix, link->from), name_of(matrix, link->to),
				link->reason);
	}
	fprintf(file, "pairs: %zu of %zu measured", measured, matrix->link_count);
	if (measured < 3)
		fputs("; fewer than three, so none can stand out\n", file);
	else
		fputs(slow == 0 ? "; none stands out\n" : "\n", file);
}

void np_text_matrix(FILE *file, const struct np_matrix *matrix, const char *operation)
{
	size_t smallest, largest;
	char what[160];

	if (np_matrix_sizes(matrix, &smallest, &largest)) {
		snprintf(what, sizeof(what), "%s, us a message", operation);
		print_table(file, matrix, smallest, false, what);
		snprintf(what, sizeof(what), "%s, Mbit/s", operation);
		print_table(file, matrix, largest, true, what);
	}
	print_links(file, matrix);
	fflush(file);
}
