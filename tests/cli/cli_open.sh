#!/bin/bash
# Who may connect to a server, and what a client that proves nothing may cost it: the table
# of doc/reliability.md.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/lib.sh" || exit 99
need NPtcp
command -v perl >/dev/null || tap_skip_all "there is no perl"
perl -MIO::Socket::IP -e 1 2>/dev/null || tap_skip_all "perl lacks IO::Socket::IP"
HOST="-h 127.0.0.1"

# ---- Who --------------------------------------------------------------------
refused "--allow all and --token-file" 2 "--allow all excludes" \
	NPtcp --serve --allow all --token-file "$work/none"
refused "--allow all of a client" 2 "for the server" NPtcp --allow all $HOST

# listens ADDRESS: at this port, by what the kernel says (hexadecimal).
listens()
{
	awk -v place="$1:$(printf %04X "$port")" '$2 == place && $4 == "0A" { found = 1 }
		END { exit !found }' /proc/net/tcp /proc/net/tcp6 && return
	cat /proc/net/tcp /proc/net/tcp6
	return 1
}
loopback=0100007F any=00000000000000000000000000000000
[ -e /proc/net/tcp6 ] || any=00000000
# waits_at NAME ADDRESS WORDS OPTION...
waits_at()
{
	local name=$1 address=$2 words=$3
	shift 3
	start_waiting at "$@" || tap_bail "cannot wait at a port"
	tap_check "$name: where" listens "$address"
	tap_check "$name: which it says" grep -q "$words" "$work/at.out"
	kill "$pid"
	finish "$pid"
}
waits_at "--serve" "$loopback" "of 127.0.0.1; programs of this host may connect; .*--allow" --serve
waits_at "--serve --allow all" "$any" "it is open: any host may connect$" --serve --allow all
waits_at "--serve --allow" "$any" "; hosts of 10.0.0.0/8 may connect$" --serve --allow 10.0.0.0/8
waits_at "--serve --token-file" "$any" "; any host with the token may connect$" \
	--serve --token-file "$work/token"
waits_at "one run" "$any" "it is open: any host may connect$"

# ---- What it costs: descriptors ---------------------------------------------
descriptors()
{
	ls "/proc/$server/fd" | wc -l
}
# crowd COUNT: connections that say nothing, until $work/enough is there.
crowd()
{
	rm -f "$work/enough" "$work/here"
	perl -MIO::Socket::IP -e 'my ($port, $count, $folder) = @ARGV;
		my @all = map { IO::Socket::IP->new(PeerHost => "127.0.0.1", PeerPort => $port,
			Timeout => 20) // die "connection $_: $@" } 1 .. $count;
		open my $here, ">", "$folder/here" or die; close $here;
		for (1 .. 600) { last if -e "$folder/enough"; select undef, undef, undef, 0.1 }' \
		"$port" "$1" "$work" 2>"$work/crowd.err" &
	crowd=$!
	until_true 60 [ -e "$work/here" ] || cat "$work/crowd.err"
}
# within NUMBER: of the descriptors, of more than the crowd may hold.
within()
{
	local now
	now=$(descriptors)
	echo "$before descriptors before, $now in the crowd"
	[ "$now" -le $((before + $1)) ]
}
start_waiting serve --serve || tap_bail "cannot wait at a port"
server=$pid before=$(descriptors)
crowd 300
tap_check "300 connections take 64 descriptors" within 64
measures "and a run passes them" "64" NPtcp $HOST -P "$port" --sizes 64 --time-budget 0.1
touch "$work/enough"
until_true 20 ended "$crowd"
tap_check "they are told" grep -q "too many connections await their greeting$" "$work/serve.err"
kill "$server"
finish "$server"

limited()
{
	(ulimit -n 40 && exec "$NP_BUILDDIR/NPtcp" -P 0 --serve) >"$work/few.out" 2>"$work/few.err" &
	server=$!
	until_true 20 finds_port few
}
limited
before=$(descriptors)
crowd 200
tap_check "with forty descriptors they take ten" within 10
measures "and a run passes them, too" "64" NPtcp $HOST -P "$port" --sizes 64 --time-budget 0.1
touch "$work/enough"
until_true 20 ended "$crowd"
kill "$server"
finish "$server"

# ---- What it costs: seconds -------------------------------------------------
# says WORDS BYTES: connects, sends, and waits for the end; the server says WORDS.
says()
{
	perl -MIO::Socket::IP -e 'my $socket = IO::Socket::IP->new(PeerHost => "127.0.0.1",
		PeerPort => $ARGV[0]) or die; syswrite $socket, pack "H*", $ARGV[1];
		alarm 60; 1 while sysread $socket, my $text, 4096' "$port" "$2"
	until_true 20 grep -q "$1" "$work/serve.err"
}
version=$("$NP_BUILDDIR/NPtcp" --version | sed -n '1s/.* //p')
protocol=$(sed -n 's/.*NP_PROTOCOL = \([0-9]*\).*/\1/p' "$NP_SRCDIR/src/boot/link_handshake.h")
hello=$(perl -e 'print unpack "H*", pack "a8VVa16a16a16", "NetPong\n", @ARGV[0, 1], "t" x 16,
	@ARGV[2, 3]' "$protocol" 1 NPtcp "$version")
start_waiting serve --serve
server=$pid
tap_check "without a hello: 3 s" says "it sent nothing for 3 s$" ""
tap_check "with half of one: 3 s" says "it sent nothing for 3 s$" "${hello:0:40}"
tap_check "with a hello and no second connection: 5 s" \
	says "did not connect within 5 s\|run 1 ends, status 4$" "$hello"
kill "$server"
finish "$server"

# ---- What it costs: memory --------------------------------------------------
# peak: of the processes of the server, in kB, while a client asks for all there is.
peak()
{
	local process now highest=0
	while ! ended "$client"; do
		for process in $(pgrep -P "$server"); do
			now=$(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$process/status" 2>/dev/null)
			[ "${now:-0}" -le "$highest" ] || highest=$now
		done
		sleep 0.05
	done
	echo "$highest"
}
start_waiting serve --serve --max-memory 32M
server=$pid
# A busy machine may be too late for the handshake.
for try in 1 2 3; do
	start asks NPtcp $HOST -P "$port" -I --buffers fresh --pool 24M --sizes 64,1M --time-budget 1
	client=$pid
	highest=$(peak)
	finish "$client"
	[ "$code" -eq 4 ] || break
done
# Beside the bound there is the program, and what a sanitizer keeps.
if [ "${NP_SANITIZERS:-no}" = thread ]; then
	tap_skip "a plan takes no more memory than the bound" "built with sanitizers"
else
	tap_check "a plan takes no more memory than the bound" eval \
		'echo "$highest kB"; cat "$work/asks.err"; [ "$highest" -gt 0 ] &&
			[ "$highest" -le $((32768 + 16384)) ]'
fi
kill "$server"
finish "$server"

start_waiting serve --serve
server=$pid
refused "a plan of more than 1 GiB without a token" 2 "--pool needs 1100 MiB .* are available" \
	NPtcp $HOST -P "$port" -I --pool 1100M --sizes 64 --time-budget 0.1
refused "a plan of more than ten minutes without a token" 2 \
	"takes 601 s, and this server allows 600 s without a token: --token-file, --allow all" \
	NPtcp $HOST -P "$port" --sizes 64 --time-budget 601
kill "$server"
finish "$server"
# A client, too, and each process on one host.
for program in "NPtcp --local" NPshm NPsim; do
	[ -x "$NP_BUILDDIR/${program%% *}" ] || continue
	# shellcheck disable=SC2086
	refused "a plan of $program beyond its --max-memory" 2 "max-memory allows 16777216" \
		$program -I --pool 256M --max-memory 16M --sizes 64 --time-budget 0.1
done

# ---- What it costs: the time of a run ---------------------------------------
start_waiting serve --serve --max-run-time 2
server=$pid
refused "a run that would go on" 4 "takes longer than 2 s: --max-run-time" \
	NPtcp $HOST -P "$port" --sizes 64 --time-budget 60 --precision 0
measures "is followed by the next" "64" NPtcp $HOST -P "$port" --sizes 64 --time-budget 0.1
kill "$server"
finish "$server"
refused "a part of a second" 1 "takes longer than 0.05 s: --max-run-time" \
	NPtcp --local --sizes 64 --time-budget 60 --precision 0 --max-run-time 0.05
refused "--max-run-time bounds several runs together" 1 "the runs take longer than 3 s" \
	NPtcp --local --runs 50 --sizes 64 --time-budget 100 --precision 0 --max-run-time 3 \
	--json "$work/runs.json"
tap_check "and keeps what they measured" eval 'grep -q "\"kind\":\"row\"" "$work/runs.json" &&
	grep -q "\"complete\":false" "$work/runs.json"'
cli_done
