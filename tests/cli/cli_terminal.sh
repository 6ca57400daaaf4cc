#!/bin/bash
# What a run draws on a terminal while it measures, its colours, and that it draws nothing
# elsewhere.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/lib.sh" || exit 99
need NPsim
cd "$work" || tap_bail "no folder to work in"
command -v script >/dev/null || tap_skip_all "script(1) is not installed"

# at_terminal ROWS TERM ARGUMENT...: what a terminal shows of NPsim, as typescript.
at_terminal()
{
	local rows=$1 term=$2
	shift 2
	timeout -k 5 "$LIMIT" script -qec "stty rows $rows cols 100; TERM=$term; ${COLOR:-unset NO_COLOR}
		$NP_BUILDDIR/NPsim --sizes 64,4K --set 'noise = pass, 60 %' --time-budget 2 $*" \
		typescript </dev/null >"$out" 2>"$err"
}

# The table is drawn more than once, each time over the last one, and at last the report.
redrawn()
{
	[ "$(grep -c "latency us" typescript)" -gt 2 ] &&
		[ "$(grep -c "$ESC\[[0-9]*A" typescript)" -gt 1 ]
}
shows_progress() { grep -q "pass [0-9]*, .*: at most [0-9]* s left" typescript; }
draws_nothing() { ! grep -q "$ESC" typescript; }
ESC=$(printf '\033')

at_terminal 50 xterm
tap_check "a terminal shows the table as it grows" redrawn
tap_check "and the time that is left" shows_progress
tap_check "the report is the last" eval \
	'[ "$(tail -n 12 typescript | grep -c "latency us")" = 1 ] &&
	! sed "1,/^     size/d" typescript | sed "/\[[0-9]*A/,/latency us/d" | grep -q "$ESC"'
at_terminal 5 xterm
tap_check "a small window has a line of progress" shows_progress
tap_check "and no table" eval '[ "$(grep -c "latency us" typescript)" = 1 ]'
at_terminal 50 dumb
tap_check "a dumb terminal has neither" draws_nothing
at_terminal 50 xterm --quiet
tap_check "nor has --quiet" draws_nothing
at_terminal 50 xterm ">whole"
tap_check "elsewhere there is no table" eval \
	'! grep -q "latency us" typescript && shows_progress'
tap_check "and nothing is drawn" eval 'grep -q "latency us" whole && ! grep -q "$ESC" whole'

# ---- Colours, of verdicts and warnings --------------------------------------
COLD='-I --set "copy = always"'
at_terminal 5 xterm "$COLD"
tap_check "a verdict is in colour" grep -q "${ESC}\[31mslower *$ESC\[0m" typescript
COLOR="export NO_COLOR=1" at_terminal 5 xterm "$COLD"
tap_check "not with NO_COLOR" eval 'grep -q slower typescript && ! grep -q "$ESC\[3" typescript'
COLOR="export NO_COLOR=" at_terminal 5 xterm "$COLD"
tap_check "which counts if it is not empty" grep -q "$ESC\[31mslower" typescript
at_terminal 5 xterm "$COLD" ">whole"
tap_check "not in a file" eval 'grep -q slower whole && ! grep -q "$ESC" whole'
cli_done
