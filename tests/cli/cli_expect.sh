#!/bin/bash
# --expect on the command line: outcomes, statuses, the line for a log, and that nothing
# passes without data.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/lib.sh" || exit 99
need NPsim NPtcp

# ends NAME CODE LAST PROGRAM ARGUMENT...: LAST begins the last line of stdout.
ends()
{
	local name=$1 wanted=$2 last=$3
	shift 3
	run "$@"
	tap_check "$name" eval '[ "$code" -eq '"$wanted"' ] &&
		tail -n 1 "$out" | grep -q "^expect: $last" || { show_run; false; }'
}

# NPsim without a profile has no noise: 1.2 us at 8 bytes, 47 Gbit/s at 1 MiB.
ends "clauses that hold" 0 "pass: 2 of 2 clauses passed" \
	NPsim --expect 'latency(8) <= 2us, bandwidth(1M) >= 10G' --json "$work/pass.json"
tap_check "measure these sizes alone" eval \
	'[ "$(sed -n "s/^{\"kind\":\"row\",\"bytes\":\([0-9]*\),.*/\1/p" "$work/pass.json" | sort -un | tr "\n" " ")" = "8 1048576 " ]'
tap_check "in five passes" grep -q "latency(8) <= 2us: 1.2.*us .* after 5 passes" "$out"
tap_check "and stop then" [ "$(grep -o '"pass":[0-9]*' "$work/pass.json" | sort -u | wc -l)" -eq 5 ]
tap_check "their lines are in the file" has_lines "$work/pass.json" header visit row expect findings
ends "sizes that are given are measured, too" 0 "pass" NPsim --sizes 64 --expect 'latency(8) <= 2us'
tap_check "both" has_rows "$out" 8 64
ends "a clause that fails" 3 "fail: 1 of 2 clauses passed, 1 failed" \
	NPsim --expect 'latency(8) <= 1us, bandwidth(1M) >= 10G'
tap_check "is told in one line" one_line "$err" NPsim "1 of 2 clauses failed: latency(8) <= 1us"
ends "too little time" 6 "undecided: 0 of 1 clause passed, 0 failed, 1 undecided" \
	NPsim --expect 'latency(8) <= 2us' --passes 1 --time-budget 0.000001
tap_check "which a longer one may decide" one_line "$err" NPsim "undecided: .*longer --time-budget"
ends "a ratio makes buffers rotate" 0 "pass" NPsim --expect 'ratio(64) <= 1000' --pool 1M
ends "rates are of streams" 0 "pass: 2 of 2" \
	NPsim --expect 'message_rate(64) >= 1K, stream_bandwidth(64K) >= 1M'
tap_check "which it measures" grep -q "stream" "$out"
ends "several runs decide by runs" 0 "pass: " \
	NPsim --runs 9 --time-budget 0.5 --expect 'latency(8) <= 2us'
tap_check "and no more than needed" grep -q "after 5 runs" "$out"
tap_check "its error rates are of runs" eval 'unfolded "$out" | grep -q "at most 1 %, of this and"'

start_waiting server || tap_bail "cannot wait at a port"
ends "between two commands" 0 "pass" NPtcp -h 127.0.0.1 -P "$port" --quiet \
	--expect 'latency(8) <= 1s'
finish "$pid"

# ---- A run that is cut off ----------------------------------------------------
start cut NPtcp --local --quiet --time-budget 100 --sizes 8 --expect 'latency(8) <= 1s, latency(16) >= 1s,
	error 0.000001 %; indifference 0' --json "$work/cut.json"
until_true 60 visits 1 "$work/cut.json"
kill -TERM "$pid"
finish "$pid"
tap_check "a run that is cut off does not pass" eval '[ "$code" -ne 0 ] &&
	! grep -q "^expect: pass: " "$work/cut.out"'

# ---- A site's file --------------------------------------------------------------
cat >"$work/site" <<-'END'
	# what the rack has to do
	NPsim: latency(8) <= 2us, bandwidth(1M) >= 10G   # of ping-pongs
	NPtcp: latency(8) <= 1ns
	  NPsim : message_rate(64) >= 1K
END
ends "clauses of this program" 0 "pass: 2 of 2 clauses passed, 0 failed, 0 undecided; 1 left to -s" NPsim --expect "@$work/site" --json "$work/site.json"
tap_check "are in the file" grep -q '"expect":"latency(8) <= 2e-06s, bandwidth(1048576) >= 10000000000bit/s"' "$work/site.json"
ends "those of streams with -s" 0 "pass: 1 of 1 clause passed, 0 failed, 0 undecided; 2 left to a run without -s" NPsim --expect "@$work/site" -s
ends "of each run" 0 "pass: 2 of 2 clauses passed, 0 failed, 0 undecided; 1 left to -s" NPsim --runs 5 --time-budget 0.5 --expect "@$work/site"
tap_check "and of the next" eval 'unfolded "$out" | grep -q "this and the next run"'
echo 'NPsim: message_rate(64) >= 1K' >"$work/streams"
ends "of streams where there are no others" 0 "pass: 1 of 1" NPsim --expect "@$work/streams"
# bad NAME WORDS LINE...: a file that cannot be read.
bad()
{
	printf '%s\n' "${@:3}" >"$work/bad"
	refused "$1" 2 "bad$2" NPsim --json "$work/none.json" --expect "@$work/bad"
	tap_check "nothing was measured" [ ! -e "$work/none.json" ]
}
bad "a line without a program" ":2:8: expected a program" '# x' 'latency(8) <= 2us'
bad "a line without a colon" ":1:7: expected a program, a colon" 'NPsim latency(8) <= 2us'
bad "a clause of another program" ":3:20: expected a time" 'NPsim: latency(8) <= 2us' '' \
	'NPe: latency(8) <= 2'
bad "a line without clauses" ":1:7: expected a clause" 'NPsim:' 'NPsim: latency(8) <= 2us'
bad "clauses of others alone" ": no clauses of NPsim" 'NPtcp: latency(8) <= 2us'
bad "a size twice, in two lines" ": .*bound the same twice" 'NPsim: latency(8) <= 2us' \
	'NPsim: latency(8) <= 3us'
bad "an empty file" ": no clauses of NPsim" ''
printf 'NPsim: latency(8) <= 2us\0\n' >"$work/zero"
refused "a zero byte" 2 "no text" NPsim --expect "@$work/zero"
head -c 70000 /dev/zero | tr '\0' '#' >"$work/long"
refused "a file that is too long" 2 "too long" NPsim --expect "@$work/long"
refused "a folder" 2 "cannot read" NPsim --expect "@$work"
refused "a file that is not there" 2 "No such file" NPsim --expect "@$work/missing"
refused "clauses of streams alone, without any" 2 "no clauses of streams" \
	NPtcp -h 127.0.0.1 -s --expect "@$work/site"

# ---- What cannot be read, or measured -----------------------------------------
no_file()
{
	refused "$1" 2 "$2" NPsim --json "$work/none.json" --expect "${@:3}"
	tap_check "nothing was measured" [ ! -e "$work/none.json" ]
}
no_file "a relation" "column 12: expected <= or >=" 'latency(8) = 2us'
no_file "a unit" "column 15: expected a time" 'latency(8) <= 2'
no_file "a contradiction" "cannot both be" 'latency(8) <= 2us, latency(8) >= 3us'
no_file "streams and ping-pongs" "two commands" 'latency(8) <= 2us, message_rate(8) >= 3M'
no_file "other questions" "--expect excludes --why" 'latency(8) <= 2us' --why 64
no_file "certainty" "column 26: expected a percentage above 0" 'latency(8) <= 2us, error 0'
no_file "a bound without a size" "column 9: expected a size in parentheses" 'latency <= 2us'
no_file "a size beyond any" "column 9: expected a size" 'latency(99999T) <= 2us'
no_file "a rate without a prefix" "column 18: expected bit/s with K, M, G or T" 'bandwidth(1M) >= 180'
no_file "a quantity" "column 1: expected latency, bandwidth" 'speed(8) >= 1G'
no_file "the same twice" "bound the same twice" 'latency(8) <= 2us, latency(8) <= 3us'
no_file "no clause" "expected a clause" ' , '
no_file "the second of two" "column 20: expected latency" 'latency(8) <= 2us, late(8) <= 2us'
no_file "ping-pongs of a stream" "which -s excludes" 'latency(8) <= 2us' -s
no_file "an indifference beyond all" "a percentage up to 50" 'indifference 51%, latency(8) <= 2us'
refused "a size that no memory holds" 2 "memory" NPsim --expect 'latency(1T) <= 2us'
cli_done
