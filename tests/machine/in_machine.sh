# in_machine.sh - tests that run in the virtual machine of tests/machine/run, as tests of
# the script that starts it.  Sourced, after tap.sh.
#
#     enter_machine               a skip of the whole script where there is none
#     in_machine "one machine" --time 300 -- bash "$NP_SRCDIR/tests/machine/ibv_cli.sh"
#
# What the scripts in the machine write is passed on test by test.  In "work" is a
# folder of this script's own.

enter_machine()
{
	local tool
	# Emulated, what a sanitizer does would take longer than the rest together.
	[ "${NP_SANITIZERS:-no}" = no ] ||
		tap_skip_all "built with sanitizers: the machine is tested once, beside a plain build"
	if [ -z "${NP_CI:-}" ]; then
		for tool in qemu-system-x86_64:qemu-system-x86 busybox:busybox-static; do
			command -v "${tool%:*}" >/dev/null ||
				tap_skip_all "no ${tool%:*} (package ${tool#*:})"
		done
	fi
	work=$(mktemp -d) || tap_bail "no temporary folder"
	machine=
	trap '[ -z "$machine" ] || kill "$machine"; rm -rf "$work"' EXIT
	trap 'exit 1' HUP INT TERM
	mkfifo "$work/tap" || tap_bail "no named pipe"
}

# pass_on: TAP from standard input, of several scripts one after the other.  Sets
# planned and seen.
pass_on()
{
	local line
	planned=0 seen=0
	while IFS= read -r line; do
		if [[ $line =~ ^(not )?ok\ [0-9]+\ -\ (.*)$ ]]; then
			seen=$((seen + 1))
			tap_count=$((tap_count + 1))
			[ -z "${BASH_REMATCH[1]}" ] || tap_failed=$((tap_failed + 1))
			echo "${BASH_REMATCH[1]}ok $tap_count - ${BASH_REMATCH[2]}"
		elif [[ $line =~ ^1\.\.([0-9]+) ]]; then
			planned=$((planned + BASH_REMATCH[1]))
			# A script that is skipped as a whole says why.
			[ "${line#*# SKIP }" = "$line" ] || tap_comment "skipped: ${line#*# SKIP }"
		else
			tap_comment "${line#\# }"
		fi
	done
}

# ran_to_its_end SCRIPTS: each has said how many tests it has, and they were there.
ran_to_its_end()
{
	echo "status $status; $seen tests of $planned planned"
	cat "$work/err"
	[ "$status" -le 1 ] && [ "$seen" -gt 0 ] && [ "$seen" -eq "$planned" ]
}

# in_machine NAME OPTION... -- COMMAND...
in_machine()
{
	local name=$1
	shift
	"$NP_SRCDIR/tests/machine/run" "$@" >"$work/tap" 2>"$work/err" &
	machine=$!
	pass_on <"$work/tap"
	wait "$machine"
	status=$?
	machine=
	if ran_to_its_end >"$work/end"; then
		tap_result 0 "$name: all of it has run"
	else
		tap_comment "$(cat "$work/end")"
		tap_result 1 "$name: all of it has run"
	fi
}
