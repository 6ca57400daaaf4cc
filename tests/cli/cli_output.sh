#!/bin/bash
# Result files: written when asked for, never over what is there, and what goes
# wrong with them is an error, not a silence.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/lib.sh" || exit 99
need NPshm NPsim
JSON="header visit row findings"

cd "$work" || tap_bail "no folder to work in"
measures "both files are written" "1 64 4096" NPshm $SMALL --json new.json -o new.np
tap_check "the JSON file is whole" has_lines new.json $JSON
# counts FILE NAME: every visit has this count.
counts()
{
	[ "$(grep -c '"kind":"visit"' "$1")" -eq \
		"$(grep '"kind":"visit"' "$1" | grep -c "\"counts\":{[^}]*\"$2\":[0-9]")" ]
}
for count in page_faults voluntary_switches involuntary_switches; do
	tap_check "each visit counts $count" counts new.json "$count"
done
if grep -q nr_migrations /proc/self/sched 2>"$err"; then
	tap_check "each visit counts migrations" counts new.json migrations
else
	tap_skip "each visit counts migrations" "the kernel does not tell of them"
fi
tap_check "its host's pages are a limit that a step may lie at" \
	grep -q "\"page_bytes\":{\"value\":$(getconf PAGESIZE),\"unit\":\"bytes\"" new.json
three_columns()
{
	[ "$(grep -vc '^#' "$1")" -eq 3 ] && ! grep -v '^#' "$1" |
		grep -Evq '^ *(1|64|4096)[[:space:]]+[0-9.e+]+[[:space:]]+[0-9.e+-]+$'
}
tap_check "the other has NetPIPE's three columns" three_columns new.np
tap_check "np.out is not written unasked" [ ! -e np.out ]
tap_check "nor anything else" [ "$(ls | grep -v '^out$\|^err$' | tr '\n' ' ')" = "new.json new.np " ]

# Nothing is lost: what is there gets the first name that is free.
cp new.json before.json
cp new.np before.np
measures "a second run into the same files goes on" "64" NPshm --sizes 64 --time-budget 0.2 \
	--json new.json -o new.np
tap_check "and says what it has kept" eval 'grep -q "^  kept *new.json.~1~: what new.json held" "$out" &&
	grep -q "new.np.~1~" "$out"'
tap_check "the first is kept" eval 'cmp new.json.~1~ before.json && cmp new.np.~1~ before.np'
tap_check "the second is whole" eval 'has_lines new.json $JSON && ! grep -q "\"bytes\":4096" new.json'
cp new.json second.json
measures "so is a third, without a word if quiet" "" NPshm --sizes 64 --time-budget 0.2 --quiet --json new.json
tap_check "and the second is kept, too" eval 'cmp new.json.~1~ before.json && cmp new.json.~2~ second.json'
cp new.json third.json
refused "where the other cannot be made" 1 "missing/a.np" NPshm $SMALL --json new.json -o missing/a.np
tap_check "all is as before" eval 'cmp new.json third.json && [ ! -e new.json.~3~ ]'
mkdir folder
refused "what is no regular file is not moved" 2 "'folder' is a folder, not a regular file$" \
	NPshm $SMALL --json other.json -o folder
tap_check "and then the other is not begun" [ ! -e other.json ]
measures "--force overwrites both" "64" NPshm --sizes 64 --time-budget 0.2 --force \
	--json new.json -o new.np
tap_check "and keeps neither" [ ! -e new.json.~3~ ]
tap_check "with a whole file" has_lines new.json $JSON
tap_check "of the new run alone" eval '! grep -q "\"bytes\":4096" new.json && ! grep -q "^ *4096" new.np'
cp new.json both
refused "one file for both, without --force" 2 "name the same file, 'both'" \
	NPshm $SMALL --json both -o ./both
tap_check "which stays as it is" cmp new.json both
refused "one file for both" 2 "name the same file, 'both'" \
	NPshm $SMALL --force --json both -o ./both

# The host state is held against that of an earlier run.
refused "--reference of nothing" 2 "cannot open nothing" NPshm $SMALL --reference nothing
refused "--reference of what is no run" 2 "no core-to-core latency" \
	NPshm $SMALL --reference new.np
echo '{"kind":"header","transmitter":{"core":"any"}}' >unbound.json
refused "--reference of a run on any core" 2 "could run on any core: .* bound to a core" \
	NPshm $SMALL --reference unbound.json
mkfifo reference.fifo
for file in /dev/zero reference.fifo; do
	refused "--reference of $file" 2 "$file is no regular file" NPshm $SMALL --reference "$file"
done
refused "--json of a FIFO that nobody reads" 1 "reference.fifo.*no process reads it" \
	NPshm $SMALL --force --json reference.fifo
cat reference.fifo >whole &
measures "--json of one with a reader" "64" NPshm --sizes 64 --time-budget 0.2 --force \
	--json reference.fifo
wait $!
tap_check "which has all of it" grep -q "findings" whole
refused "--reference of the file that is written" 2 "name one file" \
	NPshm $SMALL --reference new.json --json new.json
echo '{"kind":"findings","complete":true,"core_latency_ns":0.001}' >fast.json
measures "a run with a reference" "64" NPshm --sizes 64 --time-budget 0.2 \
	--reference fast.json --json slow.json
tap_check "which is slower than that" grep -q "slower host state\|had no effect" "$out"
tap_check "its file says what was expected" eval '! grep -q "\"core_latency_ns\":[0-9]" slow.json ||
	grep -q "core_latency_bounds.:.fast.json has 0 ns" slow.json'
rm -f fast.json slow.json
ln -s nowhere/at/all dangling
refused "a link to nowhere" 2 "dangling" NPshm $SMALL --json dangling

refused "a folder that does not exist" 1 "missing/a.json.*No such file" \
	NPshm $SMALL --json missing/a.json
refused "the same for -o" 1 "missing/a.np.*No such file" NPshm $SMALL -o missing/a.np
refused "a folder instead of a file" 1 "folder.*s a directory" \
	NPshm $SMALL --force --json folder

# ---- What to try next --------------------------------------------------------
run NPshm --sizes 64,4K --time-budget 0.05
tap_check "too little time is said, with how much is enough" \
	grep -q "^  next  *--time-budget [1-9][0-9]*, or fewer sizes" "$out"
run NPshm --sizes 64 --time-budget 0.05 --passes 3
tap_check "too few passes, with as many as it takes" grep -q "^  next  *--passes 6 " "$out"
run NPshm --sizes 64 --time-budget 0.2 --runs 2
tap_check "and runs" grep -q "^  next  *--runs 6 " "$out"

refused "less than its memory takes, with how much that is" 2 "take 0[.][0-9]* s at least" \
	NPshm --sizes 64,4K --time-budget 1e-6

# ---- A reader that leaves ---------------------------------------------------
"$NP_BUILDDIR/NPsim" --sizes 1,64,4K --quick 2>"$err" | head -1 >"$out"
code=${PIPESTATUS[0]}
tap_check "a pipe that is closed ends it without a word" eval \
	'[ "$code" -eq 0 ] && [ ! -s "$err" ] || { show_run; false; }'

# ---- Standard output as the file --------------------------------------------
run NPsim $SMALL --json -
cp "$out" "$work/piped.json"
tap_check "--json - prints lines of JSON, and the text to standard error" eval '[ "$code" -eq 0 ] &&
	has_lines "$work/piped.json" header visit row findings && grep -q "^NPsim .*pingpong" "$err" ||
	{ show_run; false; }'
run NPsim $SMALL -o - --runs 2
tap_check "-o - prints columns" eval '[ "$code" -eq 0 ] && ! grep -v "^#" "$out" | grep -qv "^ *[0-9]" &&
	[ "$(grep -c "^ *64 " "$out")" -eq 1 ] || { show_run; false; }'
run NPsim --sizes 64 --time-budget 0.1 --quiet --buffers reuse,rotate-send --runs 2 --seed 3 \
	--variant a: --variant "b:set=latency = 2 us,seed=4" --json -
tap_check "options are in the header as they were given" grep -qF "\"given\":\"--sizes 64 --time-budget\
 0.1 --runs 2 --variant a: --variant 'b:set=latency = 2 us,seed=4' --seed 3 --buffers reuse,rotate-send\"" "$out"
# ends_silently OPTION...: the text is before the first line of JSON, and nothing behind.
ends_silently()
{
	"$NP_BUILDDIR/NPsim" $SMALL "$@" --json - 2>"$err" | head -n 1 >"$out"
	[ "${PIPESTATUS[0]}" -eq 141 ] && [ -s "$out" ] && ! grep "NPsim: \|Broken" "$err"
}
tap_check "a reader that has gone ends it without a word" ends_silently
tap_check "and several runs" ends_silently --runs 3
refused "both on standard output" 2 "'-': give each its own" NPsim $SMALL -o - --json -

# ---- A full disk ------------------------------------------------------------
if [ -c /dev/full ]; then
	refused "a full disk, JSON" 1 "No space left" NPshm $SMALL --json /dev/full --force
	run NPshm $SMALL -o /dev/full --force
	tap_check "a full disk, -o" failed_with NPshm 1 "No space left"
	tap_check "the rows are printed all the same" has_rows "$out" 1 64 4096
	refused "a full disk, -i" 1 "No space left" NPshm --sizes 1,64 -i --json /dev/full --force
	refused "a full disk, --runs" 1 "No space left" \
		NPshm $SMALL --runs 2 --json /dev/full --force
	timeout -k 5 "$LIMIT" "$NP_BUILDDIR/NPshm" $SMALL >/dev/full 2>"$err"
	code=$?
	: >"$out"
	tap_check "a full disk behind stdout" failed_with NPshm 1 "to standard output"
	timeout -k 5 "$LIMIT" "$NP_BUILDDIR/NPshm" $SMALL --expect 'latency(1) <= 1ns' \
		>/dev/full 2>"$err"
	code=$?
	tap_check "which counts more than a verdict" failed_with NPshm 1 "to standard output"
else
	tap_skip "a full disk" "there is no /dev/full"
fi

# Things that only root can prepare, in a mount namespace that ends with them.
mounted() # OPTIONS COMMAND...: in a fresh tmpfs at $work/mnt
{
	local options=$1
	shift
	unshare -m sh -c 'mount -t tmpfs -o "$0" tmpfs mnt && cd mnt && "$@"' "$options" "$@"
}
mkdir mnt
if mounted size=1m true 2>/dev/null; then
	# 24 KiB hold a header and some visits; the rest of the run does not fit. A model has
	# as many visits on a busy machine.
	fill_up()
	{
		mounted size=24k timeout -k 5 "$LIMIT" "$NP_BUILDDIR/NPsim" --seed 1 \
			--sizes 1,64,4K --precision 0 --time-budget 20 --json a.json >"$out" 2>"$err"
		code=$?
	}
	fill_up
	tap_check "a disk that fills up" failed_with NPsim 1 "No space left"
	tap_check "the rows until then are printed" has_rows "$out" 1 64 4096
	timeout -k 5 "$LIMIT" unshare -m sh -c \
		'mount -t tmpfs -o ro tmpfs mnt && cd mnt && exec "$@"' sh \
		"$NP_BUILDDIR/NPshm" $SMALL --json a.json >"$out" 2>"$err"
	code=$?
	tap_check "a folder that is read-only" failed_with NPshm 1 "a.json.*Read-only"
	timeout -k 5 "$LIMIT" unshare -m sh -c \
		'mount -t tmpfs -o size=64k tmpfs /dev/shm && exec "$@"' sh \
		"$NP_BUILDDIR/NPshm" $SMALL >"$out" 2>"$err"
	code=$?
	tap_check "a full /dev/shm is not used" well_done
else
	tap_skip "a disk that fills up" "cannot mount a tmpfs here"
	tap_skip "the rows until then are printed" "cannot mount a tmpfs here"
	tap_skip "a full /dev/shm is not used" "cannot mount a tmpfs here"
	chmod a-w folder
	if [ "$(id -u)" -ne 0 ]; then
		refused "a folder that is read-only" 1 "Permission denied" \
			NPshm $SMALL --json folder/a.json
	else
		tap_skip "a folder that is read-only" "root writes everywhere"
	fi
fi
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
	install -d -m 755 "$work/roots"
	chmod 755 "$work"
	timeout -k 5 "$LIMIT" setpriv --reuid 65534 --regid 65534 --clear-groups \
		"$NP_BUILDDIR/NPshm" $SMALL --json "$work/roots/a.json" >"$out" 2>"$err"
	code=$?
	if [ "$code" -eq 126 ] || [ "$code" -eq 127 ]; then
		tap_skip "a folder of somebody else" "the build is not readable to others"
	else
		tap_check "a folder of somebody else" failed_with NPshm 1 "Permission denied"
	fi
else
	tap_skip "a folder of somebody else" "only root can become somebody else"
fi

# ---- What is in the file ----------------------------------------------------
measures "-I writes both modes" "1 64" NPshm -I --pool 1M --sizes 1,64 --time-budget 0.5 \
	--json pairs.json -o pairs.np
tap_check "probes and pairs" has_lines pairs.json $JSON probe pair
tap_check "of reuse and of rotation" eval 'grep -q "\"mode\":\"reuse\"" pairs.json && grep -q "\"mode\":\"rotate\"" pairs.json'
# Whether it is slower nobody knows before; that file and status agree is known.
judges_alike() # STATUS FILE
{
	if grep -q '"verdict":"slower"' "$2"; then
		[ "$1" -eq 3 ] && grep -q "^NPshm: --fail-on slower: significantly slower at [0-9]* of 2 sizes" "$err"
	else
		[ "$1" -eq 0 ]
	fi
}
run NPshm -I --sizes 1,64 --pool 64M --time-budget 1 --fail-on slower --json failing.json
tap_check "--fail-on: 3 if anything is slower" judges_alike "$code" failing.json
tap_check "and all is written" has_lines failing.json $JSON probe pair
run NPshm -i --sizes 1,64 --json checked.json
tap_check "-i writes what it checked" has_lines checked.json header checked
# --plot and --html: NPreport draws at the end, and no temporary file stays.
if [ -x "$NP_BUILDDIR/NPreport" ]; then
	mkdir temporary
	TMPDIR=$work/temporary run NPsim $SMALL --plot drawn.svg --html drawn.html
	tap_check "a picture and a page are one command" eval '[ "$code" -eq 0 ] &&
		grep -q ">NPsim [^ ]* .*--sizes" drawn.svg && grep -q "class=\"banner" drawn.html &&
		[ -z "$(ls temporary)" ]'
	refused "a picture of unknown ending, before anything is measured" 2 "ends in .png" \
		NPsim $SMALL --plot drawn.gif
	refused "or the file of -o, which it would replace" 2 "name the same file" \
		NPsim $SMALL --force -o drawn.svg --plot drawn.svg
	cp new.json before.json
	run NPtcp -h 127.0.0.1 -P 1 --connect-timeout 0 --force --json before.json --plot stale.svg
	tap_check "a run that wrote nothing draws no earlier one" [ ! -e stale.svg ]
	refused "or one that exists" 2 "exists; --force" NPsim $SMALL --plot drawn.svg
	cp "$NP_BUILDDIR/NPsim" alone
	PATH=/none ./alone $SMALL --plot none.svg >"$out" 2>"$err"
	code=$?
	tap_check "or without NPreport" failed_with NPsim 2 "neither beside NPsim nor in PATH"
	rm -r alone temporary
else
	tap_skip "pictures" "NPreport is not in this build"
fi
measures "--runs writes a file" "64" NPshm --runs 2 --sizes 64 --time-budget 0.4 \
	--json runs.json
tap_check "with the visits of all" has_lines runs.json $JSON
tap_check "of both runs" eval 'grep -q "\"run\":0" runs.json && grep -q "\"run\":1" runs.json'
cli_done
