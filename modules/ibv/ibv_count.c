/*
 * ibv_count.c - counters of the port.  The files in "counters" of /sys/class/infiniband
 * stay open, since they are read before and after each block.  Hardware counters are read
 * by netlink or, with an older kernel, from the files in "hw_counters", which lag.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <rdma/rdma_netlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "ibv_private.h"

/*
 * Hardware counters of a port as they are now, by rdma netlink.
 *
 * The files in hw_counters show what the kernel has cached for up to `lifespan`
 * (10 ms by default), which is longer than a block: most blocks would have no packet
 * sent.  The statistics of rdma netlink (Linux 5.3) are read from the device by each
 * request, as rdma-statistic(8) does.
 */

/* Bytes of a reply; the kernel allocates at most two pages for one. */
enum { REPLY_MOST = 32 << 10 };

struct np_ibv_netlink {
	int fd;
	uint32_t device, port;
	uint32_t reply[REPLY_MOST / sizeof(uint32_t)];
};

struct request {
	struct nlmsghdr header;
	struct nlattr device;
	uint32_t device_index;
	struct nlattr port;
	uint32_t port_index;
};

/* ---- Attributes -------------------------------------------------------------- */

struct attribute {
	unsigned type;
	const unsigned char *value;
	size_t length;
};

/* Position in the attributes of a message, or nested in an attribute. */
struct cursor {
	const unsigned char *at;
	size_t left;
};

static bool next_attribute(struct cursor *cursor, struct attribute *attribute)
{
	struct nlattr head;

	if (cursor->left < sizeof(head))
		return false;
	memcpy(&head, cursor->at, sizeof(head));
	if (head.nla_len < sizeof(head) || head.nla_len > cursor->left)
		return false;
	attribute->type = head.nla_type & (unsigned)NLA_TYPE_MASK;
	attribute->value = cursor->at + sizeof(head);
	attribute->length = head.nla_len - sizeof(head);
	const size_t whole = NLA_ALIGN(head.nla_len);

	cursor->left -= whole < cursor->left ? whole : cursor->left;
	cursor->at += cursor->left != 0 ? whole : 0;
	return true;
}

static struct cursor inside(const struct attribute *attribute)
{
	return (struct cursor){ attribute->value, attribute->length };
}

static bool read_number(const struct attribute *attribute, uint32_t *number)
{
	if (attribute->length != sizeof(*number))
		return false;
	memcpy(number, attribute->value, sizeof(*number));
	return true;
}

/* True for a string of at most `most` bytes with its final NUL. */
static bool is_text(const struct attribute *attribute, size_t most)
{
	return attribute->length != 0 && attribute->length <= most &&
	       attribute->value[attribute->length - 1] == '\0';
}

/* One counter; false if its name or value is missing. */
static bool read_counter(struct cursor entry, struct np_counter *counter)
{
	bool named = false, counted = false;
	struct attribute attribute;

	while (next_attribute(&entry, &attribute)) {
		if (attribute.type == RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_NAME &&
		    is_text(&attribute, sizeof(counter->name))) {
			memset(counter->name, 0, sizeof(counter->name));
			memcpy(counter->name, attribute.value, attribute.length);
			named = true;
		} else if (attribute.type == RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_VALUE &&
			   attribute.length == sizeof(counter->value)) {
			memcpy(&counter->value, attribute.value, sizeof(counter->value));
			counted = true;
		}
	}
	return named && counted;
}

size_t np_ibv_netlink_parse(const void *attributes, size_t length,
			    struct np_counter *counters, size_t most)
{
	struct cursor message = { attributes, length };
	struct attribute table, entry;
	size_t count = 0;

	while (next_attribute(&message, &table)) {
		struct cursor entries = inside(&table);

		if (table.type != RDMA_NLDEV_ATTR_STAT_HWCOUNTERS)
			continue;
		while (count < most && next_attribute(&entries, &entry)) {
			if (entry.type == RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY &&
			    read_counter(inside(&entry), &counters[count]))
				count++;
		}
	}
	return count;
}

/* ---- Messages ---------------------------------------------------------------- */

static struct nlattr head_of(unsigned type)
{
	return (struct nlattr){ .nla_len = sizeof(struct nlattr) + sizeof(uint32_t),
				.nla_type = (uint16_t)type };
}

static bool send_request(const struct np_ibv_netlink *netlink, unsigned command,
			 unsigned flags)
{
	const bool dump = (flags & NLM_F_DUMP) != 0;
	const struct request request = {
		.header = { .nlmsg_len = dump ? sizeof(request.header) : sizeof(request),
			    .nlmsg_type =
				    (uint16_t)RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, command),
			    .nlmsg_flags = (uint16_t)(NLM_F_REQUEST | flags) },
		.device = head_of(RDMA_NLDEV_ATTR_DEV_INDEX),
		.device_index = netlink->device,
		.port = head_of(RDMA_NLDEV_ATTR_PORT_INDEX),
		.port_index = netlink->port,
	};

	return send(netlink->fd, &request, request.header.nlmsg_len, 0) ==
	       (ssize_t)request.header.nlmsg_len;
}

/* Receives messages.  Returns their length in bytes, 0 after a timeout or an error. */
static size_t receive(struct np_ibv_netlink *netlink)
{
	const ssize_t got = recv(netlink->fd, netlink->reply, sizeof(netlink->reply), 0);

	return got > 0 ? (size_t)got : 0;
}

/* Sets the device's index if this message describes the device `name`. */
static bool find_name(struct np_ibv_netlink *netlink, struct cursor message,
		      const char *name)
{
	bool named = false, numbered = false;
	struct attribute attribute;
	uint32_t number = 0;

	while (next_attribute(&message, &attribute)) {
		if (attribute.type == RDMA_NLDEV_ATTR_DEV_NAME)
			named = is_text(&attribute, attribute.length) &&
				strcmp((const char *)attribute.value, name) == 0;
		else if (attribute.type == RDMA_NLDEV_ATTR_DEV_INDEX)
			numbered = read_number(&attribute, &number);
	}
	if (!named || !numbered)
		return false;
	netlink->device = number;
	return true;
}

static bool find_device(struct np_ibv_netlink *netlink, const char *name)
{
	bool found = false, more = send_request(netlink, RDMA_NLDEV_CMD_GET, NLM_F_DUMP);

	while (more) {
		size_t left = receive(netlink);
		struct nlmsghdr *message = (void *)netlink->reply;

		more = left != 0;
		for (; NLMSG_OK(message, left); message = NLMSG_NEXT(message, left)) {
			const struct cursor attributes = {
				NLMSG_DATA(message), message->nlmsg_len - NLMSG_HDRLEN
			};

			if (message->nlmsg_type == NLMSG_DONE ||
			    message->nlmsg_type == NLMSG_ERROR)
				more = false;
			else
				found |= find_name(netlink, attributes, name);
		}
	}
	return found;
}

/* Reads at most `most` counters.  Returns their number, 0 if the kernel refused. */
static size_t netlink_count(struct np_ibv_netlink *netlink, struct np_counter *counters,
			    size_t most)
{
	if (!send_request(netlink, RDMA_NLDEV_CMD_STAT_GET, 0))
		return 0;
	const size_t got = receive(netlink);
	struct nlmsghdr *message = (void *)netlink->reply;

	if (!NLMSG_OK(message, got) || message->nlmsg_type == NLMSG_ERROR)
		return 0;
	return np_ibv_netlink_parse(NLMSG_DATA(message), message->nlmsg_len - NLMSG_HDRLEN,
				    counters, most);
}

/* ---- Open and close ---------------------------------------------------------- */

static void netlink_close(struct np_ibv_netlink *netlink)
{
	if (netlink == NULL)
		return;
	if (netlink->fd >= 0)
		close(netlink->fd);
	free(netlink);
}

struct np_ibv_netlink *np_ibv_netlink_open(const char *name, unsigned port)
{
	const struct timeval patience = { .tv_sec = 1 };
	struct np_ibv_netlink *netlink = calloc(1, sizeof(*netlink));
	struct np_counter counter;

	if (netlink == NULL)
		return NULL;
	netlink->port = port;
	netlink->fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_RDMA);
	if (netlink->fd >= 0 &&
	    setsockopt(netlink->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) ==
		    0 &&
	    find_device(netlink, name) && netlink_count(netlink, &counter, 1) != 0)
		return netlink;
	netlink_close(netlink);
	return NULL;
}

/* ---- counter files ----------------------------------------------------------- */

struct counter_file {
	char name[NP_COUNTER_NAME];
	int fd;
};

/* Counter files of a port, sorted by name. */
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
	const size_t length = strlen(name);
	uint64_t value;

	/* "lifespan" is the caching time of hw_counters, not a counter. */
	if (name[0] == '.' || length >= sizeof(file.name) || strcmp(name, "lifespan") == 0)
		return;
	memcpy(file.name, name, length + 1);
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
	netlink_close(files->netlink);
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
		count = netlink_count(files->netlink, counters + files->count,
				      NP_COUNTERS_MAX - files->count);
	return files->count + count;
}
