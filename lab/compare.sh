#!/bin/bash
# compare.sh BUILD - detection rates and false alarms of NPreport --compare.
#
# Prints how many of PAIRS pairs of equal sides, five simulated runs each, have a verdict
# at any size; and which slowdown is found in 95 of 100: with the same runs, and with five
# drawn against five of LAUNCHES that this machine makes.  A slowdown of all sizes is found
# if the exit status is 3, one of a single size if that size is slower.  RUNS names the
# programs to measure; PAIRS, DRAWS, LAUNCHES, SIZES and BUDGET (seconds for all runs of one)
# may be set, and PAIRS or DRAWS to 0.
build=$1
pairs=${PAIRS-1000}
draws=${DRAWS-100}
launches=${LAUNCHES-30}
budget=${BUDGET-60}
runs=${RUNS-"NPshm:NPtcp --local --wait poll:NPtcp --local"}
sizes=${SIZES-1,64,1K,4K,8K,64K,1M}
one_size=4096
factors="1.02 1.03 1.05 1.07 1.10 1.15 1.20 1.30 1.50 2 3"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
before=$work/before after=$work/after

fail()
{
	echo "compare.sh: $*" >&2
	exit 1
}

# compare OPTION...: leaves the output in $work/said, the exit status in code.
compare()
{
	"$build/NPreport" --compare "$before" "$after" "$@" >"$work/said" 2>/dev/null
	code=$?
	case $code in
	0 | 3 | 6) ;; # 6: no verdict
	*) fail "NPreport ended with $code" ;;
	esac
}

# make_sides SEED FACTOR BYTES: of simulated runs.
make_sides()
{
	"$build/tests/report/made_launches" "$before" $((2 * $1)) 5 1 0 &&
		"$build/tests/report/made_launches" "$after" $((2 * $1 + 1)) 5 "$2" "$3"
}

# draw_sides SEED FACTOR BYTES: of the runs in $work/measured.
draw_sides()
{
	"$build/lab/drawn_launches" "$work/measured" "$before" "$1" 0 5 1 0 &&
		"$build/lab/drawn_launches" "$work/measured" "$after" "$1" 1 5 "$2" "$3"
}

false_alarms()
{
	local seed raised=0
	for seed in $(seq "$pairs"); do
		make_sides "$seed" 1 0 || fail "no runs"
		compare
		grep -q ': 0 slower, 0 faster, ' "$work/said" && ! grep -q '^ranges ' "$work/said" ||
			raised=$((raised + 1))
	done
	echo "# equal sides that raised a verdict: $raised of $pairs"
}

# found SIDES FACTOR BYTES: in how many of $draws; a slowdown of all sizes where
# BYTES is 0.
found()
{
	local seed count=0
	for seed in $(seq "$draws"); do
		"$1" $((100000 + seed)) "$2" "$3" || fail "no runs"
		compare --threshold 0
		if [ "$3" -eq 0 ]; then
			[ "$code" -eq 3 ] && count=$((count + 1))
		else
			grep -Eq "^ *4 KiB .* slower$" "$work/said" && count=$((count + 1))
		fi
	done
	echo "$count"
}

# resolution LABEL SIDES: one line for each slowdown, to the first that is found in
# 95 of 100 at one size too.
resolution()
{
	local factor all one
	for factor in $factors; do
		all=$(found "$2" "$factor" 0) || exit 1
		one=$(found "$2" "$factor" "$one_size") || exit 1
		printf '%-28s %8s %12s %12s\n' "$1" "$factor" "$all of $draws" "$one of $draws"
		[ "$((100 * one))" -lt "$((95 * draws))" ] || return
	done
}

[ "$pairs" -eq 0 ] || false_alarms
[ "$draws" -gt 0 ] || exit 0
printf '%-28s %8s %12s %12s\n' '# five runs a side' slower 'at all' 'at 4 KiB'
resolution simulated make_sides
IFS=:
for run in $runs; do
	unset IFS
	# shellcheck disable=SC2086 # words
	"$build/"$run --quiet --sizes "$sizes" --runs "$launches" --time-budget "$budget" \
		--precision 0 --force --json "$work/measured" >/dev/null || fail "no $run"
	resolution "$run" draw_sides
done
