/*
 * ibv_list.c - --list-devices, and the NUMA node of the selected device.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ibv_names.h"
#include "ibv_private.h"

/* One line for each GID: its type, address and network interface, or why it cannot be
 * used. */
static void list_gids(struct ibv_context *context, const char *name, unsigned port,
		      const struct ibv_port_attr *attr, struct np_facts *facts)
{
	const enum np_ibv_fabric fabric = np_ibv_fabric_of(context, attr);
	const bool ethernet = fabric != NP_IBV_INFINIBAND;
	struct np_ibv_network network;
	char title[96];
	int found = 0;

	np_ibv_network_open(&network, NULL);
	for (int i = 0; i < attr->gid_tbl_len; i++) {
		char text[NP_IBV_GID_TEXT];
		struct ibv_gid_entry entry;

		if (!np_ibv_gid_read(context, port, i, &entry))
			continue;
		const char *interface = np_ibv_network_interface(&network, &entry.gid);

		found++;
		snprintf(title, sizeof(title), "%s GID %d", name, i);
		np_facts_add(facts, title, "%s %s%s%s",
			     np_ibv_gid_type(fabric, entry.gid_type),
			     np_ibv_gid_text(&entry.gid, text), ethernet ? ", " : "",
			     !ethernet		  ? "" :
			     interface != NULL	  ? interface :
			     network.list == NULL ? "interface not known" :
						    "not usable: its interface is in "
						    "another network namespace");
	}
	snprintf(title, sizeof(title), "%s GID", name);
	if (found == 0 && ethernet)
		np_facts_add(facts, title,
			     "not usable: no GID, since its network interface has no "
			     "address");
	np_ibv_network_close(&network);
}

static void list_port(struct ibv_context *context, const char *device, unsigned port,
		      struct np_facts *facts)
{
	struct ibv_port_attr attr = { .state = IBV_PORT_NOP };
	const int code = ibv_query_port(context, (uint8_t)port, &attr);
	char name[80], rate[NP_IBV_RATE_TEXT];

	snprintf(name, sizeof(name), "%s:%u", device, port);
	if (code != 0) {
		np_facts_add(facts, name, "cannot be asked: %s", strerror(code));
		return;
	}
	np_facts_add(facts, name, "%s%s, %s, %s, MTU %zu active of %zu",
		     attr.state != IBV_PORT_ACTIVE ? "not usable: " : "",
		     np_ibv_port_state(attr.state), np_ibv_link_layer(&attr),
		     np_ibv_rate_text(&attr, rate), np_ibv_mtu_bytes(attr.active_mtu),
		     np_ibv_mtu_bytes(attr.max_mtu));
	list_gids(context, name, port, &attr, facts);
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
	if (np_ibv_device_open(&device, values, NULL, &ignored) == 0) {
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
