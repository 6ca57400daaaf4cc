#!/bin/sh
# ours.sh PROGRAM SIZE [OPTION...] - one run of a NetPong program on both
# cores; prints the median seconds of a message, or with LEAST=1 the least of three
# means, as NetPIPE prints it.
program=$1
size=$2
shift 2
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
. "$(dirname "$0")/lib.sh" || exit 1
test -z "$LEAST" || set -- "$@" --json "$work/visits"
seconds_of "$program" --sizes "$size" --bind 0,1 --passes 3 --precision 0 --time-budget 0.4 "$@" \
	>"$work/median" || exit
if test -z "$LEAST"; then
	cat "$work/median"
else
	least_mean "$work/visits" 3
fi
