#!/bin/bash
# netem.sh - NPtcp between two hosts whose link delays, loses and reorders packets, or
# swallows all of them.  What netem does is known: a delay is the least that a message
# can take, and its own counts tell what was lost.  The hosts are network namespaces;
# the kernel needs sch_netem, which one_host.sh has in a virtual machine.
#
# Each fault is a test, as in cli_faults.sh, and with NP_TABLES a row of its table in
# netem.md of that folder.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/lib.sh" || exit 99
. "$NP_SRCDIR/tests/hosts/hosts.sh" || exit 99
need NPtcp
enter_hosts "$@"
make_hosts 2
trap clean_up EXIT
tc -n h1 qdisc add dev eth0 root netem delay 1ms 2>/dev/null ||
	tap_skip_all "no netem in this kernel"

table=${NP_TABLES:-$work}/netem.md
: >"$table"
LONG="--sizes 1,64,4K --time-budget 120 --precision 0 --bind none"
HANG=60 # seconds, on a machine that is busy with other things
number=0 far='' near=''

# shape WORDS...: of netem, at either host for what it sends, a packet at a time: as
# one large packet a message is lost as a whole or not at all.
shape()
{
	local host
	for host in 1 2; do
		ip -n "h$host" link set eth0 gso_max_segs 1
		tc -n "h$host" qdisc replace dev eth0 root netem "$@" || return
	done
}

# anew WORDS...: the same, with counts from nought.
anew()
{
	tc -n h1 qdisc del dev eth0 root 2>/dev/null
	tc -n h2 qdisc del dev eth0 root 2>/dev/null
	shape "$@"
}

# Packets that netem has dropped.
dropped()
{
	{ tc -n h1 -s qdisc show dev eth0 && tc -n h2 -s qdisc show dev eth0; } |
		sed -n 's/.*(dropped \([0-9]*\),.*/\1/p' | awk '{ n += $1 } END { print n + 0 }'
}

# Segments that host 2 got ahead of others, by its own count.
came_early()
{
	on 2 cat /proc/net/netstat | awk '
		/^TcpExt:/ && !named { named = split($0, names); next }
		/^TcpExt:/ { for (i = 2; i <= NF; i++) if (names[i] == "TCPOFOQueue") print $i }'
}

# begin OPTION...: both ends, the near one with these options.
begin()
{
	number=$((number + 1)) case=$work/case$number
	ip netns exec h2 "$NP_BUILDDIR/NPtcp" -P $((5200 + number)) >"$case.far.out" \
		2>"$case.far.err" </dev/null &
	far=$!
	until_true 20 grep -q "waits at port" "$case.far.out"
	struck=$(date +%s%N)
	ip netns exec h1 "$NP_BUILDDIR/NPtcp" -h "$(address 2)" -P $((5200 + number)) "$@" \
		--json "$case.json" >"$case.near.out" 2>"$case.near.err" </dev/null &
	near=$!
	echo "$case.json" >>"$work/.written"
}

measures_long()
{
	# shellcheck disable=SC2086 # words
	begin $LONG "$@"
	until_true 60 visits 12 "$case.json"
	struck=$(date +%s%N)
}

# The sizes of these lines.
sizes_of()
{
	grep "\"kind\":\"$1\"" "$case.json" 2>/dev/null | grep -v '"sentinel":true' |
		grep -o '"bytes":[0-9]*' | sort -u | wc -l
}

as_wanted()
{
	local status=0
	[ "$near_code" = "$1" ] || { echo "the transmitter ended with $near_code"; status=1; }
	[ "$far_code" = "$2" ] || { echo "the server ended with $far_code"; status=1; }
	[ -z "$3" ] || one_line "$case.near.err" NPtcp "$3" || status=1
	[ -n "$3" ] || [ ! -s "$case.near.err" ] || status=1
	[ "$(sizes_of visit)" -eq "$(sizes_of row)" ] || { echo "a row is lost"; status=1; }
	[ "$near_code" = 0 ] || ! grep -q '"kind":"findings","complete":true' "$case.json" ||
		status=1
	[ "$status" -eq 0 ] || cat "$case.near.err" "$case.far.err"
	return "$status"
}

# judge NAME NEAR FAR WORDS: how both ended, and what the transmitter said; "waits on"
# for a server that has nobody to wait for and is still there.
judge()
{
	local name=$1 near_code far_code seconds rows said
	shift
	finish "$near" $HANG
	near_code=$code
	if [ "$2" = "waits on" ]; then
		far_code="waits on"
		ended "$far" && far_code="has ended"
		kill -KILL "$far" 2>/dev/null
	fi
	seconds=$(awk -v a="$struck" -v b="$(date +%s%N)" 'BEGIN { printf "%.1f", (b - a) / 1e9 }')
	finish "$far" $HANG
	[ "$2" = "waits on" ] || far_code=$code
	tap_check "$name" as_wanted "$@"
	rows="$(sizes_of row) of $(sizes_of visit)"
	[ -s "$case.json" ] || rows=—
	said=$(head -n 1 "$case.near.err" | sed 's/^NPtcp: //; s/|/\\|/g')
	printf '| %s | %s | %s | %s | %s | %s |\n' "$name" "$near_code" "$far_code" \
		"${said:-—}" "$seconds" "$rows" >>"$table"
}

# Every row's least time, in one direction, against seconds; netem counts in units of
# 64 ns and the clocks are the same, so a hundredth is plenty.
none_below()
{
	grep '"kind":"row"' "$case.json" | grep -o '"min_s":[0-9.e-]*' | cut -d: -f2 |
		awk -v least="$1" '{ n++ } $1 < least * 0.99 { low++; print $1 " s, below " least }
			END { exit n == 0 || low > 0 }'
}

every_byte_right()
{
	grep -q 'every byte right' "$case.near.out" && return
	tail -n 5 "$case.near.out"
	return 1
}

# ---- Delay -------------------------------------------------------------------------
anew delay 10ms
begin --sizes 1,4K --time-budget 1 --bind none
judge "netem: delay 10 ms" 0 0 ""
tap_check "no message is faster than the delay" none_below 0.010
anew delay 10ms
tc -n h2 qdisc replace dev eth0 root netem delay 30ms
begin --sizes 1,4K --time-budget 1 --bind none
judge "netem: delay 10 ms there and 30 ms back" 0 0 ""
tap_check "half a round trip has half of both delays" none_below 0.020

# ---- Loss --------------------------------------------------------------------------
anew delay 10ms loss 1%
begin --sizes 64,64K --time-budget 2 --bind none
judge "netem: delay 10 ms, loss 1 %" 0 0 ""
tap_check "and packets were lost" [ "$(dropped)" -gt 0 ]
tap_check "still none is faster than the delay" none_below 0.010
anew delay 1ms loss 1%
begin -i --sizes 64,64K --time-budget 2 --bind none
judge "netem: loss 1 %, every byte checked" 0 0 ""
tap_check "every byte is right in spite of it" every_byte_right

# ---- Order -------------------------------------------------------------------------
before=$(came_early)
anew delay 5ms reorder 25% 50%
begin -i --sizes 64,64K --time-budget 2 --bind none
judge "netem: one packet in four ahead of others" 0 0 ""
tap_check "packets came in another order" [ "$(came_early)" -gt "$before" ]
tap_check "every byte is in its place" every_byte_right

# ---- Nothing at all ----------------------------------------------------------------
anew delay 1ms
measures_long
shape loss 100%
judge "netem: black hole in the middle" 4 4 "has not answered for 5 s"
anew delay 1ms
measures_long --time-budget 4
shape loss 100%
sleep 1.5
shape delay 1ms
judge "netem: black hole for 1.5 s" 0 0 ""
anew loss 100%
# shellcheck disable=SC2086 # words
begin $LONG --connect-timeout 1
judge "netem: black hole from the start" 4 "waits on" "cannot reach .*\(timed out\|No route\)"
cli_done
