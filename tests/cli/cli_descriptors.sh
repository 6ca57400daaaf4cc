#!/bin/bash
# Descriptors: a child gets its standard streams and nothing else, and a server that starts
# over for each run has no more of them than before.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/lib.sh" || exit 99
need NPtcp NPreport NPsim
PATH=$PATH:/usr/sbin:/sbin

# What the test suite has open is not ours.
for entry in /proc/$$/fd/*; do
	[ "${entry##*/}" -le 2 ] || [ "${entry##*/}" -eq 255 ] || eval "exec ${entry##*/}>&-"
done

# lists NAME THEN: a command that writes what it has open to NAME.list, and goes on as
# THEN.
lists()
{
	cat >"$work/$1" <<-END
		#!/bin/bash
		ls -l "/proc/\$\$/fd" >>"$work/$1.list"
		$2
	END
	chmod +x "$work/$1"
}

lists_nothing()
{
	[ -e "$work/$1.list" ] || { echo "$1 was not started"; return 1; }
	awk -v script="$work/$1" -v list="$work/$1.list" '
	match($0, / [0-9]+ -> /) {
		target = substr($0, RSTART + RLENGTH)
		if ($0 !~ / [012] -> / && target != script && target != list && ++found)
			print
	}
	END { exit found != 0 }' "$work/$1.list"
}

far="--remote-program $NP_BUILDDIR/NPtcp -h 127.0.0.1 --sizes 64 --time-budget 0.4"
lists rsh 'shift; exec "$@"'
run NPtcp --remote here --rsh "$work/rsh %h" $far
tap_check "a run over --rsh" [ "$code" -eq 0 ]
tap_check "gives it nothing" lists_nothing rsh
rm -f "$work/rsh.list"
run NPtcp --remote here --rsh "$work/rsh %h" $far --runs 2
tap_check "several runs over --rsh" [ "$code" -eq 0 ]
tap_check "give it nothing" lists_nothing rsh

# A child of the wrapper that stays must not keep the run waiting for the end of a pipe.
lists leaves "sleep 1000 </dev/null >/dev/null 2>&1 & echo \$! >>'$work/sleepers'; shift; exec \"\$@\""
run NPtcp --remote here --rsh "$work/leaves %h" $far --runs 2
tap_check "a wrapper that leaves a child behind" [ "$code" -eq 0 ]
kill $(cat "$work/sleepers") 2>/dev/null

if [ -x "$NP_BUILDDIR/NPmpi" ]; then
	lists launcher 'exit 7'
	run NPmpi --runs 2 --launcher "$work/launcher" --sizes 64
	tap_check "a launcher gets nothing" lists_nothing launcher
else
	tap_skip "a launcher gets nothing" "NPmpi is not in this build"
fi

mkdir "$work/bin"
lists bin/rsvg-convert 'exit 1'
run NPsim --sizes 64,4K --time-budget 0.1 --json "$work/curve.json"
PATH=$work/bin:$PATH run NPreport --plot "$work/curve.png" "$work/curve.json"
tap_check "rsvg-convert gets nothing" lists_nothing bin/rsvg-convert

# One descriptor more for each run would be too many.
limited()
{
	(ulimit -n 16 && exec "$NP_BUILDDIR/NPtcp" -P 0) >"$work/limited.out" 2>"$work/limited.err" &
	limited=$!
	until_true 20 finds_port limited
}
limited
run NPtcp -h 127.0.0.1 -P "$port" --runs 12 --sizes 64 --time-budget 0.6
tap_check "twelve runs of a server with sixteen descriptors" [ "$code" -eq 0 ]
[ "$code" -eq 0 ] || tap_comment "$(cat "$work/limited.err" "$err")"
finish "$limited"
tap_check "which ends well" [ "$code" -eq 0 ]
cli_done
