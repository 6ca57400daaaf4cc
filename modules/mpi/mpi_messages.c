/*
 * mpi_messages.c - hooks of two-sided messages: MPI_Send() and other send modes,
 * MPI_Isend() with a window, and MPI_Send_c() beyond INT_MAX bytes.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "mpi_private.h"

int np_mpi_requests_make(struct np_mpi_requests *requests, size_t most)
{
	size_t capacity = 4;

	while (capacity < most + 2)
		capacity *= 2;
	requests->list = malloc(capacity * sizeof(*requests->list));
	requests->mask = capacity - 1;
	requests->first = requests->next = 0;
	for (size_t i = 0; requests->list != NULL && i < capacity; i++)
		requests->list[i] = MPI_REQUEST_NULL;
	return requests->list != NULL ? 0 : -ENOMEM;
}

void np_mpi_requests_free(struct np_mpi_requests *requests)
{
	free(requests->list);
	requests->list = NULL;
}

/* ---- Preposted receives, and sends in flight, completed in the order of posting ---- */

/* np_hot.post_recv */
NP_ALWAYS_INLINE int post_receive(struct np_endpoint *ep, size_t slot)
{
	struct np_mpi *mpi = np_mpi_of(ep);
	struct np_mpi_requests *receives = &mpi->receives;

	return np_mpi_check_call(
		mpi,
		MPI_Irecv(ep->transfer->slots[slot].recv, mpi->count, mpi->type,
			  mpi->source, NP_MPI_TAG, mpi->comm,
			  &receives->list[receives->next++ & receives->mask]),
		"MPI_Irecv");
}

/* np_hot.recv: waits for the oldest request, which belongs to the slot. */
NP_ALWAYS_INLINE int wait_received(struct np_endpoint *ep, size_t slot)
{
	struct np_mpi *mpi = np_mpi_of(ep);
	struct np_mpi_requests *receives = &mpi->receives;

	(void)slot;
	return np_mpi_check_call(
		mpi,
		MPI_Wait(&receives->list[receives->first++ & receives->mask],
			 MPI_STATUS_IGNORE),
		"MPI_Wait");
}

/* Waits for the oldest send. */
NP_ALWAYS_INLINE int wait_oldest(struct np_mpi *mpi)
{
	struct np_mpi_requests *sends = &mpi->sends;

	return np_mpi_check_call(
		mpi,
		MPI_Wait(&sends->list[sends->first++ & sends->mask], MPI_STATUS_IGNORE),
		"MPI_Wait");
}

/* np_hot.flush */
NP_ALWAYS_INLINE int wait_sent(struct np_endpoint *ep)
{
	struct np_mpi *mpi = np_mpi_of(ep);
	int rc;

	while (mpi->sends.first != mpi->sends.next) {
		if (NP_UNLIKELY((rc = wait_oldest(mpi)) != 0))
			return rc;
	}
	return 0;
}

/*
 * ---- Blocking sends ---------------------------------------------------------
 *
 * Deadlock: two ranks that send first both block in a rendezvous.  Bidirectional messages
 * therefore use MPI_Sendrecv(): send() stores the slot, recv() makes the call.
 */

#define MESSAGE(mpi, buffer) (buffer), (mpi)->count, (mpi)->type

#define SENDER(name, call)                                                                 \
	static int name(struct np_endpoint *ep, size_t slot)                               \
	{                                                                                  \
		struct np_mpi *mpi = np_mpi_of(ep);                                        \
                                                                                           \
		return np_mpi_check_call(                                                  \
			mpi,                                                               \
			call(MESSAGE(mpi, ep->transfer->slots[slot].send), mpi->peer,      \
			     NP_MPI_TAG, mpi->comm),                                       \
			#call);                                                            \
	}

SENDER(send_standard, MPI_Send)
SENDER(send_synchronous, MPI_Ssend)
SENDER(send_ready, MPI_Rsend)
SENDER(send_buffered, MPI_Bsend)

static int receive(struct np_endpoint *ep, size_t slot)
{
	struct np_mpi *mpi = np_mpi_of(ep);

	return np_mpi_check_call(mpi,
				 MPI_Recv(MESSAGE(mpi, ep->transfer->slots[slot].recv),
					  mpi->source, NP_MPI_TAG, mpi->comm,
					  MPI_STATUS_IGNORE),
				 "MPI_Recv");
}

static int set_sendrecv_slot(struct np_endpoint *ep, size_t slot)
{
	np_mpi_of(ep)->sendrecv_slot = slot;
	return 0;
}

static int sendrecv(struct np_endpoint *ep, size_t slot)
{
	struct np_mpi *mpi = np_mpi_of(ep);
	const struct np_slot *slots = ep->transfer->slots;

	return np_mpi_check_call(mpi,
				 MPI_Sendrecv(MESSAGE(mpi, slots[mpi->sendrecv_slot].send),
					      mpi->peer, NP_MPI_TAG,
					      MESSAGE(mpi, slots[slot].recv), mpi->source,
					      NP_MPI_TAG, mpi->comm, MPI_STATUS_IGNORE),
				 "MPI_Sendrecv");
}

/* MPI_Buffer_detach() returns when all buffered messages are delivered.  Each block ends
 * with it, as the library progresses only during MPI calls. */
static int empty_buffer(struct np_endpoint *ep)
{
	struct np_mpi *mpi = np_mpi_of(ep);
	void *buffer;
	int length, code = MPI_Buffer_detach(&buffer, &length);

	if (code == MPI_SUCCESS)
		code = MPI_Buffer_attach(mpi->attached, (int)mpi->attached_length);
	mpi->in_flight = 0;
	return np_mpi_check_call(mpi, code, "MPI_Buffer_detach");
}

/* The attached buffer holds one window of a stream. */
static int send_buffered_window(struct np_endpoint *ep, size_t slot)
{
	struct np_mpi *mpi = np_mpi_of(ep);
	int rc = 0;

	if (mpi->in_flight == mpi->window)
		rc = empty_buffer(ep);
	mpi->in_flight++;
	return NP_UNLIKELY(rc != 0) ? rc : send_buffered(ep, slot);
}

#define HOOKS(offering, sending, receiving, flushing)                                      \
	{                                                                                  \
		.post_recv = (offering), .send = (sending), .recv = (receiving),           \
		.flush = (flushing), .send_ack = np_mpi_send_ack,                          \
		.recv_ack = np_mpi_recv_ack, .step = np_no_hook_slot,                      \
	}
#define AT_ONCE(sending)   HOOKS(np_no_hook_slot, sending, receive, np_no_hook)
#define PREPOSTED(sending) HOOKS(post_receive, sending, wait_received, np_no_hook)

static const struct np_hot standard_hot = AT_ONCE(send_standard);
static const struct np_hot preposted_hot = PREPOSTED(send_standard);
static const struct np_hot bidirectional_hot =
	HOOKS(np_no_hook_slot, set_sendrecv_slot, sendrecv, np_no_hook);
NP_CODE_PATH(standard, "blocking", standard_hot);
NP_CODE_PATH(preposted, "preposted", preposted_hot);
NP_CODE_PATH_BURST(burst, "preposted", preposted_hot);
NP_CODE_PATH(bidirectional, "sendrecv", bidirectional_hot);

/* The less common modes run the generic loops. */
static const struct np_hot synchronous_hot = AT_ONCE(send_synchronous);
static const struct np_hot buffered_hot =
	HOOKS(np_no_hook_slot, send_buffered, receive, empty_buffer);
static const struct np_hot buffered_stream_hot =
	HOOKS(np_no_hook_slot, send_buffered_window, receive, empty_buffer);
static const struct np_hot synchronous_preposted_hot = PREPOSTED(send_synchronous);
static const struct np_hot buffered_preposted_hot =
	HOOKS(post_receive, send_buffered, wait_received, empty_buffer);
static const struct np_hot buffered_stream_preposted_hot =
	HOOKS(post_receive, send_buffered_window, wait_received, empty_buffer);
static const struct np_hot ready_hot = PREPOSTED(send_ready);

static const struct np_code_path code_paths[NP_MPI_SENDS][2] = {
	[NP_MPI_SYNCHRONOUS] = { { .name = "synchronous", .hot = &synchronous_hot },
				 { .name = "synchronous, preposted",
				   .hot = &synchronous_preposted_hot } },
	[NP_MPI_BUFFERED] = { { .name = "buffered", .hot = &buffered_hot },
			      { .name = "buffered, preposted",
				.hot = &buffered_preposted_hot } },
	[NP_MPI_READY] = { { .name = "none" }, { .name = "ready", .hot = &ready_hot } },
};
static const struct np_code_path buffered_streams[2] = {
	{ .name = "buffered", .hot = &buffered_stream_hot },
	{ .name = "buffered, preposted", .hot = &buffered_stream_preposted_hot },
};

const struct np_code_path *np_mpi_blocking(const struct np_mpi *mpi)
{
	const enum np_operation operation = mpi->endpoint.transfer->operation;
	const bool posted = mpi->mode.preposted;

	if (mpi->mode.send == NP_MPI_BUFFERED && operation == NP_STREAM)
		return &buffered_streams[posted];
	if (mpi->mode.send != NP_MPI_STANDARD)
		return &code_paths[mpi->mode.send][posted];
	if (posted)
		return mpi->endpoint.burst ? &burst : &preposted;
	return operation == NP_BIDIRECTIONAL ? &bidirectional : &standard;
}

/* ---- Buffer of MPI_Bsend() ----------------------------------------------- */

/* A process has one attached buffer, so each endpoint attaches its own at the beginning of
 * a block.  Blocks leave the buffer empty, so detaching the other one does not wait. */
int np_mpi_attach(struct np_mpi *mpi)
{
	void *other;
	int length;

	MPI_Buffer_detach(&other, &length);
	return np_mpi_check_call(
		mpi, MPI_Buffer_attach(mpi->attached, (int)mpi->attached_length),
		"MPI_Buffer_attach");
}

int np_mpi_buffer_make(struct np_mpi *mpi, size_t messages)
{
	const size_t length = messages * (mpi->endpoint.transfer->length +
					  (size_t)MPI_BSEND_OVERHEAD + 64);

	if (length > INT32_MAX)
		return np_refuse(&mpi->endpoint.error,
				 "--send buffered: MPI_Buffer_attach takes less than 2 "
				 "GiB, and %zu messages of %zu bytes need more: a smaller "
				 "-u, or a smaller --window",
				 messages, mpi->endpoint.transfer->length);
	mpi->attached = malloc(length);
	mpi->attached_length = length;
	return mpi->attached != NULL ? 0 :
				       np_fail_errno(&mpi->endpoint.error, ENOMEM,
						     "no memory for buffered sends");
}

/* Detaching waits for the delivery of all messages, which after an error may never
 * happen: then the buffer stays until the job ends. */
void np_mpi_buffer_free(struct np_mpi *mpi)
{
	void *buffer = NULL;
	int length;

	if (mpi->attached == NULL || np_should_stop(&mpi->endpoint) ||
	    mpi->endpoint.error.code != 0)
		return;
	if (MPI_Buffer_detach(&buffer, &length) == MPI_SUCCESS && buffer != NULL &&
	    buffer != mpi->attached)
		MPI_Buffer_attach(buffer, length);
	free(mpi->attached);
	mpi->attached = NULL;
}

/*
 * ---- Non-blocking sends -----------------------------------------------------
 *
 * With a full window the sender waits for its oldest request.  The receiver keeps as many
 * receives posted.
 */

#define ISENDER(name, call)                                                                \
	static int name(struct np_endpoint *ep, size_t slot)                               \
	{                                                                                  \
		struct np_mpi *mpi = np_mpi_of(ep);                                        \
		struct np_mpi_requests *sends = &mpi->sends;                               \
		int rc = 0;                                                                \
                                                                                           \
		if (sends->next - sends->first == mpi->window)                             \
			rc = wait_oldest(mpi);                                             \
		if (NP_UNLIKELY(rc != 0))                                                  \
			return rc;                                                         \
		return np_mpi_check_call(mpi,                                              \
					 call(ep->transfer->slots[slot].send, mpi->count,  \
					      mpi->type, mpi->peer, NP_MPI_TAG, mpi->comm, \
					      &sends->list[sends->next++ & sends->mask]),  \
					 #call);                                           \
	}

ISENDER(isend_standard, MPI_Isend)
ISENDER(isend_synchronous, MPI_Issend)
ISENDER(isend_ready, MPI_Irsend)

#define NONBLOCKING_HOOKS(sending)                                                         \
	{                                                                                  \
		.post_recv = post_receive, .send = (sending), .recv = wait_received,       \
		.flush = wait_sent, .send_ack = np_mpi_send_ack,                           \
		.recv_ack = np_mpi_recv_ack, .step = np_no_hook_slot,                      \
	}

static const struct np_hot nonblocking_hot = NONBLOCKING_HOOKS(isend_standard);
NP_CODE_PATH(nonblocking, "nonblocking", nonblocking_hot);
NP_LOOP(nonblocking_window, np_loop_exchange_window, nonblocking_hot)
static const struct np_code_path nonblocking_windowed = {
	.name = "nonblocking",
	.hot = &nonblocking_hot,
	.loops = { [NP_BIDIRECTIONAL] = { nonblocking_window, nonblocking_window } },
};
NP_CODE_PATH_BURST(nonblocking_burst, "nonblocking", nonblocking_hot);

static const struct np_hot nonblocking_synchronous_hot =
	NONBLOCKING_HOOKS(isend_synchronous);
static const struct np_hot nonblocking_ready_hot = NONBLOCKING_HOOKS(isend_ready);
static const struct np_code_path nonblocking_synchronous = {
	.name = "nonblocking, synchronous", .hot = &nonblocking_synchronous_hot
};
static const struct np_code_path nonblocking_ready = { .name = "nonblocking, ready",
						       .hot = &nonblocking_ready_hot };

const struct np_code_path *np_mpi_nonblocking(const struct np_mpi *mpi)
{
	switch (mpi->mode.send) {
	case NP_MPI_SYNCHRONOUS:
		return &nonblocking_synchronous;
	case NP_MPI_READY:
		return &nonblocking_ready;
	default:
		if (np_mpi_has_window_both(mpi))
			return &nonblocking_windowed;
		return mpi->endpoint.burst ? &nonblocking_burst : &nonblocking;
	}
}

/*
 * ---- Messages beyond INT_MAX bytes: MPI_Send_c() and others of MPI 4 --------
 *
 * Libraries without these functions, and modes without hooks here, send such a message as
 * one element of a derived type (np_mpi_type_of()).  Generic loops suffice, as one message
 * takes about a second.
 */

#ifdef NP_MPI_LARGE_COUNTS
#define LARGE_MESSAGE(ep, buffer) (buffer), (MPI_Count)(ep)->transfer->length, MPI_BYTE

static int send_large(struct np_endpoint *ep, size_t slot)
{
	struct np_mpi *mpi = np_mpi_of(ep);

	return np_mpi_check_call(
		mpi,
		MPI_Send_c(LARGE_MESSAGE(ep, ep->transfer->slots[slot].send), mpi->peer,
			   NP_MPI_TAG, mpi->comm),
		"MPI_Send_c");
}

static int isend_large(struct np_endpoint *ep, size_t slot)
{
	struct np_mpi *mpi = np_mpi_of(ep);
	struct np_mpi_requests *sends = &mpi->sends;
	int rc = 0;

	if (sends->next - sends->first == mpi->window)
		rc = wait_oldest(mpi);
	if (rc != 0)
		return rc;
	return np_mpi_check_call(
		mpi,
		MPI_Isend_c(LARGE_MESSAGE(ep, ep->transfer->slots[slot].send), mpi->peer,
			    NP_MPI_TAG, mpi->comm,
			    &sends->list[sends->next++ & sends->mask]),
		"MPI_Isend_c");
}

static int receive_large(struct np_endpoint *ep, size_t slot)
{
	struct np_mpi *mpi = np_mpi_of(ep);

	return np_mpi_check_call(
		mpi,
		MPI_Recv_c(LARGE_MESSAGE(ep, ep->transfer->slots[slot].recv), mpi->source,
			   NP_MPI_TAG, mpi->comm, MPI_STATUS_IGNORE),
		"MPI_Recv_c");
}

static int post_large(struct np_endpoint *ep, size_t slot)
{
	struct np_mpi *mpi = np_mpi_of(ep);
	struct np_mpi_requests *receives = &mpi->receives;

	return np_mpi_check_call(
		mpi,
		MPI_Irecv_c(LARGE_MESSAGE(ep, ep->transfer->slots[slot].recv), mpi->source,
			    NP_MPI_TAG, mpi->comm,
			    &receives->list[receives->next++ & receives->mask]),
		"MPI_Irecv_c");
}

#define LARGE_HOOKS(offering, sending, receiving)                                          \
	{                                                                                  \
		.post_recv = (offering), .send = (sending), .recv = (receiving),           \
		.flush = wait_sent, .send_ack = np_mpi_send_ack,                           \
		.recv_ack = np_mpi_recv_ack, .step = np_no_hook_slot,                      \
	}

static const struct np_hot large_blocking_hot =
	LARGE_HOOKS(np_no_hook_slot, send_large, receive_large);
static const struct np_hot large_preposted_hot =
	LARGE_HOOKS(post_large, send_large, wait_received);
static const struct np_hot large_nonblocking_hot =
	LARGE_HOOKS(post_large, isend_large, wait_received);

static const struct np_code_path large_blocking = { .name = "blocking, large count",
						    .hot = &large_blocking_hot };
static const struct np_code_path large_preposted = { .name = "preposted, large count",
						     .hot = &large_preposted_hot };
static const struct np_code_path large_nonblocking = { .name = "nonblocking, large count",
						       .hot = &large_nonblocking_hot };

/* NULL for blocking exchanges, which are one MPI_Sendrecv(), and for windows of
 * exchanges, which have a loop of their own. */
const struct np_code_path *np_mpi_large(const struct np_mpi *mpi)
{
	const struct np_transfer *transfer = mpi->endpoint.transfer;

	if (transfer->length <= INT_MAX || mpi->mode.send != NP_MPI_STANDARD ||
	    np_mpi_options_of(mpi)->datatype != NP_MPI_BYTES || np_mpi_has_window_both(mpi))
		return NULL;
	if (mpi->mode.transfer == NP_MPI_NONBLOCKING)
		return &large_nonblocking;
	if (mpi->mode.transfer != NP_MPI_BLOCKING)
		return NULL;
	if (mpi->mode.preposted)
		return &large_preposted;
	return transfer->operation != NP_BIDIRECTIONAL ? &large_blocking : NULL;
}
#else
const struct np_code_path *np_mpi_large(const struct np_mpi *mpi)
{
	(void)mpi;
	return NULL;
}
#endif
