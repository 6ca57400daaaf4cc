/*
 * boot_tcp.c - control channel over TCP: dial, accept, compare hosts; meeting of ranks 0
 * and 1 of a job that an MPI launcher started.
 */
#include "boot/boot_tcp.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "boot/channel.h"
#include "base/clock.h"
#include "boot/frame.h"
#include "boot/link_handshake.h"
#include "boot/link.h"
#include "boot/reply.h"
#include "boot/resolve.h"

enum {
	/* Server: from the control link to the end of the greeting. */
	GREETING_MS = 5000,
	/* Client: each try of the greeting, and what a last one has after the retries. */
	TRY_MS = 8000,
	LAST_TRY_MS = 5000,
	CONNECT_MS = 5000, /* an address, at most */
	LOOKUP_MS = 5000,
	RETRY_PAUSE_MS = 100,
	UNACKED_MS = 6000 /* longer than the watcher waits for a heartbeat */
};

/* Commands and replies are short, and the peer waits for them. */
static void disable_nagle(int fd)
{
	const int on = 1;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

/* TCP_USER_TIMEOUT ends the heartbeat link when the peer acknowledges nothing.  Received
 * heartbeats do not show such a loss: if only the outgoing direction drops packets, they
 * arrive for a while longer, as the peer's TCP retransmits them. */
static void set_user_timeout(int link)
{
	const unsigned ms = UNACKED_MS;

	setsockopt(link, IPPROTO_TCP, TCP_USER_TIMEOUT, &ms, sizeof(ms));
}

/* Two processes share a host if they share a boot_id: host names are not unique among
 * containers and clones. */
int np_boot_compare_hosts(struct np_boot *boot, struct np_error *error)
{
	char mine[NP_KERNEL_BOOT];
	struct np_frame frame;

	np_boot_kernel(mine);
	/* The receive has a deadline, unlike np_boot_exchange(): a peer that sends only
	 * hellos must not block the server. */
	int rc = np_frame_send(boot->control, NP_FRAME_EXCHANGE, mine, sizeof(mine));
	if (rc == 0)
		rc = np_frame_receive(boot->control, &frame, boot->greeting);
	if (rc != 0)
		return np_boot_lost(rc, error);
	const bool understood =
		frame.kind == NP_FRAME_EXCHANGE && frame.length == sizeof(mine);
	boot->same_host = understood && mine[0] != '\0' &&
			  memcmp(mine, frame.payload, sizeof(mine)) == 0;
	free(frame.payload);
	return understood ? 0 : np_boot_lost(-EPROTO, error);
}

int np_boot_complete(struct np_boot *boot, const struct np_link_wait *criteria,
		     struct np_error *error)
{
	struct np_link_wait wait = *criteria;

	disable_nagle(boot->control);
	wait.kinds = np_link_bit(NP_LINK_HEARTBEAT);
	wait.token = boot->token;
	wait.deadline = boot->greeting = np_deadline_in(GREETING_MS);
	/* No data is due on the control link before the heartbeat link is established: a
	 * readable link means that the peer is gone, and others may connect. */
	wait.wake = boot->control;
	const int rc =
		boot->relay >= 0 ?
			np_link_relay_receive(boot->relay, &wait, &boot->heartbeat, error) :
			np_link_accept(boot->listener, &wait, &boot->heartbeat, error);
	if (rc == -EINTR)
		return np_fail(error, NP_ERROR_PEER, ECONNRESET,
			       "a peer left before its run began");
	if (rc == 0)
		set_user_timeout(boot->heartbeat);
	return rc;
}

int np_boot_wait(struct np_boot *boot, const struct np_link_wait *criteria,
		 struct np_error *error)
{
	struct np_link_wait wait = *criteria;

	boot->key = criteria->key;
	/* Reset: a client that left before its run began may have set it. */
	boot->same_host = false;
	wait.kinds = np_link_bit(NP_LINK_CONTROL);
	wait.token = boot->token;
	const int rc = np_link_accept(boot->listener, &wait, &boot->control, error);
	return rc != 0 ? rc : np_boot_complete(boot, criteria, error);
}

/* Opens one link to one address, which has to connect within connect_ms.  Returns as
 * np_link_open(). */
static int dial_link(struct np_boot *boot, const struct np_dial *dial,
		     enum np_link_kind kind, const struct addrinfo *to, int connect_ms,
		     int *fd, struct np_error *error)
{
	const struct np_link_order order = {
		.address = to->ai_addr,
		.length = to->ai_addrlen,
		.from = (const struct sockaddr *)&boot->from,
		.from_length = boot->from_length,
		.handshake = { .identity = dial->identity,
			       .kind = kind,
			       .token = boot->token,
			       .key = dial->key },
		.control = boot->control,
		.connected = np_deadline_in((uint64_t)connect_ms),
		.deadline = boot->greeting,
	};

	return np_link_open(&order, fd, error);
}

static int count_addresses(const struct addrinfo *list)
{
	int count = 0;

	for (const struct addrinfo *at = list; at != NULL; at = at->ai_next)
		count++;
	return count;
}

/* Dials one address after the other, each with its share of the time. */
static int dial_any(struct np_boot *boot, const struct np_dial *dial,
		    const struct addrinfo *list, const struct addrinfo **reached,
		    struct np_error *error)
{
	int rc = -EHOSTUNREACH;

	for (const struct addrinfo *at = list; at != NULL; at = at->ai_next) {
		const int share =
			np_deadline_left_ms(boot->greeting, TRY_MS) / count_addresses(at);

		rc = dial_link(boot, dial, NP_LINK_CONTROL, at,
			       share < CONNECT_MS ? share : CONNECT_MS, &boot->control,
			       error);
		if (rc == 0)
			*reached = at;
		if (rc == 0 || error->code != 0)
			return rc;
	}
	return rc;
}

static int dial_until(struct np_boot *boot, const struct np_dial *dial,
		      const struct addrinfo *list, const struct addrinfo **reached,
		      struct np_error *error)
{
	const struct np_deadline retries = np_deadline_in((uint64_t)dial->retry_ms);
	const struct np_deadline tries =
		np_deadline_in(dial->retry_ms < TRY_MS - LAST_TRY_MS ?
				       TRY_MS :
				       (uint64_t)dial->retry_ms + LAST_TRY_MS);
	const struct np_deadline whole = np_deadline_of(tries, dial->deadline);
	const struct timespec pause = { .tv_nsec = RETRY_PAUSE_MS * 1000000L };
	int rc;

	for (;;) {
		boot->greeting = np_deadline_of(whole, np_deadline_in(TRY_MS));
		rc = dial_any(boot, dial, list, reached, error);
		if (rc == 0 || !np_link_may_retry(rc, error) ||
		    np_deadline_is_over(np_deadline_of(retries, whole)))
			return rc;
		*error = (struct np_error){ .code = 0 };
		nanosleep(&pause, NULL);
	}
}

/* Replaces the error of a second connection that fails where the first did not: another
 * server was reached. */
static void name_other_server(const struct np_dial *dial, struct np_error *error)
{
	const struct np_error why = *error;

	*error = (struct np_error){ .code = 0 };
	np_fail(error, NP_ERROR_PEER, ECONNREFUSED,
		"the second connection to %.100s port %u reached another server than the "
		"first: a load balancer, or several hosts behind one address, lead "
		"them apart; give the address of one server%s%.150s",
		dial->host, (unsigned)dial->port, why.code != 0 ? "; " : "", why.text);
}

/* As np_boot_dial(), for a channel that has its token, at the first address of the list
 * that answers.  Returns 0; or -errno, with a text only if a peer refused. */
static int dial_list(struct np_boot *boot, const struct np_dial *dial,
		     const struct addrinfo *list, struct np_error *error)
{
	const struct addrinfo *reached = NULL;
	int rc = dial_until(boot, dial, list, &reached, error);

	if (rc != 0)
		return rc;
	memcpy(&boot->peer, reached->ai_addr, reached->ai_addrlen);
	boot->peer_length = reached->ai_addrlen;
	rc = dial_link(boot, dial, NP_LINK_HEARTBEAT, reached, CONNECT_MS, &boot->heartbeat,
		       error);
	if (rc == 0)
		set_user_timeout(boot->heartbeat);
	else if (dial->host != NULL && (rc == -ECONNREFUSED || rc == -EBUSY))
		name_other_server(dial, error);
	return rc;
}

/* Refuses a link-local address without its interface, which connect() calls an invalid
 * argument. */
static int refuse_unscoped(const char *host, const struct addrinfo *list,
			   struct np_error *error)
{
	const struct sockaddr_in6 *v6 =
		(const struct sockaddr_in6 *)(const void *)list->ai_addr;

	if (list->ai_family != AF_INET6 || v6->sin6_scope_id != 0 ||
	    !IN6_IS_ADDR_LINKLOCAL(&v6->sin6_addr))
		return 0;
	return np_refuse(error,
			 "%.100s is the address of a link: name the interface of this host "
			 "that leads there, as in %.100s%%eth0",
			 host, host);
}

/* Sets the source address of links, and the address family that the peer must have. */
static int choose_source(struct np_boot *boot, const struct np_dial *dial, int *family,
			 struct np_error *error)
{
	const struct addrinfo hints = { .ai_flags = AI_NUMERICHOST,
					.ai_socktype = SOCK_STREAM,
					.ai_family = dial->family };
	struct addrinfo *list = NULL;

	*family = dial->family;
	if (dial->from == NULL)
		return 0;
	if (getaddrinfo(dial->from, NULL, &hints, &list) != 0)
		return np_refuse(error,
				 "--bind-address: '%.100s' is no address%s; give one of "
				 "this host, such as 10.0.0.1 or fd00::1",
				 dial->from,
				 dial->family == AF_INET  ? " of IPv4" :
				 dial->family == AF_INET6 ? " of IPv6" :
							    "");
	memcpy(&boot->from, list->ai_addr, list->ai_addrlen);
	boot->from_length = list->ai_addrlen;
	*family = list->ai_family;
	freeaddrinfo(list);
	return 0;
}

/* Names the server in the error of a dial; an error without a text gets one. */
static int name_server(const struct np_dial *dial, int rc, struct np_error *error)
{
	const struct np_error why = *error;
	const unsigned port = dial->port;

	if (why.code == 0)
		return np_fail(
			error, NP_ERROR_PEER, rc, "cannot reach %.200s port %u: %s%s",
			dial->host, port, strerror(-rc),
			rc == -ECONNREFUSED ? "; start this program there (a --serve needs "
					      "--allow or --token-file)" :
					      "");
	if (why.kind != NP_ERROR_PEER || strstr(why.text, dial->host) != NULL)
		return rc;
	*error = (struct np_error){ .code = 0 };
	return np_fail(error, NP_ERROR_PEER, why.code, "%.100s port %u: %.250s", dial->host,
		       port, why.text);
}

int np_boot_dial(struct np_boot *boot, const struct np_dial *dial, struct np_error *error)
{
	struct addrinfo *list = NULL;
	char service[8];
	int family;

	np_boot_init(boot, 0);
	boot->key = dial->key;
	int rc = choose_source(boot, dial, &family, error);
	if (rc == 0)
		rc = np_boot_draw_token(boot, error);
	if (rc != 0)
		return rc;
	snprintf(service, sizeof(service), "%u", (unsigned)dial->port);
	rc = np_resolve(dial->host, service, family,
			np_deadline_of(dial->deadline,
				       np_deadline_in(dial->retry_ms > LOOKUP_MS ?
							      (uint64_t)dial->retry_ms :
							      LOOKUP_MS)),
			&list, error);
	if (rc != 0)
		return rc;
	rc = refuse_unscoped(dial->host, list, error);
	if (rc == 0)
		rc = dial_list(boot, dial, list, error);
	freeaddrinfo(list);
	return rc == 0 ? 0 : name_server(dial, rc, error);
}

/* ---- ranks of a job ------------------------------------------------------------------ */

/*
 * The job's own communication is used once, to share readiness, a token and rank 1's
 * addresses.  Control and heartbeat links are TCP as in other runs: the watcher detects a
 * peer that died or stalled there, while calls of the library would block for ever.
 */

/*
 * The record that each process shares, as bytes: error kind (32 bit), port (32 bit),
 * token, host identity, addresses of 16 bytes each (IPv4 mapped into IPv6).
 */
enum {
	ADDRESSES_MAX = 8,
	ADDRESS = 16,
	HOST = 96,
	AT_FAILURE = 0,
	AT_PORT = 4,
	AT_TOKEN = 8,
	AT_HOST = AT_TOKEN + NP_TOKEN_LENGTH,
	AT_ADDRESSES = AT_HOST + HOST,
	RECORD = AT_ADDRESSES + ADDRESSES_MAX * ADDRESS,
	ACCEPT_TIMEOUT_MS = 30000
};

/* Host identity: boot_id and network namespace; containers of one host do not share
 * loopback. */
static void write_host_id(unsigned char *host)
{
	char boot_id[NP_KERNEL_BOOT], network[40] = "";

	np_boot_kernel(boot_id);
	if (readlink("/proc/self/ns/net", network, sizeof(network) - 1) < 0)
		network[0] = '\0';
	snprintf((char *)host, HOST, "%.38s %.38s", boot_id, network);
}

static bool convert_address(const struct sockaddr *from, unsigned char *address)
{
	static const unsigned char mapped[12] = { [10] = 0xff, [11] = 0xff };

	if (from->sa_family == AF_INET) {
		memcpy(address, mapped, sizeof(mapped));
		memcpy(address + sizeof(mapped),
		       &((const struct sockaddr_in *)from)->sin_addr, 4);
		return true;
	}
	if (from->sa_family != AF_INET6)
		return false;
	const struct in6_addr *wide = &((const struct sockaddr_in6 *)from)->sin6_addr;
	memcpy(address, wide, ADDRESS);
	/* A link-local address has no meaning on another host. */
	return !IN6_IS_ADDR_LINKLOCAL(wide);
}

/* Writes the addresses that are reachable from outside this network namespace. */
static void write_addresses(unsigned char *record)
{
	struct ifaddrs *list = NULL;
	size_t count = 0;

	if (getifaddrs(&list) != 0)
		return;
	for (const struct ifaddrs *at = list; at != NULL && count < ADDRESSES_MAX;
	     at = at->ifa_next) {
		if (at->ifa_addr == NULL || (at->ifa_flags & IFF_UP) == 0 ||
		    (at->ifa_flags & IFF_LOOPBACK) != 0)
			continue;
		unsigned char *address = record + AT_ADDRESSES + count * ADDRESS;
		if (convert_address(at->ifa_addr, address))
			count++;
		else
			memset(address, 0, ADDRESS);
	}
	freeifaddrs(list);
}

static int write_record(struct np_boot *boot, int failure, unsigned char *record,
			struct np_error *error)
{
	int rc = 0;

	if (failure == 0 && boot->rank == 0)
		rc = np_boot_draw_token(boot, error);
	if (failure == 0 && boot->rank == 1) {
		rc = np_link_listen(NULL, 0, &boot->listener, error);
		if (rc == 0)
			np_put_u32(record + AT_PORT, np_link_port(boot->listener));
		write_addresses(record);
	}
	write_host_id(record + AT_HOST);
	memcpy(record + AT_TOKEN, boot->token, NP_TOKEN_LENGTH);
	np_put_u32(record + AT_FAILURE,
		   (uint32_t)(rc != 0 ? (int)NP_ERROR_FAILED : failure));
	return rc;
}

/* Entry of the address list of dial_list(), linked by node.ai_next. */
struct dial_entry {
	struct addrinfo node;
	struct sockaddr_in6 address;
};

static void add_entry(struct dial_entry *entries, size_t *count,
		      const unsigned char *address, uint16_t port)
{
	struct dial_entry *entry = &entries[*count];

	entry->address =
		(struct sockaddr_in6){ .sin6_family = AF_INET6, .sin6_port = htons(port) };
	memcpy(&entry->address.sin6_addr, address, ADDRESS);
	entry->node = (struct addrinfo){ .ai_family = AF_INET6,
					 .ai_socktype = SOCK_STREAM,
					 .ai_addr = (struct sockaddr *)&entry->address,
					 .ai_addrlen = sizeof(entry->address) };
	/* An IPv4 address needs an IPv4 socket: a host may have no IPv6. */
	if (IN6_IS_ADDR_V4MAPPED(&entry->address.sin6_addr)) {
		struct sockaddr_in *narrow = (struct sockaddr_in *)&entry->address;
		const struct sockaddr_in plain = { .sin_family = AF_INET,
						   .sin_port = htons(port) };

		*narrow = plain;
		memcpy(&narrow->sin_addr, address + 12, 4);
		entry->node.ai_family = AF_INET;
		entry->node.ai_addrlen = sizeof(*narrow);
	}
	if (*count > 0)
		entries[*count - 1].node.ai_next = &entry->node;
	++*count;
}

static int dial_rank1(struct np_boot *boot, const struct np_identity *identity,
		      const unsigned char *mine, const unsigned char *theirs,
		      struct np_error *error)
{
	static const unsigned char loopback[ADDRESS] = {
		[10] = 0xff, [11] = 0xff, [12] = 127, [15] = 1
	};
	static const unsigned char none[ADDRESS];
	const uint16_t port = (uint16_t)np_get_u32(theirs + AT_PORT);
	struct dial_entry entries[ADDRESSES_MAX + 1] = { 0 };
	size_t count = 0;

	if (memcmp(mine + AT_HOST, theirs + AT_HOST, HOST) == 0)
		add_entry(entries, &count, loopback, port);
	for (size_t i = 0; i < ADDRESSES_MAX; i++) {
		const unsigned char *address = theirs + AT_ADDRESSES + i * ADDRESS;

		if (memcmp(address, none, ADDRESS) != 0)
			add_entry(entries, &count, address, port);
	}
	if (count == 0)
		return np_fail(error, NP_ERROR_PEER, EHOSTUNREACH,
			       "rank 1 has no network address");
	const struct np_dial dial = { .identity = identity,
				      .deadline = np_deadline_never() };
	const int rc = dial_list(boot, &dial, &entries[0].node, error);
	return rc == 0 ? 0 :
			 np_fail(error, NP_ERROR_PEER, rc,
				 "cannot reach rank 1 at any of its %zu addresses: %s",
				 count, strerror(-rc));
}

/* Accepts links until one has the token of this job. */
static int accept_rank0(struct np_boot *boot, const struct np_identity *identity,
			const unsigned char *token, struct np_error *error)
{
	const struct np_link_wait criteria = { .identity = identity,
					       .wake = -1,
					       .deadline =
						       np_deadline_in(ACCEPT_TIMEOUT_MS) };

	for (;;) {
		const int rc = np_boot_wait(boot, &criteria, error);

		if (rc != 0)
			return rc;
		if (memcmp(boot->token, token, NP_TOKEN_LENGTH) == 0)
			return 0;
		np_boot_hang_up(boot);
	}
}

static int connect_ranks(struct np_boot *boot, const struct np_job *job,
			 const struct np_identity *identity, const unsigned char *records,
			 struct np_error *error)
{
	const unsigned char *first = records, *second = records + RECORD;

	memcpy(boot->token, first + AT_TOKEN, NP_TOKEN_LENGTH);
	if (job->rank == 0)
		return dial_rank1(boot, identity, first, second, error);
	return job->rank == 1 ? accept_rank0(boot, identity, first + AT_TOKEN, error) : 0;
}

/* Returns the first rank that is not ready, and its error kind; -1 if all are ready. */
static int find_failure(const unsigned char *records, int size, int *kind)
{
	for (int rank = 0; rank < size; rank++) {
		*kind = (int)np_get_u32(records + (size_t)rank * RECORD + AT_FAILURE);
		if (*kind != 0)
			return rank;
	}
	return -1;
}

int np_boot_job(struct np_boot *boot, const struct np_job_hooks *hooks,
		const struct np_job *job, const struct np_identity *identity, int failure,
		bool *all_know, struct np_error *error)
{
	unsigned char *records = calloc((size_t)job->size, RECORD);
	int kind = 0;

	np_boot_init(boot, job->rank);
	boot->related = true;
	*all_know = false;
	if (records == NULL)
		return np_fail_errno(error, ENOMEM, "cannot meet the other processes");
	int rc = write_record(boot, failure, records + (size_t)job->rank * RECORD, error);
	const int shared = hooks->share(job, records, RECORD, error);
	rc = rc != 0 ? rc : shared;
	const int failed = shared == 0 ? find_failure(records, job->size, &kind) : -1;
	if (failed >= 0) {
		*all_know = true;
		/* An error of this process, already written, is kept. */
		rc = error->code != 0 ?
			     error->code :
			     np_fail(error, (enum np_error_kind)kind, ECANCELED,
				     kind == NP_ERROR_USAGE ?
					     "rank %d refuses its options: give all ranks "
					     "the same" :
					     "rank %d cannot take part",
				     failed);
	}
	if (rc == 0)
		rc = connect_ranks(boot, job, identity, records, error);
	free(records);
	return rc;
}
