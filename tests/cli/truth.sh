#!/bin/bash
# What NetPong finds of what NPsim has planted, in a few profiles drawn from fixed
# seeds: make bench-truth does it with many.  Times are the model's, so each run
# finds the same on every machine.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/lib.sh" || exit 99
need NPsim
scores=$work/scores

# counts EXPERIMENT NAME LEAST MOST AT_LEAST_OF: how many of how many, over all seeds.
counts()
{
	awk -v experiment="$1" -v name="$2" -v least="$3" -v most="$4" -v least_of="$5" '
		$1 == experiment && $3 == name { hits += $4; of += $5 }
		$1 == experiment { print }
		END { exit !(of >= least_of && hits >= least * of && hits <= most * of) }
	' "$scores" >"$work/seen" || { cat "$work/seen" && return 1; }
}

COUNT=4 NOTHING=4 MANY=18 JOBS=2 KEEP=$scores "$BASH" "$NP_SRCDIR/lab/truth.sh" "$NP_BUILDDIR" \
	quick-pairs nothing-why nothing-capacity nothing-refine capacity steps dips \
	why-cpu why-translation why-both ratios >"$out" 2>"$err"
code=$?
tap_check "profiles are measured" [ "$code" -eq 0 ]
[ "$code" -eq 0 ] || tap_comment "$(tail -n 5 "$err")"

tap_check "-I claims nothing where nothing is" counts quick-pairs claims_of_pair 0 0 100
tap_check "--why claims nothing" counts nothing-why claims_of_causes 0 0 4
tap_check "--capacity claims nothing" counts nothing-capacity claims_of_knee 0 0 0
tap_check "--refine claims nothing" counts nothing-refine runs_that_claim 0 0 4
tap_check "steps are found" counts steps steps_found 0.75 1 4
tap_check "to the byte" counts steps steps_exact 1 1 4
tap_check "no other steps are" counts steps steps_right 1 1 4
tap_check "dips are found" counts dips dips_found 0.75 1 4
tap_check "no other dips are" counts dips dips_right 1 1 4
tap_check "capacities are found" counts capacity knees_found 0.75 1 4
tap_check "what is found is planted" counts capacity knees_right 0.75 1 4
tap_check "--why names the CPU's cache" counts why-cpu causes_right 1 1 4
tap_check "--why names translations" counts why-translation causes_right 1 1 4
tap_check "--why names both" counts why-both causes_right 1 1 4
tap_check "intervals hold the true ratio" counts ratios intervals_of_ratios 0.85 1 100
cli_done
