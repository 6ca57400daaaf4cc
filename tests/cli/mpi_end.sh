#!/bin/bash
# The end of a job of MPI one of whose processes is killed, stopped or stuck: who says why,
# and what its file has.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/lib.sh" || exit 99
. "$NP_SRCDIR/tests/lib/job.sh" || exit 99
need_no_sanitizer
need_launcher

# What the launcher makes of it is its own.
left_alone()
{
	[ "$code" -ne 124 ] && [ "$code" -ne 137 ] && [ ! -s "$err" ] &&
		has_rows "$out" "$@" && return
	show_run
	return 1
}

# Neither process comes back from the library, and rank 0 is late with what it says.
# shellcheck disable=SC2086 # flags are words
${CC:-cc} ${NP_MPI_CPPFLAGS:-} -shared -fPIC -x c -o "$work/stuck.so" - <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <unistd.h>
static int rank;
int MPI_Recv(void *at, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status)
{
	static int count;
	PMPI_Comm_rank(comm, &rank); // no data of MPI: the launcher loads this, too
	while (++count > 300)
		pause();
	return PMPI_Recv(at, n, type, from, tag, comm, status);
}
unsigned alarm(unsigned seconds)
{
	unsigned (*next)(unsigned) = (unsigned (*)(unsigned))dlsym(RTLD_NEXT, "alarm");
	if (rank == 0)
		usleep(1000000);
	return next(seconds);
}
END
LD_PRELOAD=$work/stuck.so job 2 --sizes 64 --time-budget 5
tap_check "a job whose processes are stuck says why" failed_with NPmpi 4 "message lost"
# A library that does not come back from its farewell, as MPICH over TCP now and then.
${CC:-cc} -shared -fPIC -x c -o "$work/stuck.so" - <<'END'
#include <unistd.h>
int MPI_Finalize(void);
int MPI_Finalize(void)
{
	for (;;)
		pause();
}
END
LD_PRELOAD=$work/stuck.so job 2 --sizes 64 --time-budget 0.05
tap_check "leaves a library that does not let go" left_alone 64

# A rank whose own options would be ignored.
job 1 --sizes 64 --time-budget 0.05 : -n 1 "$NP_BUILDDIR/NPmpi" --sizes 64 --time-budget 0.05 -s
tap_check "rank 1 has options that rank 0 has not" failed_with NPmpi 2 "rank 1.*other options"
job 1 --sizes 64 --time-budget 0.05 : -n 1 "$NP_BUILDDIR/NPmpi" --no-such-option
tap_check "rank 1 has one that does not exist" failed_with NPmpi 2 "rank 1 refuses its options"
job 1 --sizes 64 --time-budget 0.05 --bind none : -n 1 "$NP_BUILDDIR/NPmpi" --sizes 64 \
	--time-budget 0.05 --bind auto
tap_check "what is each rank's own may differ" left_alone 64

for case in KILL-0 KILL-1 STOP-1 TERM-0; do
	tap_check "SIG${case%-*} to rank ${case#*-}" \
		came_to_end "$case" 2 "kill_rank ${case%-*} ${case#*-}"
done
# stopped_by_name PATTERN RANK: rank RANK of three that is stopped ends the job, and it is
# said which one.
stopped_by_name()
{
	came_to_end "$1-stopped-$2" 3 "kill_rank STOP $2" --pattern "$1" &&
		grep -q "^NPmpi: rank $2 " "$work/$1-stopped-$2.err" && return
	cat "$work/$1-stopped-$2.err"
	return 1
}

# The kernel's word for pages that were asked to be huge.
has_huge_pages()
{
	grep -q '^VmFlags:.* hg' "/proc/$(process_of 2)/smaps" && kill_rank TERM 0
}
tap_check "rank 2 has the pages that were asked for" came_to_end pages 3 has_huge_pages \
	--pattern ring --pages thp
tap_check "SIGSTOP to rank 2 of three, bcast" stopped_by_name bcast 2
# Rank 0, which speaks for all, is stopped: while the others are inside MPI, and while rank
# 1 waits for its next command.
tap_check "SIGSTOP to rank 0 of three, alltoall" stopped_by_name alltoall 0
${CC:-cc} -shared -fPIC -x c -o "$work/stops.so" - <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
static int is_zero(const char *rank)
{
	return rank != NULL && atoi(rank) == 0;
}
/* The end of a line of the result file: of the header, of a visit. */
int fputc(int c, FILE *file)
{
	static int lines;
	int (*next)(int, FILE *) = (int (*)(int, FILE *))dlsym(RTLD_NEXT, "fputc");
	if (c == '\n' && fileno(file) > 2 && ++lines == 3 &&
	    (is_zero(getenv("PMI_RANK")) || is_zero(getenv("OMPI_COMM_WORLD_RANK"))))
		raise(SIGSTOP);
	return next(c, file);
}
END
LD_PRELOAD=$work/stops.so job 2 --sizes 1,4K --time-budget 3 --force --json "$work/stops.json"
# A launcher may let it go on for its end, which it then tells of as well.
tap_check "a rank 0 that is stopped between blocks is named" grep -qx \
	"NPmpi: rank 0 is stopped, or its host is gone: the peer has not answered for 5 s" "$err"
for rank in 0 2; do
	tap_check "SIGKILL to rank $rank of three in a ring" \
		came_to_end "ring-$rank" 3 "kill_rank KILL $rank" --pattern ring
done
cli_done
