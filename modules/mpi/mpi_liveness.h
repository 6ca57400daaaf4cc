/*
 * mpi_liveness.h - heartbeats of the ranks other than 0 and 1 of a pattern.
 *
 * Ranks 0 and 1 watch each other over the control channel.  A rank beyond them that is
 * stopped would hold every other rank inside MPI for ever, so each sends rank 0 a
 * datagram twice a second, and rank 0 ends the run when one that it has heard falls
 * silent.  Datagrams need no connection for each of many ranks; a rank whose datagrams do
 * not arrive at all, behind a firewall, is not watched.
 */
#pragma once

#include "mpi_private.h"

/* Starts to listen in rank 0, and to send in the ranks from 2 on; collective over
 * mpi->comm.  np_mpi_liveness_end() is to be called in any case. */
int np_mpi_liveness_begin(struct np_mpi *mpi);
void np_mpi_liveness_end(struct np_mpi *mpi);

/* The table with event_fd() and event(), by which the watcher of rank 0 listens. */
extern const struct np_device_hooks np_mpi_liveness;
