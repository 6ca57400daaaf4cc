#!/bin/bash
# Failures are counted: by tests/tiers/steps.sh, by tests/lib/limit.sh where a test hangs, and
# by tests/machine/in_machine.sh, whose machine is a shell here.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/tap.sh" || exit 99

work=$(mktemp -d) || tap_bail "no temporary folder"
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/.ci" "$work/build/tests/some" "$work/tests/"{some,machine}
ln -s "$NP_SRCDIR/tests/lib" "$work/tests/lib"
ln -s "$NP_SRCDIR/tests/machine/in_machine.sh" "$work/tests/machine"
echo '^may_skip\.sh: no device' >"$work/.ci/skips"
echo 'tests/some/fails_once.sh: 2026-11-27, to be seen here' >"$work/tests/flaky"

# script NAME: its text from standard input.
script()
{
	cat >"$work/tests/some/$1.sh"
}
script good <<<'echo "ok 1 - first"; echo "ok 2 - second"; echo 1..2; echo "# took 7 s, 3 s of processor"'
script fails <<<'echo "ok 1 - third"; echo "# of no use"; echo "not ok 2 - fourth"; echo 1..2; exit 1'
script crashes <<<'echo "ok 1 - fifth"; exit 99'
script has_too_few <<<'echo "ok 1 - fifth"; echo 1..2'
script may_skip <<<'echo "ok 1 - sixth"; echo "ok 2 - seventh # SKIP no device"; echo 1..2'
script is_skipped <<<'echo "1..0 # SKIP no device"'
for once in fails_once fails_twice fails_also; do
	script $once <<<"echo 1..1; [ -e $once ] || printf 'not '; : >$once; echo 'ok 1 - tenth'"
done
script races <<<'echo 1..1; echo "# WARNING: ThreadSanitizer: data race"
	[ -e raced ] || printf "not "; : >raced; echo "ok 1 - eleventh"'
script hangs <<<'echo "ok 1 - eighth"; echo 1..1; exec sleep 60'

# suite NAME...: what "make check" does with these tests, by automake's driver, and the
# numbers that it prints of them.
cat >"$work/suite" <<'END'
#!/bin/bash
cd "$(dirname "$0")/build" || exit 1
for name; do
	log=tests/some/$name
	AM_TAP_AWK=awk sh "$NP_SRCDIR/build-aux/tap-driver.sh" --test-name "$log.sh" \
		--log-file "$log.log" --trs-file "$log.trs" -- bash "../$log.sh"
	results+=$(sed -n 's/^:test-result: //p' "$log.trs")$'\n'
done
count()
{
	printf '%s' "$results" | grep -c "^$1"
}
echo "# TOTAL: $(count .)"
for result in PASS SKIP XFAIL FAIL XPASS ERROR; do
	echo "# $result: $(count $result)"
done
[ "$(count 'FAIL\|ERROR\|XPASS')" -eq 0 ]
END
printf 'check:\n\tbash ../suite $(basename $(notdir $(TESTS)))\n' >"$work/build/Makefile"

# tier CODE LAST TEXT: steps, of a script that ends with CODE and the line LAST.
tier()
{
	local code=$1 last=$2 status
	(
		cd "$work" && rm -f build/{fails_once,fails_twice,fails_also,raced} && NP_CI=1 bash -c 'set -u
			. "$NP_SRCDIR/tests/tiers/steps.sh"
			begin_steps steps
			suite() { tests "$1" 10 build bash suite "$@"; }
			eval "$1"
			finish_steps' tier "$3"
	) >"$work/out" 2>&1
	status=$?
	cat "$work/out"
	[ "$status" -eq "$code" ] && [ "$(tail -n 1 "$work/out")" = "$last" ]
}

says()
{
	grep -qx -- "$1" "$work/out"
}

tap_check "tests and a step that pass" tier 0 "3 passed, 0 failed, 0 skipped" 'suite good; one a 10 true'
tap_check "the longest are named" says ' *longest: good 7 s; most processor: good 3 s'
tap_check "a failure, a crash, too few tests" tier 1 "4 passed, 5 failed, 0 skipped" \
	'suite fails crashes has_too_few; one a 10 true'
tap_check "a failure is named, with what it wrote" says ' *# of no use'
tap_check "a skip that is due, and one that is not" tier 1 "3 passed, 1 failed, 1 skipped" \
	'suite good may_skip is_skipped'
tap_check "time limits of tests and of a step" tier 1 "0 passed, 2 failed, 0 skipped" \
	'tests it 1 build bash suite good hangs; one a 1 sleep 60'
tap_check "tests that never began, or are none" tier 1 "0 passed, 2 failed, 0 skipped" \
	'tests it 10 build false; tests it 10 build true'
tap_check "rows, one of which breaks off" tier 1 "3 passed, 2 failed, 0 skipped" \
	'both() { suite good; one b 10 false; }; off() { exit 0; }
	row both; row off renice -n 1 -p; one c 10 true; gather'
tap_check "a tier that breaks off" tier 1 "1 passed, 1 failed, 0 skipped" \
	'one a 10 true; echo "$nothing"; one b 10 true'

# ---- Flaky tests -------------------------------------------------------------------
tap_check "two pass by themselves" tier 0 "2 passed, 0 failed, 0 skipped" \
	'suite fails_once fails_twice; again'
tap_check "and are named" says 'flaky: tests/some/fails_once.sh, tests/some/fails_twice.sh'
tap_check "with what is not listed" says 'not listed in tests/flaky: tests/some/fails_twice.sh'
tap_check "three do" tier 1 "3 passed, 1 failed, 0 skipped" \
	'suite fails_once fails_twice fails_also; again'
tap_check "one does not, and a data race" tier 1 "1 passed, 4 failed, 0 skipped" \
	'suite fails races; again'

# ---- A test that hangs ---------------------------------------------------------------
# Processes by number: one in its group, one in a session of its own.
NP_TEST_SECONDS=1 bash "$NP_SRCDIR/tests/lib/limit.sh" bash -c 'trap "" TERM
	sleep 1000 & echo $! >"$0/pids"; setsid sleep 1000 & echo $! >>"$0/pids"
	echo "before it hung"; while :; do wait; done' "$work" >"$work/out" 2>&1
code=$?
tap_check "it is ended, and its log is kept" eval '[ "$code" -eq 99 ] && says "before it hung" &&
	says "Bail out! killed after 1 s.*"'
alive()
{
	local pid
	while read -r pid; do
		[ ! -e "/proc/$pid" ] || grep -q "^State:.Z" "/proc/$pid/status" || return 0
	done <"$work/pids"
	return 1
}
for _ in {1..100}; do alive && sleep 0.1; done
tap_check "nothing that it started is left" eval '! alive'
NP_TEST_SECONDS=60 bash "$NP_SRCDIR/tests/lib/limit.sh" bash -c 'echo "ok 1"; exit 3' >"$work/out"
code=$?
tap_check "one that ends keeps its status" eval '[ "$code" -eq 3 ] && says "ok 1" &&
	says "# took [0-9]* s, [0-9]* s of processor"'

# ---- Scripts in the machine ----------------------------------------------------------
cat >"$work/tests/machine/run" <<'END'
#!/bin/bash
[ "$1" != --ready ] || exit 0
shift 2
exec timeout 2 "$@"
END
chmod +x "$work/tests/machine/run"

# machine CODE LAST SCRIPT...
machine()
{
	local code=$1 last=$2 status
	shift 2
	NP_SRCDIR=$work NP_SANITIZERS=no bash -c '. "$NP_SRCDIR/tests/lib/tap.sh"
		. "$NP_SRCDIR/tests/machine/in_machine.sh"
		enter_machine
		in_machine "it" --some -- "$@"
		tap_done' machine "$@" >"$work/out" 2>&1
	status=$?
	cat "$work/out"
	[ "$status" -eq "$code" ] && [ "$(grep -E '^(not )?ok' "$work/out" | tail -n 1)" = "$last - it: all of it has run" ]
}

tap_check "pass" machine 0 "ok 4" some/good.sh some/is_skipped.sh
tap_check "fail, and the next one runs" machine 1 "ok 5" some/fails.sh some/good.sh
tap_check "crash" machine 1 "not ok 4" some/good.sh some/crashes.sh
tap_check "have too few tests" machine 1 "not ok 4" some/good.sh some/has_too_few.sh
tap_check "are not there" machine 1 "not ok 3" some/good.sh some/no_such_script.sh
tap_check "hang" machine 1 "not ok 4" some/good.sh some/hangs.sh
tap_done
