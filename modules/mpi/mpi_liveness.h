/*
 * mpi_liveness.h - heartbeats of the ranks of a pattern other than 0 and 1.
 *
 * Ranks 0 and 1 watch each other over the control channel.  Any other rank that stops
 * would block all ranks inside MPI for ever.  Each therefore sends rank 0 a datagram twice
 * a second, and rank 0 ends the run when they cease.  Datagrams need no connection per
 * rank; a rank whose datagrams never arrive, behind a firewall, is not watched.
 */
#pragma once

#include "mpi_private.h"

/* Begins to receive in rank 0, and to send in ranks >= 2; collective over mpi->comm.
 * Returns 0 or -errno with the error.  np_mpi_liveness_end() must follow in any case. */
int np_mpi_liveness_begin(struct np_mpi *mpi);
void np_mpi_liveness_end(struct np_mpi *mpi);

/* Hooks event_fd() and event() for the watcher of rank 0. */
extern const struct np_device_hooks np_mpi_liveness;
