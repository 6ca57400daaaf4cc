/*
 * ibv_count.c - counters of the port.  The files in "counters" of /sys/class/infiniband
 * stay open, since they are read before and after each block.  Hardware counters are read
 * by netlink (ibv_netlink.c), or from the files in "hw_counters", which lag, where the
 * kernel is older.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ibv_netlink.h"
#include "ibv_private.h"

struct counter_file {
	char name[NP_COUNTER_NAME];
	int fd;
};

/* Sorted by name. */
struct counter_files {
	size_t count;
	struct counter_file list[NP_COUNTERS_MAX];
	struct np_ibv_netlink *netlink; /* NULL: all counters are files */
};

/* Reads a counter; false if it is not a number or cannot be read. */
static bool read_value(int fd, uint64_t *value)
{
	char text[32];
	char *end;
	const ssize_t n = pread(fd, text, sizeof(text) - 1, 0);

	if (n <= 0)
		return false;
	text[n] = '\0';
	*value = strtoull(text, &end, 10);
	return end != text;
}

/* Inserts a file in order of its name; closes the last one if there are too many. */
static void insert(struct counter_files *files, const struct counter_file *file)
{
	size_t at = files->count;

	while (at > 0 && strcmp(files->list[at - 1].name, file->name) > 0)
		at--;
	if (at == NP_COUNTERS_MAX) {
		close(file->fd);
		return;
	}
	if (files->count == NP_COUNTERS_MAX)
		close(files->list[--files->count].fd);
	memmove(&files->list[at + 1], &files->list[at],
		(files->count - at) * sizeof(*files->list));
	files->list[at] = *file;
	files->count++;
}

static void open_counter(struct counter_files *files, int directory, const char *name)
{
	struct counter_file file = { .fd = -1 };
	uint64_t value;

	/* "lifespan" is no counter, but the caching time of the others. */
	if (name[0] == '.' || strlen(name) >= sizeof(file.name) ||
	    strcmp(name, "lifespan") == 0)
		return;
	snprintf(file.name, sizeof(file.name), "%s", name);
	file.fd = openat(directory, name, O_RDONLY | O_CLOEXEC);
	if (file.fd < 0)
		return;
	if (read_value(file.fd, &value))
		insert(files, &file);
	else
		close(file.fd);
}

static void open_directory(struct counter_files *files, const struct np_ibv_device *device,
			   const char *name)
{
	char path[160];
	DIR *directory;

	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/ports/%d/%s", device->name,
		 device->port, name);
	directory = opendir(path);
	if (directory == NULL)
		return;
	for (const struct dirent *entry; (entry = readdir(directory)) != NULL;)
		open_counter(files, dirfd(directory), entry->d_name);
	closedir(directory);
}

void np_ibv_counters_open(struct np_ibv *ibv)
{
	struct counter_files *files = calloc(1, sizeof(*files));

	/* Counters are optional. */
	if (files == NULL)
		return;
	open_directory(files, &ibv->device, "counters");
	files->netlink = np_ibv_netlink_open(ibv->device.name, ibv->device.port);
	if (files->netlink == NULL)
		open_directory(files, &ibv->device, "hw_counters");
	ibv->counters = files;
}

void np_ibv_counters_close(struct np_ibv *ibv)
{
	struct counter_files *files = ibv->counters;

	if (files == NULL)
		return;
	for (size_t i = 0; i < files->count; i++)
		close(files->list[i].fd);
	np_ibv_netlink_close(files->netlink);
	free(files);
	ibv->counters = NULL;
}

size_t np_ibv_count(struct np_endpoint *endpoint, struct np_counter *counters)
{
	const struct counter_files *files = np_ibv_of(endpoint)->counters;
	size_t count = 0;

	if (files == NULL)
		return 0;
	for (size_t i = 0; i < files->count; i++) {
		memcpy(counters[i].name, files->list[i].name, sizeof(counters[i].name));
		counters[i].value = 0;
		read_value(files->list[i].fd, &counters[i].value);
	}
	if (files->netlink != NULL)
		count = np_ibv_netlink_count(files->netlink, counters + files->count,
					     NP_COUNTERS_MAX - files->count);
	return files->count + count;
}
