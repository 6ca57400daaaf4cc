/*
 * sim_replay.c - reads recorded noise.  A line has seconds since the start of the
 * recording, the factor of times from then on, and the core-to-core latency in ns.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim_keys.h"

/* Reads a line of three numbers.  Returns false if it is malformed or not after `before`.
 */
static bool read_record(const char *line, const struct np_sim_record *before,
			struct np_sim_record *record)
{
	double numbers[3];
	const char *rest = line;

	for (size_t i = 0; i < 3; i++) {
		char *end;

		numbers[i] = strtod(rest, &end);
		if (end == rest)
			return false;
		rest = end + strspn(end, ", \t");
	}
	*record = (struct np_sim_record){ .ns = numbers[0] * 1e9,
					  .factor = numbers[1],
					  .core_ns = numbers[2] };
	return rest[strspn(rest, "\r\n")] == '\0' && record->ns >= 0 && record->ns < 1e15 &&
	       record->factor > 0.001 && record->factor < 1000 && record->core_ns >= 0 &&
	       record->core_ns < 1e9 && (before == NULL || record->ns > before->ns);
}

/* Returns false with a reason. */
static bool read_records(struct np_sim_reading *reading, const char *name, FILE *file)
{
	struct np_sim_profile *profile = reading->profile;
	char line[NP_SIM_LINE];

	for (unsigned number = 1; fgets(line, sizeof(line), file) != NULL; number++) {
		const size_t count = profile->record_count;

		if (line[0] == '#')
			continue;
		if (count == NP_SIM_RECORDS) {
			snprintf(reading->why, sizeof(reading->why),
				 "%.100s has more than %d lines", name, NP_SIM_RECORDS);
			return false;
		}
		if (!read_record(line, count != 0 ? &profile->records[count - 1] : NULL,
				 &profile->records[count])) {
			snprintf(reading->why, sizeof(reading->why),
				 "%.100s:%u: this is not seconds, a factor and ns, in the "
				 "order of time",
				 name, number);
			return false;
		}
		profile->record_count++;
	}
	if (ferror(file) || profile->record_count < 2) {
		snprintf(reading->why, sizeof(reading->why),
			 "%.100s cannot be read, or has fewer than 2 lines", name);
		return false;
	}
	return true;
}

bool np_sim_read_replay(struct np_sim_reading *reading, const char *name)
{
	struct np_sim_profile *profile = reading->profile;
	char path[PATH_MAX], full[PATH_MAX];
	FILE *file = np_sim_open(reading, name, path, sizeof(path));

	profile->record_count = 0;
	/* A printed profile may be read from another folder. */
	if (file == NULL || realpath(path, full) == NULL ||
	    strlen(full) >= sizeof(profile->replay)) {
		snprintf(reading->why, sizeof(reading->why), "cannot open %.100s: %s", name,
			 strerror(errno));
		if (file != NULL)
			fclose(file);
		return false;
	}
	memcpy(profile->replay, full, strlen(full) + 1);
	const bool good = read_records(reading, name, file);

	fclose(file);
	return good;
}
