#!/bin/bash
# What the owner of a ConnectX sees first: NPibv itself over the device in memory.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/lib.sh" || exit 99
fake=tests/verbs/fake_program
need "$fake"
# main() runs twice in one process, which the thread sanitizer would report.
case ${NP_SANITIZERS:-no} in *thread*) tap_skip_all "the program runs twice in a process" ;; esac

# run_fake ARGUMENT...: a server and a client, in one process.
run_fake()
{
	NP_FAKE_PORT=$((20000 + RANDOM % 12000)) run $fake "$@"
}

# says CODE WORDS...: it ended so, and both streams together have each of the words.
says()
{
	local words text
	text=$(cat "$out" "$err" | tr -s ' \n' ' ')
	for words in "${@:2}"; do
		[[ $text == *"$words"* ]] && continue
		echo "nothing says '$words'"
		show_run
		return 1
	done
	[ "$code" -eq "$1" ] || show_run
	[ "$code" -eq "$1" ]
}

shows()
{
	says 0 "$@" && narrow "$out"
}

HERE="adapter mlx5_0:1, RoCE v2, 100 Gbit/s"
THERE="to mlx5_1:1, RoCE v2, 100 Gbit/s"

run $fake --list-devices
tap_check "the devices, with rate, MTU and the GIDs' interfaces" shows \
	"mlx5_0:1 active, Ethernet, 100 Gbit/s, MTU 4096 active of 4096" \
	"mlx5_1:1 GID 3 RoCE v2 ::ffff:192.0.0.2, eth1"
run_fake -D mlx5_0 $SMALL
tap_check "the first screen names the adapters" shows "$HERE $THERE" "latency" "bandwidth"
run_fake -I --pool 4M $SMALL
tap_check "so does that of cold buffers" shows "$HERE $THERE" "cold buffers" "ratio"
run_fake --variant old: --variant new:post=wr $SMALL
tap_check "two ways of posting in one run" shows "variants old, new: interleaved"
run_fake -t ud --rate-limit 1000 --json "$work/rate.jsonl" $SMALL
tap_check "the header has the limit of the rate, in kbit/s" \
	grep -q '"rate_limit_kbps":{"value":1000000,' "$work/rate.jsonl"
run_fake --rate-limit 1000 $SMALL
tap_check "which a ConnectX has not for RC" says 2 \
	"--rate-limit: device mlx5_0 has packet pacing, but not of RC queue pairs (-t, --connection)"
run_fake --capacity 64 -s --qps 65 --pool 1M --time-budget 1
tap_check "a sweep over more queue pairs than have long queues" says 0 "queue"
run_fake --capacity 64 -s --qps 65 --window 64 --time-budget 1
tap_check "whose window is refused before" says 2 \
	"--window 64: module ibv: --capacity sends by one of the queue pairs, too, which has 32 receives: --depth 0,66"

cli_done
