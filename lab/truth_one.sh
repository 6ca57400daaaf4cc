#!/bin/bash
# truth_one.sh BUILD WORK EXPERIMENT SEED - runs one profile of an experiment of truth.sh,
# and prints the lines of its score, each behind experiment and seed.
build=$1 work=$2/$3.$4 experiment=$3 seed=$4
sim=$build/NPsim draw=$build/lab/draw noises=$(dirname "$0")/../tests/data/noise
# More buffers than any drawn capacity, in any unit.
sweep=(--capacity 64 --regions 256)
passes=${MANY:-60}

# plant WHAT: sets the profile to one of this seed with that plant.  Words added to it are
# a --set.
plant()
{
	"$draw" "$seed" "$1" >"$work.profile" || exit 1
	profile=(--profile "$work.profile")
}

# tell_truth: the planted effects, with those of --set.
tell_truth()
{
	"$draw" --truth "$work.profile" "${profile[@]:3}" || exit 1
}

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
	tell_truth >"$work.truth"
	run "$work.json" "${profile[@]}" "$@"
	"$build/lab/truth" "$work.truth" "$work.json" >"$work.score" || exit 1
}

# score_intervals OPTION...: as score, and holds the intervals against a run of many more
# passes, MANY (60) at least, with other noise and with as much more time, so that visits are
# as long.  An interval is of the median of noisy units, which differs from the time without
# noise where only some messages of a sample miss.
score_intervals()
{
	tell_truth >"$work.truth"
	run "$work.json" "${profile[@]}" "$@"
	seed=1$(printf %08d "$seed")
	run "$work.many" "${profile[@]}" "${many[@]}"
	"$build/lab/truth" "$work.truth" "$work.json" "$work.many" >"$work.score" || exit 1
}

# replace_at_random: gives the drawn translations random replacement in place of LRU.  Fails
# where CPU caches were drawn, and so no translations.
replace_at_random()
{
	local lines
	lines=$(tell_truth | awk '
		/^capacity/ && /cache=adapter/ {
			for (i = 2; i <= NF; i++) {
				split($i, word, "=")
				is[word[1]] = word[2]
			}
			page = is["axis"] == "pages" ? ", 4K" : ""
			printf "translation = none; translation = %s, %s%s, %s ns, random", \
				is["axis"], is["count"], page, is["miss_ns"]
		}')
	[ -n "$lines" ] && profile+=(--set "$lines")
}

# replay: takes recorded noise of passes and visits.
replay()
{
	local files=("$noises"/*.txt)

	profile+=(--set "replay = ${files[seed % ${#files[@]}]}; noise = visit, 0 %;
		noise = pass, 0 %")
}

# under NAME: adds host states or slow noise, by the name of an experiment.  Load of later-*
# and after-* begins at any second of a run of -I --quick, or of --refine.
under()
{
	local begin=$((2 + seed % 8)) unseen=''

	[[ $1 == *-refine ]] && begin=$((3 + seed % 50))
	[[ $1 == hidden* || $1 == after* ]] && unseen=', unseen'
	case $1 in
	slow*) profile+=(--set 'correlated = 4 %, 3 s') ;;
	states* | hidden*) profile+=(--set "host_state = 5 s, 4 s, 280 %$unseen") ;;
	later* | after*)
		profile+=(--set "replay = $noises/npshm-quiet.txt; noise = visit, 0 %;
			noise = pass, 0 %;
			host_state = 1 s, 1000 s, 280 %$unseen, from $begin s")
		;;
	esac
}

# Misses of both kinds, which take the shares of a message that draws have, too.
cpu_lines='copy = always; memory = 400 ns, 4 ns'
adapter_lines='translation = pages, 128, 4K, 300 ns, lru'

plant nothing
case $experiment in
nothing-pairs) score -I ;;
quick-pairs) score -I --quick ;;
nothing-refine) score --refine ;;
nothing-capacity) score "${sweep[@]}" ;;
nothing-why) score --why 64 ;;
steps) plant steps && score --refine ;;
rough-pairs) plant rough && score -I --quick ;;
rough-refine) plant rough && score --refine ;;
rough-breaks) plant rough-breaks && score --refine ;;
rough-shape) plant rough-breaks && score -I --quick ;;
replay-pairs) replay && score -I --quick ;;
replay-refine) replay && score --refine ;;
states-pairs | hidden-pairs | slow-pairs | later-pairs | after-pairs)
	under "$experiment" && score -I --quick
	;;
states-refine | hidden-refine | slow-refine | later-refine | after-refine)
	under "$experiment" && score --refine
	;;
hidden-curve) under "$experiment" && score --quick ;;
hidden-default) under "$experiment" && score ;;
dips) plant dips && score --refine ;;
everything) plant all && score --refine ;;
capacity) plant capacity && score "${sweep[@]}" ;;
labels) plant capacities && score "${sweep[@]}" ;;
tables) plant tables && score "${sweep[@]}" ;;
random)
	plant capacity
	replace_at_random || exit 0
	score "${sweep[@]}"
	;;
why-cpu) profile+=(--set "$cpu_lines") && score --why 64 ;;
why-translation) profile+=(--set "$adapter_lines") && score --why 64 ;;
why-both) profile+=(--set "$cpu_lines; $adapter_lines") && score --why 64 ;;
ratios)
	plant capacity
	# None is so precise: all time is used, in visits as long as where some are.
	many=(-I --quick --passes "$passes" --time-budget $((14 * passes / 6))
		--precision 0.001)
	score_intervals -I --quick
	;;
times)
	plant all
	# Each run has 2 passes and an eighth of 7 s.  Noise of runs and passes has a median of
	# 1: without it one run of fewer passes has the true median.
	many=(--quick --passes $((passes / 2)) --time-budget $((7 * passes / 32))
		--precision 0 --set 'noise = run, 0 %; noise = pass, 0 %')
	# The second run of a seed has the noise of the first of the next.
	seed=${seed}00 && score_intervals --quick --runs 8
	;;
*) echo "truth_one.sh: no experiment $experiment" >&2 && exit 1 ;;
esac
sed "s/^/$experiment $4 /" "$work.score"
rm -f "$work".*
