#!/bin/bash
# Hosts as they are: closed standard streams, limits, signals of batch systems, system calls
# that a container denies, no /proc, name servers that do not answer.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/lib.sh" || exit 99
need NPtcp NPshm
PATH=$PATH:/usr/sbin:/sbin
deny=$NP_BUILDDIR/tests/lib/deny

# ---- Standard streams -------------------------------------------------------
for closed in '<&-' '>&-' '2>&-' '<&- >&- 2>&-'; do
	eval '"$NP_BUILDDIR/NPtcp" --local $SMALL --json "$work/closed.json" --force \
		>"$out" 2>"$err" '"$closed"
	code=$?
	tap_check "a run with $closed" [ "$code" -eq 0 ]
	tap_check "and its result file" "$NP_BUILDDIR/tests/lib/json_lines" "$work/closed.json"
done

# ---- Signals and limits -----------------------------------------------------
# signal NAME STATUS: a run is told to end in its middle.
signal()
{
	file=$work/$1.json
	start "$1" NPtcp --local $SMALL --time-budget 60 --precision 0 --json "$file"
	until_true 60 visits 12 "$file"
	kill -"$1" "$pid"
	finish "$pid"
	tap_check "SIG$1 ends a run" [ "$code" -eq "$2" ]
	tap_check "which says so" one_line "$work/$1.err" NPtcp "stopped by SIG$1"
	tap_check "and keeps its rows" eval 'grep -q "\"kind\":\"row\"" "$file" &&
		grep -q "\"complete\":false" "$file"'
}
signal XCPU 152
signal USR1 138
signal ALRM 142

(ulimit -f 4 && exec "$NP_BUILDDIR/NPtcp" --local $SMALL --json "$work/full.json") >"$out" 2>"$err"
code=$?
tap_check "a file that may not grow" failed_with NPtcp 1 "File too large"

# ---- Cores ------------------------------------------------------------------
# The cores of this script, one a line.
mapfile -t cores < <(taskset -pc $$ | sed 's/.*: *//' | tr ',' '\n' |
	awk -F- '{ for (i = $1; i <= ($2 == "" ? $1 : $2); i++) print i }')
one=${cores[0]} other=${cores[1]:-}
# masked CORES PROGRAM ARGUMENT...: as run, with the affinity mask CORES.
masked()
{
	timeout -k 5 "$LIMIT" taskset -c "$1" "$NP_BUILDDIR/$2" "${@:3}" $SMALL --time-budget 0.1 \
		>"$out.folded" 2>"$err" </dev/null
	code=$?
	unfolded "$out.folded" >"$out"
}
# before_figures WORDS: the warning stands before the figures, once, and lowers the grade.
before_figures()
{
	[ "$code" -eq 0 ] && [ "$(grep -c "warning .*$1" "$out")" -eq 1 ] &&
		sed '/^  latency/,$d' "$out" | grep -q "warning .*$1" &&
		{ [[ " ${*:2} " = *" runs "* ]] || grep -q "quality *POOR" "$out"; } && return
	show_run
	return 1
}
share="both processes share core $one, .*taskset"
masked "$one" NPtcp --local
tap_check "--local on one core says so" before_figures "$share"
masked "$one" NPshm
tap_check "and two processes that share memory" before_figures "$share"
masked "$one" NPtcp --local --runs 2
tap_check "and the first of several runs" before_figures "$share" runs
if [ -n "$other" ]; then
	masked "$other" NPtcp --local
	tap_check "no core outside of the mask is chosen" before_figures "share core $other"
	# The server under a mask, as the client takes its first core otherwise.
	taskset -c "$one" "$NP_BUILDDIR/NPtcp" -P 0 >"$work/server.out" 2>"$work/server.err" &
	pid=$!
	until_true 60 finds_port server
	masked "$one,$other" NPtcp -h 127.0.0.1 -P "$port"
	tap_check "the client leaves the core of its server" eval \
		'grep -q "cores $other, $one;" "$out" && ! grep -q "share core" "$out"'
	finish "$pid"
	# Each run executes the programs anew, with the mask of the first.
	masked "$one,$other" NPtcp --local --runs 2 --json "$work/runs.jsonl"
	tap_check "several runs have two cores" eval '[ "$code" -eq 0 ] &&
		! grep -q "share core" "$out" "$work/runs.jsonl"'
else
	tap_skip "masks of one of two cores" "there is one core"
fi

# quota CORES_PERCENT COMMAND...: in a control group of its own, of either version.
cpu_group=
for folder in /sys/fs/cgroup/cpu /sys/fs/cgroup; do
	mkdir "$folder/netpong-$$" 2>/dev/null || continue
	cpu_group=$folder/netpong-$$
	{ echo 100000 >"$cpu_group/cpu.cfs_period_us" && echo 150000 >"$cpu_group/cpu.cfs_quota_us"; } \
		2>/dev/null || echo "150000 100000" 2>/dev/null >"$cpu_group/cpu.max" && break
	rmdir "$cpu_group"
	cpu_group=
done
if [ -n "$cpu_group" ]; then
	(echo "$BASHPID" >"$cpu_group/cgroup.procs" && masked "${cores[*]:0:1}${other:+,$other}" \
		NPtcp --local; exit "$code")
	code=$?
	tap_check "a CPU quota says so" before_figures "a CPU quota of 1.50 cores for 2 processes.*CPUQuota"
	until_true 10 rmdir "$cpu_group"
else
	tap_skip "a CPU quota" "no control group can be made"
fi

# ---- Clocks -----------------------------------------------------------------
# CLOCK_MONOTONIC by the variable CLOCK: slow, a reading takes 10 us; coarse, it advances by
# 4 ms; back, each 1000th reading lies 5 us before; late, it goes back by 1 s in samples
# alone, after the clock was measured; still, it never advances.
${CC:-cc} -shared -fPIC -x c -o "$work/clock.so" - <<'END' || tap_bail "no compiler"
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
static uint64_t now(void)
{
	struct timespec t;
	syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}
int clock_gettime(clockid_t clock, struct timespec *time)
{
	static _Thread_local unsigned readings;
	const char *kind = getenv("CLOCK");
	if (clock != CLOCK_MONOTONIC || kind == NULL)
		return (int)syscall(SYS_clock_gettime, clock, time);
	uint64_t ns = now();
	readings++;
	if (strcmp(kind, "slow") == 0)
		for (const uint64_t until = ns + 10000; ns < until;)
			ns = now();
	if (strcmp(kind, "coarse") == 0)
		ns -= ns % 4000000;
	if (strcmp(kind, "back") == 0 && readings % 1000 == 0)
		ns -= 5000;
	if (strcmp(kind, "late") == 0 && readings > 40000 && readings % 100 < 50)
		ns -= 1000000000;
	if (strcmp(kind, "still") == 0)
		ns = 1000000000;
	time->tv_sec = (time_t)(ns / 1000000000u);
	time->tv_nsec = (long)(ns % 1000000000u);
	return 0;
}
END
# with_clock CLOCK PROGRAM ARGUMENT...: as run.
with_clock()
{
	CLOCK=$1 LD_PRELOAD=$work/clock.so ASAN_OPTIONS=verify_asan_link_order=0 \
		timeout -k 5 "$LIMIT" "$NP_BUILDDIR/$2" "${@:3}" >"$out.folded" 2>"$err" </dev/null
	code=$?
	unfolded "$out.folded" >"$out"
}
# sample_of FILE: the duration that a sample aims at, us.
sample_of()
{
	sed -n 's/.*"sample_s":\([0-9.e-]*\).*/\1/p' "$1" | awk '{ printf "%.0f\n", $1 * 1e6 }'
}
# lengthened FILE US: samples of at least US, and little to say of the clock, as another
# load can disturb their calibration.
lengthened()
{
	[ "$code" -eq 0 ] && [ "$(sample_of "$1")" -ge "$2" ] &&
		! grep "^  clock " "$out" | grep -v "up to [1-4][.0-9]* %" && return
	show_run
	return 1
}
clock_line() # WORDS
{
	[ "$code" -eq 0 ] && unfolded "$out" | grep -q "^  quality .*$1" && return
	show_run
	return 1
}
local=(NPtcp --local --sizes 64)
with_clock slow "${local[@]}" --time-budget 2 --json "$work/slow.jsonl"
tap_check "samples of a slow clock become longer" lengthened "$work/slow.jsonl" 1500
with_clock slow "${local[@]}" --time-budget 2 --sample-time 100
# Nothing is to be said where a message takes as long as dozens of readings, on a busy machine.
tap_check "unless an option fixes them" eval \
	'[ "$(awk "\$1 == 64 { print int(\$3) }" "$out")" -ge 300 ] ||
	clock_line "a reading is off by [0-9.]* us, up to .* %.*netpong doctor"'
with_clock coarse "${local[@]}" --time-budget 3 --passes 1 --precision 50 --json "$work/coarse.jsonl"
tap_check "samples of a coarse clock become longer" lengthened "$work/coarse.jsonl" 400000
with_clock coarse "${local[@]}" --time-budget 0.1 -n 1
tap_check "unless an option fixes them" clock_line "a reading is off by 4000 us, up to 100 %.*--time-budget"
tap_check "and the run is poor" grep -q "quality *POOR" "$out"
with_clock back "${local[@]}"
tap_check "a clock that goes back is refused" failed_with NPtcp 1 "went back by [0-9]* ns.*clock source"
with_clock late "${local[@]}" -n 1 --time-budget 100 --precision 0
tap_check "also one that goes back in a sample" failed_with NPtcp 1 \
	"went back by [0-9]* ns in a sample.*clock source"
with_clock still "${local[@]}"
tap_check "and one that stands still" failed_with NPtcp 1 "stands still.*clock source"
for kind in "slow [0-9]* ns a reading" "back went back" "still stands still"; do
	with_clock "${kind%% *}" netpong doctor
	tap_check "doctor judges a clock: $kind" grep -q "CHANGE *clock source .*${kind#* }" "$out"
done

# ---- Containers -------------------------------------------------------------
"$deny" -- /bin/true
if [ $? -eq 77 ]; then
	tap_skip "denied system calls" "the kernel has no filters"
else
	denied()
	{
		timeout -k 5 "$LIMIT" "$deny" "$1" -- "$NP_BUILDDIR/NPtcp" --local $SMALL "${@:2}" \
			>"$out" 2>"$err"
		code=$?
	}
	denied sched_setaffinity
	tap_check "without sched_setaffinity" [ "$code" -eq 0 ]
	tap_check "a run goes on, and warns" eval 'tr -s " \n" " " <"$out" | grep -q "warning .*cannot bind to a core"'
	denied sched_setaffinity --bind 0
	tap_check "but not where the core was named" failed_with NPtcp 4 "cannot bind to core 0"
	if [ "${NP_SANITIZERS:-no}" = no ]; then
		denied sched_getaffinity
		tap_check "without sched_getaffinity none hangs" [ "$code" -eq 4 ]
		tap_check "and it says why" grep -q "sched_getaffinity" "$err"
	else
		tap_skip "without sched_getaffinity" "built with sanitizers, which call it"
	fi
fi

isolated()
{
	timeout -k 5 "$LIMIT" unshare -mn sh -c "$1" >"$out" 2>"$err"
	code=$?
}
if unshare -mn true 2>/dev/null; then
	if [ "${NP_SANITIZERS:-no}" = no ]; then
		isolated "mount -t tmpfs none /proc && exec '$NP_BUILDDIR/NPshm' $SMALL --runs 2"
		tap_check "--runs without /proc says why" failed_with NPshm 1 "/proc/self/exe"
	else
		tap_skip "--runs without /proc" "built with sanitizers, which read it"
	fi
	# A name server that takes questions and answers none: the library would wait for 90 s.
	printf 'nameserver 127.0.0.1\noptions timeout:30 attempts:3\n' >"$work/resolv.conf"
	SECONDS=0
	isolated "ip link set lo up; mount --bind '$work/resolv.conf' /etc/resolv.conf &&
		{ perl -MIO::Socket::INET -e 'my \$socket = IO::Socket::INET->new(
			LocalPort => 53, Proto => \"udp\") or die; mkdir \"$work/bound\"; sleep 600' & } &&
		until [ -d '$work/bound' ]; do sleep 0.1; done &&
		'$NP_BUILDDIR/NPtcp' -h host.example --connect-timeout 1; code=\$?; kill \$!; exit \$code"
	tap_check "a dead name server" failed_with NPtcp 4 "no name server has answered within 5 s"
	tap_check "does not hold it up" [ "$SECONDS" -lt 60 ]
else
	tap_skip "--runs without /proc, a dead name server" "no namespaces"
fi
cli_done
