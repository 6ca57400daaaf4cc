#!/bin/bash
# power.sh BUILD [NOISE...] - detection rates and false alarms of effects in a run: the table
# of doc/truth.md.
#
# Each run of NPsim has nothing planted; lab/power plants effects in its times.  COUNT
# runs (100) of each noise, the first DEFAULT (20) of them without --quick, too; NOTHING
# runs (1000) with --quick for the false alarms.  JOBS at a time (as many as there
# are processors).  Noises are tcp-like and shm-like.
build=$1
shift
here=$(dirname "$0")
count=${COUNT:-100} nothing=${NOTHING:-1000} default=${DEFAULT:-20}
jobs=${JOBS:-$(nproc)}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# profile_of NOISE: the profile and what comes after it.  tcp-like has the detection limits
# that NPtcp -I -u 64K over loopback had (doc/results.md): 5.2 % at half of the sizes.
profile_of()
{
	case $1 in
	tcp-like) echo "--profile loopback --set noise=block,3%" ;;
	shm-like) echo "--profile loopback --set noise=message,2%;noise=sample,1%;bimodal=none;burst=none" ;;
	*) echo "power.sh: unknown noise: $1" >&2; exit 1 ;;
	esac
}

# run_all NOISE NAME LAST [OPTION...]: runs of seeds 1 to LAST, and their sums of lab/power.
run_all()
{
	local noise=$1 name=$2 last=$3 options
	shift 3
	options=$(profile_of "$noise") || exit 1
	# shellcheck disable=SC2086 # a list
	seq 1 "$last" | xargs -P "$jobs" -I{} "$build/NPsim" $options --slots 1 -I "$@" \
		--seed {} --json "$work/{}.jsonl" --force --quiet >/dev/null || exit 1
	seq 1 "$last" | sed "s|.*|$work/&.jsonl|" | xargs "$build/lab/power" |
		awk -v name="$noise $name" '
		{
			key = $1 " " $2
			for (i = 3; i <= 9; i++) sum[key, i] += $i
			if (!(key in seen)) order[++n] = key
			seen[key] = 1
		}
		END {
			for (k = 1; k <= n; k++) {
				printf "%s %s", name, order[k]
				for (i = 3; i <= 9; i++) printf " %d", sum[order[k], i]
				print ""
			}
		}'
	rm -f "$work"/*.jsonl
}

[ $# -gt 0 ] || set -- tcp-like shm-like
for noise; do
	run_all "$noise" quick "$count" --quick
	run_all "$noise" default "$default"
	# False alarms alone.
	run_all "$noise" nothing "$nothing" --quick | awk '$3 == 0'
done | awk -f "$here/clopper_pearson.awk" -f <(cat <<'END'
NR == 1 {
	print "| noise | runs | effect, % | sizes | n | found: before | by size | with ranges | false: before | with ranges [95 %] |"
	print "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|"
}
{
	printf "| %s | %s | %s | %s | %d | %d | %d | %d | %d | %d [%.4f, %.4f] |\n", \
		$1, $2, $3, $4, $5, $6, $8, $10, $7, $11, \
		share_low($11, $5), share_high($11, $5)
}
END
)
