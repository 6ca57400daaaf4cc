#!/bin/bash
# NPmpi --memory: what MPI tells of addresses of a GPU decides, and messages from and into
# memory that is like a GPU's, but that MPI, which knows of none, can read and write.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/lib.sh" || exit 99
. "$NP_SRCDIR/tests/lib/job.sh" || exit 99
need_no_sanitizer
need_launcher
. "$NP_SRCDIR/tests/lib/fake_gpu.sh" || exit 99
with_gpu
export NP_FAKE_GPU_READABLE=1

${CC:-cc} -shared -fPIC -x c -o "$work/query.so" - <<'END' || tap_bail "no query"
#include <stdlib.h>
int MPIX_Query_cuda_support(void);
int MPIX_Query_cuda_support(void)
{
	return atoi(getenv("NP_TEST_SUPPORT"));
}
END

# The launcher itself needs none.
launcher=(env LD_PRELOAD="$work/query.so" "${launcher[@]}")
export NP_TEST_SUPPORT=0
job_refused "an MPI that takes no such addresses" 2 "does not report by MPIX_Query_cuda_support" \
	--memory cuda --sizes 64
job_checks "is given them by force" --memory cuda --memory-force --sizes 1,64,100003
export NP_TEST_SUPPORT=1
job_checks "one that takes them" --memory cuda --sizes 1,64,100003
job_refused "what it tells of CUDA is not of ROCm" 2 "by MPIX_Query_rocm_support" \
	--memory rocm --sizes 64
job_checks "ROCm, by force" --memory rocm --memory-force --sizes 1,64,100003
for side in send recv; do
	job_checks "memory of $side" --memory "cuda-$side" --sizes 1,64,100003
done
job_checks "a stream" --memory cuda --sizes 64,4K -s -t nonblocking
job_checks "both directions" --memory cuda --sizes 64,4K -2 -t persistent
job_checks "buffered" --memory cuda --sizes 64,4K --send buffered
job_measures "times" "64 4096" --memory cuda --sizes 64,4K --time-budget 0.5 -I --pool 4M --buffers fresh
job_measures "a vector" "64 4096" --memory cuda --sizes 64,4K --time-budget 0.3 --datatype vector
job_measures "one buffer" "64 4096" --memory cuda --sizes 64,4K --time-budget 0.3 --buffers same
tap_check "the drivers got everything back" gpu_is_as_before

job_refused "a pattern" 2 "--memory: patterns and one-sided" --memory cuda --pattern bcast
job_refused "a put" 2 "--memory: patterns and one-sided" --memory cuda -t put
job_refused "force without memory" 2 "--memory-force needs --memory" --memory-force
cli_done
