/*
 * mpi_pattern.h - communication patterns of all ranks of a job.
 *
 * Ranks 0 and 1 are the client and the server, as in every run.  Before each block rank
 * 0 broadcasts to the other ranks which buffers it uses and how often; then all ranks
 * run the same loop.
 */
#pragma once

#include "mpi_private.h"

/* The code path of the pattern that the options name, and of that variant. */
const struct np_code_path *np_mpi_pattern(const struct np_mpi *mpi, size_t variant);

/* For it: those of mpi_collective.c, mpi_icollective.c and mpi_pairs.c. */
const struct np_code_path *np_mpi_collective(enum np_mpi_patterns pattern);
const struct np_code_path *np_mpi_icollective(enum np_mpi_patterns pattern, size_t variant);
const struct np_code_path *np_mpi_neighbours(const struct np_mpi *mpi);

/* Whether it is between pairs of ranks; a collective operation; whether it adds up
 * doubles. */
bool np_mpi_pattern_is_paired(enum np_mpi_patterns pattern);
bool np_mpi_pattern_is_collective(enum np_mpi_patterns pattern);
bool np_mpi_pattern_adds(enum np_mpi_patterns pattern);

/* Messages that a buffer of it holds in a job of `size` ranks: where the size is that of
 * the part for each rank, as many as there are ranks. */
size_t np_mpi_pattern_parts(enum np_mpi_patterns pattern, int size);

/* Runs one block of the pattern on a rank other than 0 and 1, with np_mpi_pattern_end(). */
int np_mpi_pattern_run(struct np_mpi *mpi, uint64_t messages, uint64_t batches);

/* The partner of `rank` among `size` ranks. */
int np_mpi_partner(enum np_mpi_partners how, int rank, int size);

/* Sets partner, takes_part and active; only the first `pairs` pairs take part, in the
 * order of their lower ranks, or all for 0. */
void np_mpi_take_part(struct np_mpi_ranks *ranks, enum np_mpi_partners how, size_t pairs);

/* Sets datatype, count and window of a pattern for messages of `length` bytes, and undoes
 * that.  Returns 0 or -errno with the error. */
int np_mpi_pattern_arm(struct np_mpi *mpi, size_t length, size_t window);
void np_mpi_pattern_disarm(struct np_mpi *mpi);

/* Ends a sample in which this rank spent that time; collective.  Adds the sample's time
 * to the clock of rank 0. */
int np_mpi_pattern_sample(struct np_mpi *mpi, uint64_t spent_ns);

/* np_code_path.now: that clock. */
uint64_t np_mpi_pattern_clock(struct np_endpoint *endpoint);

/*
 * Ends a block; collective.  Checks the last message, once per size, and gathers the
 * ranks' own times in rank 0, which adds up their minimum, median and maximum.  Returns
 * an error in rank 0 if any rank has received wrong data.
 */
int np_mpi_pattern_end(struct np_endpoint *endpoint);

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

/* Which rank is the slowest: begins, collectively, and ends; rank 0 adds the time of each
 * rank in a block, over the average of those that take part.  np_job_hooks.slowest. */
int np_mpi_slowest_begin(struct np_mpi *mpi);
void np_mpi_slowest_end(struct np_mpi *mpi);
void np_mpi_slowest_add(const struct np_mpi *mpi, int rank, uint64_t ns, double mean_ns);
bool np_mpi_slowest_tell(const struct np_endpoint *endpoint, struct np_job_slowest *found);

/* np_job_hooks.meet and .part; and what the other ranks do meanwhile. */
int np_mpi_meet(const struct np_job *job, struct np_job_pair *pairs, size_t count,
		size_t bytes, double seconds, struct np_error *error);
int np_mpi_part(const struct np_job *job, struct np_error *error);
int np_mpi_attend_rounds(const struct np_job *job, struct np_error *error);

/* np_job_hooks.attend: the command loop of the other ranks. */
int np_mpi_follow(const struct np_job *job, const void *options, struct np_error *error);
