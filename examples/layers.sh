#!/bin/sh
# layers.sh - what UCX adds to TCP on this host, and MPI to UCX: runs of NPtcp, NPucx and
# NPmpi in turns, and what NPreport --compare says of them: status 3 if a layer is slower.
#
#     layers.sh FOLDER [OPTION...]
#
# FOLDER gets the result files: tcp-1.jsonl, ucx-1.jsonl, ...  The options are for each
# program, such as --sizes 8,1K,64K, or --bind 0,1 where mpiexec binds no process to a core.
# Of NPucx and NPmpi, those are run that can be found.
# From the environment:
#
#     RUNS=5                   runs of each layer; a verdict needs five
#     SECONDS_EACH=4           of each run
#     MPIEXEC=mpiexec          starts NPmpi; MPICH over UCX, or another MPI, see below
#
# Every other round is in the reverse order, so that neither what changes slowly nor what
# comes after what looks like a cost of a layer.
runs=${RUNS:-5} seconds=${SECONDS_EACH:-4} mpiexec=${MPIEXEC:-mpiexec}
if [ $# -eq 0 ]; then
	echo "usage: layers.sh FOLDER [OPTION...]" >&2
	exit 2
fi
folder=$1
shift
mkdir -p "$folder" || exit

# Both libraries over TCP, although the processes share a host: MPICH would use memory.
# They poll, and so does NPtcp here; what sleeping costs is none of theirs.  MPICH sends by
# tags, and so does NPucx.
export UCX_TLS=tcp,self UCX_NET_DEVICES=lo MPIR_CVAR_NOLOCAL=1

# measure LAYER FILE [OPTION...]
measure()
{
	layer=$1 file=$2
	shift 2
	set -- --time-budget "$seconds" --quick --quiet --force --json "$file" "$@"
	case $layer in
	tcp) NPtcp --local --wait poll "$@" ;;
	ucx) NPucx --local --transfer tag "$@" ;;
	mpi) $mpiexec -n 2 NPmpi "$@" ;;
	esac >"$folder/$layer.out"
}

forward='' backward=''
for layer in tcp ucx mpi; do
	command -v "NP$layer" >/dev/null || continue
	forward="$forward $layer"
	backward="$layer $backward"
done
for round in $(seq "$runs"); do
	order=$forward
	[ $((round % 2)) -eq 1 ] || order=$backward
	for layer in $order; do
		if ! measure "$layer" "$folder/$layer-$round.jsonl" "$@"; then
			echo "layers.sh: NP$layer failed in round $round" >&2
			exit 1
		fi
	done
done
made=''
for layer in $forward; do
	made="${made:+$made vs} $folder/$layer-[0-9]*.jsonl"
done
# shellcheck disable=SC2086 # patterns, of files that were just written
exec NPreport --compare $made
