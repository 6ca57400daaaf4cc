#!/bin/bash
# NPofi from the command line: every transfer over providers that need no device, what it
# refuses, and a peer that dies or has another libfabric.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/lib.sh" || exit 99
need NPofi
CHECK="--sizes 8,100000 --quick -i"
# libfabric initializes every other provider, too, for most of a second in each process.
export FI_PROVIDER=tcp,shm,sockets,udp,ofi_rxm,ofi_rxd

every_byte() # NAME ARGUMENT...
{
	run NPofi --local $CHECK "${@:2}"
	tap_check "$1: every byte" checked 8 100000
}
for transfer in msg tagged rma_write rma_read; do
	for provider in tcp shm; do
		every_byte "$transfer over $provider" -t $transfer --provider $provider
	done
	every_byte "$transfer asleep" -t $transfer --provider "tcp;ofi_rxm" -c event
done
every_byte "over a connection" --connection msg --provider tcp
every_byte "over a connection, asleep" --connection msg --provider tcp -c event
every_byte "notified writes over sockets" --provider sockets -t rma_write -c event
every_byte "over datagrams" --provider "udp;ofi_rxd"
every_byte "by counters" -c counter -t tagged
every_byte "reads by counters" -c counter -t rma_read
every_byte "no message injected" --inline no
every_byte "each registered" --register each
measures "a stream of writes" "64 4096" NPofi --local -t rma_write -s --sizes 64,4K --time-budget 0.05
measures "both directions" "64 20000" NPofi --local -2 --sizes 64,20000 --time-budget 0.05
measures "cold buffers" "64 4096" NPofi --local -I --sizes 64,4K --pool 4M --time-budget 0.05
measures "fresh buffers" "64" NPofi --local -I --buffers fresh --pool 8M --sizes 64 --time-budget 0.05
measures "reads into fresh buffers" "64" NPofi --local -t rma_read -I --buffers fresh --pool 8M --sizes 64 \
	--time-budget 0.05
swept()
{
	[ "$code" -eq 0 ] && grep -q '"kind":"capacity"' "$work/sweep.json" && return
	show_run
	return 1
}
for transfer in msg rma_read; do
	run NPofi --local -t $transfer --capacity 4K --pool 1M --time-budget 1 --force \
		--json "$work/sweep.json"
	tap_check "a capacity is looked for, $transfer" swept
done
measures "a registered pool" "64" NPofi --local --register pool --sizes 64 --time-budget 0.05

facts()
{
	# Lines are wrapped.
	local text
	text=$(tr -s ' \n' ' ' <"$out")
	[[ $text =~ libfabric_version=[0-9] && $text == *"provider=shm"* &&
		$text == *"mr_mode=FI_MR_VIRT_ADDR"* &&
		$text =~ inject_limit_bytes=[0-9]+" (tx_attr.inject_size)" &&
		$text == *"mr_cache_max_count=default"* ]] && return
	show_run
	return 1
}
run NPofi --local -v --provider shm --sizes 64 --time-budget 0.05
tap_check "the header has version, provider, limits and the cache" facts

lists()
{
	[ "$code" -eq 0 ] && grep -q "^tcp;ofi_rxm  *--connection rdm -D .*inject [0-9]* B" "$out" &&
		grep -q "^tcp  .*--connection msg .*not usable: no tagged" "$out" &&
		grep -q "^udp  .*not usable: its datagrams are unreliable" "$out" && return
	show_run
	return 1
}
run NPofi --list-devices -t tagged
tap_check "providers are listed with domains, limits and reasons" lists

usage() # NAME WORDS ARGUMENT...
{
	refused "$1" 2 "$2" NPofi --local "${@:3}"
}
usage "a provider that is not there" "--provider: .*'carrier'.*none of it on this host" --provider carrier
usage "a provider without tags" "'tcp' for -t tagged by --connection msg: no tagged messages" \
	--provider tcp --connection msg -t tagged
usage "a provider without connections" "'shm' .*: no endpoint of that type" --provider shm --connection msg
usage "an unknown domain" "other names than -D" -D mlx9_0
usage "events that a provider lacks" "-c event: provider shm has no descriptor .*: use -c poll" \
	--provider shm -c event
usage "a counter of written messages" "-c counter.*-c poll" -t rma_write -c counter
usage "a read in both directions" "-2.*one-sided" -t rma_read -2
usage "a read that is acknowledged" "--window 1.*one-sided" -t rma_read -s --window 1
usage "a write of no bytes" "-l 0.*-t msg or tagged" -t rma_write -l 0
usage "a key for each message" "--register each.*remote key" -t rma_read --register each
usage "a window that is too long" "--window.*512" -s --window 5000
usage "a window beyond the provider's queue" "--window: 300 is too many for provider tcp" -s \
	--provider tcp --connection msg --window 300
usage "a variable that libfabric lacks" "variant x: libfabric has no variable FI_MR_CACHE_MAX_CONT" \
	--variant base: --variant x:env:FI_MR_CACHE_MAX_CONT=0

caches()
{
	[ "$code" -eq 0 ] && grep '"kind":"pair"' "$work/v.json" | grep -q '"of":"none/base"' &&
		grep '"kind":"header"' "$work/v.json" | grep -q '"mr_cache_max_count":"0"' && return
	show_run
	return 1
}
run NPofi --local --sizes 64 --time-budget 1 --runs 2 --variant base: \
	--variant none:env:FI_MR_CACHE_MAX_COUNT=0 --json "$work/v.json"
tap_check "settings of the cache are variants, in runs of their own" caches
run NPofi --local --sizes 64 --time-budget 1 --variant tcp:provider=tcp --variant shm:provider=shm
tap_check "an endpoint of each provider" well_done 64

tap_check "a peer that dies" lost_peer NPofi libfabric --provider tcp
tap_check "a peer that dies, connected" lost_peer NPofi libfabric --provider tcp --connection msg
tap_check "a peer that dies, asleep" lost_peer NPofi libfabric --provider tcp -c event -t tagged
tap_check "a peer that dies, by counters" lost_peer NPofi libfabric --provider tcp -c counter
tap_check "a peer that dies, shared memory" lost_peer NPofi libfabric --provider shm

cancelled()
{
	local json=$work/cancel$1.json
	start client NPofi --local --sizes 64,200000 --time-budget 60 --precision 0 --json "$json" \
		--provider tcp "${@:2}"
	local client=$pid
	until_true 60 visits 1 "$json" || { cat "$work/client.err"; return 1; }
	kill -TERM "$client"
	finish "$client" 60
	[ "$code" -eq 143 ] && return
	echo "code $code"
	cat "$work/client.err"
	return 1
}
tap_check "a run that is cancelled" cancelled 1
tap_check "a run that is cancelled, asleep" cancelled 2 -c event -s

# The server's library tells of another version, as one of another host would.
cat >"$work/version.c" <<'END'
unsigned fi_version(void);
unsigned fi_version(void)
{
	return 1u << 16 | 99;
}
END
other_version()
{
	${CC:-cc} -shared -fPIC -o "$work/version.so" "$work/version.c" || return
	LD_PRELOAD=$work/version.so ASAN_OPTIONS=verify_asan_link_order=0 start_server NPofi || return
	run NPofi -h 127.0.0.1 -P "$port" --sizes 64 --time-budget 0.05
	kill "$server" 2>/dev/null
	local ended=$code
	finish "$server" 30
	code=$ended
	one_line "$err" NPofi "libfabric 1\.[0-9]*, .* and the peer has libfabric 1\.[0-9]*" &&
		[ "$code" -ne 0 ] && return
	show_run
	return 1
}
tap_check "two versions" other_version
cli_done
