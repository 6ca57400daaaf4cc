/*
 * ucx_tag.c - hooks of messages that are matched by tag.
 *
 * All have one tag and match in order.  A message that finds no receive is kept by UCX,
 * so a stream needs no credits.
 */
#include "ucx_hot.h"

enum { TAG = 0x4e50 };

static void on_received(void *request, ucs_status_t status, const ucp_tag_recv_info_t *info,
			void *context)
{
	struct np_ucx_receive *receive = context;

	(void)info;
	receive->status = status;
	ucp_request_free(request);
}

static int post_receive(struct np_endpoint *ep, size_t slot)
{
	struct np_ucx *ucx = np_ucx_of(ep);
	struct np_ucx_receive *receive = np_ucx_enter_receive(ucx, slot);

	np_ucx_aim(&ucx->keys, &ucx->recv_param, receive->buffer);
	ucx->recv_param.user_data = receive;
	return np_ucx_start_receive(receive,
				    ucp_tag_recv_nbx(ucx->worker, receive->buffer,
						     ep->transfer->length, TAG, UINT64_MAX,
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
			    ucp_tag_send_nbx(ucx->peer, buffer, ep->transfer->length, TAG,
					     &ucx->send_param),
			    "ucp_tag_send_nbx");
}

NP_SLOT_HOOKS(send_message)

NP_UCX_PATH(poll, "tag, poll", post_receive, send_message_polling, np_ucx_recv_polling,
	    polling);
NP_UCX_PATH(event, "tag, event", post_receive, send_message_sleeping, np_ucx_recv_sleeping,
	    sleeping);

const struct np_code_path *np_ucx_tag(struct np_ucx *ucx, bool sleeps)
{
	ucx->recv_param.cb.recv = on_received;
	return sleeps ? &event : &poll;
}
