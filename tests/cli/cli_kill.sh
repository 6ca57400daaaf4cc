#!/bin/bash
# Either end is killed, stopped or interrupted in any phase of a run over TCP:
# the other one ends by itself, says why in one line, and keeps what it has.
# The cases of a phase run side by side, for most of their time is waiting.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/lib.sh" || exit 99
need NPtcp
LONG="--sizes 1,64,4K --time-budget 60 --precision 0 --bind none"

# complain WORDS: and show what there is of a case.
complain()
{
	echo "$*"
	tail -n 4 "$work/$case".*.out "$work/$case".*.err
	return 1
}

# reach PHASE: waits until the run of this case is there.
reach()
{
	case $1 in
	handshake) sleep 0.03 ;;
	first) until_true 60 grep -q '"kind":"header"' "$work/$case.json" ;;
	middle) until_true 60 visits 12 "$work/$case.json" ;;
	end) until_true 60 visits 1 "$work/$case.json" && sleep 0.8 ;;
	esac
}

# The transmitter has printed and kept what was measured until WORDS happened.
kept_rows()
{
	has_lines "$work/$case.json" header visit row findings &&
		has_rows "$work/$case.send.out" 64 &&
		grep -q "^  latency, 1 B  *[0-9]" "$work/$case.send.out" &&
		grep -q "\"kind\":\"findings\",\"complete\":false,\"reason\":\"[^\"]*$1" \
			"$work/$case.json"
}

# judge_victim END SIGNAL PHASE: how the end that got the signal ended.
judge_victim()
{
	local file=$work/$case.$1.err
	case $2 in
	TERM)
		[ "$3" = end ] && [ "$code" -eq 0 ] && return
		[ "$code" -eq 143 ] || complain "$1 ended with $code, not 143" || return
		# While it dials it has no words for a signal.
		[ "$3" = handshake ] && [ ! -s "$file" ] && return
		one_line "$file" NPtcp "stopped by SIGTERM" || complain "$1: not one line"
		;;
	STOP) [ "$code" -eq 4 ] || [ "$3" = end ] || [ "$3" = handshake ] ||
		complain "$1, once it went on, ended with $code" ;;
	*) true ;;
	esac
}

# judge_survivor END SIGNAL PHASE: how the other one did.
judge_survivor()
{
	local file=$work/$case.$1.err words="the peer"
	[ "$3" = end ] && [ "$code" -eq 0 ] && [ ! -s "$file" ] && return
	[ "$2" != TERM ] || words="at the peer: stopped by SIGTERM"
	case $3-$2 in
	# It may have been struck before the first word, or before it was reached.
	handshake-*) words='\(peer\|cannot reach\)' ;;
	*-KILL) words="connection to the peer lost" ;;
	first-STOP | middle-STOP) words="the peer has not answered for 5 s" ;;
	esac
	[ "$code" -eq 4 ] || complain "$1 ended with $code, not 4" || return
	one_line "$file" NPtcp "$words" || complain "$1: not one line with '$words'" || return
	[ "$1" = send ] && [ "$3" = middle ] || return 0
	kept_rows "$words" || complain "$1 did not keep its rows"
}

# A server may have taken a victim's handshake for nothing: then it waits
# on, and is good for a transmitter that lives.
still_waits()
{
	"$NP_BUILDDIR/NPtcp" -h 127.0.0.1 -P "$port" --sizes 64 --time-budget 0.2 \
		>"$work/$case.again.out" 2>&1 || complain "the wait did not go on" || return
	finish "$1" 60
	[ "$code" -eq 0 ] || complain "the server ended with $code after another run"
}

# strike VICTIM SIGNAL PHASE: one case, from the start of both ends to the end.
strike()
{
	local victim=$1 signal=$2 phase=$3 case=$1.$2.$3 survivor budget
	local -A pids
	start_waiting "$case.wait" || return
	pids[wait]=$pid
	[ "$phase" != end ] || budget="--time-budget 1"
	start "$case.send" NPtcp -h 127.0.0.1 -P "$port" $LONG $budget --json "$work/$case.json"
	pids[send]=$pid
	[ "$victim" = send ] && survivor=wait || survivor=send
	reach "$phase" || complain "$phase was never reached" || return
	kill -"$signal" "${pids[$victim]}" 2>/dev/null
	if [ "$survivor $phase" = "wait handshake" ]; then
		until_true 25 ended "${pids[wait]}" || {
			kill -KILL "${pids[send]}" 2>/dev/null
			still_waits "${pids[wait]}"
			return
		}
	fi
	finish "${pids[$survivor]}" 60
	judge_survivor "$survivor" "$signal" "$phase" || return
	kill -CONT "${pids[$victim]}" 2>/dev/null
	finish "${pids[$victim]}" 60
	judge_victim "$victim" "$signal" "$phase"
}

# begin SIGNAL PHASE...: all their cases at once; sets begun, their processes.
begin()
{
	local signal=$1 phase victim
	shift
	begun=()
	for phase; do
		for victim in send wait; do
			(
				trap - EXIT
				set -m
				strike "$victim" "$signal" "$phase" >"$work/$victim.$signal.$phase.log" 2>&1
				echo $? >"$work/$victim.$signal.$phase.result"
			) &
			begun+=($!)
		done
	done
}

# judge SIGNAL PHASE...: a result for each case.
judge()
{
	local signal=$1 phase victim
	shift
	for phase; do
		for victim in send wait; do
			[ -s "$work/$victim.$signal.$phase.log" ] &&
				tap_comment "$(cat "$work/$victim.$signal.$phase.log")"
			tap_result "$(cat "$work/$victim.$signal.$phase.result")" \
				"$signal, $phase, to the end that $(
					[ "$victim" = send ] && echo transmits || echo waits)"
		done
	done
}

# Cases of the handshake wait longest, and compute nothing.
for signal in TERM KILL STOP; do
	begin "$signal" handshake
done
for signal in TERM KILL STOP; do
	begin "$signal" first middle end
	wait "${begun[@]}"
done
wait
for signal in TERM KILL STOP; do
	judge "$signal" handshake first middle end
done

# ---- While there is no peer -------------------------------------------------
alone_ended() # CODE WORDS
{
	[ "$code" -eq "$1" ] || complain "ended with $code, not $1" || return
	[ -z "$2" ] || one_line "$work/$case.err" NPtcp "$2" || complain "not one line"
}
# alone NAME CASE SIGNAL CODE WORDS: signals the process $pid, which waits alone.
alone()
{
	local case=$2
	kill -"$3" "$pid"
	finish "$pid" 60
	tap_check "$1" alone_ended "$4" "$5"
}
for signal in INT:130 TERM:143; do
	start_waiting "lone.${signal%:*}.wait"
	alone "${signal%:*} to one that waits for a transmitter" \
		"lone.${signal%:*}.wait" "${signal%:*}" "${signal#*:}" "stopped by SIG${signal%:*}"
	start "lone.${signal%:*}.dial" NPtcp -h 127.0.0.1 -P "$port" --connect-timeout 100 $LONG
	# Not the shell that is about to become it; and a moment later it dials.
	until_true 20 grep -qx NPtcp "/proc/$pid/comm" && sleep 0.5
	alone "${signal%:*} to one that waits for a listener" \
		"lone.${signal%:*}.dial" "${signal%:*}" "${signal#*:}" ""
done
start_waiting lone.kill.wait
alone "KILL to one that waits" lone.kill.wait KILL 137 ""
start_waiting lone.stop.wait
stopped=$pid
kill -STOP "$stopped"
refused "an end that waits and is stopped answers nobody" 4 "did not answer within" \
	NPtcp -h 127.0.0.1 -P "$port" $SMALL
kill -CONT "$stopped"
measures "and somebody once it goes on" "1 64 4096" NPtcp -h 127.0.0.1 -P "$port" $SMALL
finish "$stopped"
tap_check "and then ends well" [ "$code" -eq 0 ]

# ---- Ctrl-C -----------------------------------------------------------------
# at_once CODE: the transmitter of this case, interrupted, kept all.
interrupted()
{
	[ "$code" -eq 130 ] || complain "ended with $code, not 130" || return
	one_line "$work/$case.send.err" NPtcp "stopped by SIGINT" ||
		complain "not one line" || return
	kept_rows "stopped by SIGINT" || complain "did not keep its rows"
}
case=ctrl-c
start_waiting "$case.wait"
waiting=$pid
start "$case.send" NPtcp -h 127.0.0.1 -P "$port" $LONG --json "$work/$case.json" \
	-o "$work/$case.np"
reach middle
kill -INT -- "-$pid"
finish "$pid" 60
tap_check "Ctrl-C prints and keeps what was measured" interrupted
tap_check "in both files" [ "$(grep -vc '^#' "$work/$case.np")" -eq 3 ]
finish "$waiting" 60
tap_check "and the other end is told" [ "$code" -eq 4 ]
tap_check "in one line" one_line "$work/$case.wait.err" NPtcp "at the peer: stopped by SIGINT"

case=ctrl-c-local
start "$case.send" NPtcp --local $LONG --json "$work/$case.json"
reach middle
kill -INT -- "-$pid"
finish "$pid" 60
tap_check "Ctrl-C to both ends of one command" interrupted
cli_done
