#!/bin/sh
# promise.sh BUILD - time limit in the first line of a command, and the time that it takes:
# LAUNCHES=100 runs of each of six commands of NPsim, by its own clock, and of the
# programs of PROGRAMS="NPshm NPtcp", by the wall clock.  Prints quantiles of taken over
# named.  Once more beside a busy process for the second half of the table.
build=$1
runs=${LAUNCHES:-100}

# seconds PROGRAM OPTION...: named and taken.
seconds()
{
	program=$1
	shift
	before=$(date +%s.%N)
	COLUMNS=200 "$build/$program" "$@" >"$work/out" 2>&1 || return
	wall=$(echo "$(date +%s.%N) - $before" | bc)
	test "${program#NPsim}" = "$program" || wall=
	tr '\n' ' ' <"$work/out" | sed 's/  */ /g' | awk -v wall="$wall" '
		{
			match($0, /up to [0-9.]+ s/)
			named = substr($0, RSTART + 6) + 0
			taken = match($0, /pass(es)?, [0-9.]+ s/) ? substr($0, RSTART) : ""
			sub(/^pass(es)?, /, "", taken)
			taken += 0
			taken += match($0, / gaps in [0-9.]+ s/) ? substr($0, RSTART + 9) + 0 : 0
			print named, wall != "" ? wall : taken
		}'
}

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
echo "# command: taken / named, least, median, 95 %, most of $runs runs"
for program in NPsim ${PROGRAMS-NPshm NPtcp}; do
	local=
	test "$program" != NPtcp || local=--local
	test "$program" != NPsim || local='--profile ethernet-1g'
	for options in --quick '-I --quick' '--refine --quick' '--capacity 64 --quick' \
		'--why 4K --quick' '--time-budget 2'; do
		run=0
		while test $run -lt "$runs"; do
			run=$((run + 1))
			seconds $program $local $options --seed $run
		done | awk '$1 > 0 { print $2 / $1 }' | sort -n | awk -v name="$program $options" '
			{ ratio[NR] = $1 }
			END { if (NR) printf "%-32s %.2f %.2f %.2f %.2f  n %d\n", name, ratio[1],
				ratio[int((NR + 1) / 2)], ratio[int(NR * 0.95 + 0.5)], ratio[NR], NR }'
	done
done
