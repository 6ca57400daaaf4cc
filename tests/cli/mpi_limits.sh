#!/bin/bash
# The limits that the MPI library of this build reports rule its messages, and the step
# at one of them is found and named: Open MPI's eager limit, and a threshold that is
# given to UCX for MPICH, whose own is decided by the device.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/lib.sh" || exit 99
. "$NP_SRCDIR/tests/lib/job.sh" || exit 99
need_launcher

# fact NAME VALUE SOURCE: rank 0 reports a number of bytes.
fact()
{
	head -n 1 "$work/limits.json" |
		grep -qF "\"$1\":{\"value\":$2,\"unit\":\"bytes\",\"source\":\"$3\"}"
}

# finds_step SIZES NAME: on a busy machine a search may have no time, see nothing or see
# what other work does: three attempts to find a step that has this name.  False if none
# found any.
finds_step()
{
	local attempt found=1
	for attempt in 1 2 3; do
		job 2 --refine --sizes "$1" --passes 6 --time-budget 10 --force \
			--json "$work/limits.json"
		unfolded "$out" >"$work/whole"
		grep -qF "$2" "$work/whole" && return 0
		grep -q '^  step ' "$out" && found=0
	done
	return $found
}

case $(library) in
mpich)
	export UCX_RNDV_THRESH=5000
	sizes=4K,4800,5200,6000
	name="rendezvous limit (UCX_RNDV_THRESH 5000"
	;;
*)
	sizes=3800,4000,4090,4200
	name="eager limit (btl_vader_eager_limit 4096 less "
	;;
esac
if finds_step "$sizes" "$name"; then
	tap_check "the step at a limit of the library is named" grep -F "$name" "$work/whole"
	tap_check "and no page is" eval '! grep "^  step .*(page_bytes" "$work/whole"'
else
	tap_skip "the step at a limit of the library is named" "the machine is busy: no step is found"
fi
case $(library) in
mpich)
	tap_check "the threshold of UCX is a number with its source" \
		fact rndv_limit_bytes 5000 UCX_RNDV_THRESH
	tap_check "cells that are not used are not reported" eval \
		'! grep -q "CELL_SIZE" "$work/limits.json"'
	unset UCX_RNDV_THRESH
	job_measures "without one" "64" --sizes 64 --time-budget 0.2 --json "$work/auto.json"
	tap_check "UCX decides" \
		grep -qF '"rndv_limit_bytes":"auto (UCX_RNDV_THRESH)"' "$work/auto.json"
	;;
*)
	tap_check "the eager limit is a number with its source" \
		fact eager_limit_bytes 4096 btl_vader_eager_limit
	tap_check "and the inline limit" \
		fact inline_limit_bytes 256 btl_vader_max_inline_send
	tap_check "the single copy is said" \
		grep -q '"single_copy":"[a-z]* (btl_vader_single_copy_mechanism)"' "$work/limits.json"
	export OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_btl_vader_eager_limit=2048
	job_measures "without it" "64" --sizes 64 --time-budget 0.2 --json "$work/limits.json" --force
	tap_check "messages are cut, and the fragment is reported" \
		fact fragment_limit_bytes 32768 btl_vader_max_send_size
	tap_check "an eager limit that was set is the one reported" \
		fact eager_limit_bytes 2048 btl_vader_eager_limit
	;;
esac
tap_done
