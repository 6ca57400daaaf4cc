#!/bin/bash
# release.sh - what has to be right before a release: "./quickstart check release".  It
# takes a day of two processors: all.sh, and what finds something only after long.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tiers/steps.sh || exit 1

# Its table has a line for each goal.
whole_truth()
{
	make -C build-check bench-truth >"$work/truth.md" || return
	cat "$work/truth.md"
	grep -q '| met |$' "$work/truth.md" && ! grep '| missed |$' "$work/truth.md"
}

# It loses what an element of an array points to; the address sanitizer finds leaks.
gcc_analyzer()
{
	mkdir "$work/analyzer" && cd "$work/analyzer" &&
		"$top/configure" --enable-werror \
			CFLAGS="-O2 -g -fanalyzer -Wno-analyzer-malloc-leak" && make -j "$jobs"
}

# The long tests of the MPI that "check all" has not built them for.
long_of_openmpi()
{
	mkdir "$work/openmpi" && cd "$work/openmpi" &&
		"$top/configure" --enable-werror MPICC=mpicc.openmpi && make -j "$jobs" all &&
		make check TESTS=tests/cli/large.sh
}

# Of the tree that build-check holds.
packages()
{
	local tarball
	mkdir "$work/packages" && cd "$work/packages" && make -C "$top/build-check" dist || return
	tarball=$(ls "$top"/build-check/netpong-*.tar.xz) || return
	"$top/packaging/build-deb.sh" "$tarball" && "$top/packaging/try-deb.sh" &&
		"$top/packaging/build-rpm.sh" "$tarball" &&
		"$top/packaging/try-rpm.sh" rpms/*/netpong-*.rpm &&
		"$top/packaging/try-container.sh" "$tarball"
}

begin_steps build-release
export work top jobs
export -f whole_truth gcc_analyzer long_of_openmpi packages
# The thread sanitizer has an hour for all command lines; the analyzer has all sources.
one "quickstart check all" 10800 env NP_ALL_THREADS=3600 NP_ALL_SOURCES=1 \
	./quickstart check all
one "gcc analyzer" 3600 bash -c gcc_analyzer
one "Open MPI, long" 3600 bash -c long_of_openmpi
one "distcheck with the tests of make check" 3600 make -C build-check distcheck
one "packages for this run" 900 ./quickstart packages package
one "packages" 7200 bash -c packages
one "all faults" 7200 make -C build-check check-faults
one "links with delay and loss" 3600 make -C build-check check-netem
one "fuzzers, for ten minutes each" 3600 bash tests/fuzz/fuzz.sh all 600
one "mutants of files of other tools" 3600 env NP_MUTANTS=10000 make -C build-check check \
	TESTS=tests/report/mutate.sh check_PROGRAMS=
one "a server, for an hour" 5400 make -C build-check check-soak SOAK=1h
one "what is found where the truth is known" 86400 bash -c whole_truth
finish_steps
