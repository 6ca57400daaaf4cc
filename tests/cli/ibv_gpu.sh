#!/bin/bash
# NPibv --memory: messages from and into memory of a GPU, over a device in memory that takes
# them as a dmabuf, or as a kernel module would tell it of them, and a GPU that is not there.
# The CPU may not load from or store to that memory.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/lib.sh" || exit 99
fake=tests/verbs/fake_program
need "$fake"
# main() runs twice in one process, which the thread sanitizer would report.
case ${NP_SANITIZERS:-no} in *thread*) tap_skip_all "the program runs twice in a process" ;; esac
. "$NP_SRCDIR/tests/lib/fake_gpu.sh" || exit 99
with_gpu

# run_fake ARGUMENT...: a server and a client, in one process.
run_fake()
{
	NP_FAKE_PORT=$((20000 + RANDOM % 12000)) run $fake "$@"
}

# fails CODE WORDS ARGUMENT...: a line has the words.
fails()
{
	local wanted=$1 words=$2
	shift 2
	run_fake "$@"
	[ "$code" -eq "$wanted" ] && grep -q "^NPibv: .*$words" "$err" && return
	show_run
	return 1
}

checks() # NAME SIZES ARGUMENT...
{
	local name=$1 sizes=$2
	shift 2
	run_fake -i --memory cuda --sizes "${sizes// /,}" "$@"
	tap_check "$name" checked $sizes
}

for kind in cuda rocm; do
	checks "-i, $kind" "1 64 4095 100003" --memory $kind
done
checks "immediate data" "1 4096" -t send_recv_with_imm -c event
checks "writes that complete a receive" "1 4096" -t rdma_write_with_imm
checks "a stream of writes" "1 4096" -t rdma_write -s
checks "reads" "1 4096" -t rdma_read -s
checks "atomic operations" "8" -t compare_and_swap
checks "datagrams" "1 1024" -t ud
checks "both directions, in many regions" "64 4096" -2 --regions 16
checks "by several queue pairs" "64 4096" --qps 3
checks "in lists" "64 4096" -s --post-list 8
checks "the newer posting calls" "8 4096" --post wr
checks "registered each" "64 4096" --register each
run_fake --memory cuda --register cost $SMALL
tap_check "what registration costs" well_done 1 64 4096
run_fake --memory cuda -I --pool 4M $SMALL --json "$work/dmabuf.jsonl"
tap_check "reuse and rotate" well_done 1 64 4096
tap_check "the header has the GPU, how it is registered, and no inline data" \
	grep -q '"gpu":"Fake GPU".*"inline_limit":{"value":0,.*"gpu_registration":"ibv_reg_dmabuf_mr"' \
	"$work/dmabuf.jsonl"
tap_check "-i notices a wrong byte" eval 'NP_FAKE_GPU_WRONG=1 fails 5 "wrong data" --memory cuda -i \
	--sizes 64'

# Without dmabufs of the device, of the driver, and of one that knows none.
export NP_FAKE_PEER_MEMORY=1
NP_FAKE_NO_DMABUF=1 checks "by a kernel module" "1 4096"
NP_FAKE_GPU_FAIL="cuMemGetHandleForAddressRange 801" \
	checks "where the driver opens no dmabuf" "1 4096" -t rdma_read
make_gpu "$work/old" -DFAKE_GPU_OLD
for kind in cuda rocm; do
	LD_LIBRARY_PATH=$work/old checks "where the driver is older, $kind" "1 4096" --memory $kind
done
NP_FAKE_NO_DMABUF=1 run_fake --memory rocm --sizes 64 --time-budget 0.2 --json "$work/peer.jsonl"
tap_check "which the header has" grep -q '"gpu_registration":"ibv_reg_mr"' "$work/peer.jsonl"
unset NP_FAKE_PEER_MEMORY

tap_check "the drivers got everything back" gpu_is_as_before

# Neither, and what the CPU would have to read.
none="device mlx5_[01] takes no memory of this GPU: not as a dmabuf"
module="nor by a kernel module as nvidia-peermem (ibv_reg_mr: Bad address)"
tap_check "a device that takes none" eval 'NP_FAKE_NO_DMABUF=1 fails 2 \
	"$none (ibv_reg_dmabuf_mr: Operation not supported), $module" --memory cuda --sizes 64'
tap_check "a driver that opens none" eval \
	'NP_FAKE_GPU_FAIL="cuMemGetHandleForAddressRange 801" fails 2 \
	"$none (.*cannot open a dmabuf of its memory: ERROR_NOT_SUPPORTED), $module" \
	--memory cuda --sizes 64'
tap_check "HSA has codes of its own" eval 'NP_FAKE_GPU_FAIL="hsa_amd_portable_export_dmabuf 4096" \
	fails 2 "cannot open a dmabuf of its memory: error 4096" --memory rocm --sizes 64'
tap_check "an older driver" eval 'LD_LIBRARY_PATH=$work/old fails 2 \
	"$none (.*its driver is too old to open a dmabuf" --memory rocm --sizes 64'
tap_check "no GPU" eval 'NP_FAKE_GPU_DEVICES=0 fails 1 "this host has no such GPU" --memory cuda \
	--sizes 64'
tap_check "the last byte of a write" fails 2 "-c local_poll: module ibv: the CPU reads no last byte" \
	--memory cuda -t rdma_write
tap_check "inline data" fails 2 "--inline: module ibv: the CPU copies inline data" --memory cuda \
	--inline 64
tap_check "on-demand paging" fails 2 "--register odp: module ibv: memory of a GPU" \
	--memory cuda --register odp
tap_check "memory of one side" fails 2 "--memory KIND-SIDE: module ibv: a memory region" \
	--memory cuda-send
cli_done
