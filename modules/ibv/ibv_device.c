/*
 * ibv_device.c - selects device, port and GID of this process.
 *
 * The default port is the first active one.  Ethernet needs a GID; the table of a port
 * has several per interface.  RoCE v2 is preferred, since it is routable, then an IPv4
 * address.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ibv_names.h"
#include "ibv_private.h"

/* -D. */
struct wanted {
	char name[64]; /* empty: any */
	unsigned port; /* 0: any */
};

/* Why no port was usable so far. */
struct search {
	char inactive[160]; /* "rxe0:1 is down, ..." */
	int open_code;	    /* errno of a device that could not be opened */
	char closed[64];    /* name of its file in /dev/infiniband */
};

size_t np_ibv_mtu_bytes(enum ibv_mtu mtu)
{
	return mtu >= IBV_MTU_256 && mtu <= IBV_MTU_4096 ? (size_t)128 << mtu : 0;
}

enum ibv_mtu np_ibv_mtu_of(size_t bytes)
{
	for (int mtu = IBV_MTU_256; mtu <= IBV_MTU_4096; mtu++) {
		if (np_ibv_mtu_bytes((enum ibv_mtu)mtu) == bytes)
			return (enum ibv_mtu)mtu;
	}
	return (enum ibv_mtu)0;
}

/* ---- port -------------------------------------------------------------------- */

static int parse_wanted(const char *text, struct wanted *wanted, struct np_error *error)
{
	const char *colon = np_ibv_is_given(text) ? strrchr(text, ':') : NULL;
	size_t length = np_ibv_is_given(text) ? strlen(text) : 0;
	uint64_t port = 0;

	*wanted = (struct wanted){ .port = 0 };
	if (colon != NULL) {
		length = (size_t)(colon - text);
		if (np_parse_size(colon + 1, &port) != 0 || port < 1 || port > 255)
			return np_refuse(
				error, "-D: '%.32s' is not the number of a port (1 to 255)",
				colon + 1);
	}
	if (length >= sizeof(wanted->name))
		return np_fail(error, NP_ERROR_USAGE, ENODEV,
			       "-D: no device has a name of %zu characters", length);
	if (length != 0)
		memcpy(wanted->name, text, length);
	wanted->name[length] = '\0';
	wanted->port = (unsigned)port;
	return 0;
}

/* Appends to a comma-separated list, cut off if too long. */
static void __attribute__((format(printf, 3, 4)))
append(char *list, size_t size, const char *format, ...)
{
	const size_t used = strlen(list);
	va_list arguments;

	if (used + 3 > size)
		return;
	if (used != 0)
		memcpy(list + used, ", ", 3);
	va_start(arguments, format);
	vsnprintf(list + strlen(list), size - strlen(list), format, arguments);
	va_end(arguments);
}

static int fail_no_device(struct np_error *error)
{
	return np_fail(error, NP_ERROR_FAILED, ENODEV,
		       "no RDMA device on this host: is its driver loaded? (rdma link; "
		       "ibv_devices)");
}

static int fail_search(const struct search *search, const struct wanted *wanted,
		       struct ibv_device **list, struct np_error *error)
{
	char names[160] = "";

	if (search->inactive[0] != '\0')
		return np_fail(error, NP_ERROR_FAILED, ENETDOWN,
			       "no port to use: %s; is its link up? (rdma link; ip link)",
			       search->inactive);
	if (search->open_code == EACCES || search->open_code == EPERM)
		return np_fail(error, NP_ERROR_FAILED, search->open_code,
			       "no permission to open /dev/infiniband/%s: its owner and "
			       "mode decide who may (often 0666, by a udev rule)",
			       search->closed);
	if (search->open_code != 0)
		return np_fail_errno(error, search->open_code,
				     "cannot open the device of /dev/infiniband/%s",
				     search->closed);
	for (size_t i = 0; list[i] != NULL; i++)
		append(names, sizeof(names), "%s", ibv_get_device_name(list[i]));
	if (wanted->name[0] != '\0' && wanted->port != 0)
		return np_fail(error, NP_ERROR_USAGE, ENODEV,
			       "-D: no device %s with a port %u; there are: %s",
			       wanted->name, wanted->port, names);
	if (wanted->name[0] != '\0')
		return np_fail(error, NP_ERROR_USAGE, ENODEV,
			       "-D: no device %s; there are: %s", wanted->name, names);
	return np_fail(error, NP_ERROR_USAGE, ENODEV,
		       "-D: no device with a port %u; there are: %s", wanted->port, names);
}

/* Finds the first usable port of an open device. */
static bool find_port(struct np_ibv_device *device, const struct wanted *wanted,
		      struct search *search)
{
	const unsigned ports = device->limits.orig_attr.phys_port_cnt;

	for (unsigned port = 1; port <= ports; port++) {
		struct ibv_port_attr attr = { .state = IBV_PORT_NOP };

		if ((wanted->port != 0 && wanted->port != port) ||
		    ibv_query_port(device->context, (uint8_t)port, &attr) != 0)
			continue;
		if (attr.state != IBV_PORT_ACTIVE) {
			append(search->inactive, sizeof(search->inactive), "%s:%u is %s",
			       device->name, port, np_ibv_port_state(attr.state));
			continue;
		}
		device->port = (uint8_t)port;
		device->port_attr = attr;
		return true;
	}
	return false;
}

/* Records why a device cannot be opened.  The library tries other paths after EACCES
 * and then returns ENOENT, so access() is checked here. */
static void note_closed(struct search *search, const struct ibv_device *device, int code)
{
	char path[96];

	snprintf(search->closed, sizeof(search->closed), "%s", device->dev_name);
	snprintf(path, sizeof(path), "/dev/infiniband/%s", search->closed);
	if (access(path, R_OK | W_OK) != 0 && errno == EACCES)
		code = EACCES;
	search->open_code = code != 0 ? code : ENODEV;
}

/* Opens a device and keeps it open if it has a usable port. */
static bool try_device(struct np_ibv_device *device, struct ibv_device *candidate,
		       const struct wanted *wanted, struct search *search)
{
	const char *name = ibv_get_device_name(candidate);
	int code;

	device->context = NULL;
	if (name == NULL || (wanted->name[0] != '\0' && strcmp(wanted->name, name) != 0))
		return false;
	errno = 0;
	device->context = ibv_open_device(candidate);
	if (device->context == NULL) {
		note_closed(search, candidate, errno);
		return false;
	}
	snprintf(device->name, sizeof(device->name), "%s", name);
	code = ibv_query_device_ex(device->context, NULL, &device->limits);
	if (code == 0 && find_port(device, wanted, search))
		return true;
	if (code != 0)
		note_closed(search, candidate, code);
	ibv_close_device(device->context);
	device->context = NULL;
	return false;
}

static int choose_port(struct np_ibv_device *device, const struct wanted *wanted,
		       struct np_error *error)
{
	struct search search = { .open_code = 0 };
	int count = 0;
	bool found = false;
	struct ibv_device **list = ibv_get_device_list(&count);
	int rc = 0;

	if (list == NULL || count == 0) {
		if (list != NULL)
			ibv_free_device_list(list);
		return fail_no_device(error);
	}
	for (int i = 0; i < count && !found; i++)
		found = try_device(device, list[i], wanted, &search);
	if (!found)
		rc = fail_search(&search, wanted, list, error);
	ibv_free_device_list(list);
	return rc;
}

/* ---- GID --------------------------------------------------------------------- */

/* Preference of a GID, higher is better; 0 for an empty entry. */
static int rank_gid(const struct ibv_gid_entry *entry)
{
	static const union ibv_gid none;
	const unsigned char *raw = entry->gid.raw;
	const bool link_local = raw[0] == 0xfe && (raw[1] & 0xc0) == 0x80;
	const bool routed = entry->gid_type == IBV_GID_TYPE_ROCE_V2;

	if (memcmp(raw, none.raw, sizeof(none.raw)) == 0)
		return 0;
	return 1 + (routed ? 4 : 0) + (np_ibv_gid_is_ipv4(&entry->gid) ? 2 : 0) +
	       (link_local ? 0 : 1);
}

static void take_gid(struct np_ibv_device *device, const struct ibv_gid_entry *entry)
{
	device->gid = entry->gid;
	device->gid_index = (int)entry->gid_index;
	snprintf(device->gid_type, sizeof(device->gid_type), "%s",
		 np_ibv_gid_type(entry->gid_type));
}

static int take_given_gid(struct np_ibv_device *device, const char *text,
			  struct np_error *error)
{
	struct ibv_gid_entry entry = { .gid_index = 0 };
	uint64_t index = 0;
	const int code = np_parse_size(text, &index);

	if (code != 0 || index >= (uint64_t)device->port_attr.gid_tbl_len)
		return np_refuse(error, "--gid-index: %s:%u has GIDs 0 to %d, not %.32s",
				 device->name, device->port,
				 device->port_attr.gid_tbl_len - 1, text);
	if (ibv_query_gid_ex(device->context, device->port, (uint32_t)index, &entry, 0) !=
		    0 ||
	    rank_gid(&entry) == 0)
		return np_fail(
			error, NP_ERROR_USAGE, ENODATA,
			"--gid-index: there is no GID %.32s on %s:%u; --list-devices "
			"lists them",
			text, device->name, device->port);
	take_gid(device, &entry);
	return 0;
}

static int choose_gid(struct np_ibv_device *device, struct np_error *error)
{
	int best = 0;

	for (int i = 0; i < device->port_attr.gid_tbl_len; i++) {
		struct ibv_gid_entry entry = { .gid_index = 0 };

		if (ibv_query_gid_ex(device->context, device->port, (uint32_t)i, &entry,
				     0) != 0 ||
		    rank_gid(&entry) <= best)
			continue;
		best = rank_gid(&entry);
		take_gid(device, &entry);
	}
	if (best == 0 && device->global)
		return np_fail(error, NP_ERROR_FAILED, EADDRNOTAVAIL,
			       "%s:%u has no GID: give its network interface an address",
			       device->name, device->port);
	return 0;
}

static int find_gid(struct np_ibv_device *device, const struct np_ibv_options *options,
		    struct np_error *error)
{
	const char *text = options->gid_index;
	const bool automatic = !np_ibv_is_given(text) || strcmp(text, "auto") == 0;

	device->global = !automatic ||
			 device->port_attr.link_layer == IBV_LINK_LAYER_ETHERNET ||
			 (device->port_attr.flags & IBV_QPF_GRH_REQUIRED) != 0;
	snprintf(device->gid_type, sizeof(device->gid_type), "IB");
	return automatic ? choose_gid(device, error) : take_given_gid(device, text, error);
}

/* ---- MTU and features ---------------------------------------------------------- */

static int check_mtu(struct np_ibv_device *device, size_t wanted, struct np_error *error)
{
	const size_t active = np_ibv_mtu_bytes(device->port_attr.active_mtu);

	if (wanted > active)
		return np_fail(error, NP_ERROR_USAGE, EMSGSIZE,
			       "-m %zu: the active MTU of %s:%u is %zu%s", wanted,
			       device->name, device->port, active,
			       device->port_attr.link_layer == IBV_LINK_LAYER_ETHERNET ?
				       ", what fits a packet of its network interface" :
				       "");
	device->mtu = wanted != 0 ? np_ibv_mtu_of(wanted) : device->port_attr.active_mtu;
	return 0;
}

/* True if the device supports on-demand paging for the transport, in both roles. */
static bool pages_on_demand(const struct ibv_odp_caps *odp,
			    const struct np_ibv_options *options)
{
	const uint32_t has = options->transport == NP_IBV_UD ?
				     odp->per_transport_caps.ud_odp_caps :
				     odp->per_transport_caps.rc_odp_caps;
	uint32_t needs = IBV_ODP_SUPPORT_SEND | IBV_ODP_SUPPORT_RECV;

	if (options->transport == NP_IBV_READ)
		needs = IBV_ODP_SUPPORT_READ;
	if (options->transport == NP_IBV_WRITE || options->transport == NP_IBV_WRITE_IMM)
		needs = IBV_ODP_SUPPORT_WRITE;
	if (options->srq)
		needs |= IBV_ODP_SUPPORT_SRQ_RECV;
	return (odp->general_caps & IBV_ODP_SUPPORT) != 0 && (has & needs) == needs;
}

static int check_features(const struct np_ibv_device *device,
			  const struct np_ibv_options *options, struct np_error *error)
{
	if (options->on_demand && !pages_on_demand(&device->limits.odp_caps, options))
		return np_fail(error, NP_ERROR_USAGE, EOPNOTSUPP,
			       "--odp: device %s has no on-demand paging for -t %s",
			       device->name, np_ibv_transport_names[options->transport]);
	if (np_ibv_is_given(options->moderation) &&
	    device->limits.cq_mod_caps.max_cq_count == 0)
		return np_fail(error, NP_ERROR_USAGE, EOPNOTSUPP,
			       "--cq-moderation: device %s has no completion moderation",
			       device->name);
	if (options->pkey_index >= device->port_attr.pkey_tbl_len)
		return np_refuse(error, "--pkey-index: %s:%u has partition keys 0 to %d",
				 device->name, device->port,
				 device->port_attr.pkey_tbl_len - 1);
	if (device->context->device->transport_type == IBV_TRANSPORT_IWARP)
		return np_fail(error, NP_ERROR_FAILED, EOPNOTSUPP,
			       "device %s speaks iWARP, which this module does not",
			       device->name);
	return 0;
}

int np_ibv_device_open(struct np_ibv_device *device, const struct np_ibv_options *options,
		       struct np_error *error)
{
	struct wanted wanted;
	int rc = parse_wanted(options->device, &wanted, error);

	device->context = NULL;
	if (rc == 0)
		rc = choose_port(device, &wanted, error);
	if (rc == 0 && device->context != NULL)
		rc = check_features(device, options, error);
	if (rc == 0)
		rc = check_mtu(device, options->mtu, error);
	return rc != 0 ? rc : find_gid(device, options, error);
}

void np_ibv_device_close(struct np_ibv_device *device)
{
	if (device->context != NULL)
		ibv_close_device(device->context);
	device->context = NULL;
}
