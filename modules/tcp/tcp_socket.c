/*
 * tcp_socket.c - socket options that are set before the handshake, which depends on them
 * (window scaling follows the buffer size, and the SYN announces the segment size); errors
 * of the data connection.
 *
 * Accepted connections inherit the options of the listening socket, which all variants of
 * a run share: so each variant also resets the options that it does not set.
 */
#include <errno.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tcp_private.h"

int np_tcp_set_number(int fd, int level, int option, size_t value, const char *name,
		      struct np_error *error)
{
	const int number = (int)value;

	if (setsockopt(fd, level, option, &number, sizeof(number)) != 0)
		return np_fail_errno(error, errno, "cannot set %s to %d", name, number);
	return 0;
}

/* Reads a sysctl of net.ipv4, the default of new sockets.  True if there is one. */
static bool read_default(const char *name, char *text, size_t size)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/sys/net/ipv4/%s", name);
	FILE *file = fopen(path, "re");
	const bool found = file != NULL && fgets(text, (int)size, file) != NULL;

	if (found)
		text[strcspn(text, "\n")] = '\0';
	if (file != NULL)
		fclose(file);
	return found;
}

static int set_congestion(int fd, const char *name, struct np_error *error)
{
	char list[128];
	int code;

	if (setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name, (socklen_t)strlen(name)) == 0)
		return 0;
	code = errno;
	if (code == EPERM)
		return np_fail(error, NP_ERROR_USAGE, code,
			       "--congestion: only root may use %.32s on this host", name);
	if (code != ENOENT)
		return np_fail_errno(error, code, "cannot set TCP_CONGESTION to %.32s",
				     name);
	/* Algorithms loaded in the kernel; only root may load more. */
	const bool listed =
		read_default("tcp_available_congestion_control", list, sizeof(list));

	return np_fail(error, NP_ERROR_USAGE, code,
		       "--congestion: this kernel has no algorithm %.32s; available: %s",
		       name, listed ? list : "not reported");
}

int np_tcp_try_congestion(const struct np_tcp_options *options, struct np_error *error)
{
	int fd, rc;

	if (options->congestion == NULL)
		return 0;
	fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return np_fail_errno(error, errno, "cannot make a socket");
	rc = set_congestion(fd, options->congestion, error);
	close(fd);
	return rc;
}

/* Initial buffer size in bytes, the second number of "4096 131072 33554432"; 0: unknown. */
static size_t initial_size(const char *name)
{
	char text[128], *second;

	if (!read_default(name, text, sizeof(text)))
		return 0;
	(void)strtoul(text, &second, 10);
	return strtoul(second, NULL, 10);
}

static bool has_number(int fd, int option, size_t value)
{
	int number = 0;
	socklen_t length = sizeof(number);

	return getsockopt(fd, SOL_SOCKET, option, &number, &length) == 0 &&
	       (size_t)number == value;
}

/* Unlocks autotuning if an earlier variant fixed the buffers of this socket.  The kernel
 * doubles a size that is set. */
static int free_buffers(int fd, struct np_error *error)
{
	const size_t send = initial_size("tcp_wmem"), receive = initial_size("tcp_rmem");
	int rc;

	if (has_number(fd, SO_BUF_LOCK, 0) || send == 0 || receive == 0 ||
	    (has_number(fd, SO_SNDBUF, send) && has_number(fd, SO_RCVBUF, receive)))
		return 0;
	rc = np_tcp_set_number(fd, SOL_SOCKET, SO_SNDBUF, send / 2, "SO_SNDBUF", error);
	if (rc == 0)
		rc = np_tcp_set_number(fd, SOL_SOCKET, SO_RCVBUF, receive / 2, "SO_RCVBUF",
				       error);
	return rc == 0 ? np_tcp_set_number(fd, SOL_SOCKET, SO_BUF_LOCK, 0, "SO_BUF_LOCK",
					   error) :
			 rc;
}

static int fix_buffers(int fd, size_t size, struct np_error *error)
{
	const int rc =
		np_tcp_set_number(fd, SOL_SOCKET, SO_SNDBUF, size, "SO_SNDBUF", error);

	return rc == 0 ? np_tcp_set_number(fd, SOL_SOCKET, SO_RCVBUF, size, "SO_RCVBUF",
					   error) :
			 rc;
}

/* Resets a listening socket to the kernel's defaults where the options set nothing. */
static int set_defaults(int fd, const struct np_tcp_options *options,
			struct np_error *error)
{
	char congestion[128];
	int rc = 0;

	if (options->buffer_size == 0)
		rc = free_buffers(fd, error);
	if (rc == 0 && options->mss == 0)
		rc = np_tcp_set_number(fd, IPPROTO_TCP, TCP_MAXSEG, 0, "TCP_MAXSEG", error);
	if (rc == 0 && options->congestion == NULL &&
	    read_default("tcp_congestion_control", congestion, sizeof(congestion)))
		rc = set_congestion(fd, congestion, error);
	return rc;
}

int np_tcp_prepare_socket(int fd, void *context, struct np_error *error)
{
	const struct np_tcp_options *options = context;
	int rc = 0;

	if (has_number(fd, SO_ACCEPTCONN, 1))
		rc = set_defaults(fd, options, error);
	if (rc == 0 && options->buffer_size != 0)
		rc = fix_buffers(fd, options->buffer_size, error);
	if (rc == 0 && options->mss != 0)
		rc = np_tcp_set_number(fd, IPPROTO_TCP, TCP_MAXSEG, options->mss,
				       "TCP_MAXSEG", error);
	if (rc == 0 && options->congestion != NULL)
		rc = set_congestion(fd, options->congestion, error);
	return rc;
}

/*
 * Errors of system calls on the data connection, kept out of the code of
 * the timed loops.
 */

/* Error codes of a lost connection. */
static bool is_lost(int code)
{
	switch (code) {
	case ECONNRESET:
	case EPIPE:
	case ETIMEDOUT:
	case EHOSTUNREACH:
	case ENETUNREACH:
	case ENETDOWN:
		return true;
	default:
		return false;
	}
}

int np_tcp_receive_failed(struct np_tcp *tcp, ssize_t n, size_t done, size_t length)
{
	const int code = n == 0 ? ECONNRESET : errno;
	struct np_error *error = &tcp->endpoint.error;

	if (np_should_stop(&tcp->endpoint))
		return -ECANCELED;
	if (code == ECONNRESET)
		return np_fail(error, NP_ERROR_PEER, code,
			       "the peer closed the data connection after %zu of %zu bytes "
			       "of a message",
			       done, length);
	if (is_lost(code))
		return np_fail(error, NP_ERROR_PEER, code,
			       "the data connection was lost after %zu of %zu bytes of a "
			       "message: %s",
			       done, length, strerror(code));
	return np_fail_errno(error, code, "cannot receive from the data connection");
}

int np_tcp_send_failed(struct np_tcp *tcp, size_t done, size_t length)
{
	const int code = errno;
	struct np_error *error = &tcp->endpoint.error;

	if (np_should_stop(&tcp->endpoint))
		return -ECANCELED;
	if (code == ECONNRESET || code == EPIPE)
		return np_fail(error, NP_ERROR_PEER, code,
			       "the peer closed the data connection after %zu of %zu bytes "
			       "of a message had been sent",
			       done, length);
	if (is_lost(code))
		return np_fail(error, NP_ERROR_PEER, code,
			       "the data connection was lost after %zu of %zu bytes of a "
			       "message had been sent: %s",
			       done, length, strerror(code));
	return np_fail_errno(error, code, "cannot send over the data connection");
}

int np_tcp_wait_failed(struct np_tcp *tcp)
{
	const int code = errno;

	if (np_should_stop(&tcp->endpoint))
		return -ECANCELED;
	return np_fail_errno(&tcp->endpoint.error, code,
			     "cannot wait for the data connection");
}
