#!/bin/bash
# soak.sh [TIME] - an end that stays (--serve), for TIME (60, or 90s, 10m, 1h), with
# runs, faults and strangers at random; NP_SOAK_SEED repeats one.
#
# Every ten seconds the memory and the descriptors of the process that listens are
# looked at; at the end it has to be what it was at the beginning, to have served
# the last as well as the first, and to have left nothing behind.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/lib.sh" || exit 99
need NPtcp
time=${1:-60}
case $time in
*h) seconds=$((${time%h} * 3600)) ;;
*m) seconds=$((${time%m} * 60)) ;;
*) seconds=${time%s} ;;
esac
RANDOM=${NP_SOAK_SEED:=$RANDOM}
tap_comment "seed $NP_SOAK_SEED, $seconds s"
perl -MIO::Socket::IP -e 1 2>/dev/null || tap_skip_all "perl lacks IO::Socket::IP"

version=$("$NP_BUILDDIR/NPtcp" --version | sed -n '1s/.* //p')
protocol=$(sed -n 's/.*NP_PROTOCOL = \([0-9]*\).*/\1/p' "$NP_SRCDIR/src/boot/link_handshake.h")
NP_HELLO=$(perl -e 'print unpack "H*", pack "a8VVa16a16a16", "NetPong\n", @ARGV[0, 1], "t" x 16,
	@ARGV[2, 3]' "$protocol" 1 NPtcp "$version")
export NP_HELLO
start_waiting serve --serve --token-file "$work/token" || tap_bail "cannot wait at a port"
server=$pid
RIGHT="-h 127.0.0.1 -P $port --token-file $work/token --bind none"
declare -A done_times=()

resident()
{
	sed -n 's/^VmRSS:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$server/status"
}
descriptors()
{
	ls "/proc/$server/fd" | wc -l
}
# The process of the run in progress, if there is one.
run_process()
{
	tr ' ' '\n' <"/proc/$server/task/$server/children" | grep . | head -n 1
}

# A whole run; it may have to wait for another to end.
good_run()
{
	local options=("" "-s" "-2" "-i" "-I --pool 2M" "--per-message" "--wait poll" "-b 64K")
	timeout -k 5 60 "$NP_BUILDDIR/NPtcp" $RIGHT --connect-timeout 30 --sizes 1,64,4K \
		--time-budget 0.3 ${options[RANDOM % ${#options[@]}]} >"$work/run.out" 2>"$work/run.err"
	code=$?
	[ "$code" -eq 0 ] || { cat "$work/run.err"; return 1; }
}
# A run in which an end gets a signal.
struck_run()
{
	local signals=(TERM INT KILL STOP) signal near victim
	signal=${signals[RANDOM % 4]}
	# Itself, not timeout: what is killed must not leave a run behind.
	"$NP_BUILDDIR/NPtcp" $RIGHT --connect-timeout 30 --sizes 64,4K --time-budget 20 \
		--precision 0 >/dev/null 2>&1 </dev/null &
	near=$!
	sleep "0.$((RANDOM % 9 + 1))"
	victim=$near
	[ $((RANDOM % 2)) -eq 0 ] || victim=$(run_process)
	kill -"$signal" $victim 2>/dev/null
	if [ "$signal" = STOP ]; then
		sleep 6.5
		kill -CONT $victim 2>/dev/null
	fi
	kill -INT "$near" 2>/dev/null
	until_true 20 ended "$near" || kill -KILL "$near"
	wait "$near" 2>/dev/null
	true
}
crowd()
{
	perl "$NP_SRCDIR/tests/lib/strangers.pl" 127.0.0.1 "$port" $((RANDOM % 200 + 1)) "$RANDOM" \
		>/dev/null
}
wrong_token()
{
	printf '00112233445566778899aabbccddeeff\n' >"$work/wrong" && chmod 600 "$work/wrong"
	timeout 30 "$NP_BUILDDIR/NPtcp" -h 127.0.0.1 -P "$port" --token-file "$work/wrong" \
		--sizes 64 >/dev/null 2>&1
	[ $? -eq 4 ]
}
crowded_run()
{
	crowd &
	local others=$!
	good_run
	local status=$?
	wait "$others"
	return "$status"
}

quiet()
{
	[ -z "$(run_process)" ] && [ "$(descriptors)" -le 5 ]
}

good_run >/dev/null && crowd && until_true 30 quiet
memory=$(resident) before=$(descriptors) most=$memory
tap_check "it serves" [ "$before" -gt 0 ]
end=$((SECONDS + seconds)) look=$SECONDS failed=0
while [ "$SECONDS" -lt "$end" ]; do
	kinds=(good_run good_run good_run struck_run crowd wrong_token crowded_run)
	kind=${kinds[RANDOM % ${#kinds[@]}]}
	said=$($kind 2>&1) || {
		failed=$((failed + 1))
		tap_comment "$kind: $said"
	}
	done_times[$kind]=$((${done_times[$kind]:-0} + 1))
	ended "$server" && break
	if [ $((SECONDS - look)) -ge 10 ]; then
		look=$SECONDS
		[ "$(resident)" -le "$most" ] || most=$(resident)
	fi
done
for kind in "${!done_times[@]}"; do tap_comment "$kind ${done_times[$kind]}"; done
tap_check "it is still there" eval '! ended "$server"'
tap_check "every run that had to end well did, and nobody else got in" [ "$failed" -eq 0 ]
tap_check "and one more" good_run
until_true 30 quiet
tap_comment "resident memory $memory kB at the beginning, $(resident) at the end, $most at most"
tap_comment "descriptors $before at the beginning, $(descriptors) at the end"
tap_check "with the memory of the beginning" [ "$(resident)" -le $((memory + 512)) ]
tap_check "and its descriptors" [ "$(descriptors)" -eq "$before" ]
kill -TERM "$server"
finish "$server"
tap_check "a signal ends it" [ "$code" -eq 143 ]
cli_done
