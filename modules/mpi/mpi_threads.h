/*
 * mpi_threads.h - several threads in each rank of --pattern pairs: --threads.
 *
 * Thread k of a rank exchanges messages with thread k of its partner over a communicator
 * of that pair of threads, so that no thread matches messages of another.  The main thread
 * is thread 0; the others start when the ranks join.  Each maps its own mirror of the main
 * thread's buffers (mpi_mirror.h), on its NUMA node.
 *
 * The main thread starts jobs by a counter.  The others poll it, yielding their core, for
 * some milliseconds before they sleep: between blocks and not between samples.  A sample
 * begins when its job starts, and each thread reads the clock at the end of its own part,
 * so that no time includes waiting for other threads.
 */
#pragma once

#include "mpi_mirror.h"

/* Starts the threads and makes their communicators, if --threads exceeds 1; collective over
 * mpi->comm.  Returns 0 or -errno with the error.  np_mpi_threads_end() must follow in any
 * case, before mpi->comm is freed; in_peace: all ranks call it, and the communicators are
 * freed. */
int np_mpi_threads_begin(struct np_mpi *mpi);
void np_mpi_threads_end(struct np_mpi *mpi, bool in_peace);

/* np_mpi_mirror_adopt() in all threads but the main one. */
int np_mpi_threads_adopt(struct np_mpi *mpi, const struct np_mpi_command *command,
			 const struct np_mpi_place *places);

/* Part of a sample that a thread executes: run() returns the MPI error code of `call`. */
struct np_mpi_share {
	int (*run)(struct np_mpi *mpi, size_t slot, uint64_t messages);
	const char *call;
};

/* Runs the samples of a block in all threads.  Returns as a loop of np_code_path. */
int np_mpi_threads_loop(struct np_mpi *mpi, size_t slot, uint64_t messages,
			uint64_t batches, const struct np_mpi_share *share);

/* State of thread k > 0; NULL if there is no such thread. */
struct np_mpi *np_mpi_threads_at(const struct np_mpi *mpi, size_t k);

void np_mpi_threads_describe(const struct np_mpi *mpi, struct np_facts *facts);
