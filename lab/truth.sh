#!/bin/bash
# truth.sh BUILD [EXPERIMENT...] - findings of NPsim with profiles drawn at random, against
# the planted effects.  Prints the table of doc/truth.md.
#
# COUNT profiles with something planted (300) and NOTHING without (1000), JOBS at a
# time (as many as there are processors); FIRST is the first seed (1).  KEEP names a file
# for the score of each profile, with its seed: scores that it has count, too, and are not
# measured again.
build=$1
shift
here=$(dirname "$0")
count=${COUNT:-300} nothing=${NOTHING:-1000} first=${FIRST:-1}
jobs=${JOBS:-$(nproc)}
work=$(mktemp -d) || exit 1
scores=${KEEP:-$work/scores}
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
all="nothing-pairs quick-pairs nothing-refine nothing-capacity nothing-why steps dips
everything capacity random labels tables why-cpu why-translation why-both ratios times
rough-pairs rough-refine replay-pairs replay-refine rough-breaks rough-shape
states-pairs states-refine hidden-pairs hidden-refine hidden-curve hidden-default
slow-pairs slow-refine later-pairs later-refine after-pairs after-refine"
# Rows of the table: experiment, count, goal, name.
cat >"$work/goals" <<'END'
nothing-pairs runs_that_claim most 0.01 nothing planted, `-I`: runs with a verdict
quick-pairs runs_that_claim most 0.01 nothing planted, `-I --quick`: runs with a verdict
nothing-refine runs_that_claim most 0.01 nothing planted, `--refine`: runs with a verdict
nothing-capacity runs_that_claim most 0.01 nothing planted, `--capacity 64`: runs with a verdict
nothing-why runs_that_claim most 0.01 nothing planted, `--why 64`: runs with a verdict
steps steps_found least 0.95 steps: of those planted, found by `--refine`
steps steps_right least 0.95 steps: of those found, planted
steps steps_exact least 0.95 steps: of those found, exact to the byte
dips dips_found least 0.95 dips: of those planted, found by `--refine`
dips dips_right least 0.95 dips: of those found, planted
everything steps_found least 0.95 steps, dips and a capacity at once: of the steps, found by `--refine`
everything steps_right least 0.95 of the steps found, planted
everything steps_exact least 0.95 of the steps found, exact to the byte
everything dips_found least 0.95 of the dips, found
everything dips_right least 0.95 of the dips found, planted
capacity knees_found least 0.95 capacities: of those planted, found within a step of `--capacity 64`
capacity knees_right least 0.95 capacities: of those found, planted
random knees_found least 0.95 replaced at random: of those planted, found within a step
random knees_right least 0.95 replaced at random: of those found, planted
labels labelled_cache least 0.95 one or two capacities of four kinds: a CPU cache named by `--capacity 64`, at its place
labels labelled_page_walk least 0.95 a CPU TLB named
labels labelled_translation least 0.95 an adapter's pages named
labels labelled_registration least 0.95 registrations named
labels labelled least 0.95 any of them
labels labels_undecidable count - of all capacities, two of one unit within a step of the sweep
labels labels_right least 0.99 of the names, planted at that place
labels false_label most 0.01 profiles with a name of what is not there, or not there
labels sizes_of_caches_held least 0.95 of the sizes of these: within the interval, CPU caches
labels sizes_held least 0.95 all others
tables labelled least 0.95 large tables, and what looks like them: named, at their place
tables labels_right least 0.99 of the names, planted at that place
tables false_label most 0.01 profiles with a name of what is not there, or not there
tables sizes_of_caches_held least 0.95 of the sizes: within the interval, CPU caches
tables sizes_held least 0.95 all others
nothing-capacity false_label most 0.01 nothing planted, `--capacity 64`: profiles with a name
why-cpu causes_right least 0.95 a CPU's cache: named by `--why 64`
why-translation causes_right least 0.95 an adapter's translations: named
why-both causes_right least 0.95 both: both named
ratios intervals_of_ratios within 0.93,0.97 intervals of `-I` that hold the true ratio
ratios intervals_of_nulls within 0.93,0.97 intervals of reuse over itself that hold 1
times intervals_of_times within 0.93,0.97 intervals of `--runs 8` that hold the true time
rough-pairs runs_that_claim most 0.01 rough, nothing planted, `-I --quick`: runs with a verdict
rough-pairs runs_of_a_wrong_shape most 0.01 the same: runs whose summary names a step or dropout
rough-refine runs_that_claim most 0.01 rough, nothing planted, `--refine`: runs with a verdict
replay-pairs runs_that_claim most 0.01 replayed noise, nothing planted, `-I --quick`: runs with a verdict
replay-pairs runs_of_a_wrong_shape most 0.01 the same: runs whose summary names a step or dropout
replay-refine runs_that_claim most 0.01 replayed noise, nothing planted, `--refine`: runs with a verdict
rough-breaks steps_found least 0.95 rough, with breaks: of the steps, found by `--refine`
rough-breaks steps_right least 0.95 of the steps found, planted
rough-breaks dips_found least 0.95 of the dips, found
rough-breaks dips_right least 0.95 of the dips found, planted
rough-breaks breaks_undecidable count - of all breaks, not to be told by the schedule
states-pairs runs_that_claim most 0.01 a seen host state, 4 s every 5 s: `-I --quick`, runs with a verdict
states-pairs runs_of_a_wrong_shape most 0.01 the same: runs whose summary names a step or dropout
states-refine runs_that_claim most 0.01 a seen host state, 4 s every 5 s: `--refine`, runs with a verdict
hidden-pairs runs_that_claim most 0.01 an unseen one: `-I --quick`, runs with a verdict
hidden-pairs runs_of_a_wrong_shape most 0.01 the same: runs whose summary names a step or dropout
hidden-curve runs_of_a_wrong_shape most 0.01 the same, `--quick`: runs whose summary names a step or dropout
hidden-default runs_of_a_wrong_shape most 0.01 the same with the default time
hidden-refine runs_that_claim most 0.01 an unseen one: `--refine`, runs with a verdict
slow-pairs runs_that_claim most 0.01 times that wander by 4 % in 3 s: `-I --quick`, runs with a verdict
slow-pairs runs_of_a_wrong_shape most 0.01 the same: runs whose summary names a step or dropout
slow-refine runs_that_claim most 0.01 times that wander by 4 % in 3 s: `--refine`, runs with a verdict
later-pairs runs_that_claim most 0.01 seen load from a time on, over quiet replay: `-I --quick`, runs with a verdict
later-pairs runs_of_a_wrong_shape most 0.01 the same: runs whose summary names a step or dropout
later-refine runs_that_claim most 0.01 seen load from a time on, over quiet replay: `--refine`, runs with a verdict
after-pairs runs_that_claim most 0.01 unseen load from a time on, over quiet replay: `-I --quick`, runs with a verdict
after-pairs runs_of_a_wrong_shape most 0.01 the same: runs whose summary names a step or dropout
after-refine runs_that_claim most 0.01 unseen load from a time on, over quiet replay: `--refine`, runs with a verdict
rough-shape shape_right least 0.99 rough, with breaks: of those that the summary of `-I --quick` names, planted
END

# left_of EXPERIMENT: seeds from standard input that have no score yet.
left_of()
{
	awk -v experiment="$1" '
		FILENAME != "-" { if ($1 == experiment) done[$2] = 1; next }
		!($1 in done)' "$scores" -
}

[ -e "$scores" ] || : >"$scores"
# shellcheck disable=SC2086 # a list
[ $# -gt 0 ] || set -- $all
for experiment; do
	case $experiment in
	nothing-* | *-pairs | *-refine | *-curve) last=$((first + nothing - 1)) ;;
	*) last=$((first + count - 1)) ;;
	esac
	seq "$first" "$last" | left_of "$experiment" |
		xargs -P "$jobs" -I{} bash "$here/truth_one.sh" "$build" "$work" \
			"$experiment" {} >>"$scores" || exit 1
done

awk -f "$here/clopper_pearson.awk" -f "$here/truth_table.awk" "$scores" "$work/goals"
