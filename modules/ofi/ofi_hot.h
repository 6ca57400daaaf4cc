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
		return np_ofi_failed(ofi, result, call);
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

/* Index of the registration that contains an address of the pool. */
NP_ALWAYS_INLINE size_t np_ofi_part(const struct np_ofi_keys *keys,
				    const unsigned char *address)
{
	return keys->parts == 1 ? 0 : (size_t)(address - keys->base) / keys->part_size;
}

NP_ALWAYS_INLINE void *np_ofi_descriptor(const struct np_ofi_keys *keys,
					 const unsigned char *buffer)
{
	return keys->descriptors == NULL ? NULL :
					   keys->descriptors[np_ofi_part(keys, buffer)];
}

/* Address in the peer's registration at which an address of the pool is, and its key. */
NP_ALWAYS_INLINE uint64_t np_ofi_aim(const struct np_ofi_keys *keys,
				     const unsigned char *address, uint64_t *key)
{
	const size_t part = np_ofi_part(keys, address);

	*key = keys->remote[part].key;
	return keys->remote[part].base + (uint64_t)(address - keys->base) -
	       part * keys->part_size;
}

/* ---- starts -------------------------------------------------------------- */

/* Takes a context from the pool. */
NP_ALWAYS_INLINE struct np_ofi_op *np_ofi_take(struct np_ofi *ofi, bool counts)
{
	struct np_ofi_op *op = ofi->free;

	/* Counters return no contexts: those are taken in turn. */
	if (counts)
		return &ofi->pool[ofi->started % NP_OFI_RING];
	ofi->free = op->next;
	return op;
}

NP_ALWAYS_INLINE void np_ofi_untake(struct np_ofi *ofi, struct np_ofi_op *op, bool counts)
{
	if (counts)
		return;
	op->next = ofi->free;
	ofi->free = op;
}

/* Starts a message of two-sided kinds. */
NP_ALWAYS_INLINE int np_ofi_start(struct np_ofi *ofi, const void *buffer, size_t length,
				  void *descriptor, enum np_ofi_transfer kind,
				  enum np_ofi_completion how, bool injects)
{
	const bool counts = how == NP_OFI_COUNTER;
	ssize_t result;

	for (;;) {
		struct np_ofi_op *op = injects ? NULL : np_ofi_take(ofi, counts);

		if (kind == NP_OFI_TAGGED)
			result = injects ? fi_tinject(ofi->ep, buffer, length, ofi->peer,
						      NP_OFI_TAG) :
					   fi_tsend(ofi->ep, buffer, length, descriptor,
						    ofi->peer, NP_OFI_TAG, op);
		else
			result = injects ? fi_inject(ofi->ep, buffer, length, ofi->peer) :
					   fi_send(ofi->ep, buffer, length, descriptor,
						   ofi->peer, op);
		if (!NP_UNLIKELY(result != 0))
			break;
		if (!injects)
			np_ofi_untake(ofi, op, counts);
		const int rc = np_ofi_again(ofi, result, how, "a send");
		if (rc != 0)
			return rc;
	}
	if (!injects) {
		ofi->started++;
		ofi->pending++;
	}
	return 0;
}

NP_ALWAYS_INLINE int np_ofi_post(struct np_ofi *ofi, struct np_ofi_op *op, void *buffer,
				 size_t length, void *descriptor, enum np_ofi_transfer kind,
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
