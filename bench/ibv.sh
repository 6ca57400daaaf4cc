#!/bin/bash
# ibv.sh BUILD SOURCE - NPibv beside perftest, in one virtual machine and one run,
# pairs of runs interleaved: half round trip beside ib_send_lat and
# ib_write_lat, a read beside ib_read_lat, streaming beside ib_send_bw and ib_write_bw.  LAUNCHES=20 pairs a
# line by default (6 at least, or there is no interval); SIZES, WAYS ("poll event")
# and BUDGET, the seconds that a run of NPibv measures, may be set.  PAIRS_FILE is the
# file that keeps each pair: the line's name and both numbers, in seconds.
# Ratios above 1 mean that NPibv's time is the longer; of a bandwidth of 0.95 the
# time is 1.053.
build=$1
source=$2
runs=${LAUNCHES:-20}
data=${PAIRS_FILE:-$PWD/bench-ibv.dat}

# inside: within the machine.
inside()
{
	local failed=0 size how
	"$build/bench/pairs" '# A / B' 'A us' 'B us'
	for size in ${SIZES:-64 4K 64K 1M}; do
		for how in ${WAYS:-poll event}; do
			pair '1.05' send_lat "$size" "$how"
			pair '1.053' send_bw "$size" "$how"
			pair '1.05' read_lat "$size" "$how"
			# perftest has no events for writes.
			[ "$how" = poll ] || continue
			pair '1.05' write_lat "$size" "$how"
			pair '1.053' write_bw "$size" "$how"
		done
	done
	return "$failed"
}

# pair GOAL TEST SIZE HOW: one line, and its runs in the data file.
pair()
{
	local label="ib_$2 $3 $4"
	local one="bash '$source/bench/ibv_one.sh' '$NP_BENCH_DATA' '$label'"
	"$build/bench/pairs" "$runs" "$1" "$label" \
		"$one ours '$build/NPibv' $2 $3 $4" "$one theirs perftest $2 $3 $4" || failed=1
}

if [ "${NP_BENCH_INSIDE:-}" = yes ]; then
	inside
	exit
fi
command -v ib_send_lat >/dev/null || {
	echo "ibv.sh: no ib_send_lat (package perftest)" >&2
	exit 1
}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export NP_BENCH_INSIDE=yes NP_BENCH_DATA=$work/runs
"$source/tests/machine/run" --time "${LIMIT:-14400}" --writable "$work" --env LAUNCHES --env SIZES \
	--env WAYS --env BUDGET -- bash "$source/bench/ibv.sh" "$build" "$source"
status=$?
{
	echo "# line: seconds of NPibv, seconds of perftest"
	awk -F '\t' '{
		n = ++count[$1, $2]
		value[$1, $2, n] = $3
		if (!($1 in seen)) { seen[$1] = 1; order[++lines] = $1 }
	}
	END {
		for (i = 1; i <= lines; i++)
			for (k = 1; k <= count[order[i], "ours"]; k++)
				print order[i] ": " value[order[i], "ours", k] " " \
					value[order[i], "theirs", k]
	}' "$work/runs"
} >"$data" && echo "# each pair: $data"
exit "$status"
