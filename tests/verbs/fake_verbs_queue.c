/*
 * fake_verbs_queue.c - queue pairs and shared receive queues.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fake_verbs_private.h"

static struct fake_qp *qp_of(struct ibv_qp *qp)
{
	return (struct fake_qp *)qp;
}

static struct fake_pd *pd_of(struct ibv_pd *pd)
{
	return (struct fake_pd *)pd;
}

struct fake_qp *fake_find_qp(uint32_t number)
{
	for (struct fake_qp *at = fake_verbs()->qps; at != NULL; at = at->next) {
		if (at->qp.qp_num == number)
			return at;
	}
	return NULL;
}

static void make_ring(struct fake_receives *receives, uint32_t capacity)
{
	receives->capacity = capacity;
	receives->ring = calloc(capacity + 1, sizeof(*receives->ring));
	if (receives->ring == NULL)
		abort();
}

/* ---- Shared receive queues --------------------------------------------------- */

struct ibv_srq *ibv_create_srq(struct ibv_pd *pd, struct ibv_srq_init_attr *attr)
{
	struct fake_device *device = fake_device_of(pd->context);
	struct fake_srq *made = NULL;

	fake_lock();
	int code = fake_refuses(device, FAKE_CREATE_SRQ);
	if (code == 0 && device->max_srq_wr == 0)
		code = EOPNOTSUPP;
	if (code == 0 && attr->attr.max_wr > (uint32_t)device->max_srq_wr)
		code = EINVAL;
	if (code == 0) {
		made = fake_make(FAKE_SRQ, sizeof(*made));
		made->srq.context = pd->context;
		made->srq.pd = pd;
		make_ring(&made->receives, attr->attr.max_wr);
		pd_of(pd)->users++;
	}
	fake_unlock();
	if (made != NULL)
		return &made->srq;
	errno = code;
	return NULL;
}

int ibv_destroy_srq(struct ibv_srq *srq)
{
	struct fake_srq *gone = (struct fake_srq *)srq;

	fake_lock();
	if (gone->users != 0) {
		fake_misuse("a shared receive queue was destroyed before its queue pair");
		fake_unlock();
		return EBUSY;
	}
	const int code = fake_released(srq->context);
	pd_of(srq->pd)->users--;
	free(gone->receives.ring);
	fake_free(FAKE_SRQ, gone);
	fake_unlock();
	return code;
}

/* ---- Queue pairs -----------------------------------------------------------------------
 */

static int refuse_pair(struct fake_device *device, const struct ibv_qp_init_attr *attr)
{
	const struct ibv_qp_cap *cap = &attr->cap;
	const int code = fake_refuses(device, FAKE_CREATE_QP);
	const uint32_t inline_most = device->no_inline ? 0 : device->inline_most;

	if (code != 0)
		return code;
	if (cap->max_send_wr > (uint32_t)device->max_qp_wr || cap->max_send_sge > 1 ||
	    cap->max_recv_wr > (uint32_t)device->max_qp_wr || cap->max_recv_sge > 1 ||
	    (cap->max_inline_data > inline_most && !device->inline_clamps))
		return EINVAL;
	return device->no_connections && attr->qp_type != IBV_QPT_UD ? EOPNOTSUPP : 0;
}

/* Inline bytes granted to a queue pair, by the bytes requested. */
static uint32_t inline_of(const struct fake_device *device, uint32_t asked)
{
	const uint32_t unit = device->inline_unit;

	if (asked == 0 || asked > device->inline_most)
		return asked == 0 ? 0 : device->inline_most;
	if (unit == 0)
		return asked;
	return (device->inline_head + asked + unit - 1) / unit * unit - device->inline_head;
}

static void use_pair(struct fake_qp *qp, int change)
{
	((struct fake_cq *)qp->qp.send_cq)->users += (unsigned)change;
	((struct fake_cq *)qp->qp.recv_cq)->users += (unsigned)change;
	if (qp->qp.srq != NULL)
		((struct fake_srq *)qp->qp.srq)->users += (unsigned)change;
	pd_of(qp->qp.pd)->users += (unsigned)change;
}

/* As libmlx5, when it makes a queue pair. */
static bool scatters_to_cqe(void)
{
	const char *text = getenv("MLX5_SCATTER_TO_CQE");

	return text == NULL || strcmp(text, "0") != 0;
}

static struct fake_qp *make_pair(struct ibv_pd *pd, const struct ibv_qp_init_attr *attr)
{
	struct fake_verbs *fake = fake_verbs();
	struct fake_qp *made = fake_make(FAKE_QP, sizeof(*made));

	made->qp = (struct ibv_qp){ .context = pd->context,
				    .pd = pd,
				    .send_cq = attr->send_cq,
				    .recv_cq = attr->recv_cq,
				    .srq = attr->srq,
				    .qp_num = ++fake->last_number,
				    .qp_type = attr->qp_type,
				    .state = IBV_QPS_RESET };
	made->cap = attr->cap;
	made->scatters = fake_device_of(pd->context)->scatters && scatters_to_cqe();
	made->ring = calloc(attr->cap.max_send_wr + 1, sizeof(*made->ring));
	if (made->ring == NULL)
		abort();
	make_ring(&made->receives, attr->cap.max_recv_wr);
	made->next = fake->qps;
	fake->qps = made;
	use_pair(made, 1);
	return made;
}

/* Bytes of entries of the queues of siw, by its ABI. */
enum { SIW_SQE = 120, SIW_RQE = 112 };

static bool map_queues(struct ibv_context *context, const struct ibv_qp_cap *cap,
		       struct fake_pages pages[2])
{
	if (!fake_map(context, cap->max_send_wr, SIW_SQE, 0, &pages[0]))
		return false;
	if (fake_map(context, cap->max_recv_wr, SIW_RQE, 0, &pages[1]))
		return true;
	fake_unmap(context, &pages[0]);
	return false;
}

struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
	struct fake_qp *made = NULL;

	fake_lock();
	struct fake_pages pages[2] = { { .count = 0 }, { .count = 0 } };
	const int code = refuse_pair(fake_device_of(pd->context), attr);
	const bool mapped = code == 0 && map_queues(pd->context, &attr->cap, pages);
	if (mapped) {
		attr->cap.max_inline_data =
			inline_of(fake_device_of(pd->context), attr->cap.max_inline_data);
		made = make_pair(pd, attr);
		memcpy(made->pages, pages, sizeof(pages));
	}
	fake_unlock();
	if (made != NULL)
		return &made->qp;
	if (code != 0)
		errno = code;
	return NULL;
}

int ibv_destroy_qp(struct ibv_qp *qp)
{
	struct fake_qp *gone = qp_of(qp), **link;

	fake_lock();
	for (; gone->done != gone->posted; gone->done++)
		free(gone->ring[gone->done % gone->cap.max_send_wr].copy);
	link = &fake_verbs()->qps;
	while (*link != gone)
		link = &(*link)->next;
	*link = gone->next;
	fake_forget((struct fake_cq *)qp->send_cq, gone);
	fake_forget((struct fake_cq *)qp->recv_cq, gone);
	const int code = fake_released(qp->context);
	fake_unmap(qp->context, &gone->pages[0]);
	fake_unmap(qp->context, &gone->pages[1]);
	use_pair(gone, -1);
	free(gone->ring);
	free(gone->receives.ring);
	fake_free(FAKE_QP, gone);
	fake_unlock();
	return code;
}

/* ---- From state to state ----------------------------------------------------- */

static const struct step {
	enum ibv_qp_state from;
	enum fake_call call;
	int connected, datagrams; /* what has to be given */
} steps[] = {
	[IBV_QPS_INIT] = { IBV_QPS_RESET, FAKE_MODIFY_TO_INIT,
			   IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
				   IBV_QP_ACCESS_FLAGS,
			   IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY },
	[IBV_QPS_RTR] = { IBV_QPS_INIT, FAKE_MODIFY_TO_RTR,
			  IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
				  IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
				  IBV_QP_MIN_RNR_TIMER,
			  IBV_QP_STATE },
	[IBV_QPS_RTS] = { IBV_QPS_RTR, FAKE_MODIFY_TO_RTS,
			  IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
				  IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
				  IBV_QP_MAX_QP_RD_ATOMIC,
			  IBV_QP_STATE | IBV_QP_SQ_PSN },
};

/* The attributes that a change of state needs. */
static int mask_of(const struct fake_qp *qp, enum ibv_qp_state state)
{
	const struct step *step = &steps[state];

	switch (qp->qp.qp_type) {
	case IBV_QPT_UD:
		return step->datagrams;
	case IBV_QPT_UC:
		return step->connected &
		       ~(IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER | IBV_QP_TIMEOUT |
			 IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC);
	default:
		/* librdmacm sets the others with iWARP. */
		if (state == IBV_QPS_INIT &&
		    qp->qp.context->device->transport_type == IBV_TRANSPORT_IWARP)
			return IBV_QP_STATE | IBV_QP_ACCESS_FLAGS;
		return step->connected;
	}
}

static bool bad_path(const struct fake_device *device, const struct ibv_qp_attr *attr)
{
	return attr->ah_attr.port_num != 1 ||
	       (device->ethernet && !attr->ah_attr.is_global) ||
	       attr->path_mtu > device->mtu || attr->path_mtu < IBV_MTU_256 ||
	       attr->rq_psn >> 24 != 0 || attr->max_dest_rd_atomic > 4;
}

static int refuse_step(struct fake_qp *qp, const struct ibv_qp_attr *attr, int mask)
{
	struct fake_device *device = fake_device_of(qp->qp.context);

	if (attr->qp_state < IBV_QPS_INIT || attr->qp_state > IBV_QPS_RTS)
		return EINVAL;
	const struct step *step = &steps[attr->qp_state];
	const bool datagrams = qp->qp.qp_type == IBV_QPT_UD;
	const int code = fake_refuses(device, step->call);

	if (code != 0)
		return code;
	if (qp->qp.state != step->from || mask != mask_of(qp, attr->qp_state))
		return EINVAL;
	if ((mask & IBV_QP_PORT) != 0 && (attr->port_num != 1 || attr->pkey_index > 0))
		return EINVAL;
	if (attr->qp_state == IBV_QPS_RTR && !datagrams && bad_path(device, attr))
		return EINVAL;
	if (attr->qp_state == IBV_QPS_RTS &&
	    (attr->sq_psn >> 24 != 0 || attr->max_rd_atomic > 4 || attr->rnr_retry > 7 ||
	     attr->retry_cnt > 7 || attr->timeout > 31))
		return EINVAL;
	return 0;
}

static void take_step(struct fake_qp *qp, const struct ibv_qp_attr *attr)
{
	qp->qp.state = attr->qp_state;
	switch (attr->qp_state) {
	case IBV_QPS_INIT:
		qp->attr.qkey = attr->qkey;
		qp->attr.qp_access_flags = attr->qp_access_flags;
		break;
	case IBV_QPS_RTR:
		qp->attr.dest_qp_num = attr->dest_qp_num;
		qp->attr.path_mtu = attr->path_mtu;
		qp->attr.ah_attr = attr->ah_attr;
		qp->attr.rq_psn = attr->rq_psn;
		qp->attr.max_dest_rd_atomic = attr->max_dest_rd_atomic;
		break;
	default:
		qp->attr.sq_psn = attr->sq_psn;
		qp->attr.timeout = attr->timeout;
		qp->attr.retry_cnt = attr->retry_cnt;
		qp->attr.rnr_retry = attr->rnr_retry;
		qp->attr.max_rd_atomic = attr->max_rd_atomic;
		break;
	}
}

int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	fake_lock();
	const int code = refuse_step(qp_of(qp), attr, mask);
	if (code == 0)
		take_step(qp_of(qp), attr);
	fake_unlock();
	return code;
}

static int refuse_rate(const struct ibv_qp *qp, const struct ibv_qp_rate_limit_attr *attr)
{
	struct fake_device *device = fake_device_of(qp->context);
	const struct ibv_packet_pacing_caps *pacing = &device->pacing;
	const int code = fake_refuses(device, FAKE_RATE_LIMIT);

	if (code != 0)
		return code;
	if (!ibv_is_qpt_supported(pacing->supported_qpts, qp->qp_type))
		return EOPNOTSUPP;
	return qp->state != IBV_QPS_RTS || attr->rate_limit < pacing->qp_rate_limit_min ||
			       attr->rate_limit > pacing->qp_rate_limit_max ||
			       attr->max_burst_sz != 0 || attr->typical_pkt_sz != 0 ||
			       attr->comp_mask != 0 ?
		       EINVAL :
		       0;
}

int fake_limit_rate(struct ibv_qp *qp, struct ibv_qp_rate_limit_attr *attr)
{
	fake_lock();
	const int code = refuse_rate(qp, attr);
	if (code == 0)
		qp_of(qp)->attr.rate_limit = attr->rate_limit;
	fake_unlock();
	return code;
}

int ibv_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask,
		 struct ibv_qp_init_attr *init)
{
	(void)mask;
	fake_lock();
	*attr = qp_of(qp)->attr;
	attr->qp_state = qp->state;
	attr->cap = qp_of(qp)->cap;
	*init = (struct ibv_qp_init_attr){ .send_cq = qp->send_cq,
					   .recv_cq = qp->recv_cq,
					   .srq = qp->srq,
					   .cap = attr->cap,
					   .qp_type = qp->qp_type };
	const int code = fake_released(qp->context);
	fake_unlock();
	return code;
}
