#!/bin/bash
# ofi.sh BUILD SOURCE - NPofi beside fi_pingpong, and beside NPtcp over the same interface,
# pairs of runs interleaved: half a round trip of messages and of tags.  RUNS=20 pairs a line
# by default (6 at least, or there is no interval); SIZES, PROVIDERS, ONLY and BUDGET, the
# whole seconds that a run measures, may be set.  Ratios above 1 mean that NPofi's time is
# the longer; beside NPtcp that is what libfabric costs, which is held to nothing.
build=$1
source=$2
command -v fi_pingpong >/dev/null || {
	echo "ofi.sh: no fi_pingpong (package libfabric-bin)" >&2
	exit 1
}
failed=0
one="bash '$source/bench/ofi_one.sh'"
"$build/bench/pairs" '# A / B' 'A us' 'B us'
for provider in ${PROVIDERS:-tcp-msg tcp-rdm shm-rdm}; do
	for test in ${ONLY:-msg tagged}; do
		# Connections over TCP have no tags in libfabric 1.17.
		case $provider-$test in tcp-msg-tagged) continue ;; esac
		for size in ${SIZES:-8 4K 64K 1M}; do
			"$build/bench/pairs" "${RUNS:-20}" 1.02 "$test $provider $size" \
				"$one ours '$build/NPofi' $test $provider $size" \
				"$one theirs fi_pingpong $test $provider $size" || failed=1
		done
	done
	# NPtcp measures the same path.
	[ "$provider" = tcp-msg ] || continue
	for size in ${SIZES:-8 4K 64K 1M}; do
		"$build/bench/pairs" "${RUNS:-20}" 1000 "beside NPtcp $size" \
			"$one ours '$build/NPofi' msg tcp-msg $size" \
			"$one tcp '$build/NPtcp' msg tcp-msg $size" || failed=1
	done
done
exit "$failed"
