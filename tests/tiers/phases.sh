#!/bin/bash
# phases.sh BUILD [NAME=VALUE...] -- TEST... - runs tests of a build whose programs are made, as
# make check does, but not all side by side.
#
# First those whose processes poll on every processor (NP_POLLING_TESTS), one at a time: beside
# other work a message would wait for a time slice.  Meanwhile, where a processor is idle
# (SCHED_IDLE of sched(7)), those that only compute.  Then, three to a processor, those that
# mostly wait.  NP_PHASES has fewer of these, or another order: "computing polling waiting".
# Ends with the summary of make check, and its status.
set -u
build=$1
shift
made=(check_PROGRAMS= check_LIBRARIES=)
while [ "$#" -gt 0 ] && [ "$1" != -- ]; do
	made+=("$1")
	shift
done
shift
cd "$(dirname "$0")/../.." || exit 1
jobs=$(nproc)
polling=" $(make -s -C "$build" print-polling) "
# Those that wait longest begin first.
first=" mpi_end cli_lies cli_kill test_watch cli_local cli_launch mpi_hosts mpi_launches cli_peer cli_pairs
	cli_faults cli_serve cli_open netpong cli_usage "

# Sources without threads, processes, connections and deadlines, and scripts about files.
computes()
{
	case $1 in
	tests/house/harness.sh) false ;;
	tests/cli/truth.sh | tests/cli/bench_figures.sh) true ;;
	tests/report/* | tests/house/*) ! grep -qE 'run NP(tcp|shm|mpi|fault)|BUILDDIR/NP' "$1" ;;
	tests/unit/*.t) ! grep -qE 'pthread|fork\(|socket|np_watch|child|clock|_ms\b' "${1%.t}.c" ;;
	*) false ;;
	esac
}

poll=() compute=() wait_first=() waits=()
for test; do
	name=${test##*/}
	# An emulated machine waits for its devices, and takes its turn by itself.
	case $test in tests/machine/*) wait_first=("$test" "${wait_first[@]}") && continue ;; esac
	case $polling in
	*" $test "*) poll+=("$test") ;;
	*) if computes "$test"; then
		compute+=("$test")
	else case $first in
	*[[:space:]]"${name%.*}"[[:space:]]*) wait_first+=("$test") ;;
	*) waits+=("$test") ;;
	esac fi ;;
	esac
done

# phase NAME JOBS TEST...: its log is kept in the build.
phase()
{
	local name=$1 at_once=$2
	shift 2
	[ "$#" -gt 0 ] || return 0
	make -C "$build" -k -j "$at_once" "${made[@]}" TEST_SUITE_LOG="tests/$name-suite.log" \
		check TESTS="$*" 2>&1 | tee "$build/tests/$name.phase" |
		grep --line-buffered -vE '^# [A-Z]+: '
	return "${PIPESTATUS[0]}"
}

rm -f "$build"/tests/*.phase
computing=
trap '[ -z "$computing" ] || kill "$computing" 2>/dev/null; exit 1' HUP INT TERM
status=0
for phase in ${NP_PHASES:-computing polling waiting}; do
	case $phase in
	computing)
		# What gets little of a processor needs time.
		(
			chrt -i -p 0 "$BASHPID"
			export NP_TEST_LIMIT=900 NP_TEST_SECONDS=${NP_TEST_SECONDS:-2400}
			phase computing "$jobs" "${compute[@]}"
		) &
		computing=$!
		;;
	polling) phase polling 1 "${poll[@]}" || status=1 ;;
	waiting) phase waiting "$((3 * jobs))" "${wait_first[@]}" "${waits[@]}" || status=1 ;;
	esac
done
[ -z "$computing" ] || wait "$computing" || status=1
cat "$build"/tests/*.phase | awk '/^# [A-Z]+: +[0-9]+$/ { sum[$2] += $3 }
	END {
		n = split("TOTAL: PASS: SKIP: XFAIL: FAIL: XPASS: ERROR:", name, " ")
		for (i = 1; i <= n; i++)
			printf "# %-6s %d\n", name[i], sum[name[i]]
	}'
exit "$status"
