/*
 * boot_job.c - control channel between ranks 0 and 1 of a job that an MPI launcher
 * started.
 *
 * The job's own communication is used once, to share readiness, a token and rank 1's
 * addresses.  Control and heartbeat links are TCP as in other runs: the watcher detects a
 * peer that died or stalled there, while calls of the library would block for ever.
 */
#include "boot/boot_job.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "boot/channel.h"
#include "boot/boot_tcp.h"
#include "boot/frame.h"

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

/* Entry of the address list of np_boot_dial_list(), linked by node.ai_next. */
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
	const int rc = np_boot_dial_list(boot, &dial, &entries[0].node, error);
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
