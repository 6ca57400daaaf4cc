/*
 * page_tables.c - writes the figures of runs as tables, folded.
 */
#include <math.h>

#include "report/pictures/pictures.h"
#include "report/text/text.h"

/* Writes a cell; empty for NAN and infinity. */
static void write_number(FILE *file, double value)
{
	if (isfinite(value))
		fprintf(file, "<td>%.5g</td>", value);
	else
		fputs("<td></td>", file);
}

/* Begins a table; "|" separates heads, and "-" begins the head of a column of words. */
static void begin_table(FILE *file, const char *name, const char *label, const char *heads)
{
	char head[40];

	np_page_between(file, "<details><summary>", name, *label != '\0' ? ", " : "");
	np_page_between(file, "", label, "</summary>\n<div class=\"wide\"><table>\n<tr>");
	while (*heads != '\0') {
		size_t length = 0;

		for (; *heads != '|' && *heads != '\0'; heads++)
			head[length++] = *heads;
		head[length] = '\0';
		heads += *heads == '|';
		fprintf(file, "<th%s>%s</th>", head[0] == '-' ? " class=\"word\"" : "",
			head + (head[0] == '-'));
	}
	fputs("</tr>\n", file);
}

static void end_table(FILE *file)
{
	fputs("</table></div></details>\n", file);
}

static void write_size(FILE *file, size_t length)
{
	char bytes[40];

	np_text_length((double)length, bytes, sizeof(bytes));
	fprintf(file, "<tr><td>%zu</td><td>%s</td>", length, bytes);
}

static void write_series(FILE *file, const struct np_run *run,
			 const struct np_series *series)
{
	char label[3 * NP_LABEL], flags[96];

	np_series_label(run, series, label, sizeof(label));
	begin_table(file, run->name, label, "bytes||us|low|high|least|Mbit/s|-");
	for (size_t i = 0; i < series->count; i++) {
		const struct np_row *point = &series->points[i];
		const double figures[] = { point->median_s * 1e6, point->ci_low_s * 1e6,
					   point->ci_high_s * 1e6, point->min_s * 1e6,
					   point->mbps };

		write_size(file, point->length);
		for (size_t k = 0; k < sizeof(figures) / sizeof(figures[0]); k++)
			write_number(file, figures[k]);
		np_row_flags_text(point->flags, flags, sizeof(flags));
		np_page_between(file, "<td class=\"word\">", point->code_path,
				point->code_path[0] != '\0' && flags[0] != '\0' ? "; " :
										  "");
		np_page_between(file, "", flags, "</td></tr>\n");
	}
	end_table(file);
}

static void write_sweep(FILE *file, const struct np_run *run)
{
	const struct np_capacity *capacity = &run->capacity;

	begin_table(file, run->name, "capacity",
		    "bytes||-axis|buffers|pages|registrations|us|low|high|ratio|low|high");
	for (size_t i = 0; i < capacity->point_count; i++) {
		const struct np_capacity_point *point = &capacity->points[i];
		const double figures[] = { point->seconds * 1e6, point->low_s * 1e6,
					   point->high_s * 1e6,	 point->ratio,
					   point->ratio_low,	 point->ratio_high };

		write_size(file, point->touched.bytes);
		fprintf(file,
			"<td class=\"word\">%s</td><td>%llu</td><td>%llu</td>"
			"<td>%llu</td>",
			np_axis_name(point->axis), (unsigned long long)point->buffers,
			(unsigned long long)point->touched.pages,
			(unsigned long long)point->touched.registrations);
		for (size_t k = 0; k < sizeof(figures) / sizeof(figures[0]); k++)
			write_number(file, figures[k]);
		fputs("</tr>\n", file);
	}
	end_table(file);
}

static void write_pair(FILE *file, const struct np_pair_matrix *pairs, size_t k, size_t one,
		       size_t other)
{
	const double seconds = np_fleet_run_seconds(&pairs->run, k, one, other);
	const size_t bytes = pairs->run.bytes[k];

	if (isnan(seconds))
		return;
	write_size(file, bytes);
	np_page_between(file, "<td class=\"word\">", pairs->hosts.hosts[one].name, "</td>");
	np_page_between(file, "<td class=\"word\">", pairs->hosts.hosts[other].name,
			"</td>");
	write_number(file, seconds * 1e6);
	write_number(file, pairs->run.directions * 8e-6 * (double)bytes / seconds);
	write_number(file, np_heat_times(pairs, k, seconds));
	fprintf(file, "<td class=\"word\">%s</td></tr>\n",
		np_fleet_run_is_slow(&pairs->run, k, one, other) ? "slow" : "");
}

static void write_pairs(FILE *file, const struct np_run *run)
{
	begin_table(file, run->name, "pairs",
		    "bytes||-from|-to|us|Mbit/s|times the usual|-");
	for (size_t k = 0; k < run->pairs->run.size_count; k++) {
		for (size_t one = 0; one < run->pairs->hosts.count; one++) {
			for (size_t other = one + 1; other < run->pairs->hosts.count;
			     other++)
				write_pair(file, run->pairs, k, one, other);
		}
	}
	end_table(file);
}

void np_page_tables(FILE *file, const struct np_run *run)
{
	for (size_t i = 0; i < run->series_count; i++) {
		if (!np_series_is_control(&run->series[i]))
			write_series(file, run, &run->series[i]);
	}
	if (run->capacity.point_count != 0)
		write_sweep(file, run);
	if (run->pairs != NULL)
		write_pairs(file, run);
}
