/*
 * ofi_wait.c - out-of-line parts of the hooks: errors, sleeps, progress and the greeting.
 */
#include <errno.h>
#include <unistd.h>

#include "ofi_hot.h"

/* ---- errors -------------------------------------------------------------- */

/* Operations are canceled by a connection that ends. */
static bool is_peer_lost(ssize_t code)
{
	return code == FI_ECONNRESET || code == FI_ENOTCONN || code == FI_ECONNABORTED ||
	       code == FI_ECONNREFUSED || code == EPIPE || code == FI_ESHUTDOWN ||
	       code == FI_EHOSTUNREACH || code == FI_ETIMEDOUT || code == FI_ECANCELED;
}

int np_ofi_checked(struct np_ofi *ofi, ssize_t result, const char *call)
{
	struct np_error *error = &ofi->endpoint.error;
	const int code = (int)-result;

	if (code == 0)
		return 0;
	if (np_should_stop(&ofi->endpoint))
		return -ECANCELED;
	if (is_peer_lost(code))
		return np_fail(error, NP_ERROR_PEER, ECONNRESET,
			       "libfabric has lost the peer: %s", fi_strerror(code));
	return np_fail(error, NP_ERROR_FAILED, EIO, "%s failed in libfabric: %s", call,
		       fi_strerror(code));
}

int np_ofi_report(struct np_ofi *ofi, ssize_t result)
{
	struct fi_cq_err_entry entry = { .err = 0 };

	if (result != -FI_EAVAIL)
		return np_ofi_checked(ofi, result, "fi_cq_read");
	if (fi_cq_readerr(ofi->queue, &entry, 0) < 0)
		return np_ofi_checked(ofi, -FI_EIO, "fi_cq_readerr");
	/* Memory of a process that has died: the watcher, which sees its socket close, has
	 * the reason a moment later. */
	for (int i = 0; entry.err == FI_EIO && i < 200 && !np_should_stop(&ofi->endpoint);
	     i++)
		usleep(1000);
	return np_ofi_checked(ofi, -entry.err, "moving messages");
}

/* ---- waits --------------------------------------------------------------- */

int np_ofi_pause(struct np_ofi *ofi)
{
	struct fi_cq_msg_entry entry;

	ofi->polls = 0;
	if (np_give_way(&ofi->endpoint))
		return -ECANCELED;
	if (ofi->receives == NULL)
		return 0;
	/* Errors reach the queue only: successful operations have no entry there. */
	const ssize_t count = fi_cq_read(ofi->queue, &entry, 1);

	return count < 0 && count != -FI_EAGAIN ? np_ofi_report(ofi, count) : 0;
}

int np_ofi_sleep(struct np_ofi *ofi)
{
	struct fid *of = &ofi->queue->fid;
	const int armed = fi_trywait(ofi->fabric, &of, 1);

	/* Entries since the last read: the caller reads instead of sleeping. */
	if (armed == -FI_EAGAIN)
		return np_should_stop(&ofi->endpoint) ? -ECANCELED : 0;
	if (armed != 0)
		return np_ofi_checked(ofi, armed, "fi_trywait");
	const int rc = np_sleep_on(&ofi->endpoint, ofi->event_fd);

	return rc < 0 ? rc : 0;
}

/* ---- progress ------------------------------------------------------------ */

/* Completion mode outside of timed loops. */
static enum np_ofi_completion mode_of(const struct np_ofi *ofi)
{
	return ofi->receives != NULL ? NP_OFI_COUNTER : NP_OFI_POLL;
}

static enum np_ofi_kind ack_of(const struct np_ofi *ofi)
{
	return NP_OFI_ACK_OF(np_ofi_options_of(ofi)->transfer);
}

int np_ofi_progress_once(struct np_endpoint *endpoint)
{
	struct np_ofi *ofi = np_ofi_of(endpoint);

	return np_ofi_progress(ofi, mode_of(ofi));
}

int np_ofi_expect_ack(struct np_ofi *ofi)
{
	if (ofi->ack_posted)
		return 0;
	ofi->ack_posted = true;
	return np_ofi_post_ack(ofi, ack_of(ofi), mode_of(ofi));
}

int np_ofi_greet(struct np_ofi *ofi)
{
	int rc = np_ofi_post_ack(ofi, ack_of(ofi), mode_of(ofi));

	if (rc == 0)
		rc = np_ofi_send_ack(ofi, ack_of(ofi), mode_of(ofi));
	if (rc == 0)
		rc = np_ofi_await(ofi, &ofi->ack, mode_of(ofi));
	return rc == 0 ? np_ofi_drain(ofi, 0, mode_of(ofi)) : rc;
}
