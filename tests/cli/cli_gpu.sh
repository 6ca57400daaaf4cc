#!/bin/bash
# --memory: copies to, from and within memory of a GPU, over drivers that hold the program
# to what theirs say, and a GPU that is not there.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/lib.sh" || exit 99
need NPshm NPtcp
. "$NP_SRCDIR/tests/lib/fake_gpu.sh" || exit 99

copy="NPshm -t memcpy --memory cuda"
cold="$copy --sizes 64,4K --time-budget 0.5 -I --pool 4M"

if ldconfig -p 2>/dev/null | grep -q 'libcuda\.so\.1'; then
	tap_skip "without a driver" "this host has one"
else
	# shellcheck disable=SC2086
	refused "without a driver" 1 "--memory cuda: there is no driver of such a GPU: libcuda" \
		$copy --sizes 64
fi
with_gpu

# What the drivers notice.
cat >"$work/caller.c" <<'END'
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int cuInit(unsigned), cuDevicePrimaryCtxRetain(void **, int), cuCtxSetCurrent(void *);
int cuMemAlloc_v2(void **, size_t), cuMemFree_v2(void *), cuCtxSynchronize(void);
int cuMemcpyHtoD_v2(void *, const void *, size_t);
int main(int argc, char **argv)
{
	char host[64] = { 0 };
	void *context, *at;
	int status;

	(void)argc;
	if (cuMemAlloc_v2(&at, 64) != 3 || cuInit(0) != 0 || cuMemAlloc_v2(&at, 64) != 201 ||
	    cuDevicePrimaryCtxRetain(&context, 5) != 0 || cuCtxSetCurrent(context) != 0 ||
	    cuMemAlloc_v2(&at, 64) != 0)
		return 1;
	switch (*argv[1]) {
	case 'l': return *(volatile char *)at;
	case 'r': return cuMemcpyHtoD_v2((char *)at + 1, host, 64);
	case 'h': return cuMemcpyHtoD_v2(at, at, 1);
	case 'f': return cuMemFree_v2((char *)at + 1);
	case 't': return cuMemFree_v2(at) || cuMemFree_v2(at);
	case 'c':
		if (fork() == 0)
			return cuCtxSynchronize();
		return wait(&status) < 0 || WIFSIGNALED(status) ? abort(), 1 : 0;
	}
	return cuMemcpyHtoD_v2(at, host, 64) || cuMemFree_v2(at);
}
END
${CC:-cc} -o "$work/caller" "$work/caller.c" "$work/gpu/libcuda.so.1" || tap_bail "no caller"
caller_ends() # CODE WHAT
{
	NP_FAKE_GPU_LOG='' "$work/caller" "$2" >/dev/null 2>&1
	[ $? -eq "$1" ]
}
tap_check "the drivers: a right call" caller_ends 0 ok
tap_check "the drivers: a load from the device" caller_ends 139 load
for wrong in "range:beyond an allocation" "host:an address of the wrong kind" \
	"free:not the begin of an allocation" "twice:freed twice" "child:after a fork"; do
	tap_check "the drivers: ${wrong#*:}" caller_ends 134 "${wrong%%:*}"
done

for kind in cuda rocm; do
	for side in "" -send -recv; do
		run NPshm -t memcpy --memory "$kind$side" -i --sizes 1,64,4K-1,100003
		tap_check "-i, memory $kind$side" checked 1 64 4095 100003
	done
done
for side in "" -send -recv; do
	# shellcheck disable=SC2086
	NP_FAKE_GPU_WRONG=1 refused "-i notices a wrong byte, memory cuda$side" 5 "wrong data" \
		$copy$side -i --sizes 64
done

measures "copies within" "1 64 4096" $copy $SMALL
tap_check "are said to be" grep -q 'all buffers: Fake GPU' "$out"
measures "copies to" "1 64 4096" $copy-recv $SMALL --json "$work/to.json"
tap_check "are said to be" grep -q 'receive buffers: Fake GPU' "$out"
measures "copies from" "1 64 4096" $copy-send $SMALL
measures "messages one by one" "1 64 4096" $copy $SMALL --per-message
measures "reuse, rotate and fresh" "64 4096" $cold --buffers fresh
tap_check "what the CPU cannot load from is not said to be cold" \
	grep -q 'cold check *not done: the CPU cannot load' "$out"
measures "one side rotates" "64 4096" $cold --buffers reuse,rotate-recv --memory cuda-recv
measures "connected anew" "64 4096" $cold -r
measures "ways compared" "64 4096" $copy --sizes 64,4K --time-budget 3 --runs 2 \
	--variant to:memory=cuda-recv --variant from:memory=cuda-send
tap_check "the drivers got everything back" gpu_is_as_before
tap_check "by all three ways" eval 'for way in to from within; do
	grep -Eq " $way [1-9]" "$gpu_log" || exit; done'

measures "the host's memory" "1 64 4096" NPshm -t memcpy $SMALL --json "$work/host.json"
tap_check "the file has the memory" grep -q '"memory":"cuda-recv"' "$work/to.json"
tap_check "and the GPU" grep -q '"gpu":"Fake GPU","gpu_driver":"cuda 12040"' "$work/to.json"
run NPreport --compare "$work/host.json" "$work/to.json"
tap_check "a comparison says that they differ" grep -Eq 'memory.*host.*cuda' "$out"

# fails NAME CODE WORDS [ARGUMENT...]: the function fails, the program says so, and gives
# back what it had.
fails()
{
	local function=$1 fault=$2 words=$3
	shift 3
	: >"$gpu_log"
	export NP_FAKE_GPU_FAIL="$function $fault"
	# shellcheck disable=SC2086
	run $copy --sizes 64 "$@"
	# Both processes fail: the first that says so ends the run.
	[ "$code" -ne 4 ] || { grep -q ': at the peer: ' "$err" && code=1; }
	tap_check "$function fails" failed_with NPshm 1 "--memory cuda: $words"
	unset NP_FAKE_GPU_FAIL
	tap_check "and nothing is left" gpu_is_as_before
}
fails cuInit 100 "cannot initialize its driver: ERROR_NO_DEVICE"
fails cuDeviceGet 999 "cannot open its device: error 999"
fails cuDevicePrimaryCtxRetain 2 "cannot make a context: ERROR_OUT_OF_MEMORY"
fails cuCtxSetCurrent 201 "cannot enter its context: ERROR_INVALID_CONTEXT"
fails cuMemAlloc_v2 2 "cannot allocate memory of it: ERROR_OUT_OF_MEMORY"
fails cuMemHostRegister_v2 2 "cannot lock pages of the host's buffers: ERROR" --memory cuda-send
fails cuMemcpyHtoD_v2 700 "cannot copy: error 700"
fails cuMemcpyDtoD_v2 700 "cannot copy: error 700"
fails cuMemcpyDtoH_v2 700 "cannot copy: error 700" --memory cuda-send
fails cuCtxSynchronize 700 "cannot complete a copy: error 700"
NP_FAKE_GPU_DEVICES=0 refused "no device" 1 "this host has no such GPU" $copy --sizes 64

refused "a transport that has no use for it" 2 "messages travel between buffers in the host" \
	NPtcp --local --memory cuda
refused "a ring" 2 "--memory is not supported with these options: its messages travel" \
	NPshm --memory cuda
# shellcheck disable=SC2086
for option in "-I --buffers touched" "--why 64" "--capacity 64" "-I --pages thp" "-I --buffers fresh --memory cuda-send"; do
	refused "with $option" 2 "--\(memory\|pages\)" $copy $option
done
cli_done
