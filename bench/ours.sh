#!/bin/sh
# ours.sh PROGRAM SIZE [OPTION...] - one run of a NetPong program on both
# cores; prints the median seconds of a message.
program=$1
size=$2
shift 2
"$program" --sizes "$size" --bind 0,1 --passes 3 --precision 0 --time-budget 0.4 \
	--quiet "$@" |
	awk '$1 ~ /^[0-9]+$/ { us = $3 } END { if (us == "") exit 1; printf "%.12f\n", us / 1e6 }'
