#!/bin/bash
# derived.sh - of a run whose file has lost what is written at the end, NPreport derives
# the same: each line of a row, a pair or the findings, to the last byte.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/report/report_lib.sh" || exit 99
[ -x "$NP_BUILDDIR/NPsim" ] || tap_skip_all "this build has no NPsim"
again=$NP_BUILDDIR/tests/report/derive_again
[ -x "$again" ] || tap_bail "no $again"

derived='"kind":"\(row\|pair\|findings\|capacity\|knee\|causes\)"'

# simulate NAME OPTION...: NAME.whole as the run has written it, NAME as if it had been
# killed before its end.
simulate()
{
	local name=$1
	shift
	"$NP_BUILDDIR/NPsim" --seed 5 --quiet --quick --force --json "$name.whole" "$@" \
		>"$out" 2>"$err" || return
	grep -v "$derived" "$name.whole" >"$name"
}

# is_derived NAME PATTERN...: all lines at the end follow from the others, and some of
# them have each pattern.
is_derived()
{
	local name=$1 pattern
	shift
	grep "$derived" "$name.whole" >"$name.lines"
	"$again" "$name" >"$name.again" 2>"$err" || { cat "$err"; return 1; }
	cmp "$name.lines" "$name.again" || return
	for pattern in '"kind":"row"' '"kind":"findings"' "$@"; do
		grep -q -- "$pattern" "$name.lines" || { echo "no: $pattern"; return 1; }
	done
}

# figures FILE: a report without its title, the quality, folded or not, and the kill.
figures()
{
	awk 'NR == 1 || /^incomplete/ { next }
		/^quality/ { quality = 1; next }
		quality && /^            / { next }
		{ quality = 0; print }' "$1"
}

# is_reported NAME: NPreport says and exports the same of both, but that one was killed.
is_reported()
{
	local name=$1 format file
	for file in "$name" "$name.whole"; do
		"$NP_BUILDDIR/NPreport" "$file" >"$file.text" 2>"$err" || return
		for format in csv json; do
			"$NP_BUILDDIR/NPreport" --export "$format" "$file" >"$file.$format" \
				2>"$err" || return
		done
	done
	cmp <(figures "$name.text") <(figures "$name.whole.text") &&
		cmp <(sed "s/^$name,//" "$name.csv") \
			<(sed "s/^$name.whole,//" "$name.whole.csv") &&
		cmp <(grep -v '^  "file"' "$name.json") \
			<(grep -v '^  "file"' "$name.whole.json")
}

# mode NAME "PATTERN..." OPTION...
mode()
{
	local name=$1 patterns=$2
	shift 2
	tap_check "$name: a run" simulate "$name" "$@"
	# shellcheck disable=SC2086
	tap_check "$name: its lines are derived again" is_derived "$name" $patterns
	tap_check "$name: its report is that of the whole file" is_reported "$name"
}

slower='"kind":"pair" "verdict":"slower" "changes":\[{'
mode reuse "" --profile "$(drawn 3)" -u 4K
mode rotate "$slower" -I --profile "$(drawn 32 capacity)" -u 4K -p 0
mode fresh '"of":"fresh/rotate"' -I --buffers fresh --profile "$(drawn 12)" -u 1K
mode rotate_only '"mode":"rotate"' --buffers rotate --profile "$(drawn 12)" -u 1K
mode touch '"kind":"pair"' -I --buffers touched --profile "$(drawn 13)" -u 1K
mode why '"kind":"causes" "kind":"pair"' --why 4K --profile "$(drawn 21)"
mode capacity '"kind":"capacity" "axis":"lines"' --capacity 4K --profile "$(drawn 32 capacity)"
mode capacity_fresh '"fresh"' --capacity 4K --buffers fresh --profile "$(drawn 32 capacity)"
mode refine "$slower" --refine -I --profile "$(drawn 41)" -u 4K
mode runs '"runs":6 "kind":"pair"' --runs 6 -I --profile "$(drawn 51)" -u 1K
mode modes_apart "$slower" --runs 6 --buffers reuse,rotate,apart --profile "$(drawn 32 capacity)" -u 4K -p 0
mode variants '"of":"other/base" "runs":6' --runs 6 --variant base: --variant \
	'other:set=latency = 2us' --profile "$(drawn 51)" -u 1K
mode runs_of_sweeps '"runs":3 "axis":"lines"' --runs 3 --capacity 4K --profile "$(drawn 33)"
mode runs_of_why '"runs":6 "kind":"causes"' --runs 6 --why 4K --profile "$(drawn 22)"
mode each_message '"p999_s":[0-9]' --per-message -I --profile "$(drawn 61)" --sizes 64,1K
mode runs_of_messages '"p99_s":[0-9]' --runs 3 --per-message --profile "$(drawn 61)" --sizes 64,1K
mode stream '"op":"stream" "kind":"pair"' -s -I --profile "$(drawn 71)" -u 1K
mode bidirectional '"op":"bidirectional"' -2 --profile "$(drawn 72)" -u 4K
mode put '"kind":"pair"' -t put -I --profile "$(drawn 74)" -u 1K
mode zero '"bytes":0,' -l 0 -u 64 -p 0 -I --profile "$(drawn 75)"

tap_done
