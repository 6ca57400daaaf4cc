#!/bin/bash
# That tests/machine/in_machine.sh lets no failure of a script in the virtual machine pass.
# The machine is a shell here.
. "$NP_SRCDIR/tests/lib/tap.sh"

work=$(mktemp -d) || tap_bail "no temporary folder"
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/tests/machine" "$work/tests/some"
ln -s "$NP_SRCDIR/tests/lib" "$work/tests/lib"
ln -s "$NP_SRCDIR/tests/machine/in_machine.sh" "$work/tests/machine"

cat >"$work/tests/machine/run" <<'END'
#!/bin/bash
limit=60
if [ "$1" = --ready ]; then
	echo "vm: downloading" >&2
	[ -n "${NP_FAKE_READY:-}" ] && exit
	echo "vm: cannot download it" >&2
	exit 125
fi
until [ "$1" = -- ]; do
	[ "$1" != --time ] || limit=$2
	shift
done
shift
exec timeout "$limit" "$@"
END
chmod +x "$work/tests/machine/run"

# script NAME: its text from standard input.
script()
{
	cat >"$work/tests/some/$1.sh"
}
script good <<<'echo "ok 1 - first"; echo "ok 2 - second"; echo 1..2'
script fails <<<'echo "not ok 1 - third"; echo 1..1; exit 1'
script skips <<<'echo "1..0 # SKIP nothing to do"'
script crashes <<<'exit 99'
script bails <<<'echo "Bail out! no folder"; exit 1'
script ends_early <<<'echo "ok 1 - fourth"; exit 1'
script has_too_few <<<'echo "ok 1 - fifth"; echo 1..2'
script ends_with_1 <<<'echo "ok 1 - sixth"; echo 1..1; exit 1'
script hangs <<<'echo "ok 1 - seventh"; echo 1..1; sleep 60'
script arguments <<<'echo "ok 1 - $# $2"; echo 1..1'

# machine OPTION... -- SCRIPT...: sets code; what the script that starts it says is in out.
machine()
{
	NP_SRCDIR=$work NP_SANITIZERS=no NP_CI=${NP_CI_HERE-1} bash -c '. "$NP_SRCDIR/tests/lib/tap.sh"
		. "$NP_SRCDIR/tests/machine/in_machine.sh"
		enter_machine
		in_machine "it" "$@"
		tap_done' machine "$@" >"$work/out" 2>&1
	code=$?
}

# says CODE LINE...: it ended so, and has these lines.
says()
{
	local line
	[ "$code" -eq "$1" ] || { echo "ended with $code" && cat "$work/out" && return 1; }
	shift
	for line; do
		grep -qxF -- "$line" "$work/out" ||
			{ echo "no line: $line" && cat "$work/out" && return 1; }
	done
}

machine -- some/good.sh some/good.sh
tap_check "scripts that pass" says 0 "ok 2 - second" "ok 4 - second" \
	"ok 5 - it: all of it has run" 1..5
machine -- some/fails.sh some/good.sh
tap_check "a test that fails, and those after it" says 1 "not ok 1 - third" "ok 3 - second" \
	"ok 4 - it: all of it has run"
machine -- some/good.sh some/skips.sh
tap_check "a script that is skipped" says 0 "ok 3 - some/skips.sh # SKIP nothing to do" 1..4
machine -- "some/arguments.sh 'a b' 'c  d'"
tap_check "arguments" says 0 "ok 1 - 2 c  d"
for name in crashes bails ends_early has_too_few ends_with_1; do
	machine -- some/good.sh some/$name.sh some/good.sh
	tap_check "a script that ${name//_/ }" says 1 \
		"not ok $(grep -c '^\(not \)\?ok' "$work/out") - it: all of it has run"
done
machine -- some/no_such_script.sh
tap_check "no such script" says 1 "not ok 1 - it: all of it has run"
machine --time 2 -- some/good.sh some/hangs.sh
tap_check "the time limit" says 1 "ok 3 - seventh" "not ok 4 - it: all of it has run"
NP_CI_HERE='' machine -- some/good.sh
tap_check "no machine is a skip" says 0 "1..0 # SKIP vm: cannot download it"
NP_CI_HERE='' NP_FAKE_READY=yes machine -- some/good.sh
tap_check "where there can be one" says 0 "ok 3 - it: all of it has run"
tap_done
