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

int np_ofi_failed(struct np_ofi *ofi, ssize_t result, const char *call)
{
	struct np_error *error = &ofi->endpoint.error;
	const int code = (int)-result;

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
		return np_ofi_failed(ofi, result, "fi_cq_read");
	if (fi_cq_readerr(ofi->queue, &entry, 0) < 0)
		return np_ofi_failed(ofi, -FI_EIO, "fi_cq_readerr");
	/* Memory of a process that has died: the watcher, which sees its socket close, has
	 * the reason a moment later. */
	for (int i = 0; entry.err == FI_EIO && i < 200 && !np_should_stop(&ofi->endpoint);
	     i++)
		usleep(1000);
	return np_ofi_failed(ofi, -entry.err, "moving messages");
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
		return np_ofi_failed(ofi, armed, "fi_trywait");
	const int rc = np_sleep_on(&ofi->endpoint, ofi->event_fd);

	return rc < 0 ? rc : 0;
}

/* ---- progress ------------------------------------------------------------ */

int np_ofi_progress_once(struct np_endpoint *endpoint)
{
	struct np_ofi *ofi = np_ofi_of(endpoint);

	return np_ofi_progress(ofi, ofi->receives != NULL ? NP_OFI_COUNTER : NP_OFI_POLL);
}

int np_ofi_greet(struct np_ofi *ofi)
{
	const enum np_ofi_completion how =
		ofi->receives != NULL ? NP_OFI_COUNTER : NP_OFI_POLL;
	const enum np_ofi_transfer kind =
		np_ofi_options_of(ofi)->transfer == NP_OFI_TAGGED ? NP_OFI_TAGGED :
								    NP_OFI_MSG;
	int rc = np_ofi_post(ofi, &ofi->ack, &ofi->byte, 0, NULL, kind, how);

	if (rc == 0)
		rc = np_ofi_start(ofi, &ofi->byte, 0, NULL, kind, how, false);
	if (rc == 0)
		rc = np_ofi_await(ofi, &ofi->ack, how);
	return rc == 0 ? np_ofi_drain(ofi, 0, how) : rc;
}
