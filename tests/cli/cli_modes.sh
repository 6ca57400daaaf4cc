#!/bin/bash
# Every mode measures, over each module that has it: a row for each size, no
# word on stderr, exit status 0.  What the numbers are is no matter here.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/lib.sh" || exit 99
need NPshm NPtcp
SMALL="--sizes 1,64,4K --time-budget 0.05"
THREE="1 64 4096"

# told WORDS: the run before said so, in its header or table.
told()
{
	grep -Eq -- "$1" "$out" && return
	show_run
	return 1
}

for program in "NPshm" "NPshm --transfer single" "NPtcp --local"; do
	small="$program $SMALL"
	measures "$program: ping-pong" "$THREE" $small
	measures "$program: -s" "$THREE" $small -s
	tap_check "with a message rate" told "size +message us .*M/s"
	measures "$program: -s -n 1024" "$THREE" $small -s -n 1024
	measures "$program: -s --window 1" "$THREE" $small -s --window 1
	measures "$program: -2" "$THREE" $small -2
	measures "$program: -2 of sizes that fill every buffer" "1 65536 1048576 16777216" \
		$program -2 --sizes 1,64K,1M,16M --time-budget 0.05
	measures "$program: -n" "$THREE" $small -n 7
	measures "$program: -p and -u" "1 61 64 67" $program -u 64 -p 3 \
		--time-budget 0.05 --all-rows
	measures "$program: --quick" "1 64" $program -u 64 --quick --time-budget 0.05
	measures "$program: --per-message" "$THREE" $small --per-message
	tap_check "with percentiles" told "latency us .*p90 +p99 +p99.9 +max"
	measures "$program: --per-message --window 1" "$THREE" $small --per-message -s --window 1
	measures "$program: -O" "$THREE" $small -O 1,3
	measures "$program: --sizes with a sum" "4097" $program --sizes 4K+1 --time-budget 0.05
	measures "$program: --seed" "$THREE" $small --seed 42
	tap_check "printed as it was given" told "seed 42$"

	cold="$program --sizes 64,4K --time-budget 0.05 -I --pool 1M"
	measures "$program: -I" "64 4096" $cold
	tap_check "with both modes" told "warm us +cold us +ratio"
	measures "$program: --buffers rotate" "64 4096" $cold --buffers rotate
	measures "$program: --buffers reuse,rotate-send" "64 4096" $cold --buffers reuse,rotate-send
	measures "$program: --buffers reuse,rotate-recv" "64 4096" $cold --buffers reuse,rotate-recv
	measures "$program: --buffers touched" "64 4096" $cold --buffers touched
	measures "$program: --order sequential" "64 4096" $cold --order sequential
	measures "$program: --slots" "64 4096" $cold --slots 5
	measures "$program: --pages thp" "64 4096" $program --sizes 64,4K --time-budget 0.05 \
		-I --pool 4M --pages thp

	for mode in "" "-s" "-s -n 16" "-s --window 1" "-2" "-I --pool 4M" \
		"-I --pool 4M -O 1,3" "-s -I --pool 4M -O 1,3" "-2 -I --pool 4M -O 1,3"; do
		run $program -i --sizes 1,64,4K-1,1M $mode
		tap_check "$program: -i $mode" checked 1 64 4095 1048576
	done
	measures "$program: --bind none" "64" $program --sizes 64 --time-budget 0.05 --bind none
	tap_check "is told" told "client .*core any"
	measures "$program: --bind 0" "64" $program --sizes 64 --time-budget 0.05 --bind 0
	tap_check "both on one core" told "server .*core 0"
	if [ "$(nproc)" -ge 2 ]; then
		measures "$program: --bind 0,1" "64" $program --sizes 64 --time-budget 0.05 --bind 0,1
		tap_check "each on its own" told "server .*core 1"
	else
		tap_skip "$program: --bind 0,1" "one core"
	fi
done

measures "NPshm: -l 0" "0 1 2" NPshm -l 0 -u 2 --time-budget 0.05
measures "NPshm: -l 0 -s" "0 1" NPshm -l 0 -u 1 -s --time-budget 0.05
run NPshm -i -l 0 -u 4
tap_check "NPshm: -i -l 0" checked 0 1 4
measures "NPshm: memory copy" "$THREE" NPshm --transfer memcpy $SMALL
measures "NPshm: memory copy, -I" "64 4096" NPshm --transfer memcpy --sizes 64,4K \
	--time-budget 0.05 -I --pool 1M
for how in spin futex; do
	measures "NPshm: --wait $how" "$THREE" NPshm --wait "$how" $SMALL
done

for how in blocking poll epoll; do
	measures "NPtcp: --wait $how" "$THREE" NPtcp --local --wait "$how" $SMALL
	tap_check "which the header tells" told "receive=$how"
	run NPtcp --local -i --sizes 1,4K,1M --wait "$how"
	tap_check "NPtcp: -i --wait $how" checked 1 4096 1048576
	measures "NPtcp: -2 --wait $how" "1048576" NPtcp --local --wait "$how" -2 \
		--sizes 1M --time-budget 0.05
done
# Longer messages widen the windows of a connection, and those slow down shorter ones.
own_connections()
{
	awk -F'[:,]' '/"kind":"(visit|connection)"/ {
			for (i = 1; i < NF; i++) {
				if ($i == "\"pass\"") pass = $(i + 1)
				if ($i == "\"bytes\"") bytes = $(i + 1)
			}
		}
		/"kind":"connection"/ { carried = bytes; warmed[pass, bytes]++ }
		/"kind":"visit"/ && bytes <= 65536 { bad += carried > 65536 }
		/"kind":"visit"/ && bytes > 65536 {
			bad += carried < bytes - 3 || carried > bytes + 3
			seen++
		}
		END { exit bad || seen < 24 || !warmed[7, 131072] }' "$work/windows.json" || show_run
}
measures "NPtcp: sizes that widen windows" "64 131072 524288 524291" NPtcp --local \
	--sizes 64,128K,512K,524291 --passes 8 --seed 1 --json "$work/windows.json"
tap_check "have connections of their own" own_connections
measures "NPtcp: -r" "$THREE" NPtcp --local $SMALL -r
measures "NPtcp: -b" "$THREE" NPtcp --local $SMALL -b 64K
tap_check "with what the kernel made of it" told "send_buffer=[0-9]+"
measures "NPtcp: --nagle" "$THREE" NPtcp --local $SMALL --nagle
measures "NPtcp: --mss" "$THREE" NPtcp --local $SMALL --mss 1000

# ---- Runs ---------------------------------------------------------------
measures "NPshm: --runs 2" "64" NPshm --sizes 64 --time-budget 0.05 --runs 2
tap_check "with the run as the unit" told "over runs"
measures "NPtcp: --runs 2 --local" "64" NPtcp --local --sizes 64 --time-budget 0.05 \
	--runs 2
start_waiting runs || tap_bail "cannot wait at a port"
measures "NPtcp: --runs 2 between two commands" "64" NPtcp -h 127.0.0.1 -P "$port" \
	--sizes 64 --time-budget 0.05 --runs 2
finish "$pid"
tap_check "the server knows when it is over" [ "$code" -eq 0 ]
tap_check "and has nothing to complain of" [ ! -s "$work/runs.err" ]

cli_done
