/*
 * fake_verbs_wire.c - carries out work requests, as a device and the wire to the peer's
 * device.
 *
 * A send queue is carried out in order.  A failed request breaks its queue pair; the peer's
 * queue pair and the status at each process follow the InfiniBand specification (volume 1,
 * chapters 9.9 and 10.7).
 */
#include <stdlib.h>

#include "fake_verbs_private.h"

/* SCATTER_MOST: bytes of a message that fits a completion of a ConnectX. */
enum { GRH = 40, FOREVER = 7, SCATTER_MOST = 64 };

/* Beyond the statuses: the request has to wait, for a receive or for its end. */
enum { WAITS = -1 };

/* ---- Completions ------------------------------------------------------------- */

static struct fake_receives *receives_of(struct fake_qp *qp)
{
	return qp->qp.srq != NULL ? &((struct fake_srq *)qp->qp.srq)->receives :
				    &qp->receives;
}

static void complete_send(struct fake_qp *qp, int status, uint32_t vendor)
{
	struct fake_send *send = &qp->ring[qp->done % qp->cap.max_send_wr];
	struct fake_entry entry = { .qp = qp, .number = ++qp->done };

	free(send->copy);
	send->copy = NULL;
	entry.wc.wr_id = send->wr.wr_id;
	entry.wc.status = (enum ibv_wc_status)status;
	entry.wc.vendor_err = vendor;
	entry.wc.qp_num = qp->qp.qp_num;
	if (status != IBV_WC_SUCCESS || (send->wr.send_flags & IBV_SEND_SIGNALED) != 0)
		fake_complete((struct fake_cq *)qp->qp.send_cq, &entry);
}

static void complete_receive(struct fake_qp *qp, const struct fake_receive *receive,
			     int status, uint32_t vendor, uint32_t length,
			     const struct ibv_send_wr *by)
{
	struct fake_entry entry = { .qp = qp };

	entry.wc.wr_id = receive->id;
	entry.wc.status = (enum ibv_wc_status)status;
	entry.wc.vendor_err = vendor;
	entry.wc.byte_len = length;
	entry.wc.qp_num = qp->qp.qp_num;
	entry.wc.opcode = IBV_WC_RECV;
	if (by != NULL && (by->opcode == IBV_WR_SEND_WITH_IMM ||
			   by->opcode == IBV_WR_RDMA_WRITE_WITH_IMM)) {
		entry.wc.wc_flags = IBV_WC_WITH_IMM;
		entry.wc.imm_data = by->imm_data;
	}
	if (by != NULL && by->opcode == IBV_WR_RDMA_WRITE_WITH_IMM)
		entry.wc.opcode = IBV_WC_RECV_RDMA_WITH_IMM;
	if (qp->qp.qp_type == IBV_QPT_UD)
		entry.wc.wc_flags |= IBV_WC_GRH;
	fake_complete((struct fake_cq *)qp->qp.recv_cq, &entry);
}

void fake_break(struct fake_qp *qp)
{
	qp->qp.state = IBV_QPS_ERR;
	while (qp->done != qp->posted)
		complete_send(qp, IBV_WC_WR_FLUSH_ERR, 0);
	while (qp->qp.srq == NULL && qp->receives.taken != qp->receives.posted) {
		struct fake_receives *receives = &qp->receives;
		const struct fake_receive *receive =
			&receives->ring[receives->taken++ % receives->capacity];

		complete_receive(qp, receive, IBV_WC_WR_FLUSH_ERR, 0, 0, NULL);
	}
}

/* The failure to inject into this request, or NULL. */
static const struct fake_failure *fails(const struct fake_qp *qp, bool send)
{
	struct fake_device *device = fake_device_of(qp->qp.context);
	const struct fake_failure *failure = &device->failure[send];

	return ++device->carried_out[send] == failure->nth ? failure : NULL;
}

/* ---- Bytes ------------------------------------------------------------------- */

/* A device writes behind a program's back: what watches threads for races must
 * not see it, or memory polling would be one.  The last byte comes last, for
 * whoever waits for it. */
static void __attribute__((no_sanitize("thread")))
copy(unsigned char *to, const unsigned char *from, size_t length)
{
	volatile unsigned char *bytes = to;

	if (length == 0)
		return;
	for (size_t i = 0; i + 1 < length; i++)
		bytes[i] = from[i];
	__atomic_store_n(&bytes[length - 1], from[length - 1], __ATOMIC_RELEASE);
}

/* The bytes of a message, if the requester may read its own buffer; else NULL. */
static const unsigned char *gather(const struct fake_qp *qp, const struct fake_send *send)
{
	static const unsigned char none[1];

	if (send->copy != NULL || send->part.length == 0)
		return send->copy != NULL ? send->copy : none;
	return fake_reach(qp->qp.pd, send->part.lkey, false, send->part.addr,
			  send->part.length, 0);
}

/* Puts a message into the next receive.  Returns the sender's status. */
static int deliver(struct fake_qp *qp, const struct fake_send *send,
		   const unsigned char *bytes, size_t lead)
{
	struct fake_receives *receives = receives_of(qp);
	const struct fake_receive *receive =
		&receives->ring[receives->taken % receives->capacity];
	static const unsigned char header[GRH] = { 0x60, 0xee };
	const bool writes = send->wr.opcode == IBV_WR_RDMA_WRITE_WITH_IMM;
	const size_t length = writes ? 0 : send->part.length + lead;
	const size_t room = receive->has_part ? receive->part.length : 0;
	const struct fake_failure *failure = fails(qp, false);
	unsigned char *to = NULL;
	int status = failure != NULL ? (int)failure->status : IBV_WC_SUCCESS;

	if (status == IBV_WC_SUCCESS && length > room)
		status = IBV_WC_LOC_LEN_ERR;
	else if (status == IBV_WC_SUCCESS && length != 0 &&
		 (to = fake_reach(qp->qp.pd, receive->part.lkey, false, receive->part.addr,
				  length, IBV_ACCESS_LOCAL_WRITE)) == NULL)
		status = IBV_WC_LOC_PROT_ERR;
	receives->taken++;
	/* libmlx5's copy, by the CPU, to the address of the buffer. */
	if (to != NULL && qp->scatters && length <= SCATTER_MOST)
		to = (unsigned char *)(uintptr_t)receive->part.addr;
	if (status == IBV_WC_SUCCESS && length != 0) {
		copy(to, header, lead);
		copy(to + lead, bytes, send->part.length);
	}
	complete_receive(qp, receive, status, failure != NULL ? failure->vendor : 0,
			 (uint32_t)(writes ? send->part.length : length), &send->wr);
	if (status == IBV_WC_SUCCESS)
		return IBV_WC_SUCCESS;
	fake_break(qp);
	return status == IBV_WC_LOC_LEN_ERR ? IBV_WC_REM_INV_REQ_ERR : IBV_WC_REM_OP_ERR;
}

/* ---- Over a connection ----------------------------------------------------------------
 */

/* Breaks the peer's queue pair after an access violation.  Returns the sender's status. */
static int refuse_access(struct fake_qp *peer)
{
	const struct ibv_async_event event = { .element.qp = &peer->qp,
					       .event_type = IBV_EVENT_QP_ACCESS_ERR };

	fake_tell(fake_device_of(peer->qp.context), &event);
	fake_break(peer);
	return IBV_WC_REM_ACCESS_ERR;
}

/* The bytes at the peer that a request is aimed at, if it may reach them; else NULL. */
static unsigned char *reach(const struct fake_qp *peer, const struct fake_send *send,
			    unsigned access)
{
	const struct ibv_send_wr *wr = &send->wr;
	static unsigned char none[1] = { 0 };

	if (send->part.length == 0)
		return none;
	if ((peer->attr.qp_access_flags & access) == 0)
		return NULL;
	return fake_reach(peer->qp.pd,
			  access == IBV_ACCESS_REMOTE_ATOMIC ? wr->wr.atomic.rkey :
							       wr->wr.rdma.rkey,
			  true, wr->wr.rdma.remote_addr, send->part.length, access);
}

/* Access that the buffer of a read needs: with iWARP the peer writes it. */
static unsigned sink_access(const struct fake_qp *qp)
{
	return fake_device_of(qp->qp.context)->device.transport_type ==
			       IBV_TRANSPORT_IWARP ?
		       IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE :
		       IBV_ACCESS_LOCAL_WRITE;
}

/* A read, or an atomic operation, which reads as well. */
static int __attribute__((no_sanitize("thread")))
carry_read(struct fake_qp *qp, struct fake_qp *peer, const struct fake_send *send)
{
	const enum ibv_wr_opcode opcode = send->wr.opcode;
	const bool atomic = opcode != IBV_WR_RDMA_READ;
	unsigned char *to = NULL, *from;

	if (atomic && send->wr.wr.atomic.remote_addr % 8 != 0)
		return IBV_WC_REM_INV_REQ_ERR;
	if (qp->attr.max_rd_atomic == 0 ||
	    qp->attr.max_rd_atomic > peer->attr.max_dest_rd_atomic)
		return IBV_WC_REM_INV_REQ_ERR;
	from = reach(peer, send,
		     atomic ? IBV_ACCESS_REMOTE_ATOMIC : IBV_ACCESS_REMOTE_READ);
	if (from == NULL)
		return refuse_access(peer);
	if (send->part.length != 0 &&
	    (to = fake_reach(qp->qp.pd, send->part.lkey, false, send->part.addr,
			     send->part.length, sink_access(qp))) == NULL)
		return IBV_WC_LOC_PROT_ERR;
	uint64_t *const there = (uint64_t *)(void *)from;
	const uint64_t before = atomic ? *there : 0;

	copy(to, from, send->part.length);
	if (opcode == IBV_WR_ATOMIC_FETCH_AND_ADD)
		*there = before + send->wr.wr.atomic.compare_add;
	else if (atomic && before == send->wr.wr.atomic.compare_add)
		*there = send->wr.wr.atomic.swap;
	return IBV_WC_SUCCESS;
}

/* A message that finds none is lost without a connection that is reliable. */
static int no_receive(const struct fake_qp *qp)
{
	if (qp->qp.qp_type == IBV_QPT_UC) {
		fake_verbs()->dropped++;
		return IBV_WC_SUCCESS;
	}
	return qp->attr.rnr_retry == FOREVER ? WAITS : IBV_WC_RNR_RETRY_EXC_ERR;
}

static int carry_connected(struct fake_qp *qp, const struct fake_send *send)
{
	struct fake_qp *peer = fake_find_qp(qp->attr.dest_qp_num);
	const enum ibv_wr_opcode opcode = send->wr.opcode;
	const bool writes =
		opcode == IBV_WR_RDMA_WRITE || opcode == IBV_WR_RDMA_WRITE_WITH_IMM;

	/* A failed queue pair does not answer, and a device retries for seconds.  By then
	 * the peer has reported the failure and destroyed the queue pair. */
	if (peer != NULL && peer->qp.state == IBV_QPS_ERR)
		return WAITS;
	/* Packets to nobody, or that are none of its, have no answer. */
	if (peer == NULL || peer->attr.dest_qp_num != qp->qp.qp_num ||
	    peer->attr.rq_psn != qp->attr.sq_psn ||
	    peer->attr.path_mtu != qp->attr.path_mtu ||
	    (peer->qp.state != IBV_QPS_RTR && peer->qp.state != IBV_QPS_RTS) ||
	    fake_device_of(peer->qp.context)->removed)
		return IBV_WC_RETRY_EXC_ERR;
	if (fake_reads(opcode))
		return qp->qp.qp_type == IBV_QPT_UC ? IBV_WC_LOC_QP_OP_ERR :
						      carry_read(qp, peer, send);
	const unsigned char *bytes = gather(qp, send);
	unsigned char *to = NULL;

	if (bytes == NULL)
		return IBV_WC_LOC_PROT_ERR;
	if (writes && (to = reach(peer, send, IBV_ACCESS_REMOTE_WRITE)) == NULL)
		return refuse_access(peer);
	if (opcode != IBV_WR_RDMA_WRITE &&
	    receives_of(peer)->taken == receives_of(peer)->posted)
		return no_receive(qp);
	if (writes)
		copy(to, bytes, send->part.length);
	return opcode == IBV_WR_RDMA_WRITE ? IBV_WC_SUCCESS : deliver(peer, send, bytes, 0);
}

/* ---- Datagrams --------------------------------------------------------------------------
 */

static int carry_datagram(struct fake_qp *qp, const struct fake_send *send)
{
	struct fake_qp *peer = fake_find_qp(send->wr.wr.ud.remote_qpn);
	const size_t most = (size_t)128 << fake_device_of(qp->qp.context)->mtu;
	const unsigned char *bytes = gather(qp, send);

	if (send->part.length > most)
		return IBV_WC_LOC_LEN_ERR;
	if (bytes == NULL)
		return IBV_WC_LOC_PROT_ERR;
	if (peer == NULL || peer->qp.qp_type != IBV_QPT_UD ||
	    !fake_leads_to(send->wr.wr.ud.ah, fake_device_of(peer->qp.context)) ||
	    peer->attr.qkey != send->wr.wr.ud.remote_qkey ||
	    (peer->qp.state != IBV_QPS_RTR && peer->qp.state != IBV_QPS_RTS) ||
	    receives_of(peer)->taken == receives_of(peer)->posted)
		fake_verbs()->dropped++;
	else
		deliver(peer, send, bytes, GRH);
	return IBV_WC_SUCCESS;
}

/* ---- All of it --------------------------------------------------------------- */

/* The next request of a queue pair.  Returns false if there is none to be had. */
static bool carry_one(struct fake_qp *qp)
{
	const struct fake_failure *failure;
	int status;

	const struct fake_device *device = fake_device_of(qp->qp.context);

	if (qp->qp.state != IBV_QPS_RTS || qp->done == qp->posted || device->removed ||
	    device->stalls)
		return false;
	const struct fake_send *send = &qp->ring[qp->done % qp->cap.max_send_wr];

	/* A request that has to wait is not counted: it is tried again. */
	if (device->carried_out[1] + 1 == device->failure[1].nth)
		status = (int)device->failure[1].status;
	else
		status = qp->qp.qp_type == IBV_QPT_UD ? carry_datagram(qp, send) :
							carry_connected(qp, send);
	if (status == WAITS)
		return false;
	failure = fails(qp, true);
	complete_send(qp, status, failure != NULL ? failure->vendor : 0);
	if (status != IBV_WC_SUCCESS)
		fake_break(qp);
	return true;
}

void fake_progress(void)
{
	bool moved = true;

	while (moved) {
		moved = false;
		for (struct fake_qp *qp = fake_verbs()->qps; qp != NULL; qp = qp->next)
			moved |= carry_one(qp);
	}
}
