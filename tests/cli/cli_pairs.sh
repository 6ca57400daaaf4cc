#!/bin/bash
# Two and four hosts, as network namespaces on a bridge: run and all pairs, IPv4
# and IPv6, small frames and large, and a host with a slow link that is named.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/lib.sh" || exit 99
. "$NP_SRCDIR/tests/hosts/hosts.sh" || exit 99
need NPtcp NPfleet
enter_hosts
make_hosts 6
way=(--rsh "ip netns exec %h" --remote-program "$NP_BUILDDIR/NPtcp")

at() # HOST ARGUMENT...: as run, at a host
{
	local host=$1
	shift
	{ on "$host" timeout -k 5 "$LIMIT" "$NP_BUILDDIR/NPtcp" "$@" >"$out" 2>"$err" </dev/null; } \
		2>/dev/null
	code=$?
}

# ---- Two hosts --------------------------------------------------------------
reaches() # FAMILY MTU
{
	local to i
	[ "$1" = 4 ] && to=$(address 2) || to=$(address6 2)
	for i in 1 2 3 4; do
		ip link set "v$i" mtu "$2" && ip -n "h$i" link set eth0 mtu "$2" || return
	done
	ip link set br0 mtu "$2"
	at 1 --remote h2 "${way[@]}" -h "$to" $SMALL --json "$work/launch.$1.$2.json"
	well_done 1 64 4096 && has_lines "$work/launch.$1.$2.json" header visit row findings
}
for mtu in 1500 9000; do
	tap_check "--remote, IPv4, MTU $mtu" reaches 4 $mtu
	if [ -e /proc/net/if_inet6 ]; then
		tap_check "--remote, IPv6, MTU $mtu" reaches 6 $mtu
	else
		tap_skip "--remote, IPv6, MTU $mtu" "no IPv6"
	fi
done
only_here()
{
	on 2 "$NP_BUILDDIR/NPtcp" --bind-address "$(address6 2)" --allow "$(address6 1)/128" -P 5002 \
		>"$work/wait.out" 2>&1 &
	until_true 20 grep -q 'waits at port' "$work/wait.out"
	at 3 -h "$(address6 2)" --connect-timeout 0 $SMALL
	failed_with NPtcp 4 "closed the connection" || return
	at 1 -h "$(address6 2)" $SMALL
	well_done 64
}
if [ -e /proc/net/if_inet6 ]; then
	tap_check "one address waits, and one may connect" only_here
else
	tap_skip "one address waits, and one may connect" "no IPv6"
fi

# ---- All pairs --------------------------------------------------------------
for i in 1 2 3 4; do echo "h$i $(address $i)"; done >"$work/hosts"
# None is so slow, whatever else this machine does, that a pair is looked at again.
PAIRS="--slow 100000 tcp --sizes 64,64K --time-budget 0.4"
has_counts() # "KIND COUNT"...
{
	local wanted found
	found=$("$NP_BUILDDIR/tests/lib/json_lines" "$work/pairs") || return 1
	for wanted; do
		echo "$found" | grep -qx "$wanted" || { echo "not $wanted in: $found"; return 1; }
	done
}
all_pairs() # ARGUMENT...
{
	rm -f "$work"/pairs*
	run NPfleet --hosts "$work/hosts" "${way[@]}" --json "$work/pairs" "$@"
}
all_pairs $PAIRS
tap_check "four hosts, six pairs" eval '[ "$code" -eq 0 ] && [ ! -s "$err" ] &&
	grep -q "^6 of 6 pairs measured" "$out" || { show_run; false; }'
tap_check "a line for each host, with times and rates" eval \
	'[ "$(grep -c "^h[1-4] .* us .*bit/s " "$out")" -eq 4 ]'
cp "$work/pairs" "$work/before"
run NPfleet --hosts "$work/hosts" "${way[@]}" --json "$work/pairs" $PAIRS
tap_check "what the file held is kept, and said" eval 'cmp "$work/before" "$work/pairs.~1~" &&
	unfolded "$out" | grep -q "kept *$work/pairs.~1~: what $work/pairs held before" || { show_run; false; }'
tap_check "the file holds each round, and each host and size" eval 'has_counts "hosts 1" "host 8" \
	"fleet 1" && [ "$(grep -c "\"look\":false" "$work/pairs")" -eq 3 ]'
sed -n '/^host/,/^$/p' "$out" >"$work/said"
run NPreport "$work/pairs"
tap_check "the report says what the run said" eval '[ "$code" -eq 0 ] && [ -s "$work/said" ] &&
	sed -n "/^host/,/^$/p" "$out" | cmp - "$work/said"'
all_pairs $PAIRS -s
tap_check "streams are measured both ways" eval '[ "$code" -eq 0 ] &&
	grep -q "^6 of 6 pairs measured" "$out" || { show_run; false; }'
all_pairs --fail-on slower $PAIRS --buffers rotate --pool 16M
tap_check "pairs over cold buffers alone are judged" eval '[ "$code" -eq 0 ] &&
	grep -q "^6 of 6 pairs measured" "$out" || { show_run; false; }'
all_pairs --slow 100000 --groups <(printf 'h1 a\nh2 a\nh3 b\nh4 b\n') tcp --sizes 64 --time-budget 0.2
tap_check "groups of hosts" eval '[ "$code" -eq 0 ] &&
	grep -q "\"groups\":\[\"a\",\"a\",\"b\",\"b\"\]" "$work/pairs" || { show_run; false; }'

# Host 4 sits behind a link of 2 Mbit/s, and the others behind one of 30: a message takes
# far longer than what a busy machine adds, by which few pairs would differ too much.  The
# bucket holds two frames, 5 % of a message, and the queue several messages.
slow_link()
{
	local i
	for i in 1 2 3 4 5 6; do
		ip link set "v$i" mtu 1500 && ip -n "h$i" link set eth0 mtu 1500 || return
	done
	for i in 1 2 3 4 5 6; do
		tc qdisc add dev "v$i" root tbf rate $((i == 4 ? 2 : 30))mbit burst 3kb latency 1s \
			2>/dev/null || return
	done
}
# What is judged is a figure, and a sanitizer's own time hides it.
if [ "${NP_SANITIZERS:-no}" != no ]; then
	tap_skip "a host with a slow link is named, and no other" "built with sanitizers"
elif slow_link; then
	# Two more: the pairs of five hosts leave the residuals one degree of freedom, of six three.
	for i in 5 6; do echo "h$i $(address $i)"; done >>"$work/hosts"
	all_pairs --slow 100 --fail-on slower tcp --sizes 64K --time-budget 1
	sed -i '/^h[56]/d' "$work/hosts"
	tap_check "a host with a slow link is named, and no other" eval '[ "$code" -eq 3 ] &&
		[ "$(grep "^slow host" "$out" | cut -d: -f2)" = " h4 at 64 KiB" ] &&
		grep -q "^NPfleet: 15 of 15 pairs measured; slow: 1 host, 0 pairs" "$err" || { show_run; false; }'
	for i in 1 2 3 4 5 6; do
		tc qdisc del dev "v$i" root
	done
else
	tap_skip "a host with a slow link is named, and no other" "no token bucket in this kernel"
fi

# Host 3 is there and is not: its address is.
sed "s/^h3 .*/h3 10.77.0.99/" "$work/hosts" >"$work/hosts3"
mv "$work/hosts3" "$work/hosts"
all_pairs $PAIRS
# It reaches others, and they do not reach it.
tap_check "pairs that cannot be measured are named, the others are" eval '
	[ "$code" -eq 4 ] && grep -q "^4 of 6 pairs measured" "$out" &&
	[ "$(grep -c "^not measured: h[12] - h3: cannot reach 10.77.0.99" "$out")" -eq 2 ] &&
	grep -q "^NPfleet: 2 of 6 pairs could not be measured; h[12] - h3: cannot" "$err" ||
	{ show_run; false; }'
printf 'h1 10.77.0.1\nh2 10.77.0.2\nh4 10.77.0.4\nno-such-host\n' >"$work/hosts"
all_pairs $PAIRS
tap_check "a host that is none is one line, and the others are measured" eval '[ "$code" -eq 4 ] &&
	[ "$(grep -c "^not measured" "$out")" -eq 1 ] && grep -q "^3 of 6 pairs measured" "$out" &&
	grep -q "; no-such-host: cannot start NPtcp at no-such-host: " "$err" || { show_run; false; }'
printf 'h1\nh1\n' >"$work/hosts"
refused "a host that stands there twice" 2 "stands there twice" \
	NPfleet --hosts "$work/hosts" tcp
refused "the option of before" 2 "unknown option '--all-pairs'; use netpong fleet --hosts FILE" \
	NPtcp --all-pairs "$work/hosts"
refused "neither hosts nor ranks" 2 "give --hosts FILE or --launcher COMMAND" NPfleet tcp
refused "an option of hosts with a launcher" 2 "--slow is for --hosts: " NPfleet --launcher x --slow 7 mpi
refused "no program" 2 "no program: give its name" NPfleet --hosts "$work/hosts"
refused "an option that the program lacks" 2 "unknown option '--sices'; did you mean --sizes" \
	NPfleet --hosts "$work/hosts" tcp --sices 64
refused "an option that stands behind the program" 2 "--fleet excludes --json: .* before the program's name" \
	NPfleet --hosts "$work/hosts" tcp --json "$work/pairs"
refused "a program of one host" 2 "both processes run on this host" NPfleet --hosts "$work/hosts" shm
for i in 1 2 3 4; do echo "h$i $(address $i)"; done >"$work/hosts"
printf 'h1 a\nh9 a\n' >"$work/groups"
refused "a group of a host that is none" 2 "h9 is none of the hosts" \
	NPfleet --hosts "$work/hosts" --groups "$work/groups" tcp
"$NP_BUILDDIR/NPfleet" --hosts "$work/hosts" "${way[@]}" --json "$work/stopped" \
	tcp --sizes 64 --time-budget 3 --precision 0 >"$out" 2>"$err" </dev/null &
pid=$!
until_true 60 grep -q '"kind":"round"' "$work/stopped"
kill -INT "$pid"
finish "$pid"
tap_check "stopped half-way it says what it has" eval '[ "$code" -eq 130 ] &&
	one_line "$err" NPfleet "stopped by SIGINT" && grep -q "^[2-4] of 6 pairs measured" "$out" ||
	{ show_run; false; }'
cli_done
