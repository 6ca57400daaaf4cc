# report_lib.sh - what the scripts about NPreport have in common: files to report on,
# and a look at what was printed and drawn.  Sourced.
. "${NP_SRCDIR:-$(dirname "${BASH_SOURCE[0]}")/../..}/tests/lib/lib.sh" || exit 99
. "$NP_SRCDIR/tests/report/made_run.sh" || exit 99
need NPreport
data=$NP_SRCDIR/tests/data/import
cd "$work" || tap_bail "no folder to work in"

prints() # WORDS...: each, a basic regular expression, is in what was printed
{
	local words
	unfolded "$out" >unfolded
	for words in "$@"; do
		grep -q -- "$words" "$out" unfolded || { echo "no: $words"; show_run; return 1; }
	done
}
ends() # CODE
{
	[ "$code" -eq "$1" ] && return
	show_run
	return 1
}
texts() # FILE WORDS...: of axes and names
{
	local file=$1 words
	shift
	for words in "$@"; do
		grep -q ">$words<" "$file" || { echo "no text: $words"; return 1; }
	done
}

# make_table FILE OP FACTOR FROM TO: a table of another tool, 1 us + 1 ns a byte, and
# FACTOR times that at sizes FROM to TO.
make_table()
{
	awk -v op="$2" -v factor="$3" -v from="$4" -v to="$5" 'BEGIN {
		print "op,bytes,us"
		for (i = 0; i < 60; i++) {
			n = int(64 * 2 ^ (i / 6))
			t = (1 + n / 1000) * (1 + 0.001 * (i * 7919 % 13 - 6) / 6)
			t *= (n >= from && n <= to) ? factor : 1
			printf "%s,%d,%.9g\n", op, n, t
		}
	}' >"$1"
}
