#!/bin/bash
# NPreport --compare with simulated runs, whose truth is known: how often it
# raises a verdict where nothing differs, and whether it finds what differs much.
# lab/compare.sh does the same with ten times as many, and with real runs.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/lib.sh" || exit 99
need NPreport tests/report/made_launches
cd "$work" || tap_bail "no folder to work in"

# make FILE SEED LAUNCHES FACTOR BYTES
make()
{
	"$NP_BUILDDIR/tests/report/made_launches" "$@"
}

# count PAIRS LAUNCHES FACTOR BYTES WORDS: in how many pairs WORDS (an extended
# regular expression) are printed.  The seeds are the same each time.
count()
{
	local seed found=0
	for seed in $(seq "$1"); do
		make before $((2 * seed)) "$2" 1 0 &&
			make after $((2 * seed + 1)) "$2" "$3" "$4" || return
		run NPreport --compare before after --threshold 0
		grep -Eq "$5" "$out" && found=$((found + 1))
	done
	echo "$found"
}

make one 1 5 1 0
tap_check "simulated runs are a result file" has_lines one header visit row findings
verdict=': ([1-9][0-9]* slower|[0-9]+ slower, [1-9][0-9]* faster)'
# At 1 % all together, five and more of a hundred come once in 300 times; the
# seeds are fixed.
tap_check "of 100 pairs of equal sides, four at most raise a verdict" \
	eval '[ "$(count 100 5 1 0 "$verdict")" -le 4 ]'
tap_check "a slowdown of a half is found in 20 of 20" \
	[ "$(count 20 5 1.5 0 'tested against that: [1-9]')" -eq 20 ]
# The exchanges regard ranges, too.
tap_check "and one of a half at one size alone in 19" \
	[ "$(count 20 5 1.5 4096 '^ *4 KiB .* slower$')" -ge 19 ]
tap_check "ten runs a side find a tenth at one size in 8 of 10" \
	eval '[ "$(count 10 10 1.1 4096 "^ *4 KiB .* slower\$")" -ge 8 ]'
tap_check "four find nothing, whatever it is" [ "$(count 3 4 3 0 "$verdict")" -eq 0 ]
cli_done
