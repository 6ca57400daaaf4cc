#!/bin/bash
# What a command line must not ask for: each is refused with exit code 2 and
# one line, before anything is measured.  Asserted of the line are key words: the option,
# the value, the remedy; not its sentence.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/lib.sh" || exit 99
need NPshm NPtcp

# names_all PROGRAM KEYS: keys are basic regular expressions, separated by "; ", in any order.
names_all()
{
	local key keys
	IFS=';' read -r -a keys <<<"$2"
	for key in "${keys[@]}"; do
		failed_with "$1" 2 "${key# }" || { echo "not named: ${key# }" && return 1; }
	done
}

usage() # NAME KEYS PROGRAM ARGUMENT...
{
	local name=$1 keys=$2
	shift 2
	run "$@"
	tap_check "$name" names_all "$1" "$keys"
}

# ---- Each names the option or its value, and the remedy ----------------------
while IFS='|' read -r command keys; do
	case $command in
	NPibv*) [ -x "$NP_BUILDDIR/NPibv" ] || continue ;;
	NPmpi*) [ -x "$NP_BUILDDIR/NPmpi" ] || continue ;;
	esac
	read -r -a words_of <<<"$command"
	# An MPI library that was not built with it looks like a race.
	case $command,${NP_SANITIZERS:-} in
	NPmpi*,*thread*)
		tap_skip "$command" "built with sanitizers"
		continue
		;;
	esac
	# What an MPI library leaves behind at MPI_Finalize() is no leak of ours.
	case $command in NPmpi*) export ASAN_OPTIONS=detect_leaks=0 ;; esac
	usage "$command" "$keys" "${words_of[@]}"
	unset ASAN_OPTIONS
done <<'EOF'
NPtcp -h|-h; HOST
NPtcp -l 0 --local|size; 0
NPtcp --sizes 0,64 --local|size; 0
NPtcp -B|-B; receives; leave
NPtcp --burst|--burst
NPtcp --window 4|--window; in flight
NPtcp --regions 2|--regions; regist
NPtcp --launcher x|--launcher; MPI launcher
NPtcp --list-devices|--list-devices; device
NPshm -h there|-h; one command
NPshm --serve|--serve; one command
NPshm --token-file x|--token-file; this host
NPshm --regions 2|--regions; regist
NPibv -h x --buffers fresh|--buffers fresh; regist
NPmpi -h there|-h; MPI launcher
NPmpi --local|--local; MPI launcher
NPmpi --allow 10.0.0.0/8|--allow; MPI launcher
NPmpi -r|-r; connect
NPmpi --runs 3|--runs; NPmpi --launcher 'mpiexec -n 2' --runs
NPshm --window 4|--window; in flight; -s
NPshm -2 --window 1|--window; -2
NPtcp -s --window 4|--window above 1; in flight
NPmpi -t nonblocking --window 4|--window; -s
NPmpi --quick|2 processes; 1; mpiexec -n 2 NPmpi
NPshm --order random|--order; -I; --capacity; --why
NPshm --expect-error 1|--expect-error; --expect
NPshm --same-within 3|--same-within; -I
NPshm -I -i --same-within 3|--same-within
NPshm -i --passes 3|--passes; -i
NPshm -i --precision 1|--precision; -i
NPshm -i --sample-time 9|--sample-time; -i
NPshm -i -o x|--output; -i
NPshm -i --reference x|--reference; -i
NPshm --sizes 64 -u 1K|--upper; --sizes
NPshm --why 64 -l 8|--lower; --why
NPshm --quick -p 1|--perturbation; --quick
NPshm --expect latency(8)<=1s -p 1|--perturbation; --expect
NPtcp --local -P 5003|--port; --local
NPtcp --remote x --port 0|--port; --remote
NPtcp --local --token-file x|--token-file; --local
NPtcp --local --connect-timeout 1|--connect-timeout; -h or --remote
NPtcp --connect-timeout 1|--connect-timeout; -h
NPtcp --json x|--json; client; --local
NPtcp -o x|--output; server
EOF

usage "unknown long option" "unknown; --frobnicate" NPshm --frobnicate
usage "unknown letter" "unknown; -X" NPshm -X
usage "ambiguous option" "ambiguous; --remote-program" NPtcp --rem x
usage "an option of another module" "unknown; --mss" NPshm --mss 1000
usage "unknown value of a module option" "carrier; memcpy" NPshm --transfer carrier
usage "module option out of range" "mss; range" NPtcp --local --mss 1
usage "a congestion control that there is not" "nonsense; reno" \
	NPtcp --local --congestion nonsense --sizes 8
# Every kernel has this one.
run NPtcp --local --congestion reno --sizes 8 --passes 1 --json "$work/reno.jsonl"
tap_check "--congestion is that of both processes" eval '[ "$code" -eq 0 ] &&
	grep -q "_path\":{.*\"congestion\":\"reno\".*_path\":{.*\"congestion\":\"reno\"" "$work/reno.jsonl"'
usage "a question about no bytes" "--why; 0; between 1 and" NPshm --why 0
usage "and about buffers of none" "--capacity; 0; between 1 and" NPshm --capacity 0
usage "an argument that belongs to nothing" "argument; localhost" NPtcp localhost
usage "an option without its argument" "--sizes; argument" NPshm --sizes
usage "an argument for a flag" "perhaps; yes; no" NPshm --stream=perhaps
usage "a verdict without ratios" "--fail-on slower needs -I" NPshm --fail-on slower
usage "a verdict on one mode" "fail-on; without reuse" \
	NPshm --buffers rotate --fail-on slower
usage "an unknown verdict" "fast; slower" NPshm -I --fail-on fast

usage "out of range" "between" NPshm --precision 101
usage "out of range: no runs" "between" NPshm --runs 0
usage "not a number" "not a whole number" NPshm -n many
usage "not a size" "not a size" NPshm -u big
usage "not a time" "not a time" NPshm --time-budget soon
usage "not a time: nan" "not a time" NPshm --time-budget nan
usage "no value at all" "-n" NPshm -n ''
usage "trailing junk" "not a whole number" NPshm -n 12x
usage "trailing junk behind a suffix" "not a size" NPshm -u 1MB2
usage "trailing junk behind a time" "not a time" NPshm --time-budget 1s2
usage "negative" "negative" NPshm -n -5
usage "negative size" "negative" NPshm -l -1
usage "negative time" "negative" NPshm --time-budget -1
usage "overflow" "too large" NPshm -u 99999999999999999999
usage "overflow by the suffix" "too large" NPshm -u 99999999999T
usage "overflow of a count" "too large" NPshm -n 18446744073709551616
usage "overflow in a list" "too large" NPshm --sizes 64,99999999999999999999

usage "-l above -u" "-l; 4096; -u; 64" NPshm -l 4096 -u 64
usage "a list with a hole" "not a size" NPshm --sizes 1,,2
usage "a list with a word" "two" NPshm --sizes 1,two
usage "below nothing in a list" "negative" NPshm --sizes 4-8
usage "an alignment that is none" "power of two" NPshm --align 48
usage "three offsets" "-O" NPshm -O 1,2,3

# Memory: a mebibyte of a million mebibytes is not there.
usage "a size larger than memory" "size; available" NPshm --sizes 1T
usage "-u larger than memory" "available" NPshm -u 1T --quick
usage "a size as large as addresses are" "largest size" NPshm --sizes 15T --dry-run
usage "-I with a pool larger than memory" "--pool; available" NPshm -I --pool 16T
usage "the same for --dry-run" "--pool; available" NPshm -I --pool 16T --dry-run
usage "a pool that holds no message" "--pool; smaller" NPshm -I --pool 4K --sizes 1M

usage "-s with -2" "-s; -2" NPshm -s -2
if [ -x "$NP_BUILDDIR/NPibv" ]; then
	usage "-B with --window" "-B; --window" NPibv -h x -B -s --window 4
	usage "-B with --why" "--why; -B" NPibv -h x -B --why 64
fi
usage "buffers that are none" "warm; touched" NPshm --buffers reuse,warm
usage "buffers of two kinds" "rotate-send; both sides" NPshm --buffers rotate,rotate-send
usage "touched messages" "touched; --per-message" NPshm --buffers touched --per-message
usage "a name of before" "--receive; --wait" NPtcp --local --receive poll
usage "--window without -s" "--window; -s" NPshm --window 1
usage "--per-message of a stream" "--per-message" NPshm -s --per-message
usage "--per-message with -n" "--per-message" NPshm --per-message -n 4
usage "-i with --per-message" "-i" NPshm -i --per-message
usage "--pool without -I" "--pool; -I" NPshm --pool 1M
usage "-h with --local" "-h; --local" NPtcp -h 127.0.0.1 --local

usage "port out of range" "65536; 65535" NPtcp -P 65536
usage "port that is none" "not a whole number" NPtcp -P http
usage "a host without a name" "host" NPtcp -h ''
usage "a core that is not there" "100000" NPshm --bind 100000 $SMALL
usage "a place that is no core" "left; auto; none" NPshm --bind left $SMALL
usage "an address as a place" "127.0.0.1; --bind-address" NPtcp --local --bind 127.0.0.1 $SMALL
usage "no time for the pool of a question" "--time-budget; a smaller --pool" \
	NPshm --capacity 64 --time-budget 0.0001
usage "a core that is not there, in a plan" "0,100000; no core 100000" \
	NPshm --bind 0,100000 --dry-run
usage "an address as a place, in a plan" "127.0.0.1; --bind-address" \
	NPtcp --local --bind 127.0.0.1 --dry-run
usage "no place at all" "bind" NPshm --bind '' $SMALL
usage "a file without a name" "json" NPshm --json '' $SMALL

if [ -x "$NP_BUILDDIR/NPfault" ]; then
	usage "unknown module" "carrier" NPfault --wrap carrier
	[ -x "$NP_BUILDDIR/NPibv" ] ||
		usage "a module that is not in this build" "ibv" NPfault --wrap ibv
else
	tap_skip "unknown module" "NPfault is not in this build"
fi

# What is asked for is what is answered, and on stdout.
answers() # WORDS
{
	[ "$code" -eq 0 ] && [ ! -s "$err" ] && grep -q "$1" "$out" && return
	show_run
	return 1
}
run NPtcp --help
tap_check "--help" answers "  --time-budget"
run NPtcp --version
tap_check "--version" answers "^NPtcp (NetPong) [0-9]"
run NPshm --dry-run --quick
tap_check "--dry-run tells sizes" answers "^sizes  *46:"
tap_check "--dry-run tells memory" answers "^memory .* MiB"
tap_check "--dry-run tells the time" answers "^time .* passes"
tap_check "--dry-run measures nothing" eval '! grep -q "95 % CI" "$out"'
run NPtcp --dry-run -h 192.0.2.1 -I
tap_check "--dry-run asks no other host" answers "rotate"
refused "--dry-run looks its name up" 4 "no-such-host.invalid" \
	NPtcp --dry-run -h no-such-host.invalid
refused "--dry-run looks where its result goes" 1 "none/a.json.*No such file" \
	NPshm --dry-run --json "$work/none/a.json"
refused "and where that of -o does" 1 "none/np.out.*No such file" \
	NPshm --dry-run -o "$work/none/np.out"
refused "--dry-run takes no file for two results" 2 "same file" \
	NPshm --dry-run -o "$work/both" --json "$work/both"
refused "--dry-run reads its clauses" 2 "none" \
	NPshm --dry-run --expect "@$work/none"
run NPshm --dry-run --quick -o "$work/np.out" --json "$work/a.json"
tap_check "--dry-run writes no file" \
	eval 'answers "^memory" && [ ! -e "$work/np.out" ] && [ ! -e "$work/a.json" ]'
printf 'kept\n' >"$work/np.out"
run NPshm --dry-run --quick -o "$work/np.out"
tap_check "and keeps what is there" \
	eval 'answers "^memory" && [ "$(cat "$work/np.out")" = kept ]'

# Blanks and the like in a bad word cannot forge a second line.
run NPshm "--$(printf 'a\nb\033[2J')"
tap_check "control characters are not repeated" failed_with NPshm 2 "unknown option"
tap_check "nor written" eval '! grep -q "$(printf "\033")" "$err"'


# ---- A file of an option that never ends --------------------------------------
mkfifo "$work/fifo"
# ends PROGRAM ARGUMENT...: at SIGTERM, not at SIGKILL only.
ends()
{
	local program=$1 status
	shift
	timeout -s TERM -k 10 0.5 "$NP_BUILDDIR/$program" "$@" >/dev/null 2>&1
	status=$?
	[ "$status" -eq 124 ] || { echo "status $status"; return 1; }
}
for files in "NPsim --profile" "NPtcp -h 127.0.0.1 --token-file"; do
	[ -x "$NP_BUILDDIR/${files%% *}" ] || continue
	# shellcheck disable=SC2086
	tap_check "SIGTERM ends ${files% *} ${files##* } of a FIFO" ends $files "$work/fifo"
done
[ ! -x "$NP_BUILDDIR/NPsim" ] ||
	tap_check "SIGTERM ends NPsim --expect of a FIFO" ends NPsim --quick --expect "@$work/fifo"
tap_check "SIGTERM ends NPfleet --hosts of a FIFO" ends NPfleet --hosts "$work/fifo" tcp
if [ -x "$NP_BUILDDIR/NPsim" ]; then
	echo "table = /dev/zero" >"$work/zero.profile"
	refused "a table without end" 2 "'/dev/zero' is no text" NPsim --profile "$work/zero.profile"
fi
cli_done
