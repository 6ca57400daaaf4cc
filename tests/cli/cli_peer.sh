#!/bin/bash
# Two ends that find each other, or do not: addresses and ports, strangers at
# the port, ends that are not alike.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/lib.sh" || exit 99
need NPtcp
HOST="-h 127.0.0.1"

# ---- Addresses and ports ----------------------------------------------------
refused "unknown host" 4 "unknown host 'no-such-host.invalid'.*-h takes an address" \
	NPtcp -h no-such-host.invalid $SMALL
refused "a host that is no name" 4 "unknown host" NPtcp -h 'not a host' $SMALL
refused "a port behind the host" 4 "unknown host.*by --port" \
	NPtcp -h 127.0.0.1:5208 $SMALL
refused "an address in brackets" 4 "unknown host.*without brackets" \
	NPtcp -h "[::1]:5208" $SMALL
refused "a user before the host" 4 "unknown host.*--remote only" NPtcp -h me@there $SMALL
refused "an address of a link without the link" 2 "fe80::1%eth0" NPtcp -h fe80::1 $SMALL
for listener in 0 x 1 "99 next" "$((1 << 20)) any"; do
	NETPONG_LISTENER=$listener refused "NETPONG_LISTENER=$listener" 2 \
		"is no listening socket: unset it" NPtcp -P 0
done
start_waiting taken || tap_bail "cannot wait at a port"
taken=$pid
refused "port in use" 1 "cannot listen on port $port.*in use; -P 0 " NPtcp -P "$port"
run NPtcp $HOST -P "$port" $SMALL
tap_check "its owner is not disturbed" well_done 1 64 4096
finish "$taken"
tap_check "and ends well" [ "$code" -eq 0 ]
tap_check "in silence" [ ! -s "$work/taken.err" ]
refused "refused port" 4 "cannot reach 127.0.0.1 port $port.*refused; start .*--serve needs --allow" \
	NPtcp $HOST -P "$port" --connect-timeout 0.5 $SMALL
refused "the same, named at once" 4 "cannot reach" \
	NPtcp $HOST -P "$port" --connect-timeout 0 $SMALL

# The transmitter may be first: it tries again until somebody listens.
start early NPtcp $HOST -P "$port" --connect-timeout 60 $SMALL
early=$pid
sleep 0.3
start late NPtcp -P "$port"
late=$pid
finish "$early"
out=$work/early.out err=$work/early.err
tap_check "a transmitter that is early waits" well_done 1 64 4096
finish "$late"
tap_check "for an end that is late" [ "$code" -eq 0 ]
out=$work/out err=$work/err

if [ -e /proc/net/if_inet6 ] && grep -q ' lo$' /proc/net/if_inet6; then
	start_waiting six
	measures "IPv6" "64" NPtcp -h ::1 -P "$port" --sizes 64 --time-budget 0.2
	finish "$pid"
else
	tap_skip "IPv6" "no IPv6 on loopback"
fi
start_waiting name
measures "a name" "64" NPtcp -h localhost -P "$port" --sizes 64 --time-budget 0.2
finish "$pid"

# ---- Strangers --------------------------------------------------------------
# talk TEXT: says it to the port, and tells how the other side took it: "closed"
# or, after some seconds, "open".
talk()
{
	local rest=open
	exec 9<>"/dev/tcp/127.0.0.1/$port" || return 1
	# Who is dropped at the first word cannot say the second.
	(trap '' PIPE && printf "$1" >&9) 2>/dev/null
	# Reset or closed in peace, it is over; 124 is the patience of timeout.
	timeout 20 cat <&9 >"$work/heard" 2>/dev/null
	[ $? -eq 124 ] || rest=closed
	exec 9>&- 9<&-
	echo "$rest"
}
closed_on()
{
	[ "$(talk "$1" 2>&1)" = closed ]
}

start_waiting strange || tap_bail "cannot wait at a port"
strange=$pid
tap_check "who says nothing is dropped" closed_on ''
tap_check "who speaks HTTP is dropped" closed_on 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'
tap_check "who begins well and stops is dropped" closed_on 'NetPong\n'
tap_check "who says noise is dropped" closed_on '\200\377\000\001NetPong\n'
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	(exec 8<>"/dev/tcp/127.0.0.1/$port" && sleep 20) 2>/dev/null &
	silent[i]=$!
	disown
done
measures "a transmitter gets in past twenty silent ones" "1 64 4096" \
	NPtcp $HOST -P "$port" $SMALL
kill "${silent[@]}" 2>/dev/null
finish "$strange"
tap_check "and the server ends well" [ "$code" -eq 0 ]
tap_check "it told of those it dropped, a line each" eval '
	grep -c "^NPtcp: dropped a connection from .*: it sent another protocol$" \
		"$work/strange.err" | grep -qx 2 &&
	grep -q "^NPtcp: dropped .*: it sent nothing for" "$work/strange.err" &&
	! grep -v "^NPtcp: dropped a connection from " "$work/strange.err"'

# ---- Almost right -----------------------------------------------------------
version=$("$NP_BUILDDIR/NPtcp" --version | sed -n '1s/.* //p')
protocol=$(sed -n 's/.*NP_PROTOCOL = \([0-9]*\).*/\1/p' "$NP_SRCDIR/src/boot/link_handshake.h")
# hello PROTOCOL KIND PROGRAM VERSION: the 64 bytes of src/boot/link_handshake.c, as
# printf takes them; the token is one letter, sixteen times.
hello()
{
	printf 'NetPong\\n\\%03o\\0\\0\\0\\%03o\\0\\0\\0tttttttttttttttt%s%s%s%s' "$1" "$2" \
		"$3" "$(pad $((16 - ${#3})))" "$4" "$(pad $((16 - ${#4})))"
}
pad()
{
	local left=$1
	while [ $((left -= 1)) -ge 0 ]; do printf '\\000'; done
}
heard_refusal() # WORDS HELLO
{
	closed_on "$2" && tr -d '\0' <"$work/heard" | grep -aq "$1" && return
	od -c "$work/heard"
	return 1
}
start_waiting almost || tap_bail "cannot wait at a port"
almost=$pid
tap_check "another version is told so" heard_refusal "the client is NPtcp 9.9.9" \
	"$(hello "$protocol" 1 NPtcp 9.9.9)"
tap_check "another module is told so" heard_refusal "the client is NPibv" \
	"$(hello "$protocol" 1 NPibv "$version")"
tap_check "another protocol is told so" heard_refusal "protocol 77" \
	"$(hello 77 1 NPtcp "$version")"
tap_check "a link of another run is told so" heard_refusal "busy" \
	"$(hello "$protocol" 2 NPtcp "$version")"
tap_check "hello and no more is dropped" closed_on "$(hello "$protocol" 1 NPtcp "$version")"
measures "a transmitter still gets in" "1 64 4096" NPtcp $HOST -P "$port" $SMALL
finish "$almost"
tap_check "and the server ends well" [ "$code" -eq 0 ]

# One of this host that leaves before its plan: who comes after it is asked anew.
meet_and_leave()
{
	exec 8<>"/dev/tcp/127.0.0.1/$port" || return
	printf "$(hello "$protocol" 1 NPtcp "$version")" >&8 && head -c 8 <&8 >/dev/null
	exec 9<>"/dev/tcp/127.0.0.1/$port" || return
	printf "$(hello "$protocol" 2 NPtcp "$version")" >&9 && head -c 8 <&9 >/dev/null
	printf 'NP\006\000\050\000\000\000%s\n\000\000\000' \
		"$(cat /proc/sys/kernel/random/boot_id)" >&8 && head -c 48 <&8 | wc -c
	exec 8>&- 9>&-
}
start_waiting meeting || tap_bail "cannot wait at a port"
meeting=$pid
tap_check "an end of this host is met" [ "$(meet_and_leave)" -eq 48 ]
measures "and once it has left another is met, too" "1 64 4096" NPtcp $HOST -P "$port" $SMALL
finish "$meeting"
tap_check "and the server ends well" [ "$code" -eq 0 ]

# Real programs that differ in their version or their name alone.
imitate() # FROM TO NAME
{
	LC_ALL=C sed "s/$1/$2/g" "$NP_BUILDDIR/NPtcp" >"$work/$3" && chmod +x "$work/$3"
}
# Its first digit alone: the linker may keep other texts in the end of this one.
other=9${version#?}
imitate "$(printf '%s' "$version" | sed 's/\./\\./g')" "$other" newer
imitate NPtcp NPudp NPudp
for kind in newer NPudp; do
	start_waiting "with_$kind" || tap_bail "cannot wait at a port"
	timeout -k 5 "$LIMIT" "$work/$kind" $HOST -P "$port" $SMALL >"$out" 2>"$err"
	code=$?
	name=NPtcp
	words="refused: the server is NPtcp $version .*, the client is NPtcp $other "
	[ "$kind" = newer ] || name=NPudp words="is NPtcp $version .*, the client is NPudp "
	tap_check "$kind transmits to what it is not" failed_with "$name" 4 "$words"
	measures "after which the right one gets in" "64" \
		NPtcp $HOST -P "$port" --sizes 64 --time-budget 0.2
	finish "$pid"
done

# ---- Strangers that listen --------------------------------------------------
# listen PERL: a server that treats each guest so; sets port.
listen()
{
	: >"$work/server.port"
	perl -MIO::Socket::INET -e '
		$SIG{PIPE} = "IGNORE"; $| = 1;
		my $server = IO::Socket::INET->new(Listen => 5, LocalAddr => "127.0.0.1")
			or die;
		print $server->sockport, "\n";
		while (my $guest = $server->accept) {
			push @guests, $guest;
			'"$1"'
		}' >"$work/server.port" 2>/dev/null &
	server=$!
	until_true 10 [ -s "$work/server.port" ]
	port=$(cat "$work/server.port")
}
meets() # NAME WORDS PERL
{
	listen "$3"
	refused "$1" 4 "$2" NPtcp $HOST -P "$port" $SMALL
	kill "$server" 2>/dev/null
	wait "$server" 2>/dev/null
}
if perl -MIO::Socket::INET -e 1 2>/dev/null; then
	meets "what listens says nothing" "127.0.0.1 port [0-9]*: .*did not answer within" ''
	meets "what listens speaks HTTP" "127.0.0.1 port [0-9]*: .*not NetPong" \
		'print $guest "HTTP/1.1 400 Bad Request\r\n\r\n";'
	meets "what listens hangs up" "closed the connection" 'close pop @guests;'
	meets "what listens welcomes and says no more" "the peer" \
		'syswrite $guest, "NP" . chr(1) . "\0\0\0\0\0";'
	meets "what listens is NetPIPE" "NetPIPE's, .*netpipe-tcp" \
		'syswrite $guest, "SyncMe"; sysread $guest, my $word, 6; close $guest; exit'
	meets "what listens announces four gigabytes" "not NetPong" \
		'syswrite $guest, "NP" . chr(1) . "\0\377\377\377\377";'
	# A load balancer: one connection to each of two servers, in turn.
	start_waiting one
	one=$pid one_port=$port
	start_waiting other
	perl -MIO::Socket::INET -MIO::Select -e '
		my ($turn, %to) = 0;
		$SIG{PIPE} = "IGNORE"; $| = 1;
		my $server = IO::Socket::INET->new(Listen => 5, LocalAddr => "127.0.0.1") or die;
		print $server->sockport, "\n";
		my $all = IO::Select->new($server);
		while (1) { for my $from ($all->can_read) {
			if ($from == $server) {
				my $guest = $server->accept;
				my $host = IO::Socket::INET->new("127.0.0.1:$ARGV[$turn++ % @ARGV]") or die;
				@to{$guest, $host} = ($host, $guest);
				$all->add($guest, $host);
			} elsif ($to{$from} && sysread $from, my $bytes, 65536) {
				syswrite $to{$from}, $bytes;
			} else {
				$all->remove($from);
				shutdown $to{$from}, 1 if $to{$from};
			}
		} }' "$one_port" "$port" >"$work/balancer.port" 2>/dev/null &
	balancer=$!
	until_true 10 [ -s "$work/balancer.port" ]
	refused "a load balancer" 4 "second connection to 127.0.0.1 .*load balancer" \
		NPtcp $HOST -P "$(cat "$work/balancer.port")" $SMALL
	kill "$balancer" "$one" "$pid" 2>/dev/null
	finish "$one"
	finish "$pid"
else
	tap_skip "strangers that listen" "perl lacks IO::Socket::INET"
fi
cli_done
