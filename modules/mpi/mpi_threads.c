/*
 * mpi_threads.c - several threads in each rank of a pattern.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>

#include "base/units.h"
#include "mpi_pattern.h"

/* Spin time before a thread sleeps, longer than the gap between two samples; polls, of 1
 * to 2 us in all, before it yields its core. */
enum { LOOK_NS = 3000000, LOOKS = 1000 };

struct thread {
	struct np_mpi_mirror mirror;
	struct np_mpi_threads *all;
	pthread_t thread;
	uint64_t ns; /* time of the sample */
	int rc;	     /* result of the last job */
};

struct np_mpi_threads {
	size_t count, started; /* without the main thread */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	atomic_uint given, done;      /* numbers of started and of completed jobs */
	atomic_size_t left;	      /* threads that have not completed the current job */
	int (*work)(struct thread *); /* NULL: the threads end */

	const struct np_mpi_command *command;
	const struct np_mpi_place *places;

	const struct np_mpi_share *share;
	size_t slot;
	uint64_t messages, since;

	/* Cores that the ranks of this host may use, and threads that they have; `lowest`:
	 * this rank reports them. */
	int cores, threads;
	bool lowest;
	struct thread list[];
};

/* Waits until *counter differs from `seen`. */
static void await(struct np_mpi_threads *all, const atomic_uint *counter, unsigned seen)
{
	const uint64_t until = np_mpi_now() + LOOK_NS;

	for (;;) {
		for (unsigned looks = 0; looks < LOOKS; looks++) {
			if (atomic_load(counter) != seen)
				return;
		}
		sched_yield();
		if (np_mpi_now() < until)
			continue;
		pthread_mutex_lock(&all->lock);
		while (atomic_load(counter) == seen)
			pthread_cond_wait(&all->changed, &all->lock);
		pthread_mutex_unlock(&all->lock);
	}
}

static void count_up(struct np_mpi_threads *all, atomic_uint *counter)
{
	/* The counter is incremented outside the lock: spinning threads see it without the
	 * lock. */
	atomic_fetch_add(counter, 1);
	pthread_mutex_lock(&all->lock);
	pthread_cond_broadcast(&all->changed);
	pthread_mutex_unlock(&all->lock);
}

static void *serve(void *context)
{
	struct thread *thread = context;
	struct np_mpi_threads *all = thread->all;

	for (unsigned seen = 0;; seen++) {
		await(all, &all->given, seen);
		if (all->work == NULL)
			return NULL;
		thread->rc = all->work(thread);
		if (atomic_fetch_sub(&all->left, 1) == 1)
			count_up(all, &all->done);
	}
}

static void give(struct np_mpi_threads *all, int (*work)(struct thread *))
{
	all->work = work;
	atomic_store(&all->left, all->count);
	count_up(all, &all->given);
}

/* Waits for all threads; copies the first error to the endpoint.  np_should_stop() is not
 * checked: a thread inside MPI cannot be interrupted, and its buffers must stay.  The
 * driver then ends the process, as when the main thread is inside MPI. */
static int take(struct np_mpi *mpi)
{
	struct np_mpi_threads *all = mpi->threads;
	int rc = 0;

	await(all, &all->done, atomic_load(&all->given) - 1);
	for (size_t k = 0; k < all->count && rc == 0; k++) {
		rc = all->list[k].rc;
		if (rc != 0 && mpi->endpoint.error.code == 0)
			mpi->endpoint.error = all->list[k].mirror.mpi.endpoint.error;
	}
	return rc;
}

static int adopt(struct thread *thread)
{
	return np_mpi_mirror_adopt(&thread->mirror, thread->all->command,
				   thread->all->places);
}

int np_mpi_threads_adopt(struct np_mpi *mpi, const struct np_mpi_command *command,
			 const struct np_mpi_place *places)
{
	if (mpi->threads == NULL)
		return 0;
	mpi->threads->command = command;
	mpi->threads->places = places;
	give(mpi->threads, adopt);
	return take(mpi);
}

/* ---- Samples ------------------------------------------------------------- */

static int run_share(struct np_mpi_threads *all, struct np_mpi *mpi, uint64_t *ns)
{
	const int code = mpi->ranks.takes_part ?
				 all->share->run(mpi, all->slot, all->messages) :
				 MPI_SUCCESS;

	*ns = np_mpi_now() - all->since;
	return np_mpi_check_call(mpi, code, all->share->call);
}

static int run_own(struct thread *thread)
{
	return run_share(thread->all, &thread->mirror.mpi, &thread->ns);
}

/* Time in ns of a sample over all threads: the mean for round trips; for streams, which
 * end with the last thread, the maximum divided by the number of threads. */
static uint64_t merge_times(const struct np_mpi *mpi, uint64_t own)
{
	const struct np_mpi_threads *all = mpi->threads;
	const bool streams = mpi->endpoint.transfer->operation == NP_STREAM;
	uint64_t sum = own, most = own;

	for (size_t k = 0; k < all->count; k++) {
		sum += all->list[k].ns;
		most = all->list[k].ns > most ? all->list[k].ns : most;
	}
	return ((streams ? most : sum) + all->count / 2) / (all->count + 1);
}

int np_mpi_threads_loop(struct np_mpi *mpi, size_t slot, uint64_t messages,
			uint64_t batches, const struct np_mpi_share *share)
{
	const size_t end = mpi->endpoint.ring_end;
	struct np_mpi_threads *all = mpi->threads;

	for (; batches != 0; batches--) {
		uint64_t own;
		int rc = np_mpi_check_call(mpi, MPI_Barrier(mpi->comm), "MPI_Barrier");

		if (rc != 0)
			return rc;
		all->share = share;
		all->slot = slot;
		all->messages = messages;
		all->since = np_mpi_now();
		give(all, run_own);
		const int failed = run_share(all, mpi, &own);

		rc = take(mpi);
		if (failed != 0 || rc != 0)
			return failed != 0 ? failed : rc;
		rc = np_mpi_pattern_sample(mpi, merge_times(mpi, own));
		if (rc != 0)
			return rc;
		slot = (slot + (size_t)(messages % end)) % end;
	}
	return 0;
}

/* ---- Start and end ------------------------------------------------------- */

/* Copies the state of the rank to thread k + 1, without what only the rank has. */
static int prepare(struct np_mpi *mpi, size_t k)
{
	struct thread *thread = &mpi->threads->list[k];
	struct np_mpi *own = &thread->mirror.mpi;

	thread->all = mpi->threads;
	own->endpoint.options = mpi->endpoint.options;
	own->endpoint.rank = mpi->endpoint.rank;
	own->endpoint.stop = mpi->endpoint.stop;
	own->mode = mpi->mode;
	own->ranks = mpi->ranks;
	own->ranks.liveness = NULL;
	own->ranks.slowest = NULL;
	own->ranks.contents = mpi->ranks.size * (int)(k + 1);
	int code = MPI_Comm_dup(mpi->comm, &own->comm);

	if (code == MPI_SUCCESS)
		code = MPI_Comm_set_errhandler(own->comm, MPI_ERRORS_RETURN);
	return np_mpi_check_call(mpi, code, "MPI_Comm_dup");
}

static int count_cores(struct np_mpi *mpi)
{
	struct np_mpi_threads *all = mpi->threads;
	MPI_Comm node = MPI_COMM_NULL;
	int ranks = 0, rank = 0;
	cpu_set_t set;

	CPU_ZERO(&set);
	sched_getaffinity(0, sizeof(set), &set);
	int code = MPI_Comm_split_type(mpi->comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL,
				       &node);
	if (code == MPI_SUCCESS)
		code = MPI_Comm_size(node, &ranks);
	if (code == MPI_SUCCESS)
		code = MPI_Comm_rank(node, &rank);
	if (code == MPI_SUCCESS)
		code = MPI_Allreduce(MPI_IN_PLACE, &set, (int)sizeof(set), MPI_BYTE,
				     MPI_BOR, node);
	if (node != MPI_COMM_NULL)
		MPI_Comm_free(&node);
	all->cores = CPU_COUNT(&set);
	all->lowest = rank == 0;
	all->threads = ranks * (int)(all->count + 1);
	return np_mpi_check_call(mpi, code, "MPI_Allreduce");
}

/* Signals stay with the main thread. */
static int start(struct np_mpi *mpi)
{
	struct np_mpi_threads *all = mpi->threads;
	sigset_t every, before;
	int code = 0;

	sigfillset(&every);
	pthread_sigmask(SIG_SETMASK, &every, &before);
	for (size_t k = 0; k < all->count && code == 0; k++) {
		code = pthread_create(&all->list[k].thread, NULL, serve, &all->list[k]);
		all->started += code == 0;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return code == 0 ? 0 :
			   np_fail_errno(&mpi->endpoint.error, code,
					 "--threads: cannot start thread %zu of %zu",
					 all->started + 2, all->count + 1);
}

int np_mpi_threads_begin(struct np_mpi *mpi)
{
	const size_t count = np_mpi_options_of(mpi)->threads - 1;
	int rc = 0;

	if (count == 0)
		return 0;
	mpi->threads = calloc(1, sizeof(*mpi->threads) + count * sizeof(struct thread));
	if (mpi->threads == NULL)
		return np_fail_errno(&mpi->endpoint.error, ENOMEM, "no memory for threads");
	mpi->threads->count = count;
	pthread_mutex_init(&mpi->threads->lock, NULL);
	pthread_cond_init(&mpi->threads->changed, NULL);
	for (size_t k = 0; k < count && rc == 0; k++)
		rc = prepare(mpi, k);
	if (rc == 0)
		rc = count_cores(mpi);
	return rc == 0 ? start(mpi) : rc;
}

void np_mpi_threads_end(struct np_mpi *mpi, bool in_peace)
{
	struct np_mpi_threads *all = mpi->threads;

	if (all == NULL)
		return;
	give(all, NULL);
	for (size_t k = 0; k < all->started; k++)
		pthread_join(all->list[k].thread, NULL);
	for (size_t k = 0; k < all->count; k++) {
		np_mpi_mirror_free(&all->list[k].mirror);
		if (in_peace)
			MPI_Comm_free(&all->list[k].mirror.mpi.comm);
	}
	pthread_cond_destroy(&all->changed);
	pthread_mutex_destroy(&all->lock);
	free(all);
	mpi->threads = NULL;
}

struct np_mpi *np_mpi_threads_at(const struct np_mpi *mpi, size_t k)
{
	const bool exists = mpi->threads != NULL && k <= mpi->threads->count;

	return exists ? &mpi->threads->list[k - 1].mirror.mpi : NULL;
}

void np_mpi_threads_describe(const struct np_mpi *mpi, struct np_facts *facts)
{
	const struct np_mpi_threads *all = mpi->threads;

	np_facts_add_number(facts, "threads", all != NULL ? all->count + 1 : 1,
			    NP_UNIT_COUNT, NULL);
	if (all != NULL && all->lowest && all->threads > all->cores)
		np_facts_add(facts, "warning_threads",
			     "%d threads that send and receive on %d core%s: they take "
			     "turns, and the times are those of the scheduler",
			     all->threads, all->cores, np_plural((uint64_t)all->cores));
}
