#!/bin/bash
# Two ends that one command has started: either is killed, stopped or
# interrupted, or its module fails, in several phases.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/lib.sh" || exit 99
need NPshm
LONG="--sizes 1,64,4K --time-budget 60 --precision 0"

complain()
{
	echo "$*"
	tail -n 4 "$work/$case.out" "$work/$case.err"
	return 1
}

begin() # NAME VISITS PROGRAM ARGUMENT...
{
	case=$1
	start "$1" "$3" "${@:4}" --json "$work/$1.json"
	until_true 60 visits "$2" "$work/$case.json" || complain "no $2 visits"
	other=$(cat "/proc/$pid/task/$pid/children" 2>/dev/null)
	other=${other%% *}
}

# came_to PROGRAM CODE WORDS: the process ended so, with its rows kept.
came_to()
{
	[ "$code" -eq "$2" ] || complain "ended with $code, not $2" || return
	one_line "$work/$case.err" "$1" "$3" || complain "not one line with '$3'" || return
	has_lines "$work/$case.json" header visit row findings &&
		has_rows "$work/$case.out" 64 &&
		grep -qE "^  (latency|time)|^     size " "$work/$case.out" &&
		grep -q '"kind":"findings","complete":false' "$work/$case.json" ||
		complain "the rows were not kept"
}

vanished()
{
	until_true 30 ended "$1" || complain "process $1 is still there"
}

# A peer that is gone or stands still is noticed in each loop that waits for it.
for options in "--transfer ring --wait spin" "--transfer ring --wait futex" "--transfer single"; do
	for signal in KILL STOP; do
		begin "receiver.$signal.${options// /}" 6 NPshm $options $LONG
		kill -"$signal" "$other"
		finish "$pid" 60
		tap_check "$options: $signal to the receiver" came_to NPshm 4 "peer"
		tap_check "which is gone" vanished "$other"
	done
	begin "transmitter.STOP.${options// /}" 6 NPshm $options $LONG
	kill -STOP "$pid"
	tap_check "$options: STOP ends the receiver" vanished "$other"
	kill -CONT "$pid"
	finish "$pid" 60
	tap_check "and the transmitter, once it goes on" came_to NPshm 4 "peer"
done
# A signal that a process takes itself is told over the control channel.
begin receiver.TERM 6 NPshm $LONG
kill -TERM "$other"
finish "$pid" 60
tap_check "TERM to the receiver" came_to NPshm 4 "peer"
begin transmitter.TERM 6 NPshm $LONG
kill -TERM "$pid"
finish "$pid" 60
tap_check "TERM to the transmitter" came_to NPshm 143 "stopped by SIGTERM"
begin transmitter.KILL 6 NPshm $LONG
kill -KILL "$pid"
tap_check "KILL takes the receiver along" vanished "$other"
finish "$pid" 30
tap_check "and leaves whole lines" has_lines "$work/$case.json" header visit
begin memcpy.INT 6 NPshm --transfer memcpy $LONG
kill -INT -- "-$pid"
finish "$pid" 60
tap_check "memory copy: Ctrl-C" came_to NPshm 130 "stopped by SIGINT"
begin both.TERM 6 NPshm $LONG
kill -TERM -- "-$pid"
finish "$pid" 60
tap_check "TERM to both ends at once" came_to NPshm 143 "stopped by SIGTERM"
begin first.INT 1 NPshm $LONG
kill -INT -- "-$pid"
finish "$pid" 60
tap_check "Ctrl-C at the first sample" [ "$code" -eq 130 ]

# ---- Runs ---------------------------------------------------------------
begin runs.INT 6 NPshm $LONG --runs 2
kill -INT -- "-$pid"
finish "$pid" 60
tap_check "--runs: Ctrl-C" came_to NPshm 130 "stopped by SIGINT"
begin runs.TERM 6 NPshm $LONG --runs 2
kill -TERM "$pid"
finish "$pid" 60
tap_check "--runs: TERM to the one that gathers" came_to NPshm 143 "stopped by SIGTERM"
begin runs.KILL 6 NPshm $LONG --runs 2
kill -KILL "$other"
finish "$pid" 60
tap_check "--runs: KILL to a run" came_to NPshm 1 "run 1"
begin runs.orphan 6 NPshm $LONG --runs 2
kill -KILL "$pid"
finish "$pid" 30
tap_check "--runs: KILL to the one that gathers" vanished "$other"
# ---- A limit of processes ------------------------------------------------------
# Each limit up to one that is enough stops another process or thread.
limited() # LIMIT PROGRAM ARGUMENT...
{
	timeout -k 5 "$LIMIT" setpriv --reuid 52077 --regid 52077 --clear-groups \
		bash -c 'ulimit -u "$0" && exec "$@"' "$@" >"$out" 2>"$err"
	code=$?
}
starts_or_says()
{
	local most
	for most in 1 2 3 4 5 6 7 8; do
		limited "$most" "$NP_BUILDDIR/NPtcp" --local --sizes 64 --time-budget 0.1
		[ "$code" -ne 0 ] || return 0
		failed_with NPtcp 1 "cannot start .*unavailable" || return
	done
	echo "no limit is enough"
	return 1
}
limited 9 "$NP_BUILDDIR/NPtcp" --version 2>/dev/null
if [ "${NP_SANITIZERS:-no}" != no ]; then
	tap_skip "ulimit -u, at each process and thread" "built with sanitizers, which start threads"
elif [ "$code" -ne 0 ]; then
	tap_skip "ulimit -u, at each process and thread" "no other user may run the program here"
else
	tap_check "ulimit -u, at each process and thread" starts_or_says
fi
cli_done
