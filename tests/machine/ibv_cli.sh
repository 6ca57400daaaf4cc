#!/bin/bash
# NPibv on a command line, in a machine that has the RDMA device rxe0 on the
# Ethernet device v0 and nothing to lose: one_host.sh runs it in a virtual one, as
# root.  The device is gone at the end.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/lib.sh" || exit 99
need NPibv
BRIEF="--time-budget 0.3 --quiet"
SIZES="--sizes 1,64,4K,64K"

# kept NAME SIZES KIND... -- ARGUMENT...: measures, and the file of results holds
# these kinds and nothing that is wrong.
kept()
{
	local name=$1 sizes=$2 kinds=()
	shift 2
	while [ "$1" != -- ]; do
		kinds+=("$1")
		shift
	done
	shift
	run NPibv --local "$@" --force --json "$work/kept.jsonl"
	tap_check "$name" well_kept "$sizes" "${kinds[@]}"
}

well_kept()
{
	local sizes=$1
	shift
	# shellcheck disable=SC2086 # words
	well_done $sizes && has_lines "$work/kept.jsonl" header findings "$@"
}

# choices_kept NAME CHOICE... -- ARGUMENT...: as kept, with rows of 64 and of 4096
# bytes for each choice.
choices_kept()
{
	local name=$1 choices=()
	shift
	while [ "$1" != -- ]; do
		choices+=("$1")
		shift
	done
	shift
	run NPibv --local "$@" --force --json "$work/kept.jsonl" --sizes 64,4K \
		--time-budget 0.6 --quiet
	tap_check "$name" choices_well_kept "${choices[@]}"
}

choices_well_kept()
{
	local choice size
	if [ "$code" -eq 0 ] && has_lines "$work/kept.jsonl" header visit row pair findings; then
		for choice; do
			for size in 64 4096; do
				has_rows "$out" "$size" || { show_run && return 1; }
			done
			grep -q " $choice" "$out" || { show_run && return 1; }
		done
		return 0
	fi
	show_run
	return 1
}

# ---- Operations, reuse and rotate -----------------------------------------------
# The conformance test has each with every completion, burst and queue, and looks at every
# byte; the imitated device has each option.  -I measures both modes in the same run.
for way in send_recv:event rdma_write:local_poll rdma_read:poll; do
	# shellcheck disable=SC2086
	kept "${way%:*}, ${way#*:}, reuse and rotate" "64 4096" visit row pair -- \
		-t "${way%:*}" -c "${way#*:}" -I --pool 1M --sizes 64,4K $BRIEF
done
# shellcheck disable=SC2086
{
	kept "compare_and_swap, event, reuse and rotate" 8 visit row pair -- \
		-t compare_and_swap -c event -I --pool 1M $BRIEF
	kept "a stream of fetch_and_add" 8 visit row -- -s -t fetch_and_add $BRIEF
	kept "unreliable writes, reuse and rotate" "64 4096" visit row pair -- \
		--connection uc -t rdma_write -I --pool 1M --sizes 64,4K $BRIEF
}

# ---- Streams and both directions -------------------------------------------------
# shellcheck disable=SC2086
{
	kept "a stream by rdma_read, event" "64 65536" visit row -- -s -t rdma_read \
		-c event --sizes 64,64K $BRIEF
	kept "a stream by ud" "64 4096" visit row -- -s -t ud --sizes 64,4K $BRIEF
	kept "both directions by rdma_write" "64 65536" visit row -- -2 -t rdma_write \
		--sizes 64,64K $BRIEF
}

# ---- Every byte ------------------------------------------------------------------
# checks NAME ARGUMENT...
checks()
{
	local name=$1
	shift
	# shellcheck disable=SC2086
	run NPibv --local -i $BRIEF "$@"
	tap_check "every byte: $name" all_right
}
all_right()
{
	[ "$code" -eq 0 ] && [ ! -s "$err" ] &&
		[ "$(grep -c "every byte right" "$out")" -ge 1 ] && return
	show_run
	return 1
}
checks "a burst of sends, reuse and rotate" -B -I --pool 1M --sizes 64,64K

# ---- Registration ----------------------------------------------------------------
# shellcheck disable=SC2086
{
	kept "many regions" "64 4096" visit row pair -- -I --regions 64 --pool 2M \
		--sizes 64,4K $BRIEF
}
choices_kept "registration alone, by size" ibv_reg_mr ibv_dereg_mr -- --register cost

# ---- Comparing ways to wait --------------------------------------------------------
choices_kept "all three ways to wait for a write" poll local_poll event -- \
	-t rdma_write_with_imm -c poll,local_poll,event
tap_check "with the ratio of their times" grep -q 'event over poll' "$out"

# ---- Variants in one run -------------------------------------------------------------
held()
{
	local header
	header=$(grep '"kind":"header"' "$work/kept.jsonl")
	[ "$code" -eq 1 ] && [ "$(grep -c '"kind":"header"' "$work/kept.jsonl")" -eq 1 ] &&
		grep -q "every round: much" "$err" && grep -q "event over base" "$out" &&
		[[ $header == *'"small.mtu":"1024"'* && $header == *'"none.inline_limit":"0"'* ]] &&
		return
	show_run
	return 1
}
run NPibv --local --sizes 64,4K --time-budget 2 --force --json "$work/kept.jsonl" --variant base: \
	--variant event:wait=event --variant small:mtu=1024 --variant none:inline=0 \
	--variant much:inline=9999
tap_check "completion modes, MTUs and inline limits interleaved" held

# ---- Resources -------------------------------------------------------------------
# shellcheck disable=SC2086
{
	kept "more queue pairs than descriptors" "64 4096" row -- --qps 1200 --sizes 64,4K \
		$BRIEF
	kept "of the device and GID asked for" "64" row -- -D rxe0:1 --gid-index 1 \
		--sizes 64 $BRIEF
}
# said NAME VALUE: a fact in the header of the newest results.
said()
{
	head -n 1 "$work/kept.jsonl" | grep -Eq "\"$1\": ?(\"|\{\"value\":)?$2"
}
tap_check "the header names the device" said device rxe0
tap_check "its GID and the GID's type" eval 'said gid ::ffff: && said gid_type "RoCE v2"'
tap_check "the MTU of the path" said mtu 4096
tap_check "its limits" eval 'said max_qp_wr "[0-9]+" && said max_mr "[0-9]+"'
# Not as the kernel has cached it for 10 ms: a measurement without packets is none.
# shellcheck disable=SC2086
run NPibv --local --force --json "$work/kept.jsonl" $SIZES --per-message --time-budget 1 --quiet
tap_check "and every measurement has the packets that it sent" \
	eval 'grep -q "\"sent_pkts\":[1-9]" "$work/kept.jsonl" &&
		! grep -q "\"sent_pkts\":0[,}]" "$work/kept.jsonl"'

run NPibv --list-devices
tap_check "--list-devices ends well" [ "$code" -eq 0 ]
tap_check "it names the port, its state and GIDs" \
	eval 'grep -Eq "rxe0:1 .*active.*MTU" "$out" &&
		grep -Eq "rxe0:1 GID 1 .*RoCE v2 ::ffff:10\.11\.0\.1, v0" "$out"'

# ---- Refusals --------------------------------------------------------------------
# declined NAME CODE WORDS ARGUMENT...: as refused, by the end that finds it first:
# the one that was started here, or the other.
declined()
{
	local name=$1 wanted=$2 words=$3
	shift 3
	# shellcheck disable=SC2086
	run NPibv --local $SMALL "$@"
	[ "$code" -ne 4 ] || { wanted=4 && words="at the peer: $words"; }
	tap_check "$name" failed_with NPibv "$wanted" "$words"
}
declined "no such device" 2 "-D: no device nosuch; there are: rxe0" -D nosuch
declined "no such port" 2 "-D: no device .*port 2" -D rxe0:2
declined "no such GID" 2 "--gid-index" --gid-index 200
declined "no on-demand paging" 2 "--register odp: device rxe0" --register odp
declined "no moderation of completions" 2 "moderation: .*rxe0" --cq-moderation 16,8
declined "more requests than a queue of the device holds" 2 \
	"--depth: rxe0 has .*queues of at most" --depth 65536,0

run NPibv --local -t ud --sizes 64,4K,64K,1M --time-budget 0.4
tap_check "datagrams: what fits is measured" has_rows "$out" 64 4096
tap_check "and what does not is left out, and said" \
	eval '! grep -Eq "^ *64 KiB " "$out" && grep -q "skipped  *2 of" "$out"'

ip link set v0 mtu 1500
declined "a larger MTU than the port's" 2 "-m 4096: the active MTU of rxe0:1 is 1024" \
	-m 4096
ip link set v0 mtu 4200

# ---- Memory that may be locked ---------------------------------------------------
# as_nobody KIB ARGUMENT...: with so much lockable memory, and no capability.
as_nobody()
{
	local limit=$1
	shift
	(
		cd / && timeout -k 5 "$LIMIT" setpriv --reuid nobody --regid nogroup --clear-groups \
			--inh-caps=-all bash -c 'ulimit -l "$1" && shift && exec "$@"' \
			as_nobody "$limit" "$work/NPibv" "$@" >"$out" 2>"$err" </dev/null
	)
	code=$?
}
too_little()
{
	# The library has warnings of its own before.
	grep '^NPibv' "$err" >"$work/line"
	[ "$code" -ne 0 ] && one_line "$work/line" NPibv "lock 4 KiB.*ulimit -l.*limits.conf" &&
		return
	show_run
	return 1
}
chmod 755 "$work"
install -m 755 "$NP_BUILDDIR/NPibv" "$work/NPibv"
# shellcheck disable=SC2086
as_nobody 8192 --local $SIZES $BRIEF
tap_check "a user may measure with Debian's limit of 8 MiB" well_done 1 64 4096 65536
as_nobody 8192 --local -I --sizes 64,4K --time-budget 0.4
tap_check "a pool that is cut down to it is measured" well_done 64 4096
tap_check "and it is said" grep -q 'reduced: no more can be registered' "$out"
tap_check "and that it is not cold" eval 'unfolded "$out" | grep -q "not cold at"'
as_nobody 64 --local -I --sizes 64,4K --time-budget 0.4
tap_check "64 KiB are shared with the queues, and enough" well_done 64 4096
( ulimit -l 8192 && exec unshare --user --map-root-user --kill-child \
	"$work/NPibv" --local -I --sizes 64,4K --time-budget 0.4 ) >"$out" 2>"$err" </dev/null
code=$?
tap_check "root of a user namespace has the limit, too" \
	eval 'well_done 64 4096 && grep -q "reduced: no more can be registered" "$out"'
# shellcheck disable=SC2086
as_nobody 4 --local --sizes 64 $BRIEF
tap_check "too little for anything: the number and the remedy" too_little

# ---- Nothing to measure with -----------------------------------------------------
ip link set v0 down
declined "a port that is down" 1 "no port to use: rxe0:1 is down"
rdma link delete rxe0
declined "no device" 1 "no RDMA device on this host"
refused "and none to list" 1 "there is no device" NPibv --list-devices
cli_done
