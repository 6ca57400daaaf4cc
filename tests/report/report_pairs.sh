#!/bin/bash
# NPreport on the matrix of all pairs: the slow link stands out, and what was not
# measured is shown as that.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/report/report_lib.sh" || exit 99
. "$NP_SRCDIR/tests/report/made_pairs.sh" || exit 99

make_pairs four 4 "h1 h4" "h2 h3"
make_pairs alike 4
make_pairs two 2
make_pairs ways 4 "h4 h1" "" 2

# ---- Findings ----------------------------------------------------------------
run NPreport four
tap_check "a file of all pairs" eval 'ends 0 && prints "^== NPtest between 4 hosts (four)" \
	"written by  NPtest 1, pingpong"'
tap_check "a table of times and one of rates" eval \
	'[ "$(grep -c "^h[1-4] " "$out")" -eq 8 ] && prints "us a message of 64 B" "Mbit/s of 256 KiB"'
tap_check "the slow link stands out, and no other" eval \
	'[ "$(grep "^slow:" "$out" | cut -d: -f2)" = " h1 - h4" ]'
# 20 us + 1.3 ms over 20 us + 262 us, and 3 %.
tap_check "by as much as it is slow" eval 'grep "^slow:" "$out" |
	grep -Eq "4\.[6-8][0-9]* times the median"'
tap_check "what was not measured has its reason" \
	prints "^not measured: h2 - h3: cannot reach 10.0.0.3" "^pairs: 5 of 6 measured"
run NPreport alike
tap_check "of links that are alike none" prints "6 of 6 measured; none stands out"
run NPreport two
tap_check "of one pair none can" prints "1 of 1 measured; fewer than three"
run NPreport ways
tap_check "of streams each way is a link" eval \
	'prints "12 of 12 measured" && [ "$(grep "^slow:" "$out" | cut -d: -f2)" = " h4 - h1" ]'
sed '/"kind":"matrix"/d; /"to":"h4"/d' alike >killed
run NPreport killed
tap_check "a run that was killed says what it had" eval \
	'ends 0 && prints "incomplete  the run was killed" "3 of 6 measured; none"'
# A link is judged by its interval, as in the run.
sed '/"from":"h1","to":"h4","bytes":262144/s/"ci_low_s":[^,]*/"ci_low_s":0.0001/' four >wide
run NPreport wide
tap_check "one whose interval is wide does not" prints "5 of 6 measured; none stands out"

# ---- What is wrong with files ------------------------------------------------
run NPreport --compare four alike
tap_check "pairs are not compared" failed_with NPreport 1 "'four' is of all pairs"
refused "nor exported" 2 "not exported: 'four' is of all pairs" NPreport four --export csv
sed 's/"to":"h4"/"to":"h9"/' four >stranger
refused "a host that is none of them" 1 "stranger:.*not of this run" NPreport stranger
{ cat alike; sed -n 2p alike; } >twice
refused "a link that stands there twice" 1 "twice:.*stands there twice" NPreport twice
sed 's/"h2"/"h1"/g' alike >same
refused "a host that stands there twice" 1 "same:1: a host stands there twice" NPreport same
sed 's/"hosts":\[.*\],"add/"hosts":["h1"],"add/' alike >one
refused "one host alone" 1 "one:1: a field of the hosts" NPreport one
sed '3s/"median_s":[^,]*/"median_s":-1/' alike >negative
refused "a time that is none" 1 "negative:3: a field of the link" NPreport negative
make_run before 1 2 1
cat before four >both
refused "beside a run in one file" 1 "both:.*a file of its own" NPreport both
cat four before >both
refused "or before one" 1 "both:.*a file of its own" NPreport both
sed '1s/"h2"/"h\\u001b[31m2"/; s/:"h2"/:"h\\u001b[31m2"/' four >red
run NPreport red
tap_check "nothing of a file rules the terminal" eval \
	'ends 0 && prints "h?\[31m2" && ! grep -q "$(printf "\033")" "$out"'

# ---- The page ----------------------------------------------------------------
run NPreport four alike --html a.html
tap_check "a page of two matrices" ends 0
# 12 cells of 4 hosts in 2 panels, each twice.
tap_check "a title on each cell" eval '[ "$(grep -c "class=\"mark\"" a.html)" -eq 48 ]'
tap_check "the slow link has a border, both ways" eval \
	'[ "$(grep -c "class=\"cell slow\"" a.html)" -eq 2 ]'
tap_check "what was not measured is crossed out, with its reason" eval \
	'[ "$(grep -c "class=\"cell unmeasured\"" a.html)" -eq 4 ] &&
	[ "$(grep -c "^not measured: cannot reach 10.0.0.3" a.html)" -eq 4 ]'
tap_check "tables and findings" eval \
	'[ "$(grep -c "<tr><td" a.html)" -eq 22 ] && grep -q "^slow: h1 - h4" a.html'
sed 's/"h2"/"<b>\&h2"/g' four >markup
run NPreport markup --html b.html
tap_check "no name of a host becomes markup" eval \
	'ends 0 && ! grep -q "<b>" b.html && grep -q "&#60;b&#62;&#38;h2" b.html'

# ---- Pictures ----------------------------------------------------------------
run NPreport four --plot a.svg
tap_check "an SVG, without a word" eval 'ends 0 && [ ! -s "$err" ]'
tap_check "with its texts" texts a.svg "NPtest between 4 hosts, pingpong" h1 h4 from to \
	"time of a message of 64 B, us" "time over the median of all pairs"
tap_check "the slow link is marked" eval '[ "$(grep -c ">[0-9.]*\*<" a.svg)" -eq 2 ]'
tap_check "and named, and the pair that is missing, too" eval \
	'grep -q ">\* h1 - h4, 256 KiB[^<]*: 4.[6-8]" a.svg &&
	grep -q "not measured: h2 - h3: cannot reach 10.0.0.3" a.svg'
make_pairs many 64 "h7 h40"
run NPreport many --plot many.svg
tap_check "64 hosts" eval 'ends 0 && [ ! -s "$err" ] && texts many.svg h1 h64'
sed '/"kind":"link"/d' four >none
run NPreport none --plot none.svg --html none.html
tap_check "no pair at all" eval 'ends 0 && [ ! -s "$err" ] &&
	texts none.svg "no pair has been measured"'
run NPreport four alike --plot b.svg
tap_check "two matrices are below each other" eval \
	'ends 0 && [ "$(grep -c "class=\"mark\"" b.svg)" -eq 48 ]'
cli_done
