#!/bin/bash
# nulls.sh BUILD [PROGRAM...] - false alarms of quick runs on this machine: -I --slots 1
# rotates through one slot, so rotation costs nothing.
#
# RUNS runs (40), 15 s each, under each of LOADS: "quiet", "busy" (one more process
# computes all the time) and "half" (it begins in the middle of a run).  Prints how many
# claim something, in the verdict of a size or of a range, with the interval of Clopper and
# Pearson, and the medians of the share of visits in another host state and of the sizes
# that have an interval.  KEEP is a folder for the result files of runs that claim
# something.  OPTIONS are further ones of the programs, such as a longer --time-budget.
# PROGRAMs are NPshm, NPtcp and NPmpi.
build=$1
shift
here=$(dirname "$0")
runs=${RUNS:-40}
half_s=7
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

command_of() # program
{
	case $1 in
	NPmpi) echo "${MPIEXEC:-mpiexec} -n 2 $build/NPmpi" ;;
	NPtcp) echo "$build/NPtcp --local" ;;
	*) echo "$build/$1" ;;
	esac
}

# run_once PROGRAM LOAD FILE
run_once()
{
	local wait=0 load=
	[ "$2" != half ] || wait=$half_s
	if [ "$2" != quiet ]; then
		# Computes until it is killed or alone.
		bash -c "sleep $wait; while kill -0 $$; do :; done" >/dev/null 2>&1 &
		load=$!
	fi
	# shellcheck disable=SC2046,SC2086 # a command line
	$(command_of "$1") -I --slots 1 --quick --quiet --force \
		${OPTIONS:-} --json "$3" >/dev/null ||
		exit 1
	[ -z "$load" ] || kill "$load"
}

# One line a run: 1 if it claims something, the share of visits in another state, and how
# many sizes have an interval.
claim_of()
{
	awk '/"kind":"findings"/ {
		claims = /"verdict":"(slower|faster)"/ || /"(slower|faster)":[1-9]/
		match($0, /"visits":[0-9]+/)
		visits = substr($0, RSTART + 9, RLENGTH - 9)
		match($0, /"visits_other_state":[0-9]+/)
		other = substr($0, RSTART + 21, RLENGTH - 21) / visits
		match($0, /"pairs_judged":[0-9]+/)
		print claims + 0, other, substr($0, RSTART + 15, RLENGTH - 15)
	}' "$1"
}

[ $# -gt 0 ] || set -- NPshm NPtcp NPmpi
for program; do
	for kind in ${LOADS:-quiet busy half}; do
		for run in $(seq "$runs"); do
			run_once "$program" "$kind" "$work/$run.jsonl"
			claim_of "$work/$run.jsonl" | tee "$work/claim"
			[ -z "$KEEP" ] || grep -q ^0 "$work/claim" ||
				cp "$work/$run.jsonl" "$KEEP/$program-$kind-$(date +%s).jsonl"
		done | sort -k 2n | awk -v name="$program $kind" -v runs="$runs" \
			-f "$here/clopper_pearson.awk" -f <(
			echo '{ claims += $1; share[NR] = $2; sizes[$3]++ }
			END {
				if (NR != runs) exit 1
				for (judged = 0; (below += sizes[judged]) < NR / 2;) judged++
				printf "%-14s %3d of %3d, %.3f [%.3f, %.3f]; in another state %.0f %%, %d sizes judged\n",
					name, claims, NR, claims / NR, share_low(claims, NR),
					share_high(claims, NR), 100 * share[int((NR + 1) / 2)], judged
			}') || exit 1
	done
done
