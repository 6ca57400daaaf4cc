/*
 * ofi_paths.c - timed part of the module: errors, waits, progress and starts of operations;
 * hooks and code paths of messages, tagged messages and notified writes in both directions,
 * each by every completion mode, of reads and writes by one process, and of messages with a
 * registration around each.
 *
 * libfabric's calls are inline functions that call through a table of the provider: each is
 * an indirect call within the timed loop, which every program over libfabric pays.
 *
 * `kind`, `how`, `mode` and `injects` are compile-time constants of each code path.
 */
#include <errno.h>
#include <unistd.h>

#include "contract/np_loop.h"
#include "ofi_private.h"

/* Tag of all tagged messages. */
enum { TAG = 0x4e50 };

/* Entries that one call reads from the completion queue. */
enum { ENTRIES = 16 };

/* ---- errors -------------------------------------------------------------- */

/* Codes of a lost connection, which cancels its operations. */
static bool is_peer_lost(ssize_t code)
{
	return code == FI_ECONNRESET || code == FI_ENOTCONN || code == FI_ECONNABORTED ||
	       code == FI_ECONNREFUSED || code == EPIPE || code == FI_ESHUTDOWN ||
	       code == FI_EHOSTUNREACH || code == FI_ETIMEDOUT || code == FI_ECANCELED;
}

int np_ofi_checked(struct np_ofi *ofi, ssize_t result, const char *call)
{
	struct np_error *error = &ofi->endpoint.error;
	const int code = (int)-result;

	if (code == 0)
		return 0;
	if (np_should_stop(&ofi->endpoint))
		return -ECANCELED;
	if (is_peer_lost(code))
		return np_fail(error, NP_ERROR_PEER, ECONNRESET,
			       "libfabric has lost the peer: %s", fi_strerror(code));
	return np_fail(error, NP_ERROR_FAILED, EIO, "%s failed in libfabric: %s", call,
		       fi_strerror(code));
}

static __attribute__((cold, noinline)) int report(struct np_ofi *ofi, ssize_t result)
{
	struct fi_cq_err_entry entry = { .err = 0 };

	if (result != -FI_EAVAIL)
		return np_ofi_checked(ofi, result, "fi_cq_read");
	if (fi_cq_readerr(ofi->queue, &entry, 0) < 0)
		return np_ofi_checked(ofi, -FI_EIO, "fi_cq_readerr");
	/* EIO may be access to memory of a process that has died: the watcher reports the
	 * reason within 200 ms, when the control channel closes. */
	for (int i = 0; entry.err == FI_EIO && i < 200 && !np_should_stop(&ofi->endpoint);
	     i++)
		usleep(1000);
	return np_ofi_checked(ofi, -entry.err, "moving messages");
}

/* ---- waits --------------------------------------------------------------- */

static __attribute__((noinline)) int pause_polling(struct np_ofi *ofi)
{
	struct fi_cq_msg_entry entry;

	ofi->polls = 0;
	if (np_give_way(&ofi->endpoint))
		return -ECANCELED;
	if (ofi->receives == NULL)
		return 0;
	/* Errors reach the queue only: successful operations have no entry there. */
	const ssize_t count = fi_cq_read(ofi->queue, &entry, 1);

	return count < 0 && count != -FI_EAGAIN ? report(ofi, count) : 0;
}

static __attribute__((noinline)) int sleep_on_queue(struct np_ofi *ofi)
{
	struct fid *of = &ofi->queue->fid;
	const int armed = fi_trywait(ofi->fabric, &of, 1);

	/* Entries since the last read: the caller reads instead of sleeping. */
	if (armed == -FI_EAGAIN)
		return np_should_stop(&ofi->endpoint) ? -ECANCELED : 0;
	if (armed != 0)
		return np_ofi_checked(ofi, armed, "fi_trywait");
	const int rc = np_sleep_on(&ofi->endpoint, ofi->event_fd);

	return rc < 0 ? rc : 0;
}

NP_ALWAYS_INLINE void complete(struct np_ofi *ofi, const struct fi_cq_msg_entry *entry)
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

NP_ALWAYS_INLINE int idle(struct np_ofi *ofi, enum np_ofi_completion how)
{
	if (how == NP_OFI_EVENT)
		return sleep_on_queue(ofi);
	return NP_UNLIKELY(++ofi->polls >= ofi->poll_interval) ? pause_polling(ofi) : 0;
}

/* Reads the counters, which calls the provider. */
NP_ALWAYS_INLINE int read_counters(struct np_ofi *ofi)
{
	const uint64_t sent = fi_cntr_read(ofi->sends);
	const uint64_t received = fi_cntr_read(ofi->receives);

	if (ofi->rx_read == received && ofi->started - sent == ofi->pending)
		return idle(ofi, NP_OFI_COUNTER);
	ofi->pending = ofi->started - sent;
	ofi->rx_read = received;
	ofi->polls = 0;
	return 0;
}

NP_ALWAYS_INLINE int progress(struct np_ofi *ofi, enum np_ofi_completion how)
{
	struct fi_cq_msg_entry entries[ENTRIES];

	if (how == NP_OFI_COUNTER)
		return read_counters(ofi);
	const ssize_t count = fi_cq_read(ofi->queue, entries, ENTRIES);

	if (count <= 0)
		return NP_UNLIKELY(count != -FI_EAGAIN) ? report(ofi, count) :
							  idle(ofi, how);
	for (ssize_t i = 0; i < count; i++)
		complete(ofi, &entries[i]);
	ofi->polls = 0;
	return 0;
}

/* Makes progress after -FI_EAGAIN.  Returns 0 if the call is to be repeated. */
NP_ALWAYS_INLINE int progress_first(struct np_ofi *ofi, ssize_t result,
				    enum np_ofi_completion how, const char *call)
{
	if (result != -FI_EAGAIN)
		return np_ofi_checked(ofi, result, call);
	/* No event reports that a full queue has room again. */
	return progress(ofi, how == NP_OFI_EVENT ? NP_OFI_POLL : how);
}

/* Waits until at most `most` operations are pending. */
NP_ALWAYS_INLINE int drain(struct np_ofi *ofi, uint64_t most, enum np_ofi_completion how)
{
	while (NP_UNLIKELY(ofi->pending > most)) {
		const int rc = progress(ofi, how);

		if (NP_UNLIKELY(rc != 0))
			return rc;
	}
	return 0;
}

/* ---- memory -------------------------------------------------------------- */

NP_ALWAYS_INLINE void *descriptor_of(const struct np_ofi_keys *keys,
				     const unsigned char *buffer)
{
	return keys->descriptors == NULL ?
		       NULL :
		       keys->descriptors[np_region_part(&keys->pool, buffer)];
}

/* Peer's memory at the place of an address of the pool. */
NP_ALWAYS_INLINE struct fi_rma_iov aim(const struct np_ofi_keys *keys,
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
NP_ALWAYS_INLINE ssize_t call_provider(struct np_ofi *ofi, const struct np_slot *at,
				       size_t length, void *descriptor,
				       enum np_ofi_kind kind, bool injects,
				       struct np_ofi_op *op)
{
	struct fid_ep *ep = ofi->ep;
	const fi_addr_t peer = ofi->peer;
	const struct iovec part = { .iov_base = at->send, .iov_len = length };
	struct fi_rma_iov remote;

	if (kind == NP_OFI_MSG)
		return injects ? fi_inject(ep, at->send, length, peer) :
				 fi_send(ep, at->send, length, descriptor, peer, op);
	if (kind == NP_OFI_TAGGED)
		return injects ? fi_tinject(ep, at->send, length, peer, TAG) :
				 fi_tsend(ep, at->send, length, descriptor, peer, TAG, op);
	remote = aim(&ofi->keys, kind == NP_OFI_READ ? at->send : at->recv, length);
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
NP_ALWAYS_INLINE int start_operation(struct np_ofi *ofi, const struct np_slot *at,
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
			call_provider(ofi, at, length, descriptor, kind, injects, op);

		if (!NP_UNLIKELY(result != 0))
			break;
		if (!injects && !counts) {
			op->next = ofi->free;
			ofi->free = op;
		}
		const int rc = progress_first(ofi, result, how, "starting an operation");
		if (rc != 0)
			return rc;
	}
	if (kind != NP_OFI_WRITE)
		ofi->started += !injects;
	ofi->pending += !injects;
	return 0;
}

NP_ALWAYS_INLINE int post_receive(struct np_ofi *ofi, struct np_ofi_op *op, void *buffer,
				  size_t length, void *descriptor, enum np_ofi_kind kind,
				  enum np_ofi_completion how)
{
	for (;;) {
		op->done = false;
		const ssize_t result = kind == NP_OFI_TAGGED ?
					       fi_trecv(ofi->ep, buffer, length, descriptor,
							FI_ADDR_UNSPEC, TAG, 0, op) :
					       fi_recv(ofi->ep, buffer, length, descriptor,
						       FI_ADDR_UNSPEC, op);

		if (!NP_UNLIKELY(result != 0))
			return 0;
		const int rc = progress_first(ofi, result, how, "a receive");
		if (rc != 0)
			return rc;
	}
}

/* Waits for one receive: its own entry, or the next count. */
NP_ALWAYS_INLINE int await(struct np_ofi *ofi, const struct np_ofi_op *op,
			   enum np_ofi_completion how)
{
	while (how == NP_OFI_COUNTER ? ofi->rx_read == ofi->rx_taken : !op->done) {
		const int rc = progress(ofi, how);

		if (NP_UNLIKELY(rc != 0))
			return rc;
	}
	ofi->rx_taken++;
	return 0;
}

/* ---- acknowledgements: messages of no bytes -------------------------------- */

/* Kind of acknowledgements and greetings: a message beside reads and writes. */
#define ACK_OF(kind) ((kind) == NP_OFI_TAGGED ? NP_OFI_TAGGED : NP_OFI_MSG)

NP_ALWAYS_INLINE int post_ack(struct np_ofi *ofi, enum np_ofi_kind kind,
			      enum np_ofi_completion how)
{
	return post_receive(ofi, &ofi->ack, &ofi->byte, 0, NULL, kind, how);
}

NP_ALWAYS_INLINE int send_ack(struct np_ofi *ofi, enum np_ofi_kind kind,
			      enum np_ofi_completion how)
{
	return start_operation(ofi, &(struct np_slot){ .send = &ofi->byte }, 0, NULL, kind,
			       how, false);
}
/* ---- progress ------------------------------------------------------------ */

/* Completion mode outside of timed loops. */
static enum np_ofi_completion mode_of(const struct np_ofi *ofi)
{
	return ofi->receives != NULL ? NP_OFI_COUNTER : NP_OFI_POLL;
}

static enum np_ofi_kind ack_of(const struct np_ofi *ofi)
{
	return ACK_OF(np_ofi_options_of(ofi)->transfer);
}

int np_ofi_progress_once(struct np_endpoint *endpoint)
{
	struct np_ofi *ofi = np_ofi_of(endpoint);

	return progress(ofi, mode_of(ofi));
}

int np_ofi_expect_ack(struct np_ofi *ofi)
{
	if (ofi->ack_posted)
		return 0;
	ofi->ack_posted = true;
	return post_ack(ofi, ack_of(ofi), mode_of(ofi));
}

int np_ofi_greet(struct np_ofi *ofi)
{
	int rc = post_ack(ofi, ack_of(ofi), mode_of(ofi));

	if (rc == 0)
		rc = send_ack(ofi, ack_of(ofi), mode_of(ofi));
	if (rc == 0)
		rc = await(ofi, &ofi->ack, mode_of(ofi));
	return rc == 0 ? drain(ofi, 0, mode_of(ofi)) : rc;
}

/* Additions of a code path to the operation: none; injection; registration of the buffer of
 * each message; or completion of each operation before the next. */
enum mode { PLAIN, INJECT, EACH, WAIT, MODES };

/* ---- hooks; `kind`, `how` and `mode` are constants of each code path ------------ */

static int deregister(struct np_ofi *ofi, struct fid_mr *region)
{
	return np_ofi_checked(ofi, fi_close(&region->fid), "fi_close of a registration");
}

NP_ALWAYS_INLINE int send_each(struct np_ofi *ofi, const struct np_slot *at, size_t length,
			       enum np_ofi_kind kind, enum np_ofi_completion how)
{
	struct fid_mr *region = np_ofi_register(ofi, at->send, length);

	if (region == NULL)
		return ofi->endpoint.error.code;
	int rc = start_operation(ofi, at, length, fi_mr_desc(region), kind, how, false);
	if (rc == 0)
		rc = drain(ofi, 0, how);
	const int freed = deregister(ofi, region);
	return rc != 0 ? rc : freed;
}

/* Starts a message, or a step of a process alone. */
NP_ALWAYS_INLINE int start(struct np_endpoint *ep, size_t slot, enum np_ofi_kind kind,
			   enum np_ofi_completion how, enum mode mode)
{
	struct np_ofi *ofi = np_ofi_of(ep);
	const struct np_slot *at = &ep->transfer->slots[slot];
	const size_t length = ep->transfer->length;

	if (mode == EACH)
		return send_each(ofi, at, length, kind, how);
	int rc = drain(ofi, ofi->send_limit, how);

	if (NP_UNLIKELY(rc != 0))
		return rc;
	void *descriptor = mode == INJECT ?
				   NULL :
				   descriptor_of(&ofi->keys,
						 kind == NP_OFI_READ ? at->recv : at->send);

	rc = start_operation(ofi, at, length, descriptor, kind, how, mode == INJECT);
	return rc != 0 || mode != WAIT ? rc : drain(ofi, 0, how);
}

NP_ALWAYS_INLINE int post(struct np_endpoint *ep, size_t slot, enum np_ofi_kind kind,
			  enum np_ofi_completion how, enum mode mode)
{
	struct np_ofi *ofi = np_ofi_of(ep);
	unsigned char *buffer = ep->transfer->slots[slot].recv;

	if (np_ofi_is_remote((int)kind))
		return 0;
	struct np_ofi_op *op = &ofi->ring[ofi->posted++ % NP_OFI_RING];

	if (mode != EACH)
		return post_receive(ofi, op, buffer, ep->transfer->length,
				    descriptor_of(&ofi->keys, buffer), kind, how);
	op->region = np_ofi_register(ofi, buffer, ep->transfer->length);
	return op->region == NULL ? ep->error.code :
				    post_receive(ofi, op, buffer, ep->transfer->length,
						 fi_mr_desc(op->region), kind, how);
}

NP_ALWAYS_INLINE int receive(struct np_endpoint *ep, enum np_ofi_kind kind,
			     enum np_ofi_completion how, enum mode mode)
{
	struct np_ofi *ofi = np_ofi_of(ep);
	struct np_ofi_op *op = &ofi->ring[ofi->received % NP_OFI_RING];
	int rc = 0;

	if (np_ofi_is_remote((int)kind)) {
		while (rc == 0 && ofi->arrived == ofi->received)
			rc = progress(ofi, how);
	} else {
		rc = await(ofi, op, how);
	}
	ofi->received++;
	if (rc != 0 || mode != EACH)
		return rc;
	struct fid_mr *region = op->region;

	op->region = NULL;
	return deregister(ofi, region);
}

NP_ALWAYS_INLINE int receive_ack(struct np_endpoint *ep, enum np_ofi_kind kind,
				 enum np_ofi_completion how)
{
	struct np_ofi *ofi = np_ofi_of(ep);
	const int rc = await(ofi, &ofi->ack, how);

	return NP_UNLIKELY(rc != 0) ? rc : post_ack(ofi, kind, how);
}

/* ---- code paths ---------------------------------------------------------- */

/* Table NAME_hot of hooks for a constant kind, how and mode. */
#define HOOKS(NAME, kind, how, mode)                                                       \
	static inline int NAME##_post(struct np_endpoint *ep, size_t slot)                 \
	{                                                                                  \
		return post(ep, slot, kind, how, mode);                                    \
	}                                                                                  \
	static inline int NAME##_start(struct np_endpoint *ep, size_t slot)                \
	{                                                                                  \
		return start(ep, slot, kind, how, mode);                                   \
	}                                                                                  \
	static inline int NAME##_receive(struct np_endpoint *ep, size_t slot)              \
	{                                                                                  \
		(void)slot;                                                                \
		return receive(ep, kind, how, mode);                                       \
	}                                                                                  \
	static inline int NAME##_flush(struct np_endpoint *ep)                             \
	{                                                                                  \
		return drain(np_ofi_of(ep), 0, how);                                       \
	}                                                                                  \
	static inline int NAME##_send_ack(struct np_endpoint *ep)                          \
	{                                                                                  \
		return send_ack(np_ofi_of(ep), ACK_OF(kind), how);                         \
	}                                                                                  \
	static inline int NAME##_recv_ack(struct np_endpoint *ep)                          \
	{                                                                                  \
		return receive_ack(ep, ACK_OF(kind), how);                                 \
	}                                                                                  \
	static const struct np_hot NAME##_hot = { .post_recv = NAME##_post,                \
						  .send = NAME##_start,                    \
						  .recv = NAME##_receive,                  \
						  .flush = NAME##_flush,                   \
						  .send_ack = NAME##_send_ack,             \
						  .recv_ack = NAME##_recv_ack,             \
						  .step = NAME##_start }

#define PATH(NAME, label, kind, how, mode)                                                 \
	HOOKS(NAME, kind, how, mode);                                                      \
	NP_CODE_PATH(NAME, label, NAME##_hot)
#define PATHS(NAME, label, kind)                                                           \
	PATH(NAME##_poll, label ", poll", kind, NP_OFI_POLL, PLAIN);                       \
	PATH(NAME##_event, label ", event", kind, NP_OFI_EVENT, PLAIN);                    \
	PATH(NAME##_inject, "inject " label ", poll", kind, NP_OFI_POLL, INJECT);          \
	PATH(NAME##_inject_event, "inject " label ", event", kind, NP_OFI_EVENT, INJECT)

PATHS(msg, "message", NP_OFI_MSG);
PATHS(tagged, "tagged", NP_OFI_TAGGED);
PATHS(write, "write", NP_OFI_WRITE);
PATH(msg_counter, "message, counter", NP_OFI_MSG, NP_OFI_COUNTER, PLAIN);
PATH(tagged_counter, "tagged, counter", NP_OFI_TAGGED, NP_OFI_COUNTER, PLAIN);

/* Generic loops: their overhead is negligible beside a registration. */
#define EACH_PATH(NAME, label, kind, how)                                                  \
	HOOKS(NAME, kind, how, EACH);                                                      \
	static const struct np_code_path NAME = { .name = (label), .hot = &NAME##_hot }

EACH_PATH(msg_each, "message, poll, registered each", NP_OFI_MSG, NP_OFI_POLL);
EACH_PATH(msg_each_event, "message, event, registered each", NP_OFI_MSG, NP_OFI_EVENT);
EACH_PATH(tagged_each, "tagged, poll, registered each", NP_OFI_TAGGED, NP_OFI_POLL);
EACH_PATH(tagged_each_event, "tagged, event, registered each", NP_OFI_TAGGED, NP_OFI_EVENT);

#define STEP_PATH(NAME, label, kind, how, mode)                                            \
	HOOKS(NAME, kind, how, mode);                                                      \
	NP_STEP_PATH(NAME, label, NAME##_hot)
#define STEP_PATHS(NAME, label, kind, mode)                                                \
	STEP_PATH(NAME##_poll, label ", poll", kind, NP_OFI_POLL, mode);                   \
	STEP_PATH(NAME##_event, label ", event", kind, NP_OFI_EVENT, mode);                \
	STEP_PATH(NAME##_counter, label ", counter", kind, NP_OFI_COUNTER, mode)

STEP_PATHS(put, "write", NP_OFI_PUT, PLAIN);
STEP_PATHS(put_and_wait, "write", NP_OFI_PUT, WAIT);
STEP_PATHS(get, "read", NP_OFI_READ, PLAIN);
STEP_PATHS(get_and_wait, "read", NP_OFI_READ, WAIT);

const struct np_code_path *np_ofi_path(const struct np_ofi *ofi)
{
	static const struct np_code_path
		*const paths[NP_OFI_KINDS][MODES][NP_OFI_COMPLETIONS] = {
			[NP_OFI_MSG] = { { &msg_poll, &msg_event, &msg_counter },
					 { &msg_inject, &msg_inject_event, &msg_counter },
					 { &msg_each, &msg_each_event } },
			[NP_OFI_TAGGED] = { { &tagged_poll, &tagged_event,
					      &tagged_counter },
					    { &tagged_inject, &tagged_inject_event,
					      &tagged_counter },
					    { &tagged_each, &tagged_each_event } },
			[NP_OFI_WRITE] = { { &write_poll, &write_event },
					   { &write_inject, &write_inject_event } },
			[NP_OFI_PUT] = { { &put_poll, &put_event, &put_counter },
					 [WAIT] = { &put_and_wait_poll, &put_and_wait_event,
						    &put_and_wait_counter } },
			[NP_OFI_READ] = { { &get_poll, &get_event, &get_counter },
					  [WAIT] = { &get_and_wait_poll,
						     &get_and_wait_event,
						     &get_and_wait_counter } },
		};
	const struct np_ofi_options *options = np_ofi_options_of(ofi);
	const struct np_transfer *transfer = ofi->endpoint.transfer;
	const bool alone = transfer->operation == NP_ONE_SIDED;
	const bool injects =
		options->inject == 0 && transfer->length <= ofi->info->tx_attr->inject_size;
	const enum np_ofi_kind kind = alone && options->transfer == NP_OFI_WRITE ?
					      NP_OFI_PUT :
					      (enum np_ofi_kind)options->transfer;
	const enum mode mode = alone ? (transfer->window == 1 ? WAIT : PLAIN) :
			       options->registering == NP_OFI_REGISTER_EACH ? EACH :
			       injects					    ? INJECT :
									      PLAIN;

	return paths[kind][mode][options->completion];
}
