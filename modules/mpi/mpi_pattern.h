/*
 * mpi_pattern.h - communication patterns of all ranks of a job.
 *
 * Ranks 0 and 1 are client and server, as in every run.  Before each block rank 0
 * broadcasts its buffers' offsets and the number of operations; then all ranks run the
 * same loop.
 */
#pragma once

#include "mpi_private.h"

/* Code path of --pattern and that variant. */
const struct np_code_path *np_mpi_pattern(const struct np_mpi *mpi, size_t variant);

/* Code paths by file: mpi_collective.c, mpi_icollective.c, mpi_pairs.c. */
const struct np_code_path *np_mpi_collective(enum np_mpi_patterns pattern);
const struct np_code_path *np_mpi_icollective(enum np_mpi_patterns pattern, size_t variant);
const struct np_code_path *np_mpi_neighbours(const struct np_mpi *mpi);

/* True if the pattern is between pairs of ranks; is a collective operation; sums up
 * doubles. */
bool np_mpi_pattern_is_paired(enum np_mpi_patterns pattern);
bool np_mpi_pattern_is_collective(enum np_mpi_patterns pattern);
bool np_mpi_pattern_adds(enum np_mpi_patterns pattern);

/* Messages per buffer in a job of `size` ranks: `size` where the message size is that of
 * the part of one rank, else 1. */
size_t np_mpi_pattern_parts(enum np_mpi_patterns pattern, int size);

/* Runs one block on a rank other than 0 and 1, and np_mpi_pattern_end().  Returns 0 or
 * -errno with the error. */
int np_mpi_pattern_run(struct np_mpi *mpi, uint64_t messages, uint64_t batches);

/* The partner of `rank` among `size` ranks. */
int np_mpi_partner(enum np_mpi_partners how, int rank, int size);

/* Sets partner, takes_part and active.  The first `pairs` pairs in the order of their
 * lower ranks take part; 0: all. */
void np_mpi_take_part(struct np_mpi_ranks *ranks, enum np_mpi_partners how, size_t pairs);

/* Sets datatype, count and window of a pattern for messages of `length` bytes; frees them.
 * Returns 0 or -errno with the error. */
int np_mpi_pattern_arm(struct np_mpi *mpi, size_t length, size_t window);
void np_mpi_pattern_disarm(struct np_mpi *mpi);

/* Ends a sample in which this rank spent spent_ns; collective.  Adds the time of the
 * sample to clock_ns of rank 0.  Returns 0 or -errno with the error. */
int np_mpi_pattern_sample(struct np_mpi *mpi, uint64_t spent_ns);

/* np_code_path.now: returns clock_ns. */
uint64_t np_mpi_pattern_clock(struct np_endpoint *endpoint);

/*
 * Ends a block; collective.  Verifies the last message, once per size, and gathers the
 * times of all ranks in rank 0, which adds up minimum, median and maximum.  Returns 0 or
 * -errno with the error: in rank 0 also if any rank has received wrong data.
 */
int np_mpi_pattern_end(struct np_endpoint *endpoint);

/* Fills memory with doubles that depend on rank and offset and whose sums are exact;
 * `origin` is the offset of `at` in bytes. */
void np_mpi_pattern_fill(unsigned char *at, size_t length, size_t origin, int rank);

/* Sets a new region and fills it. */
void np_mpi_pattern_fill_region(struct np_mpi_ranks *ranks, unsigned char *base,
				size_t length);

/* Refills the region of ranks 0 and 1 if pointer chases of the driver have overwritten
 * it. */
void np_mpi_pattern_restore(struct np_mpi *mpi, size_t length);

/* Refills send buffers where messages of another size were received: the border between
 * send and receive buffers depends on the size.  Called before each block on every rank. */
void np_mpi_pattern_renew(struct np_mpi *mpi);

/* Duplicates MPI_COMM_WORLD and sets `ranks`.  Collective.  Returns 0 or -errno with the
 * error. */
int np_mpi_join_ranks(struct np_mpi *mpi);

/* Broadcast a block, or the end of the run, to the other ranks.  Called by ranks 0 and 1.
 */
int np_mpi_announce_block(struct np_mpi *mpi, uint64_t messages, uint64_t batches);
void np_mpi_announce_end(struct np_mpi *mpi);

/* Slowest rank: begin (collective) and end; add, in rank 0, the time of a rank in a block
 * relative to the mean of the participating ranks; np_job_hooks.slowest. */
int np_mpi_slowest_begin(struct np_mpi *mpi);
void np_mpi_slowest_end(struct np_mpi *mpi);
void np_mpi_slowest_add(const struct np_mpi *mpi, int rank, uint64_t ns, double mean_ns);
bool np_mpi_slowest_tell(const struct np_endpoint *endpoint, struct np_job_slowest *found);

/* np_job_hooks.meet and .part; the loop of the other ranks meanwhile. */
int np_mpi_meet(const struct np_job *job, struct np_job_pair *pairs, size_t count,
		size_t bytes, double seconds, struct np_error *error);
int np_mpi_part(const struct np_job *job, struct np_error *error);
int np_mpi_attend_rounds(const struct np_job *job, struct np_error *error);

/* np_job_hooks.attend: the command loop of the other ranks. */
int np_mpi_follow(const struct np_job *job, const void *options, struct np_error *error);
