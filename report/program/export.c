/*
 * export.c - destination of an export; CSV and NetPIPE's format.
 */
#include "report/program/export.h"

#include <math.h>
#include <string.h>

#include "report/reading/csv.h"
#include "report/program/export_json.h"
#include "report/program/export_prometheus.h"
#include "report/program/export_tables.h"
#include "base/files.h"

/* A number with all digits; empty for NAN. */
static void csv_number(FILE *file, double value)
{
	if (isfinite(value))
		fprintf(file, ",%.17g", value);
	else
		fputc(',', file);
}

static void csv_row(FILE *file, const struct np_run *run, const struct np_series *series,
		    const struct np_row *point)
{
	const double times[] = { point->median_s, point->ci_low_s, point->ci_high_s,
				 point->min_s,	  point->mean_s,   point->p50_s,
				 point->p90_s,	  point->p99_s,	   point->p999_s,
				 point->mbps };

	char flags[96];

	np_csv_cell(file, run->path);
	fputc(',', file);
	np_csv_cell(file, series->op);
	fputc(',', file);
	np_csv_cell(file, series->mode);
	fputc(',', file);
	np_csv_cell(file, series->variant);
	fprintf(file, ",%zu", point->length);
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		csv_number(file, times[i]);
	fprintf(file, ",%llu,%llu,%llu,", (unsigned long long)point->samples,
		(unsigned long long)point->batch, (unsigned long long)point->units);
	np_row_flags_text(point->flags, flags, sizeof(flags));
	np_csv_cell(file, flags);
	fputc(',', file);
	np_csv_cell(file, point->code_path);
	fputc('\n', file);
}

static void export_csv(FILE *file, const struct np_run *runs, size_t count)
{
	fputs("file,op,mode,variant,bytes,median_s,ci_low_s,ci_high_s,min_s,mean_s,p50_s,"
	      "p90_s,p99_s,p999_s,mbps,n,iterations,units,flags,code_path\n",
	      file);
	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < runs[i].series_count; k++) {
			const struct np_series *series = &runs[i].series[k];

			for (size_t at = 0; at < series->count; at++)
				csv_row(file, &runs[i], series, &series->points[at]);
		}
	}
}

/* Writes the last curve, rotate with -I, in the format of -o. */
static int export_netpipe(FILE *file, const struct np_run *runs, size_t count,
			  struct np_error *error)
{
	const struct np_run *run = &runs[0];
	char label[3 * NP_LABEL];

	if (count != 1)
		return np_refuse(error, "--export=netpipe has columns for one file");
	if (run->series_count == 0)
		return 0;
	const struct np_series *series = &run->series[run->series_count - 1];
	np_series_label(run, series, label, sizeof(label));
	for (char *at = label; *at != '\0'; at++)
		*at = *at == '\n' || *at == '\r' ? ' ' : *at;
	fprintf(file, "# %s\n# bytes  Mbit/s (10^6 bit/s)  seconds\n", label);
	for (size_t i = 0; i < series->count; i++) {
		const struct np_row *point = &series->points[i];

		fprintf(file, "%10zu %14.6f %.6e\n", point->length,
			isfinite(point->mbps) ? point->mbps : 0, point->median_s);
	}
	return 0;
}

int np_export(const struct np_settings *settings, const struct np_run *runs, size_t count,
	      struct np_error *error)
{
	struct np_new_file made = { .file = stdout };
	int rc = 0;

	for (size_t i = 0; i < count; i++) {
		if (runs[i].pairs != NULL)
			return np_refuse(error, "not exported: '%.200s' is of all pairs",
					 runs[i].path);
	}

	if (settings->output != NULL)
		rc = np_new_file_open(&made, settings->output, settings->force, error);
	if (rc != 0)
		return rc;
	FILE *file = made.file;
	if (settings->export == NP_EXPORT_CSV)
		export_csv(file, runs, count);
	else if (settings->export == NP_EXPORT_JSON)
		rc = np_export_json(file, runs, count, error);
	else if (settings->export == NP_EXPORT_OSU)
		rc = np_export_osu(file, runs, count, error);
	else if (settings->export == NP_EXPORT_PERFTEST)
		rc = np_export_perftest(file, runs, count, error);
	else if (settings->export == NP_EXPORT_PROMETHEUS)
		np_export_prometheus(file, runs, count);
	else
		rc = export_netpipe(file, runs, count, error);
	if (settings->output == NULL)
		return rc; /* main.c checks standard output */
	return np_new_file_close(&made, rc, error);
}
