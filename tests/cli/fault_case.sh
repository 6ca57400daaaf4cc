# fault_case.sh - one fault and what became of it, for cli_faults.sh.  Sourced after
# hosts.sh.
#
#     begin; far; near ...      an end that waits at host 2, one that transmits at host 1
#     run_to PHASE              or both, with a relay between them, held at PHASE
#     strike COMMAND...         the fault, from which time counts
#     judge NAME NEAR FAR WORDS a test, and a row of the table
#
# Reads SIZES, LONG, SHORT, HERE, HANG and table; far_token, serve_from, serves_none,
# rows_printed, all_measured and lines_most change what is judged.
number=0 port=5100 far='' near='' halt=''

now()
{
	# Not the date, which can be stepped.
	local up
	read -r up _ </proc/uptime
	echo "${up/./}0000000"
}

# ---- A case -----------------------------------------------------------------
# begin: fresh names and a fresh port.
begin()
{
	number=$((number + 1)) port=$((port + 1))
	case=$work/case$number far='' near='' halt='' halted='' far_stays='' over=''
	: >"$case.near.out" && : >"$case.near.err" && : >"$case.far.err"
}

# far ARGUMENT...: an end that waits, at host 2.
far()
{
	# Not "on": what is in the background has to be the program itself.
	ip netns exec h2 "${NP:-$NP_BUILDDIR/NPtcp}" -P "$port" "$@" >"$case.far.out" \
		2>"$case.far.err" </dev/null &
	far=$!
	until_true 20 grep -q "waits at port" "$case.far.out" || ended "$far"
}

# near ARGUMENT...: an end that transmits, at host 1.
near()
{
	ip netns exec h1 "${NP:-$NP_BUILDDIR/NPtcp}" "$@" >"${near_out:-$case.near.out}" \
		2>"$case.near.err" </dev/null &
	near=$!
}

# run_to PHASE: both ends, with the relay of host 3 between them, held at PHASE.
run_to()
{
	far
	ip netns exec h3 perl "$NP_SRCDIR/tests/lib/between.pl" "$(address 3)" "$port" "$HERE" "$port" "$1" \
		"$case" 2>/dev/null &
	halt=$!
	until_true 20 [ -e "$case.ready" ]
	local length=$LONG
	[ "$1" != last ] || length=$SHORT
	near -h "$(address 3)" -P "$port" $length --json "$case.json" --connect-timeout 1
	until_true 60 [ -e "$case.reached" ]
}

go_on()
{
	: >"$case.go"
}

# run_plain [ARGUMENT...]: both ends, and the transmitter is at work.
run_plain()
{
	far
	near -h "$HERE" -P "$port" $LONG --json "$case.json" "$@"
	until_true 60 visits 12 "$case.json"
}

# strike COMMAND...: the fault itself; from here time counts.
strike()
{
	struck=$(now)
	"$@"
}

both_ended()
{
	{ [ -z "$near" ] || [ "$near" = "$halted" ] || ended "$near"; } &&
		{ [ -z "$far" ] || [ "$far" = "$halted" ] || [ -n "$far_stays" ] || ended "$far"; }
}

# The sizes that count, and those that have a row: in the result file or, with
# rows_printed, in what was printed.
sizes_in()
{
	if [ "$1${rows_printed:-}" = rowyes ]; then
		awk '$1 ~ /^[0-9]+[KMG]?$/ && $2 ~ /^[0-9.]+$/ && !seen[$1]++ { n++ } END { print n + 0 }' \
			"$case.near.out"
		return
	fi
	case $1 in
	visit) grep '"kind":"visit"' "$case.json" | grep '"sentinel":false' ;;
	row) grep '"kind":"row"' "$case.json" ;;
	esac 2>/dev/null | grep -o '"bytes":[0-9]*' | sort -u | wc -l
}

first_line()
{
	head -n 1 "$1" | sed 's/^NP[a-z]*: //; s/|/\\|/g'
}

complain()
{
	tap_comment "$*"
	good=1
}

# judge NAME NEAR FAR WORDS: exit codes as patterns ("-" for an end that there is
# not, "stays" for one that rightly waits on, or knows that it is alone), and what the transmitter (without
# one the server) says; "" for nothing.
judge()
{
	local name=$1 want_near=$2 want_far=$3 words=$4 tries seconds near_code far_code said
	good=0
	[[ $want_far != *stays ]] || far_stays=yes
	for ((tries = 0; tries < HANG * 20; tries++)); do
		both_ended && break
		sleep 0.05
	done
	both_ended || complain "hangs"
	far_code=
	# One that has stopped must not keep others from the server.
	[ -z "$far_stays" ] || [ -z "$halted" ] || [ "$halted" != "$near" ] || judge_wait
	seconds=$(awk -v a="$struck" -v b="${over:-$(now)}" 'BEGIN { printf "%.1f", (b - a) / 1e9 }')
	if [ -n "$halted" ]; then
		kill -CONT "$halted" 2>/dev/null
		[ -n "$far_stays" ] && [ "$halted" = "$far" ] || until_true 20 ended "$halted"
	fi
	[ -z "$halt" ] || kill "$halt" 2>/dev/null
	take_code near_code "$near"
	[ -n "$far_code" ] || [ -z "$far_stays" ] || judge_wait
	[ -n "$far_code" ] || take_code far_code "$far"
	[[ $want_far = stays || $far_code =~ ^(${want_far/stays/waits on})$ ]] ||
		complain "the server ended with $far_code, not $want_far"
	[[ $near_code =~ ^($want_near)$ ]] ||
		complain "the transmitter ended with $near_code, not $want_near"
	said=$(first_line "$case.near.err")
	[ -n "$near" ] && [ -n "$said" ] || said=$(first_line "$case.far.err")
	[ -z "$words" ] || printf '%s\n' "$said" | grep -q -- "$words" ||
		complain "it said '$said', not '$words'"
	says_why "$near_code" "$case.near.err" || complain "the transmitter says nothing"
	says_why "$far_code" "$case.far.err" || complain "the server says nothing"
	[ "$(grep -c . "$case.near.err")" -le "${lines_most:-1}" ] ||
		complain "more than one line: $(cat "$case.near.err")"
	judge_rows "$near_code"
	until_true 5 eval '[ -z "$(tagged)" ]' || complain "left behind: $(tagged | tr '\n' ' ')"
	tap_result "$good" "$name"
	wait "$halt" 2>/dev/null
	printf '| %s | %s | %s | %s | %s | %s |\n' "$name" "$near_code" "$far_code" \
		"${said:-—}" "$seconds" "$rows" >>"$table"
}

# An end that fails by itself has words for it.
says_why() # CODE FILE
{
	case $1 in
	1 | 2 | 4 | 5) [ -s "$2" ] ;;
	esac
}

# take_code VARIABLE PROCESS: what it ended with; not in a subshell, whose child it
# is not.
take_code()
{
	local status=—
	if [ -n "$2" ]; then
		ended "$2" || kill -KILL "$2"
		wait "$2" 2>/dev/null
		status=$?
	fi
	printf -v "$1" %s "$status"
}

# The end that waited, and may do so on.  It may learn a moment later that there is
# nobody any more.
judge_wait()
{
	if until_true 1 ended "$far"; then
		take_code far_code "$far"
		return
	fi
	if [ -n "${serves_none:-}" ]; then
		kill "$far"
	else
		serves_on || complain "the server does not serve another"
	fi
	far_code="waits on"
}

serves_on()
{
	on "${serve_from:-1}" timeout 60 "$NP_BUILDDIR/NPtcp" -h "$HERE" -P "$port" --sizes 64 --time-budget 0.2 --connect-timeout 20 \
		${far_token:+--token-file "$far_token"} >"$case.again" 2>&1 || {
		tap_comment "$(tail -n 2 "$case.again")"
		kill -KILL "$far"
		return 1
	}
	until_true 20 ended "$far" || kill "$far"
}

# No row lost, nothing unfinished called complete.
judge_rows()
{
	local measured kept
	rows=—
	[ -s "$case.json" ] || return
	measured=$(sizes_in visit) kept=$(sizes_in row)
	if [ "$1" = 137 ]; then
		# Killed outright it wrote no row; the visits are there to make them of.
		rows="$measured, in visits"
		return
	fi
	rows="$kept of $measured"
	[ "$kept" -eq "$measured" ] ||
		complain "$kept rows of $measured sizes that were measured"
	[ "$1" = 0 ] || [ -n "${all_measured:-}" ] || ! grep -q '"kind":"findings","complete":true' "$case.json" ||
		complain "a run that failed is called complete"
}
