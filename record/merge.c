/*
 * merge.c - merges the files of processes, in the memory of one file and an entry for each
 * process, and writes JSON Lines of the kinds record and site.
 */
#include "record/merge.h"

#include "config.h"

#include <dirent.h>
#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/operations.h"

enum {
	SITES_MOST = 20,
	SITES_NAMED = 3 * SITES_MOST, /* groups whose sites are compared by their text */
	PROCESSES_MOST = 64
};

/* ---- Merging ----------------------------------------------------------------------------
 */
/* Maps the file of a process.  Returns NULL for another file, and before it is complete. */
static const struct np_record_file *map_part(const char *folder, const char *name)
{
	char path[4096];
	struct stat status;
	const struct np_record_file *part = MAP_FAILED;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	const int fd = name[0] != '.' ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	if (fd >= 0 && fstat(fd, &status) == 0 && (size_t)status.st_size == sizeof(*part))
		part = mmap(NULL, sizeof(*part), PROT_READ, MAP_PRIVATE, fd, 0);
	if (fd >= 0)
		close(fd);
	if (part == MAP_FAILED)
		return NULL;
	if (memcmp(part->magic, "NPrecord", 8) == 0 && part->version == NP_RECORD_VERSION &&
	    part->site_count <= NP_RECORD_SITES && part->cell_count <= NP_RECORD_CELLS)
		return part;
	munmap((void *)(uintptr_t)part, sizeof(*part));
	return NULL;
}

static void unmap_part(const struct np_record_file *part)
{
	munmap((void *)(uintptr_t)part, sizeof(*part));
}

static bool is_mpi(const struct np_record_file *part)
{
	return strcmp(part->library, "sockets") != 0;
}

/* Number of a site in the merged file; 0: no room. */
static uint16_t merged_site(struct np_record_file *all, const struct np_record_site *site)
{
	const uint64_t offset = site->address - site->base;

	for (uint32_t i = 1; i < all->site_count; i++) {
		if (all->sites[i].address == offset &&
		    strcmp(all->sites[i].object, site->object) == 0)
			return (uint16_t)i;
	}
	if (all->site_count == NP_RECORD_SITES)
		return 0;
	all->sites[all->site_count] = *site;
	all->sites[all->site_count].address = offset;
	return (uint16_t)all->site_count++;
}

static void add_cell(struct np_record_job *job, struct np_record_cell cell)
{
	const uint64_t count = cell.count, bytes = cell.bytes, ns = cell.ticks;

	struct np_record_cell *to = np_record_find_cell(job->all, job->index, cell.key);
	if (to == NULL) {
		job->all->lost += count;
		return;
	}
	to->count += count;
	to->bytes += bytes;
	to->ticks += ns;
}

static int add_part(struct np_record_job *job, const struct np_record_file *part)
{
	uint16_t sites[NP_RECORD_SITES] = { 0 };
	struct np_record_process process = { .rank = part->rank,
					     .began_ns = part->began_ns };
	const uint64_t ticks = part->last_ticks - part->began_ticks;
	const double ns_per_tick =
		ticks != 0 ? (double)(part->last_ns - part->began_ns) / (double)ticks : 0;

	for (uint32_t i = 1; i < part->site_count; i++)
		sites[i] = merged_site(job->all, &part->sites[i]);
	for (uint32_t i = 0; i < part->cell_count; i++) {
		struct np_record_cell cell = part->cells[i];

		if (cell.count == 0 || np_cell_site(cell.key) >= NP_RECORD_SITES)
			continue;
		cell.key =
			np_cell_key(sites[np_cell_site(cell.key)], np_cell_kind(cell.key),
				    np_cell_size(cell.key), np_cell_distance(cell.key));
		cell.ticks = (uint64_t)((double)cell.ticks * ns_per_tick);
		process.calls += cell.count;
		process.bytes += cell.bytes;
		process.ns += cell.ticks;
		add_cell(job, cell);
	}
	if (process.calls == 0)
		return 0;
	job->sum.calls += process.calls;
	job->sum.bytes += process.bytes;
	job->sum.ns += process.ns;
	job->all->buffers += part->buffers;
	job->all->lost += part->lost;
	if (part->sampled_2_32 < job->all->sampled_2_32)
		job->all->sampled_2_32 = part->sampled_2_32;
	memcpy(job->all->library, part->library, sizeof(part->library));
	job->wall_ns += part->last_ns - part->began_ns;
	/* The room is a power of two, doubled when full. */
	if ((job->process_count & (job->process_count - 1)) == 0) {
		const size_t room = job->process_count != 0 ? 2 * job->process_count : 1;
		struct np_record_process *grown =
			realloc(job->processes, room * sizeof(*grown));

		if (grown == NULL)
			return -ENOMEM;
		job->processes = grown;
	}
	job->processes[job->process_count++] = process;
	return 0;
}

/* Adds the parts of MPI, or of sockets, to a job; found_mpi not NULL: only sets whether a
 * part is of MPI. */
static int read_parts(const char *folder, bool mpi, struct np_record_job *job,
		      bool *found_mpi)
{
	DIR *directory = opendir(folder);
	const struct dirent *entry;
	int rc = 0;

	if (directory == NULL)
		return -errno;
	while (rc == 0 && (entry = readdir(directory)) != NULL) {
		const struct np_record_file *part = map_part(folder, entry->d_name);

		if (part == NULL)
			continue;
		if (part->foreign)
			snprintf(job->foreign, sizeof(job->foreign), "%.60s",
				 part->library);
		else if (found_mpi != NULL)
			*found_mpi = *found_mpi || is_mpi(part);
		else if (is_mpi(part) == mpi)
			rc = add_part(job, part);
		unmap_part(part);
	}
	closedir(directory);
	return rc;
}

/* Distributes the calls of one cell over others, in proportion to their shares of `sampled`
 * calls. */
static void share_out(struct np_record_cell *cells, size_t count, uint64_t sampled,
		      struct np_record_cell outside)
{
	for (size_t i = 0; i < count; i++) {
		const double share = (double)cells[i].count / (double)sampled;

		cells[i].count += (uint64_t)(share * (double)outside.count + 0.5);
		cells[i].bytes += (uint64_t)(share * (double)outside.bytes + 0.5);
		cells[i].ticks += (uint64_t)(share * (double)outside.ticks + 0.5);
	}
}

static int by_key(const void *a, const void *b)
{
	const struct np_record_cell *x = a, *y = b;

	return (x->key > y->key) - (x->key < y->key);
}

/* Distributes calls outside the sample over sampled cells of the same site, kind and size,
 * which are neighbours by key.  Invalidates the index of cells. */
static void spread_unsampled(struct np_record_file *all)
{
	struct np_record_cell *cells = all->cells;

	if (all->cell_count != 0)
		qsort(cells, all->cell_count, sizeof(*cells), by_key);
	for (size_t begin = 0, end; begin < all->cell_count; begin = end) {
		struct np_record_cell outside = { .count = 0 };
		uint64_t sampled = 0;

		for (end = begin;
		     end < all->cell_count && cells[end].key >> 8 == cells[begin].key >> 8;
		     end++) {
			if (np_cell_distance(cells[end].key) == NP_DISTANCE_UNSAMPLED) {
				outside = cells[end];
				cells[end].count = cells[end].bytes = cells[end].ticks = 0;
			}
			sampled += cells[end].count;
		}
		if (sampled != 0)
			share_out(&cells[begin], end - begin, sampled, outside);
		else
			all->lost += outside.count;
	}
}

static int by_rank(const void *a, const void *b)
{
	const struct np_record_process *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return (x->began_ns > y->began_ns) - (x->began_ns < y->began_ns);
}

int np_record_merge(const char *folder, struct np_record_job *job, struct np_error *error)
{
	bool mpi = false;

	*job = (struct np_record_job){ .all = calloc(1, sizeof(*job->all)),
				       .index = calloc(1, sizeof(*job->index)) };
	if (job->all == NULL || job->index == NULL)
		return np_fail_errno(error, ENOMEM, "record: cannot merge the processes");
	job->all->site_count = 1;
	job->all->sampled_2_32 = (uint64_t)1 << 32;
	int rc = read_parts(folder, false, job, &mpi);
	if (rc == 0)
		rc = read_parts(folder, mpi, job, NULL);
	if (rc != 0)
		return np_fail_errno(error, rc,
				     "record: cannot merge the files in '%.200s'", folder);
	spread_unsampled(job->all);
	if (job->process_count != 0)
		qsort(job->processes, job->process_count, sizeof(*job->processes), by_rank);
	return 0;
}

void np_record_free(struct np_record_job *job)
{
	free(job->all);
	free(job->index);
	free(job->processes);
}

/* ---- Text of a call site ----------------------------------------------------------------
 */
/* Returns whether an object is loaded where it was linked: its symbols have absolute
 * addresses. */
static bool is_linked_at_base(const char *object)
{
	Elf64_Ehdr header; /* e_type has the same place in 32 bits */
	const int fd = open(object, O_RDONLY | O_CLOEXEC);
	const bool got = fd >= 0 && read(fd, &header, sizeof(header)) == sizeof(header);

	if (fd >= 0)
		close(fd);
	return got && header.e_type == ET_EXEC;
}

/* Reads the output of "addr2line -f -s -e OBJECT ADDRESS".  Returns the bytes read. */
static size_t run_addr2line(const char *object, const char *address, char *answer,
			    size_t size)
{
	int ends[2];
	size_t got = 0;

	if (pipe(ends) != 0)
		return 0;
	const pid_t child = fork();
	if (child == 0) {
		const int null = open("/dev/null", O_WRONLY);

		dup2(ends[1], STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
		execlp("addr2line", "addr2line", "-f", "-s", "-e", object, address,
		       (char *)NULL);
		_exit(127);
	}
	close(ends[1]);
	for (ssize_t n = 1; n > 0 && got<size - 1; got += n> 0 ? (size_t)n : 0)
		n = read(ends[0], answer + got, size - 1 - got);
	close(ends[0]);
	if (child > 0)
		waitpid(child, NULL, 0);
	answer[got] = '\0';
	return got;
}

/* Text of a call site: "OBJECT: FUNCTION (FILE:LINE)" by addr2line(1), else
 * "OBJECT+0xOFFSET". */
static void site_text(const struct np_record_site *site, char *text, size_t size)
{
	const char *slash = strrchr(site->object, '/');
	const char *object = slash != NULL ? slash + 1 : site->object;
	char answer[512] = "", address[32];
	char *line = NULL;

	/* The call instruction ends right before its return address. */
	const uint64_t at =
		site->address - 1 + (is_linked_at_base(site->object) ? site->base : 0);
	snprintf(address, sizeof(address), "%#" PRIx64, at);
	if (site->object[0] != '\0' &&
	    run_addr2line(site->object, address, answer, sizeof(answer)) != 0) {
		line = strchr(answer, '\n');
		if (line != NULL)
			*line++ = '\0';
	}
	if (line == NULL || answer[0] == '?') {
		snprintf(text, size, "%.100s+%#" PRIx64,
			 object[0] != '\0' ? object : "unknown", site->address);
		return;
	}
	line[strcspn(line, " \n")] = '\0';
	/* Drops an unknown line number. */
	if (strlen(line) > 2 && strcmp(line + strlen(line) - 2, ":?") == 0)
		line[strlen(line) - 2] = '\0';
	if (line[0] == '?' || line[0] == '\0')
		snprintf(text, size, "%.100s: %.100s", object, answer);
	else
		snprintf(text, size, "%.80s: %.80s (%.80s)", object, answer, line);
}

/* ---- The line of the job ----------------------------------------------------------------
 */
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

/* [minimum, median, maximum]; offset: of the field in struct np_record_process. */
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
	char host[65] = "";
	json_t *words = json_array();

	gethostname(host, sizeof(host) - 1);
	for (size_t i = 0; command[i] != NULL; i++)
		json_array_append_new(words,
				      json_stringn_nocheck(command[i], strlen(command[i])));
	return write_line(
		file,
		json_pack(
			"{s:s,s:i,s:s,s:s,s:s,s:s,s:o,s:i,s:I,s:s,s:I,s:I,s:I,s:I,s:I,s:f,"
			"s:I,s:o}",
			"kind", "record", "format", NP_RECORD_VERSION, "program", "netpong",
			"version", PACKAGE_VERSION, "started", started, "host", host,
			"command", words, "status", status, "processes",
			(json_int_t)job->process_count, "library", job->all->library,
			"wall_ns", (json_int_t)job->wall_ns, "calls",
			(json_int_t)job->sum.calls, "bytes", (json_int_t)job->sum.bytes,
			"ns", (json_int_t)job->sum.ns, "buffers",
			(json_int_t)(job->all->buffers + 0.5), "sampled",
			(double)job->all->sampled_2_32 / 4294967296.0, "lost",
			(json_int_t)job->all->lost, "skew", skew_of(job)),
		error);
}

/* ---- Sites ------------------------------------------------------------------------------
 */
/* Calls of a place, which is a site and a kind: a key without its classes. */
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

static int by_time(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	/* Site 0, "other", comes last. */
	if ((site_of(x->place) == 0) != (site_of(y->place) == 0))
		return site_of(x->place) == 0 ? 1 : -1;
	return (x->ns < y->ns) - (x->ns > y->ns);
}

/* Sums cells, sorted by key, into groups.  Returns the number of groups. */
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
	site_text(&job->all->sites[site], text, sizeof(names->list->text));
	return text;
}

/* Joins sites with the same text: copies that the compiler made of one call.  groups:
 * sorted by time.  Returns the number of cells. */
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

/* Writes a line for each site.  cells, groups: NP_RECORD_CELLS entries each. */
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
