#!/bin/bash
# seeds.sh BUILD SOURCE - the experiments of five published measurements, each by one command
# that ends in a verdict on this machine, with the published figure: doc/seeds.md.  ONLY
# (names) chooses; MPIEXEC is the launcher of the MPI that NPmpi was built for.
build=$1 source=$2
mpiexec=${MPIEXEC:-mpiexec}
work=$(mktemp -d) || exit 1
near=netpong-near$$ far=netpong-far$$
trap 'rm -rf "$work"; ip netns del "$near" 2>/dev/null; ip netns del "$far" 2>/dev/null' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
job="$mpiexec -bind-to core -n 2"
cd "$work" || exit
PATH=$build:$PATH
failed=0

# experiment NAME WORDS FIGURE LINES COMMAND: one command, and those of its lines with the
# pattern LINES; without one there is no verdict.
experiment()
{
	[[ -z $ONLY || " $ONLY " == *" $1 "* ]] || return
	printf '\n%s: %s\n  published: %s\n  $ %s\n' "$1" "$2" "$3" "$5"
	COLUMNS=100 bash -c "$5" >"$1.out" 2>&1 </dev/null
	grep -E -- "$4" "$1.out" | sed 's/^ */  /' && return
	tail -n 5 "$1.out"
	failed=1
}

# Two namespaces with a link; mtu BYTES sets both ends.  The kernel cuts segments, as it did for
# the adapters of then: with segments of 64 KiB such a link has no MTU that matters.
mtu()
{
	ip -n "$near" link set np0 mtu "$1" gso_max_segs 1 &&
		ip -n "$far" link set np1 mtu "$1" gso_max_segs 1
}
link()
{
	ip netns add "$near" && ip netns add "$far" &&
		ip link add np0 netns "$near" type veth peer name np1 netns "$far" &&
		ip -n "$near" addr add 10.79.0.1/24 dev np0 && ip -n "$far" addr add 10.79.0.2/24 dev np1 &&
		ip -n "$near" link set np0 up && ip -n "$far" link set np1 up
}
# over MTU FILE: a stream of NPtcp over that link.
over()
{
	local server
	mtu "$1" || return
	ip netns exec "$far" NPtcp --serve --allow all >/dev/null 2>&1 &
	server=$!
	ip netns exec "$near" NPtcp -h 10.79.0.2 --connect-timeout 9 -s --sizes 64K,1M \
		--time-budget 1 --quiet --json "$2"
	kill "$server"
}
export -f mtu over
export near far

experiment 000-knee "MPICH-VMI: messages in a row, then an acknowledgement" \
	"InfiniBand 596 MB/s at 8 KiB, 372 MB/s at 16 KiB: rendezvous" '^ *(step|limit) ' \
	"$job NPmpi -s -n 1024 -u 256K -p 0 --time-budget 25"
[[ -n $ONLY && " $ONLY " != *" 001-mtu "* ]] || link || exit
experiment 001-mtu "LAM: MTU 1500 and 9000" "36 to 42 % more throughput" '^ *(64 KiB|1 MiB) .*\]  ' \
	'for i in 1 2 3 4 5 6 7 8; do over 1500 m1500.$i; over 9000 m9000.$i; done; NPreport --compare m1500.* vs m9000.*'
experiment 001-switch "LAM: switch-over of short and long messages at 128 KiB" \
	"no figure: 64 KiB was the default" '^ *32 KiB ' \
	"NPmpi --launcher '$job' --runs 8 --sizes 32K --time-budget 16 --variant base: --variant at128K:env:UCX_RNDV_THRESH=128K --all-rows"
experiment 001-loss "LAM and MPICH beside raw TCP" "25 to 49 % less throughput" '^ *(1 KiB|64 KiB|1 MiB) .*\]  ' \
	"NPtcp --local -s --sizes 1K,64K,1M --runs 12 --time-budget 24 --quiet --json tcp.jsonl; UCX_TLS=tcp,self NPmpi --launcher '$job' -s --sizes 1K,64K,1M --runs 12 --time-budget 24 --quiet --json mpi.jsonl; NPreport --compare tcp.jsonl mpi.jsonl"
experiment 002-fresh "netbench: a new buffer for every trial" \
	"reuse gives artificially high rates at medium sizes" '^ *fresh/reuse' \
	"$job NPmpi --pattern exchange -I --buffers reuse,fresh --pool 16M --sizes 1K,64K --passes 8"
experiment 002-pairs "netbench: several pairs a node" "500 to 260 MB/s with 4 processes a node" \
	'^ *(64 KiB|1 KiB) .*\]  ' \
	"for i in 1 2 3 4 5 6; do for n in 2 4; do $mpiexec -n \$n NPmpi --pattern exchange --partners far --sizes 1K,64K --time-budget 1 --quiet --json pairs\$n.\$i; done; done; NPreport --compare pairs2.* vs pairs4.*"
for what in "store:put" "get:get" "store_async:put -s" "get_async:get -s"; do
	experiment "003-${what%%:*}" "SP AM: r_inf, n_1/2" \
		"34.3 MB/s; 2800 B (store), 3000 B (get), 260 B (store_async)" '^ *(peak|line)' \
		"$job NPmpi -t ${what#*:} -l 16 -u 1M --quick --quiet --json ${what%%:*}.jsonl; NPreport ${what%%:*}.jsonl"
done
experiment 004-rotate "MVAPICH: dropouts with -I alone" "drops from 2 KiB to 100 KiB" \
	'^ *(cold buffers|rotate/reuse|step|dropout)' "$job NPmpi -I -u 256K --quick"
experiment 004-poll "POLL_CQ and memory polling" "memory polling has the lower latency, without a figure" \
	'^ *64 B |local_poll' \
	"'$source/tests/machine/run' -- '$build/NPibv' --local -t rdma_write_with_imm -c poll,local_poll --sizes 64 --time-budget 30"
exit "$failed"
