#!/bin/bash
# ucx_one.sh SIDE PROGRAM TEST TLS SIZE - one run of one side, both processes on cores of
# their own; prints the seconds of a message.  SIDE is "ours", with NPucx as PROGRAM, or
# "theirs".  TEST is am, tag, put or get.
side=$1 program=$2 test=$3 tls=$4 size=$5
budget=${BUDGET:-1} # whole seconds
work=$(mktemp -d) || exit 1
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$work"' EXIT
# Over shared memory large messages go through the kernel in both.
[ "$tls" != posix ] || tls=posix,cma

. "$(dirname "$0")/lib.sh" || exit 1

# ucx_perftest has no error mode, and UCX allocates and maps its buffers.
ours()
{
	local like=
	# Over TCP a put is polled, and its memory makes no difference.
	[ "$tls" = tcp ] || like="--like ucx_perftest"
	# shellcheck disable=SC2086 # words
	seconds_of timeout 120 "$program" --local -t "$test" --tls "$tls" --error-mode none --register pool $like \
		--sizes "$size" --bind 0,1 --passes 3 --precision 0 --time-budget "$budget"
}

# As many messages as take about as long as NPucx measures.
iterations()
{
	case $tls-$size in
	*-1M) echo $((budget * 1000)) ;;
	*-64K) echo $((budget * 10000)) ;;
	tcp-*) echo $((budget * 40000)) ;;
	*) echo $((budget * 200000)) ;;
	esac
}

# The second column of the final line is the median: half a round trip, or one get after
# the other.
theirs()
{
	local name port=$((20000 + $$ % 20000))
	case $test in
	tag) name=tag_lat ;;
	get) name="ucp_get -O 1" ;;
	*) name=ucp_${test}_lat ;;
	esac
	export UCX_TLS=$tls UCX_WARN_UNUSED_ENV_VARS=n
	serve "$port" "$program" -p "$port"
	# The name may have an option behind it.
	timeout 120 taskset -c 0 "$program" localhost -p "$port" -t $name \
		-s "$(bytes "$size")" -n "$(iterations)" -w 1000 -f -v >"$work/out" 2>&1 \
		</dev/null || return
	awk -F , '$1 ~ /^[0-9]+$/ { us = $2 } END { if (us <= 0) exit 1; printf "%.9f\n", us / 1e6 }' \
		"$work/out"
}

$side || {
	cat "$work"/* >&2
	exit 1
}
