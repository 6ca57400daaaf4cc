/*
 * ibv_device.c - selects device and port of this process.
 *
 * Without -D: the port with a GID that is the address of the control connection, or one of
 * the same network interface, since the peer can be reached there; otherwise the first
 * usable port.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ibv_private.h"

/* Device and port of -D. */
struct wanted {
	char name[64]; /* empty: any */
	unsigned port; /* 0: any */
};

/* State of the search: the best port so far, and why others are not usable. */
struct search {
	const struct np_ibv_network *network;
	bool gid_given;		       /* --gid-index: accept any GID */
	enum np_ibv_relation relation; /* of the best port's GID */
	unsigned usable;	       /* ports */
	char unfit[320];	       /* "rxe0:1 is down, ..." */
	int unfit_code;		       /* errno of the first */
	int open_code;		       /* errno of a device that could not be opened */
	char closed[64];	       /* name of its file in /dev/infiniband */
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
	const char *colon = text != NULL ? strrchr(text, ':') : NULL;
	size_t length = text != NULL ? strlen(text) : 0;
	uint64_t port = 0;

	*wanted = (struct wanted){ .port = 0 };
	if (colon != NULL) {
		length = (size_t)(colon - text);
		if (np_parse_count(colon + 1, &port) != 0 || port < 1 || port > 255)
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

	if (search->unfit[0] != '\0')
		return np_fail(error, NP_ERROR_FAILED, search->unfit_code,
			       "no port to use: %s; rdma link, ip link and --list-devices "
			       "show more",
			       search->unfit);
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

static void __attribute__((format(printf, 3, 4)))
note_unfit(struct search *search, int code, const char *format, ...)
{
	char text[160];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	append(search->unfit, sizeof(search->unfit), "%s", text);
	if (search->unfit_code == 0)
		search->unfit_code = code;
}

/* True if the port, whose attributes are in the device, is usable; chooses its GID. */
static bool is_fit(struct np_ibv_device *device, struct search *search,
		   enum np_ibv_relation *relation)
{
	const struct ibv_port_attr *port = &device->port_attr;

	if (port->state != IBV_PORT_ACTIVE) {
		note_unfit(search, ENETDOWN, "%s:%u is %s", device->name, device->port,
			   np_ibv_port_state(port->state));
		return false;
	}
	const enum np_ibv_gids gids = np_ibv_gid_choose(device, search->network, relation);

	if (gids == NP_IBV_GID_FOUND || (search->gid_given && gids != NP_IBV_NO_GID) ||
	    device->fabric == NP_IBV_INFINIBAND)
		return true;
	note_unfit(search, EADDRNOTAVAIL,
		   gids == NP_IBV_NO_GID ?
			   "%s:%u has no GID, since its network interface has no address" :
			   "%s:%u has GIDs of another network namespace only",
		   device->name, device->port);
	return false;
}

/* Finds the best usable port of an open device; false if there is none. */
static bool find_port(struct np_ibv_device *device, const struct wanted *wanted,
		      struct search *search, enum np_ibv_relation *relation)
{
	const unsigned ports = device->limits.orig_attr.phys_port_cnt;
	bool found = false;

	for (unsigned port = 1; port <= ports; port++) {
		struct np_ibv_device with = *device;
		enum np_ibv_relation of = NP_IBV_UNRELATED;

		with.port = (uint8_t)port;
		if ((wanted->port != 0 && wanted->port != port) ||
		    ibv_query_port(with.context, with.port, &with.port_attr) != 0)
			continue;
		with.fabric = np_ibv_fabric_of(with.context, &with.port_attr);
		if (!is_fit(&with, search, &of))
			continue;
		search->usable++;
		if (found && of <= *relation)
			continue;
		found = true;
		*relation = of;
		*device = with;
	}
	return found;
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

/* Opens a device; keeps it open if a port of it is better than the best so far. */
static void try_device(struct np_ibv_device *best, struct ibv_device *candidate,
		       const struct wanted *wanted, struct search *search)
{
	const char *name = ibv_get_device_name(candidate);
	enum np_ibv_relation relation = NP_IBV_UNRELATED;
	struct np_ibv_device device = { .context = NULL };
	int code;

	if (name == NULL || (wanted->name[0] != '\0' && strcmp(wanted->name, name) != 0))
		return;
	errno = 0;
	device.context = ibv_open_device(candidate);
	if (device.context == NULL) {
		note_closed(search, candidate, errno);
		return;
	}
	snprintf(device.name, sizeof(device.name), "%s", name);
	code = ibv_query_device_ex(device.context, NULL, &device.limits);
	if (code != 0)
		note_closed(search, candidate, code);
	if (code == 0 && find_port(&device, wanted, search, &relation) &&
	    (best->context == NULL || relation > search->relation)) {
		np_ibv_device_close(best);
		*best = device;
		search->relation = relation;
		return;
	}
	ibv_close_device(device.context);
}

/* True for an address but those of the loopback: there both processes share the host, and
 * each of its ports reaches it. */
static bool reaches_network(const struct sockaddr_storage *address)
{
	const struct sockaddr_in *four = (const void *)address;
	const struct sockaddr_in6 *six = (const void *)address;

	if (address->ss_family == AF_INET)
		return ntohl(four->sin_addr.s_addr) >> 24 != IN_LOOPBACKNET;
	return address->ss_family == AF_INET6 && !IN6_IS_ADDR_LOOPBACK(&six->sin6_addr);
}

static int choose_port(struct np_ibv_device *device, const struct wanted *wanted,
		       const struct np_ibv_network *network, bool gid_given,
		       struct np_error *error)
{
	struct search search = { .network = network, .gid_given = gid_given };
	int count = 0, rc = 0;
	struct ibv_device **list = ibv_get_device_list(&count);

	if (list == NULL || count == 0) {
		if (list != NULL)
			ibv_free_device_list(list);
		return fail_no_device(error);
	}
	for (int i = 0; i < count; i++)
		try_device(device, list[i], wanted, &search);
	if (device->context == NULL)
		rc = fail_search(&search, wanted, list, error);
	else if (reaches_network(&network->control) && wanted->name[0] == '\0' &&
		 search.relation == NP_IBV_UNRELATED && search.usable > 1)
		device->guessed = search.usable;
	ibv_free_device_list(list);
	return rc;
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
	const uint32_t has =
		options->transport == NP_IBV_UD	 ? odp->per_transport_caps.ud_odp_caps :
		options->connection == NP_IBV_UC ? odp->per_transport_caps.uc_odp_caps :
						   odp->per_transport_caps.rc_odp_caps;
	uint32_t needs = IBV_ODP_SUPPORT_SEND | IBV_ODP_SUPPORT_RECV;

	if (np_ibv_gets(options->transport))
		needs = options->transport == NP_IBV_READ ? IBV_ODP_SUPPORT_READ :
							    IBV_ODP_SUPPORT_ATOMIC;
	if (options->transport == NP_IBV_WRITE || options->transport == NP_IBV_WRITE_IMM)
		needs = IBV_ODP_SUPPORT_WRITE;
	if (options->srq)
		needs |= IBV_ODP_SUPPORT_SRQ_RECV;
	return (odp->general_caps & IBV_ODP_SUPPORT) != 0 && (has & needs) == needs;
}

/* iWARP specifies no immediate data, datagrams, atomic operations or partition keys. */
static int check_iwarp(const struct np_ibv_device *device,
		       const struct np_ibv_options *options, struct np_error *error)
{
	const int transport = options->transport;
	const char *lacks = transport == NP_IBV_UD	? "datagrams" :
			    np_ibv_is_atomic(transport) ? "atomic operations" :
							  "immediate data";

	if (options->connection == NP_IBV_UC)
		return np_fail(error, NP_ERROR_USAGE, EOPNOTSUPP,
			       "--connection uc: device %s is iWARP, which is reliable",
			       device->name);

	if (transport == NP_IBV_UD || transport == NP_IBV_SEND_IMM ||
	    transport == NP_IBV_WRITE_IMM || np_ibv_is_atomic(transport))
		return np_fail(error, NP_ERROR_USAGE, EOPNOTSUPP,
			       "-t %s: device %s is iWARP, which has no %s: -t send_recv, "
			       "rdma_write or rdma_read",
			       np_ibv_transport_names[transport], device->name, lacks);
	if (options->pkey_index != 0)
		return np_fail(error, NP_ERROR_USAGE, EOPNOTSUPP,
			       "--pkey-index: device %s is iWARP, which has no partitions",
			       device->name);
	return 0;
}

static int check_features(const struct np_ibv_device *device,
			  const struct np_ibv_options *options, struct np_error *error)
{
	if (np_ibv_is_on_demand(options) &&
	    !pages_on_demand(&device->limits.odp_caps, options))
		return np_fail(error, NP_ERROR_USAGE, EOPNOTSUPP,
			       "--register %s: device %s has no on-demand paging for -t %s",
			       np_ibv_registering_names[options->registering], device->name,
			       np_ibv_transport_names[options->transport]);
	if (options->registering == NP_IBV_REGISTER_IMPLICIT &&
	    (device->limits.odp_caps.general_caps & IBV_ODP_SUPPORT_IMPLICIT) == 0)
		return np_fail(error, NP_ERROR_USAGE, EOPNOTSUPP,
			       "--register odp-implicit: device %s registers no whole "
			       "address space: --register odp",
			       device->name);
	if (options->moderation != NULL && device->limits.cq_mod_caps.max_cq_count == 0)
		return np_fail(error, NP_ERROR_USAGE, EOPNOTSUPP,
			       "--cq-moderation: device %s has no completion moderation",
			       device->name);
	if (options->vector >= (uint64_t)device->context->num_comp_vectors)
		return np_refuse(error, "--comp-vector: %s has completion vectors 0 to %d",
				 device->name, device->context->num_comp_vectors - 1);
	if (device->fabric == NP_IBV_IWARP)
		return check_iwarp(device, options, error);
	if (np_ibv_is_atomic(options->transport) &&
	    device->limits.orig_attr.atomic_cap == IBV_ATOMIC_NONE)
		return np_fail(error, NP_ERROR_USAGE, EOPNOTSUPP,
			       "-t %s: device %s has no atomic operations",
			       np_ibv_transport_names[options->transport], device->name);
	if (options->connection == NP_IBV_RDMACM && options->pkey_index != 0)
		return np_refuse(
			error, "--pkey-index: --connection rdmacm has the partition of the "
			       "network "
			       "interface whose address it connects by: --gid-index, or -h "
			       "with an address of the partition's interface (ib0.8001)");
	if (options->pkey_index >= device->port_attr.pkey_tbl_len)
		return np_refuse(error, "--pkey-index: %s:%u has partition keys 0 to %d",
				 device->name, device->port,
				 device->port_attr.pkey_tbl_len - 1);
	return 0;
}

static void name_bond(struct np_ibv_device *device, const struct np_ibv_network *network)
{
	const char *bond = np_ibv_network_bond(network, &device->gid);

	snprintf(device->bond, sizeof(device->bond), "%s", bond != NULL ? bond : "");
}

int np_ibv_device_open(struct np_ibv_device *device, const struct np_ibv_options *options,
		       const struct sockaddr_storage *control, struct np_error *error)
{
	const char *gid = options->gid_index;
	const bool gid_given = gid != NULL && strcmp(gid, "auto") != 0;
	struct np_ibv_network network;
	struct wanted wanted;
	int rc = parse_wanted(options->device, &wanted, error);

	device->context = NULL;
	np_ibv_network_open(&network, control);
	if (rc == 0)
		rc = choose_port(device, &wanted, &network, gid_given, error);
	if (rc == 0 && device->context != NULL)
		rc = check_features(device, options, error);
	if (rc == 0)
		rc = check_mtu(device, options->mtu, error);
	if (rc == 0)
		rc = np_ibv_gid_settle(device, options, error);
	if (rc == 0 && device->fabric == NP_IBV_ROCE)
		name_bond(device, &network);
	np_ibv_network_close(&network);
	return rc;
}

void np_ibv_device_close(struct np_ibv_device *device)
{
	if (device->context != NULL)
		ibv_close_device(device->context);
	device->context = NULL;
}
