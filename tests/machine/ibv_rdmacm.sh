#!/bin/bash
# ibv_rdmacm.sh - NPibv through librdmacm, in a machine that has the RDMA device rxe0 on v0.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/lib.sh" || exit 99
need NPibv

# connects ARGUMENT...: through librdmacm, with results in kept.jsonl.
connects()
{
	run NPibv --local --connection rdmacm "$@" --sizes 64,4K --time-budget 0.3 --quiet --force \
		--json "$work/kept.jsonl"
	well_done 64 4096
}

# has_class N: the traffic class that the queue pairs of both processes have.
has_class()
{
	[ "$(grep -c "\"traffic_class\": *{\"value\": *$1," "$work/kept.jsonl")" -ge 1 ] && return
	cat "$work/kept.jsonl"
	return 1
}

tap_check "by the IPv4 address" connects
tap_check "by a GID that is made of a MAC address" connects --gid-index 0
tap_check "traffic class 0 by default" has_class 0
mount -t configfs none /sys/kernel/config && mkdir /sys/kernel/config/rdma_cm/rxe0 &&
	echo 104 >/sys/kernel/config/rdma_cm/rxe0/ports/1/default_roce_tos ||
	tap_bail "no default_roce_tos"
connects
tap_check "the administrator's ToS is left alone" has_class 104
connects --traffic-class 32
tap_check "unless another is asked for" has_class 32
cli_done
