# in_machine.sh - tests that run in the virtual machine of tests/machine/run, as tests of
# the script that starts it.  Sourced, after tap.sh.
#
#     enter_machine               a skip of the whole script where there is none
#     in_machine "one host" --time 300 -- machine/ibv_kill.sh hosts/netem.sh
#
# A start of the machine takes seconds, so one takes several scripts, one after the
# other.  What they write is passed on test by test.  In "work" is a folder of this
# script's own.

enter_machine()
{
	local reason
	# Emulated, what a sanitizer does would take longer than the rest together.
	[ "${NP_SANITIZERS:-no}" = no ] ||
		tap_skip_all "built with sanitizers: the machine is tested once, beside a plain build"
	if [ -z "${NP_CI:-}" ]; then
		reason=$("$NP_SRCDIR/tests/machine/run" --ready 2>&1) ||
			tap_skip_all "${reason##*$'\n'}"
	fi
	work=$(mktemp -d) || tap_bail "no temporary folder"
	machine=
	trap '[ -z "$machine" ] || kill "$machine"; rm -rf "$work"' EXIT
	trap 'exit 1' HUP INT TERM
	mkfifo "$work/tap" || tap_bail "no named pipe"
}

# The machine's own command: each script of tests/ with its arguments, one after the other.
# "== SCRIPT" begins what each writes.
# shellcheck disable=SC2016 # expanded in the machine
in_turn='status=0
	for script; do
		begun=$SECONDS
		echo "== $script"
		eval "bash \"\$NP_SRCDIR\"/tests/$script" || status=1
		echo "# $((SECONDS - begun)) s"
	done
	exit $status'

# pass_on: what in_turn writes, from standard input.  Counts in "complete" the scripts that
# have said how many tests they have, and had them.
pass_on()
{
	local line script='' planned='' seen=0
	complete=0
	while IFS= read -r line; do
		if [[ $line =~ ^(not )?ok\ [0-9]+\ -\ (.*)$ ]]; then
			seen=$((seen + 1))
			tap_count=$((tap_count + 1))
			[ -z "${BASH_REMATCH[1]}" ] || tap_failed=$((tap_failed + 1))
			echo "${BASH_REMATCH[1]}ok $tap_count - ${BASH_REMATCH[2]}"
		elif [[ $line =~ ^1\.\.0\ #\ SKIP\ (.*)$ ]]; then
			planned=0
			tap_skip "$script" "${BASH_REMATCH[1]}"
		elif [[ $line =~ ^1\.\.([0-9]+)$ ]]; then
			planned=${BASH_REMATCH[1]}
		elif [[ $line = "== "* ]]; then
			script_ended
			script=${line#== } planned='' seen=0
			tap_comment "$script"
		else
			tap_comment "${line#\# }"
		fi
	done
	script_ended
}

# Of pass_on: the script that it has read last, if there was one.
script_ended()
{
	[ -n "$script" ] || return 0
	if [ "$seen" = "$planned" ]; then
		complete=$((complete + 1))
	else
		tap_comment "$script: $seen tests, ${planned:-none} planned"
	fi
}

# all_has_run STATUS SCRIPTS FAILED: FAILED tests explain a STATUS of 1.
all_has_run()
{
	echo "status $1; $complete scripts of $2 to their end"
	cat "$work/err"
	[ "$complete" -eq "$2" ] && [ "$1" -eq $(($3 > 0)) ]
}

# in_machine NAME OPTION... -- SCRIPT...: each a path below tests/, with arguments as in a
# shell.
in_machine()
{
	local name=$1 options=() failed_before=$tap_failed status
	shift
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	"$NP_SRCDIR/tests/machine/run" "${options[@]}" -- bash -c "$in_turn" in_turn "$@" \
		>"$work/tap" 2>"$work/err" &
	machine=$!
	pass_on <"$work/tap"
	wait "$machine"
	status=$?
	machine=
	tap_check "$name: all of it has run" \
		all_has_run "$status" "$#" $((tap_failed - failed_before))
}
