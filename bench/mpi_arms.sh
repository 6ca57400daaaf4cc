#!/bin/bash
# mpi_arms.sh BUILD - reuse, rotate and fresh over the pool, by size, once together in each
# run and once each mode in runs of its own, in turn: only in the first does a registration
# cache hold the buffers of another mode.
#
# LAUNCHER, the whole command, may be set; without it, it is MPIEXEC with a core for
# each process.  LAUNCHES, SIZES, POOL, BUDGET (seconds for all runs of one kind)
# and RESULTS, a folder that keeps the result files, may be set, too.
build=$1
runs=${LAUNCHES:-20}
sizes=${SIZES:-64,1K,4K,16K,64K,256K,1M,4M}
budget=${BUDGET:-600}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
results=${RESULTS:-$work}

default_launcher()
{
	local mpiexec=${MPIEXEC:-mpiexec}
	case $($mpiexec --version 2>&1 | head -n 1) in
	*"Open MPI"* | *OpenRTE*) echo "$mpiexec -n 2 --bind-to core" ;;
	*) echo "$mpiexec -n 2 -bind-to core" ;;
	esac
}

# measure NAME OPTION...: leaves NAME.jsonl.
measure()
{
	local name=$1
	shift
	"$build/NPmpi" --launcher "$launcher" --runs "$runs" -I --buffers fresh \
		${POOL:+--pool "$POOL"} --sizes "$sizes" --time-budget "$budget" \
		--precision 0 --quiet "$@" --json "$results/$name.jsonl" --force \
		</dev/null >"$work/$name.out" || { cat "$work/$name.out" >&2; return 1; }
}

# Both kinds of runs side by side, a line for each size and two modes.
table()
{
	grep -h '"kind":"pair"' "$results/together.jsonl" "$results/apart.jsonl" | awk '
	function field(name,	text) {
		if (!match($0, "\"" name "\":[^,}]*"))
			return "none"
		text = substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 3)
		gsub(/"/, "", text)
		return text
	}
	{
		key = sprintf("%10d %-18s", field("bytes"), field("of"))
		if (!(key in said))
			order[++count] = key
		said[key] = said[key] sprintf("   %6.3f [%6.3f, %6.3f] %-14s", field("ratio"),
			field("ratio_low"), field("ratio_high"), field("verdict"))
	}
	END {
		for (i = 1; i <= count; i++)
			print order[i] said[order[i]]
	}'
}

launcher=${LAUNCHER:-$(default_launcher)}
echo "# $launcher"
printf '%10s %-18s   %-39s   %s\n' '# bytes' 'arm over another' \
	"together in $runs runs" "apart, $runs of each mode"
measure together && measure apart --buffers reuse,rotate,fresh,apart && table
