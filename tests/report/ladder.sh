#!/bin/bash
# NPreport --ladder with simulated layers, whose truth is known: what it says that a layer
# adds, what it does not say, and what it refuses.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/report/report_lib.sh" || exit 99
need NPsim

noise='noise = run, 1 %; noise = visit, 1 %; noise = sample, 2 %'
sizes=8,64,512,4K,32K,256K,1M

# layer FILE SEED RUNS LINES [OPTION...]: runs of NPsim with these lines of a profile.
layer()
{
	local file=$1 seed=$2 runs=$3 lines=$4
	shift 4
	"$NP_BUILDDIR/NPsim" --quick --sizes $sizes --json "$file" --seed "$seed" \
		--runs "$runs" --set "$noise$lines" "$@" >/dev/null 2>&1 ||
		tap_bail "NPsim made no $file"
}

# covers TITLE US: the intervals below that title that have US in them.
covers()
{
	sed 's/[][,]/ /g' "$out" | awk -v title="$1" -v us="$2" '
	/^[a-z0-9 ]+ over / { on = $0 == title }
	on && / (B|KiB|MiB) / && $5 <= us && us <= $6 { covered++ }
	END { print covered + 0 }'
}

layer below 1 5 ''
layer above 2 5 '; step = 1, 2 us'
layer equal 3 5 '; step = 1, 2 us;'
run NPreport --ladder below above equal

tap_check "2 us that a layer adds are in its interval at all seven sizes" \
	eval 'ends 0 && [ "$(covers "sim 2 over sim" 2)" -eq 7 ]'
tap_check "no interval has what it does not add" \
	eval '[ "$(covers "sim 2 over sim" 0)" -le 2 ] && [ "$(covers "sim 2 over sim" 9)" -eq 0 ]'
cp "$out" answer
tap_check "the answer comes first, a line a layer" eval '
	[[ $(sed -n 1p answer) = "sim 2       over sim: adds "*" us ["*"] at 8 B, "*" at 1 MiB; slower at 7, faster at 0 of 7 sizes" ]] &&
	[[ $(sed -n 2p answer) = "sim 3       over sim 2: "* ]]'
tap_check "a layer that adds nothing is not said to" eval \
	'! sed -n 2p answer | grep -Eq "adds|less" && grep -q "7 sizes: 0 slower, 0 faster" answer'
tap_check "runs that were not made in turns are said" eval '
	sed "s/\"date\":\"[^\"]*\"/\"date\":\"2001-01-01T00:00:00Z\"/" below >early
	run NPreport --ladder early above && prints "take turns"'

"$NP_BUILDDIR/NPreport" --ladder below above equal >printed
tap_check "in 80 columns" [ "$(wc -L <printed)" -le 80 ]
run NPreport --ladder above below
tap_check "the order of layers is that of the files" prints "over sim: takes less by "

files=
for i in 1 2 3 4 5; do
	layer "low$i" "1$i" 1 ''
	layer "high$i" "2$i" 1 '; step = 1, 2 us'
	files="$files low$i high$i"
done
run NPreport --ladder $files
tap_check "files of one setting are runs of a layer" \
	eval 'prints "sim: 5 runs, low1 and 4 more" "sim 2: 5 runs" &&
	[ "$(covers "sim 2 over sim" 2)" -eq 7 ]'
layer low.n 31 1 '' --sizes 8,64
run NPreport --ladder low1 high1
tap_check "of one run each: intervals, of this run only, and no verdict" \
	eval 'ends 0 && prints "of this run only" "7 not tested" && [ "$(covers "sim 2 over sim" 0)" -le 2 ]'
run NPreport --ladder low1 low2 high1
tap_check "of two: no interval" eval 'ends 0 && prints "no interval" "it needs 5 runs"'

layer many 41 5 '; step = 1, 2 us' --sizes 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26
layer few 42 5 '' --sizes 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26
run NPreport --ladder few many
tap_check "of many sizes a row a power of two" eval \
	'[ "$(grep -c "^[0-9]* B " "$out")" -eq 5 ] && grep -q "26 sizes: .* 21 are not shown" "$out"'

layer stream 51 5 '' --stream
layer other 52 5 '; step = 1, 2 us' --sizes 9,65
head -n 20 above >cut
refused "one layer" 2 "needs two layers" NPreport --ladder below low1
refused "one file" 2 "needs two files" NPreport --ladder below
refused "a file twice" 2 "'below' is twice" NPreport --ladder below below
refused "another operation" 2 "operations differ: 'pingpong' in 'below', 'stream' in 'stream'" \
	NPreport --ladder below stream
refused "no size in common" 2 "no size in common" NPreport --ladder below other
refused "a file that was cut off" 2 "'cut' is not of a complete run" NPreport --ladder below cut
refused "one that is missing" 2 "missing" NPreport --ladder below missing
refused "one that cannot be read" 2 "cut in the middle" NPreport --ladder below "cut in the middle"
refused "with --compare" 2 "excludes" NPreport --ladder --compare below above
cli_done
