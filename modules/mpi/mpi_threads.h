/*
 * mpi_threads.h - several threads in each rank of --pattern pairs: --threads.
 *
 * Thread k of a rank exchanges messages with thread k of its partner over a communicator
 * of that pair of threads alone, so that none of them waits for messages of another.  The
 * main thread is thread 0, and the others are made when the ranks join.  Each has buffers
 * of its own (mpi_mirror.h), which lie as those of the main thread do, and takes them
 * itself, so that they are on its NUMA node.
 *
 * The main thread hands work over by a counter at which the others look, yielding their
 * core, for some milliseconds before they sleep: they sleep between blocks and not between
 * samples.  A sample begins when it is handed over, and each thread reads the clock when
 * it has done its part, so that waiting for the others is in no thread's time.
 */
#pragma once

#include "mpi_mirror.h"

/* Makes the threads and their communicators; collective over mpi->comm.  Nothing for one
 * thread a rank.  np_mpi_threads_end() is to be called in any case, before mpi->comm is
 * freed; in_peace: all ranks call it, and the communicators are freed. */
int np_mpi_threads_begin(struct np_mpi *mpi);
void np_mpi_threads_end(struct np_mpi *mpi, bool in_peace);

/* np_mpi_mirror_adopt() in all threads but the main one. */
int np_mpi_threads_adopt(struct np_mpi *mpi, const struct np_mpi_command *command,
			 const struct np_mpi_place *places);

/* What a thread does of a sample.  Returns the code of MPI, of `call`. */
struct np_mpi_share {
	int (*run)(struct np_mpi *mpi, size_t slot, uint64_t messages);
	const char *call;
};

/* Runs the samples of a block in all threads, as np_loop does. */
int np_mpi_threads_loop(struct np_mpi *mpi, size_t slot, uint64_t messages,
			uint64_t batches, const struct np_mpi_share *share);

/* What thread k > 0 has; NULL if there is none. */
struct np_mpi *np_mpi_threads_at(const struct np_mpi *mpi, size_t k);

void np_mpi_threads_describe(const struct np_mpi *mpi, struct np_facts *facts);
