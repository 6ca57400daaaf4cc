#!/bin/bash
# What benches read of a run is its median: columns that people read may change.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/lib.sh" || exit 99
cd "$work" || tap_bail "no folder to work in"
sim=$NP_BUILDDIR/NPsim
profile=(--seed 3 --set "noise = sample, 5 %")

# same_median SIZE OPTION...: as the export of the same run has it.
same_median()
{
	local size=$1 bench export
	shift
	bench=$(sh "$NP_SRCDIR/bench/ours.sh" "$sim" "$size" "${profile[@]}" "$@") || return
	"$sim" --sizes "$size" --bind 0,1 --passes 3 --precision 0 --time-budget 0.4 \
		"${profile[@]}" "$@" --json run --force >"$out" || return
	export=$("$NP_BUILDDIR/NPreport" --export csv run | awk -F, 'NR == 2 { print $6 }')
	echo "$bench, $export"
	awk -v a="$bench" -v b="$export" 'BEGIN { exit !(a > 0 && a / b - 1 < 1e-6 && 1 - a / b < 1e-6) }'
}

has_none()
{
	! sh "$NP_SRCDIR/bench/ours.sh" "$sim" 64 --no-such-option >"$out" 2>"$err" && [ ! -s "$out" ]
}

for size in 64 64K 1M; do
	tap_check "$size" same_median "$size"
done
tap_check "a stream" same_median 4K -s
# Without noise the least mean of a pass is the median.
same_least()
{
	local median least
	median=$(sh "$NP_SRCDIR/bench/ours.sh" "$sim" 64) &&
		least=$(LEAST=1 sh "$NP_SRCDIR/bench/ours.sh" "$sim" 64) || return
	echo "$median, $least"
	awk -v a="$median" -v b="$least" 'BEGIN { exit !(a > 0 && a / b - 1 < 1e-4 && 1 - a / b < 1e-4) }'
}
tap_check "the least of means" same_least
tap_check "a run that fails has no figure" has_none
cli_done
