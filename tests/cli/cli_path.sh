#!/bin/bash
# Paths that spoil figures: loss, queues that drop, offloads that are off, unlike MTUs, long
# packets that vanish.  Hosts are network namespaces.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/lib.sh" || exit 99
. "$NP_SRCDIR/tests/hosts/hosts.sh" || exit 99
need NPtcp NPreport
enter_hosts "$@"
make_hosts 2 9000

within=()
# at_1 ARGUMENT...: NPtcp of host 1, with a server at host 2; as run.
at_1()
{
	on 2 "$NP_BUILDDIR/NPtcp" -P 5210 >"$work/server.out" 2>"$work/server.err" </dev/null &
	local server=$!
	on 1 timeout -k 5 "$LIMIT" "${within[@]}" "$NP_BUILDDIR/NPtcp" -h "$(address 2)" -P 5210 "$@" \
		>"$out.folded" 2>"$err" </dev/null
	local of_client=$?
	finish "$server"
	code=$of_client
	unfolded "$out.folded" >"$out"
}

path_line() # WORDS
{
	[ "$code" -eq 0 ] && grep -q "^  path *$1" "$out" && return
	show_run
	return 1
}
small=(--sizes 64,4K --time-budget 0.1)

at_1 "${small[@]}" --json "$work/path.json"
tap_check "a path without faults" eval '[ "$code" -eq 0 ] && ! grep -q "warning_path" "$work/path.json"'
tap_check "its interface is in the file" grep -q \
	'"interface":"eth0","interface_mtu":{"value":9000' "$work/path.json"

ip -n h2 link set eth0 mtu 1500
at_1 "${small[@]}"
tap_check "a peer with a smaller MTU" path_line ".*eth0: segments of 14[0-9]* B at an MTU of 9000"
ip -n h2 link set eth0 mtu 9000

# The interface's segmentation, which ethtool -K sets; ethtool may be missing.
${CC:-cc} -x c -o "$work/tso" - <<'END' || tap_bail "no compiler"
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
int main(int argc, char **argv)
{
	struct ethtool_value value = { .cmd = ETHTOOL_STSO, .data = atoi(argv[argc - 1]) };
	struct ifreq request = { .ifr_name = "eth0", .ifr_data = (char *)&value };
	return ioctl(socket(AF_INET, SOCK_DGRAM, 0), SIOCETHTOOL, &request) != 0;
}
END
if on 1 "$work/tso" 0; then
	at_1 "${small[@]}" --json "$work/tso.json"
	tap_check "an offload that is off" path_line ".*eth0: TSO is off (ethtool -K eth0 tso on)"
	on 1 "$work/tso" 1
	run NPreport "$work/tso.json"
	tap_check "in NPreport, too" grep -q "warning .*eth0: TSO is off" "$out"
else
	tap_skip "an offload that is off" "the kernel's links have none to set"
fi

# Counts of a card with a short queue: a file that grows, in place of the kernel's, in each
# sample of 0.2 s; it is never empty.
printf '%010d\n' 5 >"$work/dropped"
(while sleep 0.02; do printf '%010d\n' $((n += 100)) 1<>"$work/dropped"; done) &
growing=$!
within=(sh -c 'mount --bind "$0" /sys/class/net/eth0/statistics/rx_dropped && exec "$@"' "$work/dropped")
at_1 --sizes 64 --sample-time 200000 --passes 1 --time-budget 10
kill "$growing"
within=()
tap_check "packets that the interface drops" path_line \
	"[0-9]* packets dropped on receipt ([0-9]* at [^ ]* *[KiB]*): .*ethtool -S"

if tc qdisc add dev v2 root tbf rate 20mbit burst 10kb limit 20kb 2>/dev/null; then
	at_1 --sizes 256K -s --time-budget 3 --passes 1 --json "$work/again.json"
	tap_check "segments that are sent again" path_line "[0-9]* segments sent again ([0-9]* at 256 *K[iB]*)"
	run NPreport "$work/again.json"
	tap_check "NPreport has them" grep -q "path *[1-9][0-9]* segments sent again" "$out"
	tc qdisc del dev v2 root
else
	tap_skip "segments that are sent again" "no tbf in this kernel"
fi

# A switch with a smaller MTU than its hosts drops what is longer, and says nothing.  An
# offload would pass: the kernel's links cut it behind the bridge.
for host in 1 2; do
	ip -n "h$host" link set eth0 gso_max_segs 1
	ip link set "v$host" mtu 1500
done
at_1 --sizes 64,1000,1400,2K,64K --time-budget 1
tap_check "a path that drops long packets is named by size" \
	failed_with NPtcp 4 "messages of 1400 B arrived, none of 2048 B: .*MTU"
tap_check "by the server, too" one_line "$work/server.err" NPtcp "messages of 1400 B arrived, none of 2048 B"
at_1 --sizes 64,1000,1400 --time-budget 0.1
tap_check "and carries shorter messages" well_done 64 1000 1400
cli_done
