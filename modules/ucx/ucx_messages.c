/*
 * ucx_messages.c - hooks of two-sided messages: active messages, tag matching, and byte
 * streams of UCX.
 *
 * The handler copies an eager active message from memory of UCX to its buffer; for a
 * rendezvous it starts the transfer into the buffer.  A handler has no buffer for a message
 * without a posted receive, so streams have flow control: the receiver grants credits for
 * posted receives by control messages.  With --reply handler the target of a ping-pong
 * replies from within the handler, as in GAMMA and SP AM; its loop then only calls UCX.
 *
 * Tagged messages have one tag and match in order; UCX buffers unexpected ones, so their
 * streams need no credits.  Receives of a byte stream are filled in the order of posting,
 * each with the bytes of one message.
 */
#include <errno.h>
#include <string.h>

#include "ucx_hot.h"

enum { TAG = 0x4e50 };

/* ---- sends; `transfer` is a compile-time constant of each code path ------ */

NP_ALWAYS_INLINE int start_message(struct np_ucx *ucx, size_t slot,
				   enum np_ucx_transfer transfer)
{
	const unsigned char *buffer = ucx->endpoint.transfer->slots[slot].send;
	const size_t length = ucx->endpoint.transfer->length;
	const ucp_request_param_t *param = &ucx->send_param;

	ucx->sent++;
	np_ucx_aim(&ucx->keys, &ucx->send_param, buffer);
	if (transfer == NP_UCX_TAG)
		return np_ucx_start(ucx,
				    ucp_tag_send_nbx(ucx->peer, buffer, length, TAG, param),
				    "ucp_tag_send_nbx");
	if (transfer == NP_UCX_STREAM)
		return np_ucx_start(ucx,
				    ucp_stream_send_nbx(ucx->peer, buffer, length, param),
				    "ucp_stream_send_nbx");
	return np_ucx_start(
		ucx,
		ucp_am_send_nbx(ucx->peer, NP_UCX_MESSAGE, NULL, 0, buffer, length, param),
		"ucp_am_send_nbx");
}

NP_ALWAYS_INLINE int send_message(struct np_endpoint *ep, size_t slot,
				  enum np_ucx_transfer transfer, bool sleeps)
{
	struct np_ucx *ucx = np_ucx_of(ep);
	int rc = np_ucx_drain(ucx, ucx->send_limit, sleeps);

	while (rc == 0 && transfer == NP_UCX_AM && NP_UNLIKELY(ucx->sent == ucx->allowed))
		rc = np_ucx_progress(ucx, sleeps);
	return NP_UNLIKELY(rc != 0) ? rc : start_message(ucx, slot, transfer);
}

/* ---- receives ------------------------------------------------------------ */

NP_ALWAYS_INLINE void aim_receive(struct np_ucx *ucx, struct np_ucx_receive *receive)
{
	np_ucx_aim(&ucx->keys, &ucx->recv_param, receive->buffer);
	ucx->recv_param.user_data = receive;
}

NP_ALWAYS_INLINE int post_receive(struct np_endpoint *ep, size_t slot,
				  enum np_ucx_transfer transfer)
{
	struct np_ucx *ucx = np_ucx_of(ep);
	struct np_ucx_receive *receive = np_ucx_enter_receive(ucx, slot);
	size_t length = ep->transfer->length;
	ucs_status_ptr_t request;

	if (transfer == NP_UCX_AM)
		return NP_UNLIKELY(ucx->posted == ucx->next_grant) ? np_ucx_grant(ucx) : 0;
	aim_receive(ucx, receive);
	if (transfer == NP_UCX_TAG)
		request = ucp_tag_recv_nbx(ucx->worker, receive->buffer, length, TAG,
					   UINT64_MAX, &ucx->recv_param);
	else
		request = ucp_stream_recv_nbx(ucx->peer, receive->buffer, length, &length,
					      &ucx->recv_param);
	if (request == NULL)
		receive->status = UCS_OK;
	else if (NP_UNLIKELY(UCS_PTR_IS_ERR(request)))
		receive->status = UCS_PTR_STATUS(request);
	return 0;
}

/* Reply of the handler.  The receive of the next message is posted first, since that may
 * arrive within the same call of UCX. */
static int reply(struct np_ucx *ucx, size_t slot)
{
	const struct np_endpoint *ep = &ucx->endpoint;

	if (ucx->posted < ucx->expected)
		np_ucx_enter_receive(ucx, np_next_slot(slot, ep->ring_begin, ep->ring_end));
	return start_message(ucx, slot, NP_UCX_AM);
}

/* Completes a receive whose message is in its buffer. */
static void finish_receive(struct np_ucx_receive *receive, ucs_status_t status)
{
	struct np_ucx *ucx = receive->ucx;

	receive->status = status;
	if (ucx->replies && status == UCS_OK && reply(ucx, receive->slot) != 0)
		receive->status = UCS_ERR_IO_ERROR;
}

/* Callback of byte streams and of rendezvous receives. */
static void on_data(void *request, ucs_status_t status, size_t length, void *context)
{
	(void)length;
	finish_receive(context, status);
	ucp_request_free(request);
}

static void on_tag(void *request, ucs_status_t status, const ucp_tag_recv_info_t *info,
		   void *context)
{
	(void)info;
	on_data(request, status, 0, context);
}

/* Handler of messages.  copies: of eager data too, a constant. */
NP_ALWAYS_INLINE ucs_status_t take_message(struct np_ucx *ucx, void *data, size_t length,
					   const ucp_am_recv_param_t *param, bool copies)
{
	struct np_ucx_receive *receive = &ucx->receives[ucx->arrived % NP_UCX_RING];

	if (NP_UNLIKELY(ucx->arrived == ucx->posted ||
			length != ucx->endpoint.transfer->length)) {
		ucx->failure = UCS_ERR_MESSAGE_TRUNCATED;
		return UCS_OK;
	}
	ucx->arrived++;
	if ((param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) == 0) {
		if (copies)
			memcpy(receive->buffer, data, length);
		finish_receive(receive, UCS_OK);
		return UCS_OK;
	}
	aim_receive(ucx, receive);
	const ucs_status_ptr_t request = ucp_am_recv_data_nbx(
		ucx->worker, data, receive->buffer, length, &ucx->recv_param);

	if (request == NULL)
		finish_receive(receive, UCS_OK);
	else if (UCS_PTR_IS_ERR(request))
		finish_receive(receive, UCS_PTR_STATUS(request));
	return UCS_INPROGRESS;
}

ucs_status_t np_ucx_on_message(void *ucx, const void *header, size_t header_length,
			       void *data, size_t length, const ucp_am_recv_param_t *param)
{
	(void)header;
	(void)header_length;
	return take_message(ucx, data, length, param, true);
}

ucs_status_t np_ucx_on_message_left(void *ucx, const void *header, size_t header_length,
				    void *data, size_t length,
				    const ucp_am_recv_param_t *param)
{
	(void)header;
	(void)header_length;
	return take_message(ucx, data, length, param, false);
}

/* ---- the code paths ------------------------------------------------------ */

#define MESSAGE_PATHS(NAME, label, transfer)                                               \
	static int NAME##_post(struct np_endpoint *ep, size_t slot)                        \
	{                                                                                  \
		return post_receive(ep, slot, transfer);                                   \
	}                                                                                  \
	NP_ALWAYS_INLINE int NAME##_send(struct np_endpoint *ep, size_t slot, bool sleeps) \
	{                                                                                  \
		return send_message(ep, slot, transfer, sleeps);                           \
	}                                                                                  \
	NP_SLOT_HOOKS(NAME##_send)                                                         \
	NP_UCX_PATH(NAME##_poll, label ", poll", NAME##_post, NAME##_send_polling,         \
		    np_ucx_recv_polling, polling);                                         \
	NP_UCX_PATH(NAME##_event, label ", event", NAME##_post, NAME##_send_sleeping,      \
		    np_ucx_recv_sleeping, sleeping)

MESSAGE_PATHS(active, "active message", NP_UCX_AM);
MESSAGE_PATHS(tag, "tag", NP_UCX_TAG);
MESSAGE_PATHS(stream, "stream", NP_UCX_STREAM);

/* Target of a ping-pong with --reply handler: progresses UCX until all messages arrived. */
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

#define REPLY_PATH(NAME, label, path, sleeps)                                              \
	static int NAME##_pong(struct np_endpoint *ep, size_t slot, uint64_t messages,     \
			       uint64_t batches)                                           \
	{                                                                                  \
		return pong(ep, slot, messages, batches, sleeps);                          \
	}                                                                                  \
	static const struct np_code_path NAME = {                                          \
		.name = (label),                                                           \
		.hot = &path##_hot,                                                        \
		.loops = { [NP_PINGPONG] = { path##_ping, NAME##_pong } },                 \
	}

REPLY_PATH(reply_poll, "reply from the handler, poll", active_poll, false);
REPLY_PATH(reply_event, "reply from the handler, event", active_event, true);

static const struct np_code_path *choose_active(struct np_ucx *ucx, bool sleeps)
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
	return sleeps ? &active_event : &active_poll;
}

const struct np_code_path *np_ucx_messages(struct np_ucx *ucx, bool sleeps)
{
	switch ((enum np_ucx_transfer)np_ucx_options_of(ucx)->transfer) {
	case NP_UCX_TAG:
		ucx->recv_param.cb.recv = on_tag;
		return sleeps ? &tag_event : &tag_poll;
	case NP_UCX_STREAM:
		ucx->recv_param.cb.recv_stream = on_data;
		ucx->recv_param.op_attr_mask |= UCP_OP_ATTR_FIELD_FLAGS;
		ucx->recv_param.flags = UCP_STREAM_RECV_FLAG_WAITALL;
		return sleeps ? &stream_event : &stream_poll;
	default:
		return choose_active(ucx, sleeps);
	}
}
