#!/bin/bash
# NPreport --compare with more than two sides: simulated layers, whose truth is known; real
# messages, of which NPfault takes 20 ms more for each in one layer, far more than a message
# waits beside other tests, over TCP, which sleeps; and examples/layers.sh, which makes such
# runs in turns.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/report/report_lib.sh" || exit 99
need NPsim NPshm NPfault NPtcp

noise='noise = run, 1 %; noise = visit, 1 %; noise = sample, 2 %'

# layer FILE SEED RUNS LINES [OPTION...]: runs of NPsim with these lines of a profile.
layer()
{
	local file=$1 seed=$2 runs=$3 lines=$4
	shift 4
	"$NP_BUILDDIR/NPsim" --quick --sizes 8,64,512,4K,32K,256K,1M --json "$file" \
		--seed "$seed" --runs "$runs" --set "$noise$lines" "$@" >/dev/null 2>&1 ||
		tap_bail "NPsim made no $file"
}

# covers SIDE US: the intervals of what that side adds that have US in them.
covers()
{
	sed 's/[][,]/ /g' "$out" | awk -v side="$1" -v us="$2" '
	$1 == side && $2 ~ /^[0-9.]+$/ && $4 <= us && us <= $5 { covered++ }
	END { print covered + 0 }'
}

layer below 1 5 ''
layer above 2 5 '; step = 1, 2 us'
layer equal 3 5 '; step = 1, 2 us;'
run NPreport --compare below above equal

tap_check "2 us that a layer adds are in its interval at all seven sizes" \
	eval 'ends 3 && [ "$(covers B 2)" -eq 7 ]'
tap_check "no interval has what it does not add" \
	eval '[ "$(covers B 0)" -le 2 ] && [ "$(covers B 9)" -eq 0 ]'
cp "$out" answer
tap_check "the answer comes first, a line a side" eval '
	[[ $(sed -n 1p answer) = "B over A    adds "*" us ["*"] at 8 B, "*" at 1 MiB; slower at 7, faster at 0 of 7 sizes" ]] &&
	[[ $(sed -n 2p answer) = "C over B    "* ]]'
tap_check "a layer that adds nothing is not said to" eval \
	'! sed -n 2p answer | grep -Eq "adds|less" && grep -q "^C over B: 7 sizes: 0 slower, 0 faster" answer'
tap_check "the table has a row a side at each size" eval '
	[ "$(grep -c "^ *[BC]  *[0-9][0-9.]* " answer)" -eq 14 ] && [ "$(grep -c "^A  *[0-9]* [KM]*i*B " answer)" -eq 7 ]'
"$NP_BUILDDIR/NPreport" --compare below above equal >printed
tap_check "in 80 columns" [ "$(wc -L <printed)" -le 80 ]
tap_check "runs that were not made in turns are said" eval '
	sed "s/\"date\":\"[^\"]*\"/\"date\":\"2001-01-01T00:00:00Z\"/" below >early
	run NPreport --compare early above equal && prints "take turns"'
run NPreport --compare above below above
tap_check "each side is compared with the one before" \
	prints "^B over A .*takes less by " "^C over B .*adds "

layer few 42 5 '' --sizes 9,64,65
layer stream 51 5 '' --stream
run NPreport --compare below above few
tap_check "the table has the sizes of all sides; others are counted" eval '
	[ "$(grep -c "^ *C  *[0-9][0-9.]* " "$out")" -eq 1 ] && prints "^C over B: 1 size: .* 8 on one side only"'
run NPreport --compare few below above
tap_check "and those of later sides alone" eval '
	[ "$(grep -c "^A .* -$" "$out")" -eq 6 ] && [ "$(grep -c "^ *C  *[0-9][0-9.]* " "$out")" -eq 7 ]'
run NPreport --compare below equal vs above equal vs below
tap_check "sides of several files" prints "^A .*below and 1 more), 10 runs" "^C .*(below), 5 runs"
refused "another operation of the last side" 2 "operations differ: 'pingpong' before, 'stream' after" \
	NPreport --compare below above stream

# Seven rounds, of which one may be disturbed.
measure_layers()
{
	for round in 1 2 3 4 5 6 7; do
		"$NP_BUILDDIR/NPfault" --wrap tcp --sizes 8,1K --time-budget 0.3 --force \
			--json "thin-$round" >/dev/null 2>&1
		"$NP_BUILDDIR/NPfault" --wrap tcp --sizes 8,1K --time-budget 0.3 --force \
			--json "lag-$round" --fault lag --fault-lag 20000 >/dev/null 2>&1
	done
	run NPreport --compare thin-* vs lag-*
	ends 3 && prints "2 sizes: 2 slower"
}

tap_check "a layer that takes 20 ms more is slower at each size" measure_layers

# It starts programs by their names: here with another one for NPucx and for mpiexec.
mkdir bin
printf '#!/bin/sh\necho tcp >>order\nexec "%s/NPtcp" "$@"\n' "$NP_BUILDDIR" >bin/NPtcp
printf '#!/bin/sh\necho ucx >>order\nshift 3\nexec "%s/NPshm" --local "$@"\n' "$NP_BUILDDIR" >bin/NPucx
printf '#!/bin/sh\n:\n' >bin/NPmpi
printf '#!/bin/sh\necho mpi >>order\nshift 3\nexec "%s/NPshm" --local "$@"\n' "$NP_BUILDDIR" >bin/mpiexec
printf '#!/bin/sh\nexec "%s/NPreport" "$@"\n' "$NP_BUILDDIR" >bin/NPreport
chmod +x bin/*
PATH=$PWD/bin:/usr/bin:/bin RUNS=2 SECONDS_EACH=0.3 \
	sh "$NP_SRCDIR/examples/layers.sh" made --sizes 8,1K >"$out" 2>"$err"
code=$?
tap_check "the example's runs take turns, every other round in reverse" \
	eval '[ "$(echo $(cat order))" = "tcp ucx mpi mpi ucx tcp" ]'
tap_check "and it ends in the comparison" eval 'ends 6 &&
	prints "^B over A  *not tested: .*; 2 not tested" "^C over B " "^A .*(made/tcp-1.jsonl and 1 more), 2 runs" &&
	! grep -q "take turns" "$out"'
cli_done
