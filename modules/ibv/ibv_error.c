/*
 * ibv_error.c - errors of completions and of posting, kept out of the code of the timed
 * loops.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "ibv_private.h"

/* A failed queue pair flushes its requests.  At most this many completions are searched
 * for the one that caused the flush. */
enum { FLUSHED_MOST = 1 << 18 };

/* Periods of 10 ms in wait_for_stop(). */
enum { MOMENTS = 20 };

struct status {
	const char *name;
	const char *cause; /* NULL: unknown */
	int code;
	enum np_error_kind kind;
};

#define STATUS(name, cause, code, kind) [name] = { #name, cause, code, kind }
static const struct status statuses[] = {
	STATUS(IBV_WC_LOC_LEN_ERR,
	       "the message is longer than the receive, or than the port carries", EMSGSIZE,
	       NP_ERROR_FAILED),
	STATUS(IBV_WC_LOC_QP_OP_ERR, "the queue pair does not support the operation", EIO,
	       NP_ERROR_FAILED),
	STATUS(IBV_WC_LOC_EEC_OP_ERR, NULL, EIO, NP_ERROR_FAILED),
	STATUS(IBV_WC_LOC_PROT_ERR, "the buffer lies outside its memory region", EFAULT,
	       NP_ERROR_FAILED),
	STATUS(IBV_WC_WR_FLUSH_ERR, "the queue pair had failed before, of unknown cause",
	       EIO, NP_ERROR_FAILED),
	STATUS(IBV_WC_MW_BIND_ERR, NULL, EIO, NP_ERROR_FAILED),
	STATUS(IBV_WC_BAD_RESP_ERR, "the peer's response was invalid", EIO,
	       NP_ERROR_FAILED),
	STATUS(IBV_WC_LOC_ACCESS_ERR, "the memory region does not allow the access", EACCES,
	       NP_ERROR_FAILED),
	STATUS(IBV_WC_REM_INV_REQ_ERR,
	       "the peer refused the request: longer than the receive, or not allowed", EIO,
	       NP_ERROR_FAILED),
	STATUS(IBV_WC_REM_ACCESS_ERR, "the peer's memory region does not allow the access",
	       EACCES, NP_ERROR_FAILED),
	STATUS(IBV_WC_REM_OP_ERR, "the peer's device could not complete the request", EIO,
	       NP_ERROR_FAILED),
	STATUS(IBV_WC_RETRY_EXC_ERR, "the peer's device does not answer", ETIMEDOUT,
	       NP_ERROR_PEER),
	STATUS(IBV_WC_RNR_RETRY_EXC_ERR, "the receiver had offered no buffer", ENOBUFS,
	       NP_ERROR_PEER),
	STATUS(IBV_WC_LOC_RDD_VIOL_ERR, NULL, EIO, NP_ERROR_FAILED),
	STATUS(IBV_WC_REM_INV_RD_REQ_ERR, NULL, EIO, NP_ERROR_FAILED),
	STATUS(IBV_WC_REM_ABORT_ERR, "the peer aborted the operation", ECONNABORTED,
	       NP_ERROR_PEER),
	STATUS(IBV_WC_INV_EECN_ERR, NULL, EIO, NP_ERROR_FAILED),
	STATUS(IBV_WC_INV_EEC_STATE_ERR, NULL, EIO, NP_ERROR_FAILED),
	STATUS(IBV_WC_FATAL_ERR, "the device has failed", EIO, NP_ERROR_FAILED),
	STATUS(IBV_WC_RESP_TIMEOUT_ERR, "the peer did not answer in time", ETIMEDOUT,
	       NP_ERROR_PEER),
	STATUS(IBV_WC_GENERAL_ERR, NULL, EIO, NP_ERROR_FAILED),
};

static const struct status *status_of(enum ibv_wc_status status)
{
	static const struct status unknown = { "of no known name", NULL, EIO,
					       NP_ERROR_FAILED };
	const size_t index = (size_t)status;

	if (index >= sizeof(statuses) / sizeof(*statuses) || statuses[index].name == NULL)
		return &unknown;
	return &statuses[index];
}

/* Searches a completion queue for a failure that is not a flush.  Successful completions
 * are dropped, as the run ends. */
static bool find_cause(struct ibv_cq *cq, struct ibv_wc *cause)
{
	for (int i = 0; i < FLUSHED_MOST; i++) {
		struct ibv_wc completion;

		if (ibv_poll_cq(cq, 1, &completion) != 1)
			return false;
		if (completion.status != IBV_WC_SUCCESS &&
		    completion.status != IBV_WC_WR_FLUSH_ERR) {
			*cause = completion;
			return true;
		}
	}
	return false;
}

/* Describes a work request: "send_recv of 4096 bytes from slot 17". */
static void name_request(const struct np_ibv *ibv, uint64_t id, bool send, char *text,
			 size_t size)
{
	const struct np_transfer *transfer = ibv->endpoint.transfer;
	const size_t slot = np_ibv_id_slot(id);
	const size_t length = transfer != NULL ? transfer->length : 0;

	if (slot == NP_IBV_NO_SLOT)
		snprintf(text, size,
			 send ? "an acknowledgement" : "the receive of an acknowledgement");
	else if (slot == NP_IBV_FENCE_SLOT)
		snprintf(text, size, "the last %s of %zu bytes, or the fence behind it",
			 np_ibv_transport_names[ibv->transport], length);
	else if (send)
		snprintf(text, size, "%s of %zu bytes from slot %zu",
			 np_ibv_transport_names[ibv->transport], length, slot);
	else
		snprintf(text, size, "%s: the receive of %zu bytes into slot %zu",
			 np_ibv_transport_names[ibv->transport], length, slot);
}

/* A port that goes down or a peer that exits also stops the run, by an asynchronous
 * event or over the control channel, often a little later and with a better message.
 * Returns true if the run was stopped within 0.2 s. */
static bool wait_for_stop(const struct np_ibv *ibv, enum ibv_wc_status status)
{
	const struct timespec moment = { .tv_nsec = 10000000 };

	/* Neither the peer nor the port causes a local error. */
	if (status == IBV_WC_LOC_LEN_ERR || status == IBV_WC_LOC_PROT_ERR ||
	    status == IBV_WC_LOC_ACCESS_ERR)
		return false;
	for (int i = 0; i < MOMENTS && !np_should_stop(&ibv->endpoint); i++)
		nanosleep(&moment, NULL);
	return np_should_stop(&ibv->endpoint);
}

bool np_ibv_port_is_down(const struct np_ibv *ibv, char *text, size_t size)
{
	struct ibv_port_attr port = { .state = IBV_PORT_NOP };

	if (ibv_query_port(ibv->device.context, ibv->device.port, &port) != 0 ||
	    port.state == IBV_PORT_ACTIVE)
		return false;
	snprintf(text, size, "; %s port %d is %s", ibv->device.name, ibv->device.port,
		 np_ibv_port_state(port.state));
	return true;
}

int np_ibv_completion_failed(struct np_ibv *ibv, struct np_ibv_queue *queue,
			     const struct ibv_wc *completion, bool send)
{
	struct ibv_wc cause = *completion;
	char request[96], vendor[40] = "", port[160] = "", path[272] = "";

	if (np_should_stop(&ibv->endpoint))
		return -ECANCELED;
	if (cause.status == IBV_WC_WR_FLUSH_ERR) {
		if (find_cause(queue->send_cq, &cause))
			send = true;
		else if (find_cause(queue->recv_cq, &cause))
			send = false;
	}
	if (wait_for_stop(ibv, cause.status))
		return -ECANCELED;
	const struct status *status = status_of(cause.status);
	name_request(ibv, cause.wr_id, send, request, sizeof(request));
	if (cause.vendor_err != 0)
		snprintf(vendor, sizeof(vendor), " (vendor error 0x%x)", cause.vendor_err);
	const bool down = np_ibv_port_is_down(ibv, port, sizeof(port));
	/* Most often the path never carried a packet: an address, the MTU or a filter. */
	if (cause.status == IBV_WC_RETRY_EXC_ERR && !down)
		np_ibv_path_text(ibv, path, sizeof(path));
	return np_fail(&ibv->endpoint.error, down ? NP_ERROR_FAILED : status->kind,
		       down ? ENETDOWN : status->code, "%s (%s): %s%s%s%s%s%s",
		       ibv_wc_status_str(cause.status), status->name, request,
		       status->cause != NULL ? ": " : "",
		       status->cause != NULL ? status->cause : "", vendor, port, path);
}

int np_ibv_post_failed(struct np_ibv *ibv, const char *call, int code)
{
	const int number = code < 0 ? -code : code;
	struct np_error *error = &ibv->endpoint.error;

	if (np_should_stop(&ibv->endpoint))
		return -ECANCELED;
	if (number == ENOMEM && strncmp(call, "ibv_post", 8) == 0)
		return np_fail(error, NP_ERROR_FAILED, number,
			       "%s: the queue is full (send depth %u, receive depth %u)",
			       call, ibv->send_depth, ibv->recv_depth);
	return np_fail_errno(error, number != 0 ? number : EIO, "%s failed on device %s",
			     call, ibv->device.name);
}
