#!/bin/bash
# NPreport on the file of all pairs: a line for each host, what is slow is named, and what
# was not measured is shown as that.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/report/report_lib.sh" || exit 99
. "$NP_SRCDIR/tests/report/made_pairs.sh" || exit 99

make_pairs four 4 "h1 h4" "h2 h3"
make_pairs alike 4
make_pairs two 2
make_pairs host 6 "" "" h3

# ---- Findings ----------------------------------------------------------------
run NPreport four
tap_check "a file of all pairs" eval 'ends 0 && prints "^== NPtest between 4 hosts (four)" \
	"written by  NPtest 1, pingpong"'
tap_check "a line for each host" eval '[ "$(grep -c "^h[1-4] .* us .*bit/s " "$out")" -eq 4 ]'
tap_check "a slow pair is named with what the run found" eval 'unfolded "$out" |
	grep -q "^slow pair: h1 - h4 at 256 KiB: 4.60x slower \[4.50, 4.70\]"'
tap_check "what was not measured has its reason" \
	prints "^not measured: h2 - h3: cannot reach 10.0.0.3" "^5 of 6 pairs measured; slow:"
run NPreport host
tap_check "a slow host is found again from the rounds" eval 'unfolded "$out" |
	grep -Eq "^slow host: h3 at 256 KiB: (2.0|1.9)" && [ "$(grep -c "^slow" "$out")" -eq 2 ] &&
	prints "slow: 1 host, 0 pairs, 0 groups"'
sed 's/"smallest_error":0.005/"smallest_error":0.8/' host >noisy
run NPreport noisy
tap_check "a size is judged by its own noise" \
	prints "^slow host: h3 at 256 KiB" "^undecided host: h3 at 64 B"
sed 's/"outcome":"slow"/"outcome":"undecided"/' four >open
run NPreport open --html open.html
tap_check "a pair that is undecided is counted, in the page, too" eval 'unfolded "$out" |
	grep -q "^undecided pair: h1 - h4 at 256 KiB" &&
	prints "^5 of 6 pairs measured; none is found to be slow by more than 7 %; undecided: 1" &&
	grep -q "<dt>pairs *</dt><dd>5 of 6 pairs measured; none is found .*; undecided: 1<" open.html'
run NPreport alike
tap_check "of hosts that are alike none" prints "6 of 6 pairs measured; none is slow"
run NPreport two
tap_check "of two hosts none can be" prints "1 of 1 pair measured; slow ones are told from four"
sed '/"kind":"fleet"/d; /"to":\[3\]/d' alike >killed
run NPreport killed
tap_check "a run that was killed says what it had" eval \
	'ends 0 && prints "incomplete  the run was killed" "3 of 6 pairs measured; none"'

# ---- What is wrong with files ------------------------------------------------
run NPreport --compare four alike
tap_check "pairs are not compared" failed_with NPreport 1 "'four' is of all pairs"
refused "nor exported" 2 "not exported: 'four' is of all pairs" NPreport four --export csv
sed 's/"to":\[3\]/"to":[9]/' four >stranger
refused "a host that is none of them" 1 "stranger:.*not of this run" NPreport stranger
{ cat alike; sed -n 2p alike; } >twice
refused "a pair that stands there twice" 1 "twice:.*twice" NPreport twice
sed 's/"h2"/"h1"/g' alike >same
refused "a host that stands there twice" 1 "same:1: .*twice" NPreport same
sed 's/"hosts":\[.*\],"add/"hosts":["h1"],"add/' alike >one
refused "one host alone" 1 "one:1: hosts, slow or op" NPreport one
sed '3s/"largest_s":\[[^]]*/"largest_s":[-1/' alike >negative
refused "a time that is none" 1 "negative:3: a time of the round" NPreport negative
sed 's/"outcome":"slow"/"outcome":"odd"/' four >odd
refused "an outcome that is none" 1 "odd:.*outcome.*suspect" NPreport odd
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
tap_check "a page of two files" ends 0
# 12 cells of 4 hosts in 2 panels, each twice.
tap_check "a title on each cell" eval '[ "$(grep -c "class=\"mark\"" a.html)" -eq 48 ]'
tap_check "the slow pair has a border" eval \
	'[ "$(grep -c "class=\"cell slow\"" a.html)" -eq 2 ]'
tap_check "what was not measured is crossed out, with its reason" eval \
	'[ "$(grep -c "class=\"cell unmeasured\"" a.html)" -eq 4 ] &&
	[ "$(grep -c "^not measured: cannot reach 10.0.0.3" a.html)" -eq 4 ]'
tap_check "tables and findings" eval \
	'[ "$(grep -c "<tr><td" a.html)" -eq 22 ] && grep -q "^slow pair: h1 - h4" a.html'
sed 's/"h2"/"<b>\&h2"/g' four >markup
run NPreport markup --html b.html
tap_check "no name of a host becomes markup" eval \
	'ends 0 && ! grep -q "<b>" b.html && grep -q "&#60;b&#62;&#38;h2" b.html'

# ---- Pictures ----------------------------------------------------------------
run NPreport four --plot a.svg
tap_check "an SVG, without a word" eval 'ends 0 && [ ! -s "$err" ]'
tap_check "with its texts" texts a.svg "NPtest between 4 hosts, pingpong" h1 h4 from to \
	"time of a message of 64 B, us" "time over the usual one"
tap_check "the slow pair is marked" eval '[ "$(grep -c ">[0-9.]*\*<" a.svg)" -eq 2 ]'
tap_check "and named, and the pair that is missing, too" eval \
	'grep -q ">slow pair: h1 - h4 at 256 KiB: 4.60x slower" a.svg &&
	grep -q "not measured: h2 - h3: cannot reach 10.0.0.3" a.svg'
make_pairs many 100 "h7 h40"
run NPreport many --plot many.svg
tap_check "100 hosts" eval 'ends 0 && [ ! -s "$err" ] && texts many.svg h1 h100'
sed '/"kind":"round"/d; /"kind":"suspect"/d' four >none
run NPreport none --plot none.svg --html none.html
tap_check "no pair at all" eval 'ends 0 && [ ! -s "$err" ] &&
	texts none.svg "no pair has been measured"'
run NPreport four alike --plot b.svg
tap_check "two files are below each other" eval \
	'ends 0 && [ "$(grep -c "class=\"mark\"" b.svg)" -eq 48 ]'
cli_done
