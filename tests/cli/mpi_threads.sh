#!/bin/bash
# Several threads in each rank (--threads): that each has what is its own, what their
# times are, whose messages are looked at, and how a job with them ends.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/lib.sh" || exit 99
. "$NP_SRCDIR/tests/lib/job.sh" || exit 99
need_launcher

# shim NAME: a library of C on stdin that stands before MPI's, as $work/NAME.so.
shim()
{
	# shellcheck disable=SC2086 # flags are words
	${CC:-cc} ${NP_MPI_CPPFLAGS:-} -shared -fPIC -pthread -x c -o "$work/$1.so" -
}

# ---- What is refused --------------------------------------------------------------
for words in "" "-t put" "--pattern exchange" "--pattern bcast" "--pattern tournament"; do
	# shellcheck disable=SC2086 # words
	refused "two threads of ${words:-messages}" 2 "--threads: it is for --pattern pairs" \
		NPmpi --threads 2 $words
done
refused "no threads" 2 "must be between 1 and" NPmpi --pattern pairs --threads 0
refused "two threads at a level for one" 2 "--threads: several threads call MPI" \
	NPmpi --pattern pairs --threads 2 --thread-level single
for words in "--capacity 4K" "--why 4K"; do
	# shellcheck disable=SC2086 # words
	refused "two threads and ${words% *}" 2 "--threads: not with --capacity or --why" \
		NPmpi --pattern pairs --threads 2 $words
done
shim less <<'END'
#include <mpi.h>
int MPI_Query_thread(int *granted)
{
	*granted = MPI_THREAD_SERIALIZED;
	return MPI_SUCCESS;
}
END
LD_PRELOAD=$work/less.so job_refused "a level that is not granted" 2 \
	"--thread-level multiple: this MPI grants" --thread-level multiple
LD_PRELOAD=$work/less.so job_refused "a library that grants less" 2 \
	"--threads 2: this MPI does not grant MPI_THREAD_MULTIPLE" --pattern pairs --threads 2

# Threads of a plain program of the same calls fall asleep there, all of them: doc/mpi.md.
if "$NP_BUILDDIR/NPmpi" --version | grep -q "Open MPI v4[.]"; then
	tap_skip "threads at work" "several threads hang in Open MPI 4"
	cli_done
	exit
fi

# ---- What is measured -------------------------------------------------------------
job 2 --pattern pairs --threads 2 --sizes 8,64K --time-budget 0.05 --json "$work/two.json" -v
tap_check "two threads a rank" well_done 8 65536
tap_check "are in the header, with the level of MPI" grep -Eq \
	'"mpi_thread_level":"multiple".*"threads":\{"value":2' "$work/two.json"
job 2 --pattern pairs --threads 3 -s --window 5 --sizes 8,64K --time-budget 0.05 --force \
	--json "$work/stream.json"
tap_check "windows of three" well_done 8 65536
job 4 --pattern pairs --threads 2 --partners far -I --buffers fresh --pool 1M --sizes 64,4K --passes 2 \
	--time-budget 0.05 --force --json "$work/modes.json"
tap_check "of four ranks, with buffers that rotate and fresh ones" well_done 64 4096
# What is left is about counts and ends; eight threads that poll on two processors take minutes
# for it with a sanitizer.
[ "${NP_SANITIZERS:-no}" = no ] || cli_done
job 4 --pattern pairs --threads 2 --pairs 1 --sizes 64 --time-budget 0.05 --force
tap_check "one pair of two" well_done 64
job 2 --pattern pairs --sizes 8,64K --time-budget 0.05 --json "$work/one.json"
tap_check "and one thread" well_done 8 65536
run NPreport --compare "$work/one.json" "$work/two.json"
tap_check "NPreport --compare says how many each had" grep -q "threads: 1 | 2" "$out"
everywhere=("${launcher[@]}")
launcher=(taskset -c "$(taskset -pc $$ | sed 's/.*: *//; s/[-,].*//')" "${launcher[@]}")
job 2 --pattern pairs --threads 2 --sizes 8 --passes 1 --time-budget 0.1 --force \
	--json "$work/many.json"
launcher=("${everywhere[@]}")
tap_check "more threads than cores are told" eval 'unfolded "$out" |
	grep -q "warning .*4 threads that send and receive on 1 core: they take turns" &&
	grep -q "\"warning_threads\":\"4 threads" "$work/many.json" || { show_run; false; }'

# Each thread is met by all others within its first send, and is known by its messages.
shim own <<'END'
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
enum { THREADS = 3 };
static struct { pthread_t thread; MPI_Comm comm; const void *from; } seen[THREADS];
static int count, bad;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;

static void note(const void *from, MPI_Comm comm)
{
	struct timespec until;
	int own = 0;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 20;
	pthread_mutex_lock(&lock);
	while (own < count && !pthread_equal(seen[own].thread, pthread_self()))
		own++;
	if (own == THREADS) {
		bad = 1; /* one too many */
	} else {
		if (own == count) {
			seen[own].thread = pthread_self();
			seen[own].comm = comm;
			count++;
			pthread_cond_broadcast(&more);
		}
		bad |= seen[own].comm != comm;
		seen[own].from = from;
		for (int k = 0; k < count; k++)
			bad |= k != own && (seen[k].comm == comm || seen[k].from == from);
	}
	while (count < THREADS && !bad)
		bad |= pthread_cond_timedwait(&more, &lock, &until) != 0;
	pthread_mutex_unlock(&lock);
}

int MPI_Send(const void *from, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
	if (n != 0)
		note(from, comm);
	return PMPI_Send(from, n, type, to, tag, comm);
}

int MPI_Finalize(void)
{
	FILE *file = fopen(getenv("NOTE"), "a");
	fprintf(file, "%s\n", count == THREADS && !bad ? "well" : "not so");
	fclose(file);
	return PMPI_Finalize();
}
END
NOTE=$work/note LD_PRELOAD=$work/own.so job 2 --pattern pairs --threads 3 --sizes 64,4K \
	--time-budget 0.05 --force
tap_check "three threads send at the same time, from their own buffers, to their own partners" \
	eval '[ "$code" -eq 0 ] && [ "$(sort "$work/note" | uniq -c | tr -s " ")" = " 2 well" ] ||
		{ show_run; cat "$work/note"; false; }'

# The main thread of rank 0 needs 400 ms for each message: a round trip of its pair lasts as
# long, and those of three other pairs next to nothing.
shim slow <<'END'
#define _GNU_SOURCE
#include <mpi.h>
#include <unistd.h>
static void wait_in_main(MPI_Comm comm)
{
	int rank;
	PMPI_Comm_rank(comm, &rank);
	if (rank == 0 && gettid() == getpid())
		usleep(400000);
}
int MPI_Send(const void *from, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
	wait_in_main(comm);
	return PMPI_Send(from, n, type, to, tag, comm);
}
int MPI_Isend(const void *from, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm,
	      MPI_Request *request)
{
	wait_in_main(comm);
	return PMPI_Isend(from, n, type, to, tag, comm, request);
}
END
# takes FROM TO ARGUMENT...: the time of a message, in ms, of four threads.
takes()
{
	local from=$1 to=$2
	shift 2
	LD_PRELOAD=$work/slow.so job 2 --pattern pairs --threads 4 -n 1 --passes 1 --sizes 8 \
		--time-budget 0.1 --force --json "$work/slow.json" "$@"
	grep '"kind":"row"' "$work/slow.json" | sed 's/.*"median_s":\([^,}]*\).*/\1/' |
		awk -v from="$from" -v to="$to" '{ n++; if ($1 * 1e3 < from || $1 * 1e3 > to) bad = 1 }
			END { exit n != 1 || bad }' && return
	show_run
	grep '"kind":"row"' "$work/slow.json"
	return 1
}
# 400 ms / 2 / 4, and not the 200 of the slowest.
tap_check "half a round trip is the mean over the threads" takes 50 180
# 400 ms / 4 messages, and not the 400 of one thread.
tap_check "a message of a stream is one of all threads" takes 100 350 -s

# ---- Whose messages are looked at ---------------------------------------------------
# Thread 1 of rank 0 sends what thread 0 has sent.
shim wrong <<'END'
#define _GNU_SOURCE
#include <mpi.h>
#include <stdatomic.h>
#include <unistd.h>
static const void *_Atomic of_main;
int MPI_Send(const void *from, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
	int rank;
	PMPI_Comm_rank(comm, &rank);
	if (rank == 0 && n != 0 && gettid() == getpid())
		of_main = from;
	else if (rank == 0 && n != 0) {
		while (of_main == NULL)
			usleep(1000);
		from = of_main;
	}
	return PMPI_Send(from, n, type, to, tag, comm);
}
END
LD_PRELOAD=$work/wrong.so job 2 --pattern pairs --threads 2 --sizes 64 --time-budget 0.05 --force
tap_check "the message of another thread is wrong data" eval \
	'[ "$code" -ne 0 ] && one_line "$err" NPmpi "wrong data: rank 1, thread 1, byte [0-9]* of 64" ||
		{ show_run; false; }'

# ---- How a job ends -----------------------------------------------------------------
shim fails <<'END'
#define _GNU_SOURCE
#include <mpi.h>
#include <unistd.h>
int MPI_Recv(void *to, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm,
	     MPI_Status *status)
{
	static int calls;
	int rank;
	PMPI_Comm_rank(comm, &rank);
	if (rank == 1 && gettid() != getpid() && ++calls == 20)
		return MPI_ERR_OTHER;
	return PMPI_Recv(to, n, type, from, tag, comm, status);
}
END
LD_PRELOAD=$work/fails.so job 2 --pattern pairs --threads 2 --sizes 64 --time-budget 5 --force
tap_check "the error of one thread ends the job, and is told" eval \
	'[ "$code" -ne 0 ] && [ "$code" -ne 124 ] && grep -q "^NPmpi: .*MPI_Recv: " "$err" ||
		{ show_run; false; }'
# mpi_end.sh has other signals and ranks; threads poll on until the end is noticed.
for case in KILL-1 STOP-1; do
	tap_check "SIG${case%-*} to rank ${case#*-}" came_to_end "threads-$case" 2 \
		"kill_rank ${case%-*} ${case#*-}" --pattern pairs --threads 2
done
cli_done
