#!/bin/bash
# Both ends of NPibv from one command, the other one at another host: a network
# namespace, entered by "ip netns exec".  The boot channel crosses the link between the
# two; verbs go through rxe0, which a kernel whose RDMA devices are shared among its
# namespaces shows in each.  For a machine that has this device: one_host.sh runs it in a
# virtual one, as root.  Its GIDs belong to the first namespace, so each end names one.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/lib.sh" || exit 99
. "$NP_SRCDIR/tests/hosts/hosts.sh" || exit 99
need NPibv
enter_hosts "$@"
make_hosts 2
trap clean_up EXIT
# Many times what an end takes to notice, on an emulated processor that is shared.
SOON=60
WAY=(--remote h2 --rsh "ip netns exec %h" --remote-program "$NP_BUILDDIR/NPibv"
	-h "$(address 2)" --connect-timeout 60 --gid-index 1 --remote-options "--gid-index 1")

# launched OPTION...: as run of lib.sh, from host 1.
launched()
{
	{ timeout -k 5 "$LIMIT" ip netns exec h1 "$NP_BUILDDIR/NPibv" "${WAY[@]}" "$@" \
		>"$out" 2>"$err" </dev/null; } 2>/dev/null
	code=$?
	results_of "$@" | check_results
}

# shellcheck disable=SC2086 # words
launched $SMALL --json "$work/launched.json"
tap_check "two hosts from one command" well_done 1 64 4096
both_told_of()
{
	head -n 1 "$work/launched.json" | grep -q '"remote":"h2"' &&
		[ "$(head -n 1 "$work/launched.json" | grep -o '"device":"rxe0' | wc -l)" -eq 2 ]
}
tap_check "the header tells of both ends and their device" both_told_of
launched -I --pool 2M --regions 4 -t rdma_write --sizes 64,4K --time-budget 0.4
tap_check "reuse and rotate, by writes" well_done 64 4096
launched --sizes 64 --time-budget 0.2 --remote-options "--bind none -D nosuch"
tap_check "what the far end refuses is said once" \
	failed_with NPibv 2 "at the peer: .*no device nosuch"
WAY[5]=no-such-program
launched --sizes 64 --time-budget 0.2
tap_check "no program there" failed_with NPibv 4 "cannot start NPibv at h2: .*no-such-program"
WAY[5]=$NP_BUILDDIR/NPtcp
# It has no GIDs to choose from.
launched --sizes 64 --time-budget 0.2 --remote-options "--bind none"
tap_check "another program there" eval '[ "$code" -eq 4 ] &&
	grep -q "^NPibv: h2 has NPtcp .* both must be the same" "$err"'
WAY[5]=$NP_BUILDDIR/NPibv

# ---- Who dies first ----------------------------------------------------------------
# cli_launch.sh has each signal to either process; here the device has a part.

# kill_there: the process here ends by itself, and keeps what it has.
kill_there()
{
	local near its_far json=$work/far.json
	ip netns exec h1 "$NP_BUILDDIR/NPibv" "${WAY[@]}" --sizes 1,64,4K --time-budget 120 \
		--precision 0 --bind none --json "$json" >"$json.out" 2>"$json.err" </dev/null &
	near=$!
	until_true 60 visits 4 "$json" || { cat "$json.err"; return 1; }
	its_far=$(tr ' ' '\n' <"/proc/$near/task/$near/children" | grep . | head -n 1)
	kill -KILL "$its_far"
	finish "$near" $SOON
	# A process that dies loses its memory regions before its queue pairs.
	[[ $code = [41] ]] && one_line "$json.err" NPibv "peer" ||
		{ echo "ended with $code"; cat "$json.err"; return 1; }
	has_lines "$json" header visit row findings
}
tap_check "KILL there" kill_there
cli_done
