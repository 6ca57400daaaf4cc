#!/bin/bash
# cli_faults.sh [few | all [DOCUMENT] | GROUP] - what a run makes of faults, with hosts that
# are network namespaces.  Each fault is a test: both ends end, the exit codes and the
# words are the right ones, no process is left, every size that was measured has its
# row, and nothing unfinished is called complete.  How long that took is in the table.
#
# "few" is for every make check.  "all" makes the table of doc/reliability.md, in
# faults.md of the working folder, and puts it into DOCUMENT if there is one; it
# runs the groups of faults by itself, some side by side, each with hosts of its own.
# What this kernel cannot do, or must not (the wall clock is everybody's), is done in
# the virtual machine of tests/vm/run.
. "${NP_SRCDIR:-$(dirname "$0")/..}/tests/lib.sh" || exit 99
. "$NP_SRCDIR/tests/hosts.sh" || exit 99
. "$NP_SRCDIR/tests/fault_case.sh" || exit 99
need NPtcp NPfault
# What a shell starts in the background ignores SIGINT, and hands that on.
if [ -z "${NP_SIGNALS_ARE_DEFAULT:-}" ]; then
	NP_SIGNALS_ARE_DEFAULT=1 exec env --default-signal bash "$0" "$@"
fi
which=${1:-few} document=${2:-}
groups="connect handshake registration first middle last network shaped clock paused files
	limits strangers launched all_pairs served transport"
perl -MIO::Socket::IP -e 1 2>/dev/null || tap_skip_all "perl lacks IO::Socket::IP"

# put_table DOCUMENT: behind its mark.
put_table()
{
	{
		sed '/^<!-- table -->$/q' "$1"
		echo
		echo "$(($(grep -c '^| ' faults.md) - 1)) faults; $tap_failed of $tap_count tests failed."
		echo
		cat faults.md
	} >"$1.new" && mv "$1.new" "$1"
}

# gather GROUP: its tests as tests of this script, its rows as rows of the table.
gather()
{
	local line
	while read -r line; do
		case $line in
		"# "*) echo "$line" ;;
		"ok "*"nothing is left behind" | "ok "*"netpong-results(5) says") ;;
		"ok "*" # SKIP "*) tap_skip "$(echo "$line" | sed 's/^ok [0-9]* - //; s/ # SKIP.*//')" \
			"${line##* # SKIP }" ;;
		"ok "*) tap_result 0 "${line#ok * - }" ;;
		"not ok "*) tap_result 1 "${line#not ok * - }" ;;
		esac
	done <"$work/$1.tap"
	cat "$work/$1.md" >>faults.md
}

if [ "$which" = all ]; then
	printf '| fault | transmitter | waiting end | message | s | rows |\n' >faults.md
	printf '|---|---|---|---|---|---|\n' >>faults.md
	# shellcheck disable=SC2086,SC2016 # words; expanded there
	printf '%s\n' $groups | NP_TABLES=$work xargs -P "${NP_ABREAST:-4}" -I{} bash -c \
		'bash "$0" {} >"$NP_TABLES/{}.tap" 2>"$NP_TABLES/{}.err"' "$0"
	for group in $groups; do
		gather "$group"
	done
	[ -z "$document" ] || put_table "$document"
	tap_done
fi

# shaped_here: this kernel can lose and delay packets.
shaped_here()
{
	PATH=$PATH:/usr/sbin:/sbin unshare --net tc qdisc add dev lo root netem delay 1ms 2>/dev/null
}

# in_machine GROUP: its faults in a virtual machine, instead of here.
in_machine()
{
	local tool
	for tool in qemu-system-x86_64 busybox; do
		command -v "$tool" >/dev/null || tap_skip_all "no $tool"
	done
	exec "$NP_SRCDIR/tests/vm/run" --time 1200 --writable "${NP_TABLES:-$work}" -- \
		bash "$0" "$1"
}

case $which-${NP_VM_HOST:-here} in
clock-here) in_machine clock ;;
shaped-here) shaped_here || in_machine shaped ;;
esac
enter_hosts "$@"
make_hosts 3
trap clean_up EXIT

SIZES="1,64,4K"
LONG="--sizes $SIZES --time-budget 60 --precision 0 --bind none"
SHORT="--sizes $SIZES --time-budget 0.3 --bind none"
HERE=$(address 2)
HANG=60 # seconds, on a machine that is busy with other things
table=${NP_TABLES:-$work}/$which.md
: >"$table"

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
	# Before the plan the waiting end has promised nothing, and waits on; a
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
		for who in transmitter "waiting end"; do
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
	judge "link down at the waiting end" 4 4 "the peer"
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
		judge "MTU $mtu at one end only" 0 0 ""
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
		until_true 60 visits 6
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
	judge "both ends stopped for 8 s, and let go on" 0 0 ""
	begin && run_plain --time-budget 3
	strike kill -STOP "$far"
	sleep 3
	kill -CONT "$far"
	judge "the waiting end stopped for 3 s" 0 0 ""
}

# ---- Files and limits -------------------------------------------------------
files()
{
	mkdir "$work/full" "$work/readonly"
	mount -t tmpfs -o size=16k tmpfs "$work/full" && mount -t tmpfs -o ro tmpfs "$work/readonly" || {
		tap_skip "full and read-only disks" "no mount"
		return
	}
	begin && far
	ln -s "$work/full/json" "$case.json"
	rows_printed=yes
	strike near -h "$HERE" -P "$port" $LONG --json "$work/full/json"
	judge "disk full under --json" 1 4 "cannot write the result file: No space"
	rows_printed=
	rm -f "$work/full/json"
	head -c 20000 /dev/zero >"$work/full/zeros" 2>/dev/null
	begin && far
	# The result file is complete; what fails is another.
	all_measured=yes
	strike near -h "$HERE" -P "$port" $SHORT -o "$work/full/out" --json "$case.json"
	judge "disk full under -o" 1 "0|4" "cannot write the output file: No space"
	begin && far
	strike near -h "$HERE" -P "$port" $SHORT --json "$work/readonly/json"
	judge "read-only disk under --json" 1 "4|stays" "Read-only"
	begin && far
	near_out=/dev/full
	strike near -h "$HERE" -P "$port" $SHORT --json "$case.json"
	near_out=''
	judge "standard output full" 1 0 "cannot write all of this to standard output"
	all_measured=''
	begin
	strike eval 'ip netns exec h2 "$NP_BUILDDIR/NPtcp" -P "$port" >/dev/full 2>"$case.far.err" </dev/null & far=$!'
	until_true 20 eval 'on 1 "$NP_BUILDDIR/NPtcp" -h "$HERE" -P "$port" --connect-timeout 0 \
		--sizes 64 --time-budget 0.2 >/dev/null 2>&1'
	judge "standard output of the waiting end full" "—" 1 "cannot write all"
	head -c 20000 /dev/zero >"$work/full/zeros" 2>/dev/null
	begin && far --token-file "$work/full/token"
	strike true
	judge "disk full at the waiting end, for its token" "—" 1 "token.*No space"
	begin && far --token-file "$work/readonly/token"
	strike true
	judge "read-only disk at the waiting end, for its token" "—" 1 "token.*Read-only"
	begin
	ip netns exec h2 "$NP_BUILDDIR/NPtcp" -P "$port" --serve >"$case.far.out" 2>/dev/full \
		</dev/null &
	far=$!
	until_true 20 grep -q "waits at port" "$case.far.out"
	crowd 3 20 5
	strike near -h "$HERE" -P "$port" $SHORT --json "$case.json"
	judge "--serve: its standard error is a full disk" 0 stays ""
	begin && far
	: >"$case.json"
	strike near -h "$HERE" -P "$port" $SHORT --json "$case.json"
	judge "the result file exists" 2 stays "exists; --force"
	begin
	strike near -h "$HERE" -P "$port" --token-file "$work/none" $SHORT
	judge "no such token file" 2 "—" "cannot read the token file"
}

limits()
{
	local limit
	# Standard input, output and error are three; and no locked memory, for anybody.
	for limit in "n 4" "n 5" "n 6" "n 8" "n 9" "n 10" "l 0" "v 40000" "c 0"; do
		begin && far
		struck=$(now)
		ip netns exec h1 bash -c "ulimit -$limit; "'exec "$@"' limited "$NP_BUILDDIR/NPtcp" \
			-h "$HERE" -P "$port" $SHORT --json "$case.json" >"$case.near.out" \
			2>"$case.near.err" </dev/null &
		near=$!
		judge "ulimit -$limit at the transmitter" "0|1|4" "0|4|stays" ""
		begin
		struck=$(now)
		ip netns exec h2 bash -c "ulimit -$limit; "'exec "$@"' limited "$NP_BUILDDIR/NPtcp" \
			-P "$port" >"$case.far.out" 2>"$case.far.err" </dev/null &
		far=$!
		until_true 20 eval 'grep -q "waits at" "$case.far.out" || ended "$far"'
		near -h "$HERE" -P "$port" --connect-timeout 0 $SHORT --json "$case.json"
		serves_none=yes
		judge "ulimit -$limit at the waiting end" "0|4" "0|1|stays" ""
		serves_none=
	done
	begin && far --max-memory 1M
	strike near -h "$HERE" -P "$port" --sizes 4M --time-budget 0.3
	judge "a plan above --max-memory" 2 2 "max-memory allows"
	begin && far
	strike near -h "$HERE" -P "$port" --sizes 64 -I --pool 100T
	judge "a pool that no host has" 2 "2|4|stays" "--pool"
}

# ---- Strangers --------------------------------------------------------------
strangers()
{
	local version protocol
	version=$("$NP_BUILDDIR/NPtcp" --version | sed 's/.* //')
	protocol=$(sed -n 's/.*NP_PROTOCOL = \([0-9]*\).*/\1/p' "$NP_SRCDIR/src/link_hello.h")
	NP_HELLO=$(perl -e 'print unpack "H*", pack "a8VVa16a16a16", "NetPong\n", @ARGV[0, 1],
		"t" x 16, @ARGV[2, 3]' "$protocol" 1 NPtcp "$version")
	export NP_HELLO
	umask 077
	printf '00112233445566778899aabbccddeeff\n' >"$work/token"
	printf '00112233445566778899aabbccddeefe\n' >"$work/wrong"
	umask 022
	far_token=$work/token
	begin && far --token-file "$work/token"
	strike near -h "$HERE" -P "$port" $SHORT
	judge "token missing" 4 stays "asks for a token"
	begin && far --token-file "$work/token"
	strike near -h "$HERE" -P "$port" --token-file "$work/wrong" $SHORT
	judge "token wrong" 4 stays "its token is wrong"
	replay
	far_token=''
	begin && far
	strike near -h "$HERE" -P "$port" --token-file "$work/token" $SHORT
	judge "an open end where one with the token should be" 4 stays "does not know the token"
	begin && far --allow 10.77.0.3/32
	strike near -h "$HERE" -P "$port" --connect-timeout 0 $SHORT
	serve_from=3
	judge "address not in --allow" 4 stays "closed the connection"
	serve_from=1
	begin && far
	strike crowd 3 1000 3
	near -h "$HERE" -P "$port" $SHORT --json "$case.json"
	judge "a run after 1000 strangers with fuzzed handshakes" 0 0 ""
	begin && far
	near -h "$HERE" -P "$port" $LONG --time-budget 3 --json "$case.json"
	until_true 60 visits 3
	strike crowd 3 300 4
	judge "300 strangers during a run" 0 0 ""
	silent 200
	listeners
}

crowd() # HOST COUNT SEED
{
	on "$1" perl "$NP_SRCDIR/tests/strangers.pl" "$HERE" "$port" "$2" "$3" >/dev/null
}

# What was said with the right token, said again.
replay()
{
	begin && far --token-file "$work/token" --serve
	ip netns exec h3 perl "$NP_SRCDIR/tests/between.pl" "$(address 3)" "$port" "$HERE" "$port" never \
		"$case" 2>/dev/null &
	halt=$!
	until_true 20 [ -e "$case.ready" ]
	on 1 "$NP_BUILDDIR/NPtcp" -h "$(address 3)" -P "$port" --token-file "$work/token" \
		--sizes 64 --time-budget 0.2 >/dev/null 2>&1
	struck=$(now)
	on 3 perl -MIO::Socket::IP -e '
		my $peer = IO::Socket::IP->new(PeerHost => $ARGV[0], PeerPort => $ARGV[1]) or die;
		open my $said, "<:raw", $ARGV[2] or die;
		local $/;
		syswrite $peer, scalar <$said>;
		$peer->shutdown(1);
		print scalar <$peer>' "$HERE" "$port" "$case.said" >"$case.heard" 2>/dev/null
	good=1
	tr -d '\0' <"$case.heard" | grep -aq "its token is wrong" && good=0
	[ -s "$case.said" ] || good=1
	tap_result "$good" "token replayed"
	printf '| token replayed | — | waits on | its token is wrong | %s | — |\n' \
		"$(awk -v a="$struck" -v b="$(now)" 'BEGIN { printf "%.1f", (b - a) / 1e9 }')" >>"$table"
	kill "$halt" "$far" 2>/dev/null
	until_true 20 ended "$far"
}

silent() # COUNT
{
	begin && far
	ip netns exec h3 perl -MIO::Socket::IP -e '
		my @all = map { IO::Socket::IP->new(PeerHost => $ARGV[0], PeerPort => $ARGV[1],
			Timeout => 5) } 1 .. $ARGV[2];
		open my $mark, ">", $ARGV[3]; close $mark; sleep 30' "$HERE" "$port" "$1" "$case.silent" &
	local quiet=$!
	until_true 20 [ -e "$case.silent" ]
	strike near -h "$HERE" -P "$port" $SHORT --json "$case.json"
	judge "a run past $1 who connect and say nothing" 0 0 ""
	kill "$quiet" 2>/dev/null
}

# What listens is no NetPong.
listeners()
{
	local entry name words perl server
	for entry in "says nothing:did not answer within:" \
		"speaks HTTP:not NetPong:print \$guest qq(HTTP/1.1 400 Bad Request\r\n\r\n);" \
		"hangs up:closed the connection:close pop @all;" \
		"welcomes and says no more:the peer:syswrite \$guest, qq(NP\x01) . chr(0) x 5;" \
		"announces 4 GB:not NetPong:syswrite \$guest, qq(NP\x01\x00\xff\xff\xff\xff);" \
		"says noise:\(not NetPong\|the peer\):syswrite \$guest, pack q(C*), map { rand 256 } 0 .. 99;" \
		"refuses in commands to a terminal:the peer refused. ?\[2J no ?2J?$:syswrite \$guest, qq(NP\x02) . pack(q(xV a*), 12, qq(\e[2J no \x9b2J\xff));" \
		"welcomes, then noise:the peer:syswrite \$guest, qq(NP\x01) . chr(0) x 5 . pack(q(C*), map { rand 256 } 0 .. 99);"; do
		IFS=: read -r name words perl <<<"$entry"
		begin
		ip netns exec h2 perl -MIO::Socket::IP -e '
			$SIG{PIPE} = "IGNORE"; $| = 1; my @all;
			my $server = IO::Socket::IP->new(LocalHost => $ARGV[0], LocalPort => $ARGV[1],
				Listen => 5, ReuseAddr => 1) or die;
			open my $mark, ">", $ARGV[2]; close $mark;
			while (my $guest = $server->accept) { push @all, $guest; '"$perl"' }' \
			"$HERE" "$port" "$case.ready" 2>/dev/null &
		server=$!
		until_true 20 [ -e "$case.ready" ]
		strike near -h "$HERE" -P "$port" --connect-timeout 1 $SHORT
		judge "what listens $name" 4 "—" "$words"
		kill "$server" 2>/dev/null
	done
}

# ---- One command for both ends ----------------------------------------------
launched()
{
	local entry who name want words its_far
	WAY=(--launch h2 --rsh "ip netns exec %h" --remote-program "$NP_BUILDDIR/NPtcp" -h "$HERE")
	for entry in "near:TERM:143:stopped by SIGTERM" "near:INT:130:stopped by SIGINT" \
		"near:KILL:137:" "near:STOP:4:at the peer: the peer has not answered" \
		"far:TERM:4:at the peer: stopped by SIGTERM" "far:INT:4:at the peer: stopped by SIGINT" \
		"far:KILL:4:the peer is gone" "far:STOP:4:the peer has not answered for 5 s"; do
		IFS=: read -r who name want words <<<"$entry"
		begin
		near "${WAY[@]}" $LONG --json "$case.json"
		until_true 60 visits 12
		its_far=$(tr ' ' '\n' <"/proc/$near/task/$near/children" | grep . | head -n 1)
		if [ "$who" = near ]; then
			[ "$name" != STOP ] || halted=$near
			strike kill -"$name" "$near"
			[ "$name" != STOP ] || until_true 12 ended "$its_far"
			judge "--launch: $name here" "$want" "—" "$words"
		else
			strike kill -"$name" "$its_far"
			judge "--launch: $name there" "$want" "—" "$words"
		fi
	done
	begin
	strike near --launch h2 --rsh "ip netns exec %h" --remote-program no-such -h "$HERE" $SHORT
	judge "--launch: no program there" 4 "—" "cannot start NPtcp at h2"
	begin
	printf '#!/bin/sh\nexec sleep 100\n' >"$work/hangs" && chmod +x "$work/hangs"
	strike near --launch h2 --rsh "$work/hangs" -h "$HERE" $SHORT
	judge "--launch: the way in hangs" 4 "—" "did not start within"
	begin
	strike near --launch nowhere --rsh "ip netns exec %h" -h "$HERE" $SHORT
	judge "--launch: no such host" 4 "—" "cannot start NPtcp at nowhere"
	begin
	strike near --launch h2 --rsh no-such-way -h "$HERE" $SHORT
	judge "--launch: no such way in" 4 "—" "cannot run"
	begin
	LC_ALL=C sed "s/launched/lainched/g" "$NP_BUILDDIR/NPtcp" >"$work/older"
	chmod +x "$work/older"
	strike near --launch h2 --rsh "ip netns exec %h" --remote-program "$work/older" -h "$HERE" $SHORT
	judge "--launch: an older version there" 4 "—" "another version"
	begin
	strike near "${WAY[@]}" -h 10.77.0.99 $SHORT
	judge "--launch: the address is wrong" 4 "—" "cannot reach"
	begin
	strike near "${WAY[@]}" --remote-options "--bind 9999" $SHORT
	judge "--launch: the far end refuses" 2 "—" "at the peer: "
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
		near --hostfile "$work/hosts" --all-pairs --rsh "ip netns exec %h" \
			--remote-program "$NP_BUILDDIR/NPtcp" --sizes 64 --time-budget 60 \
			--precision 0 --json "$case.pairs"
		until_true 60 eval '[ "$(nth_child "$near" 2)" != "" ]'
		sleep 1
		strike kill -"$name" "$(nth_child "$near" "$which_end")"
		judge "--all-pairs: $name to the $([ "$which_end" = 1 ] && echo waiting ||
			echo transmitting) end" 4 "—" "h2 - h3: "
	done
	lines_most=1
}

nth_child() # PROCESS NUMBER
{
	tr ' ' '\n' <"/proc/$1/task/$1/children" | grep . | sed -n "$2p"
}

# ---- The end that stays ------------------------------------------------------
served()
{
	local child
	begin && far --serve
	near -h "$HERE" -P "$port" $LONG --json "$case.json"
	until_true 60 visits 12
	strike kill -TERM "$far"
	judge "--serve: TERM to it in a run" 4 143 "at the peer: stopped by SIGTERM"
	begin && far --serve
	near -h "$HERE" -P "$port" $LONG --json "$case.json"
	until_true 60 visits 12
	strike kill -KILL "$far"
	judge "--serve: KILL to it in a run" 4 137 "peer"
	for name in KILL SEGV STOP; do
		begin && far --serve
		near -h "$HERE" -P "$port" $LONG --json "$case.json"
		until_true 60 visits 12
		child=$(tr ' ' '\n' <"/proc/$far/task/$far/children" | grep . | head -n 1)
		strike kill -"$name" "$child"
		until_true 12 ended "$near"
		kill -CONT "$child" 2>/dev/null
		judge "--serve: $name to the process of a run" 4 stays "peer"
	done
	begin && far --serve
	near -h "$HERE" -P "$port" $LONG --json "$case.json"
	until_true 60 visits 12
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
	for entry in "drop:--fault-at 20000:4:one was lost" \
		"drop:--fault-at 20000 --fault-rank 1:4:one was lost" \
		"drop:-s --fault-at 5000:4:one was lost" \
		"drop:-i --fault-at 5:4:one was lost" \
		"corrupt:-i --fault-in recv --fault-at 5:5:first wrong byte" \
		"corrupt:-i --fault-in recv --fault-at 5 --fault-rank 1:5:at the peer: wrong data" \
		"stale:-i --fault-in recv --fault-at 5:5:first wrong byte" \
		"die:--fault-at 20000 --fault-rank 1:4:the peer is gone" \
		"die:--fault-in reg --fault-rank 1:4:the peer is gone" \
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

few()
{
	signal transmitter KILL handshake
	signal "waiting end" KILL registration
	signal transmitter TERM middle
	signal "waiting end" STOP middle
	signal "waiting end" INT last
	begin && run_plain
	black_hole 1 2 && strike black_hole 2 1
	judge "peer black-holed" 4 4 "has not answered for 5 s"
	open_hole 1 2 && open_hole 2 1
	begin && run_plain --time-budget 3
	strike ip link set v2 down
	sleep 1.5
	ip link set v2 up
	judge "link down for 1.5 s" 0 0 ""
	umask 077
	printf '00112233445566778899aabbccddeeff\n' >"$work/token"
	umask 022
	replay
}

case $which in
connect | handshake | registration | first | middle | last) signals "$which" ;;
*) "$which" ;;
esac
cli_done
