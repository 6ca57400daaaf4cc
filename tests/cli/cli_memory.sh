#!/bin/bash
# The driver reaches buffers through the memory table of their transport alone: those of
# NPsealed have addresses at which nobody else can load or store.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/lib.sh" || exit 99
need NPsealed

cold="NPsealed --sizes 64,4K --time-budget 0.5 -I --pool 4M"
measures "ping-pong" "1 64 4096" NPsealed $SMALL
measures "a stream" "1 64 4096" NPsealed $SMALL -s
measures "messages one by one" "1 64 4096" NPsealed $SMALL --per-message
measures "reuse, rotate and fresh" "64 4096" $cold --buffers fresh
measures "touched before" "64 4096" $cold --buffers touched
measures "one side rotates" "64 4096" $cold --buffers reuse,rotate-recv
measures "pages that the kernel may merge" "64 4096" $cold --pages thp
measures "connected anew" "64 4096" $cold -r
measures "a second run" "64 4096" $cold --runs 2
for mode in "" "-s" "-s --window 1" "-I --buffers fresh" "-I -O 1,3"; do
	# shellcheck disable=SC2086
	run NPsealed -i --sizes 1,64,4K-1,100003 $mode
	tap_check "-i $mode" checked 1 64 4095 100003
done
run NPsealed --capacity 64 --pool 1M --time-budget 2 --buffers fresh
tap_check "a sweep of buffers" eval '[ "$code" -eq 0 ] && [ ! -s "$err" ]'
run NPsealed --why 4K --pool 4M --time-budget 2
tap_check "the causes of a cost" eval '[ "$code" -eq 0 ] && [ ! -s "$err" ]'
cli_done
