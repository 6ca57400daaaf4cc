#!/bin/bash
# NPreport --compare: what it finds, what it names, and what it refuses.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/report/report_lib.sh" || exit 99

make_run before 1 6 1
make_run same 1 6 2
make_run slower 1.3 6 3
make_run few 1.3 4 4
head -c 200 /dev/zero >zeros
{ head -n 30 before; echo '{"kind":"visit"}'; tail -n 30 before; } >broken

run NPreport --compare before same
tap_check "the same thing twice: no slowdown" eval 'ends 0 && prints "42 sizes: 0 slower"'
run NPreport --compare before slower
tap_check "a slowdown of 30 %: status 3" ends 3
tap_check "at every size" prints "42 sizes: 42 slower"
tap_check "which comes first, with the size that differs most" eval '
	[[ $(sed -n 1p "$out") = "42 sizes: 42 slower"* ]] && prints "^most at .*: after is 1\.[0-9]*x slower \[.*\] (+[0-9.]* [mun]s)$"'
run NPreport --compare slower before
tap_check "faster is no failure, by a factor above 1" eval 'ends 0 && prints "42 faster" \
	"^most at .*: after is 1\.3[0-9]*x faster \[1\.[0-9]*, 1\.[0-9]*\] (-[0-9.]* [mun]s)$"'
if [ -c /dev/full ]; then
	"$NP_BUILDDIR/NPreport" --compare before few >/dev/full 2>"$err"
	code=$?
	tap_check "a full disk counts more than what is unclear" \
		eval '[ "$code" -eq 1 ] && grep -q "to standard output" "$err"'
else
	tap_skip "a full disk" "there is no /dev/full"
fi
run NPreport --compare before slower --threshold 50
tap_check "below the threshold: status 0" ends 0
# 6 % of runs that differ by 0.5 %: surely slower, but not surely by 5.8 %.
make_run six 1.06 6 7
run NPreport --compare before six --threshold 5.8
tap_check "the threshold is what is tested against" \
	eval 'ends 0 && prints "42 slower" "slower by more than 5.8 %, .*: 0"'
{ cat before; make_run big 1 6 8; sed -n 's/"bytes":1048576,/"bytes":2097152,/p' big; } >more
run NPreport --compare before more
tap_check "sizes of one side alone are named" prints "2 sizes only after"
grep -v '"mode":"rotate"' before >reuse
run NPreport --compare before reuse
tap_check "and curves" prints "1 curve only before"
run NPreport --compare before few
tap_check "four runs decide nothing" eval 'ends 6 && prints "not tested" "1\.[23]" &&
	one_line "$err" NPreport "needs 5 runs on each side"'
for i in 1 2 3 4 5; do
	make_run "b$i" 1 1 "1$i"
	make_run "s$i" 1.3 1 "2$i"
done
run NPreport --compare b1 b2 b3 b4 b5 vs s1 s2 s3 s4 s5
tap_check "five files a side" eval 'ends 3 && prints "5 runs"'
for grade in good fair; do
	{
		cat b3
		echo '{"kind":"findings","complete":true}'
		echo "{\"kind\":\"quality\",\"grade\":\"$grade\",\"reason\":\"drift\"}"
	} >$grade
done
run NPreport --compare good b1 fair vs good fair
tap_check "the worst quality of a side, of all its files" \
	prints "^before .*quality POOR at 1 of 3 files (b1): the run was killed" \
	"^after .*quality fair at 1 of 2 files (fair): drift"
run NPreport --compare good b1 fair vs good fair --plot grades.svg
tap_check "in a picture, each in the colour of its grade" eval '
	grep -A1 "class=\"POOR\"" grades.svg | grep -q "before: quality POOR" &&
	grep -A1 "class=\"fair\"" grades.svg | grep -q "after: quality fair"'
refused "a page and a comparison on standard output" 2 "two of .* write to standard output" \
	NPreport --html - --compare b1 s1
refused "a page of three sides" 2 "two sides only" \
	NPreport --html three.html --compare b1 b2 s1
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
tap_check "other hosts are said" prints "rank 0 host: here | there"
run NPreport --compare "$data/time.csv" "$data/rate.csv"
tap_check "and hosts that are not known" prints "machine unknown before" "machine unknown after"
sed 's/"pages":"4k"/"pages":"2m","plot":"a.svg"/' slower >pages
run NPreport --compare before pages
tap_check "what differs is said" prints "differs .*pages: 4k | 2m"
tap_check "not where results go" eval '! grep -q "plot:" "$out"'
run NPreport --compare "$data/time.csv" "$data/rate.csv"
tap_check "files of other tools" eval 'ends 6 && prints "not tested"'
tap_check "operations that neither says" eval '! grep -q "operation unknown" "$out"'
make_table pingpong.csv pingpong 1 0 0
cut -d, -f2- pingpong.csv >some.csv
run NPreport --compare some.csv pingpong.csv
tap_check "and one that one side does not say" \
	prints "operation unknown before: compared with 'pingpong', which it may not be"
cp before vs
run NPreport --compare ./vs same
tap_check "a file of the name vs" eval 'ends 0 && prints "(./vs), 6 runs"'
refused "the word twice in a row" 2 "a file of that name is ./vs" NPreport --compare before vs vs same
refused "sides without a size in common" 2 "no size in common" \
	NPreport --compare "$data/ib_write_bw.txt" "$data/ib_send_lat.txt"
refused "the option of before" 2 "--compare FILE... vs" NPreport --ladder before same few
refused "one file" 2 "needs two files" NPreport --compare before
refused "a side without files" 2 "each side" NPreport --compare vs before same
run NPreport --compare broken before
tap_check "a broken file is no comparison to trust" ends 1
cli_done
