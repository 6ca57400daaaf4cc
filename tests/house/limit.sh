#!/bin/bash
# A test that hangs is ended with all that it started, and its log says so.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/tap.sh" || exit 99
work=$(mktemp -d) || tap_bail "no temporary folder"
trap 'rm -rf "$work"' EXIT

limited()
{
	NP_TEST_SECONDS=$1 bash "$NP_SRCDIR/tests/lib/limit.sh" "${@:2}" >"$work/log" 2>&1
	code=$?
}

# Processes by number: one in its group, one in a session of its own.
limited 1 bash -c 'trap "" TERM; sleep 1000 & echo $! >"$0/pids"; setsid sleep 1000 & echo $! >>"$0/pids"
	echo "before it hung"; while :; do wait; done' "$work"
tap_check "a test that hangs is ended" [ "$code" -eq 99 ]
tap_check "its log is kept" grep -qx "before it hung" "$work/log"
tap_check "and says what happened" grep -q "^Bail out! killed after 1 s" "$work/log"
alive()
{
	local pid
	while read -r pid; do
		[ ! -e "/proc/$pid" ] || grep -q "^State:.Z" "/proc/$pid/status" || return 0
	done <"$work/pids"
	return 1
}
for _ in 1 2 3 4 5 6 7 8 9 10; do alive && sleep 0.2; done
tap_check "nothing that it started is left" eval '! alive'
limited 60 bash -c 'echo "ok 1"; exit 3'
tap_check "one that ends keeps its status" eval '[ "$code" -eq 3 ] && grep -qx "ok 1" "$work/log"'
tap_done
