#!/bin/bash
# A job of MPI from the command line: how many processes it takes, who tells of a
# refusal, and what it measures.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/lib.sh" || exit 99
. "$NP_SRCDIR/tests/lib/job.sh" || exit 99
need_launcher

job_refused "one process" 1 "needs 2 processes, and this job has 1; run: mpiexec -n 2 NPmpi" $SMALL
job_refused "three processes" 3 "this job has 3" $SMALL
# Without a launcher (refused): what is decided before there is a job.
job_refused "an option that does not exist" 2 "unknown option" --no-such-option
refused "-h" 2 "-h is not supported: the MPI launcher starts the processes" NPmpi -h localhost
refused "--runs" 2 "use: NPmpi --launcher .mpiexec -n 2. --runs" NPmpi --runs 3
refused "-r" 2 "-r is not supported" NPmpi -r
refused "ready sends without receives" 2 "must be posted before" NPmpi --send ready
refused "huge pages of a window that MPI allocates" 2 "--pages is not supported" NPmpi -t put --pages 2m
refused "a check of what a swap leaves" 2 "-i: compare_and_swap leaves no copy" NPmpi -i -t compare_and_swap
refused "a burst of puts" 2 "-B is not supported with these options: .*no receives to post in advance" NPmpi -B -t put
refused "a burst of a pattern" 2 "-B is not supported with these options: .*no receives to post in advance" NPmpi -B --pattern ring
job_refused "a result file that is a folder" 2 "not a regular file" --json "$work" $SMALL
run NPmpi --dry-run $SMALL
tap_check "one process needs no launcher to see its plan" grep -q '^ *sizes\|sizes' "$out"

# A sum of another type than the double: its name in the call and in the header, and a wrong
# element is found.
${CC:-cc} ${NP_MPI_CPPFLAGS:-} -shared -fPIC -x c -o "$work/sum.so" - <<'END'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int MPI_Allreduce(const void *from, void *to, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
	char name[MPI_MAX_OBJECT_NAME];
	int length, size;
	const int code = PMPI_Allreduce(from, to, n, type, op, comm);
	PMPI_Type_get_name(type, name, &length);
	PMPI_Type_size(type, &size);
	fprintf(stderr, "summed %s\n", name);
	if (getenv("SPOIL") != NULL && n > 1)
		((unsigned char *)to)[(n - 1) * size + size - 1] ^= 64;
	return code;
}
END
like() # WORD TYPE OPTION...
{
	local type=$2 word=$1
	shift 2
	LD_PRELOAD=$work/sum.so job 2 --pattern allreduce --like "$word" --sizes 1000 --passes 1 \
		--time-budget 0.1 --force --json "$work/like.json" "$@"
	[ "$code" -eq 0 ] && grep -q "summed $type" "$work/all" &&
		grep -q "\"element\":\"$type\"" "$work/like.json" && return
	show_run
	return 1
}
tap_check "sums as OSU's" like osu MPI_CHAR
tap_check "sums as Intel's" like imb MPI_FLOAT -s
for word in osu "imb -s"; do
	# shellcheck disable=SC2086 # words
	SPOIL=1 LD_PRELOAD=$work/sum.so job 2 --pattern allreduce --like $word --sizes 1000 \
		--passes 1 --time-budget 0.1 --force
	tap_check "a wrong sum as of $word" eval '[ "$code" -ne 0 ] && grep -q "wrong data" "$err"'
done
refused "Intel's sums between barriers" 2 "--like imb: .* add -s" NPmpi --pattern allreduce --like imb
refused "OSU's sums of a broadcast" 2 "--like: it is for" NPmpi --pattern bcast --like osu
job_measures "sums of odd lengths" "1 3" --pattern reduce_scatter --like osu --sizes 1,3 --passes 1 \
	--time-budget 0.1 --force

# keeps_memory FILE: one visit at least has fewer page faults than 1 MiB has pages.
keeps_memory()
{
	grep -o '"page_faults":[0-9]*' "$1" | cut -d: -f2 | sort -n | head -n 1 |
		grep -Eqx '[0-9]{1,2}'
}
job_measures "a reduction of temporary buffers" "1048576" --pattern reduce --sizes 1M \
	--passes 3 --time-budget 1 --json "$work/reduce.json" --force
tap_check "which stay in the process" keeps_memory "$work/reduce.json"

job_refused "an exchange of three" 3 "needs an even number" --pattern exchange $SMALL
refused "-i of a pattern that verifies its messages" 2 "allreduce verifies a message" NPmpi \
	--pattern allreduce -i
refused "-i of a barrier" 2 "they move no bytes" NPmpi --pattern barrier -i
job_refused "a sum of single bytes alone" 2 "has a multiple of 8 bytes" --pattern allreduce \
	--sizes 1,3
job_refused "more pairs than there are" 2 "--pairs 2: the job has 1" --pattern pairs --pairs 2
refused "pairs of a broadcast" 2 "--pairs: it is for" NPmpi --pattern bcast --pairs 1
refused "a stream of a ring" 2 "back to back without -s" NPmpi --pattern ring -s
refused "a pattern both ways" 2 "neither -2 nor --window 1" NPmpi --pattern bcast -2
refused "a window of a broadcast" 2 "--window: a pattern has" NPmpi --pattern bcast -s --window 4

refused "an overlap of blocking calls" 2 "--overlap: it needs" NPmpi --pattern bcast --overlap
refused "an overlap of messages" 2 "--overlap: it needs" NPmpi -t nonblocking --overlap
refused "a stream of calls that do not block" 2 "not measured with -s" NPmpi \
	--pattern bcast -t nonblocking -s
refused "a ring that does not block" 2 "of --transfer nonblocking alone" NPmpi \
	--pattern ring -t nonblocking
refused "cold buffers of a tournament" 2 "tournament excludes -I" NPmpi --pattern tournament -I
refused "a stream of one" 2 "back to back without -s" NPmpi --pattern tournament -s
refused "a verdict without ratios" 2 "--fail-on slower needs -I" NPmpi --fail-on slower
echo "no-such-host rack" >"$work/racks"
job_refused "a group of a host that is none" 2 "no-such-host is none of the hosts" \
	--pattern tournament --groups "$work/racks"
refused "groups of two processes" 2 "--groups: it is for --pattern tournament" NPmpi --groups "$work/racks"
measured() # RANKS PAIRS
{
	[ "$code" -eq 0 ] && grep -q "^$2 of $2 pairs* measured" "$out" &&
		[ "$(grep -c "^[0-9]* [^ ]* core [0-9]* .* us" "$out")" -eq "$1" ] && return
	show_run
	return 1
}
for ranks in 2 3; do
	job $ranks --pattern tournament --sizes 64 --time-budget 0.001 --slow 1000
	tap_check "a tournament of $ranks ranks" measured $ranks $((ranks * (ranks - 1) / 2))
done
run NPfleet --launcher "${launcher[*]} -n 4" mpi --slow 1000 --json "$work/ranks.4.jsonl" \
	--sizes 64 --time-budget 0.001
tap_check "netpong fleet starts one of four, each with its host and core" measured 4 6
tap_check "rounds have no more digits than they need" eval \
	'! grep "\"kind\":\"round\"" "$work/ranks.4.jsonl" | grep -Eq "[0-9]{15}"'
run NPreport "$work/ranks.4.jsonl"
tap_check "its file is reported" eval '[ "$code" -eq 0 ] &&
	grep -q "^== NPmpi between 4 ranks" "$out" && grep -q "^6 of 6 pairs" "$out"'

# Each rank waits before each message that it sends, so that what four polling ranks take of
# two cores from each other is little beside it, and rank 3 waits longer.
# shellcheck disable=SC2086 # flags are words
${CC:-cc} ${NP_MPI_CPPFLAGS:-} -shared -fPIC -x c -o "$work/late.so" - <<'END'
#include <mpi.h>
#include <unistd.h>
int MPI_Send(const void *at, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
	int rank;
	PMPI_Comm_rank(comm, &rank);
	usleep(rank == 3 ? 200000 : 10000);
	return PMPI_Send(at, n, type, to, tag, comm);
}
END
LD_PRELOAD=$work/late.so job 4 --pattern tournament --sizes 64 --time-budget 0.001 --slow 200 \
	--fail-on slower --json "$work/late.jsonl"
tap_check "a slow rank of a tournament makes the status 3" eval '[ "$code" -eq 3 ] &&
	[ "$(grep "^slow rank" "$out" | cut -d" " -f3)" = 3 ] &&
	one_line "$err" NPmpi "6 of 6 pairs measured; slow: 1 rank, 0 pairs" &&
	grep -q "\"kind\":\"fleet\"" "$work/late.jsonl" || { show_run; false; }'

refused "a window of blocking sends" 2 "--window: a blocking send" NPmpi -s --window 4
refused "a window of blocking exchanges" 2 "--window with -2: it needs" NPmpi -2 --window 4
refused "a posted receive that is sent from" 2 "--buffers same is not supported" NPmpi --buffers same -a
refused "a check of gaps" 2 "-i checks bytes without gaps" NPmpi -i --datatype vector
refused "polling of a shared window" 2 "-f: a copy into a shared window" NPmpi -f --rma-window shared
refused "a window of puts" 2 "--window: one-sided" NPmpi -t put -s --window 4
# What the calls would not read.
for calls in "-t nonblocking" "-t persistent" "-t get" "--pattern bcast -t nonblocking"; do
	# shellcheck disable=SC2086 # words
	refused "$calls -f" 2 "-f: only a put can be seen" NPmpi $calls -f
done
for calls in "-t nonblocking" "-t persistent" "-t put" "--pattern bcast -t nonblocking"; do
	# shellcheck disable=SC2086 # words
	refused "$calls -g" 2 "-g: excludes --transfer" NPmpi $calls -g
done
while read -r words; do
	# shellcheck disable=SC2086 # words
	refused "$words" 2 "${words%% *}: it is for" NPmpi ${words#* }
done <<-'END'
	--epoch --epoch fence -t nonblocking
	--epoch --epoch fence --pattern ring
	--epoch --epoch flush -f
	--rma-window --rma-window create
	--rma-window --rma-window create -t persistent
	--reduction --reduction replace -t put
	--reduction --reduction replace -t nonblocking
	--partitions --partitions 3 -t persistent
	--pairs --pairs 1 -t nonblocking
	--partners --partners far --pattern ring
END

job_measures "ping-pong" "1 64 4096" $SMALL
case $(library) in
mpich) export OMPI_COMM_WORLD_SIZE=2 ;;
*) export PMI_SIZE=2 ;;
esac
run NPmpi $SMALL
tap_check "the launcher of another MPI is recognised, and the right one named" \
	failed_with NPmpi 2 "each process is alone: .* start it as ${launcher[0]} -n 2"
unset OMPI_COMM_WORLD_SIZE PMI_SIZE

job_measures "nothing in the environment" "64" --sizes 64 --time-budget 0.05 --json "$work/plain.json"
UCX_LOG_LEVEL=error OMPI_MCA_mpi_warn_on_fork=0 job_measures "with settings in the environment" \
	"64" --sizes 64 --time-budget 0.05 --json "$work/set.json"
tap_check "they are in the header" grep -q \
	'"OMPI_MCA_mpi_warn_on_fork":"0".*"UCX_LOG_LEVEL":"error"' "$work/set.json"
tap_check "and what the launcher sets for itself is not" eval \
	'! grep -q "\"OMPI_MCA_orte\|\"PMI" "$work/set.json"'
run NPreport --compare "$work/plain.json" "$work/set.json"
tap_check "NPreport --compare says which differ" grep -q "UCX_LOG_LEVEL" "$out"

# A ping-pong of puts whose messages end in the byte that receivers wait for, in a buffer
# used over and over: this seed has a few at these sizes.
# shellcheck disable=SC2086 # flags are words
${CC:-cc} ${NP_MPI_CPPFLAGS:-} -shared -fPIC -x c -o "$work/mark.so" - <<'END'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int MPI_Send(const void *from, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
	if (n == 0) {
		fputs("NPmpi: a message ends in the mark\n", stderr);
		abort();
	}
	return PMPI_Send(from, n, type, to, tag, comm);
}
END
LD_PRELOAD=$work/mark.so job 2 -f --seed 12 -l 1 -u 128 -p 0 --passes 1 --time-budget 0.01
tap_check "a polled put sends no message beside it" well_done 1 128
job 3 --pattern ring --sizes 1,64,4K --time-budget 0.05
advice=$(unfolded "$out" | grep -o "NPmpi --launcher 'mpiexec -n 3' --runs 8")
tap_check "it recommends the command that starts this job several times" [ -n "$advice" ]
eval "set -- ${advice/mpiexec/"${launcher[*]}"}"
run "$@" --pattern ring --sizes 64 --passes 1 --time-budget 0.2 --json "$work/advised.json"
tap_check "which does" eval '[ "$code" -eq 0 ] && grep -q "\"runs\":\"8\"" "$work/advised.json" ||
	{ show_run; false; }'
job_measures "both directions, beyond every eager limit" "8 1048576" \
	-2 --sizes 8,1M --time-budget 0.05
job_measures "several exchanges in flight" "8 65536" -2 -t nonblocking --window 16 \
	--sizes 8,64K --time-budget 0.05
job_measures "a buffer that is sent back" "8 65536" -I --buffers same,fresh --pool 8M --sizes 8,64K \
	--time-budget 0.05
if nm -D "$NP_BUILDDIR/NPmpi" | grep -q MPI_Psend_init; then
	job_measures "a message in partitions, of sizes that they divide" "8 65536" \
		-t partitioned --sizes 3,8,64K --time-budget 0.05
	job_measures "three to a message, as a vector, exchanged in a window" "24 3072" \
		-t partitioned --partitions 3 --datatype vector -2 --window 5 --sizes 24,32,3K \
		--time-budget 0.05 --json "$work/partitions.json"
	tap_check "their number is in the header" grep -q \
		'"transfer":"partitioned","partitions":"3"' "$work/partitions.json"
	refused "partitions of anybody" 2 "a partitioned receive names its sender" NPmpi \
		-t partitioned -z
	refused "partitions in synchronous mode" 2 "--send: a partitioned send .*leave out -S" NPmpi \
		-t partitioned -S
	for mode in -2 "-B -I --buffers fresh --pool 8M" "-s --partitions 7"; do
		# shellcheck disable=SC2086 # words
		job_checks "-i -t partitioned $mode" --sizes 28,7K,112K -t partitioned $mode
	done
else
	job_refused "partitions of an MPI that has none" 2 "has no MPI_Psend_init.* MPI 4" \
		-t partitioned
fi
job_measures "a stream that does not block" "8 65536" -s -t nonblocking --sizes 8,64K \
	--time-budget 0.05
job_measures "reuse, rotate and fresh" "64 4096" -I --buffers fresh --pool 8M --sizes 64,4K --time-budget 0.05 \
	--json "$work/fresh.json"
tap_check "its file" has_lines "$work/fresh.json" header visit row
tap_check "the library and its device are in the header" \
	grep -q '"mpi_library":.*"mpi_device":.*"eager_limit_bytes":' "$work/fresh.json"
job_measures "bursts, reuse and rotate" "64 4096" -B -I --pool 8M --sizes 64,4K --time-budget 0.05
job_measures "a burst of a stream" "8 65536" -B -s --sizes 8,64K --time-budget 0.05
job_refused "a burst of more receives than are posted" 2 "at most 1024 receives" \
	-B -n 2000 --sizes 64
# A launcher that reads late, counted from the first byte, and ends as soon as the job is
# aborted, perhaps before it has handed on what it read.
# shellcheck disable=SC2086 # flags are words
${CC:-cc} ${NP_MPI_CPPFLAGS:-} -shared -fPIC -x c -o "$work/unread.so" - <<'END'
#include <fcntl.h>
#include <mpi.h>
#include <stdlib.h>
#include <sys/ioctl.h>
int MPI_Abort(MPI_Comm comm, int status)
{
	int left = 0;
	creat(getenv(ioctl(2, FIONREAD, &left) != 0 || left > 0 ? "UNREAD" : "READ"), 0600);
	return PMPI_Abort(comm, status);
}
END
# shellcheck disable=SC2016 # for the inner shell
READ=$work/read UNREAD=$work/unread "${launcher[@]}" -n 2 bash -c \
	'exec env LD_PRELOAD="$0" "$@" 2> >(read -r -N 1; sleep 0.3; cat >/dev/null)' "$work/unread.so" \
	"$NP_BUILDDIR/NPmpi" -B -n 2000 --sizes 64 >"$out" 2>"$err" </dev/null
tap_check "no job is aborted before its error has been read" eval \
	'[ -e "$work/read" ] && [ ! -e "$work/unread" ]'
job_measures "pipelined puts" "64 4096" -t put -s -n 64 --sizes 64,4K \
	--time-budget 0.05
job_measures "puts, from fresh buffers too" "64" -t put -I --buffers fresh --pool 8M --sizes 64 \
	--time-budget 0.05 --force --json "$work/fresh.json"
tap_check "the kind of window and its memory model are in the header" grep -q \
	'"rma_window":"allocate","memory_model":"unified"' "$work/fresh.json"

for pattern in exchange ring pairs bcast reduce allreduce reduce_scatter gather scatter allgather \
	alltoall; do
	case $pattern in
	exchange | pairs) partners=far ;;
	*) partners=near ;;
	esac
	job 4 --pattern "$pattern" --partners "$partners" --sizes 64,100008 --time-budget 0.05 \
		--json "$work/$pattern.json"
	tap_check "four processes, $pattern" well_done 64 100008
	tap_check "$pattern, within 80 columns" narrow "$out"
done
# Rank 2 comes late out of each broadcast.
# shellcheck disable=SC2086 # flags are words
${CC:-cc} ${NP_MPI_CPPFLAGS:-} -shared -fPIC -x c -o "$work/slow.so" - <<'END'
#include <mpi.h>
#include <unistd.h>
int MPI_Bcast(void *at, int n, MPI_Datatype type, int root, MPI_Comm comm)
{
	const int code = PMPI_Bcast(at, n, type, root, comm);
	int rank;
	PMPI_Comm_rank(comm, &rank);
	if (rank == 2)
		usleep(10000);
	return code;
}
END
LD_PRELOAD=$work/slow.so job 4 --pattern bcast --sizes 64 --passes 6 --time-budget 4 \
	--json "$work/slow.json"
tap_check "a slow rank is named, and where it is" eval 'unfolded "$out" |
	grep -Eq "slowest rank +2, host $(uname -n) core [0-9]+: in [0-9]+ of" &&
	grep -q "\"kind\":\"slowest\",\"rank\":2," "$work/slow.json" || { show_run; false; }'
run NPreport "$work/slow.json"
tap_check "the report names it in the same words" \
	grep -q "^slowest  *2, host .* of 4 ranks; by chance" "$out"
run NPmpi --launcher "env LD_PRELOAD=$work/slow.so ${launcher[*]} -n 4" --runs 5 --pattern bcast \
	--sizes 64 --passes 2 --time-budget 1 --json "$work/slow5.json"
tap_check "of several runs it is named by runs" eval 'unfolded "$out" |
	grep -Eq "slowest rank +2, host .*: in 5 of 5 runs, of 4 ranks" || { show_run; false; }'
run NPreport "$work/slow5.json"
tap_check "and so it is from their file" \
	grep -q "^slowest  *2, host .*: in 5 of 5 runs, of 4 ranks" "$out"
job 3 --pattern reduce_scatter --sizes 8,64 --time-budget 0.05
tap_check "shares that differ, and ranks without one" well_done 8 64
job 4 --pattern alltoall --sizes 1,3,64 --time-budget 0.05 --json "$work/least.json"
tap_check "alltoall from a byte for each process" well_done 1 3 64
# Ranks of a launcher that outnumber the cores which it has.
everywhere=("${launcher[@]}")
launcher=(taskset -c "$(taskset -pc $$ | sed 's/.*: *//; s/[-,].*//')" "${launcher[@]}")
job 3 --pattern allreduce --sizes 8 --passes 1 --time-budget 0.05 --json "$work/crowd.json"
tap_check "ranks that outnumber their cores are told" eval 'unfolded "$out" |
	grep -q "warning .*: 3 ranks of a host share 1 core, .*start fewer" &&
	grep -q "quality *POOR" "$out" &&
	grep -q "\"warning_cores\":\"3 ranks" "$work/crowd.json" || { show_run; false; }'
# Open MPI would bind the two to cores of its own choice.
[ "$(library)" = mpich ] || launcher+=(--bind-to none)
job 2 --sizes 8 --passes 1 --time-budget 0.05
tap_check "two ranks on one core are told" eval 'unfolded "$out" |
	grep -q "warning .*: both processes share core .*--cpus-per-task" || { show_run; false; }'
launcher=("${everywhere[@]}")
job 2 --pattern barrier --time-budget 0.05
tap_check "a barrier needs no size" well_done 0
job 2 --pattern allreduce --upper 64 --time-budget 0.05
tap_check "nor does a sum, which has multiples of 8 bytes" well_done 8 64
tap_check "and says so" grep -q "skipped .* sizes: allreduce has multiples of 8 B" "$out"
# Between two collective operations is a barrier.
# shellcheck disable=SC2086 # flags are words
${CC:-cc} ${NP_MPI_CPPFLAGS:-} -shared -fPIC -x c -o "$work/apart.so" - <<'END'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
static int apart;
int MPI_Barrier(MPI_Comm comm)
{
	apart = 1;
	return PMPI_Barrier(comm);
}
int MPI_Alltoall(const void *from, int n, MPI_Datatype type, void *to, int m,
		 MPI_Datatype other, MPI_Comm comm)
{
	if (!apart) {
		fputs("NPmpi: two operations without a barrier\n", stderr);
		abort();
	}
	apart = 0;
	return PMPI_Alltoall(from, n, type, to, m, other, comm);
}
END
LD_PRELOAD=$work/apart.so job 2 --pattern alltoall --sizes 64,4K --time-budget 0.05
tap_check "a barrier stands between two collective operations" well_done 64 4096
for pattern in pairs bcast alltoall; do
	job 2 --pattern "$pattern" -s --sizes 64,4K --time-budget 0.05 --force \
		--json "$work/stream.json"
	tap_check "a stream of $pattern" well_done 64 4096
done
job 4 --pattern pairs -s --pairs 1 --partners random --window 3 --sizes 64 --time-budget 0.05 \
	--json "$work/one.json"
tap_check "one pair of two, three messages in flight" well_done 64
tap_check "is in the header" grep -q '"pairs":{"value":1' "$work/one.json"
tap_check "which ranks are pairs is in the header" \
	grep -q '"partners":"0-2 1-3"' "$work/pairs.json"
tap_check "and what each rank took, in the visits" grep -q '"rank_most_ns":[1-9]' "$work/pairs.json"
for pattern in barrier bcast reduce allreduce reduce_scatter gather scatter allgather alltoall; do
	job 3 --pattern "$pattern" -t nonblocking --overlap --sizes 64,4K --passes 1 \
		--time-budget 0.05 --force --json "$work/i$pattern.json"
	tap_check "i$pattern, alone and beside computing" \
		grep -q "\"op\":\"i$pattern\".*\"variants\":\[\"pure\",\"exposed\"\]" \
		"$work/i$pattern.json"
done
# A barrier that takes 20 ms, in the call that starts it or until it is waited for.
# shellcheck disable=SC2086 # flags are words
${CC:-cc} ${NP_MPI_CPPFLAGS:-} -shared -fPIC -x c -o "$work/barrier.so" - <<'END'
#include <mpi.h>
#include <stdlib.h>
static double until;
int MPI_Ibarrier(MPI_Comm comm, MPI_Request *request)
{
	(void)comm, (void)request;
	until = MPI_Wtime() + 0.02;
	while (getenv("IN_CALL") != NULL && MPI_Wtime() < until)
		;
	return MPI_SUCCESS;
}
int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
	if (until == 0)
		return PMPI_Wait(request, status);
	while (MPI_Wtime() < until)
		;
	until = 0;
	return MPI_SUCCESS;
}
END
# shows_exposed FROM TO: the ratio of the two times is between these.
shows_exposed()
{
	LD_PRELOAD=$work/barrier.so job 2 --pattern barrier -t nonblocking --overlap -n 4 \
		--time-budget 0.05 --force --json "$work/overlap.json"
	grep '"kind":"pair"' "$work/overlap.json" | sed 's/.*"ratio":\([^,}]*\).*/\1/' |
		awk -v from="$1" -v to="$2" '{ n++; if ($1 < from || $1 > to) bad = 1 }
			END { exit n != 1 || bad }' && return
	show_run
	return 1
}
tap_check "computing hides what goes on meanwhile" shows_exposed 0 0.5
IN_CALL=yes tap_check "and nothing of what a call waits for" shows_exposed 0.5 1000
# The halves of the pool do not meet at the same place for both sizes.
for pattern in ring exchange; do
	job 4 --pattern "$pattern" -I --pool 256K --sizes 64,100008,3000 --passes 12 --force \
		--time-budget 0.3 --json "$work/$pattern.json"
	tap_check "rotation through a small pool, $pattern" well_done 64 3000 100008
done
job 3 --pattern ring -I --buffers fresh --pool 1M --sizes 4K --time-budget 0.05 --force --json "$work/ring.json"
tap_check "three in a ring, with buffers never seen" well_done 4096

# conform.t looks at the bytes of each transfer.
for mode in "-z -s" "-B -I --buffers fresh --pool 8M -t persistent" "-2 -t persistent --window 64" \
	"--datatype contiguous" "-t get --rma-window dynamic --epoch flush" \
	"-t get_accumulate --reduction replace --epoch lock" \
	"-t fetch_and_op --reduction replace --epoch fence"; do
	# shellcheck disable=SC2086
	job_checks "-i $mode" --sizes 1,1000,100003 $mode
done

cli_done
