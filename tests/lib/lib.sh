# lib.sh - running the programs from a test script, and judging how they ended.
# Sourced by the cli_*.sh scripts; TAP comes from tap.sh.
#
# A process costs as much as a short run of a program, or more, so what each run and each
# wait goes through is done by the shell itself.
#
# Everything a script starts carries TAG in its environment, so that the last
# test of a script can say that nothing was left behind, and nothing of another
# script that runs beside it is ever touched.
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh" || exit 99
. "$(dirname "${BASH_SOURCE[0]}")/unfold.sh" || exit 99

# What a shell starts in the background ignores SIGINT, and hands that on.
if [ -z "${NP_SIGNALS_ARE_DEFAULT:-}" ]; then
	NP_SIGNALS_ARE_DEFAULT=1 exec env --default-signal bash "$0" "$@"
fi

unset COLUMNS # the width of what is printed

TAG=NP_TEST_TAG=$$-$RANDOM$RANDOM
export "${TAG?}"

# NPfault can wrap NPmpi and so has MPICH in it, whose UCX puts hooks of its own on
# memory: the thread sanitizer does not survive one that runs at a thread's end.
case ${NP_SANITIZERS:-no} in *thread*) export UCX_MEM_EVENTS=no ;; esac

# Longer than anything may take, on a machine that is busy with other tests,
# under a sanitizer: what reaches it hangs.
LIMIT=${NP_TEST_LIMIT:-120}
# Sizes and time of a run whose numbers nobody will read.
SMALL="--sizes 1,64,4K --time-budget 0.3"

work=$(mktemp -d) || tap_bail "no temporary folder"
out=$work/out err=$work/err code=0
# Result files to look at, a line for each that was, and what is wrong with them.
: >"$work/.written" >"$work/.checked" >"$work/.unlike"
mkfifo "$work/.never" || tap_bail "no named pipe" # nobody writes to it
shm_before=$(ls /dev/shm 2>/dev/null)

# Each background job is a process group, which Ctrl-C can be tried on.
set -m

# The processes of this script, found by the tag; not the script itself.
tagged()
{
	local entry name
	for entry in /proc/[0-9]*; do
		{ read -r name <"$entry/comm"; } 2>/dev/null || continue
		[[ $name = NP* ]] && [ "${entry#/proc/}" != "$$" ] &&
			[ "${entry#/proc/}" != "$BASHPID" ] &&
			{ tr "\0" "\n" <"$entry/environ"; } 2>/dev/null | grep -qx "$TAG" &&
			echo "${entry#/proc/}"
	done
}

clean_up()
{
	local left
	left=$(tagged)
	[ -z "$left" ] || kill -KILL $left 2>/dev/null
	rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 1' HUP INT TERM

# wide FILE: its lines of more than 80 columns.
wide()
{
	LC_ALL=C sed 's/[\x80-\xbf]//g' "$1" | LC_ALL=C awk 'length($0) > 80'
}

narrow() # FILE: something was printed, and no line of it is too wide
{
	[ -s "$1" ] && ! wide "$1" | grep .
}

# need PROGRAM...: the whole script is about them.
need()
{
	local program
	for program in "$@"; do
		[ -x "$NP_BUILDDIR/$program" ] || tap_skip_all "$program is not in this build"
	done
}

# drawn SEED [PLANT]: a file with a profile of NPsim that is drawn at random.
drawn()
{
	"$NP_BUILDDIR/lab/draw" "$@" >"$work/drawn-$1-${2:-all}.profile" || return
	echo "$work/drawn-$1-${2:-all}.profile"
}

# run PROGRAM ARGUMENT...: sets code; stdout and stderr are in $out and $err.
# 124 and 137 are timeout's, and mean that the program hung.
run()
{
	local program=$1
	shift
	{ timeout -k 5 "$LIMIT" "$NP_BUILDDIR/$program" "$@" >"$out" 2>"$err" </dev/null; } \
		2>/dev/null
	code=$?
	case "$program $*" in
	*\ --help*) ;;
	NPreport*|*\ --why*|*\ --capacity*|*\ --expect*)
		local whole
		unfolded "$out" >"$out.whole"
		IFS= read -r -d '' whole <"$out.whole"
		printf '%s' "$whole" >"$out"
		;;
	esac
	# Another run may write over it.
	case " $* " in *\ --json\ *) results_of "$@" | check_results "$out" ;; esac
}

# results_of ARGUMENT...: the file of --json, of a program that writes one.
results_of()
{
	while [ "$#" -gt 1 ]; do
		if [ "$1" = --json ]; then
			case $2 in
			/*) printf '%s\n' "$2" ;;
			*) printf '%s\n' "$PWD/$2" ;;
			esac
		fi
		shift
	done
}

# Holds every result file that stdin names to netpong-results(5), whatever the run
# came to, and its statements, with those of the screen, to each other; what is wrong is
# kept for cli_done.
check_results() # [SCREEN]
{
	local file
	while read -r file; do
		[ -f "$file" ] || continue
		echo >>"$work/.checked"
		"$NP_BUILDDIR/tests/lib/json_lines" --killed "$file" >/dev/null \
			2>>"$work/.unlike" && [ "${NP_SANITIZERS:-no}" = no ] &&
			[ -x "$NP_BUILDDIR/NPreport" ] && grep -q '"kind":"findings"' "$file" &&
			perl "$NP_SRCDIR/tests/report/consistent.pl" check \
				"$NP_BUILDDIR/NPreport" "$file" "$@" >>"$work/.unlike" 2>&1
	done
}

results_are_alike()
{
	check_results <"$work/.written"
	cat "$work/.unlike"
	[ -s "$work/.checked" ] && [ ! -s "$work/.unlike" ]
}

# What there is to see of a run that did not go as it should.
show_run()
{
	echo "code $code"
	echo "stdout:"
	tail -n 12 "$out"
	echo "stderr:"
	head -n 12 "$err"
}

# one_line FILE PROGRAM WORDS: one line, "PROGRAM: ...", with WORDS (a basic
# regular expression) in it; what a usage error points to is beside it.
one_line()
{
	local lines line count=0
	mapfile -t lines <"$1"
	for line in "${lines[@]}"; do
		[ "$line" = "Try '$2 --help'." ] || count=$((count + 1))
	done
	[ "$count" -eq 1 ] && grep -q "^$2: .*$3" "$1"
}

failed_with()
{
	[ "$code" -eq "$2" ] && one_line "$err" "$1" "$3" && points_to_help "$1" && return
	show_run
	return 1
}

# A usage error, and no other, ends by pointing to --help; where the last run is a job,
# its launcher has words of its own.
points_to_help()
{
	[ -z "${launcher:-}" ] || return 0
	local lines line=
	mapfile -t lines <"$err"
	for line in "${lines[@]}"; do
		[ "$code" -eq 2 ] || [[ $line != "Try '"* ]] || return
	done
	[ "$code" -ne 2 ] || [ "$line" = "Try '$1 --help'." ]
}

# refused NAME CODE WORDS PROGRAM ARGUMENT...: the program ends with CODE and
# one line on stderr.
refused()
{
	local name=$1 wanted=$2 words=$3
	shift 3
	run "$@"
	tap_check "$name" failed_with "$1" "$wanted" "$words"
}

# in_table FILE SIZE REGEX: a line begins with the size as tables have it, 4096 as 4 KiB, and
# what follows matches an extended expression.
in_table()
{
	local size=$2 unit text
	for unit in B KiB MiB GiB; do
		[ "$size" -ge 1024 ] && [ $((size % 1024)) -eq 0 ] || break
		size=$((size / 1024))
	done
	local line=$'\n'" *$size $unit"$3
	IFS= read -r -d '' text <"$1"
	[[ $'\n'$text =~ $line ]]
}

# has_rows FILE SIZE...: the table has a row for each SIZE, with a time.
has_rows()
{
	local size
	for size in "${@:2}"; do
		in_table "$1" "$size" " +[0-9][0-9.]* +[0-9-]" || { echo "no row of $size bytes"; return 1; }
	done
}

well_done()
{
	[ "$code" -eq 0 ] && [ ! -s "$err" ] && has_rows "$out" "$@" && return
	show_run
	return 1
}

# checked SIZE...: a run with -i ended well and says so of each size.
checked()
{
	local size
	[ "$code" -eq 0 ] && [ ! -s "$err" ] && for size; do
		in_table "$out" "$size" $' [^\n]* every byte right' || { code="$code, not $size" && break; }
	done && [ "$code" = 0 ] && return
	show_run
	return 1
}

# measures NAME SIZES PROGRAM ARGUMENT...: ends well, says nothing on stderr,
# and has a row for each of SIZES ("1 64").  The settings are printed as well.
measures()
{
	local name=$1 sizes=$2
	shift 2
	run "$@" -v
	tap_check "$name" well_done $sizes
}

# has_lines FILE KIND...: every line of the JSON file is right, and there is at
# least one of each kind.
has_lines()
{
	local file=$1 kind found
	shift
	found=$("$NP_BUILDDIR/tests/lib/json_lines" "$file") || return 1
	for kind in "$@"; do
		echo "$found" | grep -q "^$kind " || { echo "no $kind in: $found"; return 1; }
	done
}

# until_true SECONDS COMMAND...: tries it ten times a second.
until_true()
{
	local tries=$(($1 * 10))
	shift
	while ! "$@" >/dev/null 2>&1; do
		[ $((tries -= 1)) -gt 0 ] || return 1
		read -rt 0.1 <>"$work/.never" || :
	done
}

# visits COUNT FILE: whether a result file has as many, or more.
visits()
{
	local lines line count=0
	mapfile -t lines <"$2"
	for line in "${lines[@]}"; do
		[[ $line != *'"kind":"visit"'* ]] || count=$((count + 1))
	done
	[ "$count" -ge "$1" ]
}

# start NAME PROGRAM ARGUMENT...: in the background, with its output in
# $work/NAME.out and $work/NAME.err, its process in $pid.
start()
{
	local name=$1 program=$2
	shift 2
	# What an earlier process of this name wrote is not read for its words.
	: >"$work/$name.out"
	: >"$work/$name.err"
	"$NP_BUILDDIR/$program" "$@" >"$work/$name.out" 2>"$work/$name.err" </dev/null &
	pid=$!
	# It is not complete before the process is.
	results_of "$@" >>"$work/.written"
}

# finds_port NAME: sets port, if the waiting end has said it.
finds_port()
{
	local text
	IFS= read -r -d '' text <"$work/$1.out"
	[[ $text =~ " waits at port "([0-9]+) ]] && port=${BASH_REMATCH[1]}
}

# start_waiting NAME [ARGUMENT...]: a waiting NPtcp; sets pid and port.
start_waiting()
{
	local name=$1
	shift
	start "$name" NPtcp -P 0 "$@"
	until_true 60 finds_port "$name" || { cat "$work/$name.err"; return 1; }
}

# ended PID: true once there is no such process, or only its remains.
ended()
{
	local stat
	{ read -r stat <"/proc/$1/stat"; } 2>/dev/null || return 0
	[[ ${stat##*) } = Z* ]]
}

# finish PID [SECONDS]: waits for a process that start began; sets code, 124
# for one that had to be killed.
finish()
{
	if until_true "${2:-$LIMIT}" ended "$1"; then
		wait "$1" 2>/dev/null
		code=$?
	else
		kill -KILL "$1" 2>/dev/null
		wait "$1" 2>/dev/null
		code=124
	fi
}

# The last test of a script: no process and no shared memory stays behind.
nothing_left()
{
	local name left=0
	until_true 10 eval '[ -z "$(tagged)" ]' || {
		left=1
		echo "still running: $(tagged | tr '\n' ' ')"
	}
	for name in $(ls /dev/shm | grep '^netpong'); do
		case " $shm_before " in *"$name"*) continue ;; esac
		# Another script may be using shared memory for a moment.
		until_true 10 eval "[ ! -e '/dev/shm/$name' ]" || {
			left=1
			echo "still in /dev/shm: $name"
		}
	done
	return "$left"
}

# start_server PROGRAM [ARGUMENT...]: a server that waits; sets server and port.
start_server()
{
	start server "$1" -P 0 "${@:2}"
	server=$pid
	until_true 60 finds_port server || { cat "$work/server.err"; return 1; }
}

# lost_peer PROGRAM LIBRARY ARGUMENT...: kills the server in the middle of a run.
lost_peer()
{
	local json=$work/lost_peer.json
	start_server "$1" || return
	rm -f "$json"
	start client "$1" -h 127.0.0.1 -P "$port" --sizes 64,200000 --time-budget 60 \
		--precision 0 --json "$json" "${@:3}"
	local client=$pid
	until_true 60 visits 1 "$json" || { cat "$work/client.err"; return 1; }
	kill -KILL "$server"
	finish "$client" 60
	[ "$code" -eq 4 ] && one_line "$work/client.err" "$1" "\(peer\|$2\)" && return
	echo "code $code"
	cat "$work/client.err"
	return 1
}

cli_done()
{
	[ ! -s "$work/.written" ] && [ ! -s "$work/.checked" ] ||
		tap_check "every result file is as netpong-results(5) says" results_are_alike
	tap_check "nothing is left behind" nothing_left
	tap_done
}
