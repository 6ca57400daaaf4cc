#!/bin/sh
# peer.sh PEER SIZE - one run of a packaged peer over TCP on loopback, pinned
# like ours; prints the seconds of half a round trip.  Debian's NetPIPE is
# called by its absolute path: it is named like one of our programs.
peer=$1
size=$2
port=$((20000 + $$ % 20000))
work=$(mktemp -d)
server=
trap 'test -n "$server" && kill $server 2>/dev/null; rm -rf "$work"' EXIT
cd "$work" || exit 1

case $peer in
netpipe)
	taskset -c 1 /usr/bin/NPtcp -l "$size" -u "$size" -p 0 -P $port \
		>server.log 2>&1 &
	server=$!
	sleep 0.2
	taskset -c 0 /usr/bin/NPtcp -h 127.0.0.1 -l "$size" -u "$size" -p 0 -P $port \
		-o out >client.log 2>&1
	awk 'NF == 3 { s = $3 } END { if (s == "") exit 1; print s }' out
	;;
sockperf)
	taskset -c 1 /usr/bin/sockperf server --tcp -i 127.0.0.1 -p $port \
		>server.log 2>&1 &
	server=$!
	sleep 0.2
	taskset -c 0 /usr/bin/sockperf ping-pong --tcp -i 127.0.0.1 -p $port -m "$size" \
		-t 1 >client.log 2>&1
	awk '/percentile 50.0/ { us = $NF } END { if (us == "") exit 1
		printf "%.12f\n", us / 1e6 }' client.log
	;;
qperf)
	taskset -c 1 /usr/bin/qperf -lp $port >server.log 2>&1 &
	server=$!
	sleep 0.2
	taskset -c 0 /usr/bin/qperf -lp $port -t 1 -m "$size" 127.0.0.1 tcp_lat \
		>client.log 2>&1
	awk '/latency/ { unit = $4 == "ms" ? 1e-3 : $4 == "ns" ? 1e-9 : 1e-6; s = $3 * unit }
		END { if (s == "") exit 1; printf "%.12f\n", s }' client.log
	;;
*)
	echo "peer.sh: no peer $peer" >&2
	exit 2
	;;
esac
