#!/bin/bash
# osu_one.sh SIDE FIGURE SIZES WORD... - one run of NPmpi with options (ours), of a program of
# OSU's (osu), or of IMB-MPI1 with the name of a benchmark (imb); prints the seconds of a message or
# an operation for each size of an ascending list with commas.  FIGURE is time, rate, or, for an
# operation that does not block, pure or exposed.
# From osu.sh: BUILD, RANKS, LAUNCH, the launcher with its options; BUDGET, seconds that NPmpi
# measures a size, and ITERATIONS of OSU's.
side=$1 figure=$2 size=$3
shift 3
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

. "$(dirname "$0")/lib.sh" || exit 1

all=()
for word in ${size//,/ }; do
	all+=("$(bytes "$word")")
done
list=${all[*]}
# Prints s[bytes] in awk: the seconds of each size.
# shellcheck disable=SC2016 # of awk
print_all='END {
	count = split(list, want, " ")
	for (i = 1; i <= count; i++) if (s[want[i]] == "") exit 1
	for (i = 1; i <= count; i++) printf "%.12f%s", s[want[i]], i < count ? " " : "\n"
}'

# The median of a row, or the seconds that its rate means.
ours()
{
	local only=
	[ "$size" = 0 ] || only="--sizes $size"
	# shellcheck disable=SC2086 # words
	$LAUNCH "$BUILD/NPmpi" $only "$@" --passes 3 --precision 0 --quiet --force \
		--time-budget "$(awk "BEGIN { print ${BUDGET:-0.4} * ${#all[@]} }")" --json "$work/json" >"$work/out" || return
	awk -v figure="$figure" -v list="$list" '
	function field(name) {
		match($0, "\"" name "\":[^,}]*")
		return substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 3)
	}
	/"kind":"row"/ && (figure !~ /pure|exposed/ || field("variant") ~ figure) {
		s[field("bytes")] = figure == "rate" ? field("bytes") * 8 / field("mbps") / 1e6 : field("median_s")
	}
	'"$print_all" "$work/json"
}

# A line of numbers has a size, where there are sizes, and then figures.  For a single size the
# last line counts, whatever its size.
osu()
{
	local only=
	[ "$size" = 0 ] || only="-m ${all[0]}:${all[-1]}"
	case $1 in
	*_fop_* | *_cas_*) only= ;;
	# Each message of a window in a buffer of its own, as NPmpi has them and MPI requires of receives.
	*bw | *mbw_mr) only+=" -b multiple" ;;
	esac
	# shellcheck disable=SC2086 # words
	$LAUNCH "$1" $only ${ITERATIONS:+-i "$ITERATIONS"} >"$work/out" || return
	awk -v figure="$figure" -v list="$list" -v pairs="$((RANKS / 2))" '
	/^[ 0-9.]+$/ {
		size = list ~ / / ? $1 : list
		i = size == 0 ? 1 : 2
		if (figure == "rate") us = size * pairs / $i
		else if (figure == "pure") us = $(i + 2)
		else if (figure == "exposed") us = $i > $(i + 1) ? $i - $(i + 1) : 0.001
		else us = $i
		s[size] = us / 1e6
	}
	'"$print_all" "$work/out"
}

# Behind size and repetitions is the time of a ping-pong, or least and most of the ranks.
imb()
{
	printf '%s\n' "${all[@]}" >"$work/sizes"
	# shellcheck disable=SC2086 # words
	$LAUNCH "$1" -npmin "$RANKS" -msglen "$work/sizes" "$2" >"$work/out" || return
	awk -v name="$2" -v list="$list" '
	/^[ 0-9.]+$/ { s[name == "Barrier" ? 0 : $1] = (name ~ /^(PingPong|Barrier)$/ ? $3 : $4) / 1e6 }
	'"$print_all" "$work/out"
}

"$side" "$@" </dev/null
