#!/bin/bash
# ibv_iwarp.sh - NPibv over iWARP, in a machine whose RDMA device rxe0 gives way to siw0.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/lib.sh" || exit 99
need NPibv
[ -z "${NP_VM_NO_SIW:-}" ] || tap_skip_all "$NP_VM_NO_SIW"
rdma link delete rxe0 2>/dev/null
ip link set v0 up && rdma link add siw0 type siw netdev v0 || tap_bail "no siw0"

# conforms WORDS: the settings whose names have these in them, against the contract.
conforms()
{
	NP_REQUIRE=ibv "$NP_BUILDDIR/tests/conformance/conform.t" ibv "$1" \
		>"$work/conform" 2>&1 && [ "$(grep -c '^ok' "$work/conform")" -gt 4 ] && return
	grep -v '^ok' "$work/conform"
	return 1
}

# measures SIZES ARGUMENT...
measures()
{
	local sizes=$1
	shift
	run NPibv --local "$@" --sizes "${sizes// /,}" --time-budget 0.3 --quiet
	# shellcheck disable=SC2086 # words
	well_done $sizes
}

run NPibv --list-devices
tap_check "--list-devices names it" grep -q 'siw0:1 GID 0  iWARP .*, v0' "$out"
# Asleep, for siw works in threads of its own, which programs that poll keep waiting.
tap_check "ping-pong, reuse and rotate" measures "1 64 4096" -c event -I --pool 1M
tap_check "by polling" measures "64 65536" --srq
tap_check "writes" measures "64 4096" -t rdma_write
# libsiw takes the place of the fourth queue pair for a failure.
tap_check "many queue pairs" measures "64" -c event --qps 8
tap_check "credits of a stream" measures "64 4096" -c event -s --window 8
# The process that has not connected may not send first.
tap_check "both directions at once" measures "64 4096" -c event -2
tap_check "the contract, by librdmacm" conforms librdmacm
for how in ud send_recv_with_imm rdma_write_with_imm; do
	run NPibv --local -t "$how" --sizes 64
	tap_check "$how is refused" grep -q "^NPibv: .*-t $how: device siw0 is iWARP, which has no" "$err"
done
cli_done
