/*
 * export_prometheus.c - exports curves as metrics of Prometheus.
 */
#include "report/program/export_prometheus.h"

#include <math.h>

static double median_of(const struct np_row *point)
{
	return point->median_s;
}

static double low_of(const struct np_row *point)
{
	return point->ci_low_s;
}

static double high_of(const struct np_row *point)
{
	return point->ci_high_s;
}

static double rate_of(const struct np_row *point)
{
	return point->mbps * 1e6;
}

static const struct family {
	const char *name, *help;
	double (*value)(const struct np_row *point);
} families[] = {
	{ "netpong_message_seconds",
	  "Median time of a message: half the round trip of a ping-pong.", median_of },
	{ "netpong_message_seconds_low", "Lower end of its 95 % interval.", low_of },
	{ "netpong_message_seconds_high", "Upper end of its 95 % interval.", high_of },
	{ "netpong_bits_per_second", "Rate at the median time.", rate_of },
};

/* Writes a label with the escapes of the format. */
static void write_label(FILE *file, const char *name, const char *value)
{
	fprintf(file, "%s=\"", name);
	for (const char *at = value; *at != '\0'; at++) {
		if (*at == '\n')
			fputs("\\n", file);
		else
			fprintf(file, "%s%c", *at == '"' || *at == '\\' ? "\\" : "", *at);
	}
	fputc('"', file);
}

static void write_series(FILE *file, const struct family *family, const struct np_run *run,
			 const struct np_series *series)
{
	for (size_t i = 0; i < series->count; i++) {
		const struct np_row *point = &series->points[i];
		const double value = family->value(point);

		if (!isfinite(value))
			continue;
		fprintf(file, "%s{", family->name);
		write_label(file, "file", run->path);
		write_label(file, ",operation", series->op);
		write_label(file, ",mode", series->mode);
		write_label(file, ",variant", series->variant);
		fprintf(file, ",bytes=\"%zu\"} %.17g\n", point->length, value);
	}
}

void np_export_prometheus(FILE *file, const struct np_run *runs, size_t count)
{
	for (size_t f = 0; f < sizeof(families) / sizeof(*families); f++) {
		fprintf(file, "# HELP %s %s\n# TYPE %s gauge\n", families[f].name,
			families[f].help, families[f].name);
		for (size_t i = 0; i < count; i++) {
			for (size_t k = 0; k < runs[i].series_count; k++)
				write_series(file, &families[f], &runs[i],
					     &runs[i].series[k]);
		}
	}
}
