#!/bin/bash
# NPreport from outside: what it prints, writes and refuses, and how it ends.
# test_import.c looks at the numbers that are read.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/report/report_lib.sh" || exit 99

make_run before 1 6 1

# ---- Findings ----------------------------------------------------------------
make_run few 1 5 1
run NPreport few
tap_check "what too few runs cannot judge is in the first lines" \
	prints "^cold  *cold/warm: too few passes or runs to judge any size"
# A single measurement of each size, one of which takes twenty times as long: withheld.
make_run once 1 1 1 20
echo '{"kind":"quality","grade":"POOR","reason":"cut off"}' >>once
echo '{"kind":"findings","complete":false,"reason":"interrupted"}' >>once
run NPreport once --html once.html
tap_check "the second line is the quality" [ "$(sed -n 2p "$out")" = "quality     POOR: cut off" ]
tap_check "which is a banner of the page" grep -q 'class="banner POOR">POOR: cut off<' once.html
tap_check "a dropout of one measurement is withheld" eval 'prints "dropout .*not significant" &&
	! grep -q "^dropouts\|^steps" "$out" && ! grep -q "class=.dropout" once.html'
run NPreport before
tap_check "a run of several runs" ends 0
tap_check "what the machine was" prints "made up" "6 runs"
tap_check "what was measured" prints "^one warm buffer, 21 sizes" "^cold buffers, 21 sizes"
tap_check "latency with its interval" prints "latency .* us \[.*\] at 1 B"
tap_check "it says that the run was killed" prints "killed: all figures are derived"
tap_check "the step, and the limit beside it" \
	prints "step .*between 4 KiB and 8 KiB.*significant.*eager_limit_bytes 8192"
tap_check "what rotation costs" prints "cold/warm" "slower at 21 of 21 sizes"
# (1e4 + n) ns: half the rate of 8 Gbit/s at 10000 bytes
tap_check "the line behind the step" prints "line .*r_inf [78]\.[0-9]* Gbit/s"
# Ten measurements between two host states, five of each: the figure, and nothing that
# follows from it.
run NPsim --quick --sizes 64 --seed 1 --quiet --json "$work/states.jsonl"
grep -v '"kind":"\(row\|pair\|findings\)"' "$work/states.jsonl" |
	awk '/"kind":"visit"/ { if (n == 10) next
		sub(/"core_latency_ns":null/, "\"core_latency_ns\":" (n++ % 2 ? 27 : 270)) }
		{ print }' >"$work/two_states.jsonl"
run NPreport "$work/two_states.jsonl"
tap_check "what no state has enough of has its figure" \
	prints "latency .* us at 64 B (no interval)" "no size was measured often enough in one host state"
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

# Arms in runs of their own, killed before the run wrote its pairs.
if [ -x "$NP_BUILDDIR/NPsim" ]; then
	run NPsim --profile loopback --buffers apart --runs 6 --sizes 64,4K,64K \
		--time-budget 0.5 --quiet --json apart
	ratios() { sed -n '/^cold\/warm/,$p' "$out"; }
	run NPreport apart
	ratios >whole
	grep '"kind":"\(header\|visit\|superseded\)"' apart >apart.killed
	run NPreport apart.killed
	tap_check "modes apart, killed: the ratios are the run's own" eval \
		'prints "killed: all figures are derived" && [ "$(wc -l <whole)" -ge 5 ] &&
		diff whole <(ratios)'
	run NPsim --per-message --profile loopback --sizes 64,4K --time-budget 0.5 --quiet \
		--json each --seed 1
	run NPreport each --html each.html
	tap_check "percentiles of single messages, and the largest" eval '
		prints "p50 .* p99.9 .* max" && grep -Eq "^ +64 B( +[0-9.]+){3} +[-0-9.]+ +[0-9.]+$" "$out" &&
		grep -q "percentiles</summary>" each.html &&
		grep -q ">share of messages that take longer<" each.html'
	# Beside causes pairs have half of what may be wrong, so they find less.
	run NPsim --profile ethernet-1g --why 16K --seed 5 --time-budget 4 --json why
	run NPreport why
	ratios >whole
	grep -v '"kind":"\(row\|pair\|findings\|causes\)"' why >why.killed
	run NPreport why.killed
	tap_check "causes, killed: the detection limit is the run's own" eval \
		'prints "killed: all figures are derived" && grep -q "detection limit" whole &&
		diff whole <(ratios)'
else
	tap_skip "modes apart" "NPsim is not in this build"
	tap_skip "causes" "NPsim is not in this build"
fi

# What --refine has found to be no step.
printf '{"kind":"break","what":"%s","bytes_low":%d,"bytes_high":%d,"op":"pingpong",%s}\n' \
	bend 2048 3072 '"mode":"reuse","variant":null,"effect":1.25' \
	bimodal 512 512 '"mode":"rotate","variant":null,"effect":1.375' >noted
for i in 1 2 3 4 5 6 7 8; do
	sed -n "1s/:2048/:$((2048 + i))/p" noted >>noted
done
cat before noted >refined
run NPreport refined
tap_check "a bend and a size of two times" prints \
	"^  bend      between 2 KiB and 3 KiB, 1.250x: gradual, no step" \
	"^  bimodal   512 B: two modes 1.375x apart"
tap_check "of many bends eight" eval \
	'[ "$(grep -c "^  bend .* no step" "$out")" -eq 8 ] && prints "^  bend      and 1 more"'
tap_check "each with its curve" eval \
	'[ "$(sed -n "/^cold buffers, /,\$p" "$out" | grep -c "no step")" -eq 0 ]'
{ cat before; sed -n '1s/1.25/-1/p' noted; } >wrong
refused "a break that is none" 1 "effect of the break" NPreport wrong

# searched TO: "before" after a search that has found nothing below a size.
searched()
{
	cat before
	printf '{"kind":"refinement","gaps":20,"searched_to_bytes":%s}\n' "$1"
}
searched 8192 >all
run NPreport all
tap_check "a step where the search has found none, of the mode that it searched" eval \
	'prints "^  step .*not significant: --refine has searched there" &&
	[ "$(sed -n "/^cold buffers, /,\$p" "$out" | grep -c "step .*; significant")" -eq 1 ]'
searched 4096 >part
run NPreport part
tap_check "of a search that was not finished" prints "^  step .*; significant"
searched '"8192"' >wrong
refused "a search that is none" 1 "searched_to_bytes" NPreport wrong

# Both operations over one path: parameters of LogGP for each mode.
for i in 1 2; do
	make_run "pp$i" 1 6 "3$i"
	make_run "st$i" 1 6 "4$i"
	sed -i 's/"op":"pingpong"/"op":"stream"/' "st$i"
done
loggp() { grep -c "^LogGP, .*($1)" "$out"; }
run NPreport pp1 st1
tap_check "LogGP of both modes" eval 'ends 0 && [ "$(loggp "pp1 and st1")" -eq 2 ] &&
	prints "LogGP, one warm buffer (" "LogGP, cold buffers (" "L + 2 o"'
run NPreport st1 pp1 pp2 st2
tap_check "of two of each, the first with the first" eval \
	'[ "$(loggp "pp1 and st1")" -eq 2 ] && [ "$(loggp "pp2 and st2")" -eq 2 ] &&
	[ "$(loggp ".*")" -eq 4 ]'
run NPreport pp1 st1 st2
tap_check "and of one, with all" eval '[ "$(loggp "pp1 and st.")" -eq 4 ]'
sed 's/"host":"here"/"host":"there"/g' st1 >far
run NPreport pp1 far
tap_check "none over another path" eval '! grep -q LogGP "$out"'

make_table peak.csv stream 2 1000 1200
run NPreport peak.csv
tap_check "what was measured once stands out and is not sure" eval \
	'prints "dropout .*stands out; single measurement" && ! grep -q "; significant" "$out"'
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
	} }' >bend.csv
run NPreport bend.csv
tap_check "a bend behind a level is no number" eval \
	'prints "bend .*rises from about 0" && ! grep -q "infx" "$out"'
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
tap_check "and what stood before is reported" prints "up to line 30" "^one warm buffer, 15 sizes"
head -c 3000 before >cut
run NPreport cut
tap_check "a file that is cut short" failed_with NPreport 1 "cut:[0-9]*:.*cut short"
tap_check "is reported as far as it goes" prints "^one warm buffer"
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
"$NP_BUILDDIR/tests/report/made_launches" made 1 6 1 0
sed 's/"p50_s":null,"p90_s":null/"p50_s":0.5,"p90_s":0.75/; s/"code_path":""/"code_path":"ring, x"/
	s/"flags":""/"flags":"not_steady,host_state"/' made >full
"$NP_BUILDDIR/NPreport" --export csv full >c.csv
"$NP_BUILDDIR/NPreport" --export csv c.csv >d.csv
tap_check "and so is a finished run, with units, flags and percentiles" eval \
	'diff <(columns c.csv) <(columns d.csv) &&
	grep -q ",0.5,0.75,.*,6,.not_steady,host_state.,.ring, x.$" d.csv'
sed 's/"code_path":""/"code_path":"red \\u001b[31m"/' made >escapes
run NPreport --export csv escapes
tap_check "control characters of a file reach no terminal" \
	eval 'ends 0 && prints "red ?\[31m" && ! LC_ALL=C grep -q "[^[:print:]]" "$out"'
printf '\357\273\277bytes,us\r\n1,2\r\n' >mark.csv
run NPreport mark.csv
tap_check "CSV of a spreadsheet" eval 'ends 0 && prints "1 size"'
tap_check "one row for each size and arm" [ "$(wc -l <a.csv)" -eq 43 ]
refused "an export over a file" 2 "'a.csv' exists; --force" \
	NPreport --export csv before -o a.csv
run NPreport --export netpipe before
cp "$out" a.np
tap_check "NetPIPE's columns, of rotate" eval '[ "$(grep -vc "^#" a.np)" -eq 21 ] &&
	grep -q "^# cold buffers" a.np'
run NPreport a.np
tap_check "and they are not taken for its megabits" prints "10^6, as its own times\|of 10^6 bits"
run NPreport --export json before
tap_check "JSON has curves, breaks and lines" \
	prints '"series"' '"kind": "step"' '"r_inf_bytes_per_s"' '"ratio_low"'
refused "-o without --export" 2 "needs --export" NPreport before -o x
# As a filter.
code=$({ "$NP_BUILDDIR/NPreport" --html - <before >page.html 2>"$err"; echo $?; })
: >"$out"
tap_check "no file is standard input, and - standard output" eval 'ends 0 &&
	grep -q "</html>" page.html && [ ! -e ./- ] && ! grep -q "^==" page.html'
"$NP_BUILDDIR/NPreport" --html page.html --force <before >"$out" 2>"$err"
code=$?
tap_check "and a page is written again" ends 0
printf 'bytes,us\n64,1.14\n' >short.csv
run NPreport short.csv --export csv -o -
tap_check "an export, too, with as many digits as there are" \
	grep -q "^short.csv,.*,64,1.14e-06," "$out"
echo bytes,median_s,p50_s,p90_s,p99_s,p999_s >quantiles.csv
echo 64,1e-6,1e-6,2e-6,3e-6,4e-6 >>quantiles.csv
run NPreport quantiles.csv
tap_check "no column for a largest time that no row has" eval '
	prints "p99.9$" && ! grep -q "too few messages" "$out"'
{
	head -n 1 before | sed 's/"pages"/"per-message":"yes","pages"/'
	sed -n '2{s/"iterations":10/"iterations":1/;s/"samples_per_block":3/"samples_per_block":100/;p;}' before |
		sed "s/\"samples_ns\":[^]]*/\"samples_ns\":[$(seq -s, 2000 2099)/"
} >hundred
run NPreport hundred --html hundred.html
tap_check "of 100 messages ten lie beyond p90, as the table has it" eval '
	prints "1.045" && grep -q "90 % take at most 1.045" hundred.html'
refused "--html before the file to report on" 2 "the page to write.*page.html before" \
	NPreport --html before
refused "a threshold of nothing" 2 "threshold needs --compare" NPreport before --threshold 5
cli_done
