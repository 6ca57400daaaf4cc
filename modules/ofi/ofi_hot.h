/*
 * ofi_hot.h - progress, waits and starts of operations, for the hooks of all code paths.
 *
 * libfabric's calls are inline functions that call through a table of the provider: each is
 * an indirect call within the timed loop, which every program over libfabric pays.
 *
 * `kind`, `how` and `injects` are compile-time constants of each code path.
 */
#pragma once

#include "contract/np_loop.h"
#include "ofi_private.h"

/* Tag of all tagged messages. */
enum { NP_OFI_TAG = 0x4e50 };

/* Entries that one call reads from the completion queue. */
enum { NP_OFI_ENTRIES = 16 };

NP_ALWAYS_INLINE void np_ofi_complete(struct np_ofi *ofi,
				      const struct fi_cq_msg_entry *entry)
{
	struct np_ofi_op *op = entry->op_context;

	/* A write of the peer has no operation here.  Providers may set FI_REMOTE_CQ_DATA
	 * in the entry of the write that sends a notice, too. */
	if ((entry->flags & (FI_REMOTE_CQ_DATA | FI_WRITE)) == FI_REMOTE_CQ_DATA) {
		ofi->arrived++;
		return;
	}
	op->done = true;
	if (op->sends) {
		op->next = ofi->free;
		ofi->free = op;
		ofi->pending--;
	}
}

NP_ALWAYS_INLINE int np_ofi_idle(struct np_ofi *ofi, enum np_ofi_completion how)
{
	if (how == NP_OFI_EVENT)
		return np_ofi_sleep(ofi);
	return NP_UNLIKELY(++ofi->polls >= ofi->poll_interval) ? np_ofi_pause(ofi) : 0;
}

/* Reads the counters, which calls the provider. */
NP_ALWAYS_INLINE int np_ofi_count(struct np_ofi *ofi)
{
	const uint64_t sent = fi_cntr_read(ofi->sends);
	const uint64_t received = fi_cntr_read(ofi->receives);

	if (ofi->rx_read == received && ofi->started - sent == ofi->pending)
		return np_ofi_idle(ofi, NP_OFI_COUNTER);
	ofi->pending = ofi->started - sent;
	ofi->rx_read = received;
	ofi->polls = 0;
	return 0;
}

NP_ALWAYS_INLINE int np_ofi_progress(struct np_ofi *ofi, enum np_ofi_completion how)
{
	struct fi_cq_msg_entry entries[NP_OFI_ENTRIES];

	if (how == NP_OFI_COUNTER)
		return np_ofi_count(ofi);
	const ssize_t count = fi_cq_read(ofi->queue, entries, NP_OFI_ENTRIES);

	if (count <= 0)
		return NP_UNLIKELY(count != -FI_EAGAIN) ? np_ofi_report(ofi, count) :
							  np_ofi_idle(ofi, how);
	for (ssize_t i = 0; i < count; i++)
		np_ofi_complete(ofi, &entries[i]);
	ofi->polls = 0;
	return 0;
}

/* After a call that the provider could not take: completes others first.  0 if the call is
 * to be made again. */
NP_ALWAYS_INLINE int np_ofi_again(struct np_ofi *ofi, ssize_t result,
				  enum np_ofi_completion how, const char *call)
{
	if (result != -FI_EAGAIN)
		return np_ofi_checked(ofi, result, call);
	/* A queue that is full empties without an event. */
	return np_ofi_progress(ofi, how == NP_OFI_EVENT ? NP_OFI_POLL : how);
}

/* Waits until at most `most` operations are pending. */
NP_ALWAYS_INLINE int np_ofi_drain(struct np_ofi *ofi, uint64_t most,
				  enum np_ofi_completion how)
{
	while (NP_UNLIKELY(ofi->pending > most)) {
		const int rc = np_ofi_progress(ofi, how);

		if (NP_UNLIKELY(rc != 0))
			return rc;
	}
	return 0;
}

/* ---- memory -------------------------------------------------------------- */

NP_ALWAYS_INLINE void *np_ofi_descriptor(const struct np_ofi_keys *keys,
					 const unsigned char *buffer)
{
	return keys->descriptors == NULL ?
		       NULL :
		       keys->descriptors[np_region_part(&keys->pool, buffer)];
}

/* Peer's memory at the place of an address of the pool. */
NP_ALWAYS_INLINE struct fi_rma_iov np_ofi_aim(const struct np_ofi_keys *keys,
					      const unsigned char *address, size_t length)
{
	const size_t part = np_region_part(&keys->pool, address);

	return (struct fi_rma_iov){ .addr = keys->remote[part].base +
					    (uint64_t)(address - keys->pool.base) -
					    part * keys->pool.part_size,
				    .len = length,
				    .key = keys->remote[part].key };
}

/* ---- starts -------------------------------------------------------------- */

/* Calls the operation of a kind once, by fi_inject() and its like without `op`.  Reads fill
 * the receive buffer of the slot, others take its send buffer. */
NP_ALWAYS_INLINE ssize_t np_ofi_call(struct np_ofi *ofi, const struct np_slot *at,
				     size_t length, void *descriptor, enum np_ofi_kind kind,
				     bool injects, struct np_ofi_op *op)
{
	struct fid_ep *ep = ofi->ep;
	const fi_addr_t peer = ofi->peer;
	const struct iovec part = { .iov_base = at->send, .iov_len = length };
	struct fi_rma_iov remote;

	if (kind == NP_OFI_MSG)
		return injects ? fi_inject(ep, at->send, length, peer) :
				 fi_send(ep, at->send, length, descriptor, peer, op);
	if (kind == NP_OFI_TAGGED)
		return injects ? fi_tinject(ep, at->send, length, peer, NP_OFI_TAG) :
				 fi_tsend(ep, at->send, length, descriptor, peer,
					  NP_OFI_TAG, op);
	remote = np_ofi_aim(&ofi->keys, kind == NP_OFI_READ ? at->send : at->recv, length);
	if (kind == NP_OFI_READ)
		return fi_read(ep, at->recv, length, descriptor, peer, remote.addr,
			       remote.key, op);
	if (kind == NP_OFI_WRITE)
		return injects ? fi_inject_writedata(ep, at->send, length, 0, peer,
						     remote.addr, remote.key) :
				 fi_writedata(ep, at->send, length, descriptor, 0, peer,
					      remote.addr, remote.key, op);
	/* Complete when the peer has the bytes. */
	return fi_writemsg(ep,
			   &(struct fi_msg_rma){ .msg_iov = &part,
						 .desc = &descriptor,
						 .iov_count = 1,
						 .addr = peer,
						 .rma_iov = &remote,
						 .rma_iov_count = 1,
						 .context = op },
			   FI_DELIVERY_COMPLETE);
}

/* Starts an operation, with a context of the pool unless it injects. */
NP_ALWAYS_INLINE int np_ofi_start(struct np_ofi *ofi, const struct np_slot *at,
				  size_t length, void *descriptor, enum np_ofi_kind kind,
				  enum np_ofi_completion how, bool injects)
{
	/* Counters return no contexts: those are taken in turn. */
	const bool counts = how == NP_OFI_COUNTER;

	for (;;) {
		struct np_ofi_op *op = injects ? NULL :
				       counts  ? &ofi->pool[ofi->started % NP_OFI_RING] :
						 ofi->free;

		if (!injects && !counts)
			ofi->free = op->next;
		const ssize_t result =
			np_ofi_call(ofi, at, length, descriptor, kind, injects, op);

		if (!NP_UNLIKELY(result != 0))
			break;
		if (!injects && !counts) {
			op->next = ofi->free;
			ofi->free = op;
		}
		const int rc = np_ofi_again(ofi, result, how, "starting an operation");
		if (rc != 0)
			return rc;
	}
	if (kind != NP_OFI_WRITE)
		ofi->started += !injects;
	ofi->pending += !injects;
	return 0;
}

NP_ALWAYS_INLINE int np_ofi_post(struct np_ofi *ofi, struct np_ofi_op *op, void *buffer,
				 size_t length, void *descriptor, enum np_ofi_kind kind,
				 enum np_ofi_completion how)
{
	for (;;) {
		op->done = false;
		const ssize_t result = kind == NP_OFI_TAGGED ?
					       fi_trecv(ofi->ep, buffer, length, descriptor,
							FI_ADDR_UNSPEC, NP_OFI_TAG, 0, op) :
					       fi_recv(ofi->ep, buffer, length, descriptor,
						       FI_ADDR_UNSPEC, op);

		if (!NP_UNLIKELY(result != 0))
			return 0;
		const int rc = np_ofi_again(ofi, result, how, "a receive");
		if (rc != 0)
			return rc;
	}
}

/* Waits for one receive: its own entry, or the next count. */
NP_ALWAYS_INLINE int np_ofi_await(struct np_ofi *ofi, const struct np_ofi_op *op,
				  enum np_ofi_completion how)
{
	while (how == NP_OFI_COUNTER ? ofi->rx_read == ofi->rx_taken : !op->done) {
		const int rc = np_ofi_progress(ofi, how);

		if (NP_UNLIKELY(rc != 0))
			return rc;
	}
	ofi->rx_taken++;
	return 0;
}

/* ---- acknowledgements: messages of no bytes -------------------------------- */

/* Kind of acknowledgements and greetings: a message beside reads and writes. */
#define NP_OFI_ACK_OF(kind) ((kind) == NP_OFI_TAGGED ? NP_OFI_TAGGED : NP_OFI_MSG)

NP_ALWAYS_INLINE int np_ofi_post_ack(struct np_ofi *ofi, enum np_ofi_kind kind,
				     enum np_ofi_completion how)
{
	return np_ofi_post(ofi, &ofi->ack, &ofi->byte, 0, NULL, kind, how);
}

NP_ALWAYS_INLINE int np_ofi_send_ack(struct np_ofi *ofi, enum np_ofi_kind kind,
				     enum np_ofi_completion how)
{
	return np_ofi_start(ofi, &(struct np_slot){ .send = &ofi->byte }, 0, NULL, kind,
			    how, false);
}
