/*
 * fake_verbs_wr.c - ibv_create_qp_ex(3), and posting by the rules of ibv_wr_post(3).
 *
 * Each request needs a builder between start and complete, of a kind that its queue pair
 * was made for, one buffer, and where it is a datagram an address.  If one of a batch is
 * bad, complete fails and none of them is posted.  As librxe does, it takes inline data
 * only with IBV_SEND_INLINE in wr_flags.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fake_verbs_private.h"

static struct fake_qp *qp_of(struct ibv_qp_ex *shown)
{
	return (struct fake_qp *)shown;
}

/* The request that is being built; NULL, and misuse, if there is none. */
static struct fake_built *current(struct fake_qp *qp)
{
	if (qp->batch.open && qp->batch.count != 0)
		return &qp->batch.built[qp->batch.count - 1];
	fake_misuse("a buffer was set before its work request");
	return NULL;
}

static void forget_batch(struct fake_qp *qp)
{
	for (size_t i = 0; i < qp->batch.count; i++)
		free(qp->batch.built[i].copy);
	qp->batch = (struct fake_batch){ .open = false };
}

static void start(struct ibv_qp_ex *shown)
{
	struct fake_qp *qp = qp_of(shown);

	fake_lock();
	if (qp->batch.open)
		fake_misuse("ibv_wr_start() was called twice");
	forget_batch(qp);
	qp->batch.open = true;
	fake_unlock();
}

static void check_complete(const struct fake_qp *qp)
{
	const struct fake_batch *batch = &qp->batch;

	if (!batch->open)
		fake_misuse("work requests were posted before ibv_wr_start()");
	if (batch->count == 0)
		return;
	if (!batch->built[batch->count - 1].has_data)
		fake_misuse("a work request was posted without its buffer");
	if (batch->built[batch->count - 1].has_address != (qp->qp.qp_type == IBV_QPT_UD))
		fake_misuse("datagrams have addresses, and nothing else has");
}

static void build(struct ibv_qp_ex *shown, uint64_t kind, struct ibv_send_wr wr)
{
	struct fake_qp *qp = qp_of(shown);
	struct fake_batch *batch = &qp->batch;

	fake_lock();
	check_complete(qp);
	if ((qp->send_ops & kind) == 0)
		fake_misuse("a queue pair posts what it was not made for");
	if (batch->count == FAKE_BATCH) {
		batch->code = ENOMEM;
	} else {
		wr.wr_id = shown->wr_id;
		wr.send_flags = shown->wr_flags;
		wr.num_sge = 1;
		batch->built[batch->count++] = (struct fake_built){ .wr = wr };
	}
	fake_unlock();
}

static void wr_send(struct ibv_qp_ex *shown)
{
	build(shown, IBV_QP_EX_WITH_SEND, (struct ibv_send_wr){ .opcode = IBV_WR_SEND });
}

static void wr_send_imm(struct ibv_qp_ex *shown, __be32 imm)
{
	build(shown, IBV_QP_EX_WITH_SEND_WITH_IMM,
	      (struct ibv_send_wr){ .opcode = IBV_WR_SEND_WITH_IMM, .imm_data = imm });
}

static struct ibv_send_wr remote(enum ibv_wr_opcode opcode, uint32_t rkey, uint64_t address,
				 __be32 imm)
{
	struct ibv_send_wr wr = { .opcode = opcode, .imm_data = imm };

	wr.wr.rdma.rkey = rkey;
	wr.wr.rdma.remote_addr = address;
	return wr;
}

static void wr_write(struct ibv_qp_ex *shown, uint32_t rkey, uint64_t address)
{
	build(shown, IBV_QP_EX_WITH_RDMA_WRITE,
	      remote(IBV_WR_RDMA_WRITE, rkey, address, 0));
}

static void wr_write_imm(struct ibv_qp_ex *shown, uint32_t rkey, uint64_t address,
			 __be32 imm)
{
	build(shown, IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM,
	      remote(IBV_WR_RDMA_WRITE_WITH_IMM, rkey, address, imm));
}

static void wr_read(struct ibv_qp_ex *shown, uint32_t rkey, uint64_t address)
{
	build(shown, IBV_QP_EX_WITH_RDMA_READ, remote(IBV_WR_RDMA_READ, rkey, address, 0));
}

static struct ibv_send_wr atomic(enum ibv_wr_opcode opcode, uint32_t rkey, uint64_t address,
				 uint64_t compare_add, uint64_t swap)
{
	struct ibv_send_wr wr = { .opcode = opcode };

	wr.wr.atomic.rkey = rkey;
	wr.wr.atomic.remote_addr = address;
	wr.wr.atomic.compare_add = compare_add;
	wr.wr.atomic.swap = swap;
	return wr;
}

static void wr_add(struct ibv_qp_ex *shown, uint32_t rkey, uint64_t address, uint64_t add)
{
	build(shown, IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD,
	      atomic(IBV_WR_ATOMIC_FETCH_AND_ADD, rkey, address, add, 0));
}

static void wr_swap(struct ibv_qp_ex *shown, uint32_t rkey, uint64_t address,
		    uint64_t compare, uint64_t swap)
{
	build(shown, IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP,
	      atomic(IBV_WR_ATOMIC_CMP_AND_SWP, rkey, address, compare, swap));
}

static void set_ud_addr(struct ibv_qp_ex *shown, struct ibv_ah *handle, uint32_t number,
			uint32_t key)
{
	fake_lock();
	struct fake_built *built = current(qp_of(shown));

	if (built != NULL) {
		built->has_address = true;
		built->wr.wr.ud.ah = handle;
		built->wr.wr.ud.remote_qpn = number;
		built->wr.wr.ud.remote_qkey = key;
	}
	fake_unlock();
}

static void set_part(struct ibv_qp_ex *shown, struct ibv_sge part, bool inlined)
{
	fake_lock();
	struct fake_built *built = current(qp_of(shown));

	if (built != NULL && built->has_data)
		fake_misuse("a work request was given two buffers");
	if (built != NULL && inlined) {
		/* The processor's own doing, and at once. */
		built->copy = malloc(part.length + 1);
		if (built->copy == NULL)
			abort();
		memcpy(built->copy, (const void *)(uintptr_t)part.addr, part.length);
		part.addr = (uintptr_t)built->copy;
	}
	if (built != NULL) {
		built->has_data = true;
		built->part = part;
	}
	fake_unlock();
}

static void set_sge(struct ibv_qp_ex *shown, uint32_t lkey, uint64_t address,
		    uint32_t length)
{
	set_part(shown, (struct ibv_sge){ .addr = address, .length = length, .lkey = lkey },
		 false);
}

static void set_inline_data(struct ibv_qp_ex *shown, void *address, size_t length)
{
	set_part(shown,
		 (struct ibv_sge){ .addr = (uintptr_t)address, .length = (uint32_t)length },
		 true);
}

static int complete(struct ibv_qp_ex *shown)
{
	struct fake_qp *qp = qp_of(shown);

	fake_lock();
	check_complete(qp);
	int code = qp->batch.code;

	for (size_t i = 0; i < qp->batch.count; i++) {
		struct ibv_send_wr *wr = &qp->batch.built[i].wr;

		wr->sg_list = &qp->batch.built[i].part;
		wr->next = i + 1 < qp->batch.count ? &qp->batch.built[i + 1].wr : NULL;
	}
	if (code == 0 && qp->batch.count != 0)
		code = fake_post_all(qp, &qp->batch.built[0].wr);
	fake_device_of(shown->qp_base.context)->wr_posts++;
	forget_batch(qp);
	fake_unlock();
	return code;
}

static void wr_abort(struct ibv_qp_ex *shown)
{
	fake_lock();
	forget_batch(qp_of(shown));
	fake_unlock();
}

struct ibv_qp_ex *ibv_qp_to_qp_ex(struct ibv_qp *qp)
{
	struct fake_qp *made = (struct fake_qp *)qp;

	return made->send_ops != 0 ? &made->ex : NULL;
}

struct ibv_qp *fake_create_qp_ex(struct ibv_context *context,
				 struct ibv_qp_init_attr_ex *attr)
{
	const uint64_t all = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM |
			     IBV_QP_EX_WITH_RDMA_WRITE |
			     IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM | IBV_QP_EX_WITH_RDMA_READ |
			     IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD |
			     IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP;
	struct ibv_qp *qp = NULL;

	if (fake_device_of(context)->no_wr || (attr->send_ops_flags & ~all) != 0 ||
	    attr->comp_mask != (IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS))
		errno = EOPNOTSUPP;
	else
		/* Both structs begin with the same members. */
		qp = ibv_create_qp(attr->pd, (struct ibv_qp_init_attr *)attr);
	if (qp == NULL)
		return NULL;
	struct fake_qp *made = (struct fake_qp *)qp;

	made->send_ops = attr->send_ops_flags;
	made->ex.wr_start = start;
	made->ex.wr_complete = complete;
	made->ex.wr_abort = wr_abort;
	made->ex.wr_send = wr_send;
	made->ex.wr_send_imm = wr_send_imm;
	made->ex.wr_rdma_write = wr_write;
	made->ex.wr_rdma_write_imm = wr_write_imm;
	made->ex.wr_rdma_read = wr_read;
	made->ex.wr_atomic_fetch_add = wr_add;
	made->ex.wr_atomic_cmp_swp = wr_swap;
	made->ex.wr_set_ud_addr = set_ud_addr;
	made->ex.wr_set_sge = set_sge;
	made->ex.wr_set_inline_data = set_inline_data;
	return qp;
}
