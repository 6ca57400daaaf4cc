#!/bin/bash
# The pictures of NPreport against stored ones, by structure: texts of axes, ticks and
# names, curves with their points and stretches, marks, bars and cells.
# NP_PICTURES=write makes what is stored anew, to be looked at.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/lib.sh" || exit 99
. "$NP_SRCDIR/tests/report/made_run.sh" || exit 99
. "$NP_SRCDIR/tests/report/made_pairs.sh" || exit 99
need NPreport
stored=$NP_SRCDIR/tests/data/pictures
data=$NP_SRCDIR/tests/data/import
cd "$work" || tap_bail "no folder to work in"

# same NAME FILE: the structure of FILE is the stored one of NAME, without the machine and
# figures of a model.
same()
{
	awk -f "$NP_SRCDIR/tests/report/structure.awk" "$2" |
		sed '/Z$/d; / core [0-9]* to /d; /^text quality/{/killed/!d}
			s/NPsim [0-9.]* /NPsim VERSION /; s/[+-][0-9.]* us.*/TIME/' >structure
	[ -s structure ] || return 1
	[ "${NP_PICTURES:-}" != write ] || cp structure "$stored/$1"
	diff "$stored/$1" structure
}

# pictures NAME WHAT ARGUMENT...: of NPreport, which the page has, too.
pictures()
{
	local name=$1 what=$2
	shift 2
	run NPreport "$@" --plot a.svg --html a.html --force
	tap_check "$what" eval '[ "$code" -eq 0 ] || [ "$code" -eq 3 ]'
	tap_check "the picture" same "$name.svg" a.svg
	tap_check "the page has its figures" eval '[ "$(grep -c "<figure>\|class=.broad" a.html)" -eq \
		"$(grep -c "font-size=.16" a.svg)" ]'
}

make_run plain 1 8 1
make_run dropout 1 8 2 1.5
pictures pair "both modes, with a step" plain
pictures dropout "with a dropout behind the step" dropout
pictures two "two files, and an upper bound" plain dropout \
	--upper-bound 10000
# A message of no time to speak of, in one mode: the ratio is some 1e-5, and on the axis.
sed '/"bytes":1024,.*"mode":"rotate"/s/"samples_ns":\[[^]]*\]/"samples_ns":[2,2,2]/' plain >wide
pictures wide "a ratio over many decades" wide
pictures signature "the signature graph" plain --signature
pictures netpipe-tcp "what NetPIPE's NPtcp wrote" "$data/netpipe-tcp-3.7.2.out"
pictures netpipe-mpich2 "what NetPIPE's NPmpich2 wrote, beside it" \
	"$data/netpipe-tcp-3.7.2.out" "$data/netpipe-mpich2-3.7.2.out"
make_pairs hosts 4 "h1 h4" "h2 h3"
pictures pairs "all pairs, a slow link and one that was not measured" hosts
make_pairs hosts_slow 9 "" "" h7
pictures ways "nine hosts, of which one is slow" hosts_slow
# Rotation takes ten times as long there.
sed '/"mode":"rotate"/s/\[\([0-9]\+\),\([0-9]\+\),\([0-9]\+\)\]/[\10,\20,\30]/' plain >far
pictures apart "ratios that differ tenfold in panels of their own" plain far
for run in 1 2 3 4 5; do
	make_run before.$run 1 8 $run
	make_run after.$run 1.2 8 $((run + 5))
done
pictures compare "a comparison" --compare before.? vs after.?
run NPsim --profile infiniband-2004 --why 4K --time-budget 3 --passes 6 --seed 1 --json why
pictures why "the parts of a cost" why --title cost
run NPsim --profile infiniband-2004 --capacity 64 --time-budget 10 --passes 6 --seed 1 --json sweep
pictures sweep "a capacity" sweep --title capacity
cli_done
