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

# judges WORD GOAL TIMES...: WORD ends the line of pairs of these times and 1 s.
judges()
{
	local word=$1 goal=$2
	shift 2
	printf '%s\n' "$@" >times
	"$NP_BUILDDIR/bench/pairs" $# "$goal" "a line" "head -n 1 times; sed -i 1d times" "echo 1" \
		>"$out" 2>"$err" && grep -qE " $# +$goal $word\$" "$out"
}
tap_check "a goal that the interval keeps is shown" judges shown 1.02 0.98 0.99 1 1 1 1.01
tap_check "one that the median keeps is met" judges met 1.02 0.98 1 1 1.01 1.03 1.05
tap_check "an interval that reaches it is not enough" judges missed 1.02 0.98 1 1.03 1.05 1.05 2.1
two_sizes()
{
	"$NP_BUILDDIR/bench/pairs" 6 1.02 "a line" "echo 2 3" "echo 1 3" 8 4K >"$out" 2>"$err" &&
		grep -qE "^a line 8 .* 2\.000 .* missed\$" "$out" && grep -qE "^a line 4K .* 1\.000 .* shown\$" "$out"
}
tap_check "each size of a run has a row" two_sizes
tap_check "without a goal nothing is said" judges "" - 0.98 1 1.03 1.05 1.05 2.1

# of_osu SECONDS FIGURE SIZE LINE: what is read of the last line of a program of OSU's.
of_osu()
{
	printf '#!/bin/sh\necho "# Size  Figures"\necho "%s"\n' "$4" >osu_program
	chmod +x osu_program
	[ "$(RANKS=4 LAUNCH=env bash "$NP_SRCDIR/bench/osu_one.sh" osu "$2" "$3" \
		"$PWD/osu_program")" = "$1" ]
}
tap_check "OSU's time" of_osu 0.000001500000 time 1K "1024   1.50"
tap_check "OSU's times of two sizes" of_osu "0.000001500000 0.000002500000" time 1K,4K \
	"1024   1.50
2048   9.00
4096   2.50"
tap_check "of a barrier" of_osu 0.000002000000 time 0 "   2.00"
tap_check "OSU's rate of two pairs" of_osu 0.000008192000 rate 4K "4096  1000.00  244140.62"
tap_check "OSU's pure time" of_osu 0.000003000000 pure 8 "8  7.50  3.50  3.00  0.00"
tap_check "and what is exposed" of_osu 0.000004000000 exposed 8 "8  7.50  3.50  3.00  0.00"
tap_check "no line of numbers is no figure" eval '! of_osu 0 time 8 "MPI_Abort"'
# A tree is built before it is measured.
no_tree()
{
	OSU=$1 bash "$NP_SRCDIR/bench/osu.sh" "$work" "$NP_SRCDIR" >"$out" 2>"$err"
	[ $? -eq 2 ] && [ ! -s "$out" ] && [ "$(wc -l <"$err")" -eq 1 ] && grep -q OSU=DIR "$err"
}
tap_check "no tree of OSU's is refused in a line" no_tree ""
tap_check "nor is a folder one" no_tree "$work"
cli_done
