/*
 * mpi_pattern.h - communication patterns of all ranks of a job.
 *
 * Ranks 0 and 1 are the client and the server, as in every run.  Before each block rank
 * 0 broadcasts to the other ranks which buffers it uses and how often; then all ranks
 * run the same loop.
 */
#pragma once

#include "mpi_private.h"

/* The code path of the pattern that the options name. */
const struct np_code_path *np_mpi_pattern(const struct np_mpi *mpi);

/* Runs one block of the pattern on a rank other than 0 and 1, with np_mpi_pattern_end(). */
int np_mpi_pattern_run(struct np_mpi *mpi, uint64_t messages, uint64_t batches);

/* The partner of `rank` among `size` ranks. */
int np_mpi_partner(enum np_mpi_partners how, int rank, int size);

/* Sets datatype and count of a pattern for messages of `length` bytes.  Returns 0 or
 * -errno with the error. */
int np_mpi_pattern_arm(struct np_mpi *mpi, size_t length);

/*
 * Ends a block; collective.  Checks the last message, once per size, and gathers the
 * ranks' own times in rank 0, which adds up their minimum, median and maximum.  Returns
 * an error in rank 0 if any rank has received wrong data.
 */
int np_mpi_pattern_end(struct np_mpi *mpi, uint64_t messages);

/* Fills memory with doubles that depend on rank and offset, and whose sums are exact;
 * `origin` is the offset of `at`. */
void np_mpi_pattern_fill(unsigned char *at, size_t length, size_t origin, int rank);

/* Sets a new region and fills it. */
void np_mpi_pattern_fill_region(struct np_mpi_ranks *ranks, unsigned char *base,
				size_t length);

/* Fills the region of ranks 0 and 1 again if the driver's pointer chases have overwritten
 * it. */
void np_mpi_pattern_restore(struct np_mpi *mpi, size_t length);

/* Before a block, on every rank: fills the send buffers again where messages of another
 * size were received, as the border between send and receive buffers depends on the
 * size. */
void np_mpi_pattern_renew(struct np_mpi *mpi);

/* Duplicates MPI_COMM_WORLD and sets `ranks`.  Collective. */
int np_mpi_join_ranks(struct np_mpi *mpi);

/* Ranks 0 and 1: broadcast a block, or the end of the run, to the other ranks. */
int np_mpi_announce_block(struct np_mpi *mpi, uint64_t messages, uint64_t batches);
void np_mpi_announce_end(struct np_mpi *mpi);

/* np_job_hooks.attend: the command loop of the other ranks. */
int np_mpi_follow(const struct np_job *job, const void *options, struct np_error *error);
