/*
 * mpi_liveness.c - heartbeats of the ranks other than 0 and 1: sent by a thread, received
 * by the watcher of rank 0.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "mpi_pattern.h"

enum { BEAT_MS = 500, BEATS_MISSED = 8, TARGETS_MAX = 9 };

/* Broadcast by rank 0, as bytes: all ranks run the same program. */
struct target {
	struct in6_addr addresses[TARGETS_MAX]; /* IPv4 mapped into IPv6 */
	uint64_t token, count;
	in_port_t port; /* 0: rank 0 does not listen */
	char host[MPI_MAX_PROCESSOR_NAME];
};

struct beat {
	uint64_t token, rank;
};

struct np_mpi_liveness {
	struct target target;
	struct beat beat; /* sent by this rank */
	int socket, timer, events;
	int wake; /* ends the thread */
	bool sends;
	pthread_t thread;
	int size;
	unsigned *missed; /* beats per rank; UINT32_MAX: none received yet */
};

/* Opens a datagram socket for IPv6 and IPv4, or for IPv4 without IPv6. */
static int open_socket(struct target *target)
{
	struct sockaddr_in6 any = { .sin6_family = AF_INET6 };
	struct sockaddr_in any4 = { .sin_family = AF_INET };
	socklen_t length = sizeof(any);
	const int off = 0;
	int fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd >= 0 && setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off)) == 0 &&
	    bind(fd, (struct sockaddr *)&any, sizeof(any)) == 0 &&
	    getsockname(fd, (struct sockaddr *)&any, &length) == 0) {
		target->port = any.sin6_port;
		return fd;
	}
	if (fd >= 0)
		close(fd);
	length = sizeof(any4);
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd >= 0 && bind(fd, (struct sockaddr *)&any4, sizeof(any4)) == 0 &&
	    getsockname(fd, (struct sockaddr *)&any4, &length) == 0)
		target->port = any4.sin_port;
	return fd;
}

static void add_address(struct target *target, const struct sockaddr *from)
{
	struct in6_addr *address = &target->addresses[target->count];

	if (from->sa_family == AF_INET) {
		*address = (struct in6_addr){ .s6_addr = { [10] = 0xff, [11] = 0xff } };
		memcpy(address->s6_addr + 12, &((const struct sockaddr_in *)from)->sin_addr,
		       4);
	} else if (from->sa_family == AF_INET6) {
		*address = ((const struct sockaddr_in6 *)from)->sin6_addr;
		/* A link-local address has no meaning on another host. */
		if (IN6_IS_ADDR_LINKLOCAL(address))
			return;
	} else {
		return;
	}
	target->count++;
}

/* Loopback first, then addresses reachable from other hosts. */
static void list_addresses(struct target *target)
{
	const struct sockaddr_in loopback = { .sin_family = AF_INET,
					      .sin_addr = { htonl(INADDR_LOOPBACK) } };
	struct ifaddrs *list = NULL;

	add_address(target, (const struct sockaddr *)&loopback);
	if (getifaddrs(&list) != 0)
		return;
	for (const struct ifaddrs *at = list; at != NULL && target->count < TARGETS_MAX;
	     at = at->ifa_next) {
		if (at->ifa_addr != NULL && (at->ifa_flags & IFF_UP) != 0 &&
		    (at->ifa_flags & IFF_LOOPBACK) == 0)
			add_address(target, at->ifa_addr);
	}
	freeifaddrs(list);
}

/* Opens socket and timer in rank 0, both behind one epoll descriptor for the watcher. */
static int listen_to_ranks(struct np_mpi_liveness *live)
{
	const struct itimerspec period = { .it_interval.tv_nsec = BEAT_MS * 1000000L,
					   .it_value.tv_nsec = BEAT_MS * 1000000L };
	struct epoll_event input = { .events = EPOLLIN };

	live->missed = malloc((size_t)live->size * sizeof(*live->missed));
	if (live->missed == NULL ||
	    getrandom(&live->target.token, sizeof(live->target.token), 0) < 0)
		return -1;
	for (int rank = 0; rank < live->size; rank++)
		live->missed[rank] = UINT32_MAX;
	live->socket = open_socket(&live->target);
	live->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	live->events = epoll_create1(EPOLL_CLOEXEC);
	if (live->socket < 0 || live->timer < 0 || live->events < 0 ||
	    timerfd_settime(live->timer, 0, &period, NULL) != 0 ||
	    epoll_ctl(live->events, EPOLL_CTL_ADD, live->socket, &input) != 0 ||
	    epoll_ctl(live->events, EPOLL_CTL_ADD, live->timer, &input) != 0)
		return -1;
	list_addresses(&live->target);
	return 0;
}

static void send_beat(const struct np_mpi_liveness *live, const struct in6_addr *address)
{
	struct sockaddr_in6 to = { .sin6_family = AF_INET6,
				   .sin6_port = live->target.port,
				   .sin6_addr = *address };
	struct sockaddr_in to4 = { .sin_family = AF_INET, .sin_port = live->target.port };

	/* An IPv4 socket refuses the IPv6 address.  A datagram that cannot be sent counts
	 * as a missed heartbeat. */
	if (sendto(live->socket, &live->beat, sizeof(live->beat), 0, (struct sockaddr *)&to,
		   sizeof(to)) >= 0 ||
	    errno != EAFNOSUPPORT || !IN6_IS_ADDR_V4MAPPED(address))
		return;
	memcpy(&to4.sin_addr, address->s6_addr + 12, 4);
	sendto(live->socket, &live->beat, sizeof(live->beat), 0, (struct sockaddr *)&to4,
	       sizeof(to4));
}

static void *send_beats(void *context)
{
	const struct np_mpi_liveness *live = context;
	struct pollfd wake = { .fd = live->wake, .events = POLLIN };
	char host[MPI_MAX_PROCESSOR_NAME] = "";

	gethostname(host, sizeof(host) - 1);
	const size_t first = strcmp(host, live->target.host) == 0 ? 0 : 1;
	do {
		for (size_t i = first; i < live->target.count; i++)
			send_beat(live, &live->target.addresses[i]);
	} while (poll(&wake, 1, BEAT_MS) == 0);
	return NULL;
}

/* Starts the sender of a rank >= 2; signals stay with the main thread. */
static void start_sending(struct np_mpi_liveness *live, int rank)
{
	struct target unused;
	sigset_t all, before;

	if (live->target.port == 0)
		return;
	live->beat = (struct beat){ .token = live->target.token, .rank = (uint64_t)rank };
	live->socket = open_socket(&unused);
	live->wake = eventfd(0, EFD_CLOEXEC);
	if (live->socket < 0 || live->wake < 0)
		return;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	live->sends = pthread_create(&live->thread, NULL, send_beats, live) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

int np_mpi_liveness_begin(struct np_mpi *mpi)
{
	struct np_mpi_liveness *live = calloc(1, sizeof(*live));

	mpi->ranks.liveness = live;
	if (live == NULL)
		return np_fail_errno(&mpi->endpoint.error, ENOMEM,
				     "no memory for the heartbeats of all ranks");
	live->socket = live->timer = live->events = live->wake = -1;
	live->size = mpi->ranks.size;
	gethostname(live->target.host, sizeof(live->target.host) - 1);
	/* Without heartbeats the run continues, but waits for ever for a stopped rank. */
	if (mpi->ranks.rank == 0 && listen_to_ranks(live) != 0)
		live->target.port = 0;
	const int code =
		MPI_Bcast(&live->target, (int)sizeof(live->target), MPI_BYTE, 0, mpi->comm);
	if (code == MPI_SUCCESS && mpi->ranks.rank > 1)
		start_sending(live, mpi->ranks.rank);
	return np_mpi_check_call(mpi, code, "MPI_Bcast");
}

static void close_all(const int *fds, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (fds[i] >= 0)
			close(fds[i]);
	}
}

void np_mpi_liveness_end(struct np_mpi *mpi)
{
	struct np_mpi_liveness *live = mpi->ranks.liveness;
	const uint64_t one = 1;

	if (live == NULL)
		return;
	if (live->sends && write(live->wake, &one, sizeof(one)) == (ssize_t)sizeof(one))
		pthread_join(live->thread, NULL);
	close_all((const int[]){ live->socket, live->timer, live->events, live->wake }, 4);
	free(live->missed);
	free(live);
	mpi->ranks.liveness = NULL;
}

static int event_fd(struct np_endpoint *endpoint)
{
	const struct np_mpi_liveness *live = np_mpi_of(endpoint)->ranks.liveness;

	return live != NULL && live->target.port != 0 ? live->events : -1;
}

static void receive_beats(const struct np_mpi_liveness *live)
{
	struct beat beat;

	while (recv(live->socket, &beat, sizeof(beat), 0) == (ssize_t)sizeof(beat)) {
		if (beat.token == live->target.token && beat.rank < (uint64_t)live->size)
			live->missed[beat.rank] = 0;
	}
}

/* Counts timer reads instead of time: a process that was itself stopped must not count
 * heartbeats of others as missed. */
static int event(struct np_endpoint *endpoint, struct np_error *error)
{
	const struct np_mpi_liveness *live = np_mpi_of(endpoint)->ranks.liveness;
	uint64_t periods;

	if (read(live->timer, &periods, sizeof(periods)) != (ssize_t)sizeof(periods)) {
		receive_beats(live);
		return 0;
	}
	receive_beats(live);
	for (int rank = 2; rank < live->size; rank++) {
		if (live->missed[rank] == UINT32_MAX ||
		    ++live->missed[rank] <= BEATS_MISSED)
			continue;
		return np_fail(error, NP_ERROR_PEER, ETIMEDOUT,
			       "rank %d has sent no heartbeat for %d s: it is stopped, or "
			       "its host is gone",
			       rank, BEATS_MISSED * BEAT_MS / 1000);
	}
	return 0;
}

const struct np_device_hooks np_mpi_liveness = { .event_fd = event_fd, .event = event };
