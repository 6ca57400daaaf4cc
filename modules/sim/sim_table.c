/*
 * sim_table.c - reads a published table of sizes and bandwidths for a profile to replay.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim_keys.h"

FILE *np_sim_open(const struct np_sim_reading *reading, const char *name, char *path,
		  size_t size)
{
	const bool alone = name[0] == '/' || reading->folder == NULL;
	const int length = snprintf(path, size, "%s%s%s", alone ? "" : reading->folder,
				    alone ? "" : "/", name);

	if (length < 0 || (size_t)length >= size) {
		errno = ENAMETOOLONG;
		return NULL;
	}
	return fopen(path, "re");
}

static bool is_empty(const char *line)
{
	return line[strspn(line, " \t\r\n")] == '\0';
}

/* Reads two numbers above 0 and nothing else. */
static bool read_point(const char *line, struct np_sim_point *point)
{
	char *behind, *end;
	const unsigned long long bytes = strtoull(line, &behind, 10);
	const double rate = strtod(behind + strspn(behind, ", \t"), &end);

	if (behind == line || strspn(behind, ", \t") == 0 || !is_empty(end) || bytes == 0 ||
	    bytes > (1ull << 48) || !(rate > 0 && rate < 1e9))
		return false;
	*point = (struct np_sim_point){ .bytes = (size_t)bytes,
					.ns = (double)bytes * 1e3 / rate };
	return true;
}

/* Returns false with a reason. */
static bool read_lines(struct np_sim_reading *reading, const char *name, FILE *file)
{
	struct np_sim_profile *profile = reading->profile;
	char line[NP_SIM_LINE];

	for (unsigned number = 1; fgets(line, sizeof(line), file) != NULL; number++) {
		struct np_sim_point point;
		/* Column names before the first row. */
		const bool heading = profile->point_count == 0 && line[0] >= 'A';

		if (line[0] == '#' || heading || is_empty(line))
			continue;
		if (!read_point(line, &point)) {
			snprintf(reading->why, sizeof(reading->why),
				 "%.100s:%u: this is not bytes and MB/s", name, number);
			return false;
		}
		if (profile->point_count == NP_SIM_POINTS) {
			snprintf(reading->why, sizeof(reading->why),
				 "%.100s has more than %d sizes", name, NP_SIM_POINTS);
			return false;
		}
		profile->points[profile->point_count++] = point;
	}
	if (!ferror(file))
		return true;
	snprintf(reading->why, sizeof(reading->why), "cannot read %.100s", name);
	return false;
}

bool np_sim_read_table(struct np_sim_reading *reading, const char *name)
{
	char path[PATH_MAX];
	FILE *file = np_sim_open(reading, name, path, sizeof(path));

	if (file == NULL) {
		snprintf(reading->why, sizeof(reading->why), "cannot open %.100s: %s", name,
			 strerror(errno));
		return false;
	}
	const bool good = read_lines(reading, name, file);

	fclose(file);
	return good;
}
