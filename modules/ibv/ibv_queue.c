/*
 * ibv_queue.c - creates completion queues, channels and queue pairs, up to state INIT:
 * depths, inline data, rate limit.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "ibv_private.h"

/* Sets the endpoint's error from a failed call outside the timed loops; code is an errno.
 * Returns -errno. */
static int call_failed(struct np_ibv *ibv, int code, const char *call)
{
	const size_t limit = code == ENOMEM ? np_ibv_lock_limit() : 0;

	if (limit != 0)
		return np_fail(
			&ibv->endpoint.error, NP_ERROR_FAILED, code,
			"%s failed on %s: no memory, or no more to lock: this user "
			"may lock %zu KiB (ulimit -l), and %zu KiB are locked; raise "
			"memlock in /etc/security/limits.conf, or take shorter "
			"queues",
			call, ibv->device.name, limit >> 10, np_ibv_locked() >> 10);
	return np_fail_errno(&ibv->endpoint.error, code, "%s failed on %s", call,
			     ibv->device.name);
}

/*
 * Queue pairs with as much inline data as the device takes.
 *
 * No attribute has that limit.  Some devices refuse a queue pair with a larger request
 * (irdma 101 bytes, bnxt_re 96, siw 80, i40iw 48, efa 32), others grant less than requested
 * (hns), or more (mlx5).  Bisection finds the limit, once for all queue pairs.
 */

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
	return call_failed(ibv, code != 0 ? code : EINVAL, "ibv_create_qp");
}

/* Bisects the inline limit between 0 bytes, which the device grants, and `refused`; keeps
 * the queue pair with the most. */
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

/* Inline bytes that --inline auto requests.  perftest: 0 of streams and of what fetches,
 * 220 of writes, 188 of datagrams, 236 of sends (set_default_inline(), 2023). */
static uint32_t inline_wish(const struct np_ibv *ibv)
{
	if (np_ibv_options_of(ibv)->like != NP_IBV_PERFTEST)
		return INLINE_WISH;
	if (ibv->endpoint.operation != NP_PINGPONG)
		return 0;
	return ibv->transport == NP_IBV_UD ? 188 :
	       ibv->transport == NP_IBV_WRITE || ibv->transport == NP_IBV_WRITE_IMM ?
					     220 :
					     INLINE_WISH;
}

/* --inline auto, for the first queue pair. */
static int create_automatic(struct np_ibv *ibv, struct np_ibv_queue *queue)
{
	const uint32_t wish = inline_wish(ibv);

	queue->qp = create(ibv, queue, wish, &ibv->inline_limit);
	if (queue->qp != NULL)
		return 0;
	queue->qp = create(ibv, queue, 0, &ibv->inline_limit);
	if (queue->qp == NULL)
		return create_failed(ibv, errno);
	bisect(ibv, queue, wish);
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
	if (wish != NULL && strcmp(wish, "auto") != 0) {
		/* np_ibv_check() has checked the number. */
		np_parse_size(wish, &bytes);
		return create_given(ibv, queue, (uint32_t)bytes, true);
	}
	return queue == ibv->queues ? create_automatic(ibv, queue) :
				      create_given(ibv, queue, ibv->inline_limit, false);
}

/* Creates a queue pair of the options; its completion queues exist.  Returns 0 or -errno.
 */
static int create_pair(struct np_ibv *ibv, struct np_ibv_queue *queue)
{
	const int rc = create_as_asked(ibv, queue);

	if (rc == 0 && np_ibv_options_of(ibv)->posting == NP_IBV_POST_WR)
		queue->extended = ibv_qp_to_qp_ex(queue->qp);
	return rc;
}

/* ---- queues ------------------------------------------------------------------ */

/* Default limit of the interval of signalled sends, and interval of perftest (-Q). */
enum { SILENT_MOST = 32, PERFTEST_SILENT = 100 };

static int refuse_depth(struct np_ibv *ibv, const char *option, uint64_t asked, int most)
{
	return np_refuse(&ibv->endpoint.error,
			 "%s: %s has queues of at most %d work requests, not %llu", option,
			 ibv->device.name, most, (unsigned long long)asked);
}

static int choose_depths(struct np_ibv *ibv)
{
	const struct np_ibv_options *options = np_ibv_options_of(ibv);
	const struct ibv_device_attr *limits = &ibv->device.limits.orig_attr;
	const uint32_t most = (uint32_t)limits->max_qp_wr;

	if (options->srq && limits->max_srq_wr <= NP_IBV_CONTROLS)
		return np_fail(&ibv->endpoint.error, NP_ERROR_USAGE, EOPNOTSUPP,
			       "--srq: %s has no shared receive queues", ibv->device.name);
	/* Control messages need additional receives. */
	const uint32_t receives =
		(uint32_t)(options->srq ? limits->max_srq_wr : limits->max_qp_wr) -
		NP_IBV_CONTROLS;

	ibv->send_depth = (uint32_t)np_ibv_send_depth(options);
	if (options->depth[0] == 0 && most < ibv->send_depth)
		ibv->send_depth = most;
	ibv->recv_depth = (uint32_t)np_ibv_recv_depth(options);
	if (options->depth[1] == 0 && receives < ibv->recv_depth)
		ibv->recv_depth = receives;
	if (options->qps > (uint64_t)limits->max_qp)
		return np_refuse(&ibv->endpoint.error, "--qps: %s has %d queue pairs",
				 ibv->device.name, limits->max_qp);
	if (ibv->send_depth > most)
		return refuse_depth(ibv, "--depth", ibv->send_depth, (int)most);
	if (ibv->recv_depth > receives)
		return refuse_depth(ibv, "--depth of receives", ibv->recv_depth,
				    (int)receives);
	if (ibv->send_depth > (uint32_t)limits->max_cqe)
		return refuse_depth(ibv, "--depth", ibv->send_depth, limits->max_cqe);
	if (ibv->recv_depth + NP_IBV_CONTROLS > (uint32_t)limits->max_cqe)
		return np_refuse(
			&ibv->endpoint.error,
			"--depth of receives: %s has completion queues of at most %d "
			"entries, not %u",
			ibv->device.name, limits->max_cqe,
			ibv->recv_depth + NP_IBV_CONTROLS);
	return 0;
}

static int make_channel(struct np_ibv *ibv, struct ibv_comp_channel **channel)
{
	*channel = ibv_create_comp_channel(ibv->device.context);
	if (*channel == NULL)
		return call_failed(ibv, errno, "ibv_create_comp_channel");
	const int flags = fcntl((*channel)->fd, F_GETFL);
	if (flags < 0 || fcntl((*channel)->fd, F_SETFL, flags | O_NONBLOCK) != 0)
		return call_failed(ibv, errno, "fcntl");
	return 0;
}

/* "COUNT,USEC": an event after COUNT completions or USEC microseconds. */
static int moderate(struct np_ibv *ibv, struct ibv_cq *cq)
{
	const char *text = np_ibv_options_of(ibv)->moderation;
	struct ibv_modify_cq_attr attributes = { .attr_mask = IBV_CQ_ATTR_MODERATE };
	char *end;

	if (text == NULL || text[0] == '\0')
		return 0;
	attributes.moderate.cq_count = (uint16_t)strtoul(text, &end, 10);
	if (*end == ',')
		attributes.moderate.cq_period = (uint16_t)strtoul(end + 1, &end, 10);
	const int code = ibv_modify_cq(cq, &attributes);
	if (code == 0)
		return 0;
	return np_fail(&ibv->endpoint.error, NP_ERROR_USAGE, code,
		       "--cq-moderation: %s cannot moderate completions: %s",
		       ibv->device.name, strerror(code < 0 ? -code : code));
}

static int make_completion_queues(struct np_ibv *ibv, struct np_ibv_queue *queue)
{
	const int vector = (int)np_ibv_options_of(ibv)->vector;
	int rc;

	errno = 0;
	queue->send_cq = ibv_create_cq(ibv->device.context, (int)ibv->send_depth, queue,
				       ibv->send_channel, vector);
	if (queue->send_cq == NULL)
		return call_failed(ibv, errno != 0 ? errno : EINVAL, "ibv_create_cq");
	queue->recv_cq =
		ibv_create_cq(ibv->device.context, (int)ibv->recv_depth + NP_IBV_CONTROLS,
			      queue, ibv->recv_channel, vector);
	if (queue->recv_cq == NULL)
		return call_failed(ibv, errno != 0 ? errno : EINVAL, "ibv_create_cq");
	rc = moderate(ibv, queue->send_cq);
	return rc != 0 ? rc : moderate(ibv, queue->recv_cq);
}

static int initialise(struct np_ibv *ibv, struct np_ibv_queue *queue)
{
	const bool datagrams = ibv->transport == NP_IBV_UD;
	struct ibv_qp_attr attributes = {
		.qp_state = IBV_QPS_INIT,
		.pkey_index = (uint16_t)np_ibv_options_of(ibv)->pkey_index,
		.port_num = ibv->device.port,
		.qkey = NP_IBV_QKEY,
		.qp_access_flags = (unsigned)np_ibv_pair_access(ibv->transport),
	};
	const int code =
		ibv_modify_qp(queue->qp, &attributes,
			      IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
				      (datagrams ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS));

	return code == 0 ? 0 : call_failed(ibv, code, "ibv_modify_qp to INIT");
}

static int make_shared_receives(struct np_ibv *ibv)
{
	struct ibv_srq_init_attr attributes = {
		.attr = { .max_wr = ibv->recv_depth + NP_IBV_CONTROLS, .max_sge = 1 }
	};

	ibv->srq = ibv_create_srq(ibv->pd, &attributes);
	return ibv->srq != NULL ? 0 : call_failed(ibv, errno, "ibv_create_srq");
}

static int make_control(struct np_ibv *ibv)
{
	const size_t length = (size_t)2 * NP_IBV_CONTROLS * NP_IBV_CONTROL_LINE;

	ibv->control = aligned_alloc(NP_IBV_CONTROL_LINE, length);
	if (ibv->control == NULL)
		return np_fail_errno(&ibv->endpoint.error, ENOMEM, "no memory");
	memset(ibv->control, 0, length);
	ibv->control_region =
		ibv_reg_mr(ibv->pd, ibv->control, length, IBV_ACCESS_LOCAL_WRITE);
	return ibv->control_region != NULL ? 0 : call_failed(ibv, errno, "ibv_reg_mr");
}

/* Interval of signalled sends.  At most half of the queue is unsignalled, as more would
 * empty it before the first completion; with --like perftest all of it. */
static uint32_t choose_signalling(const struct np_ibv *ibv)
{
	const struct np_ibv_options *options = np_ibv_options_of(ibv);
	uint32_t every = (uint32_t)options->signal_every;

	if (ibv->transport == NP_IBV_UD || options->registering == NP_IBV_REGISTER_EACH)
		return 1;
	if (every == 0 && options->like == NP_IBV_PERFTEST)
		return ibv->send_depth < PERFTEST_SILENT ? ibv->send_depth :
							   PERFTEST_SILENT;
	if (every == 0)
		every = ibv->send_depth / 4 < SILENT_MOST ? ibv->send_depth / 4 :
							    SILENT_MOST;
	if (every > ibv->send_depth / 2)
		every = ibv->send_depth / 2;
	return every != 0 ? every : 1;
}

/* Acknowledges all events, which ibv_destroy_cq() waits for. */
static void free_completions(struct ibv_cq *cq, unsigned events)
{
	if (cq == NULL)
		return;
	if (events != 0)
		ibv_ack_cq_events(cq, events);
	ibv_destroy_cq(cq);
}

static void free_queues(struct np_ibv *ibv)
{
	for (size_t i = 0; i < ibv->queue_count; i++) {
		struct np_ibv_queue *queue = &ibv->queues[i];

		if (queue->qp != NULL)
			ibv_destroy_qp(queue->qp);
		free_completions(queue->send_cq, queue->send_events);
		free_completions(queue->recv_cq, queue->recv_events);
		*queue = (struct np_ibv_queue){ .qp = NULL };
	}
}

static int make_queues(struct np_ibv *ibv)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < ibv->queue_count; i++) {
		struct np_ibv_queue *queue = &ibv->queues[i];

		if (np_should_stop(&ibv->endpoint))
			return -ECANCELED;
		rc = make_completion_queues(ibv, queue);
		if (rc == 0)
			rc = create_pair(ibv, queue);
		/* With librdmacm, INIT is set while connecting. */
		if (rc == 0 && !np_ibv_uses_rdmacm(ibv))
			rc = initialise(ibv, queue);
	}
	return rc;
}

/*
 * iWARP in software: the kernel maps queues one behind the other, page by page, and libsiw
 * takes a queue at offset 0x90000 for a failure (SIW_INVAL_UOBJ_KEY), without an errno:
 * the fourth queue pair of the default depths.  Completion queues of a page each, made
 * before, shift all others.
 */
static int make_shifted_queues(struct np_ibv *ibv)
{
	enum { TRIES = 4 };
	struct ibv_cq *pages[TRIES] = { NULL };
	int rc = make_queues(ibv);

	for (size_t i = 0; i < TRIES && rc == -EINVAL; i++) {
		free_queues(ibv);
		pages[i] = ibv_create_cq(ibv->device.context, 1, NULL, NULL, 0);
		if (pages[i] == NULL)
			break;
		ibv->endpoint.error = (struct np_error){ .code = 0 };
		rc = make_queues(ibv);
	}
	for (size_t i = 0; i < TRIES; i++) {
		if (pages[i] != NULL)
			ibv_destroy_cq(pages[i]);
	}
	return rc;
}

int np_ibv_queues_make(struct np_ibv *ibv)
{
	const struct np_ibv_options *options = np_ibv_options_of(ibv);
	int rc = choose_depths(ibv);

	if (rc == 0)
		rc = make_channel(ibv, &ibv->send_channel);
	if (rc == 0)
		rc = make_channel(ibv, &ibv->recv_channel);
	if (rc == 0 && options->srq)
		rc = make_shared_receives(ibv);
	if (rc == 0)
		rc = make_control(ibv);
	if (rc == 0)
		rc = np_ibv_list_make(ibv);
	if (rc != 0)
		return rc;
	ibv->queues = calloc((size_t)options->qps, sizeof(*ibv->queues));
	if (ibv->queues == NULL)
		return np_fail_errno(&ibv->endpoint.error, ENOMEM, "no memory");
	ibv->queue_count = (size_t)options->qps;
	rc = ibv->device.fabric == NP_IBV_IWARP ? make_shifted_queues(ibv) :
						  make_queues(ibv);
	ibv->signal_wish = choose_signalling(ibv);
	return rc;
}

void np_ibv_queues_free(struct np_ibv *ibv)
{
	free_queues(ibv);
	free(ibv->queues);
	ibv->queues = NULL;
	ibv->queue_count = 0;
	if (ibv->send_channel != NULL)
		ibv_destroy_comp_channel(ibv->send_channel);
	if (ibv->recv_channel != NULL)
		ibv_destroy_comp_channel(ibv->recv_channel);
	ibv->send_channel = NULL;
	ibv->recv_channel = NULL;
	if (ibv->peer_handle != NULL)
		ibv_destroy_ah(ibv->peer_handle);
	ibv->peer_handle = NULL;
	if (ibv->srq != NULL)
		ibv_destroy_srq(ibv->srq);
	ibv->srq = NULL;
	if (ibv->control_region != NULL)
		ibv_dereg_mr(ibv->control_region);
	ibv->control_region = NULL;
	free(ibv->control);
	ibv->control = NULL;
}

/*
 * --rate-limit: the adapter paces each queue pair.
 *
 * An adapter reports the types of queue pairs that it paces, which is checked when it is
 * opened: mlx5 used to accept and ignore a limit for a type that it does not pace.
 */

uint32_t np_ibv_rate_kbps(const struct np_ibv *ibv)
{
	return (uint32_t)(np_ibv_options_of(ibv)->rate_limit * 1000 + 0.5);
}

int np_ibv_check_rate(struct np_ibv *ibv)
{
	const struct ibv_packet_pacing_caps *pacing =
		&ibv->device.limits.packet_pacing_caps;
	const uint32_t kbps = np_ibv_rate_kbps(ibv);
	struct np_error *error = &ibv->endpoint.error;

	if (!(np_ibv_options_of(ibv)->rate_limit > 0))
		return 0;
	if (pacing->supported_qpts == 0)
		return np_fail(error, NP_ERROR_USAGE, EOPNOTSUPP,
			       "--rate-limit: device %s has no packet pacing",
			       ibv->device.name);
	if (!ibv_is_qpt_supported(pacing->supported_qpts, ibv->type))
		return np_fail(error, NP_ERROR_USAGE, EOPNOTSUPP,
			       "--rate-limit: device %s has packet pacing, but not of %s "
			       "queue pairs (-t, --connection)",
			       ibv->device.name, np_ibv_pair_type(ibv->type));
	if (kbps == 0 || kbps < pacing->qp_rate_limit_min ||
	    kbps > pacing->qp_rate_limit_max)
		return np_refuse(error,
				 "--rate-limit: device %s has limits of %.10g to %.10g "
				 "Mbit/s",
				 ibv->device.name, pacing->qp_rate_limit_min / 1000.0,
				 pacing->qp_rate_limit_max / 1000.0);
	return 0;
}

int np_ibv_limit_rate(struct np_ibv *ibv)
{
	/* The sizes of bursts and packets are the device's own. */
	struct ibv_qp_rate_limit_attr attr = { .rate_limit = np_ibv_rate_kbps(ibv) };
	int code = 0;

	for (size_t i = 0; code == 0 && attr.rate_limit != 0 && i < ibv->queue_count; i++)
		code = ibv_modify_qp_rate_limit(ibv->queues[i].qp, &attr);
	return code == 0 ? 0 : call_failed(ibv, code, "ibv_modify_qp_rate_limit");
}
