#!/bin/sh
# builds.sh BEFORE AFTER - timed loops of two builds of NPshm and NPtcp, pairs of runs
# interleaved.  Samples of both have the same number of messages.  The least time of a sample
# in a run counts, on which a busy machine has the least influence; KEY=median_s takes the
# median.  LAUNCHES=25 pairs a line by default.  Ratios above 1 mean that AFTER is slower.
before=$1
after=$2
runs=${LAUNCHES:-25}
failed=0

# one COMMAND: with the options that all lines have, and its figure in seconds.
one() {
	printf '%s' "$* --bind 0,1 --passes 2 --precision 0 --time-budget 0.1 --quiet " \
		"--json /dev/stdout --force | " \
		"sed -n '/\"kind\":\"row\"/s/.*\"${KEY:-min_s}\":\([^,]*\),.*/\1/p'"
}
line() { # label program options
	label=$1
	shift
	"$after/bench/pairs" "$runs" - "$label" "$(one "$after/$*")" \
		"$(one "$before/$*")" || failed=1
}

"$after/bench/pairs" '# after / before' 'after us' 'before us'
line "shm 1 B" NPshm --sizes 1 -n 1000
line "shm 64 B" NPshm --sizes 64 -n 1000
line "shm 1 KiB" NPshm --sizes 1K -n 500
line "shm 64 KiB" NPshm --sizes 64K -n 20
line "tcp 1 B" NPtcp --local --sizes 1 -n 20
line "tcp 64 B" NPtcp --local --sizes 64 -n 20
line "tcp 1 KiB" NPtcp --local --sizes 1K -n 20
line "tcp 64 KiB" NPtcp --local --sizes 64K -n 10
exit "$failed"
