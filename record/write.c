/*
 * write.c - a merged job as JSON Lines: kinds record and site.
 */
#include "config.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record/merge.h"
#include "record/operations.h"

enum {
	SITES_MOST = 20,
	SITES_NAMED = 3 * SITES_MOST, /* groups whose sites are compared by their text */
	PROCESSES_MOST = 64
};

/* Calls of a place: site and kind, of which a key without its classes consists. */
struct group {
	uint64_t place, calls, bytes, ns;
};

static uint64_t place_of(const struct np_record_cell *cell)
{
	return cell->key >> 16;
}

static uint64_t site_of(uint64_t place)
{
	return place >> 8;
}

static int write_line(FILE *file, json_t *object, struct np_error *error)
{
	const bool written = object != NULL &&
			     json_dumpf(object, file, JSON_COMPACT) == 0 &&
			     fputc('\n', file) != EOF;

	json_decref(object);
	return written ? 0 :
			 np_fail_errno(error, errno != 0 ? errno : EIO,
				       "record: cannot write the file");
}

static int by_number(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* [minimum, median, maximum]; offset: of the value in a process. */
static json_t *range_of(const struct np_record_job *job, size_t offset)
{
	uint64_t *values = calloc(job->process_count, sizeof(*values));

	if (values == NULL)
		return NULL;
	for (size_t i = 0; i < job->process_count; i++)
		memcpy(&values[i], (const char *)&job->processes[i] + offset,
		       sizeof(*values));
	qsort(values, job->process_count, sizeof(*values), by_number);
	json_t *range = json_pack("[I,I,I]", (json_int_t)values[0],
				  (json_int_t)values[job->process_count / 2],
				  (json_int_t)values[job->process_count - 1]);
	free(values);
	return range;
}

static json_t *skew_of(const struct np_record_job *job)
{
	if (job->process_count > PROCESSES_MOST)
		return json_pack(
			"{s:o,s:o,s:o}", "calls",
			range_of(job, offsetof(struct np_record_process, calls)), "bytes",
			range_of(job, offsetof(struct np_record_process, bytes)), "ns",
			range_of(job, offsetof(struct np_record_process, ns)));
	json_t *list = json_array();
	for (size_t i = 0; i < job->process_count; i++) {
		const struct np_record_process *process = &job->processes[i];

		json_array_append_new(
			list,
			json_pack("{s:I,s:I,s:I,s:I}", "process",
				  (json_int_t)(process->rank >= 0 ? (size_t)process->rank :
								    i),
				  "calls", (json_int_t)process->calls, "bytes",
				  (json_int_t)process->bytes, "ns",
				  (json_int_t)process->ns));
	}
	return list;
}

static int write_record(FILE *file, const struct np_record_job *job, char *const *command,
			int status, const char *started, struct np_error *error)
{
	struct np_record_process sum = { .rank = 0 };
	char host[65] = "";
	json_t *words = json_array();

	gethostname(host, sizeof(host) - 1);
	for (size_t i = 0; command[i] != NULL; i++)
		json_array_append_new(words,
				      json_stringn_nocheck(command[i], strlen(command[i])));
	for (size_t i = 0; i < job->process_count; i++) {
		sum.calls += job->processes[i].calls;
		sum.bytes += job->processes[i].bytes;
		sum.ns += job->processes[i].ns;
	}
	return write_line(
		file,
		json_pack(
			"{s:s,s:i,s:s,s:s,s:s,s:s,s:o,s:i,s:I,s:s,s:I,s:I,s:I,s:I,s:I,s:f,"
			"s:I,s:o}",
			"kind", "record", "format", NP_RECORD_VERSION, "program", "netpong",
			"version", PACKAGE_VERSION, "started", started, "host", host,
			"command", words, "status", status, "processes",
			(json_int_t)job->process_count, "library", job->all->library,
			"wall_ns", (json_int_t)job->wall_ns, "calls", (json_int_t)sum.calls,
			"bytes", (json_int_t)sum.bytes, "ns", (json_int_t)sum.ns, "buffers",
			(json_int_t)(job->all->buffers + 0.5), "sampled",
			(double)job->all->sampled_2_32 / 4294967296.0, "lost",
			(json_int_t)job->all->lost, "skew", skew_of(job)),
		error);
}

/* ---- Sites -----------------------------------------------------------------------------
 */
static int by_time(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	/* "other" comes last. */
	if ((site_of(x->place) == 0) != (site_of(y->place) == 0))
		return site_of(x->place) == 0 ? 1 : -1;
	return (x->ns < y->ns) - (x->ns > y->ns);
}

static int by_key(const void *a, const void *b)
{
	const struct np_record_cell *x = a, *y = b;

	return (x->key > y->key) - (x->key < y->key);
}

/* Groups of cells that are sorted by key.  Returns their number. */
static size_t group(const struct np_record_cell *cells, size_t count, struct group *groups)
{
	size_t found = 0;

	for (size_t i = 0; i < count; i++) {
		if (found == 0 || groups[found - 1].place != place_of(&cells[i]))
			groups[found++] = (struct group){ .place = place_of(&cells[i]) };
		groups[found - 1].calls += cells[i].count;
		groups[found - 1].bytes += cells[i].bytes;
		groups[found - 1].ns += cells[i].ticks;
	}
	return found;
}

/* Sorts cells by key and joins those of one key.  Returns their number. */
static size_t join(struct np_record_cell *cells, size_t count)
{
	size_t joined = 0;

	qsort(cells, count, sizeof(*cells), by_key);
	for (size_t i = 1; i < count; i++) {
		if (by_key(&cells[joined], &cells[i]) != 0) {
			cells[++joined] = cells[i];
			continue;
		}
		cells[joined].count += cells[i].count;
		cells[joined].bytes += cells[i].bytes;
		cells[joined].ticks += cells[i].ticks;
	}
	return count != 0 ? joined + 1 : 0;
}

static void replace_site(struct np_record_cell *cells, size_t count, uint64_t from,
			 uint64_t to)
{
	for (size_t i = 0; i < count; i++) {
		const uint64_t key = cells[i].key;

		if (np_cell_site(key) == from)
			cells[i].key = np_cell_key(to, np_cell_kind(key), np_cell_size(key),
						   np_cell_distance(key));
	}
}

/* Texts of sites, each made by one process of addr2line(1). */
struct names {
	size_t count;
	struct {
		uint64_t site;
		char text[256];
	} list[SITES_NAMED + SITES_MOST];
};

static const char *name_of(const struct np_record_job *job, struct names *names,
			   uint64_t site)
{
	char *text = names->list[names->count].text;

	if (site == 0)
		return "other";
	for (size_t i = 0; i < names->count; i++) {
		if (names->list[i].site == site)
			return names->list[i].text;
	}
	names->list[names->count++].site = site;
	np_record_site_text(&job->all->sites[site], text, sizeof(names->list->text));
	return text;
}

/* Joins sites of one text: calls of one line that the compiler has copied.  groups: by
 * time.  Returns the number of cells. */
static size_t join_copies(const struct np_record_job *job, struct np_record_cell *cells,
			  size_t count, const struct group *groups, size_t group_count,
			  struct names *names)
{
	for (size_t i = 0; i < group_count && i < SITES_NAMED; i++) {
		const uint64_t site = site_of(groups[i].place);
		const size_t known = names->count;
		const char *text = name_of(job, names, site);
		size_t same = 0;

		while (same < known && strcmp(names->list[same].text, text) != 0)
			same++;
		if (names->count != known && same < known)
			replace_site(cells, count, site, names->list[same].site);
	}
	return join(cells, count);
}

/* Moves the cells of all groups but the first 20 by time to site 0, and joins them. */
static size_t fold(struct np_record_cell *cells, size_t count, struct group *groups,
		   size_t *group_count)
{
	qsort(groups, *group_count, sizeof(*groups), by_time);
	for (size_t i = 0; i < count; i++) {
		bool kept = false;

		for (size_t k = 0; k < *group_count && k < SITES_MOST && !kept; k++)
			kept = groups[k].place == place_of(&cells[i]);
		if (!kept)
			cells[i].key &= ((uint64_t)1 << 24) - 1;
	}
	count = join(cells, count);
	*group_count = group(cells, count, groups);
	qsort(groups, *group_count, sizeof(*groups), by_time);
	return count;
}

static json_t *class_range(unsigned class)
{
	return json_pack("[I,I]", (json_int_t)np_record_class_least(class),
			 (json_int_t)(class != 0 ? np_record_class_least(class + 1) : 0));
}

static json_t *cell_object(const struct np_record_cell *cell)
{
	const unsigned class = np_cell_distance(cell->key);
	json_t *distance = class == NP_DISTANCE_NEVER ?
				   json_null() :
				   class_range(class == NP_DISTANCE_NO_BUFFER ? 0 : class);

	return json_pack("{s:o,s:o,s:I,s:I,s:I}", "size",
			 class_range(np_cell_size(cell->key)), "distance", distance,
			 "calls", (json_int_t)cell->count, "bytes", (json_int_t)cell->bytes,
			 "ns", (json_int_t)cell->ticks);
}

static int write_group(FILE *file, const char *name, const struct group *group,
		       const struct np_record_cell *cells, size_t count,
		       struct np_error *error)
{
	static const char *const directions[] = { "send", "receive", "both", "both" };
	const unsigned kind = group->place & 255, operation = kind / 4;
	json_t *list = json_array();

	for (size_t i = 0; i < count; i++) {
		if (place_of(&cells[i]) == group->place)
			json_array_append_new(list, cell_object(&cells[i]));
	}
	return write_line(
		file,
		json_pack("{s:s,s:s,s:s,s:s,s:I,s:I,s:I,s:o}", "kind", "site", "site", name,
			  "operation",
			  operation < NP_OPERATIONS ? np_operation_names[operation] :
						      "unknown",
			  "direction", directions[kind % 4], "calls",
			  (json_int_t)group->calls, "bytes", (json_int_t)group->bytes, "ns",
			  (json_int_t)group->ns, "cells", list),
		error);
}

/* cells, groups: room for all. */
static int write_sites(FILE *file, const struct np_record_job *job,
		       struct np_record_cell *cells, struct group *groups,
		       struct np_error *error)
{
	struct names names = { .count = 0 };
	size_t count = 0;
	int rc = 0;

	for (size_t i = 0; i < job->all->cell_count; i++) {
		if (job->all->cells[i].count != 0)
			cells[count++] = job->all->cells[i];
	}
	qsort(cells, count, sizeof(*cells), by_key);
	size_t group_count = group(cells, count, groups);
	qsort(groups, group_count, sizeof(*groups), by_time);
	count = join_copies(job, cells, count, groups, group_count, &names);
	group_count = group(cells, count, groups);
	count = fold(cells, count, groups, &group_count);
	for (size_t i = 0; rc == 0 && i < group_count; i++)
		rc = write_group(file, name_of(job, &names, site_of(groups[i].place)),
				 &groups[i], cells, count, error);
	return rc;
}

int np_record_write(FILE *file, const struct np_record_job *job, char *const *command,
		    int status, const char *started, struct np_error *error)
{
	struct np_record_cell *cells = calloc(NP_RECORD_CELLS, sizeof(*cells));
	struct group *groups = calloc(NP_RECORD_CELLS, sizeof(*groups));
	int rc = cells != NULL && groups != NULL ?
			 write_record(file, job, command, status, started, error) :
			 np_fail_errno(error, ENOMEM, "record: cannot sort the sites");

	if (rc == 0 && cells != NULL && groups != NULL)
		rc = write_sites(file, job, cells, groups, error);
	free(cells);
	free(groups);
	return rc;
}
