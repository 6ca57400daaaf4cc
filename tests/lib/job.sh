# job.sh - jobs of NPmpi for tests, whoever runs them.  Sourced after lib.sh.
#
#     launcher=(mpiexec)        and what else stands before -n
#     job 3 --pattern ring      three processes; code, $out and $err as of run
#     finalize_hangs=yes        MPI_Finalize may, and a job that took longer for it has
#                               the code 0 if NPmpi had nothing to say
#
# The launcher of this build's MPI is in `launcher` to begin with.
need NPmpi
read -r -a launcher <<<"${NP_JOB_COMMAND:-mpiexec -n 2}"
launcher=("${launcher[0]}")
# What a library keeps to its end is not ours to give back; and what its threads do
# is not known to a sanitizer that it was not built with.
export ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}
case $NP_SANITIZERS in *thread*) tap_skip_all "built with sanitizers" ;; esac

# What is about the launcher is tested once, beside a plain build.
need_no_sanitizer()
{
	[ "${NP_SANITIZERS:-no}" = no ] || tap_skip_all "built with sanitizers"
}

need_launcher()
{
	command -v "${launcher[0]}" >/dev/null || tap_skip_all "no launcher ${launcher[0]}"
}

# Which MPI this build is for: mpich or openmpi.
library()
{
	ldd "$NP_BUILDDIR/NPmpi" | grep -q libmpich && echo mpich || echo openmpi
}

# job PROCESSES ARGUMENT...: as run of lib.sh.  Launchers have words of their own
# for a job that failed; what counts is what the program says.
job()
{
	local processes=$1 begun=$SECONDS
	shift
	{ timeout -k 5 "$LIMIT" "${launcher[@]}" -n "$processes" "$NP_BUILDDIR/NPmpi" "$@" \
		>"$out" 2>"$work/all" </dev/null; } 2>/dev/null
	code=$?
	grep '^NPmpi:' "$work/all" >"$err"
	case ${finalize_hangs:-no}$code in
	no* | *124 | *137) return ;;
	esac
	[ $((SECONDS - begun)) -lt 10 ] || [ -s "$err" ] || code=0
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
	job 2 "$@" -v
	# shellcheck disable=SC2086 # the sizes are words
	tap_check "$name" well_done $sizes
}

# job_checks NAME ARGUMENT...: with -i, of two processes.
job_checks()
{
	local name=$1
	shift
	job 2 -i "$@"
	tap_check "$name" job_checked
}

job_checked()
{
	[ "$code" -eq 0 ] && [ ! -s "$err" ] && grep -q "every byte right" "$out" && return
	show_run
	return 1
}

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

# kill_rank SIGNAL RANK
kill_rank()
{
	kill -"$1" "$(process_of "$2")"
}

# came_to_end NAME PROCESSES STRIKE ARGUMENT...: a job that STRIKE (a command, in one
# word) happens to in the midst of a block ends, not well, with the visits in its file.
came_to_end()
{
	local name=$1 processes=$2 strike=$3 json=$work/$1.json top
	shift 3
	"${launcher[@]}" -n "$processes" "$NP_BUILDDIR/NPmpi" --sizes 1,4K --time-budget 100 \
		--precision 0 --json "$json" "$@" >"$work/$name.out" 2>"$work/$name.err" \
		</dev/null &
	top=$!
	until_true 60 visits 3 "$json" ||
		{ echo "no visits"; cat "$work/$name.err"; finish "$top" 1; return 1; }
	$strike || return
	finish "$top" 60
	[ "$code" -ne 0 ] && [ "$code" -ne 124 ] || { echo "ended with $code"; return 1; }
	"$NP_BUILDDIR/NPreport" "$json" >"$work/$name.report" 2>&1 &&
		grep -Eq '^ *(latency|shortest time)[ ,]' "$work/$name.report" && return
	cat "$work/$name.err" "$work/$name.report"
	return 1
}
