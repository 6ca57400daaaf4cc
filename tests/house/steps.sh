#!/bin/bash
# That no failure of a test or a step gets past what tests/tiers/steps.sh counts.
. "$NP_SRCDIR/tests/lib/tap.sh"

work=$(mktemp -d) || tap_bail "no temporary folder"
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/.ci" "$work/build/tests/some" "$work/tests/some"
echo '^may_skip\.sh: no device' >"$work/.ci/skips"

# script NAME: its text from standard input.
script()
{
	cat >"$work/tests/some/$1.sh"
}
script good <<<'echo "ok 1 - first"; echo "ok 2 - second"; echo 1..2; echo "# took 7 s"'
script fails <<<'echo "ok 1 - third"; echo "# of no use"; echo "not ok 2 - fourth"; echo 1..2; exit 1'
script crashes <<<'echo "ok 1 - fifth"; exit 99'
script has_no_plan <<<'echo "ok 1 - fifth"'
script may_skip <<<'echo "ok 1 - sixth"; echo "ok 2 - seventh # SKIP no device"; echo 1..2'
script is_skipped <<<'echo "1..0 # SKIP no device"'
script fails_once <<<'echo 1..1; [ -e seen ] || printf "not "; : >seen; echo "ok 1 - ninth"'
script races <<<'echo 1..1; echo "# WARNING: ThreadSanitizer: data race"
	[ -e raced ] || printf "not "; : >raced; echo "ok 1 - tenth"'
script hangs <<<'echo "ok 1 - eighth"; exec sleep 60'

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
		cd "$work" && NP_CI=${NP_CI_HERE-1} bash -c 'set -u
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

tap_check "tests that pass" tier 0 "4 passed, 0 failed, 0 skipped" \
	'tests it 10 build bash suite good; tests it 10 build bash suite good'
tap_check "steps that pass" tier 0 "2 passed, 0 failed, 0 skipped" 'one a 10 true; one b 10 true'
tap_check "a test that fails" tier 1 "3 passed, 2 failed, 0 skipped" 'suite good fails'
tap_check "the longest is named" grep -qx ' *[0-9]* s so far; longest: good 7 s' "$work/out"
tap_check "is named, with what it said" grep -q 'of no use' "$work/out"
tap_check "a script that crashes" tier 1 "3 passed, 2 failed, 0 skipped" 'suite good crashes'
tap_check "a script without a plan" tier 1 "3 passed, 1 failed, 0 skipped" 'suite good has_no_plan'
tap_check "a script that is not there" tier 1 "2 passed, 2 failed, 0 skipped" 'suite good none'
tap_check "a skip that is due" tier 0 "1 passed, 0 failed, 1 skipped" 'suite may_skip'
tap_check "a skip that is not" tier 1 "3 passed, 1 failed, 1 skipped" \
	'suite good may_skip is_skipped'
tap_check "is named" grep -q 'is_skipped.sh: no device' "$work/out"
tap_check "counts in its own step alone" tier 1 "2 passed, 1 failed, 0 skipped" \
	'suite is_skipped; sleep 0.1; suite good'
NP_CI_HERE='' tap_check "and outside CI not at all" tier 0 "2 passed, 0 failed, 1 skipped" \
	'suite good is_skipped'
tap_check "tests that take too long" tier 1 "0 passed, 1 failed, 0 skipped" \
	'tests it 1 build bash suite good hangs'
tap_check "tests that never began" tier 1 "0 passed, 1 failed, 0 skipped" \
	'tests it 10 build false'
tap_check "no test at all" tier 1 "0 passed, 1 failed, 0 skipped" 'tests it 10 build true'
tap_check "a test that passes by itself" tier 0 "3 passed, 0 failed, 0 skipped" \
	'suite good fails_once; again'
tap_check "is named" grep -qx '== again, by itself: tests/some/fails_once.sh' "$work/out"
tap_check "one that does not" tier 1 "1 passed, 3 failed, 0 skipped" 'suite fails; again'
tap_check "a data race" tier 1 "0 passed, 1 failed, 0 skipped" 'suite races; again'
tap_check "a step that fails" tier 1 "1 passed, 1 failed, 0 skipped" 'one a 10 false; one b 10 true'
tap_check "a step that takes too long" tier 1 "0 passed, 1 failed, 0 skipped" 'one a 1 sleep 60'
tap_check "steps in the background" tier 1 "2 passed, 1 failed, 0 skipped" \
	'both() { one a 10 true; one b 10 false; }; beside both; one c 10 true; gather'
tap_check "which break off" tier 1 "1 passed, 1 failed, 0 skipped" \
	'off() { exit 0; }; beside off; one c 10 true; gather'
tap_check "a tier that breaks off" tier 1 "1 passed, 1 failed, 0 skipped" \
	'one a 10 true; exit 0'
tap_check "at a variable that is not set" tier 1 "1 passed, 1 failed, 0 skipped" \
	'one a 10 true; echo "$nothing"; one b 10 true'
tap_done
