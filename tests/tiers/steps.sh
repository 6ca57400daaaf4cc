# steps.sh - steps that pass or fail, counted.  Sourced by the tiers of tests, from the
# top of the tree.
#
#     begin_steps FOLDER        for logs, below the top; emptied
#     one "clang-tidy" 600 COMMAND...                passes or fails as a whole
#     tests "Open MPI" 900 BUILD make -C BUILD check     counts test by test
#     row FUNCTION [COMMAND...] its steps in the background, in a process that COMMAND...
#                               PID is applied to (chrt -i -p 0); gather waits for all rows
#     again                     reruns the failed tests, one after the other, on the idle machine
#     finish_steps              "N passed, N failed, N skipped"; false if any failed
#
# Rows run tests of different builds.  A script that ends in any other way than by
# finish_steps has failed, and says so in the same words.  With NP_CI a skipped test whose
# reason is not in .ci/skips counts as failed: on a machine where everything is installed it
# should have run.
top=$PWD
jobs=$(nproc)
passed=0 failed=0 skipped=0
begun=$SECONDS rows=() row_names=() marker=step

begin_steps()
{
	work=$top/$1
	rm -rf "$work" && mkdir "$work" && : >"$work/again" && : >"$work/flaky" || exit 1
	trap broke_off EXIT
	trap 'exit 1' HUP INT TERM
}

finish_steps()
{
	trap - EXIT
	note "all steps took $(((SECONDS - begun) / 60)) minutes"
	tell_flaky
	echo "$passed passed, $failed failed, $skipped skipped"
	[ "$failed" -eq 0 ]
}

broke_off()
{
	# It makes no further step.
	[ "${#rows[@]}" -eq 0 ] || kill "${rows[@]}" 2>/dev/null
	note "broken off"
	failed=$((failed + 1))
	finish_steps
	exit 1
}

note()
{
	printf '\n== %s\n' "$*"
}

# log_of NAME: of a step.
log_of()
{
	echo "$work/${1//[^a-z0-9]/-}.log"
}

# show_end FILE: of a log, what compilers and checkers found, or else its end.
show_end()
{
	grep -E '(error|warning|style|performance|portability):' "$1" | sort -u | head -n 60 |
		grep . || tail -n 40 "$1"
}

# processor_s: seconds of processor of all that this shell has waited for, by proc(5).
processor_s()
{
	local stat field
	read -r stat <"/proc/$BASHPID/stat"
	read -r -a field <<<"${stat##*) }"
	processor=$(((field[13] + field[14] + 50) / 100))
}

# timed SECONDS COMMAND...: for so long at most; sets took.
timed()
{
	local limit=$1 began=$SECONDS status before
	shift
	processor_s
	before=$processor
	timeout --kill-after=20 "$limit" "$@"
	status=$?
	processor_s
	took="$((SECONDS - began)) s, $((processor - before)) s of processor; $((SECONDS - begun)) s so far"
	return "$status"
}

# one NAME SECONDS COMMAND...
one()
{
	local name=$1 limit=$2 status log
	log=$(log_of "$1")
	shift 2
	note "$name"
	timed "$limit" "$@" >"$log" 2>&1
	status=$?
	echo "   $took"
	if [ "$status" -eq 0 ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		[ "$status" -eq 124 ] && echo "   stopped after $limit s"
		show_end "$log"
		echo "   FAILED: $name (status $status, $log)"
	fi
	return "$status"
}

# row FUNCTION [COMMAND...]
row()
{
	local name=$1
	shift
	(
		[ "$#" -eq 0 ] || "$@" "$BASHPID" >/dev/null
		passed=0 failed=0 skipped=0 marker=step.$name rows=()
		trap - EXIT
		"$name"
		echo "$passed $failed $skipped" >"$work/$name.counts"
	) >"$work/$name.said" 2>&1 &
	rows+=($!)
	row_names+=("$name")
}

# What the steps of rows say and count; that one counted nothing is a failure.
gather()
{
	local counts name
	wait "${rows[@]}"
	rows=()
	for name in "${row_names[@]}"; do
		cat "$work/$name.said"
		read -r -a counts <"$work/$name.counts" || counts=(0 1 0)
		passed=$((passed + counts[0])) failed=$((failed + counts[1]))
		skipped=$((skipped + counts[2]))
	done
	row_names=()
}

# total NAME LOG: a number from automake's summary, or from quickstart's copy of
# it; 0 if there is none.
total()
{
	sed -n "s/^[# ]*$1: *\([0-9][0-9]*\)\$/\1/p" "$2" | tail -n 1 | grep . || echo 0
}

# logs_of BUILD: of the tests that this step has run.
logs_of()
{
	find "$1/tests" -mindepth 2 -name '*.log' -newer "$work/$marker"
}

# The skips in a build that .ci/skips does not know, as "FILE: reason".  A log
# has "SKIP: FILE N - name # SKIP reason", or "SKIP: FILE - reason" for all of it.
undue_skips()
{
	[ -n "${NP_CI:-}" ] || return
	logs_of "$1" | xargs sed -n 's/^SKIP: tests\/[^ ]*\/\([^ ]*\) .*# SKIP /\1: /p; t
		s/^SKIP: tests\/[^ ]*\/\([^ ]*\) - /\1: /p' |
		grep -vEf <(grep '^[^#]' .ci/skips)
}

# failures BUILD: each test that failed, with what it said; false if none did.
failures()
{
	logs_of "$1" | xargs awk '
		/^# / { said[++lines] = $0; next }
		/^FAIL: / { for (i = lines > 20 ? lines - 19 : 1; i <= lines; i++) print "    " said[i] }
		/^(FAIL|ERROR): / { print "    " $0; found = 1 }
		/^(ok|FAIL|PASS)/ { lines = 0 }
		END { exit !found }'
}

# longest BUILD: the five tests that took longest, and the five that took most of a
# processor, as "NAME N s, ..."; tests/lib/limit.sh writes both into each log.
longest()
{
	logs_of "$1" | xargs awk '
		/^# took [0-9]+ s, [0-9]+ s of processor$/ {
			n = split(FILENAME, part, "/"); sub(/\.log$/, "", part[n])
			print part[n], $3, $5
		}' >"$work/$marker.times"
	echo "longest: $(most 2); most processor: $(most 3)"
}

most()
{
	sort -k"$1,$1nr" "$work/$marker.times" | cut -d ' ' -f "1,$1" | head -n 5 |
		sed 's/$/ s/' | paste -s -d , | sed 's/,/, /g'
}

# tests NAME SECONDS BUILD COMMAND...
tests()
{
	local name=$1 limit=$2 build=$3 status undue log
	log=$(log_of "$1")
	shift 3
	note "$name"
	: >"$work/$marker"
	timed "$limit" "$@" >"$log" 2>&1
	status=$?
	undue=$(undue_skips "$build" | sort | uniq -c)
	count_tests "$log" "$status" "$undue"
	echo "   $took"
	echo "   $(longest "$build")"
	if [ "$status" -ne 0 ]; then
		[ "$status" -eq 124 ] && echo "   stopped after $limit s"
		failures "$build" || show_end "$log"
		echo "   FAILED: $name (status $status, $log)"
		failed_tests "$build" >>"$work/again"
	fi
}

# failed_tests BUILD: "BUILD FILE COUNT" of each test that failed, but not where a sanitizer
# has found something.
failed_tests()
{
	logs_of "$1" | xargs -r grep -LE 'Sanitizer|runtime error:' |
		xargs -r awk -v build="$1" '/^(FAIL|ERROR): / { count[$2]++ }
			END { for (file in count) print build, file, count[file] }'
}

# again: a test that passes by itself failed for what ran beside it: it is flaky, which
# excuses two tests of a run.  Of more than four the tree is the cause.
again()
{
	local build file count
	[ "$(wc -l <"$work/again")" -le 4 ] || return 0
	while read -r build file count; do
		one "again, by itself: $file" 1200 env NP_TEST_SECONDS=1100 \
			make -C "$build" check TESTS="$file" check_PROGRAMS= </dev/null || continue
		failed=$((failed - count))
		echo "$file" >>"$work/flaky"
	done <"$work/again"
	[ "$(wc -l <"$work/flaky")" -le 2 ] || failed=$((failed + 1))
}

# Of finish_steps: the flaky tests, and those of which tests/flaky has no line yet.
tell_flaky()
{
	local unlisted
	[ -s "$work/flaky" ] || return 0
	echo "flaky: $(paste -s -d , "$work/flaky" | sed 's/,/, /g')"
	unlisted=$(grep -vxFf <(sed -n 's/^\([^#:]*\): .*/\1/p' tests/flaky) "$work/flaky" |
		paste -s -d , | sed 's/,/, /g')
	[ -z "$unlisted" ] || echo "not listed in tests/flaky: $unlisted"
}

# A step that broke before, or outside, its tests has failed too.
count_tests()
{
	local log=$1 status=$2 undue=$3 bad undue_count=0
	bad=$(($(total FAIL "$log") + $(total XPASS "$log") + $(total ERROR "$log")))
	[ "$status" -ne 0 ] && [ "$bad" -eq 0 ] && bad=1
	[ "$(total TOTAL "$log")" -eq 0 ] && [ "$bad" -eq 0 ] && bad=1
	if [ -n "$undue" ]; then
		undue_count=$(printf '%s\n' "$undue" | awk '{ n += $1 } END { print n }')
		echo "   skipped, and should not have been:"
		printf '%s\n' "$undue"
	fi
	echo "   $(total PASS "$log") passed, $bad failed, $(total SKIP "$log") skipped"
	passed=$((passed + $(total PASS "$log")))
	failed=$((failed + bad + undue_count))
	skipped=$((skipped + $(total SKIP "$log") - undue_count))
}
