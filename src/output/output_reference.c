/*
 * output_reference.c - usual core-to-core latency of an earlier run, from the findings in
 * its result file (--reference).
 */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "output/output.h"

/* Returns the latency of a line of findings; 0 for any other line. */
static double latency_of(const char *line)
{
	static const char kind[] = "{\"kind\":\"findings\"";
	json_error_t failure;

	if (strncmp(line, kind, sizeof(kind) - 1) != 0)
		return 0;
	json_t *object = json_loads(line, 0, &failure);
	const double ns = json_number_value(json_object_get(object, "core_latency_ns"));

	json_decref(object);
	return ns > 0 && ns < 1e9 ? ns : 0;
}

int np_reference_read(const char *path, double *usual_ns, struct np_error *error)
{
	FILE *file = fopen(path, "re");
	char *line = NULL;
	size_t room = 0;

	*usual_ns = 0;
	if (file == NULL)
		return np_fail(error, NP_ERROR_USAGE, errno,
			       "--reference: cannot open %.200s: %s", path,
			       strerror(errno));
	while (getline(&line, &room, file) > 0) {
		const double ns = latency_of(line);

		*usual_ns = ns > 0 ? ns : *usual_ns;
	}
	free(line);
	const bool broken = ferror(file) != 0;

	fclose(file);
	if (!broken && *usual_ns > 0)
		return 0;
	return np_refuse(error,
			 "--reference: %.200s has no core-to-core latency: give the file "
			 "of --json of a complete run whose two processes were on one host",
			 path);
}
