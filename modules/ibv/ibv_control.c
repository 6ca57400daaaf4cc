/*
 * ibv_control.c - out-of-line parts of the hooks: control messages (acknowledgements,
 * credits), fences, sleeps, and checks during a long wait.
 *
 * A control message is a send of one word, since iWARP has no immediate data.  Control
 * messages use the first queue pair, in a direction without other messages, so that the
 * two kinds cannot be confused.
 */
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "ibv_hot.h"

/* Most queues polled by one pause, round robin. */
enum { PAUSE_QUEUES = 64 };

int np_ibv_pause_sending(struct np_ibv *ibv)
{
	return np_give_way(&ibv->endpoint) ? -ECANCELED : 0;
}

/* A failed send generates a completion even if it is unsignalled. */
static int poll_send_errors(struct np_ibv *ibv, struct np_ibv_queue *queue)
{
	struct ibv_wc completion;
	const int found = ibv_poll_cq(queue->send_cq, 1, &completion);

	if (found == 0)
		return 0;
	if (found < 0)
		return np_ibv_post_failed(ibv, "ibv_poll_cq", EIO);
	if (completion.status != IBV_WC_SUCCESS)
		return np_ibv_completion_failed(ibv, queue, &completion, true);
	queue->completed = np_ibv_id_number(completion.wr_id);
	return 0;
}

int np_ibv_pause(struct np_ibv *ibv)
{
	int rc = np_give_way(&ibv->endpoint) ? -ECANCELED : 0;

	for (size_t i = 0; rc == 0 && i < ibv->turns && i < PAUSE_QUEUES; i++)
		rc = poll_send_errors(ibv, np_ibv_next(ibv, &ibv->pause_turn));
	return rc;
}

/* Waits until the send queue has a free entry; polls in every completion mode. */
static int wait_send_space(struct np_ibv *ibv, struct np_ibv_queue *queue)
{
	int rc = 0;

	while (rc == 0 && queue->posted - queue->completed >= ibv->send_limit)
		rc = np_ibv_wait_send(ibv, queue, false);
	return rc;
}

static int post_signalled(struct np_ibv *ibv, struct np_ibv_queue *queue,
			  struct ibv_send_wr *request)
{
	const uint64_t number = queue->posted + 1;
	struct ibv_send_wr *bad;

	request->wr_id = np_ibv_id(number, NP_IBV_FENCE_SLOT);
	request->send_flags |= IBV_SEND_SIGNALED;
	const int rc = ibv_post_send(queue->qp, request, &bad);
	if (rc != 0)
		return np_ibv_post_failed(ibv, "ibv_post_send", rc);
	queue->posted = number;
	queue->signalled = number;
	return 0;
}

int np_ibv_fence(struct np_ibv *ibv, struct np_ibv_queue *queue)
{
	/* With iWARP a write may complete before a read that was posted earlier. */
	struct ibv_send_wr request = { .opcode = IBV_WR_RDMA_WRITE,
				       .send_flags = np_ibv_gets(ibv->transport) ?
							     IBV_SEND_FENCE :
							     0 };
	const int rc = wait_send_space(ibv, queue);

	if (rc != 0 || queue->posted == queue->completed)
		return rc;
	return post_signalled(ibv, queue, &request);
}

/* Waits for all sends of the queue, at most within_ns: the watcher has a deadline for
 * blocks only. */
static int await_first(struct np_ibv *ibv, struct np_ibv_queue *queue, uint64_t within_ns)
{
	const uint64_t deadline = np_clock_ns() + within_ns;
	int rc = 0;

	while (rc == 0 && queue->completed != queue->posted) {
		rc = np_give_way(&ibv->endpoint) ? -ECANCELED :
						   poll_send_errors(ibv, queue);
		if (rc == 0 && queue->completed != queue->posted &&
		    np_clock_ns() > deadline)
			rc = np_fail(&ibv->endpoint.error, NP_ERROR_PEER, ETIMEDOUT,
				     "the connection carries no data: no "
				     "answer to a first read from %s within %.2g s",
				     ibv->device.name, (double)within_ns * 1e-9);
	}
	return rc;
}

int np_ibv_send_first(struct np_ibv *ibv, uint64_t within_ns)
{
	struct ibv_sge part = { .addr = (uintptr_t)ibv->control,
				.lkey = ibv->control_region->lkey };
	struct ibv_send_wr request = { .opcode = IBV_WR_RDMA_READ,
				       .sg_list = &part,
				       .num_sge = 1 };
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < ibv->queue_count; i++) {
		rc = post_signalled(ibv, &ibv->queues[i], &request);
		if (rc == 0)
			rc = await_first(ibv, &ibv->queues[i], within_ns);
	}
	return rc;
}

int np_ibv_post_control_receive(struct np_ibv *ibv, size_t index)
{
	struct ibv_sge part = { .addr = (uintptr_t)np_ibv_control_buffer(ibv, index),
				.length = (uint32_t)(ibv->recv_lead + sizeof(uint32_t)),
				.lkey = ibv->control_region->lkey };
	struct ibv_recv_wr request = { .wr_id = np_ibv_id(index, NP_IBV_NO_SLOT),
				       .sg_list = &part,
				       .num_sge = 1 };
	struct ibv_recv_wr *bad;
	const int rc = ibv->srq != NULL ? ibv_post_srq_recv(ibv->srq, &request, &bad) :
					  ibv_post_recv(ibv->queues[0].qp, &request, &bad);

	return rc == 0 ? 0 : np_ibv_post_failed(ibv, "ibv_post_recv", rc);
}

static __attribute__((noinline)) int send_control(struct np_ibv *ibv, uint32_t word)
{
	/* NP_IBV_CONTROLS are in flight at most, as the peer has that many receives: the
	 * message last sent from this buffer has arrived. */
	unsigned char *buffer = np_ibv_control_buffer(
		ibv, NP_IBV_CONTROLS + ibv->controls_sent++ % NP_IBV_CONTROLS);
	const uint32_t bytes = htonl(word);
	struct ibv_sge part = { .addr = (uintptr_t)buffer,
				.length = sizeof(bytes),
				.lkey = ibv->control_region->lkey };
	struct ibv_send_wr request = { .opcode = IBV_WR_SEND,
				       .sg_list = &part,
				       .num_sge = 1 };

	memcpy(buffer, &bytes, sizeof(bytes));
	if (ibv->peer_handle != NULL) {
		request.wr.ud = ibv->send_request.wr.ud;
		request.wr.ud.remote_qpn = ibv->queues[0].remote;
	}
	return np_ibv_post(ibv, &ibv->queues[0], &request,
			   sizeof(bytes) <= ibv->inline_limit ? IBV_SEND_INLINE : 0,
			   NP_IBV_NO_SLOT, false);
}

int np_ibv_grant(struct np_ibv *ibv)
{
	const uint64_t next = ibv->offered + ibv->grant_step;

	ibv->next_grant = next < ibv->expected ? next : ibv->expected;
	return send_control(ibv, (uint32_t)ibv->offered & ~(uint32_t)NP_IBV_KIND);
}

int np_ibv_flush_polling(struct np_endpoint *endpoint)
{
	return np_ibv_flush(np_ibv_of(endpoint), false);
}

int np_ibv_flush_sleeping(struct np_endpoint *endpoint)
{
	return np_ibv_flush(np_ibv_of(endpoint), true);
}

int np_ibv_send_ack(struct np_endpoint *endpoint)
{
	return send_control(np_ibv_of(endpoint), NP_IBV_ACK);
}

int np_ibv_recv_ack_polling(struct np_endpoint *endpoint)
{
	return np_ibv_recv_ack(np_ibv_of(endpoint), false);
}

int np_ibv_recv_ack_sleeping(struct np_endpoint *endpoint)
{
	return np_ibv_recv_ack(np_ibv_of(endpoint), true);
}

/* ---- sleeps on completion channels ------------------------------------------------ */

/* Reads one event; each request for notification generates at most one.  Acknowledging
 * takes a lock: free_queue() does it once for all. */
static int take_event(struct np_ibv *ibv, struct ibv_comp_channel *channel)
{
	struct ibv_cq *cq = NULL;
	void *context = NULL;

	if (ibv_get_cq_event(channel, &cq, &context) == 0) {
		struct np_ibv_queue *queue = context;

		if (cq == queue->send_cq)
			queue->send_events++;
		else
			queue->recv_events++;
		return 0;
	}
	if (errno == EAGAIN || errno == EINTR)
		return 0;
	if (np_should_stop(&ibv->endpoint))
		return -ECANCELED;
	return np_fail_errno(&ibv->endpoint.error, errno,
			     "cannot wait for completion events of device %s",
			     ibv->device.name);
}

int np_ibv_sleep(struct np_ibv *ibv, bool send)
{
	struct ibv_comp_channel *channel = send ? ibv->send_channel : ibv->recv_channel;
	const int rc = np_sleep_on(&ibv->endpoint, channel->fd);

	return rc <= 0 ? rc : take_event(ibv, channel);
}
