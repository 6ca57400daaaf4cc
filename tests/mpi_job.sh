#!/bin/bash
# A job of MPI from the command line: how many processes it takes, who tells of a
# refusal, what it measures, and what is left of it when a process is killed or
# interrupted.
. "${NP_SRCDIR:-$(dirname "$0")/..}/tests/lib.sh" || exit 99
need NPmpi
launcher=${NP_JOB_COMMAND:-mpiexec -n 2}
launcher=${launcher% -n 2}
# What a library keeps to its end is not ours to give back; and what its threads do
# is not known to a sanitizer that it was not built with.
export ASAN_OPTIONS=detect_leaks=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}
case $NP_SANITIZERS in *thread*) tap_skip_all "built with sanitizers" ;; esac
command -v "$launcher" >/dev/null || tap_skip_all "no launcher $launcher"

# job PROCESSES ARGUMENT...: as run of lib.sh.  Launchers have words of their own
# for a job that failed; what counts is what the program says.
job()
{
	local processes=$1
	shift
	{ timeout -k 5 "$LIMIT" "$launcher" -n "$processes" "$NP_BUILDDIR/NPmpi" "$@" \
		>"$out" 2>"$work/all" </dev/null; } 2>/dev/null
	code=$?
	grep '^NPmpi:' "$work/all" >"$err"
}

# job_refused NAME PROCESSES WORDS ARGUMENT...
job_refused()
{
	local name=$1 processes=$2 words=$3
	shift 3
	job "$processes" "$@"
	tap_check "$name" failed_with NPmpi 2 "$words"
}

# job_measures NAME SIZES ARGUMENT...
job_measures()
{
	local name=$1 sizes=$2
	shift 2
	job 2 "$@"
	# shellcheck disable=SC2086,SC2154 # the sizes are words
	tap_check "$name" well_done $sizes
}

job_refused "one process" 1 "the job has 1 process: start it as mpiexec -n 2 NPmpi" $SMALL
job_refused "three processes" 3 "the job has 3 processes" $SMALL
job_refused "an option that does not exist" 2 "unknown option" --no-such-option
job_refused "-h" 2 "-h: the launcher says where the ends are" -h localhost
job_refused "--launches" 2 "cannot start its launcher over" --launches 3
job_refused "-r" 2 "it cannot connect anew" -r
job_refused "ready sends without receives" 2 "must be posted before" --send ready
job_refused "a put of fresh buffers" 2 "beyond its window" -t put -I --fresh
job_refused "a result file that is there" 2 "exists" --json "$0" $SMALL
run NPmpi --dry-run $SMALL
tap_check "one process needs no launcher to see its plan" grep -q '^ *sizes\|sizes' "$out"

job_refused "an exchange of three" 3 "needs an even number" --pattern exchange $SMALL
job_refused "a sum of single bytes" 2 "it adds up doubles" --pattern allreduce $SMALL

job_measures "ping-pong" "1 64 4096" $SMALL
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
job_measures "pipelined puts" "64 4096" -t put -s --stream-volume 64K --sizes 64,4K \
	--time-budget 0.3
job_measures "a core by number" "64" --bind 0,1 --sizes 64 --time-budget 0.3

for pattern in exchange ring allreduce bcast alltoall pairs; do
	job 4 --pattern "$pattern" --partners far --sizes 64,100008 --time-budget 0.3 \
		--json "$work/$pattern.json"
	tap_check "four processes, $pattern" well_done 64 100008
done
tap_check "which ranks are pairs is in the header" \
	grep -q '"partners":"0-2 1-3"' "$work/pairs.json"
tap_check "and what each rank took, in the visits" grep -q '"rank_most_ns":[1-9]' "$work/pairs.json"
job 3 --pattern ring -I --fresh --pool 1M --sizes 4K --time-budget 0.3 --force --json "$work/ring.json"
tap_check "three in a ring, with buffers never seen" well_done 4096

checked()
{
	[ "$code" -eq 0 ] && [ ! -s "$err" ] && grep -q "every byte right" "$out" || show_run
}

for mode in "-a -S" "-z -s" "-2" "-f"; do
	# shellcheck disable=SC2086
	job 2 -i --sizes 1,1000,100003 $mode
	tap_check "-i $mode" checked
done

# The process of that rank, by what the launcher has told it.
process_of()
{
	local process
	for process in $(tagged); do
		tr '\0' '\n' <"/proc/$process/environ" 2>/dev/null |
			grep -Eqx "(PMI_RANK|PMIX_RANK|OMPI_COMM_WORLD_RANK)=$1" &&
			[ "$(cat "/proc/$process/comm")" = NPmpi ] && echo "$process" && return
	done
	return 1
}

# came_to_end NAME SIGNAL RANK: a job whose process gets a signal in the midst of a
# block ends, not well, with the visits in its file.
came_to_end()
{
	local name=$1 signal=$2 rank=$3 json=$work/$1.json top
	"$launcher" -n 2 "$NP_BUILDDIR/NPmpi" --sizes 1,4K --time-budget 100 --precision 0 \
		--json "$json" >"$work/$name.out" 2>"$work/$name.err" </dev/null &
	top=$!
	until_true 60 eval '[ "$(grep -c "\"kind\":\"visit\"" "$json")" -ge 3 ]' ||
		{ echo "no visits"; return 1; }
	kill -"$signal" "$(process_of "$rank")" || return
	finish "$top" 60
	[ "$code" -ne 0 ] && [ "$code" -ne 124 ] || { echo "ended with $code"; return 1; }
	"$NP_BUILDDIR/NPreport" "$json" >"$work/$name.report" 2>&1 &&
		grep -q '^ *latency ' "$work/$name.report" && return
	cat "$work/$name.err" "$work/$name.report"
	return 1
}

for case in KILL-0 KILL-1 STOP-1 TERM-0; do
	tap_check "SIG${case%-*} to rank ${case#*-}" \
		came_to_end "$case" "${case%-*}" "${case#*-}"
done
cli_done
