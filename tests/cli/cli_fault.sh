#!/bin/bash
# A transport that fails, loses, damages, stalls or dies, by NPfault: wrong data
# is found and named, everything else ends with a name and never hangs.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/lib.sh" || exit 99
need NPfault NPtcp
CHECK="-i --sizes 64,4K"
# A transport whose processes sleep: but for what touches its bytes, one is as good as another.
SMALL="--wrap tcp $SMALL"

# ---- Damage -----------------------------------------------------------------
# damaged NAME WORDS ARGUMENT...
damaged()
{
	refused "$1" 5 "$2" NPfault $CHECK --fault-in recv "${@:3}"
}
for module in shm tcp; do
	[ -x "$NP_BUILDDIR/NP$module" ] || {
		tap_skip "damage over $module" "NP$module is not in this build"
		continue
	}
	run NPfault --wrap "$module" $CHECK
	tap_check "$module: without a fault every byte is right" \
		eval '[ "$code" -eq 0 ] && [ ! -s "$err" ] && grep -q "^ *64 .*every byte right" "$out"'
	damaged "$module: a wrong byte in the middle is found" \
		"wrong data: message 4 of 64 bytes: first wrong byte at byte 32 " \
		--wrap "$module" --fault corrupt --fault-at 5
	damaged "$module: a stale buffer is found" "wrong data.*first wrong byte at byte 0 " \
		--wrap "$module" --fault stale --fault-at 3
done
damaged "at the other end too" \
	"at the peer: wrong data: message 4 of 64 bytes: first wrong byte at byte 32 " \
	--wrap tcp --fault corrupt --fault-at 5 --fault-rank 1
damaged "at a later size" "of 4096 bytes: first wrong byte at byte 2048 " \
	--wrap tcp --fault corrupt --fault-at 70
for mode in "-s -n 8" "-s --window 1" "-2" "-I --pool 1M"; do
	rank=1
	[ "$mode" = -2 ] && rank=0
	for fault in corrupt stale; do
		# shellcheck disable=SC2086 # words
		damaged "$mode: a $fault buffer is found" "first wrong byte at byte" \
			--wrap tcp $mode --fault "$fault" --fault-at 5 --fault-rank "$rank"
	done
done
run NPfault $SMALL --fault corrupt --fault-in recv --fault-at 5
tap_check "without -i nobody looks" well_done 1 64 4096

# ---- Failure ----------------------------------------------------------------
for hook in open connect reg arm send recv; do
	refused "a failing $hook is named" 1 "call 1 of $hook fails" \
		NPfault $SMALL --fault fail --fault-in "$hook"
	refused "a failing $hook of the peer is named" 4 "at the peer: call 1 of $hook fails" \
		NPfault $SMALL --fault fail --fault-in "$hook" --fault-rank 1
	refused "a peer that dies in $hook" 4 "connection to the peer lost" \
		NPfault $SMALL --fault die --fault-in "$hook" --fault-rank 1
done

# Behind the warm-up of the connection, 0.1 s: something has been measured.  A busy machine
# needs a millisecond for a message, and long pauses between samples: they have many messages.
LATE="--wrap tcp --sizes 64 -n 1000 --time-budget 600 --precision 0 --fault-at 12000 --force"
keeps_rows() # CODE WORDS FILE
{
	failed_with NPfault "$1" "$2" && has_rows "$out" 64 && grep -q 'size *latency us' "$out" &&
		has_lines "$3" header visit row findings && return
	show_run
	return 1
}
late() # NAME CODE WORDS ARGUMENT...
{
	local name=$1 wanted=$2 words=$3
	shift 3
	# shellcheck disable=SC2086 # words
	run NPfault $LATE "$@" --json "$work/late.json"
	tap_check "$name" keeps_rows "$wanted" "$words" "$work/late.json"
}
# Runs that sleep for the 5 or 7 s until a fault is noticed go on beside the others.
declare -A asleep=()
sleeping() # KEY ARGUMENT...
{
	# shellcheck disable=SC2086 # words
	start "$1" NPfault ${2} "${@:3}" --json "$work/$1.json"
	asleep[$1]=$pid
}
came_to() # KEY NAME JUDGE ARGUMENT...
{
	local out=$work/$1.out err=$work/$1.err
	finish "${asleep[$1]}"
	tap_check "$2" "${@:3}"
}
sleeping lost "$LATE" --fault drop
sleeping lost_by_peer "$LATE" --fault drop --fault-rank 1
sleeping lost_checked "--wrap tcp $CHECK" --fault drop --fault-at 9
sleeping open "$SMALL" --fault stall --fault-in open --fault-rank 1
sleeping first "$SMALL" --fault stall --fault-in recv --fault-rank 1
sleeping stalled "$LATE" --fault stall --fault-rank 1
late "a late failure keeps the rows" 1 "call 12000 of send fails" --fault fail
late "a late failure of the peer keeps the rows" 4 "at the peer: call 12000 of recv fails" \
	--fault fail --fault-in recv --fault-rank 1
late "a peer that dies late" 4 "connection to the peer lost" --fault die --fault-rank 1
came_to lost "tcp: a lost message is named" keeps_rows 4 "message lost" "$work/lost.json"
came_to lost_by_peer "tcp: one lost by the peer too" keeps_rows 4 "message lost" \
	"$work/lost_by_peer.json"
came_to lost_checked "tcp: one lost under -i" failed_with NPfault 4 "message lost"
came_to open "a peer that stalls in open" failed_with NPfault 4 "the peer has not answered"
came_to first "a peer that stalls in the first message" failed_with NPfault 4 \
	"the peer has not answered"
came_to stalled "a peer that stalls late" keeps_rows 4 "the peer has not answered for 5 s" \
	"$work/stalled.json"
for module in shm tcp; do
	[ -x "$NP_BUILDDIR/NP$module" ] || continue
	# shellcheck disable=SC2086 # words
	measures "$module: one that is late is no fault" "1 64 4096" NPfault \
		$SMALL --wrap "$module" --fault delay --fault-at 50
done

# ---- The transmitter itself --------------------------------------------------
# The sends of a new connection up to the twentieth are slow, slower than what a busy machine
# adds, and no row has them.
warmed()
{
	local line
	line=$(grep '"kind":"connection"' "$work/cold.json") || return
	sed 's/.*"first_s":\([^,]*\),"steady_s":\([^,]*\),.*/\1 \2/' <<<"$line" |
		awk '$1 > 2 * $2 { slower++ } END { exit !slower }'
}
# The time limit bounds the warming, and is ample: a busy machine does not cut it short.
run NPfault --wrap tcp --sizes 64 --time-budget 40 -n 10 --passes 3 --fault cold --fault-at 20 --fault-lag 5000 --json "$work/cold.json"
tap_check "a new connection is warmed" warmed

run NPfault $SMALL --fault die --fault-at 5
tap_check "a transmitter that dies" [ "$code" -eq 137 ]
tap_check "leaves nothing" until_true 20 eval '[ -z "$(tagged)" ]'
refused "a run that fails" 1 "call 1 of arm fails" \
	NPfault $SMALL --runs 2 --fault fail --fault-in arm
refused "a run whose peer dies" 4 "connection to the peer lost" \
	NPfault $SMALL --runs 2 --fault die --fault-rank 1
cli_done
