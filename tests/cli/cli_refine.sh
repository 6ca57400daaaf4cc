#!/bin/bash
# Steps and dropouts to the byte, by the whole program on a modelled transport where
# the truth is known.
. "$NP_SRCDIR/tests/lib/tap.sh"
. "$NP_SRCDIR/tests/lib/unfold.sh"

[ -x "$NP_BUILDDIR/NPsim" ] || tap_skip_all "this build has no NPsim"
work=$(mktemp -d) || tap_bail "no temporary folder"
trap 'rm -rf "$work"' EXIT

# sim NAME LINES [OPTION...]: a model of 2 us and 1 GB/s with those lines, refined.
sim()
{
	local name=$1 lines=$2
	shift 2
	"$NP_BUILDDIR/NPsim" --refine --seed 7 --quiet -u 64K --time-budget 24 \
		--set "latency = 2 us;bandwidth = 1 GB/s;noise = sample, 1 %;noise = visit, 0.4 %;noise = pass, 1 %;$lines" \
		--json "$work/$name.jsonl" "$@" >"$work/$name.txt" 2>&1 || {
		cat "$work/$name.txt"
		return 1
	}
}

# breaks NAME: what and where, of those that are significant, a line each.
breaks()
{
	unfolded "$work/$1.txt" | sed -nE '/, significant/s/^  ([a-z]+) +([^:]*):.*/\1 \2/p'
}

says()
{
	local found
	found=$(breaks "$1")
	echo "found: $found"
	[ "$found" = "$2" ]
}

tap_check "a model with two steps runs" sim steps "step = 1500, 6 %;step = 20001, 10 %"
tap_check "both are found to the byte" says steps $'step 1499 B to 1500 B\nstep 20000 B to 20001 B'
tap_check "a model with a dropout runs" sim dip "dip = 4096, 12 %"
tap_check "it is found at its byte" says dip "dropout 4 KiB"
tap_check "a model with nothing runs" sim nothing ""
tap_check "nothing is found" says nothing ""

# Two thirds of the time the host is in another state.
tap_check "a model with host states runs" sim states \
	"step = 1500, 6 %;step = 20001, 10 %;host_state = 0.5 s, 1 s, 90 %"
tap_check "both steps are found all the same" says states \
	$'step 1499 B to 1500 B\nstep 20000 B to 20001 B'

# A host state that the core-to-core latency does not show; the sentinel does from 1.5x on.
# denies SEED STATE: the passes show breaks, and the search does not.
denies()
{
	"$NP_BUILDDIR/lab/draw" "$1" nothing >"$work/drawn.profile" || return 1
	"$NP_BUILDDIR/NPsim" --verbose --profile "$work/drawn.profile" --seed "$1" --refine \
		--set "host_state = $2, unseen" >"$work/denied" || return 1
	unfolded "$work/denied" >"$work/said"
	cat "$work/said"
	grep -q "[0-9] breaks* that the search has not found" "$work/said" &&
		! grep -q '^  \(step\|dropout\)  ' "$work/said"
}
tap_check "what the search denies is not named" denies 20140 "20 s, 5 s, 45 %"
tap_check "nor where the host was seen in two states" denies 20156 "5 s, 4 s, 280 %"
tap_check "a model with an unseen state runs" sim two \
	"step = 1500, 60 %;host_state = 4 s, 2 s, 280 %, unseen" --time-budget 80
tap_check "what the search confirms is significant beside two states" \
	says two 'step 1499 B to 1500 B'
confirmed()
{
	"$NP_BUILDDIR/NPreport" "$work/two.jsonl" >"$work/two.txt" || return 1
	unfolded "$work/two.txt" >"$work/said"
	grep -E '^states|^  step' "$work/said"
	grep -q '^states .*; only what --refine has confirmed up to that' "$work/said" &&
		grep -q '^  step  *from 1499 B to 1500 B: .*; significant, to the byte' "$work/said" &&
		! grep -q '^  step.*as far apart' "$work/said"
}
tap_check "in NPreport, too" confirmed
tap_check "of rows alone NPreport knows the states" eval \
	'grep -v "\"kind\":\"visit\"" "$work/two.jsonl" >"$work/rows" &&
		"$NP_BUILDDIR/NPreport" "$work/rows" >"$work/said" &&
		unfolded "$work/said" | grep -q "^states .*in two states, 3.[0-9]*x apart; no step"'

# The transport reports a limit of 4096 B, which counts a header of 56 B; a page is as
# long, and is not named beside it.
limit='; reported there: eager limit (eager_limit_bytes 4096 less 56 B of header)'
tap_check "a model with an eager limit runs" sim eager "eager = 4040, 56"
tap_check "its step is found to the byte" says eager "step 4040 B to 4041 B"
tap_check "and named, less the header" eval 'unfolded "$work/eager.txt" | grep -qF "$limit"'
tap_check "and no other name is" eval \
	'! unfolded "$work/eager.txt" | grep -q "page\|eager limit.*, "'
in_file()
{
	grep '"kind":"break"' "$work/eager.jsonl" | grep -qF \
		'"limits":[{"fact":"eager_limit_bytes","source":null,"label":"eager limit","bytes":4096,"times":1,"header_bytes":56}]'
}
tap_check "so is it in the file" in_file
tap_check "NPreport names it" eval \
	'"$NP_BUILDDIR/NPreport" "$work/eager.jsonl" >"$work/said" && unfolded "$work/said" |
		grep -qF "$limit"'

refuses()
{
	"$NP_BUILDDIR/NPsim" --refine "$@" >"$work/out" 2>&1
	local code=$?
	cat "$work/out"
	[ "$code" = 2 ] && [ "$(grep -cv "^Try 'NPsim --help'\.$" "$work/out")" = 1 ]
}
writes()
{
	"$NP_BUILDDIR/tests/lib/json_lines" "$work/$1.jsonl" >"$work/kinds" || return 1
	cat "$work/kinds"
	grep -q "^break $2\$" "$work/kinds" && grep -q '^refinement 1$' "$work/kinds"
}
tap_check "its result file is as the page says" writes dip 1

# A run that was killed in its search: no break, no row, no findings.
killed_says()
{
	grep -E '"kind":"(header|visit|superseded)"' "$work/$1.jsonl" >"$work/killed.jsonl"
	"$NP_BUILDDIR/NPreport" "$work/killed.jsonl" >"$work/killed.txt" || return 1
	unfolded "$work/killed.txt" >"$work/killed.whole"
	cat "$work/killed.whole"
	grep -q "$2" "$work/killed.whole"
}
tap_check "NPreport derives it again from the visits" \
	killed_says steps 'step  *from 1499 B to 1500 B: .* to the byte'
tap_check "also where rounds were measured again" \
	killed_says states 'step  *from 1499 B to 1500 B: .* to the byte'

tap_check "-i is refused" refuses -i
tap_check "--runs is refused" refuses --runs 2
tap_check "--capacity is refused" refuses --capacity 64

tap_done
