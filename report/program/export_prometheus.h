/*
 * export_prometheus.h - --export prometheus.
 */
#pragma once

#include <stdio.h>

#include "report/curves/run.h"

/* Writes all curves of all runs in Prometheus' text format, version 0.0.4, as the textfile
 * collector of its node exporter reads it: base units (seconds, bits per second), one
 * family of gauges after the other.  Unknown values are left out. */
void np_export_prometheus(FILE *file, const struct np_run *runs, size_t count);
