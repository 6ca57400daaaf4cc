#!/bin/bash
# ibv_one.sh DATA LABEL SIDE PROGRAM TEST SIZE HOW - one run of one side, both
# ends on cores of their own; prints the seconds of a message, and appends them to
# DATA behind LABEL and SIDE.  SIDE is "ours", with NPibv as PROGRAM, or "theirs".
# TEST is perftest's, without "ib_": send_lat, send_bw, read_lat, write_lat or write_bw.  HOW
# is poll or event.
data=$1 label=$2 side=$3 program=$4 test=$5 size=$6 how=$7
budget=${BUDGET:-1}
work=$(mktemp -d) || exit 1
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$work"' EXIT

. "$(dirname "$0")/lib.sh" || exit 1

# Ping-pong by writes ends by their last byte in perftest, too; a stream of writes
# is the transmitter's alone in both.  The streams have 128 messages under way, and
# their samples are so long that the acknowledgement at the end does not count.
ours()
{
	local options=(--like perftest --sizes "$size" --bind 0,1 --passes 3 --precision 0
		--time-budget "$budget" --local)
	case $test in
	send_lat) options+=(-c "$how") ;;
	send_bw) options+=(-s --sample-time 50000 --window 128 -c "$how") ;;
	read_lat) options+=(-t rdma_read -c "$how") ;;
	write_lat) options+=(-t rdma_write -c local_poll) ;;
	write_bw) options+=(-s --sample-time 50000 -t rdma_write --window 128 -c "$how") ;;
	esac
	seconds_of timeout 120 "$program" "${options[@]}"
}

# As many messages as take about as long as NPibv measures.
iterations()
{
	case $test-$size in
	*-1M) echo $((budget * 30 + 10)) ;;
	*-64K) echo $((budget * 500)) ;;
	*-4K) echo $((budget * 5000)) ;;
	*) echo $((budget * 10000)) ;;
	esac
}

# Their latency programs print the median of half a round trip, or of a read, in the fifth column;
# their bandwidth programs the mean rate in MiB/s in the fourth.
theirs()
{
	local port=$((20000 + $$ % 20000)) column=5 options
	options=(-d rxe0 -x 1 -F -s "$(bytes "$size")" -n "$(iterations)" -p "$port")
	[ "$how" = event ] && options+=(-e)
	case $test in *_bw) column=4 && options+=(-t 128) ;; esac
	serve "$port" "ib_$test" "${options[@]}"
	timeout 120 taskset -c 0 "ib_$test" "${options[@]}" localhost >"$work/out" 2>&1 </dev/null || return
	awk -v column=$column -v bytes="$(bytes "$size")" '
		$1 == bytes && NF >= column { value = $column }
		END {
			if (value <= 0) exit 1
			printf "%.9f\n", column == 5 ? value / 1e6 : bytes / (value * 1048576)
		}' "$work/out"
}

seconds=$($side) || {
	cat "$work"/* >&2
	exit 1
}
printf '%s\t%s\t%s\n' "$label" "$side" "$seconds" >>"$data"
echo "$seconds"
