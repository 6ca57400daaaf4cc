#!/bin/bash
# Either end of NPibv is killed, stopped or terminated while it measures, or the
# link goes down: a named error at both ends within seconds, and what was measured
# is kept.  For a machine that has the RDMA device rxe0 on the Ethernet device v0:
# one_host.sh runs it in a virtual one, as root.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/lib.sh" || exit 99
need NPibv
LONG="--sizes 1,64,4K --time-budget 120 --precision 0 --bind none"
# Many times what an end takes to notice, on an emulated processor that is shared.
SOON=60

complain()
{
	echo "$*"
	tail -n 4 "$work/$case".*.out "$work/$case".*.err
	return 1
}

# both_ends OPTION...: of this case, measuring; sets waiting and sending.
both_ends()
{
	start "$case.wait" NPibv -P 0
	waiting=$pid
	until_true 60 finds_port "$case.wait" || complain "nobody waits" || return
	# shellcheck disable=SC2086 # words
	start "$case.send" NPibv -h 127.0.0.1 -P "$port" $LONG "$@" \
		--json "$work/$case.json"
	sending=$pid
	until_true 90 visits 4 "$work/$case.json" || complain "it does not measure"
}

kept_rows()
{
	has_lines "$work/$case.json" header visit row findings &&
		has_rows "$work/$case.send.out" 64 &&
		grep -q "\"kind\":\"findings\",\"complete\":false,\"reason\":\"[^\"]*$1" \
			"$work/$case.json"
}

# strike VICTIM SIGNAL OPTION...: and judge the other end.
strike()
{
	local victim=$1 signal=$2 survivor struck words="the peer"
	case=$1.$2
	shift 2
	both_ends "$@" || return
	[ "$victim" = send ] && struck=$sending && survivor=$waiting
	[ "$victim" = wait ] && struck=$waiting && survivor=$sending
	kill -"$signal" "$struck"
	finish "$survivor" $SOON
	# A process that dies loses its memory regions before its queue pairs: a write finds no
	# region, a message no memory of the receive that it met.
	[ "$signal $code" != "KILL 1" ] || words="IBV_WC_REM_\\(ACCESS\\|OP\\)_ERR.*the peer"
	[ "$code" -eq 4 ] || [ "$signal $code" = "KILL 1" ] ||
		complain "the other end ended with $code, not 4" || return
	[ "$signal" != TERM ] || words="at the peer: stopped by SIGTERM"
	local file=$work/$case.wait.err
	[ "$victim" = send ] || file=$work/$case.send.err
	one_line "$file" NPibv "$words" || complain "not one line with '$words'" || return
	[ "$victim" = send ] || kept_rows "$words" || complain "rows were not kept" || return
	kill -CONT "$struck" 2>/dev/null
	finish "$struck" $SOON
	[ "$signal" != TERM ] || [ "$code" -eq 143 ] || complain "it ended with $code, not 143"
}

# The control channel, which cli_kill.sh strikes with all signals, is the same over verbs.
tap_check "TERM to the end that transmits, send and receive" strike send TERM
tap_check "KILL to the end that transmits, send and receive" strike send KILL
tap_check "KILL to the end that waits, writes seen by their last byte" \
	strike wait KILL -t rdma_write
tap_check "STOP to the end that waits, writes seen by their last byte" \
	strike wait STOP -t rdma_write
# Names of cases are those of the end and the signal, so each once more only.
rm -f "$work"/*.KILL.*
tap_check "KILL to the end that waits, the other asleep" strike wait KILL -c event
rm -f "$work"/*.KILL.*
tap_check "KILL to the end that waits, during a stream" strike wait KILL -s
rm -f "$work"/*.KILL.*
tap_check "KILL to the end that waits, during reads" strike wait KILL -t rdma_read

# ---- The link ----------------------------------------------------------------------
# One of the ends may hear of it from the other before its own device tells; a send
# may fail before the event is there; and between two passes there is no queue pair,
# and none is to be had.
link_words='\(IBV_EVENT_PORT_ERR\|rxe0.* is down\|Network is unreachable\)'
named_the_event()
{
	[ "$code" -eq 1 ] || [ "$code" -eq 4 ] ||
		complain "$1 ended with $code, neither 1 nor 4" || return
	one_line "$work/$case.$1.err" NPibv "$link_words" ||
		complain "$1: not one line that names it"
}
link_goes_down()
{
	local status=0
	case=down
	both_ends "$@" || return
	ip link set v0 down
	finish "$sending" $SOON
	named_the_event send || status=1
	finish "$waiting" $SOON
	named_the_event wait || status=1
	kept_rows "$link_words" || complain "rows were not kept" || status=1
	ip link set v0 up
	until_true 30 grep -q ACTIVE /sys/class/infiniband/rxe0/ports/1/state ||
		complain "the link does not come back" || status=1
	rm -f "$work"/down.*
	return $status
}
tap_check "the link goes down, polling" link_goes_down
tap_check "the link goes down, asleep" link_goes_down -c event
tap_check "the link goes down, during writes seen by their last byte" \
	link_goes_down -t rdma_write
# shellcheck disable=SC2086 # words
measures "and once it is up, everything works again" "1 64 4096" NPibv --local $SMALL
cli_done
