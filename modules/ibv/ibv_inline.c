/*
 * ibv_inline.c - creates queue pairs with as much inline data as the device takes.
 *
 * No attribute has that limit.  Some devices refuse a queue pair with a larger request
 * (irdma 101 bytes, bnxt_re 96, siw 80, i40iw 48, efa 32), others grant less than requested
 * (hns), or more (mlx5).  Bisection finds the limit, once for all queue pairs.
 */
#include <errno.h>
#include <string.h>

#include "ibv_private.h"

/* Bytes requested by --inline auto: with mlx5 a work request of five units of 64 bytes. */
enum { INLINE_WISH = 236 };

/* Flag of the operation that --post wr posts. */
static uint64_t posted_kind(int transport)
{
	static const uint64_t kinds[NP_IBV_TRANSPORTS] = {
		[NP_IBV_SEND] = IBV_QP_EX_WITH_SEND,
		[NP_IBV_SEND_IMM] = IBV_QP_EX_WITH_SEND_WITH_IMM,
		[NP_IBV_WRITE] = IBV_QP_EX_WITH_RDMA_WRITE,
		[NP_IBV_WRITE_IMM] = IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM,
		[NP_IBV_READ] = IBV_QP_EX_WITH_RDMA_READ,
		[NP_IBV_UD] = IBV_QP_EX_WITH_SEND,
		[NP_IBV_FETCH_ADD] = IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD,
		[NP_IBV_COMPARE_SWAP] = IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP,
	};

	return kinds[transport];
}

static struct ibv_qp *create(struct np_ibv *ibv, const struct np_ibv_queue *queue,
			     uint32_t bytes, uint32_t *taken)
{
	const bool shared = ibv->srq != NULL;
	const bool by_wr = np_ibv_options_of(ibv)->posting == NP_IBV_POST_WR;
	/* IBV_QP_INIT_ATTR_PD alone makes the queue pair of ibv_create_qp(). */
	struct ibv_qp_init_attr_ex attributes = {
		.send_cq = queue->send_cq,
		.recv_cq = queue->recv_cq,
		.srq = ibv->srq,
		.cap = { .max_send_wr = ibv->send_depth,
			 .max_recv_wr = shared ? 0 : ibv->recv_depth + NP_IBV_CONTROLS,
			 .max_send_sge = 1,
			 .max_recv_sge = 1,
			 .max_inline_data = bytes },
		.qp_type = ibv->type,
		.comp_mask =
			IBV_QP_INIT_ATTR_PD | (by_wr ? IBV_QP_INIT_ATTR_SEND_OPS_FLAGS : 0),
		.pd = ibv->pd,
		.send_ops_flags = by_wr ? posted_kind(ibv->transport) : 0,
	};
	struct ibv_qp *qp;

	errno = 0;
	qp = ibv_create_qp_ex(ibv->device.context, &attributes);
	/* A device may grant less than requested, or more, which is not used. */
	*taken = attributes.cap.max_inline_data < bytes ? attributes.cap.max_inline_data :
							  bytes;
	return qp;
}

static int create_failed(struct np_ibv *ibv, int code)
{
	if (np_ibv_options_of(ibv)->posting == NP_IBV_POST_WR &&
	    (code == EOPNOTSUPP || code == ENOSYS || code == EINVAL))
		return np_fail(&ibv->endpoint.error, NP_ERROR_USAGE, code,
			       "--post wr: device %s has no queue pairs for ibv_wr_start "
			       "and %s: --post send goes without",
			       ibv->device.name, np_ibv_transport_names[ibv->transport]);
	if (code == EOPNOTSUPP && ibv->type == IBV_QPT_UC)
		return np_fail(&ibv->endpoint.error, NP_ERROR_USAGE, code,
			       "--connection uc: device %s has no unreliable connections",
			       ibv->device.name);
	if (code == EOPNOTSUPP && ibv->type == IBV_QPT_RC)
		return np_fail(&ibv->endpoint.error, NP_ERROR_USAGE, code,
			       "-t %s: device %s has no reliable connections (RC): -t ud "
			       "goes without",
			       np_ibv_transport_names[ibv->transport], ibv->device.name);
	return np_ibv_call_failed(ibv, code != 0 ? code : EINVAL, "ibv_create_qp");
}

/* Keeps the queue pair with the most inline data from 0, which the device grants, to below
 * `refused` bytes. */
static void bisect(struct np_ibv *ibv, struct np_ibv_queue *queue, uint32_t refused)
{
	uint32_t most = 0;

	while (refused - most > 1) {
		const uint32_t bytes = most + (refused - most) / 2;
		uint32_t taken;
		struct ibv_qp *qp = create(ibv, queue, bytes, &taken);

		if (qp == NULL) {
			refused = bytes;
			continue;
		}
		ibv_destroy_qp(queue->qp);
		queue->qp = qp;
		ibv->inline_limit = taken;
		most = bytes;
	}
}

/* --inline auto, for the first queue pair. */
static int create_automatic(struct np_ibv *ibv, struct np_ibv_queue *queue)
{
	queue->qp = create(ibv, queue, INLINE_WISH, &ibv->inline_limit);
	if (queue->qp != NULL)
		return 0;
	queue->qp = create(ibv, queue, 0, &ibv->inline_limit);
	if (queue->qp == NULL)
		return create_failed(ibv, errno);
	bisect(ibv, queue, INLINE_WISH);
	return 0;
}

static int create_given(struct np_ibv *ibv, struct np_ibv_queue *queue, uint32_t bytes,
			bool asked)
{
	uint32_t taken;

	queue->qp = create(ibv, queue, bytes, &taken);
	if (queue->qp == NULL && asked && bytes != 0 && errno != EOPNOTSUPP)
		return np_fail(&ibv->endpoint.error, NP_ERROR_USAGE, errno,
			       "--inline: %s makes no queue pair with %u bytes inline: %s",
			       ibv->device.name, bytes, strerror(errno));
	if (queue->qp == NULL)
		return create_failed(ibv, errno);
	ibv->inline_limit = taken;
	return 0;
}

static int create_as_asked(struct np_ibv *ibv, struct np_ibv_queue *queue)
{
	const struct np_ibv_options *options = np_ibv_options_of(ibv);
	const char *wish = options->inline_limit;
	uint64_t bytes = 0;

	/* The CPU reads no memory of a GPU. */
	if (ibv->endpoint.gpu != NULL)
		return create_given(ibv, queue, 0, false);
	if (np_ibv_is_given(wish) && strcmp(wish, "auto") != 0) {
		/* np_ibv_check() has checked the number. */
		np_parse_size(wish, &bytes);
		return create_given(ibv, queue, (uint32_t)bytes, true);
	}
	return queue == ibv->queues ? create_automatic(ibv, queue) :
				      create_given(ibv, queue, ibv->inline_limit, false);
}

int np_ibv_create_pair(struct np_ibv *ibv, struct np_ibv_queue *queue)
{
	const int rc = create_as_asked(ibv, queue);

	if (rc == 0 && np_ibv_options_of(ibv)->posting == NP_IBV_POST_WR)
		queue->extended = ibv_qp_to_qp_ex(queue->qp);
	return rc;
}
