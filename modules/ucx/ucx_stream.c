/*
 * ucx_stream.c - hooks of UCX's streams of bytes.
 *
 * Receives take the bytes in the order in which they were posted, each as many as a
 * message has.
 */
#include "ucx_hot.h"

static void on_received(void *request, ucs_status_t status, size_t length, void *context)
{
	struct np_ucx_receive *receive = context;

	(void)length;
	receive->status = status;
	ucp_request_free(request);
}

static int post_receive(struct np_endpoint *ep, size_t slot)
{
	struct np_ucx *ucx = np_ucx_of(ep);
	struct np_ucx_receive *receive = np_ucx_enter_receive(ucx, slot);
	size_t length;

	np_ucx_aim(&ucx->keys, &ucx->recv_param, receive->buffer);
	ucx->recv_param.user_data = receive;
	return np_ucx_start_receive(receive,
				    ucp_stream_recv_nbx(ucx->peer, receive->buffer,
							ep->transfer->length, &length,
							&ucx->recv_param));
}

NP_ALWAYS_INLINE int send_message(struct np_endpoint *ep, size_t slot, bool sleeps)
{
	struct np_ucx *ucx = np_ucx_of(ep);
	const unsigned char *buffer = ep->transfer->slots[slot].send;
	const int rc = np_ucx_drain(ucx, ucx->send_limit, sleeps);

	if (NP_UNLIKELY(rc != 0))
		return rc;
	ucx->sent++;
	np_ucx_aim(&ucx->keys, &ucx->send_param, buffer);
	return np_ucx_start(ucx,
			    ucp_stream_send_nbx(ucx->peer, buffer, ep->transfer->length,
						&ucx->send_param),
			    "ucp_stream_send_nbx");
}

NP_SLOT_HOOKS(send_message)

NP_UCX_PATH(poll, "stream, poll", post_receive, send_message_polling, np_ucx_recv_polling,
	    polling);
NP_UCX_PATH(event, "stream, event", post_receive, send_message_sleeping,
	    np_ucx_recv_sleeping, sleeping);

const struct np_code_path *np_ucx_stream(struct np_ucx *ucx, bool sleeps)
{
	ucx->recv_param.cb.recv_stream = on_received;
	ucx->recv_param.op_attr_mask |= UCP_OP_ATTR_FIELD_FLAGS;
	ucx->recv_param.flags = UCP_STREAM_RECV_FLAG_WAITALL;
	return sleeps ? &event : &poll;
}
