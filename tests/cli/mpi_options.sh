#!/bin/bash
# Every option of NPmpi(1), those of the driver too.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/lib.sh" || exit 99
. "$NP_SRCDIR/tests/lib/job.sh" || exit 99
. "$NP_SRCDIR/tests/lib/options.sh" || exit 99
need_no_sanitizer
need_launcher
program=NPmpi
go()
{
	case " $* " in
	*" --launcher "* | *" --dry-run "*) run NPmpi "$@" ;;
	*) job 2 "$@" ;;
	esac
}
printf '#!/bin/sh\nexec %s -n 2 "$@"\n' "${launcher[*]}" >"$work/by" && chmod +x "$work/by"
windowed="-s -t nonblocking" registered="" launched="--launcher $work/by"
varied="send=synchronous --runs 2 $launched" without=""
shared_options

for transfer in fetch_and_op compare_and_swap; do
	tap_check "-t $transfer has one size" sets "transfer=$transfer sizes=\[8\]" -t $transfer $pass
done
case $(nm -D "$NP_BUILDDIR/NPmpi") in
*MPI_Psend_init*)
	tap_check "--partitions" sets "partitions=2" -t partitioned --partitions 2 $brief ;;
*) tap_check "--partitions" refuses "has no MPI_Psend_init" -t partitioned --partitions 2 $brief ;;
esac
tap_check "--send" sets "send=buffered" --send buffered $brief
tap_check "--send ready, -a" sets "send=ready preposted=yes" --send ready -a $brief
messages=""
[ "$(library)" = mpich ] || messages=component=btl.vader
tap_check "-S, -z" sets "$messages send=synchronous any-source=yes" -S -z $brief
tap_check "--datatype" sets "datatype=vector" --datatype vector $brief
given_to --memory rocm --memory-force $brief
tap_check "--memory-force" eval '[ "$code" -ne 0 ] && grep -q "^NPmpi: --memory rocm: there is no" "$err"'
tap_check "--thread-level" sets "mpi_thread_level=multiple" --thread-level multiple $brief
# Threads hang in Open MPI 4: doc/mpi.md.
threads=2
[ "$(library)" = mpich ] || threads=1
tap_check "--threads, --pairs" sets "threads=.* pairs=.*1" --pattern pairs --threads $threads --pairs 1 \
	--partners far --thread-level multiple $brief
echo "$(uname -n) rack" >"$work/racks"
tap_check "--groups, --slow" sets "op=tournament" --pattern tournament --groups "$work/racks" --slow 90 \
	--sizes 64 --time-budget 0.01
tap_check "--overlap" sets "overlap=yes" --pattern bcast -t nonblocking --overlap $brief
tap_check "--like" sets "element=MPI_CHAR" --pattern allreduce --like osu $brief
# Components of Open MPI, by name.
window="" shared=""
[ "$(library)" = mpich ] || window=component=osc.rdma shared=component=osc.sm
tap_check "--epoch" sets "epoch=pscw rma_window=dynamic" -t put --epoch pscw --rma-window dynamic $brief
tap_check "--reduction" sets "reduction=replace" -t accumulate --reduction replace $brief
tap_check "-g" sets "transfer=get $window" -g $brief
tap_check "-f" sets "polled=yes" -f $brief
tap_check "and of a shared window" sets "$shared" -t put --rma-window shared $brief
tap_check "no option is left out" all_given
cli_done
