/*
 * ucx_active.c - hooks of active messages: a handler at the target takes each message.
 *
 * An eager message lies in UCX's memory, and the handler copies it to its buffer; for a
 * rendezvous the handler starts the transfer into it.  A handler has no buffer for a
 * message without a receive, so the transmitter of a stream sends as many as the receiver
 * has posted, and the receiver grants more by control messages.
 *
 * With --reply handler the target of a ping-pong answers from within the handler, as in
 * GAMMA and SP AM; its loop then only calls UCX.
 */
#include <errno.h>
#include <string.h>

#include "ucx_hot.h"

NP_ALWAYS_INLINE int start_message(struct np_ucx *ucx, size_t slot)
{
	const unsigned char *buffer = ucx->endpoint.transfer->slots[slot].send;

	ucx->sent++;
	np_ucx_aim(&ucx->keys, &ucx->send_param, buffer);
	return np_ucx_start(ucx,
			    ucp_am_send_nbx(ucx->peer, NP_UCX_MESSAGE, NULL, 0, buffer,
					    ucx->endpoint.transfer->length,
					    &ucx->send_param),
			    "ucp_am_send_nbx");
}

/* The handler's own reply.  The receive of the next message is posted before the reply
 * allows that to come, maybe within the same call of UCX. */
static int reply(struct np_ucx *ucx, size_t slot)
{
	const struct np_endpoint *ep = &ucx->endpoint;

	if (ucx->posted < ucx->expected)
		np_ucx_enter_receive(ucx, np_next_slot(slot, ep->ring_begin, ep->ring_end));
	return start_message(ucx, slot);
}

/* The message lies in its buffer. */
static void finish_receive(struct np_ucx_receive *receive, ucs_status_t status)
{
	struct np_ucx *ucx = receive->ucx;

	receive->status = status;
	if (ucx->replies && status == UCS_OK && reply(ucx, receive->slot) != 0)
		receive->status = UCS_ERR_IO_ERROR;
}

static void on_data(void *request, ucs_status_t status, size_t length, void *context)
{
	(void)length;
	finish_receive(context, status);
	ucp_request_free(request);
}

ucs_status_t np_ucx_on_message(void *context, const void *header, size_t header_length,
			       void *data, size_t length, const ucp_am_recv_param_t *param)
{
	struct np_ucx *ucx = context;
	struct np_ucx_receive *receive = &ucx->receives[ucx->arrived % NP_UCX_RING];

	(void)header;
	(void)header_length;
	if (NP_UNLIKELY(ucx->arrived == ucx->posted ||
			length != ucx->endpoint.transfer->length)) {
		ucx->failure = UCS_ERR_MESSAGE_TRUNCATED;
		return UCS_OK;
	}
	ucx->arrived++;
	if ((param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) == 0) {
		memcpy(receive->buffer, data, length);
		finish_receive(receive, UCS_OK);
		return UCS_OK;
	}
	np_ucx_aim(&ucx->keys, &ucx->recv_param, receive->buffer);
	ucx->recv_param.user_data = receive;
	const ucs_status_ptr_t request = ucp_am_recv_data_nbx(
		ucx->worker, data, receive->buffer, length, &ucx->recv_param);

	if (request == NULL)
		finish_receive(receive, UCS_OK);
	else if (UCS_PTR_IS_ERR(request))
		finish_receive(receive, UCS_PTR_STATUS(request));
	return UCS_INPROGRESS;
}

static int post_receive(struct np_endpoint *ep, size_t slot)
{
	struct np_ucx *ucx = np_ucx_of(ep);

	np_ucx_enter_receive(ucx, slot);
	return NP_UNLIKELY(ucx->posted == ucx->next_grant) ? np_ucx_grant(ucx) : 0;
}

NP_ALWAYS_INLINE int send_message(struct np_endpoint *ep, size_t slot, bool sleeps)
{
	struct np_ucx *ucx = np_ucx_of(ep);
	int rc = np_ucx_drain(ucx, ucx->send_limit, sleeps);

	while (rc == 0 && NP_UNLIKELY(ucx->sent == ucx->allowed))
		rc = np_ucx_progress(ucx, sleeps);
	if (NP_UNLIKELY(rc != 0))
		return rc;
	return start_message(ucx, slot);
}

NP_SLOT_HOOKS(send_message)

NP_UCX_PATH(poll, "active message, poll", post_receive, send_message_polling,
	    np_ucx_recv_polling, polling);
NP_UCX_PATH(event, "active message, event", post_receive, send_message_sleeping,
	    np_ucx_recv_sleeping, sleeping);

/* The target of a ping-pong whose handler replies: it calls UCX until all are there. */
NP_ALWAYS_INLINE int pong(struct np_endpoint *ep, size_t slot, uint64_t messages,
			  uint64_t batches, bool sleeps)
{
	struct np_ucx *ucx = np_ucx_of(ep);
	int rc = 0;

	ucx->replies = true;
	for (uint64_t left = messages * batches; rc == 0 && left != 0; left--)
		rc = np_ucx_recv(ep, slot, sleeps);
	if (rc == 0)
		rc = np_ucx_drain(ucx, 0, sleeps);
	ucx->replies = false;
	return rc;
}

#define PONG(name, sleeps)                                                                 \
	static int name(struct np_endpoint *ep, size_t slot, uint64_t messages,            \
			uint64_t batches)                                                  \
	{                                                                                  \
		return pong(ep, slot, messages, batches, sleeps);                          \
	}

PONG(pong_polling, false)
PONG(pong_sleeping, true)

static const struct np_code_path reply_poll = {
	.name = "reply from the handler, poll",
	.hot = &poll_hot,
	.loops = { [NP_PINGPONG] = { poll_ping, pong_polling } },
};
static const struct np_code_path reply_event = {
	.name = "reply from the handler, event",
	.hot = &event_hot,
	.loops = { [NP_PINGPONG] = { event_ping, pong_sleeping } },
};

const struct np_code_path *np_ucx_active(struct np_ucx *ucx, bool sleeps)
{
	const struct np_ucx_options *options = np_ucx_options_of(ucx);

	ucx->recv_param.cb.recv_am = on_data;
	if (options->protocol != NP_UCX_AUTO) {
		ucx->send_param.op_attr_mask |= UCP_OP_ATTR_FIELD_FLAGS;
		ucx->send_param.flags = options->protocol == NP_UCX_EAGER ?
						UCP_AM_SEND_FLAG_EAGER :
						UCP_AM_SEND_FLAG_RNDV;
	}
	if (options->reply == NP_UCX_REPLY_HANDLER)
		return sleeps ? &reply_event : &reply_poll;
	return sleeps ? &event : &poll;
}
