#!/bin/bash
# mpi_ranks.sh BUILD - cost of a rank of a pattern as ranks become many: memory of NPmpi, of
# the same calls by hand, and of a job that only begins and ends; and the time of a call of
# NPmpi and by hand.  More ranks than cores measure the
# scheduler, which both sides share.
#
# RANKS, PATTERNS, BYTES (a multiple of 512), CALLS and MPIEXEC may be set.
build=$1
ranks=${RANKS:-2 4 8 16 32 64}
patterns=${PATTERNS:-ring allreduce alltoall}
bytes=${BYTES:-4096}
calls=${CALLS:-60}
mpiexec=${MPIEXEC:-mpiexec}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1
declare -A letter=([ring]=-r [allreduce]=-e [alltoall]=-a)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# launch RANKS COMMAND...: leaves its output in $work/out.
launch()
{
	local count=$1
	shift
	$mpiexec -n "$count" "$build/bench/peak" "$@" >"$work/out" 2>"$work/err" </dev/null ||
		{ cat "$work/out" "$work/err" >&2; exit 1; }
}

# Median and most of the ranks, in MiB.
memory()
{
	awk '$1 == "peak" { print $2 }' "$work/out" | sort -n |
		awk '{ kib[NR] = $1 } END { printf "%.1f %.1f\n", kib[int((NR + 1) / 2)] / 1024,
			kib[NR] / 1024 }'
}

ours_us()
{
	awk '!/^#/ { printf "%.2f\n", 1e6 * $3 }' "$work/seconds"
}

floor_us()
{
	awk -v bytes="$bytes" '$1 == bytes { printf "%.2f\n", 1e6 * $2 }' "$work/out"
}

# measure PATTERN RANKS
measure()
{
	local begun ours floor us by_hand
	launch "$2" "$build/NPmpi" --pattern "$1" --sizes "$bytes" --dry-run
	begun=$(memory)
	launch "$2" "$build/NPmpi" --pattern "$1" --sizes "$bytes" -n "$calls" --passes 3 \
		--precision 0 --time-budget 1 --quiet --force -o "$work/seconds"
	ours=$(memory) us=$(ours_us)
	launch "$2" "$build/bench/floor_mpi" "${letter[$1]}" "$bytes" "$calls"
	floor=$(memory) by_hand=$(floor_us)
	# shellcheck disable=SC2086 # two words each
	printf '%-10s %5s %8s %8s %8s %8s %8s %8s %11s %11s\n' "$1" "$2" $ours $floor $begun \
		"$us" "$by_hand"
}

printf '%-10s %5s %17s %17s %17s %11s %11s\n' '# pattern' ranks 'NPmpi, MiB' 'by hand, MiB' \
	'begun, MiB' 'NPmpi, us' 'by hand, us'
printf '%-16s %8s %8s %8s %8s %8s %8s\n' '#' median most median most median most
for pattern in $patterns; do
	for count in $ranks; do
		measure "$pattern" "$count"
	done
done
