/*
 * export_tables.c - exports a curve as the table of osu_latency, osu_bw or osu_bibw, or of
 * perftest, for harnesses that parse those.
 *
 * More digits are written than these tools print, so that the table is read back as it was.
 */
#include "report/program/export_tables.h"

#include <math.h>
#include <string.h>

/* Returns the last curve of the only file, as these tables have no labels; or NULL. */
static const struct np_series *choose_series(const struct np_run *runs, size_t count,
					     const char *format, struct np_error *error)
{
	if (count != 1) {
		np_refuse(error, "--export=%s has columns for one file", format);
		return NULL;
	}
	if (runs[0].series_count == 0) {
		np_fail(error, NP_ERROR_FAILED, ENODATA, "no curve to export");
		return NULL;
	}
	/* rotate with -I, as in --export=netpipe */
	return &runs[0].series[runs[0].series_count - 1];
}

int np_export_osu(FILE *file, const struct np_run *runs, size_t count,
		  struct np_error *error)
{
	const struct np_series *series = choose_series(runs, count, "osu", error);
	const char *title = NULL, *column = "Bandwidth (MB/s)";

	if (series == NULL)
		return error->code;
	if (strcmp(series->op, "pingpong") == 0) {
		title = "Latency";
		column = "Latency (us)";
	} else if (strcmp(series->op, "stream") == 0) {
		title = "Bandwidth";
	} else if (strcmp(series->op, "bidirectional") == 0) {
		title = "Bi-Directional Bandwidth";
	}
	if (title == NULL)
		return np_refuse(error, "--export=osu has no table for '%.60s'",
				 series->op);
	fprintf(file, "# OSU MPI %s Test, written by NPreport\n# Size          %s\n", title,
		column);
	for (size_t i = 0; i < series->count; i++) {
		const struct np_row *point = &series->points[i];

		fprintf(file, "%-10zu%20.6f\n", point->length,
			title[0] == 'L' ? point->median_s * 1e6 : point->mbps / 8);
	}
	return 0;
}

static void write_latency(FILE *file, const struct np_series *series)
{
	fputs("                    Send Latency Test\n #bytes #iterations    t_min[usec]   "
	      " "
	      "t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]   "
	      "99% percentile[usec]   99.9% percentile[usec]\n",
	      file);
	for (size_t i = 0; i < series->count; i++) {
		const struct np_row *point = &series->points[i];

		/* Maximum and standard deviation are not in a result file. */
		fprintf(file,
			" %-7zu %-10llu     %-10.6f     nan            %-10.6f       "
			"%-10.6f "
			"    nan             %-10.6f             %-10.6f\n",
			point->length, (unsigned long long)point->samples,
			point->min_s * 1e6, point->median_s * 1e6, point->mean_s * 1e6,
			point->p99_s * 1e6, point->p999_s * 1e6);
	}
}

static void write_rate(FILE *file, const struct np_series *series)
{
	const double mib = 8 * 1.048576; /* megabits of 10^6 */

	fprintf(file,
		"                    Send %sBW Test\n #bytes     #iterations    "
		"BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]\n",
		strcmp(series->op, "bidirectional") == 0 ? "Bidirectional " : "");
	for (size_t i = 0; i < series->count; i++) {
		const struct np_row *point = &series->points[i];

		fprintf(file, " %-10zu %-14llu %-18.6f %-20.6f %.6f\n", point->length,
			(unsigned long long)point->samples,
			point->mbps / mib * (point->median_s / point->min_s),
			point->mbps / mib,
			np_op_directions(series->op) * 1e-6 / point->median_s);
	}
}

int np_export_perftest(FILE *file, const struct np_run *runs, size_t count,
		       struct np_error *error)
{
	const struct np_series *series = choose_series(runs, count, "perftest", error);

	if (series == NULL)
		return error->code;
	if (np_op_is_latency(series->op))
		write_latency(file, series);
	else if (strcmp(series->op, "stream") == 0 ||
		 strcmp(series->op, "bidirectional") == 0)
		write_rate(file, series);
	else
		return np_refuse(error, "--export=perftest has no table for '%.60s'",
				 series->op);
	fprintf(file, "%.89s\n",
		"--------------------------------------------------------------------------"
		"----"
		"------------");
	return 0;
}
