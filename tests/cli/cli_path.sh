#!/bin/bash
# Paths that spoil figures: long packets that vanish.  Hosts are network namespaces.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/lib.sh" || exit 99
. "$NP_SRCDIR/tests/hosts/hosts.sh" || exit 99
need NPtcp
enter_hosts "$@"
make_hosts 2 9000

# at_1 ARGUMENT...: NPtcp of host 1, with a server at host 2; as run.
at_1()
{
	on 2 "$NP_BUILDDIR/NPtcp" -P 5210 >"$work/server.out" 2>"$work/server.err" </dev/null &
	local server=$!
	on 1 timeout -k 5 "$LIMIT" "$NP_BUILDDIR/NPtcp" -h "$(address 2)" -P 5210 "$@" \
		>"$out.folded" 2>"$err" </dev/null
	local of_client=$?
	finish "$server"
	code=$of_client
	unfolded "$out.folded" >"$out"
}

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
