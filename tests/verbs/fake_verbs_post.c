/*
 * fake_verbs_post.c - work requests on their way into the queues.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fake_verbs_private.h"

/* Errno with which a device refuses a request when it is posted; 0: none. */
static int refuse_send(struct fake_qp *qp, const struct ibv_send_wr *wr)
{
	const bool datagrams = qp->qp.qp_type == IBV_QPT_UD;
	const bool sends = wr->opcode == IBV_WR_SEND || wr->opcode == IBV_WR_SEND_WITH_IMM;
	const size_t length = wr->num_sge == 1 ? wr->sg_list[0].length : 0;

	if (qp->qp.state != IBV_QPS_RTS && qp->qp.state != IBV_QPS_ERR)
		return EINVAL;
	if (qp->posted - qp->freed >= qp->cap.max_send_wr)
		return ENOMEM;
	if (wr->num_sge < 0 || wr->num_sge > 1 || (datagrams && !sends))
		return EINVAL;
	if ((wr->send_flags & IBV_SEND_INLINE) != 0 &&
	    (length > qp->cap.max_inline_data || fake_reads(wr->opcode)))
		return EINVAL;
	if (fake_reads(wr->opcode) && wr->opcode != IBV_WR_RDMA_READ && length != 8)
		return EINVAL;
	return 0;
}

static void keep_send(struct fake_qp *qp, const struct ibv_send_wr *wr)
{
	struct fake_send *send = &qp->ring[qp->posted++ % qp->cap.max_send_wr];

	*send = (struct fake_send){ .wr = *wr };
	send->wr.sg_list = &send->part;
	if (wr->num_sge == 1)
		send->part = wr->sg_list[0];
	if ((wr->send_flags & IBV_SEND_INLINE) == 0 || send->part.length == 0)
		return;
	send->copy = malloc(send->part.length);
	if (send->copy == NULL)
		abort();
	/* The processor's own doing, and at once. */
	memcpy(send->copy, (const void *)(uintptr_t)send->part.addr, send->part.length);
}

int fake_post_send(struct ibv_qp *shown, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	struct fake_qp *qp = (struct fake_qp *)shown;

	fake_lock();
	int code = fake_refuses(fake_device_of(shown->context), FAKE_POST_SEND);
	fake_device_of(shown->context)->posts++;
	/* Requests before the first bad one are posted. */
	while (code == 0 && wr != NULL) {
		code = refuse_send(qp, wr);
		if (code == 0) {
			keep_send(qp, wr);
			wr = wr->next;
		}
	}
	if (qp->qp.state == IBV_QPS_ERR)
		fake_break(qp);
	if (!fake_verbs()->lazy)
		fake_progress();
	fake_unlock();
	if (code != 0)
		*bad = wr;
	return code;
}

int fake_post_all(struct fake_qp *qp, const struct ibv_send_wr *wr)
{
	int code = fake_refuses(fake_device_of(qp->qp.context), FAKE_POST_SEND);
	const uint64_t before = qp->posted;

	for (; code == 0 && wr != NULL; wr = wr->next) {
		code = refuse_send(qp, wr);
		if (code == 0)
			keep_send(qp, wr);
	}
	while (code != 0 && qp->posted != before)
		free(qp->ring[--qp->posted % qp->cap.max_send_wr].copy);
	if (qp->qp.state == IBV_QPS_ERR)
		fake_break(qp);
	if (!fake_verbs()->lazy)
		fake_progress();
	return code;
}

static int keep_receive(struct fake_receives *receives, const struct ibv_recv_wr *wr)
{
	if (receives->posted - receives->freed >= receives->capacity)
		return ENOMEM;
	if (wr->num_sge < 0 || wr->num_sge > 1 || wr->next != NULL)
		return EINVAL;
	struct fake_receive *receive =
		&receives->ring[receives->posted++ % receives->capacity];

	*receive = (struct fake_receive){ .id = wr->wr_id, .has_part = wr->num_sge == 1 };
	if (receive->has_part)
		receive->part = wr->sg_list[0];
	return 0;
}

int fake_post_recv(struct ibv_qp *shown, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	struct fake_qp *qp = (struct fake_qp *)shown;

	fake_lock();
	int code = fake_refuses(fake_device_of(shown->context), FAKE_POST_RECV);
	if (code == 0 && (qp->qp.state == IBV_QPS_RESET || shown->srq != NULL))
		code = EINVAL;
	if (code == 0)
		code = keep_receive(&qp->receives, wr);
	if (code == 0 && qp->qp.state == IBV_QPS_ERR)
		fake_break(qp);
	if (code == 0 && !fake_verbs()->lazy)
		fake_progress();
	fake_unlock();
	if (code != 0)
		*bad = wr;
	return code;
}

int fake_post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr,
		       struct ibv_recv_wr **bad)
{
	fake_lock();
	int code = fake_refuses(fake_device_of(srq->context), FAKE_POST_RECV);
	if (code == 0)
		code = keep_receive(&((struct fake_srq *)srq)->receives, wr);
	if (code == 0 && !fake_verbs()->lazy)
		fake_progress();
	fake_unlock();
	if (code != 0)
		*bad = wr;
	return code;
}
