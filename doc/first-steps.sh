#!/bin/bash
# first-steps.sh - makes doc/first-steps.md: the questions of a new user, each with one command
# and the line of its first screen that answers.  Run it in a build folder:
#   bash ../doc/first-steps.sh >../doc/first-steps.md
# It fails if an answer is not in the first screen.  --quick makes real paths take a second.
set -u
here=$(cd "$(dirname "$0")/.." && pwd) || exit 1
PATH=$PWD:$PATH
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
limit=
[ "${1-}" != --quick ] || limit="--time-budget 0.5"
cp "$here/tests/data/import/osu_latency.txt" "$work" || exit 1
# HOST is reached by ssh; here, where there is one host only, by this.
printf '#!/bin/sh\nshift\nexec "$@"\n' >"$work/way" && chmod +x "$work/way"
reach="--rsh $work/way --remote-program $PWD/NPtcp -h 127.0.0.1"
missed=0

# task QUESTION LINES ANSWER COMMAND [MORE]: LINES of the screen of 24 are shown; ANSWER is
# an extended regular expression of a line; MORE is given to the command and not shown.
task()
{
	local question=$1 lines=$2 answer=$3 command=$4 more=${5-}
	(cd "$work" && eval "$command $more" 2>&1) | head -n 24 >"$work/screen"
	printf '\n## %s\n\n    $ %s\n' "$question" "$command"
	head -n "$lines" "$work/screen" | sed 's/^/    /; s/ *$//'
	if ! answer=$(grep -Em 1 -- "$answer" "$work/screen"); then
		echo "no answer to: $question" >&2
		missed=1
	fi
	printf '\nAnswer: `%s`\n' "$(sed 's/^ *//; s/  */ /g' <<<"$answer")"
}

cat <<'END'
# First steps

Nine questions of a new user. Each takes one command, and the first screen of its output
answers; the line that does is repeated below it. `bash ../doc/first-steps.sh`, in the build
folder, makes this page. NPsim is a model with a fixed seed, so its figures come out anew as
they are here; for a path of your own, put `NPtcp -h HOST`, `NPibv -h HOST` or
`mpiexec -n 2 NPmpi` in its place. Those of NPtcp are of a virtual machine of two cores.
END
model="NPsim --profile infiniband-2004"
task "What is the latency of TCP within this host?" 7 "latency, 1 B +[0-9.]+ us" \
	"NPtcp --local --quick" "$limit"
task "Is my path slower with cold buffers, and where?" 12 "sizes\): from .* up to .*x slower" \
	"$model -I --quick --seed 1"
task "Which cache is it?" 13 "cause +address translation in the adapter or the library" \
	"$model --why 4K --quick --seed 1"
task "And how many buffers stay fast?" 8 "lines +fast up to 3072 buffers" \
	"$model --capacity 64 --quick --seed 1"
for run in "before --seed 1" "after --seed 2 --set dip=4K,20%"; do
	(cd "$work" && NPsim --profile ethernet-1g --runs 6 --quick --sizes 64,1K,4K,64K,1M \
		--json $run >/dev/null) || exit 1
done
task "Did it become slower from one day to the next?" 19 "most at 4 KiB.*slower" \
	"NPreport --compare before after"
task "Where does the curve have steps?" 9 "step +1448 B to 1449 B" \
	"NPsim --profile ethernet-1g --refine --seed 1"
task "What does a file of OSU's look like?" 14 "latency +1[.]14 us" \
	"NPreport --plot osu.svg osu_latency.txt"
[ -s "$work/osu.svg" ] || missed=1
echo "The picture is in \`osu.svg\`; \`.png\` and \`.pdf\` work as well."
task "How fast is the path between two hosts?" 7 "bandwidth, most +[0-9.]+ [GM]bit/s" \
	"NPtcp --remote HOST --quick" "$reach $limit"
echo "HOST needs ssh and NPtcp; here both processes were on one host."
task "Why is this run of poor quality?" 14 "became .* % slower during the run" \
	"NPsim --quick --sizes 64,1K --set 'noise = pass, 20 %; drift = 40 %' --seed 1"
exit $missed
