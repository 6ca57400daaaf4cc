/*
 * ucx_control.c - out-of-line parts of the hooks: control messages (greetings,
 * acknowledgements, credits), flushes, sleeps and errors.
 *
 * Control messages are active messages with a header only, for every -t.
 */
#include <errno.h>
#include <string.h>

#include "ucx_hot.h"

/* ---- errors -------------------------------------------------------------- */

static bool is_peer_lost(ucs_status_t status)
{
	return status == UCS_ERR_CONNECTION_RESET || status == UCS_ERR_ENDPOINT_TIMEOUT ||
	       status == UCS_ERR_REJECTED || status == UCS_ERR_NOT_CONNECTED;
}

int np_ucx_failed(struct np_ucx *ucx, ucs_status_t status, const char *call)
{
	struct np_error *error = &ucx->endpoint.error;

	if (np_should_stop(&ucx->endpoint))
		return -ECANCELED;
	if (is_peer_lost(status))
		return np_fail(error, NP_ERROR_PEER, ECONNRESET,
			       "UCX has lost the peer: %s", ucs_status_string(status));
	return np_fail(error, NP_ERROR_FAILED, EIO, "%s failed in UCX: %s", call,
		       ucs_status_string(status));
}

int np_ucx_report(struct np_ucx *ucx)
{
	return np_ucx_failed(ucx, ucx->failure, "moving messages");
}

/* ---- waits --------------------------------------------------------------- */

int np_ucx_pause(struct np_ucx *ucx)
{
	ucx->polls = 0;
	return np_give_way(&ucx->endpoint) ? -ECANCELED : 0;
}

int np_ucx_sleep(struct np_ucx *ucx)
{
	const ucs_status_t status = ucp_worker_arm(ucx->worker);

	/* Events since the last progress call: the caller progresses instead of sleeping.
	 */
	if (status == UCS_ERR_BUSY)
		return np_should_stop(&ucx->endpoint) ? -ECANCELED : 0;
	if (status != UCS_OK)
		return np_ucx_failed(ucx, status, "ucp_worker_arm");
	/* A completion queue of verbs raises no event for entries from before it was armed,
	 * so UCX requires a further call of progress. */
	if (ucp_worker_progress(ucx->worker) != 0)
		return 0;
	const int rc = np_sleep_on(&ucx->endpoint, ucx->event_fd);

	return rc < 0 ? rc : 0;
}

int np_ucx_flush_peer(struct np_ucx *ucx, bool sleeps)
{
	const int rc = np_ucx_start(ucx, ucp_ep_flush_nbx(ucx->peer, &ucx->plain_param),
				    "ucp_ep_flush_nbx");

	return rc != 0 ? rc : np_ucx_drain(ucx, 0, sleeps);
}

int np_ucx_progress_once(struct np_endpoint *endpoint)
{
	return np_ucx_progress(np_ucx_of(endpoint), false);
}

/* ---- control messages ---------------------------------------------------- */

void np_ucx_on_complete(void *request, ucs_status_t status, void *context)
{
	struct np_ucx *ucx = context;

	ucx->pending--;
	if (status != UCS_OK && ucx->failure == UCS_OK)
		ucx->failure = status;
	ucp_request_free(request);
}

int np_ucx_send_control(struct np_ucx *ucx, enum np_ucx_control_kind kind, uint64_t value)
{
	/* UCX may read the header until the message is sent. */
	struct np_ucx_control *control =
		&ucx->controls[ucx->control_turn++ % NP_UCX_CONTROLS];

	*control = (struct np_ucx_control){ .kind = kind,
					    .block = ucx->block,
					    .value = value };
	return np_ucx_start(ucx,
			    ucp_am_send_nbx(ucx->peer, NP_UCX_CONTROL, control,
					    sizeof(*control), NULL, 0, &ucx->plain_param),
			    "ucp_am_send_nbx");
}

static ucs_status_t on_control(void *context, const void *header, size_t header_length,
			       void *data, size_t length, const ucp_am_recv_param_t *param)
{
	struct np_ucx *ucx = context;
	struct np_ucx_control control;

	(void)data;
	(void)length;
	(void)param;
	if (header_length != sizeof(control))
		return UCS_OK;
	memcpy(&control, header, sizeof(control));
	switch ((enum np_ucx_control_kind)control.kind) {
	case NP_UCX_HELLO:
		ucx->greeted = true;
		break;
	case NP_UCX_ACK:
		ucx->acks++;
		break;
	case NP_UCX_CREDIT:
		/* Credits of an earlier block do not count. */
		if (control.block == ucx->block)
			ucx->allowed = control.value;
		break;
	case NP_UCX_ANNOUNCED:
		if (control.block == ucx->block)
			ucx->announced = control.value;
		break;
	}
	return UCS_OK;
}

int np_ucx_set_handlers(struct np_ucx *ucx)
{
	const bool left = np_ucx_options_of(ucx)->like == NP_UCX_LIKE_PERFTEST;
	ucp_am_handler_param_t param = { .field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID |
						       UCP_AM_HANDLER_PARAM_FIELD_CB |
						       UCP_AM_HANDLER_PARAM_FIELD_ARG,
					 .id = NP_UCX_MESSAGE,
					 .cb = left ? np_ucx_on_message_left :
						      np_ucx_on_message,
					 .arg = ucx };
	ucs_status_t status = ucp_worker_set_am_recv_handler(ucx->worker, &param);

	param.id = NP_UCX_CONTROL;
	param.cb = on_control;
	if (status == UCS_OK)
		status = ucp_worker_set_am_recv_handler(ucx->worker, &param);
	return status == UCS_OK ?
		       0 :
		       np_ucx_failed(ucx, status, "ucp_worker_set_am_recv_handler");
}

int np_ucx_grant(struct np_ucx *ucx)
{
	const uint64_t next = ucx->posted + ucx->grant_step;

	ucx->next_grant = next < ucx->expected ? next : ucx->expected;
	return np_ucx_send_control(ucx, NP_UCX_CREDIT, ucx->posted);
}

int np_ucx_send_ack(struct np_endpoint *endpoint)
{
	return np_ucx_send_control(np_ucx_of(endpoint), NP_UCX_ACK, 0);
}
