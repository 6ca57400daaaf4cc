#!/bin/bash
# NPmpi over MPICH over UCX' reliable connections (rc_verbs), two processes on one
# machine that has the RDMA device rxe0: one_host.sh has a virtual one.  The device counts
# packets, so it is known which way the messages went.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/lib.sh" || exit 99
. "$NP_SRCDIR/tests/lib/job.sh" || exit 99
. "$NP_SRCDIR/tests/machine/ucx_verbs.sh" || exit 99
need_launcher
[ "$(library)" = mpich ] || tap_skip_all "not built for MPICH"
launcher+=(-launcher fork)

sent()
{
	cat /sys/class/infiniband/rxe0/ports/1/hw_counters/sent_pkts
}

# Messages that the rows were made of, two for each round trip: each is a packet at
# least, and so is its acknowledgement.
timed()
{
	grep '"kind":"row"' "$work/job.json" |
		sed -n 's/.*"n":\([0-9]*\),"iterations":\([0-9]*\),.*/\1 \2/p' |
		awk '{ n += 2 * $1 * $2 } END { print n + 0 }'
}

all_on_the_wire()
{
	local messages packets
	messages=$(timed)
	packets=$(($(sent) - before))
	[ "$messages" -gt 0 ] && [ "$packets" -ge "$messages" ] && return
	echo "$packets packets, $messages messages"
	return 1
}

before=$(sent)
job_measures "ping-pong over rc_verbs" "1 64 4096 65536" --sizes 1,64,4K,64K \
	--time-budget 0.5 --json "$work/job.json"
tap_check "every message was a packet of the device" all_on_the_wire
job_measures "reuse and rotate over rc_verbs" "64 4096" -I --pool 4M --sizes 64,4K \
	--time-budget 0.5 --force --json "$work/job.json"
tap_check "with their ratio" has_lines "$work/job.json" header visit row pair
job_checks "every byte over rc_verbs" --sizes 64,64K

cli_done
