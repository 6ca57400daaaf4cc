#!/bin/bash
# Peers that lie: once in a run, at each frame and number of doc/protocol.md, in both
# directions.  Within ten seconds of the lie both processes have ended with a documented
# status, nothing of what the peer said reaches the terminal raw, and the result file is
# valid; a server that was lied to before it had a plan serves the next client.
. "${NP_SRCDIR:-$(dirname "$0")/../..}/tests/lib/lib.sh" || exit 99
need NPtcp
command -v perl >/dev/null || tap_skip_all "there is no perl"

# Most of a case is waiting.
timeout 300 perl "$NP_SRCDIR/tests/lib/liar.pl" "$NP_BUILDDIR/NPtcp" \
	"$NP_BUILDDIR/tests/lib/json_lines --killed" "$work" 20 ${1:+"$1"} >"$work/lies"
ended=$?
while IFS=$'\t' read -r verdict name detail; do
	[ "$verdict" = ok ] || tap_comment "$detail"
	[ "$verdict" = ok ]
	tap_result $? "$name"
done <"$work/lies"
tap_check "all lies were told" [ "$ended" -eq 0 ]
cli_done
