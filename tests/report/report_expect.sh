#!/bin/bash
# NPreport --expect: what files decide, by which rule, and that what they lack never passes.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/report/report_lib.sh" || exit 99
need NPsim

# says NAME CODE LAST FILE...: with $clauses; LAST begins the last line of stdout.
says()
{
	local name=$1 wanted=$2 last=$3
	shift 3
	run NPreport --expect "$clauses" "$@"
	tap_check "$name" eval 'ends '"$wanted"' &&
		tail -n 1 "$out" | grep -q "^expect: $last" || { show_run; false; }'
}

# ---- Files of a run --------------------------------------------------------------
clauses='latency(8) <= 2us, bandwidth(1M) >= 10G'
run NPsim --profile loopback --seed 3 --json judged --expect "$clauses"
grep '^expect: ' "$out" >program
ran=$code
run NPreport --expect "$clauses" judged
tap_check "the file of a run says what the run said, in the same words" eval \
	'ends "$ran" && [ -s program ] && diff program "$out"'
# From 0.1 s on the host is in another state, in which messages take twice as long.
clauses='latency(64) <= 1.2us'
run NPsim --set 'latency = 1 us; host_state = 1000 s, 1000 s, 100 %, from 0.1 s' --seed 3 \
	--sizes 64 --json states --expect "$clauses"
grep '^expect: ' "$out" >program
tap_check "a host that is slow half of the time fails" eval \
	'ends 3 && grep -q "after 7 passes" program'
run NPreport --expect "$clauses" states
tap_check "and its file, with the same figure" eval 'ends 3 && diff program "$out"'
run NPsim --json file --quiet --sizes 8,1M
run NPsim --json streams --quiet --sizes 64 -s
run NPsim --json rotated --quiet --sizes 4K -I --pool 1M
clauses='latency(8) <= 2us, bandwidth(1M) >= 10G'
says "clauses that hold" 0 "pass: 2 of 2 clauses passed, 0 failed, 0 undecided" file
tap_check "and nothing else is printed" [ "$(wc -l <"$out")" -eq 5 ]
clauses='latency(8) <= 1us, latency(16) <= 1s'
says "one fails, beside one that is undecided" 3 "fail: 0 of 2 clauses passed, 1 failed, 1 un" file
tap_check "and is told in a line" one_line "$err" NPreport "1 of 2 clauses failed: latency(8) <= 1us"
clauses='message_rate(64) >= 1K, stream_bandwidth(64) >= 1M'
says "rates are of streams" 0 "pass: 2 of 2" streams
clauses='ratio(4K) <= 1000, ratio(4K) >= 0.001'
says "ratios" 0 "pass: 2 of 2" rotated
clauses='message_rate(64) >= 1, latency(8) <= 1s'
says "each file has its kind" 0 "pass: 2 of 2" file streams

# ---- What files lack ------------------------------------------------------------
clauses='latency(8) <= 1s'
lacks() # NAME WORDS FILE...
{
	says "$1: undecided" 6 "undecided: 0 of 1" "${@:3}"
	tap_check "it says why" prints "$2"
}
clauses='latency(16) <= 1s'
lacks "a size that was not measured" "not measured: no such size" file
clauses='latency(64) <= 1s'
lacks "a ping-pong of a stream" "not measured: no curve of this kind" streams
clauses='message_rate(8) >= 1'
lacks "a stream of a ping-pong" "not measured: no curve of this kind" file
clauses='ratio(8) <= 1000'
lacks "a ratio of reused buffers alone" "not measured: no curve of this kind" file
clauses='latency(8) <= 1s'
grep -v '"kind":"visit"' file >rows
lacks "rows without measurements" "has a row of it and no measurement" rows
sed 's/"per-message":"no"/"per-message":"yes"/' file >each
lacks "times of single messages" "measured with --per-message" each
sed 's/"precision":"3"/"precision":"3","integrity":"yes"/' file >checked
lacks "times with contents" "measured with -i" checked
grep -v '"pass":[3-9]\|"pass":[0-9][0-9]' file >short
lacks "fewer than five passes" "passes, and five are needed" short
sed 's/"op":"pingpong"/"op":"bidirectional"/' file >both
lacks "both directions at once" "no curve of this kind" both

# ---- Files that end early --------------------------------------------------------
grep -v '"kind":"findings"' file >killed
says "a run that was killed" 6 "undecided: 1 of 1 clause passed" killed
tap_check "by name" one_line "$err" NPreport "nothing passes: 'killed'"
sed 's/"complete":true/"complete":false/' file >ended
says "a run that ended early" 6 "undecided: 1 of 1" ended
head -c -20 file >cut
says "a file that is cut off" 1 "undecided: 1 of 1" cut
head -n 1 file >header
says "a file without figures" 1 "undecided: 0 of 1" header
: >empty
says "an empty file" 1 "undecided: 0 of 1" empty
says "a file that is not there" 1 "undecided: 1 of 1" file missing
clauses='latency(8) <= 1us'
says "what fails in a file that is cut off fails" 1 "fail: 0 of 1" cut

# ---- Several runs ----------------------------------------------------------------
for i in 1 2 3 4 5; do
	run NPsim --profile loopback --seed "$i" --quick --quiet --sizes 8 --json "run$i"
done
clauses='latency(8) <= 1s'
says "five files are five runs" 0 "pass: " run[1-5]
tap_check "and no passes" prints "after 5 runs"
lacks "four" "4 runs, and five are needed" run[1-4]
refused "a file twice" 2 "'run1' is twice" NPreport --expect "$clauses" run1 run2 run1
sed 's/"host":"[^"]*"/"host":"elsewhere"/' run5 >other
refused "other hosts" 2 "'run1' and 'other' cannot be judged together: their hosts differ" \
	NPreport --expect "$clauses" run1 run2 run3 run4 other
sed 's/"program":"NPsim"/"program":"NPother"/' run5 >other
refused "another program" 2 "their programs differ" \
	NPreport --expect "$clauses" run1 run2 run3 run4 other

# ---- Figures of other tools ------------------------------------------------------
clauses='latency(8) <= 2us'
says "a figure passes outside the margin" 0 "pass: 1 of 1" \
	"$data/osu_latency.txt"
tap_check "and claims nothing" prints "latency(8) <= 2us: 1.15us of 1 figure, without an error rate"
tap_check "no rate is named" eval '! grep -q "a wrong pass" "$out"'
clauses='latency(8) <= 1.14us'
says "within the margin it is undecided" 6 "undecided" "$data/osu_latency.txt"
clauses='latency(8) <= 1us'
says "and beyond it fails" 3 "fail" "$data/osu_latency.txt"
clauses='latency(8) <= 1s'
says "a stream is no ping-pong" 6 "undecided" "$data/osu_bw.txt"
clauses='stream_bandwidth(64K) >= 1K'
says "a stream's rate" 0 "pass" "$data/ib_write_bw.txt"
says "which a ping-pong lacks" 6 "undecided" "$data/ib_send_lat.txt"
clauses='latency(8) <= 1s, latency(8) >= 1ns'
printf 'op,bytes,us\npingpong,8,%s\n' 1 >one.csv
printf 'bytes,us\n8,1\n' >unnamed.csv
says "a table says what it is of" 0 "pass" one.csv
says "or decides nothing" 6 "undecided" unnamed.csv
{ cat one.csv; printf 'pingpong,8,%s\n' 1.01 0.99 1.02 1; } >five.csv
says "five figures are as many runs" 0 "pass: " five.csv
printf 'op,mode,variant,bytes,us\npingpong,reuse,a,8,1\npingpong,reuse,b,8,1\n' >two.csv
clauses='latency(8) <= 1s'
lacks "several curves" "several curves have this size" two.csv

# ---- A site's file ---------------------------------------------------------------
run NPreport --export clauses -o site --threshold 25 file streams
tap_check "clauses are recorded" ends 0
tap_check "with slack, by program" grep -q '^NPsim: latency(8) <= 1\.50.us, bandwidth(1M) >= 38\..*G$' site
tap_check "of streams as well" grep -q '^NPsim: message_rate(64) >= ' site
run NPreport --expect @site file streams
tap_check "which the runs pass" eval 'ends 0 && tail -n 1 "$out" | grep -q "^expect: pass: 3 of 3"'
run NPsim --expect @site
tap_check "and the next run" eval 'ends 0 && tail -n 1 "$out" | grep -q "^expect: pass: 2 of 2"'
run NPreport --export clauses -o ratios rotated
run NPsim --expect @ratios
tap_check "ratios turn on what they need" eval 'ends 0 && prints "ratio(4K) <= "'
run NPsim --profile loopback --seed 9 --json wide --quiet
run NPreport --export clauses -o both.site wide
tap_check "of many sizes the smallest and the largest" grep -qx \
	'NPsim: latency(1) <= [^,]*, bandwidth(83886[^,]*' both.site
run NPreport --export clauses -o exact --threshold 0 file
sed -i 's/1\.20./1.1/' exact
run NPreport --expect @exact file
tap_check "without slack what is slower fails" ends 3
refused "a file that exists" 2 "exists; --force" NPreport --export clauses -o site file
refused "a run that was killed" 1 "not recorded: 'killed' is not of a complete run" \
	NPreport --export clauses -o none killed
tap_check "writes nothing" [ ! -e none ]
refused "a table of another tool" 1 "not recorded: .* has no latency" \
	NPreport --export clauses -o none "$data/osu_latency.txt"
refused "two of one kind" 2 "'file' and 'rotated' are both of NPsim" \
	NPreport --export clauses -o none file rotated
refused "a threshold of nothing" 2 "threshold needs --compare or --export clauses" NPreport --threshold 5 file
refused "what names no program" 2 "names no program" NPreport --expect @site "$data/osu_latency.txt"
refused "files of two programs" 2 "judge them separately" NPreport --expect @site file other
echo 'NPother: latency(8) <= 1s' >others
refused "no clauses of it" 2 "others: no clauses of NPsim" NPreport --expect @others file
echo 'NPsim: latency(8) < 1s' >wrong
refused "a line that cannot be read" 2 "wrong:1:19: expected <= or >=" \
	NPreport --expect @wrong missing

# ---- What cannot be asked ---------------------------------------------------------
refused "no clause" 2 "column 12: expected <= or >=" NPreport --expect 'latency(8) < 2us' missing
refused "certainty" 2 "a percentage above 0" NPreport --expect 'latency(8) <= 2us, error 0 %' file
for output in "--html -" "--export csv -o -" "--export csv"; do
	refused "clauses and $output" 2 "two of .* write to standard output" \
		NPreport --expect 'latency(8) <= 2us' file $output
done
refused "and a comparison" 2 "exclude each other" NPreport --expect 'latency(8) <= 2us' --compare file short
run NPreport --expect 'latency(8) <= 2us' --export csv -o figures.csv file
tap_check "both, apart" eval 'ends 0 && [ -s figures.csv ]'
cli_done
