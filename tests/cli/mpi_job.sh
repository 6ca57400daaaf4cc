#!/bin/bash
# A job of MPI from the command line: how many processes it takes, who tells of a
# refusal, what it measures, and what is left of it when a process is killed or
# interrupted.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/lib.sh" || exit 99
. "$NP_SRCDIR/tests/lib/job.sh" || exit 99
need_launcher

# What the launcher makes of it is its own.
left_alone()
{
	[ "$code" -ne 124 ] && [ "$code" -ne 137 ] && [ ! -s "$err" ] &&
		has_rows "$out" "$@" && return
	show_run
	return 1
}

job_refused "one process" 1 "the job has 1 process: start it as mpiexec -n 2 NPmpi" $SMALL
job_refused "three processes" 3 "the job has 3 processes" $SMALL
job_refused "an option that does not exist" 2 "unknown option" --no-such-option
job_refused "-h" 2 "-h: the launcher says where the ends are" -h localhost
job_refused "--launches" 2 "cannot start its launcher over" --launches 3
job_refused "-r" 2 "it cannot connect anew" -r
job_refused "ready sends without receives" 2 "must be posted before" --send ready
job_refused "a put of fresh buffers" 2 "moves only what it was told of before" -t put -I --fresh
job_refused "a burst of puts" 2 "it has no receives to post ahead" -B -t put
job_refused "a burst of a pattern" 2 "it has no receives to post ahead" -B --pattern ring
job_refused "a result file that is there" 2 "exists" --json "$0" $SMALL
run NPmpi --dry-run $SMALL
tap_check "one process needs no launcher to see its plan" grep -q '^ *sizes\|sizes' "$out"

job_refused "an exchange of three" 3 "needs an even number" --pattern exchange $SMALL
job_refused "a sum of single bytes" 2 "it adds up doubles" --pattern allreduce $SMALL

job_measures "ping-pong" "1 64 4096" $SMALL
tap_check "it recommends what a job can do" grep -q "eight starts of the job" "$out"
tap_check "and nothing that it refuses" eval '! grep -q -e --launches "$out"'
job_measures "both directions, beyond every eager limit" "8 1048576" \
	-2 --sizes 8,1M --time-budget 0.3
job_measures "a stream that does not block" "8 65536" -s -t nonblocking --sizes 8,64K \
	--time-budget 0.3
job_measures "reuse, rotate and fresh" "64 4096" -I --fresh --sizes 64,4K --time-budget 0.5 \
	--json "$work/fresh.json"
tap_check "its file" has_lines "$work/fresh.json" header visit row
for level in single multiple; do
	job_measures "--thread-level $level" "64" --thread-level "$level" --sizes 64 \
		--time-budget 0.3 --json "$work/$level.json"
	tap_check "the library grants it" \
		grep -q "\"mpi_thread_level\":\"$level\"" "$work/$level.json"
done
tap_check "the library and its device are in the header" \
	grep -q '"mpi_library":.*"mpi_device":.*"eager_limit_bytes":' "$work/fresh.json"
job_measures "bursts, reuse and rotate" "64 4096" -B -I --sizes 64,4K --time-budget 0.5
job_measures "a burst of a stream" "8 65536" -B -s --sizes 8,64K --time-budget 0.3
job_measures "a burst of fixed samples" "64" -B -n 400 --sizes 64 --time-budget 0.3
job_refused "a burst of more receives than are posted" 2 "at most 1024 receives" \
	-B -n 2000 --sizes 64
job_measures "pipelined puts" "64 4096" -t put -s --stream-volume 64K --sizes 64,4K \
	--time-budget 0.3
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
LD_PRELOAD=$work/stuck.so job 2 --sizes 64 --time-budget 0.3
tap_check "leaves a library that does not let go" left_alone 64
job_measures "a core by number" "64" --bind 0,1 --sizes 64 --time-budget 0.3

for pattern in exchange ring allreduce bcast alltoall pairs; do
	job 4 --pattern "$pattern" --partners far --sizes 64,100008 --time-budget 0.3 \
		--json "$work/$pattern.json"
	tap_check "four processes, $pattern" well_done 64 100008
done
tap_check "which ranks are pairs is in the header" \
	grep -q '"partners":"0-2 1-3"' "$work/pairs.json"
tap_check "and what each rank took, in the visits" grep -q '"rank_most_ns":[1-9]' "$work/pairs.json"
# The halves of the pool do not meet at the same place for both sizes.
for pattern in ring exchange; do
	job 4 --pattern "$pattern" -I --pool 256K --sizes 64,100008,3000 --passes 12 --force \
		--time-budget 2 --json "$work/$pattern.json"
	tap_check "rotation through a small pool, $pattern" well_done 64 3000 100008
done
job 3 --pattern ring -I --fresh --pool 1M --sizes 4K --time-budget 0.3 --force --json "$work/ring.json"
tap_check "three in a ring, with buffers never seen" well_done 4096

for mode in "-a -S" "-z -s" "-2" "-f" "-B" "-B -I --fresh -t persistent" "-B -s -S" \
	"-B -2 -t nonblocking"; do
	# shellcheck disable=SC2086
	job_checks "-i $mode" --sizes 1,1000,100003 $mode
done

for case in KILL-0 KILL-1 STOP-1 TERM-0; do
	tap_check "SIG${case%-*} to rank ${case#*-}" \
		came_to_end "$case" 2 "kill_rank ${case%-*} ${case#*-}"
done
for rank in 0 2; do
	tap_check "SIGKILL to rank $rank of three in a ring" \
		came_to_end "ring-$rank" 3 "kill_rank KILL $rank" --pattern ring
done
cli_done
