/*
 * ibv_list.c - --list-devices, and the NUMA node of the selected device.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ibv_names.h"
#include "ibv_private.h"

/* A line; parts that do not fit are left out. */
struct line {
	char text[1024];
	size_t used;
};

static void __attribute__((format(printf, 2, 3)))
append(struct line *line, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	const int n = vsnprintf(line->text + line->used, sizeof(line->text) - line->used,
				format, arguments);
	va_end(arguments);
	if (n < 0 || (size_t)n >= sizeof(line->text) - line->used)
		line->text[line->used] = '\0';
	else
		line->used += (size_t)n;
}

static void append_gids(struct line *line, struct ibv_context *context, unsigned port,
			int length)
{
	static const union ibv_gid none;

	for (int i = 0; i < length; i++) {
		struct ibv_gid_entry entry = { .gid_index = 0 };
		char text[NP_IBV_GID_TEXT];

		if (ibv_query_gid_ex(context, port, (uint32_t)i, &entry, 0) != 0 ||
		    memcmp(entry.gid.raw, none.raw, sizeof(none.raw)) == 0)
			continue;
		append(line, "; GID %d %s %s", i, np_ibv_gid_type(entry.gid_type),
		       np_ibv_gid_text(&entry.gid, text));
	}
}

static void list_port(struct ibv_context *context, const char *device, unsigned port,
		      struct np_facts *facts)
{
	struct ibv_port_attr attr = { .state = IBV_PORT_NOP };
	const int code = ibv_query_port(context, (uint8_t)port, &attr);
	struct line line = { .used = 0 };
	char name[80], rate[NP_IBV_RATE_TEXT];

	snprintf(name, sizeof(name), "%s:%u", device, port);
	if (code != 0) {
		np_facts_add(facts, name, "cannot be asked: %s", strerror(code));
		return;
	}
	append(&line, "%s, %s, %s, MTU %zu active of %zu", np_ibv_port_state(attr.state),
	       np_ibv_link_layer(&attr), np_ibv_rate_text(&attr, rate),
	       np_ibv_mtu_bytes(attr.active_mtu), np_ibv_mtu_bytes(attr.max_mtu));
	append_gids(&line, context, port, attr.gid_tbl_len);
	np_facts_add(facts, name, "%s", line.text);
}

static void list_device(struct ibv_device *device, struct np_facts *facts)
{
	const char *name = ibv_get_device_name(device);
	struct ibv_device_attr attr = { .phys_port_cnt = 0 };
	struct ibv_context *context;

	if (name == NULL)
		return;
	errno = 0;
	context = ibv_open_device(device);
	if (context == NULL) {
		np_facts_add(facts, name, "/dev/infiniband/%s cannot be opened: %s",
			     device->dev_name, strerror(errno != 0 ? errno : ENODEV));
		return;
	}
	if (ibv_query_device(context, &attr) != 0)
		np_facts_add(facts, name, "cannot be asked");
	for (unsigned port = 1; port <= attr.phys_port_cnt; port++)
		list_port(context, name, port, facts);
	ibv_close_device(context);
}

int np_ibv_list(const void *options, struct np_facts *facts, struct np_error *error)
{
	int count = 0;
	struct ibv_device **list = ibv_get_device_list(&count);

	(void)options;
	(void)error;
	/* A host without devices has an empty list; that is no error. */
	if (list == NULL)
		return 0;
	for (int i = 0; i < count; i++)
		list_device(list[i], facts);
	ibv_free_device_list(list);
	return 0;
}

int np_ibv_node(const void *values)
{
	struct np_ibv_device device = { .context = NULL };
	struct np_error ignored = { .code = 0 };
	long node = -1;

	/* open() will report errors of the options. */
	if (np_ibv_device_open(&device, values, &ignored) == 0) {
		char path[128];

		snprintf(path, sizeof(path), "/sys/class/infiniband/%s/device/numa_node",
			 device.name);
		FILE *file = fopen(path, "re");
		if (file != NULL) {
			char line[16];

			if (fgets(line, sizeof(line), file) != NULL)
				node = strtol(line, NULL, 10);
			fclose(file);
		}
	}
	np_ibv_device_close(&device);
	return (int)node;
}
