#!/bin/sh
# repeat.sh BUILD - coverage of intervals by eight runs of one command: for each size, how
# many of the eight intervals contain the median of all eight, and how far the eight medians
# lie apart.  Once with plain runs, whose unit is the pass, and once with --runs 8, whose
# unit is the run and which take three times as long.  RUNS, SIZES and BUDGET (seconds) may be set.
programs=$1
runs=${RUNS:-8}
sizes=${SIZES:-1,64,1K,4K,16K,64K,256K,1M}
budget=${BUDGET:-4}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

summarize() {
	awk -F, -v label="$1" '
	NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
	$column["ci_low_s"] > 0 {
		size = $column["bytes"]; n = ++count[size]
		median[size, n] = 1e6 * $column["median_s"]
		low[size, n] = 1e6 * $column["ci_low_s"]
		high[size, n] = 1e6 * $column["ci_high_s"]
		if (n == 1) order[++sizes] = size
	}
	END {
		for (s = 1; s <= sizes; s++) {
			size = order[s]; n = count[size]
			for (i = 1; i <= n; i++) sorted[i] = median[size, i]
			for (i = 2; i <= n; i++)
				for (k = i; k > 1 && sorted[k - 1] > sorted[k]; k--) {
					held = sorted[k]; sorted[k] = sorted[k - 1]; sorted[k - 1] = held
				}
			middle = n % 2 ? sorted[(n + 1) / 2] : (sorted[n / 2] + sorted[n / 2 + 1]) / 2
			covered = width = 0
			for (i = 1; i <= n; i++) {
				covered += low[size, i] <= middle && middle <= high[size, i]
				width += (high[size, i] - low[size, i]) / median[size, i] / n
			}
			printf "%-28s %9d %12.4f %8.3f %7.1f %% %5d of %d\n", label, size, middle, \
				sorted[n] / sorted[1], 100 * width, covered, n
			all += covered; total += n
		}
		printf "%-28s %9s %12s %8s %9s %5d of %d\n", label, "all", "", "", "", all, total
	}'
}

repeat() { # label program option...
	label=$1
	program=$2
	shift 2
	for run in $(seq "$runs"); do
		"$programs/$program" --sizes "$sizes" --quiet "$@" --force \
			--json "$work/run$run" >/dev/null || exit 1
	done
	"$programs/NPreport" --export csv "$work"/run* | summarize "$label"
}

printf '%-28s %9s %12s %8s %9s %s\n' '# command, unit' bytes 'median us' spread width covered
for unit in pass run; do
	plain="--time-budget $budget --precision 0"
	test $unit = run && plain="--time-budget $((3 * budget)) --precision 0 --runs 8"
	# shellcheck disable=SC2086 # the options are words
	repeat "shm, $unit" NPshm $plain
	# shellcheck disable=SC2086
	repeat "tcp polling, $unit" NPtcp --local --wait poll $plain
	# shellcheck disable=SC2086
	repeat "tcp blocking, $unit" NPtcp --local $plain
done
