#!/bin/bash
# mpi.sh BUILD SOURCE - NPmpi beside a hand-written floor of plain MPI calls, and
# beside the packaged NetPIPE of the same MPI where there is one; LAUNCHES pairs of
# runs in turn for each line.  SIZES, LAUNCHES and MPIEXEC may be set.
build=$1 source=$2
runs=${LAUNCHES:-20}
sizes=${SIZES:-1 64 1K 4K 16K 64K 256K 1M}
mpiexec=${MPIEXEC:-mpiexec}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export BUILD=$build
export LAUNCH="$mpiexec -n 2 -bind-to core"
one="$source/bench/mpi_one.sh"

case $($mpiexec --version 2>&1 | head -n 1) in
*"Open MPI"* | *OpenRTE*) name=openmpi NETPIPE=/usr/bin/NPopenmpi LAUNCH="$mpiexec -n 2 --bind-to core" ;;
*) name=mpich NETPIPE=/usr/bin/NPmpich2 ;;
esac
export NETPIPE
"$build/bench/pairs" "# $name" 'ours, us' 'other, us'
failed=0
for size in $sizes; do
	"$build/bench/pairs" "$runs" 1.02 "$name floor $size" \
		"bash $one ours $size" "bash $one floor $size" || failed=1
done
for size in $sizes; do
	"$build/bench/pairs" "$runs" 1.02 "$name floor, stream $size" \
		"bash $one ours $size -s" "bash $one floor $size -s" || failed=1
done
[ -x "$NETPIPE" ] || exit "$failed"
for size in $sizes; do
	"$build/bench/pairs" "$runs" - "$name NetPIPE $size" \
		"bash $one ours $size" "bash $one netpipe $size" || failed=1
done
exit "$failed"
