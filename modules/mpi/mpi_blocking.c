/*
 * mpi_blocking.c - MPI_Send and MPI_Recv, and the other modes of sending.
 *
 * Both ends sending first would wait for each other as soon as a message needs
 * the receiver (a rendezvous): messages that cross go by MPI_Sendrecv(), which
 * recv() calls for the slot that send() has only named.
 */
#include <errno.h>
#include <stdlib.h>

#include "mpi_receives.h"

#define MESSAGE(mpi, buffer) (buffer), (mpi)->count, (mpi)->type

/* The five ways to send differ in the name of the call. */
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

static int name_slot(struct np_endpoint *ep, size_t slot)
{
	np_mpi_of(ep)->crossing = slot;
	return 0;
}

static int send_and_receive(struct np_endpoint *ep, size_t slot)
{
	struct np_mpi *mpi = np_mpi_of(ep);
	const struct np_slot *slots = ep->transfer->slots;

	return np_mpi_check_call(mpi,
				 MPI_Sendrecv(MESSAGE(mpi, slots[mpi->crossing].send),
					      mpi->peer, NP_MPI_TAG,
					      MESSAGE(mpi, slots[slot].recv), mpi->source,
					      NP_MPI_TAG, mpi->comm, MPI_STATUS_IGNORE),
				 "MPI_Sendrecv");
}

/* A buffer that has been detached is empty: all that was in it is delivered.  An
 * end that left a block without that would take its last message with it, as a
 * library moves messages only while it is called. */
static int empty_buffer(struct np_endpoint *ep)
{
	struct np_mpi *mpi = np_mpi_of(ep);
	void *buffer;
	int length, code = MPI_Buffer_detach(&buffer, &length);

	if (code == MPI_SUCCESS)
		code = MPI_Buffer_attach(mpi->attached, (int)mpi->attached_length);
	mpi->under_way = 0;
	return np_mpi_check_call(mpi, code, "MPI_Buffer_detach");
}

/* The buffer of a stream's sender holds a window of messages. */
static int send_buffered_window(struct np_endpoint *ep, size_t slot)
{
	struct np_mpi *mpi = np_mpi_of(ep);
	int rc = 0;

	if (mpi->under_way == mpi->window)
		rc = empty_buffer(ep);
	mpi->under_way++;
	return NP_UNLIKELY(rc != 0) ? rc : send_buffered(ep, slot);
}

#define HOOKS(offering, sending, receiving, flushing)                                      \
	{                                                                                  \
		.post_recv = (offering), .send = (sending), .recv = (receiving),           \
		.flush = (flushing), .send_ack = np_mpi_send_ack,                          \
		.recv_ack = np_mpi_recv_ack, .step = np_no_hook_slot,                      \
	}
#define AT_ONCE(sending) HOOKS(np_no_hook_slot, sending, receive, np_no_hook)
#define PREPOSTED(sending)                                                                 \
	HOOKS(np_mpi_post_receive, sending, np_mpi_wait_received, np_no_hook)

static const struct np_hot standard_hot = AT_ONCE(send_standard);
static const struct np_hot preposted_hot = PREPOSTED(send_standard);
static const struct np_hot crossing_hot =
	HOOKS(np_no_hook_slot, name_slot, send_and_receive, np_no_hook);
NP_CODE_PATH(standard, "blocking", standard_hot);
NP_CODE_PATH(preposted, "preposted", preposted_hot);
NP_CODE_PATH(crossing, "sendrecv", crossing_hot);

/* The less common ones run the generic loops. */
static const struct np_hot synchronous_hot = AT_ONCE(send_synchronous);
static const struct np_hot buffered_hot =
	HOOKS(np_no_hook_slot, send_buffered, receive, empty_buffer);
static const struct np_hot buffered_stream_hot =
	HOOKS(np_no_hook_slot, send_buffered_window, receive, empty_buffer);
static const struct np_hot synchronous_preposted_hot = PREPOSTED(send_synchronous);
static const struct np_hot buffered_preposted_hot =
	HOOKS(np_mpi_post_receive, send_buffered, np_mpi_wait_received, empty_buffer);
static const struct np_hot buffered_stream_preposted_hot = HOOKS(
	np_mpi_post_receive, send_buffered_window, np_mpi_wait_received, empty_buffer);
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
		return &preposted;
	return operation == NP_BIDIRECTIONAL ? &crossing : &standard;
}

/* A process has one such buffer: whose block begins, its endpoint attaches its own.
 * What was in another is delivered, since blocks leave it empty. */
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
		return np_fail(&mpi->endpoint.error, NP_ERROR_USAGE, EINVAL,
			       "--send buffered: MPI_Buffer_attach takes less than 2 GiB, "
			       "and %zu messages of %zu bytes need more: a smaller -u, or "
			       "a smaller --window",
			       messages, mpi->endpoint.transfer->length);
	mpi->attached = malloc(length);
	mpi->attached_length = length;
	return mpi->attached != NULL ? 0 :
				       np_fail_errno(&mpi->endpoint.error, ENOMEM,
						     "no memory for buffered sends");
}

/* Detaching waits for what is in the buffer.  A message that will not be received
 * keeps it, and its memory, until the job ends. */
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
