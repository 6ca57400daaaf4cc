/*
 * ofi_endpoint.c - provider, endpoint, connection to the peer, and registered memory.
 */
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ofi_hot.h"

/* Reads of the queue without an entry between two checks of the stop flag. */
enum { POLLS = 1000, POLLS_SHARED = 16 };

/* ---- provider ------------------------------------------------------------ */

struct fi_info *np_ofi_hints(const struct np_ofi_options *options)
{
	struct fi_info *hints = fi_allocinfo();
	const bool registers = options->registering != NP_OFI_REGISTER_NONE;

	if (hints == NULL)
		return NULL;
	hints->caps = options->transfer == NP_OFI_TAGGED ? FI_TAGGED : FI_MSG;
	if (np_ofi_is_rma(options))
		hints->caps |= FI_RMA;
	hints->mode = FI_CONTEXT | FI_CONTEXT2;
	hints->ep_attr->type = options->endpoint != 0 ? FI_EP_MSG : FI_EP_RDM;
	hints->domain_attr->mr_mode = FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY |
				      FI_MR_ENDPOINT | (registers ? FI_MR_LOCAL : 0);
	hints->domain_attr->threading = FI_THREAD_DOMAIN;
	hints->domain_attr->resource_mgmt = FI_RM_ENABLED;
	hints->tx_attr->msg_order = FI_ORDER_SAS;
	hints->rx_attr->msg_order = FI_ORDER_SAS;
	if (options->provider != NULL)
		hints->fabric_attr->prov_name = strdup(options->provider);
	return hints;
}

/* Limits the search to the address by which the peer is reached already. */
static void add_local_address(struct np_ofi *ofi, struct fi_info *hints)
{
	struct sockaddr_storage address;
	struct sockaddr_in6 *six = (struct sockaddr_in6 *)&address;
	struct sockaddr_in four = { .sin_family = AF_INET };

	if (np_ofi_options_of(ofi)->domain != NULL ||
	    !np_boot_local_address(ofi->endpoint.boot, &address))
		return;
	if (address.ss_family == AF_INET)
		four.sin_addr = ((struct sockaddr_in *)&address)->sin_addr;
	else if (IN6_IS_ADDR_V4MAPPED(&six->sin6_addr))
		memcpy(&four.sin_addr, &six->sin6_addr.s6_addr[12], sizeof(four.sin_addr));
	six->sin6_port = 0;
	const bool is_four = four.sin_addr.s_addr != 0;

	hints->addr_format = is_four ? FI_SOCKADDR_IN : FI_SOCKADDR_IN6;
	hints->src_addrlen = is_four ? sizeof(four) : sizeof(*six);
	hints->src_addr = malloc(hints->src_addrlen);
	if (hints->src_addr != NULL)
		memcpy(hints->src_addr, is_four ? (void *)&four : six, hints->src_addrlen);
	else
		hints->src_addrlen = 0;
}

/* Moves the first endpoint of -D to the front: providers of IP ignore a domain in hints. */
static int keep_domain(struct np_ofi *ofi)
{
	const char *domain = np_ofi_options_of(ofi)->domain;

	while (ofi->info != NULL && domain != NULL &&
	       strcmp(ofi->info->domain_attr->name, domain) != 0) {
		struct fi_info *other = ofi->info;

		ofi->info = other->next;
		other->next = NULL;
		fi_freeinfo(other);
	}
	return ofi->info != NULL ? 0 : -FI_ENODATA;
}

static int choose_provider(struct np_ofi *ofi)
{
	const struct np_ofi_options *options = np_ofi_options_of(ofi);
	struct np_error *error = &ofi->endpoint.error;
	struct fi_info *hints = np_ofi_hints(options);

	if (hints == NULL)
		return np_fail_errno(error, ENOMEM, "cannot ask libfabric for providers");
	if (!np_boot_shares_host(ofi->endpoint.boot))
		hints->caps |= FI_REMOTE_COMM;
	add_local_address(ofi, hints);
	int rc = fi_getinfo(FI_VERSION(1, 14), NULL, NULL, 0, hints, &ofi->info);
	if (rc == -FI_ENODATA && hints->src_addr != NULL) {
		/* Providers whose addresses are not those of IP. */
		free(hints->src_addr);
		hints->src_addr = NULL;
		hints->src_addrlen = 0;
		hints->addr_format = FI_FORMAT_UNSPEC;
		rc = fi_getinfo(FI_VERSION(1, 14), NULL, NULL, 0, hints, &ofi->info);
	}
	fi_freeinfo(hints);
	if (rc == 0)
		rc = keep_domain(ofi);
	return rc == 0 ? 0 : np_ofi_no_provider(options, -rc, error);
}

int np_ofi_open(struct np_endpoint *endpoint)
{
	struct np_ofi *ofi = np_ofi_of(endpoint);
	int rc;

	ofi->event_fd = -1;
	ofi->poll_interval = endpoint->share_core ? POLLS_SHARED : POLLS;
	ofi->ring = calloc(NP_OFI_RING, sizeof(*ofi->ring));
	ofi->pool = calloc(NP_OFI_RING, sizeof(*ofi->pool));
	if (ofi->ring == NULL || ofi->pool == NULL)
		return np_fail_errno(&endpoint->error, ENOMEM, "cannot keep %d operations",
				     NP_OFI_RING);
	for (size_t i = 0; i < NP_OFI_RING; i++) {
		ofi->pool[i].sends = true;
		ofi->pool[i].next = ofi->free;
		ofi->free = &ofi->pool[i];
	}
	rc = choose_provider(ofi);
	if (rc != 0)
		return rc;
	rc = fi_fabric(ofi->info->fabric_attr, &ofi->fabric, NULL);
	return rc == 0 ? 0 : np_ofi_failed(ofi, rc, "fi_fabric");
}

/* ---- endpoint ------------------------------------------------------------ */

static int make_queue(struct np_ofi *ofi)
{
	const bool sleeps = np_ofi_options_of(ofi)->completion == NP_OFI_EVENT;
	struct fi_cq_attr attr = { .size = 2 * (size_t)NP_OFI_RING,
				   .format = FI_CQ_FORMAT_MSG,
				   .wait_obj = sleeps ? FI_WAIT_FD : FI_WAIT_NONE };
	int rc = fi_cq_open(ofi->domain, &attr, &ofi->queue, NULL);

	if (rc == 0 && sleeps)
		rc = fi_control(&ofi->queue->fid, FI_GETWAIT, &ofi->event_fd);
	if (rc == 0)
		return 0;
	if (!sleeps)
		return np_ofi_failed(ofi, rc, "fi_cq_open");
	return np_refuse(&ofi->endpoint.error,
			 "-c event: provider %s has no descriptor to wait for "
			 "(FI_WAIT_FD): %s: use -c poll",
			 ofi->info->fabric_attr->prov_name, fi_strerror(-rc));
}

/* Binds one object to the endpoint. */
static int bind_to(struct np_ofi *ofi, int rc, struct fid *object, uint64_t flags,
		   const char *call)
{
	if (rc == 0)
		rc = fi_ep_bind(ofi->ep, object, flags);
	return rc == 0 ? 0 : np_ofi_failed(ofi, rc, call);
}

static int bind_counters(struct np_ofi *ofi)
{
	struct fi_cntr_attr attr = { .events = FI_CNTR_EVENTS_COMP,
				     .wait_obj = FI_WAIT_NONE };
	int rc = fi_cntr_open(ofi->domain, &attr, &ofi->sends, NULL);

	if (rc == 0)
		rc = fi_cntr_open(ofi->domain, &attr, &ofi->receives, NULL);
	if (rc != 0)
		return np_refuse(&ofi->endpoint.error,
				 "-c counter: provider %s has no counters: %s: use -c poll",
				 ofi->info->fabric_attr->prov_name, fi_strerror(-rc));
	rc = bind_to(ofi, 0, &ofi->sends->fid, FI_SEND | FI_WRITE | FI_READ, "fi_ep_bind");
	return rc != 0 ? rc : bind_to(ofi, 0, &ofi->receives->fid, FI_RECV, "fi_ep_bind");
}

/* Makes and enables an endpoint with its domain and queue. */
static int make_endpoint(struct np_ofi *ofi, struct fi_info *info)
{
	const bool counts = np_ofi_options_of(ofi)->completion == NP_OFI_COUNTER;
	struct fi_av_attr attr = { .type = FI_AV_TABLE, .count = 1 };
	int rc = fi_domain(ofi->fabric, info, &ofi->domain, NULL);

	if (rc != 0)
		return np_ofi_failed(ofi, rc, "fi_domain");
	rc = make_queue(ofi);
	if (rc != 0)
		return rc;
	rc = fi_endpoint(ofi->domain, info, &ofi->ep, NULL);
	if (rc != 0)
		return np_ofi_failed(ofi, rc, "fi_endpoint");
	rc = bind_to(ofi, 0, &ofi->queue->fid,
		     FI_TRANSMIT | FI_RECV | (counts ? FI_SELECTIVE_COMPLETION : 0),
		     "fi_ep_bind");
	if (rc == 0 && counts)
		rc = bind_counters(ofi);
	if (rc == 0 && ofi->events != NULL) {
		rc = bind_to(ofi, 0, &ofi->events->fid, 0, "fi_ep_bind");
	} else if (rc == 0) {
		rc = fi_av_open(ofi->domain, &attr, &ofi->addresses, NULL);
		rc = bind_to(ofi, rc, rc == 0 ? &ofi->addresses->fid : NULL, 0,
			     "fi_av_open");
	}
	if (rc != 0)
		return rc;
	rc = fi_enable(ofi->ep);
	return rc == 0 ? 0 : np_ofi_failed(ofi, rc, "fi_enable");
}

/* ---- connection ---------------------------------------------------------- */

/* Bytes of an address, of which libfabric's are at most some 200. */
enum { ADDRESS_MOST = 512 };

/* Facts of a process, exchanged before it reaches the peer. */
struct about {
	uint32_t version, protocol, protocol_version;
	char provider[60];
	uint64_t longest, base_is_address;
	uint64_t address_length;
	unsigned char address[ADDRESS_MOST];
};

static bool is_address_mode(const struct np_ofi *ofi)
{
	return (ofi->info->domain_attr->mr_mode & FI_MR_VIRT_ADDR) != 0;
}

static int check_peer(struct np_ofi *ofi, const struct about *mine,
		      const struct about *theirs)
{
	struct np_error *error = &ofi->endpoint.error;
	char quoted[64];

	if (strncmp(mine->provider, theirs->provider, sizeof(mine->provider)) != 0)
		return np_fail(error, NP_ERROR_FAILED, EPROTO,
			       "this process has provider %s and the peer has %.59s: name "
			       "one that both have with --provider",
			       mine->provider,
			       np_quote(theirs->provider, quoted, sizeof(quoted)));
	if (mine->version != theirs->version || mine->protocol != theirs->protocol ||
	    mine->protocol_version != theirs->protocol_version)
		return np_fail(error, NP_ERROR_FAILED, EPROTO,
			       "this process has libfabric %u.%u, %s protocol version %u, "
			       "and the peer has %u.%u, version %u: their messages may "
			       "differ: install the same on both hosts",
			       FI_MAJOR(mine->version), FI_MINOR(mine->version),
			       mine->provider, mine->protocol_version,
			       FI_MAJOR(theirs->version), FI_MINOR(theirs->version),
			       theirs->protocol_version);
	if (mine->base_is_address != theirs->base_is_address ||
	    theirs->address_length > ADDRESS_MOST)
		return np_fail(error, NP_ERROR_FAILED, EPROTO,
			       "the peer's domain of provider %s addresses memory "
			       "differently: name one with -D on both hosts",
			       mine->provider);
	return 0;
}

/* Exchanges the address of `of` (NULL: none), and checks that the processes match. */
static int exchange_about(struct np_ofi *ofi, struct fid *of, struct about *theirs)
{
	const struct fi_info *info = ofi->info;
	struct about mine = { .version = fi_version(),
			      .protocol = info->ep_attr->protocol,
			      .protocol_version = info->ep_attr->protocol_version,
			      .longest = info->ep_attr->max_msg_size,
			      .base_is_address = is_address_mode(ofi) ? 1 : 0 };
	size_t length = of != NULL ? sizeof(mine.address) : 0;
	int rc = of != NULL ? fi_getname(of, mine.address, &length) : 0;

	if (rc != 0)
		return np_ofi_failed(ofi, rc, "fi_getname");
	mine.address_length = length;
	snprintf(mine.provider, sizeof(mine.provider), "%s", info->fabric_attr->prov_name);
	rc = np_boot_exchange(ofi->endpoint.boot, &mine, theirs, sizeof(mine),
			      &ofi->endpoint.error);
	if (rc != 0)
		return rc;
	const uint64_t longest =
		mine.longest < theirs->longest ? mine.longest : theirs->longest;

	ofi->endpoint.longest = longest >= SIZE_MAX / 2 ? 0 : (size_t)longest;
	return check_peer(ofi, &mine, theirs);
}

static int connect_rdm(struct np_ofi *ofi)
{
	struct about theirs;
	int rc = make_endpoint(ofi, ofi->info);

	if (rc == 0)
		rc = exchange_about(ofi, &ofi->ep->fid, &theirs);
	if (rc != 0)
		return rc;
	rc = fi_av_insert(ofi->addresses, theirs.address, 1, &ofi->peer, 0, NULL);
	return rc == 1 ? 0 :
			 np_ofi_failed(ofi, rc < 0 ? rc : -FI_EADDRNOTAVAIL,
				       "fi_av_insert of the peer's address");
}

/* Waits for an event of a connection. */
static int wait_event(struct np_ofi *ofi, uint32_t wanted, struct fi_eq_cm_entry *entry)
{
	struct fi_eq_err_entry failure = { .err = 0 };
	uint32_t event = 0;

	for (;;) {
		const ssize_t got =
			fi_eq_read(ofi->events, &event, entry, sizeof(*entry), 0);

		if (got >= 0 && event == wanted)
			return 0;
		if (got >= 0 && event == FI_SHUTDOWN)
			return np_ofi_failed(ofi, -FI_ECONNRESET, "fi_eq_read");
		if (got == -FI_EAVAIL) {
			fi_eq_readerr(ofi->events, &failure, 0);
			return np_ofi_failed(ofi, -failure.err, "connecting");
		}
		if (got < 0 && got != -FI_EAGAIN)
			return np_ofi_failed(ofi, got, "fi_eq_read");
		if (np_give_way(&ofi->endpoint))
			return -ECANCELED;
		usleep(100);
	}
}

/* Rank 1 of FI_EP_MSG: listens, and accepts the connection of rank 0. */
static int accept_peer(struct np_ofi *ofi)
{
	struct fi_eq_cm_entry entry = { .info = NULL };
	struct about theirs;
	int rc = fi_passive_ep(ofi->fabric, ofi->info, &ofi->listener, NULL);

	if (rc == 0)
		rc = fi_pep_bind(ofi->listener, &ofi->events->fid, 0);
	if (rc == 0)
		rc = fi_listen(ofi->listener);
	if (rc != 0)
		return np_ofi_failed(ofi, rc, "fi_listen");
	rc = exchange_about(ofi, &ofi->listener->fid, &theirs);
	if (rc == 0)
		rc = wait_event(ofi, FI_CONNREQ, &entry);
	if (rc == 0)
		rc = make_endpoint(ofi, entry.info);
	if (entry.info != NULL)
		fi_freeinfo(entry.info);
	if (rc != 0)
		return rc;
	rc = fi_accept(ofi->ep, NULL, 0);
	return rc == 0 ? 0 : np_ofi_failed(ofi, rc, "fi_accept");
}

/* Rank 0 of FI_EP_MSG. */
static int reach_peer(struct np_ofi *ofi)
{
	struct fi_info *info = ofi->info;
	struct about theirs;
	int rc = exchange_about(ofi, NULL, &theirs);

	if (rc != 0)
		return rc;
	/* Providers of RDMA choose the device by the route to the peer. */
	free(info->dest_addr);
	info->dest_addrlen = (size_t)theirs.address_length;
	info->dest_addr = malloc(info->dest_addrlen);
	if (info->dest_addr == NULL)
		return np_fail_errno(&ofi->endpoint.error, ENOMEM,
				     "cannot keep the peer's address");
	memcpy(info->dest_addr, theirs.address, info->dest_addrlen);
	rc = make_endpoint(ofi, info);
	if (rc != 0)
		return rc;
	rc = fi_connect(ofi->ep, theirs.address, NULL, 0);
	return rc == 0 ? 0 : np_ofi_failed(ofi, rc, "fi_connect");
}

static int connect_msg(struct np_ofi *ofi)
{
	struct fi_eq_attr attr = { .wait_obj = FI_WAIT_NONE };
	struct fi_eq_cm_entry entry;
	int rc = fi_eq_open(ofi->fabric, &attr, &ofi->events, NULL);

	if (rc != 0)
		return np_ofi_failed(ofi, rc, "fi_eq_open");
	rc = ofi->endpoint.rank == 0 ? reach_peer(ofi) : accept_peer(ofi);
	return rc != 0 ? rc : wait_event(ofi, FI_CONNECTED, &entry);
}

int np_ofi_connect(struct np_endpoint *endpoint)
{
	struct np_ofi *ofi = np_ofi_of(endpoint);
	const int rc =
		np_ofi_options_of(ofi)->endpoint != 0 ? connect_msg(ofi) : connect_rdm(ofi);

	return rc == 0 ? np_ofi_greet(ofi) : rc;
}

/* ---- memory -------------------------------------------------------------- */

struct fid_mr *np_ofi_register(struct np_ofi *ofi, void *base, size_t length)
{
	const bool rma = np_ofi_is_rma(np_ofi_options_of(ofi));
	const uint64_t access =
		FI_SEND | FI_RECV |
		(rma ? FI_READ | FI_WRITE | FI_REMOTE_READ | FI_REMOTE_WRITE : 0);
	struct fid_mr *region = NULL;
	int rc = fi_mr_reg(ofi->domain, base, length, access, 0, ofi->next_key++, 0,
			   &region, NULL);

	if (rc == 0 && (ofi->info->domain_attr->mr_mode & FI_MR_ENDPOINT) != 0) {
		rc = fi_mr_bind(region, &ofi->ep->fid, 0);
		if (rc == 0)
			rc = fi_mr_enable(region);
		if (rc != 0)
			fi_close(&region->fid);
	}
	if (rc == 0)
		return region;
	np_fail(&ofi->endpoint.error, NP_ERROR_FAILED, ENOMEM,
		"libfabric cannot register %zu bytes: %s: take a smaller --pool, or raise "
		"memlock in /etc/security/limits.conf",
		length, fi_strerror(-rc));
	return NULL;
}

static int map_parts(struct np_ofi *ofi, const struct np_region *region)
{
	struct np_ofi_keys *keys = &ofi->keys;
	const size_t parts = region->registrations;

	keys->local = calloc(parts, sizeof(struct fid_mr *));
	if (np_ofi_options_of(ofi)->registering == NP_OFI_REGISTER_POOL)
		keys->descriptors = calloc(parts, sizeof(void *));
	if (keys->local == NULL ||
	    (np_ofi_options_of(ofi)->registering == NP_OFI_REGISTER_POOL &&
	     keys->descriptors == NULL))
		return np_fail_errno(&ofi->endpoint.error, ENOMEM,
				     "cannot keep %zu registrations", parts);
	keys->parts = parts;
	keys->part_size = region->part_size;
	for (size_t i = 0; i < parts; i++) {
		keys->local[i] = np_ofi_register(ofi, region->base + i * region->part_size,
						 region->part_size);
		if (keys->local[i] == NULL)
			return ofi->endpoint.error.code;
		if (keys->descriptors != NULL)
			keys->descriptors[i] = fi_mr_desc(keys->local[i]);
	}
	return 0;
}

/* Registrations per exchange of at most 64 KiB. */
enum { KEYS = 1024 };

static int exchange_keys(struct np_ofi *ofi, const struct np_region *region)
{
	struct np_ofi_keys *keys = &ofi->keys;
	struct np_ofi_remote *mine = calloc(keys->parts, sizeof(*mine));
	int rc = 0;

	keys->remote = calloc(keys->parts, sizeof(*keys->remote));
	if (mine == NULL || keys->remote == NULL) {
		free(mine);
		return np_fail_errno(&ofi->endpoint.error, ENOMEM, "cannot keep keys");
	}
	for (size_t i = 0; i < keys->parts; i++) {
		const unsigned char *base = region->base + i * region->part_size;

		mine[i].base = is_address_mode(ofi) ? (uintptr_t)base : 0;
		mine[i].key = fi_mr_key(keys->local[i]);
	}
	for (size_t i = 0; rc == 0 && i < keys->parts; i += KEYS) {
		const size_t count = keys->parts - i < KEYS ? keys->parts - i : KEYS;

		rc = np_boot_exchange(ofi->endpoint.boot, &mine[i], &keys->remote[i],
				      count * sizeof(*mine), &ofi->endpoint.error);
	}
	free(mine);
	return rc;
}

int np_ofi_reg(struct np_endpoint *endpoint, struct np_region *region)
{
	struct np_ofi *ofi = np_ofi_of(endpoint);
	const struct np_ofi_options *options = np_ofi_options_of(ofi);
	int rc;

	ofi->keys.base = region->base;
	ofi->keys.parts = 1;
	if (!np_ofi_is_rma(options) && options->registering != NP_OFI_REGISTER_POOL)
		return 0;
	rc = map_parts(ofi, region);
	return rc == 0 && np_ofi_is_rma(options) ? exchange_keys(ofi, region) : rc;
}

void np_ofi_unreg(struct np_endpoint *endpoint, struct np_region *region)
{
	struct np_ofi_keys *keys = &np_ofi_of(endpoint)->keys;

	(void)region;
	for (size_t i = 0; keys->local != NULL && i < keys->parts; i++) {
		if (keys->local[i] != NULL)
			fi_close(&keys->local[i]->fid);
	}
	free(keys->remote);
	free(keys->descriptors);
	free(keys->local);
	*keys = (struct np_ofi_keys){ .parts = 1 };
}

/* ---- close --------------------------------------------------------------- */

#define CLOSE(object)                                                                      \
	do {                                                                               \
		if ((object) != NULL)                                                      \
			fi_close(&(object)->fid);                                          \
	} while (0)

void np_ofi_close(struct np_endpoint *endpoint)
{
	struct np_ofi *ofi = np_ofi_of(endpoint);

	CLOSE(ofi->ep);
	for (size_t i = 0; ofi->ring != NULL && i < NP_OFI_RING; i++)
		CLOSE(ofi->ring[i].region);
	CLOSE(ofi->addresses);
	CLOSE(ofi->sends);
	CLOSE(ofi->receives);
	CLOSE(ofi->queue);
	CLOSE(ofi->domain);
	CLOSE(ofi->listener);
	CLOSE(ofi->events);
	CLOSE(ofi->fabric);
	if (ofi->info != NULL)
		fi_freeinfo(ofi->info);
	/* Posted receives refer to these entries until the endpoint is closed. */
	free(ofi->ring);
	free(ofi->pool);
}
