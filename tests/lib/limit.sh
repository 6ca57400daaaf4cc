#!/bin/bash
# limit.sh COMMAND... - a test, for NP_TEST_SECONDS (20 minutes) at most.
#
# A test that hangs fails alone: it and everything that it started are killed, and its log,
# which is kept, ends by saying so.  What it started is found by a variable of its
# environment, since a script makes process groups of its own.
limit=${NP_TEST_SECONDS:-1200}
tag=NP_LIMITED=$$-$RANDOM$RANDOM

kill_all()
{
	local entry
	for entry in /proc/[0-9]*; do
		{ tr '\0' '\n' <"$entry/environ"; } 2>/dev/null | grep -qx "$tag" &&
			kill -KILL "${entry#/proc/}" 2>/dev/null
	done
}

# In a group of its own, which the terminal does not reach.
trap 'kill_all; exit 130' HUP INT TERM
timeout --kill-after=20 "$limit" env "$tag" "$@" </dev/null &
wait "$!"
status=$?
# libfabric names shared memory by the process; a number that is used again finds it busy.
for left in /dev/shm/[0-9]*:[0-9]*:*; do
	process=${left##*/}
	[ -e "/proc/${process%%:*}" ] || rm -f "$left"
done
# Of all that was waited for, in hundredths (CLK_TCK); proc(5) has it behind the name.
read -r stat <"/proc/$$/stat"
read -r -a field <<<"${stat##*) }"
echo "# took $SECONDS s, $(((field[13] + field[14] + 50) / 100)) s of processor"
if [ "$status" -ne 124 ] && [ "$status" -ne 137 ]; then
	exit "$status"
fi
kill_all
echo "Bail out! killed after $limit s: NP_TEST_SECONDS gives it more"
exit 99
