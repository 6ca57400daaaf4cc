#!/bin/bash
# ucx.sh BUILD SOURCE - NPucx beside ucx_perftest, pairs of runs interleaved: half a round
# trip of active messages, of tags and of puts, and a get of other TLS.  RUNS=20 pairs a
# line by default (6 at least, or there is no interval); SIZES, TLS, ONLY and BUDGET, the
# whole seconds that a run of NPucx measures, may be set.  Ratios above 1 mean that NPucx's time is the longer.
build=$1
source=$2
command -v ucx_perftest >/dev/null || {
	echo "ucx.sh: no ucx_perftest (package ucx-utils)" >&2
	exit 1
}
failed=0
"$build/bench/pairs" '# A / B' 'A us' 'B us'
for tls in ${TLS:-posix tcp}; do
	for test in ${ONLY:-am tag put get}; do
		# ucx_perftest waits until the last word of a put has a number, NPucx until a mark is
		# overwritten, which a copy by the CPU may do twice.  Over TCP the target has to answer each
		# get, and its barrier looks for them once a millisecond (UCX 1.13).
		case $tls-$test in posix-put | tcp-get) continue ;; esac
		for size in ${SIZES:-8 4K 64K 1M}; do
			one="bash '$source/bench/ucx_one.sh'"
			"$build/bench/pairs" "${RUNS:-20}" 1.02 "$test $tls $size" \
				"$one ours '$build/NPucx' $test $tls $size" \
				"$one theirs ucx_perftest $test $tls $size" || failed=1
		done
	done
done
exit "$failed"
