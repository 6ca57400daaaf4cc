# faults_launched.sh - faults of ends that were started by command, and of the transport itself.
# Sourced by cli_faults.sh, which says what a fault is and who judges it.

# ---- One command for both ends ----------------------------------------------
launched()
{
	local entry who name want words its_far
	WAY=(--remote h2 --rsh "ip netns exec %h" --remote-program "$NP_BUILDDIR/NPtcp" -h "$HERE")
	for entry in "near:TERM:143:stopped by SIGTERM" "near:INT:130:stopped by SIGINT" \
		"near:KILL:137:" "near:STOP:4:at the peer: the peer has not answered" \
		"far:TERM:4:at the peer: stopped by SIGTERM" "far:INT:4:at the peer: stopped by SIGINT" \
		"far:KILL:4:connection to the peer lost" "far:STOP:4:the peer has not answered for 5 s"; do
		IFS=: read -r who name want words <<<"$entry"
		begin
		near "${WAY[@]}" $LONG --json "$case.json"
		until_true 60 visits 12 "$case.json"
		its_far=$(tr ' ' '\n' <"/proc/$near/task/$near/children" | grep . | head -n 1)
		if [ "$who" = near ]; then
			[ "$name" != STOP ] || halted=$near
			strike kill -"$name" "$near"
			[ "$name" != STOP ] || until_true 12 ended "$its_far"
			judge "--remote: $name here" "$want" "—" "$words"
		else
			strike kill -"$name" "$its_far"
			judge "--remote: $name there" "$want" "—" "$words"
		fi
	done
	begin
	strike near --remote h2 --rsh "ip netns exec %h" --remote-program no-such -h "$HERE" $SHORT
	judge "--remote: no program there" 4 "—" "cannot start NPtcp at h2"
	begin
	printf '#!/bin/sh\nexec sleep 100\n' >"$work/hangs" && chmod +x "$work/hangs"
	strike near --remote h2 --rsh "$work/hangs" -h "$HERE" $SHORT
	judge "--remote: the way in hangs" 4 "—" "did not start within"
	begin
	strike near --remote nowhere --rsh "ip netns exec %h" -h "$HERE" $SHORT
	judge "--remote: no such host" 4 "—" "cannot start NPtcp at nowhere"
	begin
	strike near --remote h2 --rsh no-such-way -h "$HERE" $SHORT
	judge "--remote: no such way in" 4 "—" "cannot run"
	begin
	LC_ALL=C sed "s/launched/lainched/g" "$NP_BUILDDIR/NPtcp" >"$work/older"
	chmod +x "$work/older"
	strike near --remote h2 --rsh "ip netns exec %h" --remote-program "$work/older" -h "$HERE" $SHORT
	judge "--remote: an older version there" 4 "—" "another version"
	begin
	strike near "${WAY[@]}" -h 10.77.0.99 $SHORT
	judge "--remote: the address is wrong" 4 "—" "cannot reach"
	begin
	strike near "${WAY[@]}" --remote-options "--bind 9999" $SHORT
	judge "--remote: the server refuses" 2 "—" "at the peer: "
}

# The fault is at a host that is neither's.
all_pairs()
{
	local entry name which_end
	printf 'h2 %s\nh3 %s\n' "$(address 2)" "$(address 3)" >"$work/hosts"
	lines_most=2
	for entry in KILL:1 KILL:2 STOP:1 STOP:2; do
		IFS=: read -r name which_end <<<"$entry"
		begin
		NP=$NP_BUILDDIR/NPfleet near --hosts "$work/hosts" --rsh "ip netns exec %h" \
			--remote-program "$NP_BUILDDIR/NPtcp" --json "$case.pairs" \
			tcp --sizes 64 --time-budget 60 --precision 0
		until_true 60 eval '[ "$(nth_child "$near" 2)" != "" ]'
		sleep 1
		strike kill -"$name" "$(nth_child "$near" "$which_end")"
		judge "netpong fleet: $name to the $([ "$which_end" = 1 ] && echo waiting ||
			echo transmitting) end" 4 "—" "h2 - h3: "
	done
	lines_most=1
}

nth_child() # PROCESS NUMBER
{
	cat "/proc/$1/task/"*/children | tr ' ' '\n' | grep . | sed -n "$2p"
}

# ---- The end that stays ------------------------------------------------------
served()
{
	local child
	begin && far --serve
	near -h "$HERE" -P "$port" $LONG --json "$case.json"
	until_true 60 visits 12 "$case.json"
	strike kill -TERM "$far"
	judge "--serve: TERM to it in a run" 4 143 "at the peer: stopped by SIGTERM"
	begin && far --serve
	near -h "$HERE" -P "$port" $LONG --json "$case.json"
	until_true 60 visits 12 "$case.json"
	strike kill -KILL "$far"
	judge "--serve: KILL to it in a run" 4 137 "peer"
	for name in KILL SEGV STOP; do
		begin && far --serve
		near -h "$HERE" -P "$port" $LONG --json "$case.json"
		until_true 60 visits 12 "$case.json"
		child=$(tr ' ' '\n' <"/proc/$far/task/$far/children" | grep . | head -n 1)
		strike kill -"$name" "$child"
		until_true 12 ended "$near"
		kill -CONT "$child" 2>/dev/null
		judge "--serve: $name to the process of a run" 4 stays "peer"
	done
	begin && far --serve
	near -h "$HERE" -P "$port" $LONG --json "$case.json"
	until_true 60 visits 12 "$case.json"
	struck=$(now)
	on 3 "$NP_BUILDDIR/NPtcp" -h "$HERE" -P "$port" --connect-timeout 0.3 $SHORT \
		>/dev/null 2>"$case.busy"
	kill -INT "$near"
	grep -q "busy with another run" "$case.busy" || complain "not told that it is busy"
	judge "--serve: another comes during a run" 130 stays "stopped by SIGINT"
	begin && far
	strike eval 'ip netns exec h2 "$NP_BUILDDIR/NPtcp" -P "$port" >"$case.near.out" 2>"$case.near.err" </dev/null & near=$!'
	judge "the port is in use" 1 stays "cannot listen on port"
}

# ---- The transport ----------------------------------------------------------
# NPfault starts both its ends with one command.
transport()
{
	local entry fault more wanted words NP=$NP_BUILDDIR/NPfault
	for entry in "drop:--fault-at 20000:4:message lost" \
		"drop:--fault-at 20000 --fault-rank 1:4:message lost" \
		"drop:-s --fault-at 5000:4:message lost" \
		"drop:-i --fault-at 5:4:message lost" \
		"corrupt:-i --fault-in recv --fault-at 5:5:first wrong byte" \
		"corrupt:-i --fault-in recv --fault-at 5 --fault-rank 1:5:at the peer: wrong data" \
		"stale:-i --fault-in recv --fault-at 5:5:first wrong byte" \
		"die:--fault-at 20000 --fault-rank 1:4:connection to the peer lost" \
		"die:--fault-in reg --fault-rank 1:4:connection to the peer lost" \
		"die:--fault-at 20000:137:" \
		"stall:--fault-at 20000 --fault-rank 1:4:has not answered for 5 s" \
		"fail:--fault-in open --fault-rank 1:4:at the peer: call 1 of open fails" \
		"fail:--fault-in connect:1:call 1 of connect fails" \
		"fail:--fault-at 20000:1:call 20000 of send fails" \
		"fail:--fault-in arm --fault-rank 1:4:at the peer: call 1 of arm fails"; do
		IFS=: read -r fault more wanted words <<<"$entry"
		begin
		case $more in
		-i*) sizes="--sizes 64,4K" ;;
		# While it finds out how many messages make a sample.
		-s*) sizes="--sizes 64 $TIME" ;;
		*) sizes="--sizes 64 -n 10 $TIME" ;;
		esac
		strike near --wrap tcp --fault "$fault" $more $sizes --json "$case.json"
		judge "transport: $fault ${more//--fault-/}" "$wanted" "—" "$words"
	done
}
TIME="--time-budget 60 --precision 0 --bind none"
