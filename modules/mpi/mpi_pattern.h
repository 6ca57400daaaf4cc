/*
 * mpi_pattern.h - patterns over all processes of a job.
 *
 * Ranks 0 and 1 are the two ends that every run has.  The others, the crowd, hear
 * from rank 0 before each block which buffers it uses and how often, and then run
 * the same loop; all of that is said before anything is timed.
 */
#ifndef NP_MPI_PATTERN_H
#define NP_MPI_PATTERN_H

#include "mpi_private.h"

/* The code path of the pattern that the options name. */
const struct np_code_path *np_mpi_pattern(const struct np_mpi *mpi);

/* One block's loop at any rank, with what follows it. */
int np_mpi_pattern_run(struct np_mpi *mpi, uint64_t messages, uint64_t batches);

/* Who exchanges with whom: the partner of `rank` among `size`. */
int np_mpi_partner(enum np_mpi_partners how, int rank, int size);

/* Makes types and counts of a pattern for messages of `length` bytes.  Returns 0,
 * or -errno with a text. */
int np_mpi_pattern_arm(struct np_mpi *mpi, size_t length);

/*
 * Ends a block at every rank: the last message is looked at, once for each size,
 * and each rank's own time goes to rank 0, which keeps their least, median and
 * most.  An error at rank 0 if any rank has received other bytes than were sent.
 */
int np_mpi_pattern_end(struct np_mpi *mpi, uint64_t messages);

/* Writes numbers that tell rank and place into memory, exact in sums of doubles. */
void np_mpi_pattern_fill(unsigned char *at, size_t length, size_t origin, int rank);

/* Writes those numbers into a region that is new; from now on it is the crowd's. */
void np_mpi_pattern_take(struct np_mpi_crowd *crowd, unsigned char *base, size_t length);

/* Writes them into the region of ranks 0 and 1 again if something else has written into
 * it: the driver lays its chains of loads there. */
void np_mpi_pattern_restore(struct np_mpi *mpi, size_t length);

/* Before a block at every rank, whose buffers are in the region: writes the numbers again
 * where messages of another size were received and its own are sent from.  The two halves
 * do not meet at the same place for all sizes. */
void np_mpi_pattern_renew(struct np_mpi *mpi);

/* The communicator of all processes, and who is who in it.  All call it. */
int np_mpi_join_crowd(struct np_mpi *mpi);

/* Ranks 0 and 1: before a block, with the crowd; and when the run is over. */
int np_mpi_crowd_begin(struct np_mpi *mpi, uint64_t messages, uint64_t batches);
void np_mpi_crowd_dismiss(struct np_mpi *mpi);

/* np_job_hooks.attend: all that the other ranks do. */
int np_mpi_crowd_attend(const struct np_job *job, const void *options,
			struct np_error *error);

#endif
