#!/bin/bash
# all.sh - everything that has to be right before a change goes in: "./quickstart check
# all", which is what .ci/run runs.
#
# Ends with the line "N passed, N failed, N skipped" and status 0 only if none failed.  A
# test counts one by one; any other step counts as one.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tiers/steps.sh || exit 1
. tests/tiers/static.sh || exit 1
# No unit tests, a module left out of the conformance test, or an undue skip is an error.
export NP_CI=1 NP_ALL_TESTS=1 NP_REQUIRE_TESTS=1 NP_REQUIRE="tcp shm mpi ucx ofi skeleton fault"

# made FOLDER "TARGET..." OPTION...: configures, and builds all and these targets.
made()
{
	local folder=$work/$1 target targets=$2
	shift 2
	mkdir -p "$folder" && cd "$folder" && "$top/configure" "$@" || return
	for target in all $targets; do
		make -j "$jobs" "$target" || return
	done
}

# made_for_tests NAME "TARGET..." OPTION...: in the background; tests of NAME wait for it.
made_for_tests()
{
	local name=$1
	shift
	one "build: $name" 1800 bash -c 'made "$@"' made "$name" "$@"
	echo $? >"$work/$name.made.new"
	mv "$work/$name.made.new" "$work/$name.made"
}

# is_made NAME: as soon as it is known.
is_made()
{
	while [ ! -e "$work/$1.made" ] && kill -0 "$compiling" 2>/dev/null; do sleep 1; done
	[ "$(cat "$work/$1.made" 2>/dev/null)" = 0 ]
}

# A row that only computes, where a processor is idle (SCHED_IDLE of sched(7)); first what tests
# of other builds wait for.  The limits are for what the tests leave of two processors.
compile_and_check()
{
	made_for_tests asan check-programs --enable-sanitize=address,undefined CFLAGS="-O1 -g"
	made_for_tests openmpi "$of_scripts tests/conformance/conform.t" --enable-werror \
		MPICC=mpicc.openmpi
	made_for_tests tsan "$of_scripts $(thread_programs)" --enable-sanitize=thread \
		CFLAGS="-O1 -g"
	one "build with clang" 1800 bash -c \
		'made clang "check-programs bench-programs" --enable-werror CC=clang'
	one "cppcheck" 1800 bash -c run_cppcheck
	one "clang-tidy" 2400 bash -c run_clang_tidy
	one "clang-format" 300 bash -c run_clang_format
	one "manual pages" 300 bash -c run_mandoc
	# That the tarball builds, tests, installs and cleans up after itself; all tests
	# of the same sources run elsewhere, and what compilers find was found.
	one "distcheck" 1800 make -C "$work/clang" -j "$jobs" distcheck \
		DISTCHECK_CONFIGURE_FLAGS="CFLAGS=-O0" check_PROGRAMS="$of_dist NPfault tests/lib/json_lines" \
		TESTS="$of_dist tests/house/man.sh tests/cli/cli_usage.sh"
	one "fuzzers" 900 bash tests/fuzz/fuzz.sh all 15
}

# A row: emulated machines, most of the time, which take one processor and the turns of what
# polls; then what waits in the build for threads, which balances it with the other row.
long_tests()
{
	tests "long tests" 3600 build-check make -C build-check -j 3 check-long \
		check_PROGRAMS= check_LIBRARIES=
	# Only where there is more than one thread.  The conformance test is about
	# processes, which this sanitizer does not watch.
	is_made tsan && tests "thread sanitizer" "${NP_ALL_THREADS:-1800}" "$work/tsan" \
		env NP_PHASES="computing waiting polling" bash tests/tiers/phases.sh \
		"$work/tsan" -- $(thread_programs) $(thread_scripts)
}

# sanitized PHASE...: what "quickstart check" runs, which has all code; what the house has is
# about sources, and two scripts draw runs for their rates.
sanitized()
{
	tests "address and undefined sanitizers, $*" 2400 "$work/asan" \
		env -u NP_ALL_TESTS NP_PHASES="$*" bash tests/tiers/phases.sh "$work/asan" -- \
		$(NP_ALL_TESTS='' tests_but "$work/asan" '^tests/house/|/report/compare[.]sh$|/truth[.]sh$')
}

# of_openmpi PHASE...: the MPI that "quickstart check" has not built for.
of_openmpi()
{
	tests "Open MPI, $*" 900 "$work/openmpi" \
		env NP_PHASES="$*" bash tests/tiers/phases.sh "$work/openmpi" -- \
		tests/cli/mpi_end.sh tests/cli/mpi_job.sh tests/hosts/mpi_hosts.sh \
		tests/cli/mpi_launches.sh tests/cli/mpi_limits.sh tests/cli/mpi_options.sh \
		tests/cli/mpi_threads.sh tests/cli/slurm_job.sh
}

# tests_but BUILD PATTERN: all of "make check" there that do not match.
tests_but()
{
	make -s -C "$1" print-tests | tr ' ' '\n' | grep -vE "$2" | tr '\n' ' '
}

# The unit tests that start threads; those of verbs have both processes in one, and share
# nothing but the imitation.
thread_programs()
{
	grep -lE 'pthread_create|np_watch_begin|"tests/lib/two_threads\.h"' tests/*/test_*.c |
		sed 's/c$/t/' | tr '\n' ' '
}

# Command lines where threads meet: the watcher and the main thread of a run that is struck,
# lied to, launched or late, and many runs of one server.  With NP_ALL_THREADS all others.
thread_scripts()
{
	local name
	if [ -n "${NP_ALL_THREADS:-}" ]; then
		ls tests/cli/cli_*.sh
	else
		for name in kill launch lies pairs peer serve; do
			echo "tests/cli/cli_$name.sh"
		done
	fi | tr '\n' ' '
}

# What scripts need of check_PROGRAMS; what distcheck builds and runs.
of_scripts="NPfault tests/lib/deny tests/lib/json_lines"
of_scripts="$of_scripts tests/report/made_launches tests/report/derive_again"
of_dist="tests/unit/test_sizes.t tests/unit/test_rows.t"
export -f made c_sources mpi_includes list_changed is_analyzed tidy_one
export -f run_clang_tidy run_cppcheck run_clang_format run_mandoc
begin_steps build-ci
# Tests of all builds that poll take turns.
export NP_TURN_LOCK=$work/turn.lock
export jobs work top
one "packages for this run" 900 ./quickstart packages build test vm ci
one "configure script" 300 ./bootstrap
row compile_and_check chrt -i -p 0
compiling=${rows[0]}

tests "quickstart check" 3000 build-check ./quickstart check
is_made openmpi && of_openmpi polling
is_made openmpi && one "Open MPI, conformance" 900 \
	make -C "$work/openmpi" check-conform MODULE=mpi
# What polls runs alone, but for compilers; what waits, beside emulated machines: one such row,
# since a machine that starves at its boot takes the rate of its clock wrong, and all of its
# time limits with it.
is_made asan && sanitized computing polling
row long_tests
is_made asan && sanitized waiting
is_made openmpi && of_openmpi waiting
# It sleeps, most of the time.
one "a server, for a minute" 300 make -C build-check check-soak SOAK=60
gather
# Optimizes by other assumptions than gcc does.
tests "clang, lies of a peer" 600 "$work/clang" make -C "$work/clang" check check_PROGRAMS= \
	check_LIBRARIES= TESTS=tests/cli/cli_lies.sh
again
finish_steps
