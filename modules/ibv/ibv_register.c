/*
 * ibv_register.c - registration inside the timed loop: around every message
 * (--register each), as a library without a registration cache does it, or
 * nothing but registration (--register cost).
 */
#include <errno.h>
#include <stdlib.h>

#include "ibv_hot.h"

/* The memory region of a message.  A message of no bytes has one of one byte. */
static struct ibv_mr *register_buffer(struct np_ibv *ibv, unsigned char *buffer)
{
	const size_t length = ibv->endpoint.transfer->length;

	return np_ibv_register(ibv, buffer, length != 0 ? length : 1);
}

static int deregister(struct np_ibv *ibv, struct ibv_mr *region)
{
	const int rc = ibv_dereg_mr(region);

	return rc == 0 ? 0 : np_ibv_post_failed(ibv, "ibv_dereg_mr", rc);
}

static int keep(struct np_ibv *ibv, struct ibv_mr *region)
{
	if (region == NULL)
		return ibv->endpoint.error.code;
	const size_t at = ibv->kept_first + ibv->kept_count;

	ibv->kept[at < ibv->kept_room ? at : at - ibv->kept_room] = region;
	ibv->kept_count++;
	return 0;
}

/* Deregisters the one that is kept longest. */
static int let_go(struct np_ibv *ibv)
{
	struct ibv_mr *region = ibv->kept[ibv->kept_first];

	ibv->kept_first = ibv->kept_first + 1 < ibv->kept_room ? ibv->kept_first + 1 : 0;
	ibv->kept_count--;
	return deregister(ibv, region);
}

/* Room for `count` of them; what is kept must have been let go. */
static int make_room(struct np_ibv *ibv, size_t count)
{
	if (ibv->kept_room >= count)
		return 0;
	free(ibv->kept);
	ibv->kept_room = 0;
	ibv->kept_first = 0;
	ibv->kept = calloc(count, sizeof(struct ibv_mr *));
	if (ibv->kept == NULL)
		return np_fail_errno(&ibv->endpoint.error, ENOMEM,
				     "no memory for %zu registrations", count);
	ibv->kept_room = count;
	return 0;
}

void np_ibv_register_end(struct np_ibv *ibv)
{
	while (ibv->kept_count != 0)
		let_go(ibv);
	free(ibv->kept);
	ibv->kept = NULL;
	ibv->kept_room = 0;
	ibv->kept_first = 0;
}

/* ---- Around every message ------------------------------------------------------ */

static int post_recv_each(struct np_endpoint *ep, size_t slot)
{
	struct np_ibv *ibv = np_ibv_of(ep);
	unsigned char *buffer = ep->transfer->slots[slot].recv;
	struct ibv_mr *region = register_buffer(ibv, buffer);
	const int rc = keep(ibv, region);

	if (rc != 0)
		return rc;
	ibv->recv_part.addr = (uintptr_t)buffer;
	ibv->recv_part.lkey = region->lkey;
	return np_ibv_post_recv(ibv, slot, false);
}

NP_ALWAYS_INLINE int recv_each(struct np_endpoint *ep, bool sleeps)
{
	struct np_ibv *ibv = np_ibv_of(ep);
	const int rc = np_ibv_recv(ibv, sleeps);

	return rc != 0 ? rc : let_go(ibv);
}

NP_ALWAYS_INLINE int send_each(struct np_endpoint *ep, size_t slot, bool sleeps)
{
	struct np_ibv *ibv = np_ibv_of(ep);
	unsigned char *buffer = ep->transfer->slots[slot].send;
	int rc = np_ibv_wait_credit(ibv, sleeps);

	if (rc != 0)
		return rc;
	struct ibv_mr *region = register_buffer(ibv, buffer);
	if (region == NULL)
		return ep->error.code;
	struct np_ibv_queue *queue = np_ibv_next(ibv, &ibv->send_turn);

	ibv->send_part.addr = (uintptr_t)buffer;
	ibv->send_part.lkey = region->lkey;
	rc = np_ibv_post(ibv, queue, &ibv->send_request, ibv->send_flags, slot, sleeps);
	while (rc == 0 && queue->completed != queue->posted)
		rc = np_ibv_settle(ibv, queue, sleeps);
	const int freed = deregister(ibv, region);
	return rc != 0 ? rc : freed;
}

static int recv_each_polling(struct np_endpoint *ep, size_t slot)
{
	(void)slot;
	return recv_each(ep, false);
}

static int recv_each_sleeping(struct np_endpoint *ep, size_t slot)
{
	(void)slot;
	return recv_each(ep, true);
}

static int send_each_polling(struct np_endpoint *ep, size_t slot)
{
	return send_each(ep, slot, false);
}

static int send_each_sleeping(struct np_endpoint *ep, size_t slot)
{
	return send_each(ep, slot, true);
}

static const struct np_hot each_poll_hot = {
	.post_recv = post_recv_each,
	.send = send_each_polling,
	.recv = recv_each_polling,
	.flush = np_ibv_flush_polling,
	.send_ack = np_ibv_send_ack,
	.recv_ack = np_ibv_recv_ack_polling,
	.step = np_no_hook_slot,
};

static const struct np_hot each_event_hot = {
	.post_recv = post_recv_each,
	.send = send_each_sleeping,
	.recv = recv_each_sleeping,
	.flush = np_ibv_flush_sleeping,
	.send_ack = np_ibv_send_ack,
	.recv_ack = np_ibv_recv_ack_sleeping,
	.step = np_no_hook_slot,
};

/* A registration takes so long that the calls of the generic loop do not count. */
static const struct np_code_path each_poll = { .name = "poll, registered each",
					       .hot = &each_poll_hot };
static const struct np_code_path each_event = { .name = "event, registered each",
						.hot = &each_event_hot };

int np_ibv_register_arm(struct np_ibv *ibv, const struct np_transfer *transfer)
{
	return make_room(ibv, transfer->window + 2);
}

const struct np_code_path *np_ibv_register_each(const struct np_ibv *ibv)
{
	return ibv->completion == NP_IBV_EVENT ? &each_event : &each_poll;
}

/* ---- Nothing else --------------------------------------------------------------- */

static int step_register(struct np_endpoint *ep, size_t slot)
{
	struct np_ibv *ibv = np_ibv_of(ep);

	return keep(ibv, register_buffer(ibv, ep->transfer->slots[slot].send));
}

static int step_deregister(struct np_endpoint *ep, size_t slot)
{
	(void)slot;
	return let_go(np_ibv_of(ep));
}

/* What a block of registrations leaves goes before the next one, untimed, and
 * what a block of deregistrations takes is made before it. */
int np_ibv_register_begin(struct np_ibv *ibv, uint64_t messages)
{
	struct np_endpoint *ep = &ibv->endpoint;
	size_t slot = ep->ring_begin;
	int rc = 0;

	if (ep->rank != 0)
		return 0;
	while (rc == 0 && ibv->kept_count != 0)
		rc = let_go(ibv);
	if (rc == 0)
		rc = make_room(ibv, (size_t)messages);
	for (uint64_t i = 0; rc == 0 && ep->transfer->variant == 1 && i < messages; i++) {
		rc = step_register(ep, slot);
		slot = np_next_slot(slot, ep->ring_begin, ep->ring_end);
	}
	return rc;
}

static const struct np_hot register_hot = {
	.post_recv = np_no_hook_slot,
	.send = np_no_hook_slot,
	.recv = np_no_hook_slot,
	.flush = np_ibv_flush_polling,
	.send_ack = np_ibv_send_ack,
	.recv_ack = np_ibv_recv_ack_polling,
	.step = step_register,
};

static const struct np_hot deregister_hot = {
	.post_recv = np_no_hook_slot,
	.send = np_no_hook_slot,
	.recv = np_no_hook_slot,
	.flush = np_ibv_flush_polling,
	.send_ack = np_ibv_send_ack,
	.recv_ack = np_ibv_recv_ack_polling,
	.step = step_deregister,
};

static const struct np_code_path register_path = { .name = "ibv_reg_mr",
						   .hot = &register_hot };
static const struct np_code_path deregister_path = { .name = "ibv_dereg_mr",
						     .hot = &deregister_hot };

const struct np_code_path *np_ibv_register_cost(const struct np_ibv *ibv)
{
	return ibv->endpoint.transfer->variant == 0 ? &register_path : &deregister_path;
}
