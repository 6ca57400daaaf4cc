/*
 * mpi_large.c - hooks of messages beyond INT_MAX bytes: MPI_Send_c() and others of MPI 4.
 *
 * Libraries without these functions, and modes without hooks here, send such a message as
 * one element of a derived type (mpi_type.c).  Generic loops suffice, as one message takes
 * about a second.
 */
#include <limits.h>

#include "mpi_requests.h"

#ifdef NP_MPI_LARGE_COUNTS
#define MESSAGE(ep, buffer) (buffer), (MPI_Count)(ep)->transfer->length, MPI_BYTE

static int send_large(struct np_endpoint *ep, size_t slot)
{
	struct np_mpi *mpi = np_mpi_of(ep);

	return np_mpi_check_call(mpi,
				 MPI_Send_c(MESSAGE(ep, ep->transfer->slots[slot].send),
					    mpi->peer, NP_MPI_TAG, mpi->comm),
				 "MPI_Send_c");
}

static int send_at_once(struct np_endpoint *ep, size_t slot)
{
	struct np_mpi *mpi = np_mpi_of(ep);
	struct np_mpi_requests *sends = &mpi->sends;
	int rc = 0;

	if (sends->next - sends->first == mpi->window)
		rc = np_mpi_wait_oldest(mpi);
	if (rc != 0)
		return rc;
	return np_mpi_check_call(mpi,
				 MPI_Isend_c(MESSAGE(ep, ep->transfer->slots[slot].send),
					     mpi->peer, NP_MPI_TAG, mpi->comm,
					     &sends->list[sends->next++ & sends->mask]),
				 "MPI_Isend_c");
}

static int receive_large(struct np_endpoint *ep, size_t slot)
{
	struct np_mpi *mpi = np_mpi_of(ep);

	return np_mpi_check_call(mpi,
				 MPI_Recv_c(MESSAGE(ep, ep->transfer->slots[slot].recv),
					    mpi->source, NP_MPI_TAG, mpi->comm,
					    MPI_STATUS_IGNORE),
				 "MPI_Recv_c");
}

static int post_large(struct np_endpoint *ep, size_t slot)
{
	struct np_mpi *mpi = np_mpi_of(ep);
	struct np_mpi_requests *receives = &mpi->receives;

	return np_mpi_check_call(
		mpi,
		MPI_Irecv_c(MESSAGE(ep, ep->transfer->slots[slot].recv), mpi->source,
			    NP_MPI_TAG, mpi->comm,
			    &receives->list[receives->next++ & receives->mask]),
		"MPI_Irecv_c");
}

#define HOOKS(offering, sending, receiving)                                                \
	{                                                                                  \
		.post_recv = (offering), .send = (sending), .recv = (receiving),           \
		.flush = np_mpi_wait_sent, .send_ack = np_mpi_send_ack,                    \
		.recv_ack = np_mpi_recv_ack, .step = np_no_hook_slot,                      \
	}

static const struct np_hot blocking_hot = HOOKS(np_no_hook_slot, send_large, receive_large);
static const struct np_hot preposted_hot =
	HOOKS(post_large, send_large, np_mpi_wait_received);
static const struct np_hot nonblocking_hot =
	HOOKS(post_large, send_at_once, np_mpi_wait_received);

static const struct np_code_path blocking = { .name = "blocking, large count",
					      .hot = &blocking_hot };
static const struct np_code_path preposted = { .name = "preposted, large count",
					       .hot = &preposted_hot };
static const struct np_code_path nonblocking = { .name = "nonblocking, large count",
						 .hot = &nonblocking_hot };

/* NULL for blocking exchanges, which are one MPI_Sendrecv(), and for windows of
 * exchanges, which have a loop of their own. */
const struct np_code_path *np_mpi_large(const struct np_mpi *mpi)
{
	const struct np_transfer *transfer = mpi->endpoint.transfer;

	if (transfer->length <= INT_MAX || mpi->mode.send != NP_MPI_STANDARD ||
	    np_mpi_options_of(mpi)->datatype != NP_MPI_BYTES || np_mpi_has_window_both(mpi))
		return NULL;
	if (mpi->mode.transfer == NP_MPI_NONBLOCKING)
		return &nonblocking;
	if (mpi->mode.transfer != NP_MPI_BLOCKING)
		return NULL;
	if (mpi->mode.preposted)
		return &preposted;
	return transfer->operation != NP_BIDIRECTIONAL ? &blocking : NULL;
}
#else
const struct np_code_path *np_mpi_large(const struct np_mpi *mpi)
{
	(void)mpi;
	return NULL;
}
#endif
