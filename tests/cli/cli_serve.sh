#!/bin/bash
# The end that waits: one run or many, for everybody or for few, and what a crowd
# of strangers leaves behind in it, which is nothing.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/lib.sh" || exit 99
need NPtcp
HOST="-h 127.0.0.1"
strangers=${NP_STRANGERS:-400}

# ---- Usage ------------------------------------------------------------------
refused "an option of before" 2 "'--once'; use no option: a server without --serve" NPtcp --once
refused "--serve of a transmitter" 2 "the server" NPtcp --serve $HOST
refused "a network that is none" 2 "no network" NPtcp --allow 10.0.0.0/40
refused "an address that is not here" 1 "192.0.2.1: no address of this host" NPtcp --bind-address 192.0.2.1 -P 0
refused "a token that is not there" 2 "cannot read .*: No such file" \
	NPtcp $HOST --token-file "$work/none" $SMALL
printf 'secret\n' >"$work/bad" && chmod 600 "$work/bad"
refused "a token that is none" 2 "does not hold 32 hexadecimal digits" \
	NPtcp -P 0 --token-file "$work/bad"
printf '00112233445566778899aabbccddeeff\n' >"$work/wrong" && chmod 644 "$work/wrong"
refused "a token for everybody to read" 2 "open to everybody" \
	NPtcp -P 0 --token-file "$work/wrong"
chmod 600 "$work/wrong"

# ---- One run ----------------------------------------------------------------
start_waiting once
tap_check "an open end says so" grep -q "it is open: any host may connect$" "$work/once.out"
measures "a server serves one run" "1 64 4096" NPtcp $HOST -P "$port" $SMALL
finish "$pid"
tap_check "and ends with it" [ "$code" -eq 0 ]

tap_check "and says nothing of options" [ ! -s "$work/once.err" ]

start_waiting measuring --sizes 64 -I
tap_check "measuring options of a server are the client's to give" \
	grep -q "^NPtcp: --invalidate has no effect here: the client decides" "$work/measuring.err"
kill "$pid"
finish "$pid"
start_waiting silent --quiet --sizes 64
tap_check "which --quiet does not say" [ ! -s "$work/silent.err" ]
kill "$pid"
finish "$pid"

start_waiting keyed --token-file "$work/token"
tap_check "an end with a token says so" grep -q "; any host with the token may connect$" \
	"$work/keyed.out"
tap_check "and has made it" grep -Eqx '[0-9a-f]{32}' "$work/token"
refused "without the token" 4 "requires a token" NPtcp $HOST -P "$port" $SMALL
refused "with another" 4 "refused: its token is wrong" \
	NPtcp $HOST -P "$port" --token-file "$work/wrong" $SMALL
measures "with the token" "1 64 4096" \
	NPtcp $HOST -P "$port" --token-file "$work/token" $SMALL
finish "$pid"
tap_check "the end that waited ends well" [ "$code" -eq 0 ]
start_waiting imposter
refused "an end that lets everybody in is not the one with the token" 4 \
	"does not have the token" NPtcp $HOST -P "$port" --token-file "$work/token" $SMALL
measures "which is no reason for it to end" "64" \
	NPtcp $HOST -P "$port" --sizes 64 --time-budget 0.2
finish "$pid"

start_waiting few --allow 192.0.2.0/24,fd00::/8
tap_check "an end for few says so" grep -q "; hosts of 192.0.2.0/24,fd00::/8 may connect$" \
	"$work/few.out"
refused "an address that is not allowed" 4 "closed the connection" \
	NPtcp $HOST -P "$port" --connect-timeout 0 $SMALL
tap_check "is named" grep -q "from .*127.0.0.1.*: its address is not in --allow$" \
	"$work/few.err"
kill "$pid"
finish "$pid"
start_waiting ours --allow 127.0.0.0/8 --bind-address 127.0.0.1
measures "one that is" "64" NPtcp $HOST -P "$port" --sizes 64 --time-budget 0.2
finish "$pid"
# The control channel and the data connection come from the client's --bind-address.
start_waiting few --allow 127.0.0.3/32
measures "a client from another address of its host" "64" NPtcp $HOST -4 -P "$port" \
	--bind-address 127.0.0.3 --sizes 64 --time-budget 0.2 --json "$work/from.json"
tap_check "sends its messages from there" grep -q '"local":"127\.0\.0\.3:[0-9]*"' "$work/from.json"
finish "$pid"
refused "an address of another host" 2 "--bind-address: cannot connect from" \
	NPtcp $HOST --bind-address 192.0.2.1
refused "a name as an address" 2 "--bind-address: 'here' is no address" \
	NPtcp $HOST --bind-address here
refused "an address of the other family" 4 "unknown host '127.0.0.1'" NPtcp $HOST -6
refused "both families" 2 "-4 excludes -6" NPtcp $HOST -4 -6
refused "a family of a server" 2 "-4 needs -h" NPtcp -4
start_waiting bound --bind-address 127.0.0.2
refused "another address of the host is not listened at" 4 "refused" \
	NPtcp $HOST -P "$port" --connect-timeout 0 $SMALL
measures "the one that was named is" "64" \
	NPtcp -h 127.0.0.2 -P "$port" --sizes 64 --time-budget 0.2
finish "$pid"

# memory NUMBER: what the header says of the client's host (1) or the server's (2).
memory()
{
	head -n 1 "$work/share.json" | grep -o 'memory_available_bytes[^0-9]*[0-9]*' |
		grep -o '[0-9]*$' | sed -n "$1p"
}
# The available memory changes between the two readings, but not by so much.
has_share()
{
	local client server
	client=$(memory 1) server=$(memory 2)
	echo "client $client, server $server"
	[ "$((server * 100 / client))" -ge "$1" ] && [ "$((server * 100 / client))" -le "$2" ]
}
start_waiting open --allow all
run NPtcp $HOST -P "$port" --sizes 64 --time-budget 0.2 --json "$work/share.json"
finish "$pid"
tap_check "a quarter of the memory is for clients without a token, with --allow all" has_share 15 30
start_waiting here
run NPtcp $HOST -P "$port" --sizes 64 --time-budget 0.2 --json "$work/share.json" --force
finish "$pid"
tap_check "and 1 GiB without" eval '[ "$(memory 2)" -le 1073741824 ] &&
	[ "$(memory 2)" -gt 100000000 ]'
start_waiting closed --token-file "$work/share.token"
run NPtcp $HOST -P "$port" --token-file "$work/share.token" --sizes 64 --time-budget 0.2 \
	--json "$work/share.json" --force
finish "$pid"
tap_check "and three quarters with one" has_share 55 85

start_waiting small --max-memory 1M
refused "a plan that takes more than --max-memory" 2 \
	"at the peer: the plan takes .* bytes of memory, and --max-memory allows 1048576" \
	NPtcp $HOST -P "$port" --sizes 4M --time-budget 0.2
finish "$pid"
tap_check "the end that refused says so, too" [ "$code" -eq 2 ]

# ---- One run after the other ------------------------------------------------
start_waiting serve --serve --token-file "$work/token" --max-memory 64M
server=$pid
RIGHT="$HOST -P $port --token-file $work/token"
measures "--serve serves a run" "1 64 4096" NPtcp $RIGHT $SMALL
measures "and another" "1 64 4096" NPtcp $RIGHT $SMALL
measures "with a smaller socket buffer" "64" NPtcp $RIGHT --sizes 64 --time-budget 0.2 -b 16K
run NPtcp $RIGHT --sizes 64 --time-budget 0.2 --json "$work/after.json"
tap_check "which the next run does not inherit" eval '[ "$code" -eq 0 ] &&
	! grep -q "\"receive_buffer\":{\"value\":32768," "$work/after.json"'
measures "several runs" "64" NPtcp $RIGHT --sizes 64 --time-budget 0.4 --runs 2
refused "a plan that is too large" 2 "max-memory" NPtcp $RIGHT --sizes 48M --time-budget 0.2
if [ "${NP_SANITIZERS:-no}" = no ]; then
	# Its main thread is in a call that does not return: the watcher ends it.
	${CC:-cc} -shared -fPIC -x c -o "$work/stuck.so" - <<-'END'
		#include <stddef.h>
		#include <unistd.h>
		int madvise(void *at, size_t length, int advice);
		int madvise(void *at, size_t length, int advice)
		{
			(void)at, (void)length, (void)advice;
			for (;;)
				pause();
		}
	END
	LD_PRELOAD=$work/stuck.so refused "is refused in the same words if this end hangs" 2 \
		"max-memory" NPtcp $RIGHT --sizes 48M --time-budget 0.2
else
	tap_skip "is refused in the same words if this end hangs" "built with sanitizers"
fi
start long NPtcp $RIGHT $SMALL --time-budget 60 --precision 0 --json "$work/long.json"
long=$pid
until_true 60 visits 1 "$work/long.json"
refused "while a run goes on another is told" 4 "busy with another run" \
	NPtcp $RIGHT --connect-timeout 0.3 $SMALL
start next NPtcp $RIGHT $SMALL --connect-timeout 60
next=$pid
kill -INT "$long"
finish "$long"
tap_check "the run ends" [ "$code" -eq 130 ]
finish "$next"
tap_check "and one that has waited begins" eval '[ "$code" -eq 0 ] &&
	has_rows "$work/next.out" 64'

# ---- A crowd ----------------------------------------------------------------
version=$("$NP_BUILDDIR/NPtcp" --version | sed -n '1s/.* //p')
protocol=$(sed -n 's/.*NP_PROTOCOL = \([0-9]*\).*/\1/p' "$NP_SRCDIR/src/boot/link_handshake.h")
NP_HELLO=$(perl -e 'print unpack "H*", pack "a8VVa16a16a16", "NetPong\n", @ARGV[0, 1], "t" x 16,
	@ARGV[2, 3]' "$protocol" 1 NPtcp "$version" 2>/dev/null)
export NP_HELLO
resident()
{
	sed -n 's/^VmRSS:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$server/status"
}
descriptors()
{
	ls "/proc/$server/fd" | wc -l
}
quiet_again()
{
	[ "$(descriptors)" -eq "$before" ]
}
# Half a megabyte is less than one run maps, and more than the C library keeps.
as_before()
{
	local now
	until_true 20 quiet_again || { ls -l "/proc/$server/fd"; return 1; }
	now=$(resident)
	echo "$made strangers; $memory kB before, $now after"
	[ "$now" -le $((memory + 512)) ]
}
crowd()
{
	made=$(perl "$NP_SRCDIR/tests/lib/strangers.pl" 127.0.0.1 "$port" "$1" "$2") &&
		[ "$made" -eq "$1" ]
}
if perl -MIO::Socket::IP -e 1 2>/dev/null; then
	until_true 20 eval '! pgrep -P "$server" >/dev/null'
	crowd 100 7
	until_true 20 eval '[ "$(descriptors)" -le 5 ]'
	before=$(descriptors) memory=$(resident)
	tap_check "it hears out $strangers strangers" crowd "$strangers" 8
	made=$strangers
	tap_check "without a descriptor or a page more" as_before
	tap_check "and names only some" [ "$(wc -l <"$work/serve.err")" -le 400 ]
	start amid NPtcp $RIGHT $SMALL --connect-timeout 30
	amid=$pid
	crowd 200 9
	finish "$amid"
	tap_check "a run amid strangers" eval '[ "$code" -eq 0 ] && has_rows "$work/amid.out" 64'
	measures "and one after them" "1 64 4096" NPtcp $RIGHT $SMALL
else
	tap_skip "a crowd of strangers" "perl lacks IO::Socket::IP"
fi

# ---- Its end ----------------------------------------------------------------
start last NPtcp $RIGHT $SMALL --time-budget 60 --precision 0 --json "$work/last.json"
last=$pid
until_true 60 visits 12 "$work/last.json"
kill -TERM "$server"
finish "$server"
tap_check "a signal ends it" [ "$code" -eq 143 ]
tap_check "with its last word" eval \
	'tail -n 1 "$work/serve.err" | grep -qx "NPtcp: stopped by SIGTERM"'
finish "$last"
out=$work/last.out err=$work/last.err
tap_check "the run in progress hears why" failed_with NPtcp 4 "at the peer: stopped by SIGTERM"
tap_check "and keeps what it has" has_lines "$work/last.json" header visit row findings
out=$work/out err=$work/err
start_waiting orphan --serve
server=$pid
start of_orphan NPtcp $HOST -P "$port" $SMALL --time-budget 60 --precision 0 \
	--json "$work/of_orphan.json"
last=$pid
until_true 60 visits 1 "$work/of_orphan.json"
kill -KILL "$server"
finish "$last"
tap_check "where it is killed outright, the run ends too" [ "$code" -eq 4 ]
cli_done
