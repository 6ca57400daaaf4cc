/*
 * ofi_paths.c - hooks and code paths: messages, tagged messages and notified writes in both
 * directions, each by every completion mode; reads and writes by one process; and messages
 * with a registration around each.
 */
#include <errno.h>

#include "ofi_hot.h"

/* ---- messages; `kind`, `how` and `injects` are constants of each code path ----- */

NP_ALWAYS_INLINE int send_notified(struct np_ofi *ofi, const struct np_slot *at,
				   enum np_ofi_completion how, bool injects)
{
	const size_t length = ofi->endpoint.transfer->length;
	uint64_t key;
	const uint64_t target = np_ofi_aim(&ofi->keys, at->recv, &key);
	ssize_t result;

	for (;;) {
		struct np_ofi_op *op = injects ? NULL : np_ofi_take(ofi, false);

		result = injects ? fi_inject_writedata(ofi->ep, at->send, length, 0,
						       ofi->peer, target, key) :
				   fi_writedata(ofi->ep, at->send, length,
						np_ofi_descriptor(&ofi->keys, at->send), 0,
						ofi->peer, target, key, op);
		if (!NP_UNLIKELY(result != 0))
			break;
		if (!injects)
			np_ofi_untake(ofi, op, false);
		const int rc = np_ofi_again(ofi, result, how, "fi_writedata");
		if (rc != 0)
			return rc;
	}
	ofi->pending += !injects;
	return 0;
}

NP_ALWAYS_INLINE int send_slot(struct np_endpoint *ep, size_t slot,
			       enum np_ofi_transfer kind, enum np_ofi_completion how,
			       bool injects)
{
	struct np_ofi *ofi = np_ofi_of(ep);
	const struct np_slot *at = &ep->transfer->slots[slot];
	const int rc = np_ofi_drain(ofi, ofi->send_limit, how);

	if (NP_UNLIKELY(rc != 0))
		return rc;
	if (kind == NP_OFI_WRITE)
		return send_notified(ofi, at, how, injects);
	return np_ofi_start(ofi, at->send, ep->transfer->length,
			    injects ? NULL : np_ofi_descriptor(&ofi->keys, at->send), kind,
			    how, injects);
}

NP_ALWAYS_INLINE int post_slot(struct np_endpoint *ep, size_t slot,
			       enum np_ofi_transfer kind, enum np_ofi_completion how)
{
	struct np_ofi *ofi = np_ofi_of(ep);
	unsigned char *buffer = ep->transfer->slots[slot].recv;

	if (kind == NP_OFI_WRITE)
		return 0;
	return np_ofi_post(ofi, &ofi->ring[ofi->posted++ % NP_OFI_RING], buffer,
			   ep->transfer->length, np_ofi_descriptor(&ofi->keys, buffer),
			   kind, how);
}

NP_ALWAYS_INLINE int recv_slot(struct np_endpoint *ep, enum np_ofi_transfer kind,
			       enum np_ofi_completion how)
{
	struct np_ofi *ofi = np_ofi_of(ep);
	int rc = 0;

	if (kind == NP_OFI_WRITE) {
		while (rc == 0 && ofi->arrived == ofi->received)
			rc = np_ofi_progress(ofi, how);
	} else {
		rc = np_ofi_await(ofi, &ofi->ring[ofi->received % NP_OFI_RING], how);
	}
	ofi->received++;
	return rc;
}

/* ---- acknowledgements ---------------------------------------------------- */

NP_ALWAYS_INLINE int post_ack(struct np_ofi *ofi, enum np_ofi_transfer kind,
			      enum np_ofi_completion how)
{
	return np_ofi_post(ofi, &ofi->ack, &ofi->byte, 0, NULL, kind, how);
}

NP_ALWAYS_INLINE int send_ack(struct np_endpoint *ep, enum np_ofi_transfer kind,
			      enum np_ofi_completion how)
{
	struct np_ofi *ofi = np_ofi_of(ep);

	return np_ofi_start(ofi, &ofi->byte, 0, NULL, kind, how, false);
}

NP_ALWAYS_INLINE int recv_ack(struct np_endpoint *ep, enum np_ofi_transfer kind,
			      enum np_ofi_completion how)
{
	struct np_ofi *ofi = np_ofi_of(ep);
	const int rc = np_ofi_await(ofi, &ofi->ack, how);

	return NP_UNLIKELY(rc != 0) ? rc : post_ack(ofi, kind, how);
}

int np_ofi_post_ack(struct np_ofi *ofi)
{
	const struct np_ofi_options *options = np_ofi_options_of(ofi);
	const enum np_ofi_completion how =
		options->completion == NP_OFI_COUNTER ? NP_OFI_COUNTER : NP_OFI_POLL;

	if (ofi->ack_posted)
		return 0;
	ofi->ack_posted = true;
	return post_ack(
		ofi, options->transfer == NP_OFI_TAGGED ? NP_OFI_TAGGED : NP_OFI_MSG, how);
}

/* ---- code paths of messages ---------------------------------------------- */

/* Kind of acknowledgements and greetings: a write's is a message. */
#define ACK_OF(kind) ((kind) == NP_OFI_TAGGED ? NP_OFI_TAGGED : NP_OFI_MSG)

/* Hooks NAME_post() ..., for constant kind, how and injects. */
#define HOOKS(NAME, kind, how, injects)                                                    \
	static inline int NAME##_post(struct np_endpoint *ep, size_t slot)                 \
	{                                                                                  \
		return post_slot(ep, slot, kind, how);                                     \
	}                                                                                  \
	static inline int NAME##_send(struct np_endpoint *ep, size_t slot)                 \
	{                                                                                  \
		return send_slot(ep, slot, kind, how, injects);                            \
	}                                                                                  \
	static inline int NAME##_recv(struct np_endpoint *ep, size_t slot)                 \
	{                                                                                  \
		(void)slot;                                                                \
		return recv_slot(ep, kind, how);                                           \
	}                                                                                  \
	ENDS(NAME, ACK_OF(kind), how)

#define ENDS(NAME, kind, how)                                                              \
	static inline int NAME##_flush(struct np_endpoint *ep)                             \
	{                                                                                  \
		return np_ofi_drain(np_ofi_of(ep), 0, how);                                \
	}                                                                                  \
	static inline int NAME##_send_ack(struct np_endpoint *ep)                          \
	{                                                                                  \
		return send_ack(ep, kind, how);                                            \
	}                                                                                  \
	static inline int NAME##_recv_ack(struct np_endpoint *ep)                          \
	{                                                                                  \
		return recv_ack(ep, kind, how);                                            \
	}

#define TABLE(NAME, posting, sending, receiving, one_step)                                 \
	{                                                                                  \
		.post_recv = (posting), .send = (sending), .recv = (receiving),            \
		.flush = NAME##_flush, .send_ack = NAME##_send_ack,                        \
		.recv_ack = NAME##_recv_ack, .step = (one_step),                           \
	}
#define MESSAGE_TABLE(NAME)                                                                \
	TABLE(NAME, NAME##_post, NAME##_send, NAME##_recv, np_no_hook_slot)

#define PATH(NAME, label, kind, how, injects)                                              \
	HOOKS(NAME, kind, how, injects)                                                    \
	static const struct np_hot NAME##_hot = MESSAGE_TABLE(NAME);                       \
	NP_CODE_PATH(NAME, label, NAME##_hot)

#define PATHS(NAME, label, kind)                                                           \
	PATH(NAME##_poll, label ", poll", kind, NP_OFI_POLL, false);                       \
	PATH(NAME##_inject, "inject " label ", poll", kind, NP_OFI_POLL, true);            \
	PATH(NAME##_event, label ", event", kind, NP_OFI_EVENT, false);                    \
	PATH(NAME##_inject_event, "inject " label ", event", kind, NP_OFI_EVENT, true)

PATHS(msg, "message", NP_OFI_MSG);
PATHS(tagged, "tagged", NP_OFI_TAGGED);
PATHS(write, "write", NP_OFI_WRITE);
PATH(msg_counter, "message, counter", NP_OFI_MSG, NP_OFI_COUNTER, false);
PATH(tagged_counter, "tagged, counter", NP_OFI_TAGGED, NP_OFI_COUNTER, false);

/* ---- reads and writes by one process ------------------------------------- */

/* Starts a write that is complete when the peer has the bytes. */
NP_ALWAYS_INLINE ssize_t start_write(struct np_ofi *ofi, const struct np_slot *at,
				     struct np_ofi_op *op)
{
	void *descriptor = np_ofi_descriptor(&ofi->keys, at->send);
	const struct iovec part = { .iov_base = at->send,
				    .iov_len = ofi->endpoint.transfer->length };
	struct fi_rma_iov target = { .len = part.iov_len };
	const struct fi_msg_rma message = { .msg_iov = &part,
					    .desc = &descriptor,
					    .iov_count = 1,
					    .addr = ofi->peer,
					    .rma_iov = &target,
					    .rma_iov_count = 1,
					    .context = op };

	target.addr = np_ofi_aim(&ofi->keys, at->recv, &target.key);
	return fi_writemsg(ofi->ep, &message, FI_DELIVERY_COMPLETE);
}

NP_ALWAYS_INLINE ssize_t start_read(struct np_ofi *ofi, const struct np_slot *at,
				    struct np_ofi_op *op)
{
	uint64_t key;
	const uint64_t from = np_ofi_aim(&ofi->keys, at->send, &key);

	return fi_read(ofi->ep, at->recv, ofi->endpoint.transfer->length,
		       np_ofi_descriptor(&ofi->keys, at->recv), ofi->peer, from, key, op);
}

NP_ALWAYS_INLINE int step(struct np_endpoint *ep, size_t slot, bool reads, bool waits,
			  enum np_ofi_completion how)
{
	struct np_ofi *ofi = np_ofi_of(ep);
	const bool counts = how == NP_OFI_COUNTER;
	int rc = np_ofi_drain(ofi, ofi->send_limit, how);

	while (rc == 0) {
		struct np_ofi_op *op = np_ofi_take(ofi, counts);
		const struct np_slot *at = &ep->transfer->slots[slot];
		const ssize_t result =
			reads ? start_read(ofi, at, op) : start_write(ofi, at, op);

		if (!NP_UNLIKELY(result != 0)) {
			ofi->started++;
			ofi->pending++;
			return waits ? np_ofi_drain(ofi, 0, how) : 0;
		}
		np_ofi_untake(ofi, op, counts);
		rc = np_ofi_again(ofi, result, how, reads ? "fi_read" : "fi_writemsg");
	}
	return rc;
}

#define STEP_PATH(NAME, label, reads, waits, how)                                          \
	static inline int NAME##_step(struct np_endpoint *ep, size_t slot)                 \
	{                                                                                  \
		return step(ep, slot, reads, waits, how);                                  \
	}                                                                                  \
	ENDS(NAME, NP_OFI_MSG, how)                                                        \
	static const struct np_hot NAME##_hot = TABLE(                                     \
		NAME, np_no_hook_slot, np_no_hook_slot, np_no_hook_slot, NAME##_step);     \
	NP_LOOP(NAME##_loop, np_loop_one_sided, NAME##_hot)                                \
	static const struct np_code_path NAME = {                                          \
		.name = (label),                                                           \
		.hot = &NAME##_hot,                                                        \
		.loops = { [NP_ONE_SIDED] = { NAME##_loop, np_loop_idle } },               \
	}

#define STEP_PATHS(NAME, label, reads, waits)                                              \
	STEP_PATH(NAME##_poll, label ", poll", reads, waits, NP_OFI_POLL);                 \
	STEP_PATH(NAME##_event, label ", event", reads, waits, NP_OFI_EVENT);              \
	STEP_PATH(NAME##_counter, label ", counter", reads, waits, NP_OFI_COUNTER)

STEP_PATHS(put, "write", false, false);
STEP_PATHS(put_and_wait, "write", false, true);
STEP_PATHS(get, "read", true, false);
STEP_PATHS(get_and_wait, "read", true, true);

#define BY_MODE(NAME)                                                                      \
	{                                                                                  \
		&NAME##_poll, &NAME##_event, &NAME##_counter                               \
	}

static const struct np_code_path *one_sided_path(const struct np_ofi *ofi)
{
	static const struct np_code_path *const paths[2][2][NP_OFI_COMPLETIONS] = {
		{ BY_MODE(put), BY_MODE(put_and_wait) },
		{ BY_MODE(get), BY_MODE(get_and_wait) },
	};
	const struct np_ofi_options *options = np_ofi_options_of(ofi);

	return paths[options->transfer == NP_OFI_READ][ofi->endpoint.transfer->window == 1]
		    [options->completion];
}

/* ---- --register each ------------------------------------------------------ */

static int deregister(struct np_ofi *ofi, struct fid_mr *region)
{
	const int rc = fi_close(&region->fid);

	return rc == 0 ? 0 : np_ofi_failed(ofi, rc, "fi_close of a registration");
}

NP_ALWAYS_INLINE int post_each(struct np_endpoint *ep, size_t slot,
			       enum np_ofi_transfer kind, enum np_ofi_completion how)
{
	struct np_ofi *ofi = np_ofi_of(ep);
	struct np_ofi_op *op = &ofi->ring[ofi->posted++ % NP_OFI_RING];
	unsigned char *buffer = ep->transfer->slots[slot].recv;

	op->region = np_ofi_register(ofi, buffer, ep->transfer->length);
	if (op->region == NULL)
		return ep->error.code;
	return np_ofi_post(ofi, op, buffer, ep->transfer->length, fi_mr_desc(op->region),
			   kind, how);
}

NP_ALWAYS_INLINE int recv_each(struct np_endpoint *ep, enum np_ofi_transfer kind,
			       enum np_ofi_completion how)
{
	struct np_ofi *ofi = np_ofi_of(ep);
	struct np_ofi_op *op = &ofi->ring[ofi->received % NP_OFI_RING];
	const int rc = recv_slot(ep, kind, how);
	struct fid_mr *region = op->region;

	if (rc != 0)
		return rc;
	op->region = NULL;
	return deregister(ofi, region);
}

NP_ALWAYS_INLINE int send_each(struct np_endpoint *ep, size_t slot,
			       enum np_ofi_transfer kind, enum np_ofi_completion how)
{
	struct np_ofi *ofi = np_ofi_of(ep);
	unsigned char *buffer = ep->transfer->slots[slot].send;
	struct fid_mr *region = np_ofi_register(ofi, buffer, ep->transfer->length);

	if (region == NULL)
		return ep->error.code;
	int rc = np_ofi_start(ofi, buffer, ep->transfer->length, fi_mr_desc(region), kind,
			      how, false);
	if (rc == 0)
		rc = np_ofi_drain(ofi, 0, how);
	const int freed = deregister(ofi, region);
	return rc != 0 ? rc : freed;
}

/* Generic loops: their overhead is negligible beside a registration. */
#define EACH_PATH(NAME, label, kind, how)                                                  \
	static int NAME##_post(struct np_endpoint *ep, size_t slot)                        \
	{                                                                                  \
		return post_each(ep, slot, kind, how);                                     \
	}                                                                                  \
	static int NAME##_send(struct np_endpoint *ep, size_t slot)                        \
	{                                                                                  \
		return send_each(ep, slot, kind, how);                                     \
	}                                                                                  \
	static int NAME##_recv(struct np_endpoint *ep, size_t slot)                        \
	{                                                                                  \
		(void)slot;                                                                \
		return recv_each(ep, kind, how);                                           \
	}                                                                                  \
	ENDS(NAME, kind, how)                                                              \
	static const struct np_hot NAME##_hot = MESSAGE_TABLE(NAME);                       \
	static const struct np_code_path NAME = { .name = (label), .hot = &NAME##_hot }

EACH_PATH(each_msg_poll, "message, poll, registered each", NP_OFI_MSG, NP_OFI_POLL);
EACH_PATH(each_msg_event, "message, event, registered each", NP_OFI_MSG, NP_OFI_EVENT);
EACH_PATH(each_tagged_poll, "tagged, poll, registered each", NP_OFI_TAGGED, NP_OFI_POLL);
EACH_PATH(each_tagged_event, "tagged, event, registered each", NP_OFI_TAGGED, NP_OFI_EVENT);

/* ---- choice -------------------------------------------------------------- */

static const struct np_code_path *each_path(const struct np_ofi_options *options)
{
	static const struct np_code_path *const paths[2][2] = {
		{ &each_msg_poll, &each_msg_event },
		{ &each_tagged_poll, &each_tagged_event },
	};

	return paths[options->transfer == NP_OFI_TAGGED]
		    [options->completion == NP_OFI_EVENT];
}

const struct np_code_path *np_ofi_path(const struct np_ofi *ofi)
{
	static const struct np_code_path
		*const paths[NP_OFI_READ][2][NP_OFI_COMPLETIONS] = {
			{ { &msg_poll, &msg_event, &msg_counter },
			  { &msg_inject, &msg_inject_event, &msg_counter } },
			{ { &tagged_poll, &tagged_event, &tagged_counter },
			  { &tagged_inject, &tagged_inject_event, &tagged_counter } },
			{ { &write_poll, &write_event },
			  { &write_inject, &write_inject_event } },
		};
	const struct np_ofi_options *options = np_ofi_options_of(ofi);
	const bool injects =
		options->inject == 0 &&
		ofi->endpoint.transfer->length <= ofi->info->tx_attr->inject_size;

	if (ofi->endpoint.transfer->operation == NP_ONE_SIDED)
		return one_sided_path(ofi);
	if (options->registering == NP_OFI_REGISTER_EACH)
		return each_path(options);
	return paths[options->transfer][injects][options->completion];
}
