# tap.sh - the few words that a test script needs to write TAP.  Sourced.
#
#     . "$NP_SRCDIR/tests/lib/tap.sh"
#     tap_check "what is claimed" command arguments...
#     tap_done
#
# NP_SRCDIR and NP_BUILDDIR come from the makefile; run by hand from the top of
# a build inside the tree, a script finds them itself.

NP_SRCDIR=${NP_SRCDIR:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}
NP_BUILDDIR=${NP_BUILDDIR:-$PWD}

tap_count=0
tap_failed=0

# tap_result STATUS NAME: 0 is ok, as from a command.
tap_result()
{
	tap_count=$((tap_count + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $tap_count - $2"
	else
		tap_failed=$((tap_failed + 1))
		echo "not ok $tap_count - $2"
	fi
}

# tap_check NAME COMMAND...: what the command prints becomes comments.
tap_check()
{
	local name=$1 output status
	shift
	output=$("$@" 2>&1)
	status=$?
	if [ -n "$output" ]; then
		tap_comment "$output"
	fi
	tap_result "$status" "$name"
	return "$status"
}

# tap_comment TEXT: of one line or more.
tap_comment()
{
	printf '%s\n' "$1" | sed 's/^/# /'
}

# tap_skip NAME REASON: one test; tap_skip_all REASON: the whole script.
tap_skip()
{
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - $1 # SKIP $2"
}

tap_skip_all()
{
	echo "1..0 # SKIP $1"
	exit 0
}

# tap_bail REASON: nothing after this would mean anything.
tap_bail()
{
	echo "Bail out! $1"
	exit 1
}

tap_done()
{
	echo "1..$tap_count"
	exit $((tap_failed != 0))
}
