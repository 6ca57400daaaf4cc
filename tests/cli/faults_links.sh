# faults_links.sh - faults of processes and of what is between them: signals, the network, time.
# Sourced by cli_faults.sh, which says what a fault is and who judges it.

# ---- Signals ----------------------------------------------------------------
# signal WHO SIGNAL PHASE
signal()
{
	local victim want_near want_far words=""
	begin
	run_to "$3" || complain "never came to $3"
	[ "$1" = transmitter ] && victim=$near || victim=$far
	# What a signal does to an end, and what the other one makes of it.
	case $1-$2 in
	transmitter-INT) want_near=130 want_far=4 words="stopped by SIGINT" ;;
	transmitter-TERM) want_near=143 want_far=4 words="stopped by SIGTERM" ;;
	transmitter-KILL) want_near=137 want_far=4 words="" ;;
	transmitter-STOP) want_near="4|0" want_far="4|0" halted=$near ;;
	*-INT) want_near=4 want_far=130 words="\(at the peer: stopped by SIGINT\|peer\)" ;;
	*-TERM) want_near=4 want_far=143 words="\(at the peer: stopped by SIGTERM\|peer\)" ;;
	*-KILL) want_near=4 want_far=137 words="peer" ;;
	*-STOP) want_near="4|0" want_far="4|0" halted=$far words="\(peer\|^$\)" ;;
	esac
	case $1-$3 in
	# Before the plan the server has promised nothing, and waits on; a
	# transmitter has no words for a signal while it dials.
	transmitter-connect | transmitter-handshake) want_far=stays words="" ;;
	waiting\ end-connect)
		words="\(cannot reach\|closed the connection\|did not answer\)"
		[ "$2" = STOP ] && want_near=4 want_far=stays
		;;
	waiting\ end-handshake)
		words="peer"
		[ "$2" = STOP ] && want_near=4 want_far=stays
		;;
	# All is done but the last word.
	*-last) want_near="$want_near|0" want_far="$want_far|0" words="" ;;
	esac
	strike kill -"$2" "$victim"
	go_on
	judge "$2 to the $1, $(phase_words "$3")" "$want_near" "$want_far" "$words"
}

phase_words()
{
	case $1 in
	connect) echo "connecting" ;;
	handshake) echo "in the handshake" ;;
	registration) echo "at registration" ;;
	first) echo "at the first sample" ;;
	middle) echo "in the middle" ;;
	last) echo "after the last row" ;;
	esac
}

signals() # PHASE
{
	local who name
	for name in TERM KILL STOP INT; do
		for who in transmitter "server"; do
			signal "$who" "$name" "$1"
		done
	done
}

# ---- The network ------------------------------------------------------------
network()
{
	begin && run_plain
	strike ip -n h1 link set eth0 down
	judge "link down at the transmitter" 4 4 "the peer"
	ip -n h1 link set eth0 up
	begin && run_plain
	strike ip -n h2 link set eth0 down
	judge "link down at the server" 4 4 "the peer"
	ip -n h2 link set eth0 up
	begin && run_plain --time-budget 3
	strike ip link set v2 down
	sleep 1.5
	ip link set v2 up
	judge "link down for 1.5 s" 0 0 ""
	begin && run_plain
	black_hole 1 2 && strike black_hole 2 1
	judge "peer black-holed" 4 4 "has not answered for 5 s"
	open_hole 1 2 && open_hole 2 1
	begin && run_plain
	strike black_hole 1 2
	judge "packets vanish one way, there" 4 4 "the peer"
	open_hole 1 2
	begin && run_plain
	strike black_hole 2 1
	judge "packets vanish one way, back" 4 4 "the peer"
	open_hole 2 1
	begin && far
	black_hole 1 2
	strike near -h "$HERE" -P "$port" $LONG --json "$case.json"
	until_true "$HANG" ended "$near"
	# Namespaces that go elsewhere can keep what follows waiting for seconds.
	over=$(now)
	open_hole 1 2
	judge "peer black-holed from the start" 4 stays "cannot reach .*timed out"
	kill "$far" 2>/dev/null
	begin
	strike near -h 10.77.0.99 -P "$port" $LONG --json "$case.json"
	judge "nobody has the address" 4 "—" "cannot reach .*No route"
	begin
	strike near -h "$HERE" -P "$port" $LONG --json "$case.json"
	judge "nobody listens" 4 "—" "cannot reach .*refused"
	begin
	strike near -h no-such-host.invalid $LONG --json "$case.json"
	judge "no such host" 4 "—" "unknown host"
}

# Loss and delay, where the kernel can make them.
shaped()
{
	local how name
	for how in "loss 2%" "delay 10ms" "delay 5ms loss 5% reorder 20%" "duplicate 10%" \
		"corrupt 1%"; do
		name="a link with $how"
		tc qdisc add dev v2 root netem $how 2>/dev/null || {
			tap_skip "$name" "no netem in this kernel"
			continue
		}
		begin && far
		strike near -h "$HERE" -P "$port" $SHORT --json "$case.json"
		judge "$name" 0 0 ""
		tc qdisc del dev v2 root
	done
	tc qdisc add dev v2 root tbf rate 1mbit burst 4kb latency 50ms 2>/dev/null || return
	begin && far
	strike near -h "$HERE" -P "$port" --sizes 1,64K --time-budget 0.3 --json "$case.json"
	judge "a link of 1 Mbit/s" 0 0 ""
	tc qdisc del dev v2 root
	for mtu in 576 9000; do
		ip -n h1 link set eth0 mtu "$mtu" 2>/dev/null
		begin && far
		strike near -h "$HERE" -P "$port" $SHORT --json "$case.json"
		judge "MTU $mtu at one process only" 0 0 ""
		ip -n h1 link set eth0 mtu 1500
	done
}

# ---- Time -------------------------------------------------------------------
# Only in a machine of its own: SECONDS forward, or back.
step_clock()
{
	[ -n "${NP_VM_HOST:-}" ] && date -s "@$(($(date +%s) + $1))" >/dev/null
}

# Whether the rows of a result file have times that can be: in seconds, above none and
# below a minute each.
times_can_be()
{
	grep '"kind":"row"' "$1" | grep -o '"[a-z]*_s":[-0-9.e+]*' | grep -v messages_per_s |
		awk -F: '{ count++ } $2 <= 0 || $2 >= 60 { wrong++ }
			END { exit count == 0 || wrong != 0 }'
}

clock()
{
	local step
	for step in 86400 -86400 0.5; do
		begin && far
		near -h "$HERE" -P "$port" $LONG --time-budget 6 --json "$case.json"
		until_true 60 visits 6 "$case.json"
		if [ "$step" = 0.5 ]; then
			strike true
			for _ in 1 2 3 4 5 6 7 8; do
				step_clock 3600 && sleep 0.3 && step_clock -3600 && sleep 0.3
			done
			judge "clock stepped by an hour, there and back, eight times in a run" 0 0 ""
		else
			strike step_clock "$step"
			judge "clock stepped by $step s in a run" 0 0 ""
		fi
		tap_check "and its times can be" times_can_be "$case.json"
	done
	begin && far --serve
	strike step_clock 864000
	near -h "$HERE" -P "$port" $SHORT --json "$case.json"
	judge "clock stepped by 10 days under --serve" 0 stays ""
}

# Ends that do not agree on how long they are up, and ends that were asleep.
paused()
{
	if unshare --time --monotonic 86400 true 2>/dev/null; then
		begin
		# Not far(): what is in the background is unshare, which ends as it does.
		ip netns exec h2 unshare --time --monotonic 86400 --boottime 86400 \
			"$NP_BUILDDIR/NPtcp" -P "$port" >"$case.far.out" 2>"$case.far.err" </dev/null &
		far=$!
		until_true 20 grep -q "waits at port" "$case.far.out"
		strike near -h "$HERE" -P "$port" $SHORT --json "$case.json"
		judge "monotonic clocks a day apart" 0 0 ""
	else
		tap_skip "monotonic clocks a day apart" "no time namespaces"
	fi
	begin && run_plain --time-budget 3
	strike kill -STOP "$near" "$far"
	sleep 8
	kill -CONT "$near" "$far"
	judge "both processes stopped for 8 s, then continued" 0 0 ""
	begin && run_plain --time-budget 3
	strike kill -STOP "$far"
	sleep 3
	kill -CONT "$far"
	judge "the server stopped for 3 s" 0 0 ""
}
