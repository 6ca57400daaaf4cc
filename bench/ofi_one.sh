#!/bin/bash
# ofi_one.sh SIDE PROGRAM TEST PROVIDER SIZE - one run of one side, both processes on cores of
# their own; prints the seconds of a message.  SIDE is "ours", with NPofi as PROGRAM, "tcp",
# with NPtcp, or "theirs".  TEST is msg or tagged, PROVIDER a name and a type of endpoint.
side=$1 program=$2 test=$3 provider=${4%-*} type=${4#*-} size=$5
budget=${BUDGET:-1} # whole seconds
work=$(mktemp -d) || exit 1
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$work"' EXIT

. "$(dirname "$0")/lib.sh" || exit 1

measure()
{
	seconds_of timeout 120 "$program" --local --sizes "$size" --bind 0,1 --passes 3 \
		--precision 0 --time-budget "$budget" "$@"
}

ours()
{
	measure --provider "$provider" --connection "$type" -t "$test"
}

# A process that waits for a message polls in both.
tcp()
{
	measure --wait poll
}

# As many messages take about as long as NPofi measures.
iterations()
{
	case $provider-$size in
	*-1M) echo $((budget * 1000)) ;;
	*-64K) echo $((budget * 8000)) ;;
	tcp-*) echo $((budget * 40000)) ;;
	*) echo $((budget * 200000)) ;;
	esac
}

# Both processes need the same number and size.  The last line has microseconds of half a
# round trip in its seventh column, a mean.
theirs()
{
	local port=$((20000 + $$ % 20000)) words
	words="-p $provider -e $type -m $test -I $(iterations) -S $(bytes "$size")"
	# shellcheck disable=SC2086 # words
	serve "$port" "$program" $words -B "$port"
	# shellcheck disable=SC2086
	timeout 120 taskset -c 0 "$program" $words -P "$port" 127.0.0.1 >"$work/out" 2>&1 \
		</dev/null || return
	awk '$7 + 0 > 0 { us = $7 } END { if (us <= 0) exit 1; printf "%.9f\n", us / 1e6 }' \
		"$work/out"
}

$side || {
	cat "$work"/* >&2
	exit 1
}
