#!/bin/bash
# doc/first-steps.md answers each question of a new user from the first screen of one command:
# its script finds the answers, and the page has what the script asks.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/lib.sh" || exit 99
need NPsim NPtcp NPreport
page=$NP_SRCDIR/doc/first-steps.md

asked() # FILE: its questions and commands
{
	grep -E '^(## |    \$ )' "$1"
}

run_here()
{
	(cd "$NP_BUILDDIR" && bash "$NP_SRCDIR/doc/first-steps.sh" --quick) >"$work/made"
}

tap_check "each question is answered in the first screen" run_here
tap_check "the page has these questions and commands" diff <(asked "$work/made") <(asked "$page")
tap_check "there are nine" [ "$(asked "$page" | wc -l)" -eq 18 ]
cli_done
