#!/bin/bash
# osu_one.sh SIDE FIGURE SIZE WORD... - one run of NPmpi with options (ours), of a program of
# OSU's (osu), or of IMB-MPI1 with the name of a benchmark (imb); prints the seconds of a message or an operation.  FIGURE is how both say
# it: time, rate, or of an operation that does not block, pure or exposed.
# From osu.sh: BUILD, RANKS, LAUNCH, the launcher with its options; ITERATIONS.
side=$1 figure=$2 size=$3
shift 3
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

. "$(dirname "$0")/lib.sh" || exit 1

# The median of a row, or the seconds that its rate means.
ours()
{
	local only=
	[ "$size" = 0 ] || only="--sizes $size"
	# shellcheck disable=SC2086 # words
	$LAUNCH "$BUILD/NPmpi" $only "$@" --passes 3 --precision 0 --time-budget 0.4 --quiet \
		--force --json "$work/json" >"$work/out" || return
	awk -v figure="$figure" '
	function field(name) {
		match($0, "\"" name "\":[^,}]*")
		return substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 3)
	}
	/"kind":"row"/ && (figure !~ /pure|exposed/ || field("variant") ~ figure) {
		s = figure == "rate" ? field("bytes") * 8 / field("mbps") / 1e6 : field("median_s")
	}
	END { if (s == "") exit 1; printf "%.12f\n", s }' "$work/json"
}

# The last line of numbers: its size, where there are sizes, and then figures.
osu()
{
	local only=
	[ "$size" = 0 ] || only="-m $(bytes "$size"):$(bytes "$size")"
	case $1 in
	*_fop_* | *_cas_*) only= ;;
	esac
	# shellcheck disable=SC2086 # words
	$LAUNCH "$1" $only ${ITERATIONS:+-i "$ITERATIONS"} >"$work/out" || return
	awk -v figure="$figure" -v size="$(bytes "$size")" -v pairs="$((RANKS / 2))" '
	/^[ 0-9.]+$/ {
		i = size == 0 ? 1 : 2
		if (figure == "rate") s = size * pairs / $i
		else if (figure == "pure") s = $(i + 2)
		else if (figure == "exposed") s = $i > $(i + 1) ? $i - $(i + 1) : 0.001
		else s = $i
	}
	END { if (s == "") exit 1; printf "%.12f\n", s / 1e6 }' "$work/out"
}

# Behind size and repetitions is the time of a ping-pong, or least and most of the ranks.
imb()
{
	bytes "$size" >"$work/sizes"
	# shellcheck disable=SC2086 # words
	$LAUNCH "$1" -npmin "$RANKS" -msglen "$work/sizes" "$2" >"$work/out" || return
	awk -v name="$2" -v size="$(bytes "$size")" '
	/^[ 0-9.]+$/ && (name == "Barrier" || $1 == size) {
		s = name == "PingPong" || name == "Barrier" ? $3 : $4
	}
	END { if (s == "") exit 1; printf "%.12f\n", s / 1e6 }' "$work/out"
}

"$side" "$@" </dev/null
