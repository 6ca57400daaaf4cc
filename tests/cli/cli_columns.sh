#!/bin/bash
# What programs print is at most 80 columns wide, and the answer to a question comes
# before its evidence.  Columns are characters, not bytes.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/lib.sh" || exit 99
cd "$work" || tap_bail "no folder to work in"

# fits NAME PROGRAM ARGUMENT...: what it prints, where it is built.
fits()
{
	local name=$1 program=$2
	shift
	if [ ! -x "$NP_BUILDDIR/$program" ]; then
		tap_skip "$name" "$program is not in this build"
		return
	fi
	shift
	timeout -k 5 "$LIMIT" "$NP_BUILDDIR/$program" "$@" >"$out" 2>"$err" </dev/null
	code=$?
	tap_check "$name" eval \
		'narrow "$out" && keeps_units "$out" && counts_well "$out" || { show_run; false; }'
}

# A number and its unit stand on one line, and the numbers of a row do.
keeps_units()
{
	! grep -nE '^ +[0-9]+[.][0-9]+$' "$1" && ! grep -nE '^    +(s|ms|us|ns|%|B|[KMG]?bit/s|[KMG]B/s)([ ,;)]|$)' "$1"
}

# "1 size", not "1 sizes"; "1 us", "1 process" and "rank 1 is" are right.
counts_well()
{
	! grep -noE '(^|[^0-9.,:/-])1 [a-z]+s\>' "$1" | grep -vE '1 ([mnu]?s|[a-z]*ss|is|has)$'
}

# first NAME WORDS: the output goes on after its one line of what was measured with this.
first()
{
	local words=$2
	awk 'past && NF { print; exit } !NF { past = 1 }' "$out" >answer
	tap_check "$1" eval 'cat answer; grep -q "$words" answer'
}

printf '%080d\n%081d\n' 0 0 >made
tap_check "a line of 81 columns is wide, and one of 80 is not" [ "$(wide made)" = "$(printf '%081d' 0)" ]
tap_check "a plural of one is seen" eval 'echo "of 1 results within" >made; ! counts_well made'
tap_check "a character of two bytes is one column" eval 'printf "%079d\303\251\n" 0 >made; narrow made'

for program in NPsim NPtcp NPshm NPibv NPmpi NPucx NPofi NPfleet NPreport netpong; do
	[ -x "$NP_BUILDDIR/$program" ] || continue
	for option in --help --help-all --version; do
		fits "$program $option" $program $option
	done
done

quick="--time-budget 2"
small="--pool 8M -u 64K"
noisy="latency = 2 us; bandwidth = 1 GB/s; noise = sample, 1 %; noise = visit, 0.4 %;
	noise = pass, 1 %; step = 1500, 6 %; step = 20001, 10 %; copy = always"
fits "a run" NPsim --quick
fits "one size, one pass" NPsim --sizes 64 -I --passes 1 --time-budget 0.001 --set "$noisy" \
	--json one
fits "its report" NPreport one
fits "all rows" NPsim --quick --all-rows
fits "its settings" NPsim $quick -I $small -v --set "$noisy"
fits "cold buffers" NPsim $quick -I $small --set "$noisy" --seed 1 --json before
fits "cold and fresh buffers" NPsim $quick -I $small --buffers fresh --set "$noisy" --seed 1
fits "several runs" NPsim --runs 6 --sizes 64,4K --quick --set "$noisy" --json runs
fits "others" NPsim --runs 6 --sizes 64,4K --quick --set "$noisy; dip = 4K, 20 %" --json others
fits "a stream" NPsim $quick -s --set "$noisy"
fits "both directions" NPsim $quick -2
fits "single messages" NPsim $quick --per-message --sizes 64,4K --set "$noisy"
fits "clauses" NPsim $quick --expect 'latency(8) <= 2us, bandwidth(1M) >= 10G'
fits "the plan" NPsim --dry-run -I --set "$noisy"
fits "a profile" NPsim --profile infiniband-2004 --quick
fits "variants" NPsim --variant base: --variant "slow:set=latency = 3 us" --runs 6 --sizes 64,4K --quick
fits "checked messages" NPshm -i --sizes 64,4K $quick
fits "NPshm" NPshm --sizes 64,4K $quick
fits "NPshm, cold buffers" NPshm -I --sizes 64,4K $quick --pool 8M
fits "NPtcp" NPtcp --local --sizes 64,4K $quick -v
fits "NPtcp, its plan" NPtcp --local --dry-run

fits "steps" NPsim --quick --refine --set "$noisy" --seed 1 --json steps
first "they come first" "^  step  *[0-9]* B to [0-9]* B: .* slower"
tap_check "and the summary does not deny them" eval '! grep -q "^  steps  *none" "$out"'
fits "a cause" NPsim --quick --why 4K --set "$noisy" --seed 1 --json cause
first "its verdict comes first" "^  why 4 KiB .* with cold buffers"
tap_check "in the second line" eval 'grep -A 1 "^  why 4 KiB " "$out" | grep -q "^  cause  *[a-z]"'
fits "a capacity" NPsim --capacity 64 $quick --pool 8M --set "$noisy" --seed 1 --json capacity
first "its knees come first" "^  capacity  .*64 B"
fits "a capacity, and fresh buffers" NPsim --capacity 64 --buffers fresh $quick --pool 8M --set "$noisy" --seed 1

fits "the report of a run" NPreport steps
fits "of several files" NPreport before runs others
fits "of a cause" NPreport cause
tap_check "begins with the cause" eval 'head -n 7 "$out" | grep -q "^  cause  *[a-z]"'
fits "of a capacity" NPreport capacity
tap_check "begins with the capacity" eval 'head -n 6 "$out" | grep -q "^  capacity "'
fits "a comparison" NPreport --compare runs others
fits "a comparison that decides nothing" NPreport --compare steps before
fits "three sides" NPreport --compare runs others runs
fits "clauses of files" NPreport --expect 'latency(4K) <= 2us, ratio(4K) <= 1.1' before
fits "netpong list" netpong list
fits "netpong doctor" netpong doctor
fits "netpong examples" netpong examples
cli_done
