#!/bin/bash
# truth_one.sh BUILD WORK EXPERIMENT SEED - one profile of an experiment of truth.sh:
# runs it and prints what the score says of it, with the experiment before each line.
build=$1 work=$2/$3.$4 experiment=$3 seed=$4
sim=$build/NPsim
still='noise = none; burst = none'
# More buffers than any drawn capacity, in any unit.
sweep=(--capacity 64 --regions 256)

# run FILE OPTION...: a run, its results in a file.
run()
{
	local file=$1
	shift
	"$sim" --seed "$seed" --json "$file" --quiet "$@" >"$work.out" 2>&1 && return
	echo "$experiment: seed $seed: $*" >&2
	cat "$work.out" >&2
	exit 1
}

# score OPTION...: one run of a profile against its truth.
score()
{
	"$sim" "${profile[@]}" --truth >"$work.truth" || exit 1
	run "$work.json" "${profile[@]}" "$@"
	"$build/bench/truth" "$work.truth" "$work.json" >"$work.score" || exit 1
}

# score_intervals OPTION...: and its intervals against the same without noise.
score_intervals()
{
	"$sim" "${profile[@]}" --truth >"$work.truth" || exit 1
	run "$work.json" "${profile[@]}" "$@"
	run "$work.still" "${profile[@]}" --set "$still" "$@"
	"$build/bench/truth" "$work.truth" "$work.json" "$work.still" >"$work.score" || exit 1
}

# What misses of both kinds take: the shares of a message that draws have, too.
cpu_lines='copy = always; memory = 400 ns, 4 ns'
adapter_lines='translation = pages, 128, 4K, 300 ns, lru'

profile=(--draw "$seed" --plant nothing)
case $experiment in
nothing-pairs) score -I ;;
quick-pairs) score -I --quick ;;
nothing-refine) score --refine ;;
nothing-capacity) score "${sweep[@]}" ;;
nothing-why) score --why 64 ;;
steps) profile=(--draw "$seed" --plant steps) && score --refine ;;
dips) profile=(--draw "$seed" --plant dips) && score --refine ;;
capacity) profile=(--draw "$seed" --plant capacity) && score "${sweep[@]}" ;;
why-cpu) profile+=(--set "$cpu_lines") && score --why 64 ;;
why-translation) profile+=(--set "$adapter_lines") && score --why 64 ;;
why-both) profile+=(--set "$cpu_lines; $adapter_lines") && score --why 64 ;;
ratios) profile=(--draw "$seed" --plant capacity) && score_intervals -I --quick ;;
times)
	profile=(--draw "$seed" --plant all)
	# The second launch of a seed has the noise of the first of the next.
	seed=${seed}00 && score_intervals --quick --launches 8
	;;
*) echo "truth_one.sh: no experiment $experiment" >&2 && exit 1 ;;
esac
sed "s/^/$experiment $4 /" "$work.score"
rm -f "$work".*
