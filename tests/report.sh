#!/bin/bash
# NPreport from outside: what it prints, writes, draws and refuses, and how it
# ends.  test_import.c looks at the numbers that are read.
. "${NP_SRCDIR:-$(dirname "$0")/..}/tests/lib.sh" || exit 99
need NPreport
data=$NP_SRCDIR/tests/data/import
cd "$work" || tap_bail "no folder to work in"

. "$NP_SRCDIR/tests/made_run.sh" || exit 99

make_run before 1 6 1
make_run same 1 6 2
make_run slower 1.3 6 3
make_run few 1.3 4 4

prints() # WORDS...: each, a basic regular expression, is in what was printed
{
	local words
	for words in "$@"; do
		grep -q -- "$words" "$out" || { echo "no: $words"; show_run; return 1; }
	done
}
ends() # CODE
{
	[ "$code" -eq "$1" ] && return
	show_run
	return 1
}

# ---- Findings ----------------------------------------------------------------
run NPreport before
tap_check "a run of several launches" ends 0
tap_check "what the machine was" prints "made up" "6 launches"
tap_check "what was measured" prints "^reuse, 21 sizes" "^rotate, 21 sizes"
tap_check "latency with its interval" prints "latency .* us \[.*\] at 1 B"
tap_check "it says that the run was killed" prints "killed: all figures are derived"
tap_check "the step, and the limit beside it" \
	prints "step .*between 4 KiB and 8 KiB.*sure.*eager_limit_bytes 8192"
tap_check "what rotation costs" prints "rotate/reuse" "slower at 21 of 21 sizes"
# (1e4 + n) ns: half the rate of 8 Gbit/s at 10000 bytes
tap_check "the line behind the step" prints "line .*r_inf [78]\.[0-9]* Gbit/s"
run NPreport "$data/netpipe-tcp-3.7.2.out"
tap_check "a file of NetPIPE 3" ends 0
tap_check "its megabits are converted, and that is said" prints "2^20 bits.*converted"
run NPreport "$data/netpipe-mpich2-3.7.2.out"
tap_check "and of its MPI program" prints "2^20 bits.*converted" "shortest time, 1 B"
run NPreport - <"$data/rate.csv"
code=$({ "$NP_BUILDDIR/NPreport" - <"$data/rate.csv" >"$out" 2>"$err"; echo $?; })
tap_check "standard input" eval 'ends 0 && prints "3 sizes"'
tap_check "too few points for a line: none is printed" \
	eval 'prints "no line: fewer than" && ! grep -q r_inf "$out"'

# Both operations over one path: parameters of LogGP for each arm.
for i in 1 2; do
	make_run "pp$i" 1 6 "3$i"
	make_run "st$i" 1 6 "4$i"
	sed -i 's/"op":"pingpong"/"op":"stream"/' "st$i"
done
loggp() { grep -c "^LogGP, of short messages, .*($1)" "$out"; }
run NPreport pp1 st1
tap_check "LogGP of both arms" eval 'ends 0 && [ "$(loggp "pp1 and st1")" -eq 2 ] &&
	prints "messages, reuse (" "messages, rotate (" "L + 2 o"'
run NPreport st1 pp1 pp2 st2
tap_check "of two of each, the first with the first" eval \
	'[ "$(loggp "pp1 and st1")" -eq 2 ] && [ "$(loggp "pp2 and st2")" -eq 2 ] &&
	[ "$(loggp ".*")" -eq 4 ]'
run NPreport pp1 st1 st2
tap_check "and of one, with all" eval '[ "$(loggp "pp1 and st.")" -eq 4 ]'
sed 's/"host":"here"/"host":"there"/g' st1 >far
run NPreport pp1 far
tap_check "none over another path" eval '! grep -q LogGP "$out"'

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
make_table peak.csv stream 2 1000 1200
run NPreport peak.csv
tap_check "what was measured once stands out and is not sure" eval \
	'prints "dropout .*stands out; measured once" && ! grep -q "; sure" "$out"'
tap_check "a stream has no latency" eval \
	'prints "shortest time, 64 B: " && ! grep -q "^  latency" "$out"'
make_table fast.csv pingpong 0.5 1000 1200
run NPreport fast.csv --html fast.html
tap_check "what is faster is no dropout" eval 'prints "faster than its neighbours" &&
	! grep -q "^  dropout" "$out" && ! grep -q "class=\"dropout\"" fast.html'
make_table run.csv pingpong 1.5 1000 1300
run NPreport run.csv
tap_check "the depth of a run is its worst point's" prints "dropout .* to .*: up to 1\.[45]"
make_table all.csv "MPI Allreduce" 1 0 0
run NPreport all.csv --html all.html
tap_check "a collective has no bandwidth" eval \
	'ends 0 && ! grep -q "peak\|r_inf\|bit/s" "$out" && ! grep -qi "nan\|bandwidth" all.html'
awk 'BEGIN { print "op,bytes,us"
	for (n = 1048576; n < 2e8; n = int(n * 1.3)) print "pingpong," n "," 0.5 + n / 1000 }' >far.csv
run NPreport far.csv
tap_check "what lies far outside the sizes is not given" eval \
	'prints "r_inf.*not given: too far outside" && ! grep -q "t0 [0-9]\|n_1/2 [0-9]" "$out"'
awk 'BEGIN { print "op,bytes,us"
	for (i = 0; i < 60; i++) {
		n = int(64 * 2 ^ (i / 6))
		printf "pingpong,%d,%.9g\n", n, 10 + ((n < 4000) ? 0 : (n - 4000) / 200)
	} }' >knee.csv
run NPreport knee.csv
tap_check "a knee behind a level is no number" eval \
	'prints "knee .*from nothing measurable" && ! grep -q "inf times" "$out"'
printf 'op,bytes,us\npingpong,0,1.5\n' >zero.csv
run NPreport zero.csv --html zero.html
tap_check "a message of 0 bytes alone has no rate" eval 'ends 0 && ! grep -q "nan" zero.html'

# ---- What is wrong with files ------------------------------------------------
refused "a file that is not there" 1 "missing.*No such file" NPreport missing
: >empty
refused "an empty file" 1 "empty: the file is empty" NPreport empty
head -c 200 /dev/zero >zeros
refused "zeros" 1 "zeros: " NPreport zeros
{ head -n 30 before; echo '{"kind":"visit"}'; tail -n 30 before; } >broken
run NPreport broken
tap_check "a bad line has its number" failed_with NPreport 1 "broken:31: "
tap_check "and what stood before is reported" prints "up to line 30" "^reuse, 15 sizes"
head -c 3000 before >cut
run NPreport cut
tap_check "a file that is cut short" failed_with NPreport 1 "cut:[0-9]*:.*cut short"
tap_check "is reported as far as it goes" prints "^reuse"
run NPreport broken before
tap_check "the other files are reported too" eval 'ends 1 && prints "(before)"'
printf 'op,bytes,s\n\033[31mred,1,1e-5\n' >red.csv
run NPreport red.csv
tap_check "nothing of a file rules the terminal" eval '! grep -q "$(printf "\033")" "$out"'
awk 'BEGIN { print "bytes,us"; for (i = 0; i < 300000; i++) print 1024 * (1 + i % 3) ",1" i % 7 }' \
	>long.csv
# A sanitizer's shadow alone is larger than the limit.
(
	[ "${NP_SANITIZERS:-no}" != no ] || ulimit -v 100000
	exec "$NP_BUILDDIR/NPreport" long.csv >"$out" 2>"$err"
)
code=$?
tap_check "300000 rows in little memory" eval 'ends 0 && prints "3 sizes"'

# ---- Exports -----------------------------------------------------------------
run NPreport --export csv before -o a.csv
tap_check "CSV into a file, and the findings" eval 'ends 0 && prints "latency"'
"$NP_BUILDDIR/NPreport" --export csv a.csv >b.csv
# All but the name of the file.
columns() { cut -d, -f2- "$1"; }
tap_check "CSV is read back as it was" eval 'diff <(columns a.csv) <(columns b.csv)'
"$NP_BUILDDIR/tests/made_launches" made 1 6 1 0
sed 's/"p50_s":null,"p90_s":null/"p50_s":0.5,"p90_s":0.75/; s/"variant":""/"variant":"ring, x"/
	s/"flags":""/"flags":"unsettled,odd"/' made >full
"$NP_BUILDDIR/NPreport" --export csv full >c.csv
"$NP_BUILDDIR/NPreport" --export csv c.csv >d.csv
tap_check "and so is a finished run, with units, flags and percentiles" eval \
	'diff <(columns c.csv) <(columns d.csv) &&
	grep -q ",0.5,0.75,.*,6,.unsettled,odd.,.ring, x.$" d.csv'
printf '\357\273\277bytes,us\r\n1,2\r\n' >mark.csv
run NPreport mark.csv
tap_check "CSV of a spreadsheet" eval 'ends 0 && prints "1 size"'
tap_check "one row for each size and arm" [ "$(wc -l <a.csv)" -eq 43 ]
refused "an export over a file" 2 "'a.csv' exists; --force" \
	NPreport --export csv before -o a.csv
run NPreport --export netpipe before
cp "$out" a.np
tap_check "NetPIPE's columns, of rotate" eval '[ "$(grep -vc "^#" a.np)" -eq 21 ] &&
	grep -q "^# rotate" a.np'
run NPreport a.np
tap_check "and they are not taken for its megabits" prints "10^6, as its own times\|of 10^6 bits"
run NPreport --export json before
tap_check "JSON has curves, breaks and lines" \
	prints '"series"' '"kind": "step"' '"r_inf_bytes_per_s"' '"ratio_low"'
refused "-o without --export" 2 "needs --export" NPreport before -o x
refused "no file" 2 "no file" NPreport
refused "a threshold of nothing" 2 "threshold needs --compare" NPreport before --threshold 5

# ---- Comparison --------------------------------------------------------------
run NPreport --compare before same
tap_check "the same thing twice: no slowdown" eval 'ends 0 && prints "42 sizes: 0 slower"'
run NPreport --compare before slower
tap_check "a slowdown of 30 %: status 3" ends 3
tap_check "at every size" prints "42 sizes: 42 slower"
run NPreport --compare slower before
tap_check "faster is no failure" eval 'ends 0 && prints "42 faster"'
run NPreport --compare before slower --threshold 50
tap_check "below the threshold: status 0" ends 0
# 6 % of launches that differ by 0.5 %: surely slower, but not surely by 5.8 %.
make_run six 1.06 6 7
run NPreport --compare before six --threshold 5.8
tap_check "the threshold is what is tested against" \
	eval 'ends 0 && prints "42 slower" "slower by more than 5.8 %, .*: 0"'
{ cat before; make_run big 1 6 8; sed -n 's/"bytes":1048576,/"bytes":2097152,/p' big; } >more
run NPreport --compare before more
tap_check "sizes of one side alone are named" prints "2 sizes only after"
grep -v '"arm":"rotate"' before >reuse
run NPreport --compare before reuse
tap_check "and curves" prints "1 curve only before"
run NPreport --compare before few
tap_check "four launches decide nothing" eval 'ends 0 && prints "undecided" "1\.[23]"'
for i in 1 2 3 4 5; do
	make_run "b$i" 1 1 "1$i"
	make_run "s$i" 1.3 1 "2$i"
done
run NPreport --compare b1 b2 b3 b4 b5 vs s1 s2 s3 s4 s5
tap_check "five files a side" eval 'ends 3 && prints "5 launches"'
make_run b6 1 1 16
grep '"bytes":1048576,\|header' b1 >c1
run NPreport --compare c1 b2 b3 b4 b5 b6 vs s1 s2 s3 s4 s5
tap_check "the sizes of a side are those of all its files" prints "42 sizes"
sed 's/"op":"pingpong"/"op":"stream"/' before >stream
refused "another operation" 2 "operations differ: 'pingpong' before, 'stream' after" \
	NPreport --compare before stream
ln b1 b1.again
refused "a file twice on a side" 2 "'b1.again' is twice on a side" \
	NPreport --compare b1 b1.again b2 vs s1
refused "the standard input twice" 2 "'-' is twice" NPreport --compare - - vs s1
run NPreport --compare before zeros
tap_check "a file that cannot be read: no comparison, status 1" \
	eval 'ends 1 && grep -q "not compared: nothing could be read from .zeros" "$err"'
sed 's/"host":"here"/"host":"there"/g' same >there
run NPreport --compare before there
tap_check "other hosts are said" prints "transmitter host: here | there"
run NPreport --compare "$data/time.csv" "$data/rate.csv"
tap_check "and hosts that are not known" prints "machine unknown before" "machine unknown after"
sed 's/"pages":"4k"/"pages":"2m"/' slower >pages
run NPreport --compare before pages
tap_check "what differs is said" prints "differs .*pages: 4k | 2m"
run NPreport --compare "$data/time.csv" "$data/rate.csv"
tap_check "files of other tools" eval 'ends 0 && prints "undecided"'
tap_check "operations that neither says" eval '! grep -q "operation unknown" "$out"'
make_table pingpong.csv pingpong 1 0 0
cut -d, -f2- pingpong.csv >some.csv
run NPreport --compare some.csv pingpong.csv
tap_check "and one that one side does not say" \
	prints "operation unknown before: compared with 'pingpong', which it may not be"
cp before vs
run NPreport --compare ./vs same
tap_check "a file of the name vs" eval 'ends 0 && prints "(./vs), 6 launches"'
refused "the word twice" 2 "a file of that name is ./vs" NPreport --compare before vs vs same
refused "sides without a size in common" 2 "no size in common" \
	NPreport --compare "$data/ib_write_bw.txt" "$data/ib_send_lat.txt"
refused "one file" 2 "needs two files" NPreport --compare before
refused "three files" 2 "the word vs" NPreport --compare before same few
refused "a side without files" 2 "each side" NPreport --compare vs before same
run NPreport --compare broken before
tap_check "a broken file is no comparison to trust" ends 1

# ---- Pictures ----------------------------------------------------------------
refused "a picture of unknown ending, before all else" 2 "ends in .png" \
	NPreport missing --plot a.gif
mkdir bin
for tool in bash sh; do ln -s "$(command -v $tool)" bin/; done
PATH=$work/bin "$NP_BUILDDIR/NPreport" before --plot none.svg --html none.html \
	--export csv -o none.csv >"$out" 2>"$err"
code=$?
tap_check "without gnuplot one line says so" failed_with NPreport 1 "needs gnuplot"
tap_check "and no empty picture stays" [ ! -e none.svg ]
tap_check "findings, page and export are there" \
	eval 'prints "latency" && [ -s none.html ] && [ -s none.csv ]'
echo old >old.svg
PATH=$work/bin "$NP_BUILDDIR/NPreport" before --plot old.svg --force >"$out" 2>"$err"
tap_check "and an old picture is as it was" grep -qx old old.svg

curves() { grep -c 'id="gnuplot_plot_' "$1"; }
texts() # FILE WORDS...: of axes and names
{
	local file=$1 words
	shift
	for words in "$@"; do
		grep -q ">$words<" "$file" || { echo "no text: $words"; return 1; }
	done
}
if command -v gnuplot >/dev/null; then
	run NPreport before --plot a.svg
	tap_check "an SVG" ends 0
	# Two curves and their intervals in two panels, two names, the ratio, its
	# intervals, its circles and their name, and the line at 1.
	tap_check "has all curves and nothing else" [ "$(curves a.svg)" -eq 14 ]
	tap_check "axes and names" texts a.svg "message size, bytes" "bandwidth, Gbit/s" \
		"time of a message, us" "rotate/reuse times as long" reuse rotate step \
		"NPtest on here, pingpong"
	run NPreport before --plot a.svg
	tap_check "a picture is not overwritten" failed_with NPreport 2 "exists; --force"
	odd="|touch pwned; it's
\"new\".svg"
	run NPreport before --plot "$odd"
	tap_check "any name is a file's" eval \
		'ends 0 && grep -q gnuplot_plot_ "$odd" && [ ! -e pwned ]'
	ln -s /dev/full full.svg
	run NPreport before --plot full.svg --force
	tap_check "a full disk is an error" failed_with NPreport 1 "No space left"
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
	echo 'system("touch pwned")' >.gnuplot
	HOME=$work run NPreport before --plot home.svg
	tap_check "what a user told gnuplot is not read" eval 'ends 0 && [ ! -e pwned ]'
	run NPreport before "$data/osu_latency.txt" --plot b.svg --upper-bound 10000
	tap_check "several files, named by their headers" texts b.svg \
		"NPtest on here, reuse" "osu_latency.txt, pingpong" "upper bound, 10 Gbit/s"
	tap_check "no dropout, no name for one" eval '! grep -q ">dropout" b.svg'
	run NPreport zero.csv all.csv --plot zero.svg
	tap_check "no rate, no panel of it" eval 'ends 0 && [ ! -s "$err" ] &&
		! grep -q ">bandwidth" zero.svg'
	for i in 1 2 3 4 5 6 7 8 9; do cp peak.csv "p$i.csv"; done
	run NPreport p?.csv --html many.html
	tap_check "nine curves of nine styles" [ "$(grep -o \
		'class="curve" fill="none" stroke="[^"]*" .*stroke-dasharray="[^"]*"' many.html |
		sort -u | wc -l)" -eq 9 ]
	run NPreport peak.csv before --html style.html
	tap_check "ratios have the colour of their run" eval \
		'grep "class=\"curve\"" style.html | tail -n 1 | grep -q "#D55E00"'
	run NPreport before --plot sig.svg --signature
	tap_check "the signature graph" texts sig.svg "time of a message, us" "bandwidth, Gbit/s"
	tap_check "has a curve for each arm" [ "$(curves sig.svg)" -eq 2 ]
	run NPreport before --plot a.png --title "A 'title'"
	tap_check "a PNG" eval 'ends 0 && [ "$(head -c 4 a.png | tail -c 3)" = PNG ]'
	run NPreport before --plot a.pdf
	tap_check "a PDF" eval 'ends 0 && [ "$(head -c 4 a.pdf)" = %PDF ]'
	run NPreport before --plot -
	tap_check "in the terminal" prints "message size, bytes" "bandwidth"
	cat >evil.csv <<'EOF'
op,bytes,s
`touch pwned`,1,1e-5
`touch pwned`,2,1e-5
"'; system('touch pwned'); '",1,2e-5
"'; system('touch pwned'); '",2,2e-5
EOF
	run NPreport evil.csv --plot evil.svg --title "\$(touch pwned)\`touch pwned\`'"
	tap_check "no text of a file becomes a command" eval 'ends 0 && [ ! -e pwned ]'
else
	tap_skip "pictures" "gnuplot is not installed"
fi

# ---- The page ----------------------------------------------------------------
run NPreport before --html a.html
tap_check "a page" ends 0
tap_check "with curves" eval '[ "$(grep -c "class=\"curve\"" a.html)" -eq 5 ]'
# Two panels of 42 points and 21 ratios.
tap_check "a title on each point" eval '[ "$(grep -c "class=\"mark\"" a.html)" -eq 105 ]'
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
	grep -q "&lt;script&gt;alert(1)" evil.html'
cli_done
