#!/bin/bash
# The virtual machine of tests/machine/run: that a command's output and status come
# out of it as they are, that its device is one, and that its limits hold.  A
# start takes seconds, so each serves for many checks.
. "$NP_SRCDIR/tests/lib/tap.sh"

# Nothing of this build runs in here.
[ "${NP_SANITIZERS:-no}" = no ] ||
	tap_skip_all "built with sanitizers: the machine is tested once, beside a plain build"
run=$NP_SRCDIR/tests/machine/run
if [ -z "${NP_CI:-}" ]; then
	reason=$("$run" --ready 2>&1) || tap_skip_all "${reason##*$'\n'}"
	command -v ibv_devinfo >/dev/null || tap_skip_all "no ibv_devinfo (package ibverbs-utils)"
fi

work=$(mktemp -d) || tap_bail "no temporary folder"
trap 'rm -rf "$work"' EXIT
export TMPDIR=$work/tmp
mkdir "$TMPDIR" "$work/shared" "$work/a folder, with a comma"
cd "$work/a folder, with a comma" || tap_bail "no working folder"

# Sees itself from within the machine; a section per check, each with its title.
cat >"$work/inside" <<'END'
section() { echo "== $1"; }
section folder; pwd
section arguments; printf '[%s]' "$@"; echo
section environment; echo "$NP_VM_TEST:$VM_TEST_NAMED:${VM_TEST_OTHER-unset}"
section kernel; uname -r
section clock; cat /sys/devices/system/clocksource/clocksource0/current_clocksource
section device; ibv_devinfo -v -d rxe0
section ping; ibv_rc_pingpong -d rxe0 -g 1 >server 2>&1 &
tries=0
until ibv_rc_pingpong -d rxe0 -g 1 -n 100 localhost || [ $((tries += 1)) -ge 20 ]; do
	sleep 0.5
done 2>/dev/null
kill %1 2>/dev/null
wait
section down; ibv_asyncwatch -d rxe0 >events 2>&1 &
sleep 1
ip link set v0 down
tries=0
until grep -q PORT_ERR events || [ $((tries += 1)) -ge 20 ]; do
	sleep 0.5
done
kill %1
cat events; ibv_devinfo -d rxe0 | grep state:
section writing; echo new >>"$OLD" && cat "$OLD"; echo reached >"$SHARED/file"
section event; pgrep -c perl
section namespace; unshare --user --map-root-user id -u
section left; sleep 1000 &
echo "to standard error" >&2
exit 7
END
# The same on each of two machines.
cat >"$work/both" <<'END'
echo "host $NP_VM_HOST, $NP_VM_ADDRESS, to $NP_VM_PEER"
if [ "$NP_VM_HOST" = 0 ]; then
	timeout 60 ibv_rc_pingpong -d rxe0 -g 1 -n 100
else
	tries=0
	until timeout 60 ibv_rc_pingpong -d rxe0 -g 1 -n 100 "$NP_VM_PEER" ||
		[ $((tries += 1)) -ge 20 ]; do
		sleep 0.5
	done 2>/dev/null
	exit 9
fi
END

# one_machine: everything that one start can show.
one_machine()
{
	echo old >"$work/old"
	NP_VM_TEST=handed VM_TEST_NAMED="on, too" VM_TEST_OTHER=not \
		OLD=$work/old SHARED=$work/shared "$run" --time 120 --env VM_TEST_NAMED \
		--env OLD --env SHARED --writable "$work/shared" -- \
		bash "$work/inside" one "two words" "" "'\$x" >"$work/out" 2>"$work/err"
	status=$?
}

# said TITLE: the lines of a section.
said()
{
	sed -n "/^== $1\$/,/^== /{/^== /!p}" "$work/out"
}

# The newest lines of both, where a check has failed.
show()
{
	tail -n 30 "$work/out" "$work/err"
	return 1
}

nothing_left()
{
	[ -z "$(ls -A "$TMPDIR")" ] &&
		! grep -qsa "$TMPDIR/netpong[-]vm" /proc/[0-9]*/cmdline
}

one_machine
[ "$status" -ne 125 ] || tap_comment "$(cat "$work/err")"
tap_check "the command's exit code comes out" [ "$status" -eq 7 ]
tap_check "standard error by itself" \
	[ "$(grep -v '^vm: downloading' "$work/err")" = "to standard error" ]
tap_check "standard output to its last line" [ "$(tail -n 1 "$work/out")" = "== left" ]
tap_check "same working folder" [ "$(said folder)" = "$PWD" ]
tap_check "same arguments" [ "$(said arguments)" = "[one][two words][]['\$x]" ]
tap_check "NP_* and what is named are handed on" \
	[ "$(said environment)" = "handed:on, too:unset" ]
tap_check "it has a kernel of its own" [ "$(said kernel)" != "$(uname -r)" ]
tap_check "its clock is read without leaving it" \
	grep -qxE 'tsc|kvm-clock' <(said clock)
tap_check "rxe0 has an active port" grep -q 'state:.*PORT_ACTIVE' <(said device)
tap_check "all of RDMA's MTUs fit" grep -q 'active_mtu:.*4096' <(said device)
tap_check "a RoCE v2 GID for its IPv4 address" \
	grep -q 'GID\[  1\]:.*::ffff:10.11.0.1, RoCE v2' <(said device)
tap_check "two processes reach each other by verbs" grep -q '^100 iters in' <(said ping)
tap_check "taking the link down is a port error event" \
	grep -q IBV_EVENT_PORT_ERR <(said down)
tap_check "and the port is down" grep -q PORT_DOWN <(said down)
tap_check "the host's files can be written to there" \
	[ "$(said writing)" = $'old\nnew' ]
tap_check "which does not reach the host" [ "$(cat "$work/old")" = old ]
tap_check "except in the folder for that" [ "$(cat "$work/shared/file")" = reached ]
tap_check "a perf event is held" [ "$(said event)" = 1 ]
tap_check "user namespaces can be made" [ "$(said namespace)" = 0 ]
tap_check "nothing is left behind" nothing_left
[ "$tap_failed" -eq 0 ] || show | sed 's/^/# /'

"$run" --hosts 2 --time 120 -- bash "$work/both" >"$work/out" 2>"$work/err"
status=$?
tap_check "of two machines, the exit code of the one that failed" [ "$status" -eq 9 ]
tap_check "both ran it, knowing the other" [ "$(grep 'host [01],' "$work/out" | sort)" = \
	$'host 0, 10.11.0.1, to 10.11.0.2\nhost1: host 1, 10.11.0.2, to 10.11.0.1' ]
tap_check "they reach each other by verbs" grep -q '^100 iters in' "$work/out"
tap_check "each sees it" grep -q '^host1: 100 iters in' "$work/out"
[ "$tap_failed" -eq 0 ] || show | sed 's/^/# /'

# Long enough for a busy host to start it; what follows goes on meanwhile.
"$run" --time 45 -- sh -c 'echo begun; sleep 1000' >"$work/limit.out" 2>"$work/limit.err" &
limited=$!

"$run" -- sh -c 'echo begun; sleep 1000' >"$work/out" 2>"$work/err" &
pid=$!
tries=0
until grep -q begun "$work/out" || [ $((tries += 1)) -ge 600 ]; do
	sleep 0.1
done
tap_check "output comes while the command runs" grep -q begun "$work/out"
kill -TERM "$pid"
wait "$pid"
status=$?
tap_check "a signal ends it" [ "$status" -eq 143 ]

"$run" --time 60 --kernel-args rdinit=/nowhere -- true >"$work/out" 2>"$work/err"
status=$?
tap_check "a machine that breaks down is 125" [ "$status" -eq 125 ]
tap_check "and the kernel's words are shown" grep -q 'Kernel panic' "$work/err"
NP_VM_CACHE=/proc/none "$run" -- true >"$work/out" 2>"$work/err"
status=$?
tap_check "no place for the kernel is 125" [ "$status" -eq 125 ]
tap_check "in one line" [ "$(grep -c . "$work/err")" -eq 1 ]
"$run" --hosts 3 -- true >"$work/out" 2>"$work/err"
tap_check "a wrong option is 125" [ $? -eq 125 ]

wait "$limited"
status=$?
tap_check "the time limit is 124" [ "$status" -eq 124 ]
tap_check "and is named" grep -q 'time limit of 45 s' "$work/limit.err"
tap_check "what was said before comes out" [ "$(cat "$work/limit.out")" = begun ]
tap_check "nothing is left of machines that were stopped" nothing_left
tap_done
