#!/bin/bash
# Hosts as they are: closed standard streams, limits, signals of batch systems, system calls
# that a container denies, no /proc, name servers that do not answer.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/lib.sh" || exit 99
need NPtcp NPshm
PATH=$PATH:/usr/sbin:/sbin
deny=$NP_BUILDDIR/tests/lib/deny

# ---- Standard streams -------------------------------------------------------
for closed in '<&-' '>&-' '2>&-' '<&- >&- 2>&-'; do
	eval '"$NP_BUILDDIR/NPtcp" --local $SMALL --json "$work/closed.json" --force \
		>"$out" 2>"$err" '"$closed"
	code=$?
	tap_check "a run with $closed" [ "$code" -eq 0 ]
	tap_check "and its result file" "$NP_BUILDDIR/tests/lib/json_lines" "$work/closed.json"
done

# ---- Signals and limits -----------------------------------------------------
# signal NAME STATUS: a run is told to end in its middle.
signal()
{
	file=$work/$1.json
	start "$1" NPshm $SMALL --time-budget 60 --precision 0 --json "$file"
	until_true 60 eval '[ "$(grep -c "\"kind\":\"visit\"" "$file")" -ge 12 ]'
	kill -"$1" "$pid"
	finish "$pid"
	tap_check "SIG$1 ends a run" [ "$code" -eq "$2" ]
	tap_check "which says so" one_line "$work/$1.err" NPshm "stopped by SIG$1"
	tap_check "and keeps its rows" eval 'grep -q "\"kind\":\"row\"" "$file" &&
		grep -q "\"complete\":false" "$file"'
}
signal XCPU 152
signal USR1 138
signal ALRM 142

(ulimit -f 4 && exec "$NP_BUILDDIR/NPtcp" --local $SMALL --json "$work/full.json") >"$out" 2>"$err"
code=$?
tap_check "a file that may not grow" failed_with NPtcp 1 "File too large"

# ---- Containers -------------------------------------------------------------
"$deny" -- /bin/true
if [ $? -eq 77 ]; then
	tap_skip "denied system calls" "the kernel has no filters"
else
	denied()
	{
		timeout -k 5 "$LIMIT" "$deny" "$1" -- "$NP_BUILDDIR/NPtcp" --local $SMALL "${@:2}" \
			>"$out" 2>"$err"
		code=$?
	}
	denied sched_setaffinity
	tap_check "without sched_setaffinity" [ "$code" -eq 0 ]
	tap_check "a run goes on, and warns" eval 'tr -s " \n" " " <"$out" | grep -q "warning .*cannot bind to a core"'
	denied sched_setaffinity --bind 0
	tap_check "but not where the core was named" failed_with NPtcp 4 "cannot bind to core 0"
	if [ "${NP_SANITIZERS:-no}" = no ]; then
		denied sched_getaffinity
		tap_check "without sched_getaffinity none hangs" [ "$code" -eq 4 ]
		tap_check "and it says why" grep -q "sched_getaffinity" "$err"
	else
		tap_skip "without sched_getaffinity" "built with sanitizers, which call it"
	fi
fi

isolated()
{
	timeout -k 5 "$LIMIT" unshare -mn sh -c "$1" >"$out" 2>"$err"
	code=$?
}
if unshare -mn true 2>/dev/null; then
	if [ "${NP_SANITIZERS:-no}" = no ]; then
		isolated "mount -t tmpfs none /proc && exec '$NP_BUILDDIR/NPshm' $SMALL --runs 2"
		tap_check "--runs without /proc says why" failed_with NPshm 1 "/proc/self/exe"
	else
		tap_skip "--runs without /proc" "built with sanitizers, which read it"
	fi
	# A name server that takes questions and answers none: the library would wait for 90 s.
	printf 'nameserver 127.0.0.1\noptions timeout:30 attempts:3\n' >"$work/resolv.conf"
	SECONDS=0
	isolated "ip link set lo up; mount --bind '$work/resolv.conf' /etc/resolv.conf &&
		{ perl -MIO::Socket::INET -e 'my \$socket = IO::Socket::INET->new(
			LocalPort => 53, Proto => \"udp\") or die; mkdir \"$work/bound\"; sleep 600' & } &&
		until [ -d '$work/bound' ]; do sleep 0.1; done &&
		'$NP_BUILDDIR/NPtcp' -h host.example --connect-timeout 1; code=\$?; kill \$!; exit \$code"
	tap_check "a dead name server" failed_with NPtcp 4 "no name server has answered within 5 s"
	tap_check "does not hold it up" [ "$SECONDS" -lt 60 ]
else
	tap_skip "--runs without /proc, a dead name server" "no namespaces"
fi
cli_done
