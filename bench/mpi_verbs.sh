#!/bin/bash
# mpi_verbs.sh BUILD SOURCE - MPICH over UCX' reliable connections (rc_verbs) with and
# without rotation, two processes on one virtual machine whose device does RoCE in
# software.  First a sweep that has both modes in one run, kept in DATA with its visits;
# then, for SIZES, LAUNCHES runs of each mode by itself, in turn, because a registration
# cache keeps the buffers of an earlier mode; kept in APART.  BUDGET, the
# seconds that each of the two measures, and UPPER, the sweep's largest size, may be set.
build=$1
source=$2
data=${DATA:-$PWD/bench-mpi-verbs.jsonl}
apart=${APART:-$PWD/bench-mpi-verbs-apart.jsonl}

# inside: within the machine.
inside()
{
	local failed=0
	local launch="${MPIEXEC:-mpiexec} -launcher fork -n 2"

	. "$source/tests/machine/ucx_verbs.sh" || return
	$launch "$build/NPmpi" -I -p 0 -u "${UPPER:-1M}" --time-budget "${BUDGET:-300}" \
		--json "$NP_BENCH_DATA/sweep" || failed=1
	"$build/NPmpi" --launcher "$launch" --runs "${LAUNCHES:-20}" --buffers reuse,rotate,apart \
		--sizes "${SIZES:-64,4K,16K,64K,256K}" --time-budget "${BUDGET:-300}" \
		--json "$NP_BENCH_DATA/apart" || failed=1
	return "$failed"
}

if [ "${NP_BENCH_INSIDE:-}" = yes ]; then
	inside
	exit
fi
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export NP_BENCH_INSIDE=yes NP_BENCH_DATA=$work
"$source/tests/machine/run" --time "${LIMIT:-14400}" --writable "$work" --env LAUNCHES --env SIZES \
	--env UPPER --env BUDGET --env MPIEXEC -- bash "$source/bench/mpi_verbs.sh" \
	"$build" "$source"
status=$?
[ ! -s "$work/sweep" ] || { cp "$work/sweep" "$data" && echo "# the sweep: $data"; }
[ ! -s "$work/apart" ] || { cp "$work/apart" "$apart" && echo "# modes apart: $apart"; }
exit "$status"
