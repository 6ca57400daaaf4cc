#!/bin/bash
# The pictures and pages of NPreport against stored ones, by structure: texts of axes,
# tics and names, curves with their points and stretches, bands and steps.
# NP_PICTURES=write makes what is stored anew, to be looked at.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/lib.sh" || exit 99
. "$NP_SRCDIR/tests/report/made_run.sh" || exit 99
. "$NP_SRCDIR/tests/report/made_pairs.sh" || exit 99
need NPreport
command -v gnuplot >/dev/null || tap_skip_all "gnuplot is not installed"
stored=$NP_SRCDIR/tests/data/pictures
data=$NP_SRCDIR/tests/data/import
cd "$work" || tap_bail "no folder to work in"

# same NAME FILE: the structure of FILE is the stored one of NAME.
same()
{
	awk -f "$NP_SRCDIR/tests/report/structure.awk" "$2" >structure
	[ -s structure ] || return 1
	[ "${NP_PICTURES:-}" != write ] || cp structure "$stored/$1"
	diff "$stored/$1" structure
}

# pictures NAME WHAT ARGUMENT...: of NPreport, as a picture and as a page.
pictures()
{
	local name=$1 what=$2
	shift 2
	run NPreport "$@" --plot a.svg --html a.html --force
	tap_check "$what" [ "$code" -eq 0 ]
	tap_check "the picture" same "$name.svg" a.svg
	tap_check "the page" same "$name.html" a.html
}

make_run plain 1 8 1
make_run dropout 1 8 2 1.5
pictures pair "both modes, with a step" plain
pictures dropout "with a dropout behind the step" dropout
pictures two "two files, dropouts circled, and an upper bound" plain dropout \
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
make_pairs hosts_ways 9 "h7 h2" "" 2
pictures ways "streams between nine hosts" hosts_ways
cli_done
