/*
 * ibv_register.c - memory registration in the timed loop: around every message, as in a
 * library without a registration cache (--register each), or without messages
 * (--register cost).
 */
#include <errno.h>
#include <stdlib.h>

#include "ibv_hot.h"

/* Registers a message's buffer; an empty message as one byte. */
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

static int store_region(struct np_ibv *ibv, struct ibv_mr *region)
{
	if (region == NULL)
		return ibv->endpoint.error.code;
	const size_t at = ibv->kept_first + ibv->kept_count;

	ibv->kept[at < ibv->kept_capacity ? at : at - ibv->kept_capacity] = region;
	ibv->kept_count++;
	return 0;
}

static int deregister_oldest(struct np_ibv *ibv)
{
	struct ibv_mr *region = ibv->kept[ibv->kept_first];

	ibv->kept_first =
		ibv->kept_first + 1 < ibv->kept_capacity ? ibv->kept_first + 1 : 0;
	ibv->kept_count--;
	return deregister(ibv, region);
}

/* Allocates `kept`, which must be empty, for `count` regions. */
static int reserve_kept(struct np_ibv *ibv, size_t count)
{
	if (ibv->kept_capacity >= count)
		return 0;
	free(ibv->kept);
	ibv->kept_capacity = 0;
	ibv->kept_first = 0;
	ibv->kept = calloc(count, sizeof(struct ibv_mr *));
	if (ibv->kept == NULL)
		return np_fail_errno(&ibv->endpoint.error, ENOMEM,
				     "no memory for %zu registrations", count);
	ibv->kept_capacity = count;
	return 0;
}

void np_ibv_register_end(struct np_ibv *ibv)
{
	while (ibv->kept_count != 0)
		deregister_oldest(ibv);
	free(ibv->kept);
	ibv->kept = NULL;
	ibv->kept_capacity = 0;
	ibv->kept_first = 0;
}

/* ---- --register each ----------------------------------------------------------- */

static int post_recv_each(struct np_endpoint *ep, size_t slot)
{
	struct np_ibv *ibv = np_ibv_of(ep);
	unsigned char *buffer = ep->transfer->slots[slot].recv;
	struct ibv_mr *region = register_buffer(ibv, buffer);
	const int rc = store_region(ibv, region);

	if (rc != 0)
		return rc;
	ibv->recv_part.addr = (uintptr_t)buffer;
	ibv->recv_part.lkey = region->lkey;
	return np_ibv_post_recv(ibv, slot, false);
}

NP_ALWAYS_INLINE int recv_each(struct np_endpoint *ep, size_t slot, bool sleeps)
{
	struct np_ibv *ibv = np_ibv_of(ep);
	const int rc = np_ibv_recv(ep, slot, sleeps);

	return rc != 0 ? rc : deregister_oldest(ibv);
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
		rc = np_ibv_wait_send(ibv, queue, sleeps);
	const int freed = deregister(ibv, region);
	return rc != 0 ? rc : freed;
}

NP_SLOT_HOOKS(recv_each)
NP_SLOT_HOOKS(send_each)

static const struct np_hot each_poll_hot =
	NP_IBV_MESSAGE_HOOKS(post_recv_each, send_each_polling, recv_each_polling, polling);
static const struct np_hot each_event_hot = NP_IBV_MESSAGE_HOOKS(
	post_recv_each, send_each_sleeping, recv_each_sleeping, sleeping);

/* Generic loops: their overhead is negligible beside a registration. */
static const struct np_code_path each_poll = { .name = "poll, registered each",
					       .hot = &each_poll_hot };
static const struct np_code_path each_event = { .name = "event, registered each",
						.hot = &each_event_hot };

int np_ibv_register_arm(struct np_ibv *ibv, const struct np_transfer *transfer)
{
	return reserve_kept(ibv, transfer->window + 2);
}

const struct np_code_path *np_ibv_register_each(const struct np_ibv *ibv)
{
	return ibv->completion == NP_IBV_EVENT ? &each_event : &each_poll;
}

/* ---- --register cost ------------------------------------------------------------ */

static int step_register(struct np_endpoint *ep, size_t slot)
{
	struct np_ibv *ibv = np_ibv_of(ep);

	return store_region(ibv, register_buffer(ibv, ep->transfer->slots[slot].send));
}

static int step_deregister(struct np_endpoint *ep, size_t slot)
{
	(void)slot;
	return deregister_oldest(np_ibv_of(ep));
}

/* Untimed: deregisters what the last block left, and registers what a block of
 * deregistrations needs. */
int np_ibv_register_begin(struct np_ibv *ibv, uint64_t messages)
{
	struct np_endpoint *ep = &ibv->endpoint;
	size_t slot = ep->ring_begin;
	int rc = 0;

	if (ep->rank != 0)
		return 0;
	while (rc == 0 && ibv->kept_count != 0)
		rc = deregister_oldest(ibv);
	if (rc == 0)
		rc = reserve_kept(ibv, (size_t)messages);
	for (uint64_t i = 0; rc == 0 && ep->transfer->variant == 1 && i < messages; i++) {
		rc = step_register(ep, slot);
		slot = np_next_slot(slot, ep->ring_begin, ep->ring_end);
	}
	return rc;
}

static const struct np_hot register_hot = NP_IBV_STEP_HOOKS(step_register, polling);
static const struct np_hot deregister_hot = NP_IBV_STEP_HOOKS(step_deregister, polling);

static const struct np_code_path register_path = { .name = "ibv_reg_mr",
						   .hot = &register_hot };
static const struct np_code_path deregister_path = { .name = "ibv_dereg_mr",
						     .hot = &deregister_hot };

const struct np_code_path *np_ibv_register_cost(const struct np_ibv *ibv)
{
	return ibv->endpoint.transfer->variant == 0 ? &register_path : &deregister_path;
}
