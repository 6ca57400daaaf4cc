#!/bin/bash
# NPofi between two hosts, which are network namespaces: messages go by the addresses by which
# the processes are connected, and each process may name a domain of its own.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/lib.sh" || exit 99
. "$NP_SRCDIR/tests/hosts/hosts.sh" || exit 99
need NPofi
enter_hosts "$@"
make_hosts 2

# The namespaces have one kernel, so the processes take themselves for those of one host:
# what libfabric chooses has to be a network's, or none of it would be tested.
between() # NAME OPTION...: every byte, and packets at the second host's link
{
	local before after
	before=$(on 2 cat /sys/class/net/eth0/statistics/rx_bytes)
	on 2 "$NP_BUILDDIR/NPofi" -P 7001 >"$work/server.out" 2>"$work/server.err" </dev/null &
	pid=$!
	until_true 60 finds_port server || return
	on 1 timeout -k 5 "$LIMIT" "$NP_BUILDDIR/NPofi" -h "$(address 2)" -P 7001 \
		--sizes 8,100000 --quick -i "${@:2}" >"$out" 2>"$err" </dev/null
	local ended=$?
	finish "$pid" 60
	code=$ended
	after=$(on 2 cat /sys/class/net/eth0/statistics/rx_bytes)
	tap_check "$1: every byte" checked 8 100000
	tap_check "$1: over the link" [ $((after - before)) -gt 100000 ]
}
between "datagrams" --provider tcp
between "a connection" --provider tcp --connection msg
between "a domain by its name" --provider tcp -D eth0
between "tags over UDP" --provider "udp;ofi_rxd" -t tagged
cli_done
