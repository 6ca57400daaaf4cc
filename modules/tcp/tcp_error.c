/*
 * tcp_error.c - errors of system calls on the data connection, kept out of the code of
 * the timed loops.
 */
#include <errno.h>
#include <string.h>

#include "tcp_private.h"

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
