#!/bin/bash
# mpi_one.sh SIDE SIZE [OPTION...] - one run of NPmpi (ours) or of the floor (floor), with
# options, or of the packaged NetPIPE (netpipe), all by the same launcher with a core for each
# process; prints the seconds of a message.  From mpi.sh: BUILD, and LAUNCH, the launcher
# with its options; NETPIPE.
side=$1 size=$2
shift 2
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

. "$(dirname "$0")/lib.sh" || exit 1

# As many messages as take about as long as NPmpi measures, at 10 GB/s and 0.3 us.
messages()
{
	echo $((400000000 / (300 + $(bytes "$size") / 10) / 2))
}

ours()
{
	seconds_of $LAUNCH "$BUILD/NPmpi" --sizes "$size" --passes 3 --precision 0 \
		--time-budget 0.4 "$@"
}

floor()
{
	$LAUNCH "$BUILD/bench/floor_mpi" "$@" "$(bytes "$size")" "$(messages)" | awk '{ print $2 }'
}

# A round trip of NetPIPE's is rounded to 10 ns.
netpipe()
{
	local count
	count=$(bytes "$size")
	cd "$work" || return
	$LAUNCH "$NETPIPE" -l "$count" -u "$count" -p 0 -o out >log 2>&1
	awk -v bytes="$count" 'NF == 3 { s = $3 } END { if (s == "") exit 1; print s }' out
}

"$side" "$@" </dev/null
