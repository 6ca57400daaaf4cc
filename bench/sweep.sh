#!/bin/sh
# sweep.sh BUILD SOURCE [poll] - a sweep of all sizes in BUDGET=12 seconds beside loops of one
# size that run for LOOP=0.15 seconds, as an application would: LAUNCHES=8 interleaved pairs.
# Prints a line of pairs for each of SIZES.
programs=$1
build=$1/bench
wait=
flag=
test -z "$3" || { wait='--wait poll' && flag=-p; }
runs=${LAUNCHES:-8}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
. "$2/bench/lib.sh" || exit 1

# A size that a sweep left out for lack of time has no row, and its line fails.
sweep() {
	# shellcheck disable=SC2086
	"$programs/NPtcp" --local $wait --bind 0,1 --time-budget "${BUDGET:-12}" --quiet --force \
		-o "$work/rows" >"$work/text" || return
	for size in $sizes; do
		awk -v size="$size" '$1 == size { print $3 }' "$work/rows" >>"$work/ours.$size"
	done
}
loops() {
	for size in $sizes; do
		"$build/floor_tcp" $flag "$size" "${LOOP:-0.15}" | cut -d' ' -f2 >>"$work/loop.$size"
	done
}

sizes=$(for size in ${SIZES:-64 8K 64K 256K 1M 4M}; do bytes "$size"; done)
for run in $(seq "$runs"); do
	test $((run % 2)) = 0 || sweep || exit 1
	loops || exit 1
	test $((run % 2)) = 1 || sweep || exit 1
done
for size in $sizes; do
	# Both commands of a pair give the next line of their file.
	for file in ours loop; do
		printf 'sed -n 1p "%s"; sed -i 1d "%s"\n' "$work/$file.$size" "$work/$file.$size" \
			>"$work/$file.sh"
	done
	"$build/pairs" "$runs" 1.02 "sweep${flag:+ polling} $size B / loop" \
		"sh $work/ours.sh" "sh $work/loop.sh" || exit 1
done
