#!/bin/bash
# osu.sh BUILD SOURCE - NPmpi beside the OSU micro-benchmarks, whose source the user has
# in the folder OSU; LAUNCHES pairs of runs in turn for each line.  Where the definitions
# agree, at two ranks, the goal is 1.02.  IMB, a folder with IMB-MPI1 for the same MPI, adds
# Intel's.
#
# SIZES, ascending, of which a launch measures all, RANKS, ONLY (programs), LAUNCHES, BUDGET
# (seconds a size that NPmpi measures), ITERATIONS (OSU's -i) and MPIEXEC may be set.
build=$1 source=$2
mpiexec=${MPIEXEC:-mpiexec}
if [ -z "$OSU" ] || [ ! -x "$OSU/configure" ]; then
	echo "osu.sh: give OSU=DIR, a tree of OSU micro-benchmarks with its configure, from" \
		"https://mvapich.cse.ohio-state.edu/benchmarks/" >&2
	exit 2
fi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1
export BUILD=$build
one="$source/bench/osu_one.sh"

# Dates of a checkout would make it run automake and its kin, which are replaced by ":".  The
# compiler of C++, by which it links, is that of C: it is C alone.
build_osu()
{
	local configure
	configure=$(cd "$OSU" && pwd)/configure
	mkdir -p "$build/bench/osu" && cd "$build/bench/osu" || return
	[ -f Makefile ] || "$configure" CC="${MPICC:-mpicc}" CXX="${MPICC:-mpicc}" >log 2>&1 || return
	make ACLOCAL=: AUTOCONF=: AUTOHEADER=: AUTOMAKE=: >>log 2>&1
}
build_osu || {
	echo "osu.sh: cannot build it: see $build/bench/osu/log" >&2
	exit 1
}

# Lines of program, figure, goal and options of NPmpi.  OSU's streams wait for an answer after
# each window, and its sums and words are of other types, so these have no goal.
lines()
{
	cat <<-'END'
		osu_latency time 1.02
		osu_bw rate - -s -t nonblocking --window 64 -n 64
		osu_bibw rate - -2 -t nonblocking --window 64
		osu_mbw_mr rate 1.02 --pattern pairs -s
		osu_put_latency time 1.02 -t put --epoch flush
		osu_get_latency time 1.02 -t get --epoch flush
		osu_fop_latency time - -t fetch_and_op --epoch flush
		osu_cas_latency time - -t compare_and_swap --epoch flush
	END
	# Intel's run operations back to back; the slowest rank counts.
	[ -z "$IMB" ] || cat <<-'END'
		imb:PingPong time 1.02
		imb:Barrier time 1.02 --pattern barrier -s
		imb:Bcast time 1.02 --pattern bcast -s
		imb:Allgather time 1.02 --pattern allgather -s
		imb:Alltoall time 1.02 --pattern alltoall -s
		imb:Reduce time 1.02 --pattern reduce -s --like imb
		imb:Allreduce time 1.02 --pattern allreduce -s --like imb
	END
	for name in barrier bcast gather scatter allgather alltoall; do
		echo "osu_$name time 1.02 --pattern $name"
	done
	for name in reduce allreduce reduce_scatter; do
		echo "osu_$name time 1.02 --pattern $name --like osu"
	done
	for name in barrier bcast reduce allreduce gather scatter allgather alltoall; do
		# The sums of char are those since 7.3.
		like=
		case $name in *reduce) like="--like osu" ;; esac
		echo "osu_i$name pure - --pattern $name -t nonblocking --overlap $like"
		echo "osu_i$name exposed - --pattern $name -t nonblocking --overlap $like"
	done
}

# The sizes of a program at so many ranks; nothing where it is left out.
sizes_of()
{
	case $1 in
	*_fop_* | *_cas_*) [ "$2" -ne 2 ] || echo 8 ;;
	*barrier | *Barrier) echo 0 ;;
	*_latency | *bw | *PingPong) [ "$2" -ne 2 ] || echo "$sizes" ;;
	*) echo "$sizes" ;;
	esac
}

sizes=${SIZES:-8 1K 64K 1M}
failed=0
for RANKS in ${RANKS:-2}; do
	export RANKS LAUNCH="$mpiexec -n $RANKS"
	"$build/bench/pairs" "# $RANKS ranks" 'ours, us' 'theirs, us'
	while read -r program figure goal options; do
		[[ -z $ONLY || " $ONLY " == *" $program "* ]] || continue
		case $program in
		imb:*) path=$IMB/IMB-MPI1 ;;
		*) path=$(find "$build/bench/osu" -name "$program" -type f -perm -100) ;;
		esac
		[ -x "$path" ] || { echo "# no $program"; continue; }
		[ "$RANKS" -eq 2 ] || goal=-
		# shellcheck disable=SC2207 # words
		all=($(sizes_of "$program" "$RANKS"))
		[ ${#all[@]} -ne 0 ] || continue
		joined=${all[*]}
		joined=${joined// /,}
		"$build/bench/pairs" "${LAUNCHES:-20}" "$goal" "$program $figure" \
			"bash '$one' ours $figure $joined $options" \
			"bash '$one' ${program%%[_:]*} $figure $joined '$path' ${program#imb:}" \
			"${all[@]}" </dev/null && continue
		echo "# $program $figure: a run failed, so there are no rows"
		failed=1
	done < <(lines)
done
exit "$failed"
