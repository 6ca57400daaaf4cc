#!/bin/bash
# fuzz.sh TARGET [SECONDS] - runs tests/fuzz/fuzz_TARGET.c over what libFuzzer makes of
# tests/data/corpus-TARGET, under the address and undefined sanitizers, for a minute unless
# told; "all" is every target, beside each other.  What it learns is kept in
# ${NP_CORPUS:-build-fuzz}/corpus-TARGET and read again by the next.
#
#     report   the readers of NPreport, and any file
#     boot     both ends of a run, and whatever may come over the boot channel
#
# Ends with 0 if nothing was found, 1 if something was (the file is kept and
# named), and 77 where clang has no libFuzzer.
set -u
targets=${1:?which target}
[ "$targets" != all ] || targets="report boot"
seconds=${2:-60}
top=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$top" || exit 1
corpus=${NP_CORPUS:-$top/build-fuzz}
for target in $targets; do
	[ -e "tests/fuzz/fuzz_$target.c" ] || { echo "no target $target"; exit 1; }
done

flags="-std=gnu11 -D_GNU_SOURCE -O1 -g -Isrc -I. -fsanitize=fuzzer-no-link,address,undefined
	-fno-sanitize-recover=all $(pkg-config --cflags hwloc jansson)"
can_fuzz()
{
	command -v clang >/dev/null &&
		echo 'int LLVMFuzzerTestOneInput(const char *d, unsigned long s) { return !d && s; }' |
		clang -fsanitize=fuzzer -x c - -o "$work/try" 2>/dev/null
}
if ! can_fuzz; then
	echo "clang with libFuzzer is not installed"
	exit 77
fi
# All of the library that needs no config.h, and all of NPreport but its main; neither
# the help of a program nor netpong.
compile()
{
	# shellcheck disable=SC2086 # words of flags
	clang $flags -c "$1" -o "$work/${1//\//_}.o"
}
export -f compile
export flags work
find src report tests/fuzz/fuzz_script.c $(printf 'tests/fuzz/fuzz_%s.c ' $targets) -name '*.c' |
	grep -vxE '(src|report)/(program|fleet)/main\.c|src/program/help\.c|src/front/.*' |
	xargs -P "$(nproc)" -I{} bash -c 'compile "$1"' compile {} || exit 1

# fuzz TARGET: false if something was found.
fuzz()
{
	local target=$1 fuzzer=$work/fuzz_$1 status file
	mv "$work/tests_fuzz_fuzz_$target.c.o" "$fuzzer.o"
	# shellcheck disable=SC2046
	clang -fsanitize=fuzzer,address,undefined -pthread "$fuzzer.o" "$work"/{src,report}_*.o \
		"$work/tests_fuzz_fuzz_script.c.o" \
		-o "$fuzzer" $(pkg-config --libs hwloc jansson) -lm || return
	local found=$corpus/corpus-$target crash=$work/crash-$target log=$work/log-$target
	mkdir -p "$found" "$crash"
	"$fuzzer" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1024 -max_len=8192 \
		-artifact_prefix="$crash/" -print_final_stats=1 \
		"$found" "tests/data/corpus-$target" >"$log" 2>&1
	status=$?
	echo "$target: $(grep -E 'number_of_executed_units|Done ' "$log")"
	if [ "$status" -ne 0 ]; then
		tail -n 40 "$log"
		for file in "$crash"/*; do
			[ -e "$file" ] && cp "$file" "${TMPDIR:-/tmp}/" &&
				echo "kept: ${TMPDIR:-/tmp}/${file##*/}"
		done
		return 1
	fi
	# Only what reaches something that nothing else does.
	mkdir "$work/least-$target" &&
		"$fuzzer" -merge=1 -max_len=8192 "$work/least-$target" "$found" \
			>"$log" 2>&1 &&
		rm -rf "$found" && mv "$work/least-$target" "$found" && return
	tail -n 40 "$log"
	return 1
}

bad=0 pids=
for target in $targets; do
	fuzz "$target" &
	pids="$pids $!"
done
for pid in $pids; do
	wait "$pid" || bad=1
done
exit "$bad"
