/*
 * merge.c - merges the files of processes, in the memory of one and a line for each
 * process.
 */
#include "record/merge.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Maps a file; NULL: it is not one of a process, or not yet complete. */
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
	job->all->buffers += part->buffers;
	job->all->lost += part->lost;
	if (part->sampled_2_32 < job->all->sampled_2_32)
		job->all->sampled_2_32 = part->sampled_2_32;
	memcpy(job->all->library, part->library, sizeof(part->library));
	job->wall_ns += part->last_ns - part->began_ns;
	/* Doubled where it is full: a power of two. */
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

/* Reads all parts; job NULL: only looks for an MPI. */
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

/* Gives the calls of one cell to others, by their share of `sampled` calls. */
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

/* Calls outside the sample are spread over those in it, of the same site, kind and size:
 * neighbours by key.  The index of cells does not hold afterwards. */
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

uint64_t np_record_calls(const struct np_record_job *job)
{
	uint64_t calls = 0;

	for (size_t i = 0; i < job->process_count; i++)
		calls += job->processes[i].calls;
	return calls;
}

void np_record_free(struct np_record_job *job)
{
	free(job->all);
	free(job->index);
	free(job->processes);
}
