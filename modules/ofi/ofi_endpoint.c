/*
 * ofi_endpoint.c - endpoint, connection to the peer, and registered memory.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ofi_private.h"

/* Return value of a call of libfabric as that of a hook. */
#define CALL(function, ...) np_ofi_checked(ofi, function(__VA_ARGS__), #function)

/* Reads of the queue without an entry between two checks of the stop flag. */
enum { POLLS = 1000, POLLS_SHARED = 16 };

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
	rc = np_ofi_choose(ofi);
	if (rc != 0)
		return rc;
	return CALL(fi_fabric, ofi->info->fabric_attr, &ofi->fabric, NULL);
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
		return np_ofi_checked(ofi, rc, "fi_cq_open");
	return np_refuse(&ofi->endpoint.error,
			 "-c event: provider %s has no descriptor to wait for "
			 "(FI_WAIT_FD): %s: use -c poll",
			 ofi->info->fabric_attr->prov_name, fi_strerror(-rc));
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
	rc = fi_ep_bind(ofi->ep, &ofi->sends->fid, FI_SEND | FI_WRITE | FI_READ);
	if (rc == 0)
		rc = fi_ep_bind(ofi->ep, &ofi->receives->fid, FI_RECV);
	return np_ofi_checked(ofi, rc, "fi_ep_bind of a counter");
}

/* Binds the queue of connections, or a table of addresses. */
static int bind_peers(struct np_ofi *ofi)
{
	struct fi_av_attr attr = { .type = FI_AV_TABLE, .count = 1 };
	struct fid *of = ofi->events != NULL ? &ofi->events->fid : NULL;
	int rc = 0;

	if (of == NULL) {
		rc = fi_av_open(ofi->domain, &attr, &ofi->addresses, NULL);
		of = rc == 0 ? &ofi->addresses->fid : NULL;
	}
	if (rc == 0)
		rc = fi_ep_bind(ofi->ep, of, 0);
	return np_ofi_checked(ofi, rc, "fi_ep_bind of the peer's address");
}

/* Makes and enables an endpoint with its domain and queue. */
static int make_endpoint(struct np_ofi *ofi, struct fi_info *info)
{
	const bool counts = np_ofi_options_of(ofi)->completion == NP_OFI_COUNTER;
	const uint64_t flags =
		FI_TRANSMIT | FI_RECV | (counts ? FI_SELECTIVE_COMPLETION : 0);
	int rc = CALL(fi_domain, ofi->fabric, info, &ofi->domain, NULL);

	if (rc == 0)
		rc = make_queue(ofi);
	if (rc == 0)
		rc = CALL(fi_endpoint, ofi->domain, info, &ofi->ep, NULL);
	if (rc == 0)
		rc = CALL(fi_ep_bind, ofi->ep, &ofi->queue->fid, flags);
	if (rc == 0 && counts)
		rc = bind_counters(ofi);
	if (rc == 0)
		rc = bind_peers(ofi);
	return rc != 0 ? rc : CALL(fi_enable, ofi->ep);
}

/* ---- connection ---------------------------------------------------------- */

/* Bytes of an address, of which libfabric's are at most some 200. */
enum { ADDRESS_MOST = 512 };

/* Facts of a process, exchanged before it reaches the peer. */
struct about {
	char identity[200]; /* equal in both */
	uint64_t longest;
	uint64_t address_length;
	unsigned char address[ADDRESS_MOST];
};

static bool is_address_mode(const struct np_ofi *ofi)
{
	return (ofi->info->domain_attr->mr_mode & FI_MR_VIRT_ADDR) != 0;
}

/* Exchanges the address of `of` (NULL: none), and checks that the processes match. */
static int exchange_about(struct np_ofi *ofi, struct fid *of, struct about *theirs)
{
	const struct fi_info *info = ofi->info;
	struct about mine = { .longest = info->ep_attr->max_msg_size };
	size_t length = of != NULL ? sizeof(mine.address) : 0;
	char quoted[sizeof(mine.identity)];
	int rc = of != NULL ? fi_getname(of, mine.address, &length) : 0;

	if (rc != 0)
		return np_ofi_checked(ofi, rc, "fi_getname");
	mine.address_length = length;
	snprintf(mine.identity, sizeof(mine.identity),
		 "libfabric %u.%u, provider %s, protocol %u version %u, %s",
		 FI_MAJOR(fi_version()), FI_MINOR(fi_version()),
		 info->fabric_attr->prov_name, info->ep_attr->protocol,
		 info->ep_attr->protocol_version,
		 is_address_mode(ofi) ? "addresses" : "offsets");
	rc = np_boot_exchange(ofi->endpoint.boot, &mine, theirs, sizeof(mine),
			      &ofi->endpoint.error);
	if (rc != 0)
		return rc;
	theirs->identity[sizeof(theirs->identity) - 1] = '\0';
	if (strcmp(mine.identity, theirs->identity) != 0 ||
	    theirs->address_length > ADDRESS_MOST)
		return np_fail(&ofi->endpoint.error, NP_ERROR_FAILED, EPROTO,
			       "this process has %s, and the peer has %s: install the same "
			       "libfabric on both hosts, and name one --provider",
			       mine.identity,
			       np_quote(theirs->identity, quoted, sizeof(quoted)));
	const uint64_t longest =
		mine.longest < theirs->longest ? mine.longest : theirs->longest;

	ofi->endpoint.longest = longest >= SIZE_MAX / 2 ? 0 : (size_t)longest;
	return 0;
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
	return np_ofi_checked(ofi, rc == 1 ? 0 : -FI_EADDRNOTAVAIL,
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
			return np_ofi_checked(ofi, -FI_ECONNRESET, "fi_eq_read");
		if (got == -FI_EAVAIL) {
			fi_eq_readerr(ofi->events, &failure, 0);
			return np_ofi_checked(ofi, -failure.err, "connecting");
		}
		if (got < 0 && got != -FI_EAGAIN)
			return np_ofi_checked(ofi, got, "fi_eq_read");
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
	rc = np_ofi_checked(ofi, rc, "fi_listen");
	if (rc == 0)
		rc = exchange_about(ofi, &ofi->listener->fid, &theirs);
	if (rc == 0)
		rc = wait_event(ofi, FI_CONNREQ, &entry);
	if (rc == 0)
		rc = make_endpoint(ofi, entry.info);
	if (entry.info != NULL)
		fi_freeinfo(entry.info);
	return rc != 0 ? rc : CALL(fi_accept, ofi->ep, NULL, 0);
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
	return rc != 0 ? rc : CALL(fi_connect, ofi->ep, theirs.address, NULL, 0);
}

static int connect_msg(struct np_ofi *ofi)
{
	struct fi_eq_attr attr = { .wait_obj = FI_WAIT_NONE };
	struct fi_eq_cm_entry entry;
	int rc = CALL(fi_eq_open, ofi->fabric, &attr, &ofi->events, NULL);

	if (rc == 0)
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

#define CLOSE(object)                                                                      \
	do {                                                                               \
		if ((object) != NULL)                                                      \
			fi_close(&(object)->fid);                                          \
	} while (0)

struct fid_mr *np_ofi_register(struct np_ofi *ofi, void *base, size_t length)
{
	const bool rma = np_ofi_is_remote(np_ofi_options_of(ofi)->transfer);
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

int np_ofi_reg(struct np_endpoint *endpoint, struct np_region *region)
{
	struct np_ofi *ofi = np_ofi_of(endpoint);
	const struct np_ofi_options *options = np_ofi_options_of(ofi);
	const bool pool = options->registering == NP_OFI_REGISTER_POOL;
	const bool rma = np_ofi_is_remote(options->transfer);
	const size_t parts = region->registrations;
	struct np_ofi_keys *keys = &ofi->keys;

	keys->pool = *region;
	if (!rma && !pool)
		return 0;
	keys->local = calloc(parts, sizeof(struct fid_mr *));
	keys->descriptors = pool ? calloc(parts, sizeof(void *)) : NULL;
	keys->remote = calloc(parts, sizeof(*keys->remote));
	if (keys->local == NULL || (pool && keys->descriptors == NULL) ||
	    keys->remote == NULL)
		return np_fail_errno(&endpoint->error, ENOMEM,
				     "cannot keep %zu registrations", parts);
	for (size_t i = 0; i < parts; i++) {
		unsigned char *base = region->base + i * region->part_size;
		struct fid_mr *part = np_ofi_register(ofi, base, region->part_size);

		if (part == NULL)
			return endpoint->error.code;
		keys->local[i] = part;
		if (pool)
			keys->descriptors[i] = fi_mr_desc(part);
		keys->remote[i].base = is_address_mode(ofi) ? (uintptr_t)base : 0;
		keys->remote[i].key = fi_mr_key(part);
	}
	return rma ? np_boot_exchange(endpoint->boot, keys->remote, keys->remote,
				      parts * sizeof(*keys->remote), &endpoint->error) :
		     0;
}

void np_ofi_unreg(struct np_endpoint *endpoint, struct np_region *region)
{
	struct np_ofi_keys *keys = &np_ofi_of(endpoint)->keys;

	(void)region;
	for (size_t i = 0; keys->local != NULL && i < keys->pool.registrations; i++)
		CLOSE(keys->local[i]);
	free(keys->remote);
	free(keys->descriptors);
	free(keys->local);
	*keys = (struct np_ofi_keys){ .local = NULL };
}

/* ---- close --------------------------------------------------------------- */

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
