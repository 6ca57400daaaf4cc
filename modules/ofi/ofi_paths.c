/*
 * ofi_paths.c - hooks and code paths: messages, tagged messages and notified writes in both
 * directions, each by every completion mode; reads and writes by one process; and messages
 * with a registration around each.
 */
#include <errno.h>

#include "ofi_hot.h"

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
	int rc = np_ofi_start(ofi, at, length, fi_mr_desc(region), kind, how, false);
	if (rc == 0)
		rc = np_ofi_drain(ofi, 0, how);
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
	int rc = np_ofi_drain(ofi, ofi->send_limit, how);

	if (NP_UNLIKELY(rc != 0))
		return rc;
	void *descriptor =
		mode == INJECT ?
			NULL :
			np_ofi_descriptor(&ofi->keys,
					  kind == NP_OFI_READ ? at->recv : at->send);

	rc = np_ofi_start(ofi, at, length, descriptor, kind, how, mode == INJECT);
	return rc != 0 || mode != WAIT ? rc : np_ofi_drain(ofi, 0, how);
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
		return np_ofi_post(ofi, op, buffer, ep->transfer->length,
				   np_ofi_descriptor(&ofi->keys, buffer), kind, how);
	op->region = np_ofi_register(ofi, buffer, ep->transfer->length);
	return op->region == NULL ? ep->error.code :
				    np_ofi_post(ofi, op, buffer, ep->transfer->length,
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
			rc = np_ofi_progress(ofi, how);
	} else {
		rc = np_ofi_await(ofi, op, how);
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
	const int rc = np_ofi_await(ofi, &ofi->ack, how);

	return NP_UNLIKELY(rc != 0) ? rc : np_ofi_post_ack(ofi, kind, how);
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
		return np_ofi_drain(np_ofi_of(ep), 0, how);                                \
	}                                                                                  \
	static inline int NAME##_send_ack(struct np_endpoint *ep)                          \
	{                                                                                  \
		return np_ofi_send_ack(np_ofi_of(ep), NP_OFI_ACK_OF(kind), how);           \
	}                                                                                  \
	static inline int NAME##_recv_ack(struct np_endpoint *ep)                          \
	{                                                                                  \
		return receive_ack(ep, NP_OFI_ACK_OF(kind), how);                          \
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
