#!/bin/bash
# examples/node_health.sh: a node is drained if a clause fails, and for no other reason.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/lib.sh" || exit 99
need NPtcp netpong
# It starts netpong, and with it NPtcp, by their names; Slurm is a script that writes down
# what it is asked for.
mkdir "$work/bin"
printf '#!/bin/sh\nprintf "%%s\\n" "$@" >>%s/asked\n' "$work" >"$work/bin/scontrol"
printf '#!/bin/sh\nexec %s/netpong "$@"\n' "$NP_BUILDDIR" >"$work/bin/netpong"
chmod +x "$work/bin/"*
start_waiting serve --serve || tap_bail "cannot wait at a port"
server=$pid

# check CLAUSES [NAME=VALUE...]: the code, what was said, and what Slurm was asked for.
check()
{
	printf 'NPtcp: %s\n' "$1" >"$work/clauses"
	printf 'peer=127.0.0.1\nport=%s\nclauses=%s/clauses\nseconds=10\n' "$port" "$work" >"$work/health"
	shift
	rm -f "$work/asked"
	env PATH="$work/bin:$PATH" NETPONG_HEALTH="$work/health" SLURMD_NODENAME=n7 "$@" \
		sh "$NP_SRCDIR/examples/node_health.sh" >"$out" 2>"$err"
	code=$?
}
not_drained()
{
	[ "$code" -eq 0 ] && [ ! -e "$work/asked" ]
}

check "latency(8) <= 10s"
tap_check "a node that is as expected stays" eval 'not_drained && [ ! -s "$err" ]'
check "latency(8) <= 1ns"
tap_check "one that is too slow is drained" eval '[ "$code" -eq 0 ] &&
	grep -qx "NodeName=n7" "$work/asked" && grep -qx "State=DRAIN" "$work/asked"'
tap_check "with the clause as the reason" grep -q "^Reason=netpong: .*latency(8)" "$work/asked"
check "latency(8) <= 1ns" SLURM_JOB_ID=1
tap_check "as a prolog it fails, and slurmd drains" eval '[ "$code" -eq 1 ] && [ ! -e "$work/asked" ]'
check "latency(8) <= 1 parsec"
tap_check "a clause that cannot be read drains nothing" eval \
	'not_drained && grep -q "n7: not checked (status 2)" "$err"'
kill "$server"
finish "$server"
check "latency(8) <= 1ns"
tap_check "nor does a peer that is down" eval 'not_drained && grep -q "n7: not checked (status 4)" "$err"'
check "latency(8) <= 1ns" NETPONG_HEALTH=/nowhere
tap_check "nor settings that are missing" eval 'not_drained && grep -q "names no peer" "$err"'
cli_done
