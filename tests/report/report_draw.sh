#!/bin/bash
# The pictures and the page of NPreport: what is in them, where they go, and that no text
# of a file becomes a command or markup.  picture.sh looks at their structure.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/report/report_lib.sh" || exit 99

make_run before 1 6 1
make_run same 1 6 2
make_table peak.csv stream 2 1000 1200
make_table all.csv "MPI Allreduce" 1 0 0
printf 'op,bytes,us\npingpong,0,1.5\n' >zero.csv

# ---- Pictures ----------------------------------------------------------------
refused "a picture of unknown ending, before all else" 2 "ends in .png" \
	NPreport missing --plot a.gif
mkdir bin
for tool in bash sh; do ln -s "$(command -v $tool)" bin/; done
PATH=$work/bin "$NP_BUILDDIR/NPreport" before --plot none.png --html none.html \
	--export csv -o none.csv >"$out" 2>"$err"
code=$?
tap_check "without rsvg-convert one line says so" failed_with NPreport 1 "needs rsvg-convert"
tap_check "and no empty picture stays" [ ! -e none.png ]
tap_check "findings, page and export are there" \
	eval 'prints "latency" && [ -s none.html ] && [ -s none.csv ]'
echo old >old.png
PATH=$work/bin "$NP_BUILDDIR/NPreport" before --plot old.png --force >"$out" 2>"$err"
tap_check "and an old picture is as it was" grep -qx old old.png
PATH=$work/bin "$NP_BUILDDIR/NPreport" before --plot a.svg >"$out" 2>"$err"
code=$?
tap_check "an SVG needs nothing" ends 0

curves() { grep -c 'class="curve"' "$1"; }
tap_check "without a word" [ ! -s "$err" ]
# Two curves in two panels, and their ratio.
tap_check "has all curves and nothing else" [ "$(curves a.svg)" -eq 5 ]
tap_check "axes and names" texts a.svg "message size, bytes" "bandwidth, Gbit/s" \
	"time of a message, us" "time ratio cold/warm" "one warm buffer" "cold buffers" \
	"NPtest on here, pingpong" "step 4 KiB to 8 KiB: [0-9.]*x"
run NPreport before --plot a.svg
tap_check "a picture is not overwritten" failed_with NPreport 2 "exists; --force"
odd="|touch pwned; it's
\"new\".svg"
run NPreport before --plot "$odd"
tap_check "any name is a file's" eval \
	'ends 0 && grep -q curve "$odd" && [ ! -e pwned ]'
ln -s /dev/full full.svg
run NPreport before --plot full.svg --force
tap_check "a full disk is an error" failed_with NPreport 1 "No space left"
# bash counts in blocks of 1 KiB: room for a part of the picture.
(ulimit -f 4; "$NP_BUILDDIR/NPreport" before --plot limited.svg >/dev/null 2>"$err")
code=$?
: >"$out"
tap_check "a file beyond ulimit -f is an error" \
	eval 'failed_with NPreport 1 "File too large" && [ ! -e limited.svg ]'
run NPreport before --plot there.svg --html there.html --export csv -o there.csv
mkdir disk
# Room for what is there, not for what is to take its place.
full_disk()
{
	unshare -m sh -c 'mount -t tmpfs -o size="$0" tmpfs disk &&
		cp there.* disk && "$@"; echo $? >ended; cp disk/* after' "$@"
}
mkdir after
size=$(stat -c %s there.svg there.html there.csv | awk '{ n += int(($1 + 4095) / 4096) }
	END { print 4 * n "k" }')
if full_disk "$size" true 2>/dev/null; then
	full_disk "$size" "$NP_BUILDDIR/NPreport" before --force --plot disk/there.svg \
		--html disk/there.html --export csv -o disk/there.csv >"$out" 2>"$err"
	tap_check "a disk that fills up is an error" eval \
		'[ "$(cat ended)" -eq 1 ] && [ "$(grep -c "No space left" "$err")" -eq 3 ]'
	tap_check "and what was there is as it was, and nothing beside it" eval \
		'diff there.svg after/there.svg && diff there.html after/there.html &&
		diff there.csv after/there.csv && [ "$(ls after | wc -l)" -eq 3 ]'
else
	tap_skip "a disk that fills up" "cannot mount a tmpfs here"
fi
ln -s there.svg link.svg
chmod 640 there.svg
run NPreport same --plot link.svg --force
tap_check "a link stays one, and what it leads to keeps its mode" eval \
	'ends 0 && [ -L link.svg ] && [ "$(stat -c %a there.svg)" = 640 ] &&
	! cmp -s there.svg after/there.svg'
run NPreport before "$data/osu_latency.txt" --plot b.svg --upper-bound 10000
tap_check "several files, named by their headers" texts b.svg \
	"NPtest on here, one warm buffer" "osu_latency.txt, pingpong" "upper bound, 10 Gbit/s"
tap_check "no dropout, no name for one" eval '! grep -q ">dropout" b.svg'
run NPreport zero.csv all.csv --plot zero.svg
tap_check "no rate, no panel of it" eval 'ends 0 && [ ! -s "$err" ] &&
	! grep -q ">bandwidth" zero.svg'
# Of no size there is enough in the usual host state.
cat >states.csv <<'EOF'
op,bytes,s,flags
pingpong,1,1e-5,host_state
pingpong,2,2e-5,host_state
EOF
run NPreport states.csv --plot states.svg
tap_check "sizes in another host state are open points beside the line" eval \
	'ends 0 && texts states.svg "open: too few measurements in the usual host state" &&
	[ "$(grep -c "class=\"paper\".*currentColor" states.svg)" -eq 5 ] &&
	! grep "class=\"curve\"" states.svg | grep -q " d=\"M"'
for i in 1 2 3 4 5 6 7 8 9; do cp peak.csv "p$i.csv"; done
run NPreport p?.csv --html many.html
tap_check "nine curves of nine styles" [ "$(grep -o \
	'^<g class="s.*class="curve".*stroke-dasharray="[^"]*"' many.html |
	sort -u | wc -l)" -eq 9 ]
run NPreport peak.csv before --html style.html
tap_check "ratios have the colour of their curve" eval \
	'grep "class=\"curve\"" style.html | tail -n 1 | grep -q "#009e73"'
run NPreport before --plot sig.svg --signature
tap_check "the signature graph" texts sig.svg "time of a message, us" "bandwidth, Gbit/s"
tap_check "has a curve for each mode" [ "$(curves sig.svg)" -eq 2 ]
if command -v rsvg-convert >/dev/null; then
	run NPreport before --plot a.png --title "A 'title'"
	tap_check "a PNG" eval 'ends 0 && [ "$(head -c 4 a.png | tail -c 3)" = PNG ]'
	run NPreport before --plot a.pdf
	tap_check "a PDF" eval 'ends 0 && [ "$(head -c 4 a.pdf)" = %PDF ]'
else
	tap_skip "a PNG and a PDF" "rsvg-convert is not installed"
fi
cat >evil.csv <<'EOF'
op,bytes,s
`touch pwned`,1,1e-5
`touch pwned`,2,1e-5
"'; system('touch pwned'); '",1,2e-5
"'; system('touch pwned'); '",2,2e-5
EOF
run NPreport evil.csv --plot evil.svg --title "\$(touch pwned)\`touch pwned\`'"
tap_check "no text of a file becomes a command" eval 'ends 0 && [ ! -e pwned ]'

# ---- The page ----------------------------------------------------------------
run NPreport missing before --html beside.html
tap_check "a page of what could be read beside a file that is missing" eval 'ends 1 &&
	grep -q "missing.: No such file" "$err" && grep -q "slower at 21 of 21 sizes" beside.html'
run NPreport --export clauses -o clauses missing before
tap_check "no clauses beside one, which is named" eval 'ends 1 &&
	grep -q "not recorded: .missing. has no latency" "$err" && [ ! -e clauses ]'
run NPreport before --html a.html
tap_check "a page" ends 0
tap_check "with curves" eval '[ "$(grep -c "class=\"curve\"" a.html)" -eq 10 ]'
# Two panels of 42 points and 21 ratios, in two layouts.
tap_check "a title on each point" eval '[ "$(grep -c "class=\"mark\"" a.html)" -eq 210 ]'
tap_check "findings, tables and header" eval 'grep -q "latency" a.html &&
	[ "$(grep -c "<tr><td>" a.html)" -eq 42 ] && grep -q "eager_limit_bytes" a.html'
tap_check "that fetches nothing" eval '! grep -Eiq "(src|href)=|url\(|@import" a.html'
cat >'<b>&"x.csv' <<'EOF'
op,bytes,s
<script>alert(1)</script>,1,1e-5
<script>alert(1)</script>,2,1e-5
EOF
run NPreport '<b>&"x.csv' before --html evil.html --title '</title><script>alert(2)</script>'
tap_check "no text of a file becomes markup" eval \
	'ends 0 && [ "$(grep -c "<script>" evil.html)" -eq 1 ] && ! grep -q "<b>" evil.html &&
	grep -q "&#60;script&#62;alert(1)" evil.html'
cli_done
