#!/bin/bash
# expect_sim.sh - operating curve of --expect in whole runs of NPsim: how often a clause
# passes, fails and stays undecided, by the distance of the true latency from the bound.
#
# expect_sim.sh BUILD [RUNS]: 10,000 runs a point by default, of the seeds from 1 on.  Runs of
# the model differ, and a clause is about one run: the truth is the median of a long run of
# the same seed.
set -e
build=$1 runs=${2:-10000}
here=$(dirname "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sim=("$build/NPsim" --profile infiniband-2004 --sizes 8 --quiet --force)

for ((seed = 1; seed <= runs; seed++)); do
	"${sim[@]}" --seed "$seed" --precision 0 --time-budget 20 --json "$work/long" >/dev/null
	truth[seed]=$(sed -n 's/.*"kind":"row".*"median_s":\([^,]*\),.*/\1/p' "$work/long")
done
echo "$runs runs a point, with intervals of 95 %"
echo "| margins | pass | fail | undecided | passes, median |"
echo "|---|---|---|---|---|"
for margins in -5 -2 -1 -0.5 0.5 1 2 5; do
	for ((seed = 1; seed <= runs; seed++)); do
		status=0
		bound=$(awk -v t="${truth[seed]}" -v m="$margins" \
			'BEGIN { printf "%.6g", t * 1e6 / 1.02 ^ m }')
		"${sim[@]}" --seed "$seed" --expect "latency(8) <= ${bound}us" \
			--json "$work/run" >/dev/null 2>&1 || status=$?
		echo "$status $(sed -n 's/.*"kind":"expect".*"units":\([0-9]*\),.*/\1/p' "$work/run")"
	done | sort -k2n | awk -f "$here/clopper_pearson.awk" -f <(cat <<'AWK'
	function cell(hits) {
		return sprintf("%.2f %% [%.2f, %.2f]", 100 * hits / NR,
			100 * share_low(hits, NR), 100 * share_high(hits, NR))
	}
	{ hits[$1]++; units[NR] = $2 }
	END {
		if (hits[0] + hits[3] + hits[6] != NR) {
			print "a run ended otherwise" > "/dev/stderr"
			exit 1
		}
		printf "| %+g | %s | %s | %s | %d |\n", margins, cell(hits[0] + 0),
			cell(hits[3] + 0), cell(hits[6] + 0), units[int((NR + 1) / 2)]
	}
AWK
	) margins="$margins" -
done
