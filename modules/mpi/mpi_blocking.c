/*
 * mpi_blocking.c - hooks of MPI_Send() and MPI_Recv(), and of the other send modes.
 *
 * Deadlock: two ranks that send first both block in a rendezvous.  Bidirectional messages
 * therefore use MPI_Sendrecv(): send() stores the slot, recv() makes the call.
 */
#include <errno.h>
#include <stdlib.h>

#include "mpi_requests.h"

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
#define AT_ONCE(sending) HOOKS(np_no_hook_slot, sending, receive, np_no_hook)
#define PREPOSTED(sending)                                                                 \
	HOOKS(np_mpi_post_receive, sending, np_mpi_wait_received, np_no_hook)

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
		return mpi->endpoint.burst ? &burst : &preposted;
	return operation == NP_BIDIRECTIONAL ? &bidirectional : &standard;
}

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
