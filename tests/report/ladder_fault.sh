#!/bin/bash
# NPreport --ladder over real messages: NPfault takes 5 ms more for each message in one layer,
# far more than a message waits beside other tests, and that layer is reported as slower. Over
# TCP, which sleeps: a message of two processes that spin takes milliseconds beside others. And
# examples/ladder.sh, which makes such runs in turns.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/report/report_lib.sh" || exit 99
need NPshm NPfault NPtcp

# Seven rounds, of which one may be disturbed.
measure_layers()
{
	for round in 1 2 3 4 5 6 7; do
		"$NP_BUILDDIR/NPfault" --wrap tcp --sizes 8,1K --time-budget 0.3 --force \
			--json "thin-$round" >/dev/null 2>&1
		"$NP_BUILDDIR/NPfault" --wrap tcp --sizes 8,1K --time-budget 0.3 --force \
			--json "lag-$round" --fault lag --fault-lag 5000 >/dev/null 2>&1
	done
	run NPreport --ladder thin-* lag-*
	ends 0 && prints "^fault 2 *over fault: adds" "2 sizes: 2 slower"
}

tap_check "a layer that takes 5 ms more is slower at each size" measure_layers

# It starts programs by their names: here with another one for NPucx, and without MPI.
mkdir bin
printf '#!/bin/sh\necho tcp >>order\nexec "%s/NPtcp" "$@"\n' "$NP_BUILDDIR" >bin/NPtcp
printf '#!/bin/sh\necho ucx >>order\nshift 3\nexec "%s/NPshm" --local "$@"\n' "$NP_BUILDDIR" >bin/NPucx
printf '#!/bin/sh\nexec "%s/NPreport" "$@"\n' "$NP_BUILDDIR" >bin/NPreport
chmod +x bin/*
PATH=$PWD/bin:/usr/bin:/bin RUNS=2 SECONDS_EACH=0.3 \
	sh "$NP_SRCDIR/examples/ladder.sh" made --sizes 8,1K >"$out" 2>"$err"
code=$?
tap_check "the example's runs take turns, every other round in reverse" \
	eval '[ "$(echo $(cat order))" = "tcp ucx ucx tcp" ]'
tap_check "and it ends in the ladder" eval 'ends 0 &&
	prints "^shm  *over tcp: " "tcp: 2 runs, made/tcp-1.jsonl and 1 more" "shm: 2 runs" &&
	! grep -q "take turns" "$out"'
cli_done
